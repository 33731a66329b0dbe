// A conversation, its compaction, and the next conversation, with a model that only repeats what it is given.

import { Lacuna, onPreCompact } from "./pre_compact.mjs";

const lacuna = new Lacuna(process.argv[2], process.env.LACUNA_TOKEN);
const messages = [
  { role: "user", text: "My sister Ida lives in Turku." },
  { role: "assistant", text: "Turku is by the sea." },
  { role: "user", text: "I was diagnosed with diabetes in March." },
];
const { archived, stored } = await onPreCompact(lacuna, { userId: "anna", sessionId: "first" }, messages);
console.log(JSON.stringify({ turns: archived.turns.map((turn) => turn.outcome), stored: stored.map((one) => one.status) }));

const asked = await lacuna.post("/v1/context", { turn: "Where does my sister Ida live?", session_id: "second" });
console.log(asked.body.text);
