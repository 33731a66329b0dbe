// Anthropic's memory tool. The line that makes it is the one that differs; a model would make the calls below.
import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import { Lacuna } from "lacuna-memory";
import { lacunaMemoryHandlers } from "lacuna-memory/anthropic";

const memory = new Lacuna({ url: process.env.LACUNA_URL, token: process.env.LACUNA_TOKEN });
const tool = betaMemoryTool(lacunaMemoryHandlers(memory));
// client.beta.messages.toolRunner({ model, max_tokens, messages, tools: [tool] })

const path = "/memories/garden.md";
await tool.run({ command: "create", path, file_text: "Roses by the wall.\n" });
console.log((await tool.run({ command: "view", path })).includes("Roses by the wall."));
await tool.run({ command: "delete", path });
console.log((await tool.run({ command: "view", path: "/memories" })).includes("garden"));
