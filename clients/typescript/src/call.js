/** Tool calls and what they bring. */

import { Raw, encode, parse, written } from "./json.js";

export class Output {
  /**
   * @param {unknown} content
   * @param {string} [error]
   * @param {string} label
   */
  constructor(content, error, label = "") {
    this.content = content;
    this.error = error;
    this.label = label;
  }

  get replayed() {
    return this.label !== "";
  }

  toString() {
    let text = "";
    if (this.error !== undefined) text = "error: " + this.error;
    else if (this.content !== undefined) text = typeof this.content === "string" ? this.content : encode(this.content);
    return this.label ? `[${this.label}]\n${text}` : text;
  }
}

export class Call {
  #report;
  #began = performance.now();

  /**
   * @param {string} id
   * @param {string} tool
   * @param {number} round
   * @param {Output | undefined} replay
   * @param {boolean} checked
   * @param {(call: Call, content: unknown, more: Record<string, unknown>) => void} report
   */
  constructor(id, tool, round, replay, checked, report) {
    this.id = id;
    this.tool = tool;
    this.round = round;
    this.replay = replay;
    this.checked = checked;
    this.#report = report;
  }

  /**
   * @param {unknown} [content]
   * @param {import("../index.js").ResultOptions} [more]
   */
  result(content, more = {}) {
    const error = more.error === undefined ? undefined : { message: failure(more.error), code: more.code, retryable: more.retryable };
    const duration = Math.max(Math.round(performance.now() - this.#began), 0);
    this.#report(this, content, { error, changed: more.changed, duration_ms: duration });
  }
}

/**
 * Returns the members of a call's body that say its arguments: text is what the
 * model wrote, which may be no JSON; anything else is taken as it is. Text with
 * numbers that JavaScript would round is sent as it is written.
 *
 * @param {unknown} args
 * @returns {{ args?: unknown, raw_args?: string }}
 */
export function readArgs(args) {
  const text = written(args);
  if (args === undefined || args === null || (text !== undefined && text.trim() === "")) return {};
  if (text === undefined) return { args };
  const read = parse(text);
  if (!read) return { raw_args: text };
  return { args: /\d{16}/.test(text) ? new Raw(text.trim().replace(/[\r\n]+/g, " ")) : read.value };
}

/**
 * Returns what a tool is called with.
 *
 * @param {unknown} args
 */
export function argsOf(args) {
  const text = written(args);
  if (text === undefined) return args ?? {};
  if (text.trim() === "") return {};
  const read = parse(text);
  if (!read) throw new TypeError("the arguments are no JSON");
  return read.value;
}

/**
 * Returns the message of a failure.
 *
 * @param {unknown} error
 */
export function failure(error) {
  if (error instanceof Error) return `${error.name}: ${error.message}`;
  return typeof error === "string" ? error : encode(error);
}

/**
 * Returns a kept result as the answer to a later call.
 *
 * @param {string} callId
 * @param {import("./cache.js").Kept} kept
 * @param {number} now
 */
export function keptOutput(callId, kept, now) {
  const age = Math.max(Math.floor((now - kept.at) / 1000), 0);
  const content = kept.content === undefined ? undefined : parse(kept.content)?.value;
  return new Output(content, kept.error, `cached result of call ${callId}, ${age} s old; not executed again`);
}
