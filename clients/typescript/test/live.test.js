/** Runs against a real gateway. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { Halted, NoVerdict, Over, Run, reportBlockedTool, watch } from "../src/index.js";
import { Gateway, PATIENCE, binary, missing, until } from "./gateway.js";

const NOWHERE = "http://127.0.0.1:9";
const TOKEN = "a-token-of-the-support-agent";
const quiet = { log: () => {} };

/** @param {any[]} events */
function inOrder(events) {
  assert.deepEqual(events.map((e) => e.seq ?? 0), events.map((_, n) => n));
  assert.equal(new Set(events.map((e) => e.id)).size, events.length);
  return events;
}

/** @param {any[]} events */
function ended(events) {
  const ends = events.filter((e) => e.kind === "run_end");
  assert.equal(ends.length, 1);
  return ends[0].end.status;
}

/** A tool that counts its executions and always says the same. */
function counting(/** @type {unknown} */ answer = "no scans recorded") {
  const tool = Object.assign(() => (tool.executed++, answer), { executed: 0 });
  return tool;
}

/**
 * @param {Run} run
 * @param {() => unknown} tool
 */
function track(run, tool) {
  run.turn({ text: "Let me look.", costUSD: 0.1, usage: { input_tokens: 1000, output_tokens: 50 } });
  return run.tool("track_parcel", { parcel: "JD7" }, tool);
}

/** @param {Run} run @param {number} from @param {number} to */
async function sums(run, from, to) {
  for (let n = from; n < to; n++) {
    run.turn({ text: `turn ${n}` });
    assert.equal((await run.tool("add", { n }, (args) => args.n + 1)).content, n + 1);
  }
}

