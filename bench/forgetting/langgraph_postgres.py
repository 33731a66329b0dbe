"""LangGraph's PostgresStore, with pgvector for its search."""

import importlib.metadata

import postgres
from langgraph_peer import LangGraph
from protocol import run


class Postgres(LangGraph):
    commands = {
        **LangGraph.commands,
        "after that": "`VACUUM (FULL, ANALYZE)`, `pg_switch_wal()`, `CHECKPOINT`",
        "backup": "copy of the data directory of the stopped server",
    }
    notes = [postgres.NOTE]

    def versions(self):
        name = "langgraph-checkpoint-postgres"
        return [*super().versions(), f"{name} {importlib.metadata.version(name)}", *postgres.versions()]

    def open(self):
        from langgraph.store.postgres import PostgresStore

        self.server = postgres.Server(self.folder)
        self.connection = PostgresStore.from_conn_string(self.server.uri, index=self.index())
        self.store = self.connection.__enter__()
        self.store.setup()

    def close(self):
        self.connection.__exit__(None, None, None)
        self.server.stop()

    def tidy(self):
        postgres.vacuum(self.folder)


if __name__ == "__main__":
    run(Postgres)
