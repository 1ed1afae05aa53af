// A whole agent under loopwatch. Its model is a script: it asks for the same
// parcel again until it is told that this does not help. A stubborn one does not
// listen either.
//
//     loopwatch run --embedded --http 127.0.0.1:8080 --policy sundry
//     node examples/typescript/parcel.mjs http://127.0.0.1:8080 [--stubborn]

import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

import { Halted, watch } from "../../clients/typescript/src/index.js";

const PATIENCE = 8; // turns after which the agent stops by itself
const executed = { track_parcel: 0, ask_seller: 0 };
const tools = {
  track_parcel: () => (executed.track_parcel++, "no scans recorded"),
  ask_seller: () => (executed.ask_seller++, "the seller looks for it"),
};
const declared = [
  { name: "track_parcel", effect: "read" },
  { name: "ask_seller", effect: "write" },
];

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    run: { type: "string" }, // name of the run
    wait: { type: "string", default: "1" }, // seconds that a call may wait for its verdict
    stubborn: { type: "boolean", default: false }, // do not listen
    pace: { type: "string", default: "0" }, // turns to begin with, one for each line on standard input
  },
});

/** Stands for a language model: a function of its context, which repeats itself while that says nothing new. */
function model(transcript) {
  if (transcript.includes("the seller looks for it")) return undefined;
  const told = transcript.some((line) => line.startsWith("system: "));
  return told && !flags.stubborn ? "ask_seller" : "track_parcel";
}

async function agent(run) {
  const lines = createInterface({ input: process.stdin });
  let said = Number(flags.pace);
  if (said > 0) {
    for await (const line of lines) {
      run.turn({ text: line });
      console.log("said");
      if (--said === 0) break;
    }
  }
  lines.close();
  const transcript = ["user: where is my parcel JD7?"];
  for (let turn = 0; turn < PATIENCE; turn++) {
    for (const told of run.observations()) {
      console.log("told:", told.content.split("\n")[0]);
      transcript.push(`${told.role}: ${told.content}`);
    }
    const tool = model(transcript);
    if (!tool) return console.log("done");
    run.turn({ text: `Let me try ${tool}.`, costUSD: 0.01 });
    const result = String(await run.tool(tool, { parcel: "JD7" }, tools[tool]));
    console.log(`${tool}: ${result.replaceAll("\n", " ")}`);
    transcript.push(result);
  }
  console.log("out of patience");
  await run.end("failed", "out of patience");
}

try {
  const { LOOPWATCH_TOKEN: token } = process.env;
  const wait = 1000 * Number(flags.wait);
  await watch({ url: positionals[0], agent: "support", run: flags.run, tools: declared, token, wait }, agent);
} catch (err) {
  if (!(err instanceof Halted)) throw err;
  console.log("halted:", err.control.endStatus);
}
console.log("executed:", Object.entries(executed).map(([name, n]) => `${name}=${n}`).join(" "));
