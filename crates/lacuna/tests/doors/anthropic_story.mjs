// The memory tool of Anthropic's SDK, with Lacuna beneath.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [built, modules, url, token] = process.argv.slice(2);
const { betaMemoryTool } = createRequire(`${modules}/`)("@anthropic-ai/sdk/helpers/beta/memory");
const { Lacuna } = await import(pathToFileURL(`${built}/src/index.js`).href);
const { lacunaMemoryHandlers } = await import(pathToFileURL(`${built}/src/adapters/anthropic.js`).href);

const memory = new Lacuna({ url, token });
const tool = betaMemoryTool(lacunaMemoryHandlers(memory));
const path = "/memories/garden.md";
await tool.run({ command: "create", path, file_text: "Tulips by the gate.\n" });
assert.match(await tool.run({ command: "view", path }), /Tulips by the gate/);
await tool.run({ command: "str_replace", path, old_str: "Tulips", new_str: "Roses" });
await tool.run({ command: "insert", path, insert_line: 1, insert_text: "Mint in the pot.\n" });
await tool.run({ command: "rename", old_path: path, new_path: "/memories/plants.md" });
const shown = await tool.run({ command: "view", path: "/memories/plants.md" });
assert.match(shown, /Roses by the gate/);
assert.match(shown, /Mint in the pot/);
assert.match(await tool.run({ command: "view", path: "/memories" }), /plants\.md/);
await assert.rejects(tool.run({ command: "view", path }), Error, "the model is told that it is gone");
await tool.run({ command: "delete", path: "/memories/plants.md" });
assert.doesNotMatch(await tool.run({ command: "view", path: "/memories" }), /plants/);
console.log("done");
