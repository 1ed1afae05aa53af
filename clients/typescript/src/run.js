/** A run: one execution of an agent, as the fleet sees it. */

import { readReport } from "./blocked.js";
import { Call, Output, argsOf, failure, readArgs } from "./call.js";
import { Halted, NoVerdict, Over } from "./control.js";
import { newId, validName } from "./ids.js";
import { Reporter } from "./reporter.js";

export class Run {
  #reporter;
  #linger;

  /**
   * @param {Reporter} reporter
   * @param {number} linger
   */
  constructor(reporter, linger) {
    this.#reporter = reporter;
    this.#linger = linger;
    this.id = reporter.identity.run;
  }

  /**
   * @param {import("../index.js").Options} options
   * @returns {Promise<Run>}
   */
  static async start(options) {
    const { identity, complete } = read(options);
    const reporter = new Reporter(identity, complete);
    const { tools, limits, goal, model, attempt } = options;
    await reporter.hello({ tools, limits, goal: goal || undefined, model: model || undefined, attempt: attempt || undefined });
    return new Run(reporter, complete.linger);
  }

  get signal() {
    return this.#reporter.signal;
  }

  get halted() {
    return this.#reporter.halted;
  }

  get dropped() {
    return this.#reporter.sender.dropped;
  }

  get waiting() {
    return this.#reporter.sender.waiting;
  }

  /** @param {import("../index.js").Turn} turn */
  turn(turn = {}) {
    return this.#reporter.turn({
      text: turn.text || undefined,
      model: turn.model || undefined,
      usage: turn.usage,
      cost_usd: turn.costUSD,
      state: turn.state,
      state_hash: turn.stateHash || undefined,
      steps_completed: turn.stepsCompleted,
      asks: names(turn.asks),
      known: names(turn.known),
      compacted: turn.compacted || undefined,
    });
  }

  observations() {
    return this.#reporter.observations();
  }

  /**
   * @param {string} role
   * @param {string} text
   * @param {string} [to]
   */
  message(role, text, to) {
    this.#reporter.message({ role, text, to: to || undefined });
  }

  /**
   * @param {string} tool
   * @param {unknown} [args]
   * @param {{ timeoutMS?: number }} [more]
   */
  async call(tool, args, more = {}) {
    const ruling = await this.#reporter.ask({ tool, ...readArgs(args), timeout_ms: more.timeoutMS });
    /** @type {(call: Call, content: unknown, more: Record<string, unknown>) => void} */
    const report = (call, content, more) => this.#reporter.result(call, content, more);
    const call = new Call(ruling.id, tool, ruling.round, ruling.replay, ruling.checked, report);
    if (ruling.replay) {
      const { content, error } = ruling.replay;
      report(call, content, { error: error === undefined ? undefined : { message: error }, replayed: true });
    }
    return call;
  }

  /**
   * @param {string} name
   * @param {unknown} args
   * @param {(args: any, context: { signal: AbortSignal }) => unknown} fn
   */
  async tool(name, args, fn) {
    const call = await this.call(name, args);
    if (call.replay) return call.replay;
    let content;
    try {
      content = await fn(argsOf(args), { signal: this.signal });
    } catch (err) {
      if (err instanceof Halted || err instanceof Over || err instanceof NoVerdict) throw err; // of a tool that uses the run itself
      call.result(undefined, { error: err });
      return new Output(undefined, failure(err));
    }
    call.result(content);
    return new Output(content ?? undefined);
  }

  /**
   * @param {import("../index.js").Status} status
   * @param {string} [reason]
   */
  end(status = "done", reason) {
    return this.#reporter.end({ status, reason: reason || undefined }, this.#linger);
  }

  /** @param {import("../index.js").Blocker} blocker */
  blocked({ blocker, attempted = [], needs = "" }) {
    const blocked = { attempted: [...attempted], blocker, needs };
    return this.#reporter.end({ status: "blocked", reason: blocker, blocked }, this.#linger);
  }

  /** @param {unknown} args */
  async reportBlocked(args) {
    return this.blocked(readReport(args));
  }

  close() {
    this.#reporter.close();
  }

  async [Symbol.asyncDispose]() {
    if (this.#reporter.over) await this.#reporter.sender.flush(this.#linger);
    else await this.end("failed", "the run was left without an end");
  }
}

/**
 * @template T
 * @param {import("../index.js").Options} options
 * @param {(run: Run) => T | Promise<T>} work
 * @returns {Promise<T>}
 */
export async function watch(options, work) {
  const run = await Run.start(options);
  try {
    const out = await work(run);
    await run.end("done");
    return out;
  } catch (err) {
    await run.end("failed", failure(err));
    throw err;
  }
}

/**
 * Reads the options and names everything that does not fit.
 *
 * @param {import("../index.js").Options} options
 */
function read(options) {
  const { tenant, agent, task, parent } = options;
  const run = options.run ?? newId(Date.now());
  const complete = { ...options, wait: 1_000, linger: 5_000, queue: 4_096, maxContent: 64 << 10 };
  const faults = Object.entries({ tenant, agent, task, run, parent })
    .filter(([, v]) => v !== undefined && !validName(v))
    .map(([k, v]) => `${k}: ${JSON.stringify(v)} is no name: use letters, digits, - and _, or escapeName`);
  for (const key of /** @type {const} */ (["wait", "linger", "queue", "maxContent"])) {
    complete[key] = options[key] ?? complete[key];
    const least = { wait: 0, linger: 0, queue: 1, maxContent: 256 }[key];
    if (!(complete[key] >= least)) faults.push(`${key}: want ${least} or more`);
  }
  if (parent !== undefined && parent === run) faults.push("parent: a run cannot be its own parent");
  if (faults.length > 0) throw new TypeError(faults.join("; "));
  const identity = Object.entries({ tenant, agent, task, run, parent }).filter(([, v]) => v !== undefined);
  return { identity: /** @type {Record<string, string>} */ (Object.fromEntries(identity)), complete };
}

/**
 * Returns names as a list; of an object its keys.
 *
 * @param {Iterable<string> | Record<string, unknown> | undefined} of
 */
function names(of) {
  if (of === undefined) return undefined;
  return Symbol.iterator in of ? [.../** @type {Iterable<string>} */ (of)] : Object.keys(of);
}
