// mem0's client for JavaScript, unchanged but for its host: every call that the door serves.
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const require = createRequire(`${process.env.NODE_PATH}/`);
const { MemoryClient } = require("mem0ai");
const [host, apiKey] = process.argv.slice(2);
const client = new MemoryClient({ apiKey, host });
await client.ping();

const said = [{ role: "user", content: "I cycle to work along the canal." }];
const added = await client.add(said, { userId: "ada", metadata: { topic: "travel" } });
assert.equal(added.status, "SUCCEEDED");
const id = added.results[0].id;
await client.add([{ role: "user", content: "The choir meets on Thursdays." }], { userId: "ben" });

const found = await client.search("How do I get to the office?", { filters: { user_id: "ada" } });
assert.equal(found.results[0].memory, said[0].content);
const all = await client.getAll({ filters: { user_id: "ada" }, page: 1, pageSize: 10 });
assert.equal(all.count, 1);
assert.equal((await client.get(id)).metadata.topic, "travel");
await client.update(id, { text: "I take the tram to work." });
assert.equal((await client.get(id)).memory, "I take the tram to work.");
const history = await client.history(id);
assert.deepEqual(history.map((each) => each.event), ["ADD", "UPDATE"]);
assert.ok(!JSON.stringify(history).includes("canal"));
const users = await client.users();
assert.deepEqual(users.results.map((each) => each.name).sort(), ["ada", "ben"]);
await client.batchUpdate([{ memoryId: id, text: "I walk to work." }]);
assert.equal((await client.get(id)).memory, "I walk to work.");
await client.delete(id);
await assert.rejects(client.get(id));
await client.deleteAll({ userId: "ben" });
assert.equal((await client.users()).count, 0);
console.log("done");
