/** Parts that need no gateway: cutting, keeping, counting, naming, reading. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { Run, escapeName, reportBlockedTool } from "../src/index.js";
import { readReport } from "../src/blocked.js";
import { Book } from "../src/book.js";
import { BYTES, CALLS, Cache } from "../src/cache.js";
import { Output, argsOf, readArgs } from "../src/call.js";
import { readControl } from "../src/control.js";
import { EVENT_BYTES, fit } from "../src/fit.js";
import { newId, validName } from "../src/ids.js";
import { encode } from "../src/json.js";
import { ownSHA256, sha256 } from "../src/sha256.js";

/**
 * @param {string} kind
 * @param {string} name
 * @param {any} body
 * @param {number} [limit]
 */
function fitted(kind, name, body, limit = 1024) {
  const line = fit({ v: 1, kind, [name]: body }, limit);
  assert.ok(line && line.length <= EVENT_BYTES);
  assert.ok(!line.includes(10), "an event is one line");
  return JSON.parse(new TextDecoder().decode(line))[name];
}

/** @param {string} text */
const size = (text) => new TextEncoder().encode(text).length;
const digest = (/** @type {string} */ text) => createHash("sha256").update(text).digest("hex");

test("the digest is SHA-256", () => {
  for (const n of [0, 1, 3, 55, 56, 63, 64, 65, 119, 120, 1000, 100_000]) {
    const bytes = Buffer.alloc(n, "aé\0z");
    const want = createHash("sha256").update(bytes).digest("hex");
    assert.deepEqual([sha256(bytes), ownSHA256(bytes)], [want, want], String(n));
  }
});

test("small things stay", () => {
  const body = { call_id: "c1", tool: "grep", content: { a: [1, "ü"] }, error: { message: "no" }, changed: false };
  assert.deepEqual(fitted("tool_result", "result", body), body);
});

test("content is cut and says so", () => {
  for (const content of ["ü".repeat(5000), Array.from({ length: 2000 }, (_, n) => ({ n }))]) {
    const cut = fitted("tool_result", "result", { call_id: "c1", content });
    const whole = typeof content === "string" ? content : JSON.stringify(content);
    assert.equal(cut.truncated, true);
    assert.equal(cut.content_sha, digest(JSON.stringify(content)));
    assert.ok(size(cut.content) <= 1024 && cut.content.length > 0 && whole.startsWith(cut.content));
  }
});

test("arguments stay equal or different", () => {
  const [a, again, b] = ["", "", "b"].map((end) => fitted("tool_call", "call", { id: "c", args: { path: "x.go", text: "a".repeat(5000) + end } }).args);
  assert.deepEqual(a, again);
  assert.notDeepEqual(a, b);
  assert.equal(a.path, "x.go");
  assert.deepEqual(Object.keys(a.text), ["$h"]);
});

test("the order of members does not matter", () => {
  const state = "y".repeat(3000);
  const cut = fitted("turn", "turn", { state: { x: state, z: 1 } });
  assert.deepEqual(cut, fitted("turn", "turn", { state: { z: 1, x: state } }));
  assert.equal(cut.state, undefined);
});

test("texts end with a hash of the whole", () => {
  const [a, b] = ["a", "b"].map((end) => fitted("turn", "turn", { text: "é".repeat(4000) + end }).text);
  assert.notEqual(a, b);
  assert.ok(size(a) <= 1024);
});

test("everything at once is cut to size", () => {
  const big = "x".repeat(300_000);
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`k${n}`, n]));
  /** @type {[string, string, any][]} */
  const bodies = [
    ["run_start", "start", { goal: big, tools: Array(5000).fill({ name: big, effect: "read" }) }],
    ["turn", "turn", { text: big, asks: Array(500).fill(big), known: Array(100_000).fill("k"), state: [big], model: big }],
    ["tool_call", "call", { id: "c", tool: big, raw_args: big }],
    ["tool_call", "call", { id: "c", tool: big, args: many }],
    ["tool_result", "result", { call_id: "c", tool: big, content: big, error: { message: big, code: big } }],
    ["tool_result", "result", { call_id: "c", content: "\u0001".repeat(400_000) }],
    ["message", "message", { role: "user", text: big }],
    ["run_end", "end", { status: "blocked", reason: big, blocked: { attempted: [big], blocker: big, needs: big } }],
  ];
  for (const [kind, name, body] of bodies) fitted(kind, name, body, 64 << 10);
});

test("whatever a tool gives is JSON", () => {
  /** @type {any} */
  const loop = {};
  loop.loop = loop;
  const odd = { toJSON() { throw new Error("no"); }, toString() { throw new Error("no"); } }; // prettier-ignore
  /** @type {[unknown, string][]} */
  const cases = [
    [{ a: undefined, b: 1 }, '{"b":1}'],
    [10n, '"10"'],
    [NaN, '"NaN"'],
    [new Map([["a", new Set([1])]]), '{"a":[1]}'],
    [new Error("no"), '"Error: no"'],
    [new TextEncoder().encode("bytes"), '"bytes"'],
    ["\ud800", '"\ufffd"'],
    ["😀", '"😀"'],
    [odd, '"[object]"'],
  ];
  for (const [value, want] of cases) assert.equal(encode(value), want);
  JSON.parse(encode(loop));
});

