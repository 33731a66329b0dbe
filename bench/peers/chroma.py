"""Chroma: a persistent collection with its HNSW graph, by cosine."""

import time

import chromadb

from job import ask, job, report, version

BATCH = 1_000

work = job()
client = chromadb.PersistentClient(
    path=str(work.folder / "chroma"), settings=chromadb.Settings(anonymized_telemetry=False)
)
collection = client.create_collection(
    "memories", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
)
started = time.perf_counter()
for first in range(0, len(work.vectors), BATCH):
    rows = work.vectors[first : first + BATCH]
    collection.add(ids=[str(first + n) for n in range(len(rows))], embeddings=rows)
filled = time.perf_counter() - started


def answer(question):
    return collection.query(query_embeddings=[question], n_results=work.top, include=[])["ids"][0]


seconds, found = ask(work.questions, answer)
report(
    f"chromadb {version('chromadb')} (HNSW)",
    fill_seconds=filled,
    query_seconds=seconds,
    found=found,
)
