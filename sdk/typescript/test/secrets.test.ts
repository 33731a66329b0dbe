// A token is seen by the server that it is for, and by nobody else.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";

import { Denied, Lacuna, LacunaError, NotFound, Unauthenticated, UnsafeUrl, UsageError } from "../src/index.js";
import { dataFolder, makeToken, problem, run, scripted, TOKEN } from "./support.js";

test("nothing that can be printed shows the token", async (t) => {
  const server = await scripted(t, problem("unauthenticated", 401, { detail: `Authorization: Bearer ${TOKEN}` }));
  const memory = new Lacuna({ url: server.url, token: TOKEN });
  const error = await memory.search("a").catch((thrown: unknown) => thrown);
  assert.ok(error instanceof Unauthenticated);
  assert.equal(server.seen[0]?.headers.authorization, `Bearer ${TOKEN}`);
  const deep = { depth: Infinity, showHidden: true };
  const shown = [memory, error, memory.forUser("anna")].flatMap((each) => [inspect(each, deep), JSON.stringify(each)]);
  for (const text of [...shown, String(error.stack)]) assert.ok(!text.includes(TOKEN), text);
});

test("neither a redirect nor a link to another server is followed", async (t) => {
  const thief = await scripted(t);
  const away = await scripted(t, [307, { location: thief.url }, {}], [201, {}, { download_url: `${thief.url}/v1/exports/e` }]);
  const memory = new Lacuna({ url: away.url, token: TOKEN });
  await assert.rejects(memory.search("a"), LacunaError);
  await assert.rejects(memory.export().next(), LacunaError);
  assert.deepEqual(thief.seen, []);
});

test("the address of an export is in no error", async (t) => {
  const server = await scripted(t, [201, {}, { download_url: "/v1/exports/exp_5ec4e7" }], undefined);
  const error = await new Lacuna({ url: server.url, token: TOKEN }).export().next().catch((thrown: unknown) => thrown);
  assert.ok(error instanceof LacunaError);
  assert.equal(server.seen[1]?.path, "/v1/exports/exp_5ec4e7");
  assert.equal(server.seen[1]?.headers.authorization, undefined);
  assert.ok(!inspect(error, { depth: Infinity, showHidden: true }).includes("exp_5ec4e7"));
});

test("no plain HTTP to other machines", () => {
  const outside = ["http://memory.example.com", "http://10.0.0.1:7707", "http://127.0.0.1.example.com", "http://[::2]"];
  for (const url of outside) {
    assert.throws(() => new Lacuna({ url, token: TOKEN }), UnsafeUrl, url);
    assert.throws(() => new Lacuna({ url }), UnsafeUrl, url);
    assert.ok(new Lacuna({ url, token: TOKEN, allowPlainHttp: true }));
  }
  for (const url of ["https://memory.example.com", "http://localhost:7707", "http://127.0.0.1:1", "http://[::1]:7707"]) {
    assert.ok(new Lacuna({ url, token: TOKEN }));
  }
});

test("an address holds no password, and a token is one line", () => {
  for (const url of ["https://anna:pw@example.com", "ftp://example.com", "example.com", "https://example.com?token=1"]) {
    assert.throws(() => new Lacuna({ url }), UsageError, url);
  }
  for (const token of ["", "a b", "lac_1\nHost: evil", "lac_ü"]) {
    assert.throws(() => new Lacuna({ url: "https://example.com", token }), UsageError);
  }
});

test("an id leads nowhere else", async (t) => {
  const server = await scripted(t, [200, {}, {}]);
  const memory = new Lacuna({ url: server.url });
  for (const wrong of ["", ".", ".."]) await assert.rejects(memory.eraseMemory(wrong), UsageError);
  await memory.getMemory("../tokens?x=1#y");
  assert.deepEqual(server.seen.map((each) => each.path), ["/v1/memories/..%2Ftokens%3Fx%3D1%23y"]);
});

test("a service acts for people and leaves no token behind", async (t) => {
  const data = dataFolder(t);
  const token = makeToken(data, "service", "admin");
  const valid = () =>
    run(data, "token", "list")
      .tokens.filter((each: { revoked_at?: string }) => !each.revoked_at)
      .map((each: { user: string }) => each.user)
      .sort();
  const service = new Lacuna({ token, data });
  const anna = service.forUser("anna");
  const [stored] = await Promise.all([anna.remember("The spare key is with Ingrid."), anna.listScopes()]);
  assert.equal(stored.scope, "user:anna");
  assert.deepEqual((await service.forUser("bert").search("spare key")).memories, []);
  assert.deepEqual(valid(), ["anna", "bert", "service"], "one token for each");
  const again = new Lacuna({ url: await service.url(), token, user: "anna" });
  assert.equal((await again.search("spare key")).memories[0]?.memory_id, stored.memory_id);
  await again.close();
  const plain = new Lacuna({ url: await service.url(), token: makeToken(data, "carl", "user"), user: "carl" });
  assert.deepEqual((await plain.listScopes()).scopes, ["user:carl", "org"]);
  await assert.rejects(plain.forUser("anna").search("a"), Denied);
  await service.close();
  assert.deepEqual(valid(), ["carl", "service"]);
});

test("a service names its people and makes no token", async (t) => {
  const data = dataFolder(t);
  const service = new Lacuna({ token: makeToken(data, "crm", "service", "recall", "remember", "provision"), data });
  await assert.rejects(service.forUser("anna").search("key"), NotFound);
  for (const person of ["anna", "Jörg / 100%"]) await service.provisionUser(person);
  const anna = service.forUser("anna");
  assert.equal((await anna.remember("The spare key is with Ingrid.")).scope, "user:anna");
  assert.deepEqual((await service.forUser("Jörg / 100%").search("spare key")).memories, []);
  await assert.rejects(anna.planForget("forget everything about Ingrid"), Denied);
  assert.equal(((await service.removeUser("anna")) as { memories: number }).memories, 1);
  assert.deepEqual(run(data, "token", "list").tokens.map((each: { user: string }) => each.user), ["crm"]);
  await service.close();
});
