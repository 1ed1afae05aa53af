/**
 * The newest results of a run, whole, so that a replay does not depend on what
 * was sent.
 */

export const CALLS = 256;
export const BYTES = 8 << 20;

/**
 * One result as the tool gave it: its JSON text, the message of its failure
 * (undefined where it succeeded), and when, in ms since 1970.
 *
 * @typedef {{ content: string | undefined, error: string | undefined, at: number }} Kept
 */

/**
 * Results by call id. Beyond CALLS results or BYTES characters the oldest go.
 * The first result of a call stays.
 */
export class Cache {
  /** @type {Map<string, Kept>} */
  #kept = new Map();
  #bytes = 0;

  /**
   * Returns what a call brought, undefined where it is not kept.
   *
   * @param {string} callId
   */
  get(callId) {
    return this.#kept.get(callId);
  }

  /**
   * Keeps a result, unless it is larger than everything may be.
   *
   * @param {string} callId
   * @param {Kept} kept
   */
  put(callId, kept) {
    if (this.#kept.has(callId) || size(kept) > BYTES) return;
    this.#kept.set(callId, kept);
    this.#bytes += size(kept);
    for (const [id, oldest] of this.#kept) {
      if (this.#kept.size <= CALLS && this.#bytes <= BYTES) return;
      this.#kept.delete(id);
      this.#bytes -= size(oldest);
    }
  }
}

/** @param {Kept} kept */
function size(kept) {
  return (kept.content?.length ?? 0) + (kept.error?.length ?? 0);
}
