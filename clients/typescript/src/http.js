/** Requests to a gateway. */

/** The gateway could not be reached, or broke off. */
export class Away extends Error {}

/**
 * An answer: body is its JSON, undefined where it is none; code is the error's,
 * empty where there is none; after is the header Lw-After; retryAfter is in ms,
 * 0 where it says none.
 *
 * @typedef {{ status: number, body: any, code: string, after: string, retryAfter: number }} Response
 */

/** Where a gateway is and how to be let in. */
export class Gateway {
  #root;
  #token;
  #fetch;
  #closing = new AbortController();

  /**
   * Throws a TypeError for a URL or a token that is none.
   *
   * @param {string} url
   * @param {string} [token]
   * @param {typeof globalThis.fetch} [fetch]
   */
  constructor(url, token, fetch) {
    if (!/^https?:\/\/[^/\s]+/.test(url)) throw new TypeError(`url: ${url} is not http://HOST:PORT or https://HOST:PORT`);
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) throw new TypeError("token: want one word of ASCII");
    this.#root = url.replace(/\/+$/, "");
    this.#token = token;
    this.#fetch = fetch ?? globalThis.fetch.bind(globalThis);
  }

  /**
   * Sends a request; timeout is in ms. Throws Away.
   *
   * @param {string} method
   * @param {string} path
   * @param {Uint8Array | undefined} body
   * @param {number} timeout
   * @returns {Promise<Response>}
   */
  async request(method, path, body, timeout) {
    /** @type {Record<string, string>} */
    const headers = {};
    if (this.#token) headers["Authorization"] = `Bearer ${this.#token}`;
    if (body) headers["Content-Type"] = body.includes(10) ? "application/x-ndjson" : "application/json";
    const broken = new AbortController();
    const breakOff = () => broken.abort();
    const timer = setTimeout(breakOff, timeout);
    this.#closing.signal.addEventListener("abort", breakOff);
    if (this.#closing.signal.aborted) breakOff();
    try {
      const init = { method, headers, body: /** @type {any} */ (body), redirect: /** @type {const} */ ("error"), signal: broken.signal };
      const got = await this.#fetch(this.#root + path, init);
      const text = await got.text();
      return read(got, text);
    } catch (err) {
      const cause = /** @type {any} */ (err).cause;
      throw new Away(cause?.message || cause?.code || String(err));
    } finally {
      clearTimeout(timer);
      this.#closing.signal.removeEventListener("abort", breakOff);
    }
  }

  /** Breaks off what is under way, and all that comes. */
  close() {
    this.#closing.abort();
  }
}

/**
 * @param {globalThis.Response} got
 * @param {string} text
 * @returns {Response}
 */
function read(got, text) {
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    // another server's words
  }
  const code = typeof body?.error?.code === "string" ? body.error.code : "";
  const seconds = Number(got.headers.get("Retry-After") ?? 0);
  const retryAfter = seconds > 0 ? Math.min(seconds, 60) * 1000 : 0;
  return { status: got.status, body, code, after: got.headers.get("Lw-After") ?? "", retryAfter };
}
