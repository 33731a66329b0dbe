-- The record book of an organisation. Documents hold no content.
CREATE TABLE lacuna.record (
    org     text COLLATE "C" NOT NULL,
    kind    smallint NOT NULL,
    number  bigint NOT NULL,
    vault   bytea CHECK (length(vault) = 16),
    at      bigint NOT NULL,
    due_at  bigint,
    done_at bigint,
    doc     bytea NOT NULL,
    PRIMARY KEY (org, kind, number)
);

CREATE INDEX record_due ON lacuna.record (kind, due_at) WHERE done_at IS NULL AND due_at IS NOT NULL;

ALTER TABLE lacuna.record ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY in_scope ON lacuna.record TO lacuna_app
    USING (org = nullif(current_setting('app.org', true), ''));
GRANT SELECT, INSERT, UPDATE, DELETE ON lacuna.record TO lacuna_app;

-- The scheduler sees what is due in every book, and nothing else of them.
CREATE POLICY due ON lacuna.record FOR SELECT TO lacuna_admin USING (done_at IS NULL AND due_at IS NOT NULL);
GRANT SELECT ON lacuna.record TO lacuna_admin;

-- What whoever ends an erasure needs to know.
ALTER TABLE lacuna.intent ADD COLUMN note bytea NOT NULL DEFAULT '';

-- Where a vault stopped counting that was destroyed; what begins in its place goes on from there.
CREATE TABLE lacuna.ended (
    vault    bytea PRIMARY KEY CHECK (length(vault) = 16),
    revision bigint NOT NULL
);

ALTER TABLE lacuna.vault ADD COLUMN began_after bigint NOT NULL DEFAULT 0;
ALTER TABLE lacuna.ended ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY in_scope ON lacuna.ended TO lacuna_app, lacuna_eraser
    USING (vault = decode(nullif(current_setting('app.vault', true), ''), 'hex'));
GRANT SELECT ON lacuna.ended TO lacuna_app;
GRANT SELECT, INSERT, UPDATE ON lacuna.ended TO lacuna_eraser;

-- Soft-deleted memories, for the sweep that erases them. 4 is the state deleted. The sweep sees which vaults
-- hold some, and since when.
CREATE INDEX memory_deleted ON lacuna.memory (vault, updated_at) WHERE state = 4;
CREATE POLICY deleted ON lacuna.memory FOR SELECT TO lacuna_admin USING (state = 4);
GRANT SELECT (vault, state, updated_at) ON lacuna.memory TO lacuna_admin;

-- lacuna_eraser destroys one vault at a time, and takes away tombstones whose time is over. lacuna_app still
-- cannot touch tombstones and audit entries.
DO $$
DECLARE
    name text;
    scope text := $scope$decode(nullif(current_setting('app.vault', true), ''), 'hex')$scope$;
BEGIN
    EXECUTE format('CREATE POLICY in_scope_to_erase ON lacuna.vault TO lacuna_eraser USING (id = %s)', scope);
    FOREACH name IN ARRAY ARRAY['memory', 'tombstone', 'intent', 'audit'] LOOP
        EXECUTE format('CREATE POLICY in_scope_to_erase ON lacuna.%I TO lacuna_eraser USING (vault = %s)', name, scope);
    END LOOP;
END $$;

GRANT USAGE ON SCHEMA lacuna TO lacuna_eraser;
GRANT SELECT (id, revision), UPDATE (revision), DELETE ON lacuna.vault TO lacuna_eraser;
GRANT SELECT (vault), DELETE ON lacuna.memory, lacuna.intent, lacuna.audit TO lacuna_eraser;
GRANT SELECT (vault, at), DELETE ON lacuna.tombstone TO lacuna_eraser;
