"""mem0 without an LLM (`infer=False`), on Qdrant in a local folder, with its search by words beside the one by meaning."""

import importlib.util
import os
from pathlib import Path

from asking import HITS_MAX, Asked, run

THRESHOLD = 0.0


class Mem0Search(Asked):
    commands = {
        "store": "`add(messages, user_id=…, run_id=…, infer=False)`",
        "ask": "`search(question, filters={\"user_id\": …}, top_k=10, threshold=0.0)`",
    }
    notes = [
        "By meaning and by words (BM25 of fastembed, as `mem0ai[extras]` installs it). The list of stop words that fastembed downloads was not within "
        "reach; the one of the package stop-words took its place. Its lemmatiser and its entities need a spaCy model from GitHub, which "
        "was not within reach either.",
    ]

    def open(self):
        from fastembed.sparse.bm25 import Bm25
        from mem0_qdrant import Mem0Qdrant

        from vectors import Embedder

        # It would look for a model of spaCy on the network.
        os.environ["MEM0_TELEMETRY"] = "False"
        self.peer = Mem0Qdrant(self.folder)
        self.peer.open()
        self.peer.memory.embedding_model.model = Embedder(self.vectors)
        words = Path(importlib.util.find_spec("stop_words").origin).parent / "stop-words" / "english.txt"
        model = self.folder / "bm25"
        model.mkdir()
        (model / "english.txt").write_text(words.read_text())
        self.peer.memory.vector_store._bm25_encoder = Bm25("Qdrant/bm25", specific_model_path=str(model))
        self.ids = {}

    def close(self):
        self.peer.close()

    def versions(self):
        return [*self.peer.versions(), f"fastembed {importlib.metadata.version('fastembed')}"]

    def store(self, space):
        for text in space["texts"]:
            message = {"role": "user", "content": text["text"]}
            stored = self.peer.memory.add([message], user_id=space["id"], run_id=text["session"], infer=False)
            self.ids[stored["results"][0]["id"]] = text["id"]

    def search(self, space, question):
        found = self.peer.memory.search(
            question, filters={"user_id": space["id"]}, top_k=HITS_MAX, threshold=THRESHOLD
        )
        return [(self.ids[hit["id"]], hit["memory"]) for hit in found["results"]]


if __name__ == "__main__":
    run(Mem0Search)