test("arguments are read as the model wrote them", () => {
  /** @type {[unknown, any][]} */
  const cases = [
    [undefined, {}],
    [" \n", {}],
    ['{"a":1}', { args: { a: 1 } }],
    [{ a: 1 }, { args: { a: 1 } }],
    ["{a", { raw_args: "{a" }],
    ["NaN", { raw_args: "NaN" }],
  ];
  for (const [written, want] of cases) assert.deepEqual(readArgs(written), want);
  const line = fit({ kind: "tool_call", call: { id: "c", ...readArgs('{\n"id": 12345678901234567890}') } }, 1024);
  assert.match(new TextDecoder().decode(line), /"args":\{ "id": 12345678901234567890\}/);
  assert.throws(() => argsOf("{a"), TypeError);
  assert.deepEqual([argsOf(undefined), argsOf(" "), argsOf("[1]")], [{}, {}, [1]]);
});

test("what the model is shown", () => {
  assert.equal(String(new Output("text")), "text");
  assert.equal(String(new Output({ a: 1 })), '{"a":1}');
  assert.equal(String(new Output(undefined)), "");
  assert.equal(String(new Output(undefined, "E: no")), "error: E: no");
  assert.equal(String(new Output(false, undefined, "cached")), "[cached]\nfalse");
});

test("of the cache the oldest go", () => {
  const kept = { content: "1", error: undefined, at: 0 };
  const cache = new Cache();
  for (let n = 0; n <= CALLS; n++) cache.put(`c${n}`, kept);
  assert.equal(cache.get("c0"), undefined);
  assert.equal(cache.get("c1"), kept);
  cache.put("c1", { ...kept, content: "2" });
  assert.equal(cache.get("c1"), kept, "the first result of a call stays");
  for (let n = 0; n < 9; n++) cache.put(`b${n}`, { ...kept, content: "x".repeat(1 << 20) });
  assert.equal(cache.get("b0"), undefined);
  cache.put("huge", { ...kept, content: "x".repeat(BYTES + 1) });
  assert.equal(cache.get("huge"), undefined);
  assert.ok(cache.get("b8"), "what is too large pushed the others out");
});

test("calls of one turn share its round", () => {
  const book = new Book(0);
  assert.equal(book.turn(), 1);
  assert.deepEqual(book.call(), { id: "c1", round: 1 });
  book.result(1);
  assert.deepEqual(book.call(), { id: "c2", round: 1 });
  book.turn();
  assert.deepEqual(book.call(), { id: "c3", round: 2 });
});

test("without turns a result closes a round", () => {
  const book = new Book(0);
  assert.deepEqual([book.call().round, book.call().round], [1, 1]);
  book.result(1);
  assert.equal(book.call().round, 2);
  book.result(1);
  assert.equal(book.call().round, 2, "a late result of an earlier round opened one");
});

test("a run that comes back has new numbers", () => {
  for (const [told, want] of [[0, 18], [4, 5]]) {
    const book = new Book(told);
    book.attach(17);
    assert.deepEqual([book.seq, book.call()], [17, { id: "c18", round: want }]);
    book.attach(3);
    assert.equal(book.seq, 17);
    book.unknownPast();
    assert.match(book.call().id, /^c[0-9a-f]{4}-19$/);
  }
});

test("names and ids", () => {
  const ids = Array.from({ length: 100 }, (_, n) => newId(1_700_000_000_000 + n));
  assert.deepEqual(ids, [...ids].sort());
  assert.ok(ids.every((id) => id.length === 36) && new Set(ids.map((id) => id.slice(10))).size === 100);
  for (const [text, want] of [["a-1_b", "a-1_b"], ["_a", "=5Fa"], ["a b.c=", "a=20b=2Ec=3D"], ["ü", "=C3=BC"]]) {
    assert.equal(escapeName(text), want);
  }
  assert.ok(validName(escapeName("é".repeat(200))));
  assert.notEqual(escapeName("é".repeat(200)), escapeName("é".repeat(201)));
  for (const bad of ["", "_a", "a.b", "a b", "a".repeat(129), "a\n", 7]) assert.ok(!validName(bad), String(bad));
});

test("wrong usage is named at once", async () => {
  await assert.rejects(Run.start({ url: "http://127.0.0.1:1", agent: "a b", parent: "x.y", wait: -1 }), /agent.*parent.*wait/);
  for (const url of ["127.0.0.1:80", "ftp://x", "http://"]) await assert.rejects(Run.start({ url }), /url/);
  await assert.rejects(Run.start({ url: "http://127.0.0.1:1", token: "a b" }), /token/);
});

test("controls", () => {
  const good = { v: 1, id: "ctl_1", kind: "halt", reason: "acted", end_status: "stuck", observation: null };
  assert.equal(readControl(good)?.endStatus, "stuck");
  for (const bad of [null, [], {}, { ...good, v: 2 }, { ...good, reason: "shadow" }, { ...good, id: "" }, { ...good, id: 7 }]) {
    assert.equal(readControl(bad), undefined);
  }
});

test("reports of a blocker", () => {
  assert.deepEqual(readReport({ attempted: ["a"], blocker: "b", needs: "n" }), { blocker: "b", attempted: ["a"], needs: "n" });
  assert.deepEqual(readReport('{"attempted":"a","blocker":["b","c"]}'), { blocker: "b; c", attempted: ["a"], needs: "" });
  assert.deepEqual(readReport("no way"), { blocker: "no way", attempted: [], needs: "" });
  for (const nothing of ["", {}, { blocker: " " }, [1], null]) assert.throws(() => readReport(nothing), /report_blocked/);
  assert.throws(() => reportBlockedTool(/** @type {any} */ ("xml")), /format/);
});
