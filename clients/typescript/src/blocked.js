/** The tool by which an agent gives up properly. */

import { encode, parse, written } from "./json.js";

const NAME = "report_blocked";

const DOC =
  "Report that you are blocked and end the task here. This is a correct and expected outcome, not a failure: a clear " +
  "report of what stands in the way is worth more than another attempt that cannot succeed. Use it when the task " +
  "cannot be completed with the tools, data and permissions you have: something is missing, refused, contradictory or " +
  "out of reach, and what you tried keeps giving the same answer. Do not use it for a fault that may pass by itself, " +
  "before you have tried what is open to you, to ask a question you could ask the user directly, or to report a result.";

/** The JSON Schema of its arguments. */
function schema() {
  return {
    type: "object",
    properties: {
      attempted: {
        description: "What you tried, one step an item, with what came of it. Empty where the task could not be begun.",
        type: "array",
        items: { type: "string" },
      },
      blocker: {
        description: "What stands in the way, as concretely as you know it: the tool, the record, the error, the rule.",
        type: "string",
      },
      needs: {
        description:
          "What somebody would have to do or provide so that the task can go on. " + 'Say "nothing" where it is impossible.',
        type: "string",
      },
    },
    required: ["attempted", "blocker", "needs"],
    additionalProperties: false,
  };
}

/**
 * @param {import("../index.js").Format} format
 * @returns {Record<string, unknown>}
 */
export function reportBlockedTool(format = "openai") {
  switch (format) {
    case "openai":
      return { type: "function", function: { name: NAME, description: DOC, parameters: schema(), strict: true } };
    case "openai-responses":
      return { type: "function", name: NAME, description: DOC, parameters: schema(), strict: true };
    case "anthropic":
      return { name: NAME, description: DOC, input_schema: schema() };
    case "mcp":
      return { name: NAME, title: "Report a blocker", description: DOC, inputSchema: schema() };
    case "json-schema":
      return { $schema: "https://json-schema.org/draft/2020-12/schema", title: NAME, description: DOC, ...schema() };
  }
  throw new TypeError(`format: ${format} is not openai, openai-responses, anthropic, mcp or json-schema`);
}

/**
 * Reads the arguments of a report_blocked call as the model wrote them. A list in
 * place of a text, and a text in place of a list, are taken; text that is no JSON
 * is the blocker. Throws a TypeError where no blocker is named.
 *
 * @param {any} args
 */
export function readReport(args) {
  const text = written(args);
  if (text !== undefined) {
    const read = parse(text);
    args = read ? read.value : { blocker: text };
  }
  if (typeof args !== "object" || args === null || Array.isArray(args)) {
    throw new TypeError("report_blocked: want an object with attempted, blocker and needs");
  }
  const blocker = texts(args.blocker).join("; ");
  if (blocker.trim() === "") throw new TypeError("report_blocked: say in blocker what stands in the way");
  return { blocker, attempted: texts(args.attempted), needs: texts(args.needs).join("; ") };
}

/**
 * @param {unknown} value
 * @returns {string[]}
 */
function texts(value) {
  if (value === undefined || value === null || value === "") return [];
  return (Array.isArray(value) ? value : [value]).map((v) => (typeof v === "string" ? v : encode(v)));
}
