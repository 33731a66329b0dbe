"""sqlite-vec: a vec0 table in a SQLite file, searched exhaustively by cosine."""

import time

import apsw
import sqlite_vec

from job import ask, job, report, version

BATCH = 1_000

work = job()
# Not every Python's own sqlite3 may load extensions.
database = apsw.Connection(str(work.folder / "vec.db"))
database.enable_load_extension(True)
database.load_extension(sqlite_vec.loadable_path())
database.execute(
    f"CREATE VIRTUAL TABLE memories USING vec0(vector float[{work.dimensions}] distance_metric=cosine)"
)
started = time.perf_counter()
for first in range(0, len(work.vectors), BATCH):
    rows = work.vectors[first : first + BATCH]
    with database:
        database.executemany(
            "INSERT INTO memories (rowid, vector) VALUES (?, ?)",
            ((first + n + 1, row.tobytes()) for n, row in enumerate(rows)),
        )
filled = time.perf_counter() - started


def answer(question):
    nearest = database.execute(
        "SELECT rowid FROM memories WHERE vector MATCH ? AND k = ? ORDER BY distance",
        (question.tobytes(), work.top),
    )
    return [row[0] - 1 for row in nearest]


seconds, found = ask(work.questions, answer)
report(
    f"sqlite-vec {version('sqlite-vec')} (vec0, exhaustive)",
    fill_seconds=filled,
    query_seconds=seconds,
    found=found,
)
