-- Keys that a key management service wrapped. Without the service none of them opens.
CREATE TABLE custody (
    name    TEXT PRIMARY KEY,
    wrapped BLOB NOT NULL
) STRICT, WITHOUT ROWID;
