/**
 * The background sender of a run: its events in order, one request in flight,
 * each as often as it takes under the same id.
 */

import { Away } from "./http.js";

export const QUEUE_BYTES = 32 << 20;
const BATCH_BYTES = 256 << 10;
const BATCH_EVENTS = 200;
const FIRST_GAP = 20;
const LAST_GAP = 2_000;
const REQUEST_TIMEOUT = 10_000;
const HELLO_DEADLINE = 5_000; // of a hello that nobody waits for any more
const GIVE_UP = 900_000; // how long after its end a run's events are still tried

/** @typedef {import("./http.js").Response} Response */

/** A check, or a hello, that somebody may be waiting for. */
export class Question {
  /** @type {any} */
  verdict;
  wanted = true; // false once its asker went on
  told = () => {};

  /**
   * @param {string} event
   * @param {boolean} hello
   * @param {number} deadline by performance.now()
   */
  constructor(event, hello, deadline) {
    this.event = event;
    this.hello = hello;
    this.deadline = deadline;
    /** Kept when there is no more waiting. */
    this.answer = new Promise((resolve) => (this.told = () => resolve(undefined)));
  }

  /** Reports whether an answer is still of use. */
  asks() {
    return this.hello || (this.wanted && performance.now() < this.deadline);
  }
}

/**
 * One event that waits; it is taken although the queue is full where it must.
 *
 * @typedef {{ line: Uint8Array, must?: boolean, question?: Question }} Item
 */

/**
 * Sends until it is finished and everything is sent, or stopped. The queue holds
 * limit events, and QUEUE_BYTES; beyond that new ones are dropped and counted.
 * answered is called with every question that the gateway dealt with: its
 * response, or undefined where it was refused, or sent when nobody waited.
 */
export class Sender {
  #gateway;
  #limit;
  #answered;
  #log;
  /** @type {Item[]} */
  #queue = [];
  #bytes = 0;
  #most = BATCH_EVENTS;
  #gap = FIRST_GAP;
  #finishing = 0; // when, by performance.now(); 0 for not yet
  #ended = false;
  #patient = true; // a waiting retry keeps the process alive
  #running = false;
  /** @type {(() => void)[]} */
  #idle = [];
  #wake = () => {};

  away = false; // the last attempt did not reach a gateway that takes events
  dropped = 0; // events that were not sent and never will be

  /**
   * @param {import("./http.js").Gateway} gateway
   * @param {number} limit
   * @param {(question: Question, response: Response | undefined) => void} answered
   * @param {(text: string) => void} log
   */
  constructor(gateway, limit, answered, log) {
    this.#gateway = gateway;
    this.#limit = limit;
    this.#answered = answered;
    this.#log = log;
  }

  /** How many events wait. */
  get waiting() {
    return this.#queue.length;
  }

  /**
   * Queues an event. It never waits.
   *
   * @param {Item} item
   */
  add(item) {
    const full = this.#queue.length >= this.#limit || this.#bytes + item.line.length > QUEUE_BYTES;
    if (this.#ended || (full && !item.must)) {
      this.lost(1, "the queue for the gateway is full, or the run has let go of it");
      item.question?.told();
      return;
    }
    this.#queue.push(item);
    this.#bytes += item.line.length;
    void this.#run();
  }

  /**
   * Counts events that cannot be sent.
   *
   * @param {number} count
   * @param {string} why
   */
  lost(count, why) {
    if (this.dropped === 0) this.#log(`loopwatch: events are dropped: ${why}`);
    this.dropped += count;
  }

  /** Ends the sender once everything is sent. */
  finish() {
    this.#finishing ||= performance.now();
  }

  /**
   * Waits until nothing waits, or so many ms; gives what is left. Afterwards a
   * retry that waits keeps the process alive no longer.
   *
   * @param {number} ms
   * @returns {Promise<number>}
   */
  async flush(ms) {
    if (this.#queue.length > 0 && !this.#ended) {
      /** @type {ReturnType<typeof setTimeout> | undefined} */
      let timer;
      await new Promise((resolve) => {
        this.#idle.push(() => resolve(undefined));
        timer = setTimeout(resolve, ms);
      });
      clearTimeout(timer);
    }
    this.#patient = false;
    this.#wake();
    return this.#queue.length;
  }

  /** Ends the sender at once; what waits is dropped and counted. */
  stop() {
    this.#end();
    this.#gateway.close();
    this.#wake();
  }

