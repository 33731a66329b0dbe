"""mem0 without an LLM (`infer=False`), on its default vector store (Qdrant in a local folder), with the sentence
model that Lacuna uses."""

import json
import os
import sys
import time
from pathlib import Path

job = Path(sys.argv[1])
os.environ["MEM0_TELEMETRY"] = "False"
os.environ["MEM0_DIR"] = str(job / "mem0")
# Asked for when the object is made, never used: nothing here infers.
os.environ["OPENAI_API_KEY"] = "unused"

from mem0 import Memory  # noqa: E402
from mem0.embeddings.base import EmbeddingBase  # noqa: E402

from job import report, version  # noqa: E402
from minilm import WIDTH, MiniLm  # noqa: E402


class TimedEmbedding(EmbeddingBase):
    """The model as mem0 calls it, with a clock."""

    def __init__(self):
        super().__init__()
        self.model, self.seconds = MiniLm(), 0.0

    def embed(self, text, memory_action=None):
        return self.embed_batch([text])[0]

    def embed_batch(self, texts, memory_action="add"):
        started = time.perf_counter()
        vectors = self.model.embed(texts).tolist()
        self.seconds += time.perf_counter() - started
        return vectors


described = json.loads((job / "job.json").read_text())
memory = Memory.from_config(
    {
        "vector_store": {
            "provider": "qdrant",
            "config": {"path": str(job / "qdrant"), "embedding_model_dims": WIDTH, "on_disk": True},
        },
        "history_db_path": str(job / "history.db"),
    }
)
embedding = memory.embedding_model = TimedEmbedding()
embedding.embed("warm")


def timed(call):
    embed_before, started = embedding.seconds, time.perf_counter()
    result = call()
    return time.perf_counter() - started, embedding.seconds - embed_before, result


texts, batch = described["texts"], described["batch"]
remembered = []
for first in range(0, len(texts), batch):
    messages = [{"role": "user", "content": text} for text in texts[first : first + batch]]
    remembered.append(timed(lambda: memory.add(messages, user_id="bench", infer=False)))
count = sum(len(result["results"]) for _, _, result in remembered)
assert count == len(texts), f"{count} of {len(texts)} remembered"


def search(question):
    return memory.search(question, filters={"user_id": "bench"}, top_k=described["top"])


for question in described["questions"][:2]:
    search(question)
searched = [timed(lambda: search(question)) for question in described["questions"]]
assert all(result["results"] for _, _, result in searched), "a search found nothing"
report(
    f"mem0ai {version('mem0ai')}",
    count=count,
    remember_seconds=[seconds for seconds, _, _ in remembered],
    remember_embed_seconds=sum(embed for _, embed, _ in remembered),
    search_seconds=[seconds for seconds, _, _ in searched],
    search_embed_seconds=[embed for _, embed, _ in searched],
)
