// A LangGraph store. The line that makes it is the one that differs.
import { BaseStore } from "@langchain/langgraph-checkpoint";
import { Lacuna } from "lacuna-memory";
import { lacunaStoreOn } from "lacuna-memory/langgraph";

const memory = new Lacuna({ url: process.env.LACUNA_URL, token: process.env.LACUNA_TOKEN });
const store = new (lacunaStoreOn(BaseStore))(memory);

await store.put(["users", "ada"], "commute", { text: "cycles to work along the canal" });
const found = await store.search(["users"], { query: "How does she get to the office?" });
console.log(found[0].value.text);
await store.delete(["users", "ada"], "commute");
console.log(await store.get(["users", "ada"], "commute"));
