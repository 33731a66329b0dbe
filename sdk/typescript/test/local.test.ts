// A server of one's own: found, started, stopped.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { ConnectionFailed, Lacuna, LocalServerError, UsageError } from "../src/index.js";
import { dataFolder } from "./support.js";

/** A server that is told to stop is gone within a minute. */
const POLLS_MAX = 600;
const POLL_MS = 100;

/** Runs a program that prints the address of its server. */
function program(data: string, rest: string) {
  const client = new URL("../src/index.js", import.meta.url).href;
  const code = `import { Lacuna } from "${client}"; console.log(await new Lacuna().url()); ${rest}`;
  const env = { ...process.env, LACUNA_DATA: data };
  return spawn(process.execPath, ["--input-type=module", "-e", code], { env, stdio: ["ignore", "pipe", "inherit"] });
}

async function gone(url: string): Promise<void> {
  const late = new Lacuna({ url, retries: 0 });
  for (let poll = 0; poll < POLLS_MAX; poll++) {
    const answer = await late.health().catch((error: unknown) => error);
    if (answer instanceof ConnectionFailed) return;
    await sleep(POLL_MS);
  }
  assert.fail("the server runs on");
}

test("the server ends with the client, and memories outlive it", async (t) => {
  const data = dataFolder(t);
  const memory = new Lacuna({ data, user: "anna" });
  await memory.remember("I sail.");
  const url = await memory.url();
  assert.ok(url.startsWith("http://127.0.0.1:"));
  const bert = memory.forUser("bert");
  assert.deepEqual((await bert.listScopes()).scopes, ["user:bert", "org"]);
  await bert.close();
  await memory.close();
  await assert.rejects(new Lacuna({ url, retries: 0 }).health(), ConnectionFailed);
  const later = new Lacuna({ data, user: "anna" });
  assert.deepEqual((await later.listMemories()).memories.map((each) => each.gist), ["I sail."]);
  await later.close();
});

test("the server ends with a program that forgets to close", async (t) => {
  const child = program(dataFolder(t), "");
  const [url] = await once(child.stdout, "data");
  await once(child, "exit");
  await gone(String(url).trim());
});

test("the server ends with a program that is killed", async (t) => {
  const child = program(dataFolder(t), "setInterval(() => {}, 1000);");
  const [printed] = await once(child.stdout, "data");
  const url = String(printed).trim();
  await new Lacuna({ url }).health();
  child.kill("SIGKILL");
  await gone(url);
});

test("a missing program is named", async () => {
  const failed = await new Lacuna({ binary: "/nonexistent/lacuna" }).health().catch((error: unknown) => error);
  assert.ok(failed instanceof LocalServerError);
  assert.equal(failed.code, "binary_not_found");
});

test("a server that does not start says why", async (t) => {
  const data = dataFolder(t);
  mkdirSync(dirname(data), { recursive: true });
  writeFileSync(data, "a file, not a folder");
  const failed = await new Lacuna({ data }).health().catch((error: unknown) => error);
  assert.ok(failed instanceof LocalServerError);
  assert.equal(failed.code, "bad_config");
  assert.ok(failed.remedy);
});

test("a URL has no data folder", () => {
  assert.throws(() => new Lacuna({ url: "http://127.0.0.1:1", data: "/tmp" }), UsageError);
});
