-- Codes under the organisation's key. Whoever writes the database without that key cannot make them.
-- A code without the others is never written; rows of an older release have none.
ALTER TABLE lacuna.vault ADD COLUMN rows_code bytea CHECK (length(rows_code) = 32);
ALTER TABLE lacuna.vault ADD COLUMN access_code bytea CHECK (length(access_code) = 32);
ALTER TABLE lacuna.vault ADD COLUMN header_code bytea CHECK (length(header_code) = 32);
ALTER TABLE lacuna.audit ADD COLUMN code bytea CHECK (length(code) = 32);

-- Codes cover the revision of the sealed settings: whoever reads headers reads it with them.
CREATE POLICY revisions ON lacuna.setting FOR SELECT TO lacuna_admin USING (true);
GRANT SELECT (vault, revision) ON lacuna.setting TO lacuna_admin;
