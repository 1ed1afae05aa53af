/** Control messages: what loopwatch tells a run. */

/**
 * @typedef {object} Control
 * @property {string} id empty for a halt that a verdict told without one
 * @property {string} kind
 * @property {string} detector
 * @property {string} summary
 * @property {{ role: string, content: string } | undefined} observation
 * @property {string} replayOf call whose first result answers the call that caused this; empty for none
 * @property {string} event that caused it
 * @property {string} endStatus
 * @property {number | undefined} expires ms since 1970 by the server's clock
 * @property {Record<string, any>} raw
 */

export class Halted extends Error {
  /** @param {Control} control */
  constructor(control) {
    super(`run halted: ${control.summary}`);
    this.name = "Halted";
    this.control = control;
  }
}

export class NoVerdict extends Error {
  name = "NoVerdict";
}

export class Over extends Error {
  name = "Over";
}

/**
 * Reads a control message; undefined for what is none. Types that do not fit
 * count as absent.
 *
 * @param {any} raw
 * @returns {Control | undefined}
 */
export function readControl(raw) {
  if (typeof raw !== "object" || raw === null || raw.v !== 1 || raw.reason !== "acted" || !word(raw.id)) return undefined;
  const told = raw.observation;
  const expires = Date.parse(word(raw.expires));
  return {
    id: raw.id,
    kind: word(raw.kind),
    detector: word(raw.detector),
    summary: word(raw.summary),
    observation: told && word(told.content) ? { role: word(told.role) || "system", content: told.content } : undefined,
    replayOf: word(raw.replay?.of_call_id),
    event: word(raw.event),
    endStatus: word(raw.end_status),
    expires: Number.isNaN(expires) ? undefined : expires,
    raw,
  };
}

/**
 * Returns the halt that a verdict means which carries none.
 *
 * @returns {Control}
 */
export function unnamedHalt() {
  const summary = "the run or its task is halted; resume it first";
  return {
    id: "", kind: "halt", detector: "", summary, observation: undefined, replayOf: "", event: "", endStatus: "halted",
    expires: undefined, raw: {},
  };
}

/** @param {unknown} value */
function word(value) {
  return typeof value === "string" ? value : "";
}