describe("a gateway", { skip: missing() }, () => {
  const gateway = new Gateway();
  before(() => gateway.start());
  after(() => gateway.stop());

  /** @param {Partial<import("../index.js").Options>} more */
  const options = (more = {}) => ({
    url: gateway.url, agent: "support", wait: PATIENCE, linger: PATIENCE, ...quiet,
    tools: [{ name: "track_parcel", effect: /** @type {const} */ ("read") }, { name: "ask_seller" }], ...more,
  }); // prettier-ignore

  test("a duplicate is not executed and the run recovers", async () => {
    const [tool, seller] = [counting(), counting("the seller looks")];
    const id = await watch(options(), async (run) => {
      assert.equal(String(await track(run, tool)), "no scans recorded");
      assert.deepEqual(run.observations(), []);
      assert.match(String(await track(run, tool)), /^\[cached result of call c1, \d+ s old; not executed again\]\nno scans recorded$/);
      const told = run.observations();
      assert.equal(told.length, 1);
      assert.equal(told[0].role, "system");
      assert.match(told[0].content, /has been called twice/);
      assert.deepEqual(run.observations(), [], "told twice");
      run.turn();
      assert.equal(String(await run.tool("ask_seller", '{"parcel":"JD7"}', seller)), "the seller looks");
      run.message("assistant", "The seller looks for it.");
      return run.id;
    });
    assert.deepEqual([tool.executed, seller.executed], [1, 1]);
    const events = inOrder(await gateway.events(id));
    assert.deepEqual(events.filter((e) => e.kind === "turn").map((e) => e.round), [1, 2, 3]);
    assert.deepEqual(events.filter((e) => e.kind === "control_ack").map((e) => e.ack.outcome), ["applied"]);
    assert.equal(events.find((e) => e.result?.call_id === "c2").result.replayed, true);
    assert.equal(ended(events), "done");
  });

  test("one that goes on is halted", async () => {
    const tool = counting();
    const run = await Run.start(options());
    const going = async () => {
      for (let n = 0; n < 10; n++) await track(run, tool);
    };
    await assert.rejects(going, (err) => err instanceof Halted && err.control.endStatus === "stuck");
    assert.equal(tool.executed, 1);
    assert.ok(run.signal.aborted && run.signal.reason instanceof Halted);
    assert.equal(await run.end(), 0);
    assert.equal(ended(inOrder(await gateway.events(run.id))), "stuck");
    assert.throws(() => run.turn(), Halted);
    assert.throws(() => run.observations(), Halted);
    await assert.rejects(run.call("x"), Halted);
  });

  test("an operator's halt reaches a tool at work, and the task stays closed", async () => {
    const run = await Run.start(options({ task: "order-1" }));
    const working = run.tool("track_parcel", {}, async (_args, { signal }) => {
      const halted = new Promise((resolve) => signal.addEventListener("abort", resolve));
      await gateway.command("halt", run.id, "--reason", "maintenance");
      await halted;
    });
    await assert.rejects(working, Halted);
    await run.end();
    assert.equal(ended(await gateway.events(run.id)), "halted");
    await assert.rejects(Run.start(options({ task: "order-1" })), Halted, "a retry of a halted task begins");
  });

  test("the tool's own failure is an output", async () => {
    const run = await Run.start(options());
    const output = await run.tool("track_parcel", {}, () => {
      throw new RangeError("no parcel");
    });
    assert.equal(output.error, "RangeError: no parcel");
    const call = await run.call("ask_seller", { a: 1 }, { timeoutMS: 500 });
    call.result(undefined, { error: "closed", code: "E_CLOSED", retryable: true, changed: false });
    assert.match(String(await run.tool("track_parcel", "{a", () => "never")), /no JSON/);
    assert.equal(await run.end(), 0);
    const results = (await gateway.events(run.id)).filter((e) => e.kind === "tool_result").map((e) => e.result);
    assert.deepEqual(results[1].error, { message: "closed", code: "E_CLOSED", retryable: true });
    assert.equal(results[1].changed, false);
  });

  test("large results are cut but replayed whole", async () => {
    const tool = counting("a long page; ".repeat(40_000));
    const id = await watch(options(), async (run) => {
      await track(run, tool);
      assert.equal((await track(run, tool)).content, "a long page; ".repeat(40_000));
      return run.id;
    });
    assert.equal(tool.executed, 1);
    const first = (await gateway.events(id)).find((e) => e.kind === "tool_result").result;
    assert.ok(first.truncated && first.content_sha && first.content.length <= 64 << 10);
  });

  test("a run that comes back goes on", async () => {
    const tool = counting();
    const first = await Run.start(options({ run: "lives-on" }));
    await track(first, tool);
    await until("everything is stored", () => first.waiting === 0);
    first.close();
    assert.throws(() => first.turn(), Over);
    await watch(options({ run: "lives-on" }), async (run) => assert.ok((await track(run, tool)).replayed));
    const events = await gateway.events("lives-on");
    const seqs = events.flatMap((e) => e.seq ?? []);
    assert.deepEqual(seqs, seqs.map((_, n) => n + 1));
    const [a, b] = events.filter((e) => e.kind === "tool_call");
    assert.ok(b.round > a.round && a.call.id !== b.call.id);
  });

  test("tools of one round in parallel", async () => {
    const id = await watch(options(), async (run) => {
      run.turn();
      await Promise.all(Array.from({ length: 8 }, (_, n) => run.tool("look", { n }, () => n)));
      return run.id;
    });
    const events = inOrder(await gateway.events(id));
    const calls = events.filter((e) => e.kind === "tool_call");
    assert.deepEqual([calls.length, new Set(calls.map((e) => e.round)).size, new Set(calls.map((e) => e.call.id)).size], [8, 1, 8]);
  });

  test("every end has its status", async () => {
    const blocked = await Run.start(options());
    await assert.rejects(blocked.reportBlocked({ attempted: [] }), TypeError);
    await blocked.reportBlocked('{"attempted":["get_order"],"blocker":"archived","needs":"a person"}');
    const end = (await gateway.events(blocked.id)).find((e) => e.kind === "run_end").end;
    assert.deepEqual(end.blocked, { attempted: ["get_order"], blocker: "archived", needs: "a person" });
    assert.equal(end.status, "blocked");
    let failed = "";
    const failing = watch(options(), (run) => {
      failed = run.id;
      throw new Error("no");
    });
    await assert.rejects(failing, /^Error: no$/);
    assert.equal(ended(await gateway.events(failed)), "failed");
    const left = await Run.start(options());
    await left[Symbol.asyncDispose]();
    assert.equal(ended(await gateway.events(left.id)), "failed");
    await blocked[Symbol.asyncDispose]();
    assert.equal(ended(await gateway.events(blocked.id)), "blocked");
  });

  test("what a turn says", async () => {
    const run = await Run.start(options());
    run.turn({ state: { step: 1 }, stepsCompleted: 0, asks: ["order_id"], known: { email: "secret@example.org" }, compacted: true });
    await run.end();
    const turn = (await gateway.events(run.id))[1].turn;
    assert.deepEqual(turn, { state: { step: 1 }, steps_completed: 0, asks: ["order_id"], known: ["email"], compacted: true });
  });

  test("the tool to give up with is the command's", () => {
    for (const format of /** @type {const} */ (["openai", "openai-responses", "anthropic", "mcp", "json-schema"])) {
      const said = execFileSync(binary(), ["tool", "report-blocked", "--format", format], { encoding: "utf8" });
      assert.deepEqual(reportBlockedTool(format), JSON.parse(said), format);
    }
  });
});

