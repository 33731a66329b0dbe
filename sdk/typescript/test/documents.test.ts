// Every TypeScript block of the documents is run, page by page, in its order, and the methods are those of Python.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { Lacuna } from "../src/index.js";
import { dataFolder, makeToken, ROOT } from "./support.js";

/** What the pages call the server and the token. */
const URL_SHOWN = "https://memory.example.com";
const TOKEN_SHOWN = "lac_…";

for (const page of ["sdk/typescript/README.md", "docs/sdk.md"]) {
  test(`the examples of ${page}`, async (t) => {
    const text = readFileSync(join(ROOT, page), "utf8");
    const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((block) => block[1]!);
    assert.ok(blocks.length > 0);
    const [data, others] = [dataFolder(t), dataFolder(t)];
    const token = makeToken(others, "service", "admin");
    const service = new Lacuna({ token, data: others });
    const client = new URL("../src/index.js", import.meta.url).href;
    for (const [number, block] of blocks.entries()) {
      const path = join(dirname(data), `${number}.mjs`);
      const code = block.replace('"lacuna-memory"', `"${client}"`).replace(TOKEN_SHOWN, token);
      writeFileSync(path, block.includes(URL_SHOWN) ? code.replace(URL_SHOWN, await service.url()) : code);
      const env = { ...process.env, LACUNA_DATA: data, LACUNA_USER: "anna" };
      const done = spawnSync(process.execPath, [path], { env, cwd: dirname(data), encoding: "utf8" });
      assert.equal(done.status, 0, done.stderr);
      const expected = [...block.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map((line) => line[1]);
      assert.deepEqual(done.stdout.split("\n").slice(0, -1), expected, block);
    }
    await service.close();
  });
}

test("both languages have the same methods", () => {
  const source = readFileSync(join(ROOT, "sdk/python/src/lacuna_memory/client.py"), "utf8");
  const python = [...source.matchAll(/^    def ([a-z]\w*)\(/gm)].map((found) => found[1]!);
  const names = python.map((name) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
  const ours = Object.getOwnPropertyNames(Lacuna.prototype).filter((name) => name !== "constructor");
  assert.deepEqual(ours.sort(), names.sort());
});
