/** loopwatch for agents in TypeScript and JavaScript. The contract is index.d.ts. */

export { reportBlockedTool } from "./blocked.js";
export { Call, Output } from "./call.js";
export { Halted, NoVerdict, Over } from "./control.js";
export { escapeName } from "./ids.js";
export { Run, watch } from "./run.js";
