-- Which job is due when, and who runs it. Nothing of it belongs to one vault, so only lacuna_admin sees it.
CREATE TABLE lacuna.job (
    name          text COLLATE "C" PRIMARY KEY,
    due_at        bigint NOT NULL,
    claimed_by    text,
    claimed_until bigint,
    began_at      bigint,
    ended_at      bigint,
    outcome       text,
    done          bigint NOT NULL,
    failures      bigint NOT NULL
);

ALTER TABLE lacuna.job ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY scheduler ON lacuna.job TO lacuna_admin USING (true);
GRANT SELECT, INSERT, UPDATE ON lacuna.job TO lacuna_admin;

-- What a vault's owner has set, sealed. Apart from the header, which lacuna_admin may read.
CREATE TABLE lacuna.setting (
    vault    bytea PRIMARY KEY REFERENCES lacuna.vault (id),
    revision bigint NOT NULL,
    sealed   bytea NOT NULL
);

ALTER TABLE lacuna.setting ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY in_scope ON lacuna.setting TO lacuna_app, lacuna_eraser
    USING (vault = decode(nullif(current_setting('app.vault', true), ''), 'hex'));
GRANT SELECT, INSERT, UPDATE ON lacuna.setting TO lacuna_app;
GRANT SELECT (vault), DELETE ON lacuna.setting TO lacuna_eraser;

-- Whether a tombstone goes long before the others: what it stands for was to leave no trace.
ALTER TABLE lacuna.tombstone ADD COLUMN brief boolean NOT NULL DEFAULT false;
GRANT SELECT (brief) ON lacuna.tombstone TO lacuna_eraser;

-- Memories that expire, for the sweep, which sees which vaults hold some, and when. 4 is the state deleted,
-- which the purge takes care of.
CREATE INDEX memory_expiring ON lacuna.memory (vault, expires_at) WHERE expires_at IS NOT NULL AND state <> 4;
CREATE POLICY expiring ON lacuna.memory FOR SELECT TO lacuna_admin USING (expires_at IS NOT NULL AND state <> 4);
GRANT SELECT (expires_at) ON lacuna.memory TO lacuna_admin;
