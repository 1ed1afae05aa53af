/**
 * SHA-256 that does not wait: Node's where it is to be had, else our own, for the
 * one of browsers is asynchronous. It is used for what is cut, and for names that
 * are too long.
 */

/** @type {typeof import("node:crypto") | undefined} */
const node = /** @type {any} */ (globalThis).process?.getBuiltinModule?.("node:crypto");

const K = new Uint32Array(64);
const INITIAL = new Uint32Array(8);

/** Fills the constants: the first bits of the roots of the first primes. */
function constants() {
  /** @type {number[]} */
  const primes = [];
  for (let n = 2; primes.length < 64; n++) {
    if (primes.every((p) => n % p !== 0)) primes.push(n);
  }
  primes.forEach((p, i) => {
    K[i] = fraction(p, 3n);
    if (i < 8) INITIAL[i] = fraction(p, 2n);
  });
}

/**
 * The first 32 bits behind the point of the root of n, exactly.
 *
 * @param {number} n
 * @param {bigint} degree
 */
function fraction(n, degree) {
  const scaled = BigInt(n) << (32n * degree);
  let low = 0n;
  let high = 1n << 48n;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (middle ** degree <= scaled) low = middle;
    else high = middle;
  }
  return Number(low & 0xffffffffn);
}

/** @param {number} x @param {number} n */
const turn = (x, n) => (x >>> n) | (x << (32 - n));

/**
 * Returns the digest in hex.
 *
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function sha256(bytes) {
  return node ? node.createHash("sha256").update(bytes).digest("hex") : ownSHA256(bytes);
}

/**
 * Returns the same without the platform.
 *
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function ownSHA256(bytes) {
  if (K[0] === 0) constants();
  const padded = new Uint8Array(((bytes.length + 8) >> 6 << 6) + 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x20000000));
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);
  const h = INITIAL.slice();
  const w = new Uint32Array(64);
  for (let at = 0; at < padded.length; at += 64) block(view, at, w, h);
  return [...h].map((x) => x.toString(16).padStart(8, "0")).join("");
}

/**
 * Takes one block of 64 bytes into h.
 *
 * @param {DataView} view
 * @param {number} at
 * @param {Uint32Array} w
 * @param {Uint32Array} h
 */
function block(view, at, w, h) {
  for (let i = 0; i < 16; i++) w[i] = view.getUint32(at + 4 * i);
  for (let i = 16; i < 64; i++) {
    const a = w[i - 15];
    const b = w[i - 2];
    const s0 = turn(a, 7) ^ turn(a, 18) ^ (a >>> 3);
    const s1 = turn(b, 17) ^ turn(b, 19) ^ (b >>> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  let [a, b, c, d, e, f, g, x] = h;
  for (let i = 0; i < 64; i++) {
    const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const t1 = (x + s1 + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
    const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [x, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  [a, b, c, d, e, f, g, x].forEach((v, i) => (h[i] += v));
}
