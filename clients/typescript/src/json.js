/**
 * JSON as events carry it: whatever a tool gave becomes a text that every reader
 * takes. Nothing in here throws for what it is given.
 */

/** JSON that is sent as it is written, so that no number is rounded. */
export class Raw {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/**
 * Returns value as JSON, as well as it can be said: what JSON has no form for
 * becomes text.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function encode(value) {
  if (value instanceof Raw) return value.text;
  try {
    const out = JSON.stringify(value, plain);
    if (out !== undefined) return out;
  } catch {
    // circular, or an object's own fault
  }
  try {
    return JSON.stringify(wellFormed(String(value)));
  } catch {
    return '"[object]"';
  }
}

/**
 * Returns an object as JSON whose members may be raw; undefined ones are left
 * out.
 *
 * @param {Record<string, unknown>} members
 */
export function encodeObject(members) {
  const parts = Object.entries(members)
    .filter(([, v]) => v !== undefined)
    .map(([k, v]) => `${JSON.stringify(k)}:${encode(v)}`);
  return `{${parts.join(",")}}`;
}

/**
 * Returns text and bytes as text, undefined for anything else.
 *
 * @param {unknown} value
 * @returns {string | undefined}
 */
export function written(value) {
  if (typeof value === "string") return value;
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  return undefined;
}

/**
 * Reads JSON; undefined where it is none.
 *
 * @param {string} text
 * @returns {{ value: any } | undefined}
 */
export function parse(text) {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** @param {string} text */
export function wellFormed(text) {
  return text.replace(/[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g, (c) => (c.length === 2 ? c : "\ufffd"));
}

/**
 * Replaces what JSON.stringify would lose.
 *
 * @param {string} _key
 * @param {any} value
 * @returns {any}
 */
function plain(_key, value) {
  switch (typeof value) {
    case "string":
      return wellFormed(value);
    case "bigint":
    case "symbol":
    case "function":
      return String(value);
    case "number":
      return Number.isFinite(value) ? value : String(value);
  }
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  return value;
}
