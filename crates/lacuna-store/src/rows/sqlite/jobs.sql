-- Which job is due when, and who runs it. Nothing of it belongs to one vault.
CREATE TABLE job (
    name          TEXT PRIMARY KEY,
    due_at        INTEGER NOT NULL,
    claimed_by    TEXT,
    claimed_until INTEGER,
    began_at      INTEGER,
    ended_at      INTEGER,
    outcome       TEXT,
    done          INTEGER NOT NULL,
    failures      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What a vault's owner has set, sealed. Apart from the header, which is read far more often.
CREATE TABLE setting (
    vault    INTEGER PRIMARY KEY REFERENCES vault (number),
    revision INTEGER NOT NULL,
    sealed   BLOB NOT NULL
) STRICT;

-- Whether a tombstone goes long before the others: what it stands for was to leave no trace.
ALTER TABLE tombstone ADD COLUMN brief INTEGER NOT NULL DEFAULT 0;

-- Memories that expire, for the sweep. 4 is the state deleted, which the purge takes care of.
CREATE INDEX memory_expiring ON memory (vault, expires_at) WHERE expires_at IS NOT NULL AND state <> 4;
