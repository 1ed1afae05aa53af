/**
 * loopwatch for agents in TypeScript and JavaScript: report what the agent
 * does, ask before a tool is dispatched, hand back the earlier result instead of
 * executing a duplicate, put observations into the next model call, stop when
 * told.
 *
 * The agent never suffers because the gateway is away: events wait in a bounded
 * queue and are sent in order once it is back. Start at `watch` or `Run.start`.
 */

/** One tool that the run may call. */
export interface Tool {
  name: string;
  /** Only reads are answered from an earlier result; left out means unknown. */
  effect?: "read" | "write" | "unknown";
  /** Calling it again and again is its use. */
  polls?: boolean;
}

/** Bounds of a run; what is left out has none. */
export interface Limits {
  max_turns?: number;
  max_cost_usd?: number;
  max_wall_clock_ms?: number;
  max_tokens?: number;
}

/** Tokens of one model response; cached ones are among the input. */
export interface Usage {
  input_tokens?: number;
  output_tokens?: number;
  cached_tokens?: number;
}

/** A message for the next model call. It is text for a model: never run it. */
export interface Observation {
  role: string;
  content: string;
}

/** How a run ended. */
export type Status = "done" | "blocked" | "failed" | "halted" | "stuck" | "cancelled";

/** What a run is, and how it behaves. Only url is required. */
export interface Options {
  /** Of the gateway: http://HOST:PORT or https://HOST:PORT. */
  url: string;
  /** Sent as a bearer token. */
  token?: string;
  /** Left out: the token's, or `default`. */
  tenant?: string;
  /** Left out: the token's, or `agent`. */
  agent?: string;
  /** Unit of work that retries and sub-agents share; left out: the run's own. */
  task?: string;
  /** Name of the run; that of one that lives re-attaches to it. Left out: a new one. */
  run?: string;
  /** Run that spawned this one. */
  parent?: string;
  tools?: Tool[];
  limits?: Limits;
  /** What was asked for. */
  goal?: string;
  model?: string;
  /** At the task, from 1. */
  attempt?: number;
  /** On re-attaching, the last round that was reported, where it is known. */
  round?: number;
  /** Longest wait for a verdict, and for what stands for the run at its start, in ms; 1,000 where left out. */
  wait?: number;
  /** Longest that the end waits until everything is stored, in ms; 5,000 where left out. */
  linger?: number;
  /** Without a verdict a call is refused with NoVerdict; else it is allowed. */
  failClosed?: boolean;
  /** Events that may wait for the gateway (and 32 MiB); 4,096 where left out. New ones beyond that are dropped and counted. */
  queue?: number;
  /** Bytes of a result, of arguments, of a text that are sent; 65,536 where left out. What is longer is cut, with a hash. */
  maxContent?: number;
  /** Stands in for the platform's fetch, for instance one with a certificate authority of its own. */
  fetch?: typeof globalThis.fetch;
  /** Takes what is worth knowing about the connection; left out: console.warn, once for each outage. */
  log?: (text: string) => void;
}

/** One model response. */
export interface Turn {
  text?: string;
  usage?: Usage;
  /** Left out: unknown, which is not zero. */
  costUSD?: number;
  /** The run's structured record, any JSON. */
  state?: unknown;
  stateHash?: string;
  /** Finished plan steps so far; growth is progress. */
  stepsCompleted?: number;
  /** Fields that the text asks the user for. */
  asks?: Iterable<string>;
  /** Fields already held; of an object only the names are sent. */
  known?: Iterable<string> | Record<string, unknown>;
  /** The context was cut or summarised before this response. */
  compacted?: boolean;
  model?: string;
}

/** What more is known of a result. */
export interface ResultOptions {
  /** How the tool failed; its content is optional then. */
  error?: unknown;
  code?: string;
  retryable?: boolean;
  /** Whether the tool changed the world, where it knows. */
  changed?: boolean;
}

/** What an agent reports when it gives up properly. */
export interface Blocker {
  blocker: string;
  attempted?: Iterable<string>;
  needs?: string;
}

/** What a tool brought, or the earlier result that stands in for it. */
export class Output {
  /** Any JSON; undefined where there is none. */
  readonly content: unknown;
  /** Message of the tool's own failure; undefined where it succeeded. */
  readonly error: string | undefined;
  /** Tells the model that nothing was executed; empty where the tool ran. */
  readonly label: string;
  /** Whether nothing was executed. */
  get replayed(): boolean;
  /** What the model is shown. */
  toString(): string;
}

/**
 * One tool call that the run asked about. With a replay, do not execute it: hand
 * the replay to the model, it is reported already. Without one, execute the tool
 * and report what it brought with result.
 */
