/** What a run says and what it is told. */

import { Book } from "./book.js";
import { Cache } from "./cache.js";
import { Output, keptOutput } from "./call.js";
import { Halted, NoVerdict, Over, readControl, unnamedHalt } from "./control.js";
import { fit } from "./fit.js";
import { Gateway } from "./http.js";
import { newId } from "./ids.js";
import { encode } from "./json.js";
import { Poller } from "./poll.js";
import { Question, Sender } from "./sender.js";

/** @typedef {import("./control.js").Control} Control */
/** @typedef {Record<string, any>} Body */

/**
 * The run behind Run: it gives every event its identity and place, asks, and
 * obeys. identity holds what was told of tenant, agent, task, run and parent.
 */
export class Reporter {
  /** @type {Control | undefined} */
  halted;
  #stopped = new AbortController();
  #o;
  #book;
  #cache = new Cache();
  #poller;
  #over = false;
  #skew = 0; // server's clock minus ours, in ms
  /** @type {Map<string, Question>} by event id, those that wait */
  #asked = new Map();
  /** @type {Set<string>} controls acted on */
  #seen = new Set();
  /** @type {Control[]} observations for the next model call */
  #pending = [];

  /**
   * @param {Record<string, string>} identity
   * @param {import("../index.js").Options & { wait: number, queue: number, maxContent: number }} o
   */
  constructor(identity, o) {
    this.identity = identity;
    this.#o = o;
    this.#book = new Book(o.round ?? 0);
    const log = o.log ?? ((text) => console.warn(text));
    this.sender = new Sender(new Gateway(o.url, o.token, o.fetch), o.queue, (q, r) => this.#answered(q, r), log);
    const { tenant, agent, task } = identity;
    const scope = Object.fromEntries(Object.entries({ tenant, agent, task }).filter(([, v]) => v !== undefined));
    this.#poller = new Poller(new Gateway(o.url, o.token, o.fetch), identity.run, scope, (c) => this.#told(c));
  }

  /** Aborted when the run is halted. */
  get signal() {
    return this.#stopped.signal;
  }

  /**
   * Says run_start and waits for what stands for the run.
   *
   * @param {Body} body
   */
  async hello(body) {
    const question = this.#pose("run_start", { start: body });
    await this.#await(question);
    if (this.halted) throw new Halted(this.halted);
    if (!question.verdict) this.#book.unknownPast();
  }

  /**
   * Says a turn and returns its round.
   *
   * @param {Body} body
   */
  turn(body) {
    this.usable();
    const round = this.#book.turn();
    this.#say("turn", { turn: body }, round);
    return round;
  }

  /**
   * Says a message.
   *
   * @param {Body} body
   */
  message(body) {
    this.usable();
    this.#say("message", { message: body });
  }

  /**
   * Says a call and waits for its verdict. A replay is handed back instead of
   * executing.
   *
   * @param {Body} body
   */
  async ask(body) {
    this.usable();
    const { id, round } = this.#book.call();
    const question = this.#pose("tool_call", { call: { id, ...body } }, round);
    await this.#await(question);
    if (this.halted) throw new Halted(this.halted);
    if (question.verdict) return { id, round, replay: this.#replay(question.event, question.verdict), checked: true };
    if (this.#o.failClosed) throw new NoVerdict(`${body.tool}: no verdict came in time and the run fails closed`);
    return { id, round, replay: undefined, checked: false };
  }

  /**
   * Says what a call brought; more goes into the body. What was replayed is not
   * kept again.
   *
   * @param {{ id: string, tool: string, round: number }} call
   * @param {unknown} content
   * @param {Body} more
   */
  result(call, content, more) {
    this.usable();
    if (content === null) content = undefined;
    if (!more.replayed) {
      const kept = content === undefined ? undefined : encode(content);
      this.#cache.put(call.id, { content: kept, error: more.error?.message, at: Date.now() });
    }
    this.#say("tool_result", { result: { call_id: call.id, tool: call.tool, content, ...more } }, call.round);
    this.#book.result(call.round);
  }

  /** Takes what waits for the next model call. */
  observations() {
    this.usable();
    const pending = this.#pending;
    this.#pending = [];
    for (const control of pending) this.#ack(control.id, "applied");
    return pending.flatMap((c) => (c.observation ? [c.observation] : []));
  }

  /**
   * Says run_end, once, and waits until everything is stored.
   *
   * @param {Body} body
   * @param {number} linger
   */
  end(body, linger) {
    if (!this.#over) this.#finish(body, "the run is over");
    return this.sender.flush(linger);
  }

  /** Reports whether the run has been ended, or let go. */
  get over() {
    return this.#over;
  }

  /** Lets go of the gateway. */
  close() {
    this.#over = true;
    this.#poller.stop();
    this.sender.stop();
  }

  /** Throws where nothing more may be reported. */
  usable() {
    if (this.halted) throw new Halted(this.halted);
    if (this.#over) throw new Over("the run has ended");
  }

  /**
   * Says a question.
   *
   * @param {string} kind
   * @param {Body} body
   * @param {number} [round]
   */
  #pose(kind, body, round) {
    const question = new Question(newId(Date.now()), kind === "run_start", performance.now() + this.#o.wait);
    this.#asked.set(question.event, question);
    this.#say(kind, body, round, question);
    return question;
  }

  /**
   * Waits for the answer, unless nobody is there who could give it.
   *
   * @param {Question} question
   */
  async #await(question) {
    if (!this.sender.away || this.#o.failClosed) {
      /** @type {ReturnType<typeof setTimeout> | undefined} */
      let timer;
      const late = new Promise((resolve) => (timer = setTimeout(resolve, this.#o.wait)));
      await Promise.race([question.answer, late]);
      clearTimeout(timer);
    }
    question.wanted = false;
    this.#asked.delete(question.event);
  }

  /**
   * Gives an event its identity and place, cuts what is too long, and queues it.
   *
   * @param {string} kind
   * @param {Body} body
   * @param {number} [round]
   * @param {Question} [question]
   */
  #say(kind, body, round, question) {
    const now = Date.now();
    const seq = kind !== "run_start" || this.#book.seq > 0 ? this.#book.seq + 1 : undefined;
    const time = new Date(now).toISOString();
    const event = { v: 1, id: question?.event ?? newId(now), kind, ...this.identity, seq, time, round, ...body };
    const line = fit(event, this.#o.maxContent);
    if (!line) {
      this.sender.lost(1, "an event could not be cut to size");
      question?.told();
      return;
    }
    this.#book.seq = seq ?? 0;
    this.sender.add({ line, must: kind === "run_end" || kind === "control_ack", question });
  }

  /**
   * Says run_end; nothing is said behind it but acknowledgements.
   *
   * @param {Body} body
   * @param {string} why
   */
  #finish(body, why) {
    this.#say("run_end", { end: body });
    this.#over = true;
    for (const control of this.#pending) this.#ack(control.id, "ignored", why);
    this.#pending = [];
    this.sender.finish();
    this.#poller.stop();
  }

  /**
   * Takes what the gateway did with a question.
   *
   * @param {Question} question
   * @param {import("./http.js").Response | undefined} response
   */
  #answered(question, response) {
    if (response?.status === 200 && response.body) this.#heed(question, response.body);
    if (question.hello && response && !this.#over) void this.#poller.start(response.after);
    question.told();
  }

  /**
   * @param {Question} question
   * @param {any} verdict
   */
  #heed(question, verdict) {
    if (question.hello) {
      const server = Date.parse(verdict.time);
      this.#skew = Number.isNaN(server) ? 0 : server - Date.now();
      if (Number.isSafeInteger(verdict.last_seq)) this.#book.attach(verdict.last_seq);
    }
    for (const raw of list(verdict.controls)) this.#told(raw);
    if (verdict.decision === "halt" && !this.halted) this.#stop(unnamedHalt());
    question.verdict = verdict; // of use only to an asker who still waits
  }

  /**
   * Obeys a control message, once per id, and acknowledges it.
   *
   * @param {unknown} raw
   */
  #told(raw) {
    const control = readControl(raw);
    if (!control || this.#seen.has(control.id) || !this.#meant(control)) return;
    this.#seen.add(control.id);
    if (control.kind === "escalate") return; // informs people
    if (control.expires !== undefined && Date.now() + this.#skew > control.expires) this.#ack(control.id, "expired");
    else if (control.kind === "halt") this.#stop(control);
    else if (control.kind !== "inject_observation" || !control.observation) {
      this.#ack(control.id, "rejected", "this client does not know it");
    } else if (this.#over) this.#ack(control.id, "ignored", "the run is over");
    else this.#pending.push(control);
  }

  /**
   * Reports whether a control is for this run. What the run was not told of its
   * own identity, the gateway gave it.
   *
   * @param {Control} control
   */
  #meant(control) {
    /** @type {Record<string, string>} */
    const told = { task: this.identity.run, ...this.identity };
    return ["tenant", "agent", "task", "run"].every((k) => told[k] === undefined || control.raw[k] === told[k]);
  }

  /**
   * Obeys a halt: it is acknowledged and the run ended with the status it names.
   *
   * @param {Control} control
   */
  #stop(control) {
    this.#ack(control.id, "applied");
    if (this.halted) return;
    this.halted = control;
    if (!this.#over) this.#finish({ status: control.endStatus || "halted", reason: control.summary }, "the run was halted");
    for (const question of this.#asked.values()) question.told();
    this.#stopped.abort(new Halted(control));
  }

  /**
   * Acknowledges a control; a halt that a verdict told without one has none.
   *
   * @param {string} control
   * @param {string} outcome
   * @param {string} [detail]
   */
  #ack(control, outcome, detail) {
    if (control) this.#say("control_ack", { ack: { control, outcome, detail } });
  }

  /**
   * Returns the result that stands in for executing a call: our own copy where
   * there is one, which is whole where what was sent is cut, else the verdict's.
   *
   * @param {string} event
   * @param {any} verdict
   */
  #replay(event, verdict) {
    const said = verdict.decision === "replay" ? verdict.replay : undefined;
    const caused = list(verdict.controls).map(readControl).find((c) => c?.event === event && c.replayOf);
    const of = said?.of_call_id ?? caused?.replayOf ?? "";
    const kept = this.#cache.get(of);
    if (kept) return keptOutput(of, kept, Date.now());
    return said ? new Output(said.content ?? undefined, undefined, String(said.label ?? "")) : undefined;
  }
}

/**
 * @param {unknown} value
 * @returns {any[]}
 */
function list(value) {
  return Array.isArray(value) ? value : [];
}
