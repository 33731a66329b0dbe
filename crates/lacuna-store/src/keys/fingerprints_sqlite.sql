-- One-way digests of the key files that wrap the keys here: the first writer's stand.
CREATE TABLE fingerprint (
    name  TEXT PRIMARY KEY,
    print BLOB NOT NULL CHECK (length(print) = 16)
) STRICT, WITHOUT ROWID;
