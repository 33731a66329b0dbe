-- Wrapped keys only: without the master key and the epoch key none of them opens anything.

CREATE TABLE root (
    vault       BLOB PRIMARY KEY CHECK (length(vault) = 16),
    generation  INTEGER NOT NULL,
    key_version INTEGER NOT NULL,
    epoch       INTEGER NOT NULL,
    holder      INTEGER NOT NULL,
    wrapped     BLOB NOT NULL
) STRICT;

CREATE TABLE class_key (
    vault   BLOB NOT NULL REFERENCES root (vault),
    id      BLOB NOT NULL CHECK (length(id) = 16),
    wrapped BLOB NOT NULL,
    PRIMARY KEY (vault, id)
) STRICT;

CREATE TABLE memory_key (
    vault   BLOB NOT NULL,
    memory  BLOB NOT NULL CHECK (length(memory) = 16),
    class   BLOB NOT NULL,
    binding INTEGER NOT NULL,
    wrapped BLOB NOT NULL,
    PRIMARY KEY (vault, memory),
    FOREIGN KEY (vault, class) REFERENCES class_key (vault, id)
) STRICT, WITHOUT ROWID;
