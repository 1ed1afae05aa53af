/** The long poll of a run for its control messages. */

const WAIT = 25_000;
const FIRST_GAP = 50;
const LAST_GAP = 5_000;

/**
 * Asks again and again, each time behind what it knows, and hands every control
 * message to take. scope names the run's tenant, agent and task as far as they
 * are told.
 */
export class Poller {
  #gateway;
  #path;
  #scope;
  #take;
  #stopped = false;
  #wake = () => {};

  /**
   * @param {import("./http.js").Gateway} gateway of its own
   * @param {string} run
   * @param {Record<string, string>} scope
   * @param {(control: unknown) => void} take
   */
  constructor(gateway, run, scope, take) {
    this.#gateway = gateway;
    this.#path = `/v1/runs/${encodeURIComponent(run)}/control?`;
    this.#scope = scope;
    this.#take = take;
  }

  /**
   * Begins behind a place, or, where it is empty, with what is new.
   *
   * @param {string} after
   */
  async start(after) {
    let gap = FIRST_GAP;
    while (!this.#stopped) {
      const query = new URLSearchParams({ ...this.#scope, ...(after && { after }), wait: `${WAIT / 1000}s` });
      const response = await this.#gateway.request("GET", this.#path + query, undefined, WAIT + 10_000).catch(() => undefined);
      if (response?.status === 200 && response.body) {
        gap = FIRST_GAP;
        after = String(response.body.after ?? after);
        for (const control of Array.isArray(response.body.controls) ? response.body.controls : []) this.#take(control);
        continue;
      }
      if (response?.status === 410) after = "";
      await this.#pause(Math.max(gap, response?.retryAfter ?? 0));
      gap = Math.min(2 * gap, LAST_GAP);
    }
  }

  /** Ends the poll, also one that waits. */
  stop() {
    this.#stopped = true;
    this.#gateway.close();
    this.#wake();
  }

  /** @param {number} ms */
  #pause(ms) {
    if (this.#stopped) return undefined;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
    });
  }
}
