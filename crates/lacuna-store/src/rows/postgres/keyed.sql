-- Requests that came under an Idempotency-Key: keyed marks, and answers that only the same request opens.
CREATE TABLE lacuna.keyed_request (
    org        text COLLATE "C" NOT NULL,
    mark       bytea NOT NULL CHECK (length(mark) = 32),
    caller     bytea NOT NULL CHECK (length(caller) = 32),
    print      bytea NOT NULL CHECK (length(print) = 32),
    began_at   bigint NOT NULL,
    -- Who answers it, and until when; null once it is answered.
    holder     bytea,
    held_until bigint,
    answer     bytea,
    -- Whether something was erased in the organisation since it began: then its answer is not kept.
    is_bare    boolean NOT NULL DEFAULT false,
    PRIMARY KEY (org, mark)
);

CREATE INDEX keyed_request_of_caller ON lacuna.keyed_request (org, caller, began_at);
CREATE INDEX keyed_request_answers ON lacuna.keyed_request (org, caller, began_at)
    WHERE answer IS NOT NULL OR held_until IS NOT NULL;
CREATE INDEX keyed_request_old ON lacuna.keyed_request (began_at);

ALTER TABLE lacuna.keyed_request ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY in_scope ON lacuna.keyed_request TO lacuna_app
    USING (org = nullif(current_setting('app.org', true), ''));
GRANT SELECT, INSERT, UPDATE, DELETE ON lacuna.keyed_request TO lacuna_app;

-- The scheduler takes away the old ones, and sees nothing of them but their age.
CREATE POLICY old ON lacuna.keyed_request TO lacuna_admin USING (true);
GRANT SELECT (began_at), DELETE ON lacuna.keyed_request TO lacuna_admin;

-- Whoever destroys a vault takes the answers of its organisation away.
CREATE POLICY in_scope_to_erase ON lacuna.keyed_request TO lacuna_eraser
    USING (org = (SELECT vault.org FROM lacuna.vault
                  WHERE vault.id = decode(nullif(current_setting('app.vault', true), ''), 'hex')));
GRANT SELECT (org), UPDATE (answer, is_bare) ON lacuna.keyed_request TO lacuna_eraser;
GRANT SELECT (org) ON lacuna.vault TO lacuna_eraser;
