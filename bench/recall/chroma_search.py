"""Chroma's persistent client, a collection for each person."""

import importlib.metadata

from asking import HITS_MAX, Asked, run

# Chroma takes at most so many at once.
BATCH = 1_000


class ChromaSearch(Asked):
    commands = {
        "store": "`collection.add(ids, documents)`, HNSW by cosine",
        "ask": "`collection.query(query_texts=[question], n_results=10)`",
    }

    def versions(self):
        return [f"chromadb {importlib.metadata.version('chromadb')}"]

    def open(self):
        import chromadb
        from chromadb.config import Settings

        from vectors import Embedder

        model = Embedder(self.vectors)

        class Local(chromadb.EmbeddingFunction):
            def __init__(self):
                pass

            def __call__(self, input):
                return [row.tolist() for row in model.embed(list(input))]

        settings = Settings(anonymized_telemetry=False)
        self.client, self.embed = chromadb.PersistentClient(str(self.folder), settings=settings), Local()

    def use(self, space):
        by_cosine = {"hnsw": {"space": "cosine"}}
        self.collection = self.client.get_or_create_collection(
            space["id"], configuration=by_cosine, embedding_function=self.embed
        )

    def store(self, space):
        for start in range(0, len(space["texts"]), BATCH):
            part = space["texts"][start : start + BATCH]
            self.collection.add(ids=[text["id"] for text in part], documents=[text["text"] for text in part])

    def search(self, space, question):
        found = self.collection.query(query_texts=[question], n_results=HITS_MAX)
        return list(zip(found["ids"][0], found["documents"][0]))


if __name__ == "__main__":
    run(ChromaSearch)
