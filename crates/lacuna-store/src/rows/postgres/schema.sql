-- Only ids, times, states, sizes, key versions and owners are readable; frames, bodies and audit entries
-- are sealed by the vault before they come here.
--
-- lacuna_app works inside one vault at a time: app.vault names it, and forced row-level security hides
-- every other. lacuna_admin sees headers and tokens of all vaults and nothing else.

CREATE TABLE lacuna.vault (
    id          bytea PRIMARY KEY CHECK (length(id) = 16),
    org         text NOT NULL,
    holder_kind text NOT NULL,
    holder      text NOT NULL,
    revision    bigint NOT NULL,
    created_at  bigint NOT NULL,
    audit_seq   bigint NOT NULL,
    audit_hash  bytea NOT NULL CHECK (length(audit_hash) = 32)
);

CREATE TABLE lacuna.memory (
    vault          bytea NOT NULL REFERENCES lacuna.vault (id),
    id             bytea NOT NULL CHECK (length(id) = 16),
    revision       bigint NOT NULL,
    state          smallint NOT NULL,
    created_at     bigint NOT NULL,
    updated_at     bigint NOT NULL,
    expires_at     bigint,
    key_version    bigint NOT NULL,
    frame_revision bigint NOT NULL,
    frame          bytea NOT NULL,
    body_revision  bigint,
    body_bytes     bigint,
    body           bytea,
    PRIMARY KEY (vault, id)
);

-- Ciphertext does not compress; do not try.
ALTER TABLE lacuna.memory ALTER COLUMN frame SET STORAGE EXTERNAL, ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX memory_by_revision ON lacuna.memory (vault, revision);

CREATE TABLE lacuna.tombstone (
    vault    bytea NOT NULL REFERENCES lacuna.vault (id),
    id       bytea NOT NULL CHECK (length(id) = 16),
    revision bigint NOT NULL,
    at       bigint NOT NULL,
    PRIMARY KEY (vault, id)
);

CREATE INDEX tombstone_by_revision ON lacuna.tombstone (vault, revision);

CREATE TABLE lacuna.intent (
    vault    bytea NOT NULL REFERENCES lacuna.vault (id),
    id       bigint NOT NULL,
    memories bytea NOT NULL,
    PRIMARY KEY (vault, id)
);

CREATE TABLE lacuna.audit (
    vault bytea NOT NULL REFERENCES lacuna.vault (id),
    seq   bigint NOT NULL,
    at    bigint NOT NULL,
    hash  bytea NOT NULL CHECK (length(hash) = 32),
    entry bytea NOT NULL,
    PRIMARY KEY (vault, seq)
);

CREATE TABLE lacuna.token (
    id         bytea PRIMARY KEY CHECK (length(id) = 16),
    hash       bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
    org        text NOT NULL,
    holder     text NOT NULL,
    roles      text[] NOT NULL,
    label      text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint
);

CREATE INDEX token_by_org ON lacuna.token (org, created_at);

DO $$
DECLARE
    name text;
    scope text := $scope$decode(nullif(current_setting('app.vault', true), ''), 'hex')$scope$;
BEGIN
    FOREACH name IN ARRAY ARRAY['vault', 'memory', 'tombstone', 'intent', 'audit', 'token'] LOOP
        EXECUTE format('ALTER TABLE lacuna.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
    END LOOP;
    EXECUTE format('CREATE POLICY in_scope ON lacuna.vault TO lacuna_app USING (id = %s)', scope);
    FOREACH name IN ARRAY ARRAY['memory', 'tombstone', 'intent', 'audit'] LOOP
        EXECUTE format('CREATE POLICY in_scope ON lacuna.%I TO lacuna_app USING (vault = %s)', name, scope);
    END LOOP;
END $$;

CREATE POLICY in_scope ON lacuna.token TO lacuna_app
    USING (org = nullif(current_setting('app.org', true), ''));
CREATE POLICY headers ON lacuna.vault FOR SELECT TO lacuna_admin USING (true);
CREATE POLICY lookup ON lacuna.token FOR SELECT TO lacuna_admin USING (true);

-- Tombstones and audit entries can be added and read, never changed or taken away.
GRANT USAGE ON SCHEMA lacuna TO lacuna_app, lacuna_admin;
GRANT SELECT, INSERT, UPDATE ON lacuna.vault, lacuna.token TO lacuna_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON lacuna.memory TO lacuna_app;
GRANT SELECT, INSERT, DELETE ON lacuna.intent TO lacuna_app;
GRANT SELECT, INSERT ON lacuna.tombstone, lacuna.audit TO lacuna_app;
GRANT SELECT ON lacuna.vault, lacuna.token TO lacuna_admin;
