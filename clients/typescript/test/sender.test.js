/** The queue and what the sender makes of a gateway's answers. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Gateway } from "../src/http.js";
import { Question, Sender } from "../src/sender.js";
import { PATIENCE, Stub } from "./gateway.js";

const BAD = { error: { code: "unreadable", message: "no" } };
const NOWHERE = "http://127.0.0.1:9";

/** @param {string} id @param {number} [size] */
const line = (id, size = 0) => new TextEncoder().encode(JSON.stringify({ id, pad: "x".repeat(size) }));

/** @param {number} count */
const names = (count) => Array.from({ length: count }, (_, n) => `e${n}`);

/**
 * @param {import("node:test").TestContext} t
 * @param {any[]} answers
 */
async function serve(t, ...answers) {
  const stub = await new Stub(...answers).start();
  t.after(() => stub.close());
  return stub;
}

/**
 * @param {import("node:test").TestContext} t
 * @param {string} url
 * @param {number} [limit]
 */
function sender(t, url, limit = 1000) {
  /** @type {any[]} */
  const answered = [];
  const s = new Sender(new Gateway(url, "t0ken"), limit, (q, r) => answered.push([q.event, r?.status]), () => {});
  t.after(() => s.stop());
  return Object.assign(s, { answered });
}

test("events are sent in order, one request in flight", async (t) => {
  const stub = await serve(t);
  const s = sender(t, stub.url);
  for (const id of names(500)) s.add({ line: line(id) });
  assert.equal(await s.flush(PATIENCE), 0);
  assert.deepEqual(stub.sent.flat(), names(500));
  assert.equal(stub.abreast, 1);
  assert.ok(stub.requests.length < 500, "nothing was batched");
  assert.equal(stub.requests[0].token, "Bearer t0ken");
});

test("a 429 waits as told and sends the same again", async (t) => {
  const stub = await serve(t, [429, BAD, { "Retry-After": "1" }]);
  const s = sender(t, stub.url);
  s.add({ line: line("e1") });
  assert.equal(await s.flush(PATIENCE), 0);
  assert.deepEqual(stub.sent, [["e1"], ["e1"]]);
  assert.ok(stub.requests[1].at - stub.requests[0].at >= 990);
  assert.equal(s.dropped, 0);
});

for (const status of [401, 403, 404, 408, 500, 503, 504]) {
  test(`a ${status} passes`, async (t) => {
    const stub = await serve(t, [status, BAD], [status, BAD]);
    const s = sender(t, stub.url);
    s.add({ line: line("e1") });
    assert.equal(await s.flush(PATIENCE), 0);
    assert.deepEqual(stub.sent, [["e1"], ["e1"], ["e1"]]);
    assert.deepEqual([s.dropped, s.away], [0, false]);
  });
}

test("what is at fault alone is dropped", async (t) => {
  const judge = (/** @type {any[]} */ events) => (events.some((e) => e.id === "bad") ? [400, BAD] : [202, {}]);
  const stub = await serve(t, ...Array(100).fill(judge));
  const s = sender(t, stub.url);
  for (const id of ["e0", "e1", "e2", "bad", "e3", "e4"]) s.add({ line: line(id) });
  assert.equal(await s.flush(PATIENCE), 0);
  assert.deepEqual(stub.sent.filter((ids) => !ids.includes("bad")).flat(), names(5));
  assert.equal(s.dropped, 1);
});

test("a body that is too large is halved", async (t) => {
  const judge = (/** @type {any[]} */ events) => (events.length > 3 ? [413, BAD] : [202, {}]);
  const stub = await serve(t, [503, BAD], ...Array(100).fill(judge));
  const s = sender(t, stub.url);
  for (const id of names(16)) s.add({ line: line(id) });
  assert.equal(await s.flush(PATIENCE), 0);
  assert.deepEqual(stub.sent.slice(1).filter((ids) => ids.length <= 3).flat(), names(16));
  assert.equal(s.dropped, 0);
});

test("items that are refused are counted", async (t) => {
  const stub = await serve(t, [202, { accepted: 0, rejected: [{ index: 0, error: "bad_name: run" }] }]);
  const s = sender(t, stub.url);
  s.add({ line: line("e1") });
  assert.equal(await s.flush(PATIENCE), 0);
  assert.equal(s.dropped, 1);
});

test("the queue is bounded, and what must be said is said", async (t) => {
  const s = sender(t, NOWHERE, 10);
  for (const id of names(25)) s.add({ line: line(id) });
  s.add({ line: line("end"), must: true });
  assert.deepEqual([s.waiting, s.dropped], [11, 15]);
  const question = new Question("q", false, performance.now() + PATIENCE);
  s.add({ line: line("q"), question });
  await question.answer; // nobody waits for what was dropped
  s.stop();
  assert.equal(s.dropped, 16 + 11);
});

test("its bytes are bounded", (t) => {
  const s = sender(t, NOWHERE, 10_000);
  for (const id of names(40)) s.add({ line: line(id, 1 << 20) });
  assert.deepEqual([s.waiting, s.dropped], [31, 9]);
});

test("a question that nobody waits for is an event", async (t) => {
  const stub = await serve(t, [503, BAD]);
  const s = sender(t, stub.url);
  s.add({ line: line("q1"), question: new Question("q1", false, performance.now() - 1) });
  s.add({ line: line("q2"), question: new Question("q2", false, performance.now() + PATIENCE) });
  assert.equal(await s.flush(PATIENCE), 0);
  assert.deepEqual(stub.requests.map((r) => r.path.split("?")[0]), ["/v1/events", "/v1/events", "/v1/check"]);
  assert.deepEqual(s.answered, [["q1", undefined], ["q2", 202]]);
});

test("no verdict means stored", async (t) => {
  const stub = await serve(t, [504, { error: { code: "no_verdict" } }]);
  const s = sender(t, stub.url);
  s.add({ line: line("q1"), question: new Question("q1", false, performance.now() + PATIENCE) });
  assert.equal(await s.flush(PATIENCE), 0);
  assert.deepEqual(stub.sent, [["q1"]]);
});
