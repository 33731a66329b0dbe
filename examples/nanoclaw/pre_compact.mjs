// The PreCompact hook of a Nanoclaw agent runner: archives the transcript and stores what was extracted, before the
// context window is compacted. The words are those of the personal memory specification (docs/seeds.md).

/** A client of one Lacuna server. `token` may be absent on loopback. */
export class Lacuna {
  constructor(url, token) {
    this.url = url;
    this.headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
  }

  async post(path, body) {
    const answer = await fetch(this.url + path, { method: "POST", headers: this.headers, body: JSON.stringify(body) });
    const text = await answer.text();
    return { status: answer.status, body: text ? JSON.parse(text) : null };
  }
}

/** Archives every message. A sentence that needs a consent is held sealed, and the rest of its message is stored. */
export async function archiveTranscript(lacuna, { session_id, messages }) {
  await lacuna.post("/v1/sessions", { session_id });
  const turns = messages.map(({ role, text }) => ({ role, text }));
  const archived = await lacuna.post(`/v1/sessions/${session_id}/turns`, { turns });
  await lacuna.post(`/v1/sessions/${session_id}/end`, {});
  return archived.body;
}

/** Extracts what the user said about themselves. A real runner asks its model for it. */
export function extractMemories(messages) {
  const said = messages.filter(({ role }) => role === "user").map(({ text }) => text);
  return said
    .filter((text) => /^(I prefer|I live|My )/.test(text))
    .map((content) => ({ category: "learned_context", content_type: "fact", content, topic_tags: ["extracted"], importance_score: 0.7 }));
}

export async function onPreCompact(lacuna, session, messages) {
  const archived = await archiveTranscript(lacuna, { session_id: session.sessionId, messages });
  const stored = [];
  for (const memory of extractMemories(messages)) {
    const request = { user_id: session.userId, session_id: session.sessionId, ...memory };
    stored.push(await lacuna.post("/v1/views/personal/store", request));
  }
  return { archived, stored };
}
