/** A run's numbers: which round a call belongs to, and what it is called. */

const MAX_ROUND = 2 ** 31 - 1;

/** Counts seqs, rounds and calls. */
export class Book {
  /** Of the last event. */
  seq = 0;
  round = 0;
  #told;
  #turns = false; // turns are reported, so they alone open rounds
  #answered = false; // a result of the round was reported
  #calls = 0;
  #mark = "";

  /** @param {number} round last one of an earlier process, 0 where it is not known */
  constructor(round) {
    this.#told = round;
  }

  /** Opens a round. */
  turn() {
    this.#turns = true;
    return this.#open();
  }

  /**
   * Names the next call and places it in its round. Calls are of the round that
   * turn opened; where turns are not reported, a call after a result is of a new
   * round, and calls before any result are of one.
   */
  call() {
    if (this.round === 0 || (this.#answered && !this.#turns)) this.#open();
    this.#calls++;
    return { id: `c${this.#mark}${this.#calls}`, round: this.round };
  }

  /**
   * Notes that a call of a round has its result.
   *
   * @param {number} round
   */
  result(round) {
    this.#answered ||= round === this.round;
  }

  /**
   * Goes on where an earlier process of the run stopped. Every round and every
   * call took a seq at least, so numbers above the last are new.
   *
   * @param {number} lastSeq
   */
  attach(lastSeq) {
    if (lastSeq <= this.seq) return;
    this.seq = lastSeq;
    this.round = Math.max(this.round, this.#told || Math.min(lastSeq, MAX_ROUND >> 1));
    this.#answered = true;
    this.#turns = false;
    this.#calls = Math.max(this.#calls, lastSeq);
  }

  /** Marks the ids of calls: an earlier process may have used the same. */
  unknownPast() {
    const bytes = crypto.getRandomValues(new Uint8Array(2));
    this.#mark = [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("") + "-";
  }

  #open() {
    this.#answered = false;
    return ++this.round;
  }
}