  async #run() {
    if (this.#running) return;
    this.#running = true;
    for (let batch = this.#next(); batch.length > 0; batch = this.#next()) {
      let done = 0;
      let wait = LAST_GAP;
      try {
        [done, wait] = await this.#attempt(batch);
      } catch (err) {
        this.#log(`loopwatch: sending failed: ${err}`); // a defect in here must not end the reporting
      }
      this.away = done === 0 && wait > 0;
      if (done > 0) this.#forget(done);
      else await this.#pause(wait);
    }
    this.#running = false;
    for (const idle of this.#idle.splice(0)) idle();
  }

  /** Returns what is sent next: one question, or events up to the next one. */
  #next() {
    if (this.#ended) return [];
    /** @type {Item[]} */
    const batch = [];
    let size = 0;
    for (const item of this.#queue) {
      const asks = item.question?.asks() ?? false;
      size += item.line.length + 1;
      if (batch.length > 0 && (asks || size > BATCH_BYTES || batch.length >= this.#most)) break;
      batch.push(item);
      if (asks) break;
    }
    return batch;
  }

  /**
   * Sends once. Gives how many events are dealt with, or after how many ms to
   * try again.
   *
   * @param {Item[]} batch
   * @returns {Promise<[done: number, wait: number]>}
   */
  async #attempt(batch) {
    const question = batch[0].question;
    const asked = batch.length === 1 && question?.asks() ? question : undefined;
    /** @type {Response} */
    let response;
    try {
      if (asked) response = await this.#ask(batch[0], asked);
      else response = await this.#gateway.request("POST", "/v1/events", join(batch), REQUEST_TIMEOUT);
    } catch (err) {
      if (err instanceof Away) return [0, this.#retry(err.message)];
      throw err;
    }
    const { status, code } = response;
    if (status === 202 || (asked && (status === 200 || code === "no_verdict"))) {
      this.#taken(batch, response, asked);
      return [batch.length, 0];
    }
    if ([400, 408, 413].includes(status) && batch.length > 1) {
      this.#most = batch.length >> 1; // the one that is at fault will stand alone
      return [0, 0];
    }
    if (status === 400 || status === 413) {
      this.lost(1, `the gateway refuses them: ${status} ${code}`);
      if (question) this.#answered(question, undefined);
      return [1, 0];
    }
    return [0, Math.max(this.#retry(`${status} ${code}`), response.retryAfter)];
  }

  /**
   * @param {Item} item
   * @param {Question} question
   */
  #ask(item, question) {
    const left = question.deadline - performance.now();
    const ms = Math.min(Math.max(Math.floor(question.hello ? Math.max(left, HELLO_DEADLINE) : left), 1), 30_000);
    return this.#gateway.request("POST", `/v1/check?deadline_ms=${ms}`, item.line, ms + 2_000);
  }

  /**
   * @param {Item[]} batch
   * @param {Response} response
   * @param {Question | undefined} asked
   */
  #taken(batch, response, asked) {
    this.#gap = FIRST_GAP;
    this.#most = BATCH_EVENTS;
    for (const no of Array.isArray(response.body?.rejected) ? response.body.rejected : []) {
      this.lost(1, `the gateway refuses them: ${no?.error}`);
    }
    for (const { question } of batch) {
      if (question) this.#answered(question, question === asked ? response : undefined);
    }
  }

  /** @param {string} why */
  #retry(why) {
    if (!this.away && !this.#ended) this.#log(`loopwatch: the gateway takes no events; they wait: ${why}`);
    const gap = this.#gap;
    this.#gap = Math.min(2 * gap, LAST_GAP);
    return gap;
  }

  /** @param {number} count */
  #forget(count) {
    for (const item of this.#queue.splice(0, count)) this.#bytes -= item.line.length;
  }

  /** @param {number} ms */
  async #pause(ms) {
    const until = performance.now() + ms;
    for (let left = ms; left > 0 && !this.#ended; left = until - performance.now()) {
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, left);
        if (!this.#patient) /** @type {any} */ (timer).unref?.();
        this.#wake = () => {
          clearTimeout(timer);
          resolve(undefined);
        };
      });
    }
    if (this.#finishing && performance.now() - this.#finishing > GIVE_UP) this.#end();
  }

  /** Takes nothing more. */
  #end() {
    if (!this.#ended && this.#queue.length > 0) this.lost(this.#queue.length, "the run let go of the gateway");
    for (const { question } of this.#queue) question?.told();
    this.#ended = true;
    for (const idle of this.#idle.splice(0)) idle();
  }
}

/** @param {Item[]} batch */
function join(batch) {
  const out = new Uint8Array(batch.reduce((n, { line }) => n + line.length + 1, -1)).fill(10);
  let at = 0;
  for (const { line } of batch) {
    out.set(line, at);
    at += line.length + 1;
  }
  return out;
}
