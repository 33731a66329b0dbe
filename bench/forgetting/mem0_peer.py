"""mem0 as both of its stores use it."""

import importlib.metadata
import json
import os

from protocol import SEARCHED_HITS, Peer
from story import LEAVER, OTHER, OWNER

LIST_MAX = 1_000


class Mem0(Peer):
    proof = "a message without details: `Memory deleted successfully!`"
    commands = {
        "store": '`add(messages, user_id=…, run_id=…, metadata={"derived_from": [ids]}, infer=False)`',
        "by id": "`delete(memory_id)`",
        "by words": "not offered; `search(words)`, reviewed, then `delete` of each",
        "by person": "`delete_all(user_id=…)`; mentions: `search(name)`, reviewed, then `delete` of each",
        "after that": "nothing documented for one person; `reset()` would delete everybody's history",
        "backup": "copy of the folder",
        "asked": "`get_all`, `get`, `search`, `history`",
    }

    notes = [
        "Every deletion writes the old text once more into the table `history` of `history.db`, and `history(memory_id)` returns "
        "it.",
    ]

    def packages(self):
        raise NotImplementedError

    def vector_store(self):
        raise NotImplementedError

    def versions(self):
        return [f"{name} {importlib.metadata.version(name)}" for name in self.packages()]

    def open(self):
        os.environ["MEM0_TELEMETRY"] = "False"
        os.environ["MEM0_DIR"] = str(self.folder / "mem0")
        # Asked for when the object is made, never used: nothing here infers.
        os.environ["OPENAI_API_KEY"] = "unused"
        from mem0 import Memory
        from mem0.embeddings.base import EmbeddingBase

        from embedding import WIDTH, MiniLm

        class LocalEmbedding(EmbeddingBase):
            def __init__(self):
                super().__init__()
                self.model = MiniLm()

            def embed(self, text, memory_action=None):
                return self.model.embed([text])[0].tolist()

            def embed_batch(self, texts, memory_action="add"):
                return self.model.embed(texts).tolist()

        store = self.vector_store()
        store["config"]["embedding_model_dims"] = WIDTH
        self.memory = Memory.from_config({"vector_store": store, "history_db_path": str(self.folder / "history.db")})
        self.memory.embedding_model = LocalEmbedding()

    def close(self):
        self.memory.close()

    def remember(self, memory):
        metadata = {"derived_from": [self.ids[source] for source in memory.sources]} if memory.sources else None
        role = "assistant" if memory.derived else "user"
        stored = self.memory.add(
            [{"role": role, "content": memory.text}],
            user_id=memory.user,
            run_id=memory.session,
            metadata=metadata,
            infer=False,
        )
        self.ids[memory.key] = stored["results"][0]["id"]

    def forget_ids(self, memories):
        for memory in memories:
            self.memory.delete(self.ids[memory.key])

    def forget_person(self, memories):
        self.memory.delete_all(user_id=LEAVER)
        self.forget_mentions(memories)

    def search(self, user, words, limit):
        found = self.memory.search(words, filters={"user_id": user}, top_k=limit, threshold=0.0)
        return [hit["id"] for hit in found["results"]]

    def answers(self, memories):
        for user in (OWNER, LEAVER, OTHER):
            yield "list", json.dumps(self.memory.get_all(filters={"user_id": user}, top_k=LIST_MAX))
        for memory in memories:
            filters = {"user_id": memory.user}
            found = self.memory.search(memory.question, filters=filters, top_k=SEARCHED_HITS, threshold=0.0)
            yield "search", json.dumps(found["results"])
        for known in self.ids.values():
            yield "get", json.dumps(self.memory.get(known))
            yield "history", json.dumps(self.memory.history(known), default=str)
