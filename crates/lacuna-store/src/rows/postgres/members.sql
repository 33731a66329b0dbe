-- Who belongs to which team or deployment. Names compare by their bytes, as they do in every other store.
CREATE TABLE lacuna.member (
    org      text COLLATE "C" NOT NULL,
    kind     text COLLATE "C" NOT NULL,
    name     text COLLATE "C" NOT NULL,
    holder   text COLLATE "C" NOT NULL,
    added_at bigint NOT NULL,
    PRIMARY KEY (org, kind, name, holder)
);

CREATE INDEX member_by_holder ON lacuna.member (org, holder, kind, name);

ALTER TABLE lacuna.member ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY in_scope ON lacuna.member TO lacuna_app
    USING (org = nullif(current_setting('app.org', true), ''));
GRANT SELECT, INSERT, DELETE ON lacuna.member TO lacuna_app;
