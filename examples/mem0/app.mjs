// An application that uses mem0. The host is the one line that differs.
import { MemoryClient } from "mem0ai";

const client = new MemoryClient({ apiKey: process.env.LACUNA_TOKEN, host: `${process.env.LACUNA_URL}/mem0` });

await client.add([{ role: "user", content: "I cycle to work along the canal." }], { userId: "ada" });
const found = await client.search("How do I get to the office?", { filters: { user_id: "ada" } });
console.log(found.results[0].memory);
await client.deleteAll({ userId: "ada" });
