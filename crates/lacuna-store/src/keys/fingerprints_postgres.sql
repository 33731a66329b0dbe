-- One-way digests of the key files that wrap the keys here: the first writer's stand.
CREATE TABLE lacuna_keys.fingerprint (
    name  text COLLATE "C" PRIMARY KEY,
    print bytea NOT NULL CHECK (length(print) = 16)
);

-- They belong to the installation and to no vault: both roles see all of them, and nobody changes one.
GRANT SELECT, INSERT ON lacuna_keys.fingerprint TO lacuna_keys_app, lacuna_keys_admin;