export class Call {
  readonly id: string;
  readonly tool: string;
  readonly round: number;
  readonly replay: Output | undefined;
  /** false: no verdict came in time. */
  readonly checked: boolean;
  /** Reports what the executed call brought, or how it failed. Throws Halted or Over. */
  result(content?: unknown, more?: ResultOptions): void;
}

/** One control message. */
export interface Control {
  /** Empty for a halt that a verdict told without one. */
  readonly id: string;
  readonly kind: string;
  readonly detector: string;
  /** For people. */
  readonly summary: string;
  readonly observation: Observation | undefined;
  /** Status that a halted run ends with; empty for none. */
  readonly endStatus: string;
  /** All of it, as it came. */
  readonly raw: Record<string, unknown>;
}

/** The run must not go on and has been ended: leave the agent's loop. */
export class Halted extends Error {
  readonly control: Control;
}

/** No verdict came in time and the run fails closed: do not execute. */
export class NoVerdict extends Error {}

/** The run has ended. */
export class Over extends Error {}

/** What a tool is given beside its arguments. */
export interface ToolContext {
  /** Aborted when the run is halted. */
  readonly signal: AbortSignal;
}

/**
 * One execution of an agent on a task. Once it is halted its methods throw
 * Halted. Nothing here waits for the network longer than wait and linger. It
 * keeps the process alive until it is ended or closed.
 */
export class Run implements AsyncDisposable {
  private constructor();

  /**
   * Opens a run and waits at most wait for what stands for it; without an
   * answer it goes on. Throws Halted where the run or its task is halted: then
   * nothing may be done, and the run is over.
   */
  static start(options: Options): Promise<Run>;

  /** The run's name. */
  readonly id: string;
  /** Aborted, with Halted as its reason, when the run is halted. */
  readonly signal: AbortSignal;
  /** The halt; undefined while there is none. */
  get halted(): Control | undefined;
  /** How many events were not sent and never will be. The run shows them as gaps. */
  get dropped(): number;
  /** How many events wait to be stored. */
  get waiting(): number;

  /** Reports one model response and returns its round, to which the calls that follow belong. */
  turn(turn?: Turn): number;
  /** Returns the messages to put into the next model call, each once, and acknowledges them. */
  observations(): Observation[];
  /** Reports text between agent and user (role `assistant` or `user`), or to another run (to). */
  message(role: string, text: string, to?: string): void;
  /**
   * Asks before dispatch. args is what the model wrote, as text, or any JSON;
   * timeoutMS is how long the tool may take. Throws Halted, NoVerdict or Over.
   */
  call(tool: string, args?: unknown, more?: { timeoutMS?: number }): Promise<Call>;
  /**
   * Runs one tool whole: asks, calls fn unless the earlier result is handed
   * back, and reports. fn is given args, parsed where they are JSON text. What
   * the tool itself throws is in the Output; what is thrown is the run's.
   */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  tool(name: string, args: unknown, fn: (args: any, context: ToolContext) => unknown): Promise<Output>;

  /**
   * Ends the run and waits at most linger until everything is stored; gives how
   * many events are not stored yet. They are sent in the background while the
   * process lives. The first end counts.
   */
  end(status?: Status, reason?: string): Promise<number>;
  /** Ends the run as properly given up: a correct end, not a failure. It waits like end. */
  blocked(blocker: Blocker): Promise<number>;
  /**
   * Ends the run by the arguments with which the model called report_blocked.
   * Where they name no blocker it throws a TypeError, to be handed to the model,
   * and the run goes on.
   */
  reportBlocked(args: unknown): Promise<number>;
  /** Lets go of the gateway at once and does not end the run. What still waits is dropped and counted. */
  close(): void;
  /** Ends the run as failed where it was not ended: a block that `await using` leaves early. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens a run, calls work with it, and ends it: as done, or as failed where work
 * throws. Gives what work gives, and throws what it throws.
 */
export function watch<T>(options: Options, work: (run: Run) => T | Promise<T>): Promise<T>;

/** Conventions of tool definitions. */
export type Format = "openai" | "openai-responses" | "anthropic" | "mcp" | "json-schema";

/**
 * Returns the definition of the report_blocked tool, as `loopwatch tool
 * report-blocked --format` prints it. The object is the caller's.
 */
export function reportBlockedTool(format?: Format): Record<string, unknown>;

/**
 * Turns any other system's name into a valid one: each byte that is no letter,
 * digit, - or _, and a leading _, become =XX; what would be longer than 128 bytes
 * is cut and closed with a hash.
 */
export function escapeName(text: string): string;
