// LangGraph's own class of stores, with Lacuna beneath.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [built, modules, url, token] = process.argv.slice(2);
const { BaseStore } = createRequire(`${modules}/`)("@langchain/langgraph-checkpoint");
const { Lacuna } = await import(pathToFileURL(`${built}/src/index.js`).href);
const { lacunaStoreOn } = await import(pathToFileURL(`${built}/src/adapters/langgraph.js`).href);

const store = new (lacunaStoreOn(BaseStore))(new Lacuna({ url, token }));
assert.ok(store instanceof BaseStore);
const doc = { text: "cycles along the canal", score: 4.5, nested: { list: [1, null, "ü"] } };
await store.put(["users", "ada"], "commute", doc);
await store.put(["users", "ben"], "choir", { text: "sings on Thursdays", score: 3 }, false);
await store.put(["users", "a/b"], "~k/1", { text: "odd place", score: 1 });
const item = await store.get(["users", "ada"], "commute");
assert.deepEqual([item.value, item.key, item.namespace], [doc, "commute", ["users", "ada"]]);
assert.ok(item.createdAt instanceof Date);
assert.equal((await store.get(["users", "a/b"], "~k/1")).value.text, "odd place");
const found = await store.search(["users"], { query: "How does she get to work?", limit: 5 });
assert.equal(found[0].key, "commute");
assert.ok(found[0].score > 0 && found.at(-1).score === undefined, "what is not indexed has no score");
assert.deepEqual((await store.search(["users"], { filter: { score: { $gte: 3 } } })).map((each) => each.key).sort(), [
  "choir",
  "commute",
]);
assert.deepEqual(await store.listNamespaces({ prefix: ["users"], maxDepth: 2 }), [
  ["users", "a/b"],
  ["users", "ada"],
  ["users", "ben"],
]);
await store.put(["users", "ada"], "commute", { text: "takes the tram" });
const [again, missing] = await store.batch([
  { namespace: ["users", "ada"], key: "commute" },
  { namespace: ["users", "ada"], key: "nothing" },
]);
assert.equal(again.value.text, "takes the tram");
assert.equal(missing, null);
await store.delete(["users", "ada"], "commute");
await store.delete(["users", "ada"], "commute");
assert.equal(await store.get(["users", "ada"], "commute"), null);
await assert.rejects(store.put([], "k", {}));
console.log("done");
