-- Keys that a key management service wrapped. Without the service none of them opens.
CREATE TABLE lacuna_keys.custody (
    name    text COLLATE "C" PRIMARY KEY,
    wrapped bytea NOT NULL
);

-- Destroyed keys should leave the heap soon, so the vacuum does not wait for a share of the table.
ALTER TABLE lacuna_keys.custody SET (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0);

-- They belong to the installation and to no vault; nobody changes one.
GRANT SELECT, INSERT, DELETE ON lacuna_keys.custody TO lacuna_keys_admin;
