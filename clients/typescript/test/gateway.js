/** A real gateway in a process of its own, and a server that answers as a test says. */

import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../..", import.meta.url));
export const PATIENCE = 60_000;

/** @type {string | undefined} */
let built;

/**
 * Why there is no binary to test with, undefined where there is one: that which
 * LOOPWATCH_BIN names, else what `go build` makes. In CI it throws.
 */
export function missing() {
  if (process.env.LOOPWATCH_BIN || process.env.CI === "true") return undefined;
  try {
    execFileSync("go", ["version"]);
    return undefined;
  } catch {
    return "neither LOOPWATCH_BIN nor go is there";
  }
}

/** Returns the binary under test. */
export function binary() {
  if (process.env.LOOPWATCH_BIN) return process.env.LOOPWATCH_BIN;
  if (!built) {
    const directory = mkdtempSync(join(tmpdir(), "loopwatch-"));
    process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
    built = join(directory, "loopwatch");
    execFileSync("go", ["build", "-o", built, "./cmd/loopwatch"], { cwd: root });
  }
  return built;
}

/** One processor with its bus and its gateway. Stop it. */
export class Gateway {
  #data = mkdtempSync(join(tmpdir(), "loopwatch-data-"));
  #bus = "127.0.0.1:0";
  #http = "127.0.0.1:0";
  /** @type {import("node:child_process").ChildProcess | undefined} */
  #process;
  #flags;
  url = "";
  nats = "";

  /** @param {string[]} flags */
  constructor(...flags) {
    this.#flags = flags;
  }

  /** Starts it; after kill again, at the same addresses and with the same data. */
  async start() {
    const args = ["run", "--embedded", "--listen", this.#bus, "--http", this.#http, "--data", this.#data, "--policy", "sundry"];
    const child = spawn(binary(), [...args, ...this.#flags], { stdio: ["ignore", "ignore", "pipe"] });
    this.#process = child;
    let said = "";
    for await (const line of createInterface({ input: child.stderr })) {
      const found = /^ready.* NATS at (nats:\/\/([^\s,]+)), API at (https?:\/\/([^\s,]+))/.exec(line);
      if (found) {
        [, this.nats, this.#bus, this.url, this.#http] = found;
        child.stderr.resume();
        return this;
      }
      said += line + "\n";
    }
    throw new Error("the gateway does not become ready:\n" + said);
  }

  /**
   * Sends the process a signal.
   *
   * @param {NodeJS.Signals} name
   */
  signal(name) {
    this.#process?.kill(name);
  }

  /** Ends the process as hard as the system can. */
  async kill() {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }

  /** Ends the process for good and removes what it stored. */
  async stop() {
    await this.kill();
    rmSync(this.#data, { recursive: true, force: true });
  }

  /**
   * Runs a command on the bus and gives what it prints.
   *
   * @param {string[]} args
   */
  async command(...args) {
    const done = await promisify(execFile)(binary(), [...args, "--nats", this.nats], { maxBuffer: 1 << 28 });
    return done.stdout;
  }

  /**
   * Gives what is stored of a run, in stream order.
   *
   * @param {string} run
   * @returns {Promise<any[]>}
   */
  async events(run) {
    const lines = (await this.command("dump", "--run", run)).split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line)).filter((e) => e.run === run);
  }
}

/**
 * Waits until a condition holds.
 *
 * @param {string} what
 * @param {() => any} condition
 */
export async function until(what, condition) {
  for (const end = performance.now() + PATIENCE; performance.now() < end; ) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`waited in vain until ${what}`);
}

/**
 * An answer: a status, a body, and headers; or what makes one of the events.
 *
 * @typedef {[status: number, body?: any, headers?: Record<string, string>]} Answer
 */

/** Takes events like a gateway; answers holds what to say instead, first come first. Close it. */
export class Stub {
  /** @type {{ at: number, path: string, events: any[], token: string | undefined }[]} */
  requests = [];
  /** @type {any[]} what polls are told */
  controls = [];
  /** @type {string[]} their paths */
  polls = [];
  only = ""; // answers are for paths that begin so
  busy = 0;
  abreast = 0; // the most requests under way at once
  url = "";
  #server;

  /** @param {(Answer | ((events: any[]) => Answer | Promise<Answer>))[]} answers */
  constructor(...answers) {
    this.#server = createServer(async (request, response) => {
      if (request.method === "GET") return this.#poll(request.url ?? "", response);
      this.abreast = Math.max(this.abreast, ++this.busy);
      let body = "";
      for await (const part of request) body += part;
      const events = body.split("\n").map((line) => JSON.parse(line));
      this.requests.push({ at: performance.now(), path: request.url ?? "", events, token: request.headers.authorization });
      const told = request.url?.startsWith(this.only) ? answers.shift() : undefined;
      const answer = told ?? [202, { accepted: events.length }];
      const [status, said, headers = {}] = typeof answer === "function" ? await answer(events) : answer;
      this.busy--;
      response.writeHead(status, headers).end(JSON.stringify(said ?? {}));
    });
  }

  /** Answers a poll with the controls that it was not told of. */
  #poll(/** @type {string} */ path, /** @type {import("node:http").ServerResponse} */ response) {
    this.polls.push(path);
    const known = Number(new URL(path, "http://x").searchParams.get("after") ?? 0);
    const controls = this.controls.slice(known);
    const after = String(Math.max(known, this.controls.length));
    setTimeout(() => response.end(JSON.stringify({ controls, after })), controls.length > 0 ? 0 : 50);
  }

  async start() {
    await new Promise((resolve) => this.#server.listen(0, "127.0.0.1", () => resolve(undefined)));
    this.url = `http://127.0.0.1:${/** @type {any} */ (this.#server.address()).port}`;
    return this;
  }

  /** The ids of the events of each request. */
  get sent() {
    return this.requests.map(({ events }) => events.map((e) => e.id));
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
