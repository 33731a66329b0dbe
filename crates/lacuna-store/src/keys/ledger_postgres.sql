-- The erasure ledger. An empty `memory` says that everything of the vault made before `at` is gone.
CREATE TABLE lacuna_keys.erased (
    vault  bytea NOT NULL CHECK (length(vault) = 16),
    memory bytea NOT NULL CHECK (length(memory) IN (0, 16)),
    at     bigint NOT NULL,
    PRIMARY KEY (vault, memory)
);

CREATE INDEX erased_by_time ON lacuna_keys.erased (at);

-- The newest receipt of each organisation under which something was erased.
CREATE TABLE lacuna_keys.receipt (
    org    text COLLATE "C" PRIMARY KEY,
    number bigint NOT NULL
);

ALTER TABLE lacuna_keys.erased ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE lacuna_keys.receipt ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY in_scope ON lacuna_keys.erased TO lacuna_keys_app
    USING (vault = decode(nullif(current_setting('app.vault', true), ''), 'hex'));
CREATE POLICY in_scope ON lacuna_keys.receipt TO lacuna_keys_app
    USING (org = nullif(current_setting('app.org', true), ''));
CREATE POLICY whole ON lacuna_keys.erased TO lacuna_keys_admin USING (true);
CREATE POLICY whole ON lacuna_keys.receipt FOR SELECT TO lacuna_keys_admin USING (true);

-- A line of the ledger goes only when its time is over, and never while somebody works inside a vault.
GRANT SELECT, INSERT, UPDATE (at) ON lacuna_keys.erased TO lacuna_keys_app;
GRANT SELECT, INSERT, UPDATE (number) ON lacuna_keys.receipt TO lacuna_keys_app;
GRANT SELECT, DELETE ON lacuna_keys.erased TO lacuna_keys_admin;
GRANT SELECT ON lacuna_keys.receipt TO lacuna_keys_admin;

-- Destroying a vault takes its root and class keys along.
GRANT DELETE ON lacuna_keys.root, lacuna_keys.class_key TO lacuna_keys_app;
ALTER TABLE lacuna_keys.class_key SET (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0);
