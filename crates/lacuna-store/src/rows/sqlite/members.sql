-- Who belongs to which team or deployment. `kind` is `team` or `deployment`.
CREATE TABLE member (
    org      TEXT NOT NULL,
    kind     TEXT NOT NULL,
    name     TEXT NOT NULL,
    user     TEXT NOT NULL,
    added_at INTEGER NOT NULL,
    PRIMARY KEY (org, kind, name, user)
) STRICT, WITHOUT ROWID;

CREATE INDEX member_by_user ON member (org, user, kind, name);
