-- The erasure ledger. An empty `memory` says that everything of the vault made before `at` is gone.
CREATE TABLE erased (
    vault  BLOB NOT NULL CHECK (length(vault) = 16),
    memory BLOB NOT NULL CHECK (length(memory) IN (0, 16)),
    at     INTEGER NOT NULL,
    PRIMARY KEY (vault, memory)
) STRICT, WITHOUT ROWID;

CREATE INDEX erased_by_time ON erased (at);

-- The newest receipt of each organisation under which something was erased.
CREATE TABLE receipt (
    org    TEXT PRIMARY KEY,
    number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
