"""Memories of mem0, written by mem0 itself: `made_by_mem0.py FOLDER` leaves `all.json` (its `get_all`) and `history.db` there."""

import json
import sys
from pathlib import Path

from mem0 import Memory
from mem0.embeddings.base import EmbeddingBase

WIDTH = 8
folder = Path(sys.argv[1])


class Counting(EmbeddingBase):
    """Vectors without a model: nothing is searched here."""

    def embed(self, text, memory_action=None):
        return [float(len(text) % (place + 2)) + 1 for place in range(WIDTH)]


store = {"path": str(folder / "qdrant"), "on_disk": True, "embedding_model_dims": WIDTH}
config = {"vector_store": {"provider": "qdrant", "config": store}, "history_db_path": str(folder / "history.db")}
memory = Memory.from_config(config)
memory.embedding_model = Counting()


def add(text):
    message = {"role": "user", "content": text}
    return memory.add([message], user_id="ada", metadata={"app": "desk"}, infer=False)["results"][0]["id"]


add("Sings in a choir on Thursdays")
moved = add("Keeps bees on the balcony")
gone = add("Owes the baker forty crowns")
memory.update(moved, "Keeps bees on the roof")
memory.delete(gone)
(folder / "all.json").write_text(json.dumps(memory.get_all(filters={"user_id": "ada"})))
memory.close()
