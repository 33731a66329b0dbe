-- The record book of an organisation. Documents hold no content.
CREATE TABLE record (
    org     TEXT NOT NULL,
    kind    INTEGER NOT NULL,
    number  INTEGER NOT NULL,
    vault   BLOB CHECK (length(vault) = 16),
    at      INTEGER NOT NULL,
    due_at  INTEGER,
    done_at INTEGER,
    doc     BLOB NOT NULL,
    PRIMARY KEY (org, kind, number)
) STRICT;

CREATE INDEX record_due ON record (kind, due_at) WHERE done_at IS NULL AND due_at IS NOT NULL;

-- What whoever ends an erasure needs to know.
ALTER TABLE intent ADD COLUMN note BLOB NOT NULL DEFAULT x'';

-- Where a vault stopped counting that was destroyed; what begins in its place goes on from there.
CREATE TABLE ended (
    vault    BLOB PRIMARY KEY CHECK (length(vault) = 16),
    revision INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE vault ADD COLUMN began_after INTEGER NOT NULL DEFAULT 0;

-- Soft-deleted memories, for the sweep that erases them. 4 is the state deleted.
CREATE INDEX memory_deleted ON memory (vault, updated_at) WHERE state = 4;