describe("a gateway that is away", { skip: missing() }, () => {
  test("killed and back", async (t) => {
    const gateway = await new Gateway().start();
    t.after(() => gateway.stop());
    const run = await Run.start({ url: gateway.url, wait: 5_000, linger: PATIENCE, ...quiet });
    await sums(run, 0, 3);
    await until("all is stored", () => run.waiting === 0);
    await gateway.kill();
    await sums(run, 3, 23);
    assert.ok(run.waiting > 0);
    await gateway.start();
    await sums(run, 23, 26);
    await until("all is stored again", () => run.waiting === 0);
    await gateway.command("halt", run.id, "--reason", "the poll is back, too");
    await until("the halt has come", () => run.halted);
    assert.equal(await run.end(), 0);
    const events = inOrder(await gateway.events(run.id));
    assert.equal(events.filter((e) => e.kind === "tool_result").length, 26);
    assert.deepEqual([ended(events), run.dropped], ["halted", 0]);
  });

  test("frozen: questions arrive once", async (t) => {
    const gateway = await new Gateway().start();
    t.after(() => gateway.stop());
    let said = "";
    const run = await Run.start({ url: gateway.url, wait: 3_000, linger: PATIENCE, log: (text) => (said += text) });
    await sums(run, 0, 1);
    gateway.signal("SIGSTOP");
    const call = await run.call("add", { n: 1 });
    assert.equal(call.checked, false);
    call.result(2);
    await until("the first attempt is given up", () => said.includes("they wait"));
    gateway.signal("SIGCONT");
    assert.equal(await run.end(), 0);
    const events = inOrder(await gateway.events(run.id));
    assert.deepEqual(events.filter((e) => e.kind === "tool_call").map((e) => e.call.id), ["c1", "c2"]);
  });

  test("nobody there", async () => {
    const run = await Run.start({ url: NOWHERE, wait: 100, linger: 100, ...quiet });
    await sums(run, 0, 50);
    const call = await run.call("add", {});
    assert.equal(call.checked, false);
    assert.match(call.id, /^c[0-9a-f]{4}-51$/, "calls of an earlier process may be named the same");
    assert.deepEqual(run.observations(), []);
    assert.ok((await run.end()) > 150);
    run.close();
  });

  test("failing closed", async () => {
    const run = await Run.start({ url: NOWHERE, wait: 50, linger: 50, failClosed: true, ...quiet });
    const tool = counting();
    await assert.rejects(run.tool("add", {}, tool), NoVerdict);
    assert.equal(tool.executed, 0);
    run.close();
  });

  test("a full queue does not block", async () => {
    const run = await Run.start({ url: NOWHERE, wait: 50, linger: 50, queue: 10, ...quiet });
    await sums(run, 0, 20);
    assert.equal(await run.end(), 11, "the end was dropped");
    assert.equal(run.dropped, 1 + 60 - 10);
    run.close();
  });

  test("tokens", async (t) => {
    const directory = mkdtempSync(join(tmpdir(), "loopwatch-tokens-"));
    t.after(() => rmSync(directory, { recursive: true }));
    const file = join(directory, "tokens.yaml");
    const sha = createHash("sha256").update(TOKEN).digest("hex");
    writeFileSync(file, `tokens:\n  s: {sha256: ${sha}, role: worker, tenant: acme, agent: support}\n`);
    const gateway = await new Gateway("--tokens", file).start();
    t.after(() => gateway.stop());
    const run = await Run.start({ url: gateway.url, token: TOKEN, wait: PATIENCE, linger: PATIENCE, ...quiet });
    assert.ok((await run.call("add")).checked);
    await gateway.command("halt", run.id, "--reason", "the poll is let in, too");
    await until("the halt has come", () => run.halted);
    await run.end();
    const events = await gateway.events(run.id);
    assert.deepEqual([...new Set(events.map((e) => `${e.tenant} ${e.agent}`))], ["acme support"]);
    for (const wrong of [{}, { token: TOKEN + "x" }, { token: TOKEN, tenant: "other" }]) {
      const shut = await Run.start({ url: gateway.url, wait: 500, linger: 100, ...quiet, ...wrong });
      assert.equal((await shut.call("add")).checked, false);
      shut.close();
      assert.deepEqual(await gateway.events(shut.id), []);
    }
  });
});
