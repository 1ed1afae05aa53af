/** Names and event ids, as the contract writes them. */

import { sha256 } from "./sha256.js";

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LONGEST = 128;
const KEPT = 110;

/**
 * Returns a new event id of 36 characters: like a ULID it begins with the time,
 * so that ids sort by time, but it goes on with all of 128 random bits.
 *
 * @param {number} ms since 1970
 * @returns {string}
 */
export function newId(ms) {
  let number = BigInt(Math.floor(ms)) & ((1n << 48n) - 1n);
  for (const byte of crypto.getRandomValues(new Uint8Array(16))) number = (number << 8n) | BigInt(byte);
  number <<= 4n; // 176 bits are 35.2 characters
  let out = "";
  for (let shift = 175n; shift >= 0n; shift -= 5n) out += CROCKFORD[Number((number >> shift) & 31n)];
  return out;
}

/**
 * Reports whether name can be a tenant, agent, task or run.
 *
 * @param {unknown} name
 */
export function validName(name) {
  return typeof name === "string" && /^[A-Za-z0-9=-][A-Za-z0-9_=-]{0,127}$/.test(name) && !name.endsWith("\n");
}

/**
 * @param {string} text
 * @returns {string}
 */
export function escapeName(text) {
  const bytes = new TextEncoder().encode(text);
  let out = "";
  let cut = 0;
  bytes.forEach((byte, i) => {
    const c = String.fromCharCode(byte);
    const plain = /[A-Za-z0-9_-]/.test(c) && (i > 0 || c !== "_");
    out += plain ? c : "=" + byte.toString(16).toUpperCase().padStart(2, "0");
    if (out.length <= KEPT) cut = out.length;
  });
  return out.length <= LONGEST ? out : out.slice(0, cut) + "-" + sha256(bytes).slice(0, 16);
}
