// The life of a memory against the real binary.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, test } from "node:test";

import { Lacuna, NeedsConfirmation, NotFound } from "../src/index.js";
import { dataFolder, makeToken } from "./support.js";

const KEY = "The spare key is with Ingrid.";
const data = dataFolder();
const service = new Lacuna({ data, token: makeToken(data, "service", "admin") });
after(() => service.close());

/** One server for all tests, and a vault of its own for each. */
function person(): Lacuna {
  return service.forUser(`person-${randomBytes(4).toString("hex")}`);
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test("remember, find and inspect", async () => {
  const memory = person();
  const stored = await memory.remember(KEY, { tags: ["home"], salience: 0.7 });
  assert.equal(stored.state, "active");
  const found = await memory.search("Who has the spare key?", { max_results: 3 });
  assert.equal(found.memories[0]?.memory_id, stored.memory_id);
  const whole = await memory.getMemory(stored.memory_id);
  assert.deepEqual([whole.content, whole.tags], [KEY, ["home"]]);
  assert.ok((await memory.context("I lost the spare key!", { max_tokens: 200 })).text.includes(KEY));
  assert.deepEqual((await memory.listMemories({ tag: ["home"] })).memories.map((each) => each.gist), [KEY]);
  assert.deepEqual((await memory.listMemories({ tag: ["work"] })).memories, []);
  await memory.pin([stored.memory_id]);
  assert.equal((await memory.getMemory(stored.memory_id)).pinned, true);
  await memory.setState([stored.memory_id], "archived");
  assert.deepEqual((await memory.listMemories()).memories, []);
  assert.equal((await memory.health()).status, "alive");
  assert.equal((await memory.ready()).status, "ready");
  assert.deepEqual((await memory.listScopes()).scopes, [stored.scope, "org"]);
});

test("a batch answers each text, and pages follow one another", async () => {
  const memory = person();
  const texts = Array.from({ length: 5 }, (_, number) => `Shelf ${number} holds the paint for boat ${number}.`);
  const answers = await memory.rememberBatch([...texts, { content: "I was diagnosed with diabetes." }]);
  assert.deepEqual(answers.memories.map((each) => each.outcome), [...texts.map(() => "stored"), "asked"]);
  const listed = await all(memory.iterMemories({ limit: 2 }));
  assert.deepEqual(listed.map((each) => each.gist).sort(), texts);
});

test("a text that needs a yes is stored after it", async () => {
  const memory = person();
  const text = "I was diagnosed with diabetes.";
  const question = await memory.remember(text).catch((error: unknown) => error);
  assert.ok(question instanceof NeedsConfirmation);
  assert.deepEqual(question.asked.questions, ["consent"]);
  assert.equal((await memory.remember(text, { confirm: question.confirm })).state, "active");
});

test("forgetting shows a plan and leaves a receipt", async () => {
  const memory = person();
  const stored = await memory.remember(KEY);
  const plan = await memory.planForget("forget everything about Ingrid");
  assert.deepEqual([plan.outcome, plan.direct], ["plan", 1]);
  await memory.getMemory(stored.memory_id);
  const done = await memory.confirmForget(plan.token!);
  assert.deepEqual(done.memory_ids, [stored.memory_id]);
  await assert.rejects(memory.getMemory(stored.memory_id), NotFound);
  const receipt = await memory.getReceipt(done.receipts[0]!.receipt);
  assert.equal(receipt.counts.keys_destroyed, 1);
  assert.deepEqual((await memory.listReceipts()).receipts, [receipt]);
  assert.equal((await memory.verifyForgotten("Ingrid")).forgotten, true);
});

test("everything needs two confirmations", async () => {
  const memory = person();
  await memory.remember(KEY);
  const again = await memory.confirmForget((await memory.planForget({ everything: true })).token!);
  assert.deepEqual([again.outcome, again.memory_ids], ["again", []]);
  assert.equal((await memory.confirmForget(again.token!)).outcome, "done");
  assert.deepEqual(await all(memory.iterMemories()), []);
});

test("correct and erase", async () => {
  const memory = person();
  const stored = await memory.remember(KEY);
  const corrected = await memory.correct("The spare key is with Marten.", { memory_id: stored.memory_id });
  assert.equal(corrected.replaced, stored.memory_id);
  const id = corrected.memory!.memory_id;
  assert.deepEqual((await memory.eraseMemory(id)).memory_ids, [id]);
  assert.deepEqual((await memory.search("spare key")).memories, []);
});

test("a memory is replaced under its id", async () => {
  const memory = person();
  const stored = await memory.remember(KEY, { metadata: { room: "hall", n: 2 } });
  const replaced = await memory.replaceMemory(stored.memory_id, "The spare key is with Otto.");
  assert.equal(replaced.memory?.memory_id, stored.memory_id);
  await memory.setExpiry([stored.memory_id], "2200-01-01T00:00:00Z");
  const { memories } = await memory.listMemories({ full: true, filter: JSON.stringify({ room: "hall" }) });
  assert.deepEqual(memories.map((each) => each.content), ["The spare key is with Otto."]);
  assert.deepEqual([memories[0]?.metadata, memories[0]?.expires_at], [{ room: "hall", n: 2 }, "2200-01-01T00:00:00Z"]);
  assert.deepEqual((await memory.search("key", { filter: { n: { $gt: 2 } } })).memories, []);
});

test("a conversation is read back and ended", async () => {
  const memory = person();
  const name = "desk/7 ü?#";
  const appended = await memory.appendTurns(
    name,
    [
      { role: "user", text: "Which paint holds?" },
      { role: "assistant", text: "The primer." },
    ],
    { expected_turn: 1 },
  );
  assert.deepEqual([appended.session_id, appended.next_turn], [name, 3]);
  const turns = await all(memory.iterTurns(name, { limit: 1 }));
  assert.deepEqual(turns.map((turn) => turn.text), ["Which paint holds?", "The primer."]);
  assert.equal((await memory.listSessions()).sessions[0]?.session_id, name);
  assert.equal((await memory.endSession(name)).state, "ended");
  assert.ok((await memory.startSession()).session_id);
});

test("a review decides", async () => {
  const memory = person();
  const { memory_id } = await memory.remember("Anna moved to Lyon.", { source: { type: "ai_inference" } });
  assert.deepEqual((await memory.listReview()).memories.map((each) => each.memory_id), [memory_id]);
  const { decided } = await memory.review([{ memory_id, decision: "accept" }]);
  assert.equal(decided[0]?.state, "active");
});

test("an export is streamed and comes back", async () => {
  const memory = person();
  const texts = Array.from({ length: 50 }, (_, number) => `Shelf ${number} holds the paint for boat ${number}.`);
  await memory.rememberBatch(texts);
  const exported = Buffer.concat(await all(memory.export()));
  assert.equal(JSON.parse(exported.toString()).record_count, texts.length);
  const path = join(dirname(data), "export.json");
  await memory.exportTo(path);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  await assert.rejects(memory.exportTo(path), { code: "EEXIST" });
  assert.equal((await memory.importMemories(readFileSync(path), { dryRun: true })).repeated, texts.length);
  const other = person();
  assert.equal((await other.importMemories(readFileSync(path), { from: "lacuna" })).stored, texts.length);
  const listed = await all(other.iterMemories({ limit: 20 }));
  assert.deepEqual(new Set(listed.map((each) => each.gist)), new Set(texts));
});

test("the same key does the work once, and a frozen vault is read", async () => {
  const memory = person();
  const first = await memory.remember(KEY, {}, { idempotencyKey: "k1" });
  assert.deepEqual(await memory.remember(KEY, {}, { idempotencyKey: "k1" }), first);
  assert.equal((await memory.remember(KEY)).repeats, 1);
  assert.ok((await memory.freeze()).frozen_since);
  assert.ok((await memory.vaultState()).frozen_since);
  assert.equal((await memory.freeze(false)).frozen_since ?? null, null);
});
