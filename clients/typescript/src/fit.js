/**
 * Cutting: an event is never refused for its size. What was equal stays equal
 * after cutting, and what was different stays different, by hashes of the whole.
 */

import { Raw, encode, encodeObject, parse, wellFormed } from "./json.js";
import { sha256 } from "./sha256.js";

/** @typedef {Record<string, any>} Body */

export const EVENT_BYTES = 256 << 10;
const NAME_BYTES = 256;
const SMALLEST = 256;
const encoder = new TextEncoder();

/** Which member of an event is its body, and how it is cut. */
/** @type {Record<string, [string, (body: Body, limit: number) => Body]>} */
const SHORTEN = {
  run_start: ["start", start],
  turn: ["turn", turn],
  tool_call: ["call", call],
  tool_result: ["result", result],
  message: ["message", (body, limit) => cut(body, limit, ["text"], ["role", "to"])],
  run_end: ["end", end],
  control_ack: ["ack", (body, limit) => cut(body, limit, ["detail"])],
};

/**
 * Returns the event as one line of JSON of at most EVENT_BYTES: every text in it
 * is cut to limit bytes, and to less where that is not enough. undefined where
 * even that does not help.
 *
 * @param {Body} event
 * @param {number} limit
 * @returns {Uint8Array | undefined}
 */
export function fit(event, limit) {
  const [name, shorten] = SHORTEN[event.kind];
  let body = event[name];
  for (; ; limit = Math.floor(limit / 2)) {
    body = { ...body, ...shorten(body, limit) };
    const line = encoder.encode(encodeObject({ ...event, [name]: new Raw(encodeObject(body)) }));
    if (line.length <= EVENT_BYTES) return line;
    if (limit < SMALLEST) return undefined;
  }
}

/** @param {string} text */
const bytes = (text) => encoder.encode(text).length;

/** @param {string} whole */
export const digest = (whole) => sha256(encoder.encode(whole));

/**
 * Cuts a text to limit bytes and closes it with a hash of the whole.
 *
 * @param {unknown} value
 * @param {number} limit
 */
export function text(value, limit) {
  const whole = wellFormed(String(value));
  if (whole.length <= limit / 3 || bytes(whole) <= limit) return whole;
  const tail = "… sha256:" + digest(whole).slice(0, 16);
  return head(whole, Math.max(limit - bytes(tail), 0)) + tail;
}

/**
 * Returns the beginning of a text, at most limit bytes of whole characters.
 *
 * @param {string} whole
 * @param {number} limit
 */
export function head(whole, limit) {
  const raw = encoder.encode(whole);
  if (raw.length <= limit) return whole;
  while (limit > 0 && (raw[limit] & 0xc0) === 0x80) limit--;
  return new TextDecoder().decode(raw.subarray(0, limit));
}

/** @param {unknown} value */
const name = (value) => text(value, NAME_BYTES);

/**
 * Cuts a list of names to limit bytes together.
 *
 * @param {Iterable<unknown>} values
 * @param {number} limit
 */
function names(values, limit) {
  const out = [];
  for (const value of values) {
    const short = name(value);
    limit -= bytes(short) + 3;
    if (limit < 0) break;
    out.push(short);
  }
  return out;
}

/**
 * Returns a digest that does not depend on the order of members.
 *
 * @param {unknown} value
 */
export function hashOf(value) {
  const read = parse(encode(value));
  return digest(encode(read ? sorted(read.value) : value));
}

/**
 * @param {any} value
 * @returns {any}
 */
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.keys(value).sort().map((k) => [k, sorted(value[k])]));
}

/**
 * Returns the named members of body, cut.
 *
 * @param {Body} body
 * @param {number} limit
 * @param {string[]} texts
 * @param {string[]} short
 * @returns {Body}
 */
function cut(body, limit, texts, short = []) {
  /** @type {Body} */
  const out = {};
  for (const key of texts) if (body[key] !== undefined) out[key] = text(body[key], limit);
  for (const key of short) if (body[key] !== undefined) out[key] = name(body[key]);
  return out;
}

/** @param {Body} body @param {number} limit */
function start(body, limit) {
  const tools = body.tools?.slice(0, Math.floor(limit / 64)).map((/** @type {Body} */ t) => ({ ...t, name: name(t.name) }));
  return { ...cut(body, limit, ["goal"], ["model"]), tools };
}

/** @param {Body} body @param {number} limit */
function turn(body, limit) {
  const out = cut(body, limit, ["text"], ["model", "state_hash"]);
  for (const key of ["asks", "known"]) if (body[key] !== undefined) out[key] = names(body[key], limit);
  if (body.state !== undefined && bytes(encode(body.state)) > limit) {
    out.state = undefined;
    out.state_hash = hashOf(body.state);
  }
  return out;
}

/** @param {Body} body @param {number} limit */
function call(body, limit) {
  const out = cut(body, limit, ["raw_args"], ["tool"]);
  if (body.args !== undefined) out.args = opaque(body.args, limit);
  return out;
}

/** @param {Body} body @param {number} limit */
function result(body, limit) {
  const out = cut(body, limit, [], ["tool"]);
  if (body.error !== undefined) out.error = { ...body.error, ...cut(body.error, limit, ["message"], ["code"]) };
  if (body.content === undefined) return out;
  const whole = encode(body.content);
  if (bytes(whole) <= limit) return out;
  if (!body.truncated) {
    out.truncated = true;
    out.content_sha = digest(whole);
  }
  const value = parse(whole)?.value;
  out.content = head(typeof value === "string" ? value : whole, limit);
  return out;
}

/** @param {Body} body @param {number} limit */
function end(body, limit) {
  const out = cut(body, limit, ["reason"]);
  if (body.blocked !== undefined) {
    const attempted = names(body.blocked.attempted, limit);
    out.blocked = { ...cut(body.blocked, limit, ["blocker", "needs"]), attempted };
  }
  return out;
}

/**
 * Replaces what makes arguments too long by its hash: the longest top-level
 * values first, everything where they are no object.
 *
 * @param {unknown} args
 * @param {number} limit
 */
function opaque(args, limit) {
  const whole = encode(args);
  if (bytes(whole) <= limit) return args;
  const value = parse(whole)?.value;
  const keys = typeof value === "object" && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
  if (keys.length > 0 && keys.length <= limit / 128) {
    const size = new Map(keys.map((k) => [k, encode(value[k]).length]));
    keys.sort((a, b) => (size.get(b) ?? 0) - (size.get(a) ?? 0) || (a < b ? -1 : 1));
    for (const key of keys) {
      value[key] = { $h: hashOf(value[key]) };
      if (bytes(encode(value)) <= limit) return value;
    }
  }
  return { $h: hashOf(args) };
}
