"""mem0 without an LLM (`infer=False`), on Qdrant in a local folder, its default store."""

from mem0_peer import Mem0
from protocol import run


class Mem0Qdrant(Mem0):
    def packages(self):
        return ["mem0ai", "qdrant-client"]

    def vector_store(self):
        return {"provider": "qdrant", "config": {"path": str(self.folder / "qdrant"), "on_disk": True}}


if __name__ == "__main__":
    run(Mem0Qdrant)
