// Anthropic's memory tool, with its files kept by Lacuna: sealed, searchable, and forgotten with a receipt.
//
//   import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
//   const tool = betaMemoryTool(lacunaMemoryHandlers(memory));

import type { Lacuna } from "../client.js";
import type { MemoryToolCommand } from "../types.js";

type Handler = (command: object) => Promise<string>;

/** One function for each command of the tool. */
export interface LacunaMemoryHandlers {
  view: Handler;
  create: Handler;
  str_replace: Handler;
  insert: Handler;
  delete: Handler;
  rename: Handler;
}

/** The functions that the helper of Anthropic's SDK asks for. An error of the tool is thrown, and the model is told. */
export function lacunaMemoryHandlers(memory: Lacuna): LacunaMemoryHandlers {
  const forward: Handler = async (command) => {
    const answer = await memory.memoryTool(command as MemoryToolCommand);
    if (answer.is_error) throw new Error(answer.content);
    return answer.content;
  };
  return { view: forward, create: forward, str_replace: forward, insert: forward, delete: forward, rename: forward };
}
