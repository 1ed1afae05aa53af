/** What a run makes of verdicts and controls that a real gateway seldom says. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Halted, Run } from "../src/index.js";
import { PATIENCE, Stub, until } from "./gateway.js";

const BEFORE = "2001-01-01T00:00:00Z";

/** A control for run r1 of agent support. */
const control = (/** @type {string} */ id, more = {}) => ({
  v: 1, id, kind: "inject_observation", tenant: "default", agent: "support", task: "r1", run: "r1", reason: "acted",
  expires: "2999-01-01T00:00:00Z", observation: { role: "system", content: `told by ${id}` }, replay: null, summary: id, ...more,
}); // prettier-ignore

/**
 * Answers a question.
 *
 * @param {any[]} controls
 * @param {any} more
 * @param {Record<string, string>} [headers]
 * @returns {(events: any[]) => import("./gateway.js").Answer}
 */
const verdict = (controls = [], more = {}, headers) => ([{ id: event }]) => {
  const caused = controls.map((c) => (c?.event ? { ...c, event } : c));
  return [200, { v: 1, event, decision: "allow", controls: caused, replay: null, ...more }, headers];
};

const hello = verdict([], { last_seq: 0, time: "2026-01-01T00:00:00Z" });

/**
 * @param {import("node:test").TestContext} t
 * @param {any[]} answers
 * @param {Partial<import("../index.js").Options>} [more]
 */
async function open(t, answers, more) {
  const stub = await new Stub(...answers).start();
  stub.only = "/v1/check";
  t.after(() => stub.close());
  const said = (/** @type {string} */ kind) => stub.requests.flatMap((r) => r.events).filter((e) => e.kind === kind);
  const begun = Run.start({ url: stub.url, agent: "support", run: "r1", wait: PATIENCE, linger: PATIENCE, log: () => {}, ...more });
  const run = await begun.catch((err) => err);
  t.after(() => run.close?.());
  const acks = async () => {
    assert.equal(await run.end(), 0);
    const all = said("control_ack").map((e) => e.ack);
    assert.equal(new Set(all.map((a) => a.control)).size, all.length, "acknowledged twice");
    return Object.fromEntries(all.map((a) => [a.control, a.outcome]));
  };
  return { stub, run, said, acks };
}

test("controls of a verdict", async (t) => {
  const controls = [
    control("good"), control("good"), control("late", { expires: BEFORE }), control("odd", { kind: "dance" }),
    control("other", { run: "r2" }), control("shadow", { reason: "shadow" }), control("person", { kind: "escalate" }), {}, 7, null,
  ]; // prettier-ignore
  const { run, acks } = await open(t, [hello, verdict(controls)]);
  assert.ok((await run.call("look")).checked);
  assert.deepEqual(run.observations().map((/** @type {any} */ o) => o.content), ["told by good"]);
  assert.deepEqual(await acks(), { good: "applied", late: "expired", odd: "rejected" });
});

test("expiry goes by the server's clock", async (t) => {
  const answers = [verdict([], { last_seq: 0, time: "2000-01-01T00:00:00Z" }), verdict([control("good", { expires: BEFORE })])];
  const { run } = await open(t, answers);
  await run.call("look");
  assert.equal(run.observations().length, 1);
});

test("observations that nobody took are ignored", async (t) => {
  const { run, acks } = await open(t, [hello, verdict([control("good")])]);
  await run.call("look");
  assert.deepEqual(await acks(), { good: "ignored" });
});

test("a halt without a control", async (t) => {
  const { run, acks, said } = await open(t, [hello, verdict([], { decision: "halt" })]);
  await assert.rejects(run.call("look"), Halted);
  assert.deepEqual([await acks(), said("run_end")[0].end.status], [{}, "halted"]);
});

test("halted before it began", async (t) => {
  const halt = control("stop", { kind: "halt", end_status: "halted", observation: null });
  const { run, said } = await open(t, [verdict([halt], { decision: "halt", last_seq: 3 })]);
  assert.ok(run instanceof Halted);
  await until("everything is said", () => said("run_end").length === 1);
  assert.equal(said("run_end")[0].seq, 5);
});

test("our own copy is replayed", async (t) => {
  const caused = control("again", { event: "this", replay: { call_id: "c2", of_call_id: "c1" } });
  const unknown = { decision: "replay", replay: { of_call_id: "c9", content: { a: 1 }, label: "cached result" } };
  const { run } = await open(t, [hello, verdict(), verdict([caused]), verdict([], unknown)]);
  let executed = 0;
  const outputs = [];
  for (let n = 0; n < 3; n++) outputs.push(await run.tool("look", {}, () => (executed++, { seen: new Set([1]) })));
  assert.deepEqual([outputs.map((o) => o.replayed), executed], [[false, true, true], 1]);
  assert.deepEqual([outputs[1].content, outputs[2].content], [{ seen: [1] }, { a: 1 }]);
  assert.ok(String(outputs[1]).endsWith("not executed again]\n" + outputs[0]));
});

test("controls by poll", async (t) => {
  const mine = { task: "t1" };
  const { run, stub, said, acks } = await open(t, [verdict([], { last_seq: 0 }, { "Lw-After": "2" })], mine);
  stub.controls = [control("a", mine), control("b", mine), control("c", mine), control("d")];
  await until("the poll was answered", () => stub.polls.some((path) => path.includes("after=4")));
  assert.deepEqual(run.observations().map((/** @type {any} */ o) => o.content), ["told by c"]);
  assert.match(stub.polls[0], /^\/v1\/runs\/r1\/control\?agent=support&task=t1&after=2&/);
  stub.controls.push(control("stop", { kind: "halt", end_status: "stuck", ...mine }));
  await until("the halt has come", () => run.halted);
  assert.ok(run.signal.aborted);
  assert.throws(() => run.turn(), Halted);
  assert.deepEqual(await acks(), { c: "applied", stop: "applied" });
  assert.deepEqual(said("run_end")[0].end, { status: "stuck", reason: "stop" });
});

test("a halt frees whoever waits", async (t) => {
  /** @type {any} */
  let opened;
  let freed = false;
  let inTime = false;
  const never = async () => {
    opened.stub.controls.push(control("stop", { kind: "halt" }));
    const over = performance.now() + PATIENCE / 2;
    while (!freed && performance.now() < over) await new Promise((resolve) => setTimeout(resolve, 20));
    inTime = freed;
    return [504, { error: { code: "no_verdict" } }];
  };
  opened = await open(t, [verdict([], { last_seq: 0 }, { "Lw-After": "0" }), never]);
  await assert.rejects(opened.run.call("look"), Halted);
  freed = true;
  await until("the call did not wait for its verdict", () => inTime);
});
