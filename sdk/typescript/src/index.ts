export { Lacuna, type CallOptions, type LacunaOptions, type WriteOptions } from "./client.js";
export * from "./errors.js";
export type * from "./types.js";
