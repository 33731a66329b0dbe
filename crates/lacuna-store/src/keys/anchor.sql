-- Lower bounds that no honest store falls behind.

-- The newest known end of each vault's audit chain. A destroyed vault keeps its row with `seq` 0, so that an older
-- end that another process still holds in RAM does not return.
CREATE TABLE head (
    vault    BLOB PRIMARY KEY CHECK (length(vault) = 16),
    revision INTEGER NOT NULL,
    seq      INTEGER NOT NULL,
    hash     BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT, WITHOUT ROWID;

-- The newest receipt that each organisation's book must hold. A restore of older data starts it anew; the mark of the
-- ledger stays.
CREATE TABLE book (
    org    TEXT PRIMARY KEY,
    number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Organisations that answer nobody without a token.
CREATE TABLE token_required (
    org TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Numbers of the whole installation; each only rises.
CREATE TABLE mark (
    name   TEXT PRIMARY KEY,
    number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
