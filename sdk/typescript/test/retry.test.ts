// What is sent again, and what is not.

import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { test } from "node:test";

import {
  Aborted,
  ApiError,
  ConnectionFailed,
  InvalidRequest,
  Lacuna,
  RateLimited,
  ServerFault,
  TimedOut,
  Unavailable,
} from "../src/index.js";
import { problem, scripted, type Scripted } from "./support.js";

const BUSY = problem("overloaded", 503, {}, { "retry-after": "0" });
const STORED: Scripted = [201, {}, { memory_id: "mem_1" }];

test("a write is sent again under the same key", async (t) => {
  const server = await scripted(t, BUSY, undefined, problem("timeout", 503), STORED);
  assert.equal((await new Lacuna({ url: server.url }).remember("a")).memory_id, "mem_1");
  assert.equal(server.seen.length, 4);
  assert.equal(new Set(server.seen.map((each) => each.headers["idempotency-key"])).size, 1);
});

test("two writes have two keys", async (t) => {
  const server = await scripted(t, STORED, STORED);
  const memory = new Lacuna({ url: server.url });
  await memory.remember("a");
  await memory.remember("a");
  assert.equal(new Set(server.seen.map((each) => each.headers["idempotency-key"])).size, 2);
});

test("an erasure whose answer was lost is not sent again", async (t) => {
  const server = await scripted(t, undefined);
  await assert.rejects(new Lacuna({ url: server.url }).eraseMemory("mem_1"), ConnectionFailed);
  assert.equal(server.seen.length, 1);
});

test("an erasure that the server had no time for is sent again", async (t) => {
  const server = await scripted(t, BUSY, [200, {}, { memory_ids: ["mem_1"] }]);
  assert.deepEqual((await new Lacuna({ url: server.url }).eraseMemory("mem_1")).memory_ids, ["mem_1"]);
});

test("attempts end", async (t) => {
  const server = await scripted(t, BUSY, BUSY, BUSY);
  await assert.rejects(new Lacuna({ url: server.url, retries: 2 }).search("a"), Unavailable);
  assert.equal(server.seen.length, 3);
});

test("a server that asks for a day is not waited for", async (t) => {
  const server = await scripted(t, problem("rate_limited", 429, {}, { "retry-after": "86400" }));
  const error = await new Lacuna({ url: server.url }).search("a").catch((thrown: unknown) => thrown);
  assert.ok(error instanceof RateLimited);
  assert.equal(error.retryAfter, 86400);
});

test("a refusal is not sent again", async (t) => {
  const server = await scripted(t, problem("invalid", 422, { field: "tags" }));
  const error = await new Lacuna({ url: server.url }).remember("a").catch((thrown: unknown) => thrown);
  assert.ok(error instanceof InvalidRequest);
  assert.deepEqual([error.field, error.remedy], ["tags", "what to do"]);
  assert.equal(String(error), "InvalidRequest: what happened [invalid]. what to do");
});

test("silence ends after the time limit, or with the caller's signal", async (t) => {
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  t.after(() => silent.close());
  const sockets: Socket[] = [];
  silent.on("connection", (socket) => sockets.push(socket));
  t.after(() => sockets.forEach((socket) => socket.destroy()));
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  await assert.rejects(new Lacuna({ url, timeoutMs: 50, retries: 0 }).search("a"), TimedOut);
  const controller = new AbortController();
  const call = new Lacuna({ url }).search("a", {}, { signal: controller.signal });
  controller.abort();
  await assert.rejects(call, Aborted);
});

test("nobody listens", async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
  await new Promise((resolve) => closed.close(resolve));
  const error = await new Lacuna({ url, retries: 1 }).eraseMemory("m").catch((thrown: unknown) => thrown);
  assert.ok(error instanceof ConnectionFailed);
  assert.equal(error.neverSent, true);
});

test("a page of a proxy is no answer", async (t) => {
  const page = { "content-type": "text/html" };
  const server = await scripted(t, [200, page, "<html>"], [502, page, "<html>secret page"]);
  const memory = new Lacuna({ url: server.url, retries: 0 });
  await assert.rejects(memory.health(), ServerFault);
  const error = await memory.health().catch((thrown: unknown) => thrown);
  assert.ok(error instanceof ApiError);
  assert.deepEqual([error.code, error.status], ["no_document", 502]);
  assert.ok(!String(error.stack).includes("secret page"));
});
