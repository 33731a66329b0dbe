-- Only ids, times, states, sizes, key versions and owners are readable; frames, bodies and audit entries
-- are sealed by the vault before they come here.

CREATE TABLE vault (
    number      INTEGER PRIMARY KEY,
    id          BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    org         TEXT NOT NULL,
    holder_kind TEXT NOT NULL,
    holder      TEXT NOT NULL,
    revision    INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    audit_seq   INTEGER NOT NULL,
    audit_hash  BLOB NOT NULL CHECK (length(audit_hash) = 32)
) STRICT;

-- `place` is the vault's number in the high half and a counter in the low half, so that the rows of one
-- vault lie together on disk however many vaults are written at the same time.
CREATE TABLE memory (
    place          INTEGER PRIMARY KEY,
    vault          INTEGER NOT NULL REFERENCES vault (number),
    id             BLOB NOT NULL CHECK (length(id) = 16),
    revision       INTEGER NOT NULL,
    state          INTEGER NOT NULL,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    expires_at     INTEGER,
    key_version    INTEGER NOT NULL,
    frame_revision INTEGER NOT NULL,
    frame          BLOB NOT NULL,
    UNIQUE (vault, id)
) STRICT;

CREATE INDEX memory_by_revision ON memory (vault, revision);

-- Apart from the frames, so that loading a vault does not read them. Without `sealed` it is a blob.
CREATE TABLE body (
    place    INTEGER PRIMARY KEY REFERENCES memory (place) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    bytes    INTEGER NOT NULL,
    sealed   BLOB
) STRICT;

CREATE TABLE tombstone (
    vault    INTEGER NOT NULL REFERENCES vault (number),
    id       BLOB NOT NULL CHECK (length(id) = 16),
    revision INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (vault, id)
) STRICT;

CREATE INDEX tombstone_by_revision ON tombstone (vault, revision);

-- `memories` holds ids of 16 bytes, one after the other.
CREATE TABLE intent (
    vault    INTEGER NOT NULL REFERENCES vault (number),
    id       INTEGER NOT NULL,
    memories BLOB NOT NULL,
    PRIMARY KEY (vault, id)
) STRICT;

CREATE TABLE audit (
    vault INTEGER NOT NULL REFERENCES vault (number),
    seq   INTEGER NOT NULL,
    at    INTEGER NOT NULL,
    hash  BLOB NOT NULL CHECK (length(hash) = 32),
    entry BLOB NOT NULL,
    PRIMARY KEY (vault, seq)
) STRICT;

-- `roles` are separated by newlines, which no role may hold.
CREATE TABLE token (
    id         BLOB PRIMARY KEY CHECK (length(id) = 16),
    hash       BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    org        TEXT NOT NULL,
    user       TEXT NOT NULL,
    roles      TEXT NOT NULL,
    label      TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
) STRICT;

CREATE INDEX token_by_org ON token (org, created_at);
