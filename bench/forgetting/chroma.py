"""Chroma: a persistent collection, with the documents and their metadata."""

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

from protocol import SEARCHED_HITS, Peer, run
from story import LEAVER, PERSON


class Chroma(Peer):
    proof = "none: `delete` returns the number of records"
    commands = {
        "store": '`collection.add(ids, documents, embeddings, metadatas={"user", "session", "derived_from"})`',
        "by id": "`collection.delete(ids=[…])`",
        "by words": "not offered by meaning; `collection.query(words)`, reviewed, then `delete(ids=[…])`",
        "by person": '`collection.delete(where={"user": …})`; mentions: `collection.delete(where_document={"$contains": name})`',
        "after that": "`chroma vacuum --path … --force`",
        "backup": "copy of the folder",
        "asked": "`get`, `query`, `peek`",
    }

    notes = [
        "The texts stay in the table `embeddings_queue` of `chroma.sqlite3`. `chroma vacuum` purges it up to what the index has "
        "written to disk, by default every 1,000 records; this story is smaller.",
    ]

    def versions(self):
        return [f"chromadb {importlib.metadata.version('chromadb')}"]

    def open(self):
        import chromadb

        from embedding import MiniLm

        self.model = MiniLm()
        self.client = chromadb.PersistentClient(
            path=str(self.folder), settings=chromadb.Settings(anonymized_telemetry=False)
        )
        self.collection = self.client.get_or_create_collection(
            "memories", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )

    def embed(self, text):
        return self.model.embed([text])

    def remember(self, memory):
        metadata = {"user": memory.user, "kind": "summary" if memory.derived else "said"}
        if memory.session:
            metadata["session"] = memory.session
        if memory.sources:
            metadata["derived_from"] = ",".join(memory.sources)
        self.ids[memory.key] = memory.key
        self.collection.add(
            ids=[memory.key], documents=[memory.text], embeddings=self.embed(memory.text), metadatas=[metadata]
        )

    def forget_ids(self, memories):
        if memories:
            self.collection.delete(ids=[self.ids[memory.key] for memory in memories])

    def forget_person(self, memories):
        self.collection.delete(where={"user": LEAVER})
        self.collection.delete(where_document={"$contains": PERSON})

    def search(self, user, words, limit):
        found = self.collection.query(query_embeddings=self.embed(words), n_results=limit, where={"user": user})
        return found["ids"][0]

    def tidy(self):
        program = Path(sys.executable).with_name("chroma")
        command = [str(program), "vacuum", "--path", str(self.folder), "--force"]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr, timeout=120)

    def answers(self, memories):
        yield "list", json.dumps(self.collection.get()["documents"])
        yield "list", json.dumps(self.collection.peek(limit=1_000)["documents"])
        for known in self.ids.values():
            yield "get", json.dumps(self.collection.get(ids=[known])["documents"])
        for memory in memories:
            found = self.collection.query(
                query_embeddings=self.embed(memory.question), n_results=SEARCHED_HITS, where={"user": memory.user}
            )
            yield "search", json.dumps(found["documents"])


if __name__ == "__main__":
    run(Chroma)
