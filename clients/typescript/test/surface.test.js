/** The declarations say what the code does; `npm run types` fails where their types differ. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import * as code from "../src/index.js";

/** @typedef {import("../index.js").Run} DeclaredRun */
/** @typedef {Awaited<ReturnType<typeof code.Run.start>>} WrittenRun */

/** The code's run is what is declared, and so is everything it hands out. */
/** @type {(run: WrittenRun) => DeclaredRun} */
const sameRun = (run) => run;

/** @type {Pick<typeof import("../index.js"), "escapeName" | "reportBlockedTool">} */
const sameFunctions = code;

/** @type {(options: import("../index.js").Options, work: (run: WrittenRun) => number) => Promise<number>} */
const sameWatch = code.watch;

test("what is declared is what is exported", async () => {
  const text = readFileSync(new URL("../index.d.ts", import.meta.url), "utf8");
  const declared = [...text.matchAll(/^export (?:class|function) (\w+)/gm)].map((m) => m[1]);
  assert.deepEqual(Object.keys(code).sort(), declared.sort());
  assert.deepEqual([typeof sameRun, typeof sameWatch, typeof sameFunctions], ["function", "function", "object"]);
});

test("members of a run are declared", () => {
  const text = readFileSync(new URL("../index.d.ts", import.meta.url), "utf8");
  const names = Object.getOwnPropertyNames(code.Run.prototype).filter((name) => name !== "constructor");
  for (const name of names) assert.match(text, new RegExp(`^  (?:get |readonly )?${name}[(:]`, "m"), name);
});

test("the package is found by its name", async () => {
  const self = await import("loopwatch");
  assert.equal(self.Run, code.Run);
});
