-- Wrapped keys only: without the master key and the epoch key none of them opens anything.
--
-- lacuna_keys_app works inside one vault at a time; lacuna_keys_admin sees which vaults have keys.

CREATE TABLE lacuna_keys.root (
    vault       bytea PRIMARY KEY CHECK (length(vault) = 16),
    generation  bigint NOT NULL,
    key_version bigint NOT NULL,
    epoch       bigint NOT NULL,
    holder      smallint NOT NULL,
    wrapped     bytea NOT NULL
);

CREATE TABLE lacuna_keys.class_key (
    vault   bytea NOT NULL REFERENCES lacuna_keys.root (vault),
    id      bytea NOT NULL CHECK (length(id) = 16),
    number  bigint GENERATED ALWAYS AS IDENTITY,
    wrapped bytea NOT NULL,
    PRIMARY KEY (vault, id)
);

CREATE TABLE lacuna_keys.memory_key (
    vault   bytea NOT NULL,
    memory  bytea NOT NULL CHECK (length(memory) = 16),
    class   bytea NOT NULL,
    binding smallint NOT NULL,
    wrapped bytea NOT NULL,
    PRIMARY KEY (vault, memory),
    FOREIGN KEY (vault, class) REFERENCES lacuna_keys.class_key (vault, id)
);

-- Destroyed keys should leave the heap soon, so the vacuum does not wait for a share of the table.
ALTER TABLE lacuna_keys.memory_key SET (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0);
ALTER TABLE lacuna_keys.root SET (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0);

DO $$
DECLARE
    name text;
    scope text := $scope$decode(nullif(current_setting('app.vault', true), ''), 'hex')$scope$;
BEGIN
    FOREACH name IN ARRAY ARRAY['root', 'class_key', 'memory_key'] LOOP
        EXECUTE format('ALTER TABLE lacuna_keys.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY in_scope ON lacuna_keys.%I TO lacuna_keys_app USING (vault = %s)', name, scope);
    END LOOP;
END $$;

CREATE POLICY vaults ON lacuna_keys.root FOR SELECT TO lacuna_keys_admin USING (true);

GRANT USAGE ON SCHEMA lacuna_keys TO lacuna_keys_app, lacuna_keys_admin;
GRANT SELECT, INSERT, UPDATE ON lacuna_keys.root TO lacuna_keys_app;
GRANT SELECT, INSERT ON lacuna_keys.class_key TO lacuna_keys_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON lacuna_keys.memory_key TO lacuna_keys_app;
GRANT SELECT (vault) ON lacuna_keys.root TO lacuna_keys_admin;
