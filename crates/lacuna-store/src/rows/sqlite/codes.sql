-- Codes under the organisation's key. Whoever writes the database without that key cannot make them.
-- A code without the others is never written; rows of an older release have none.
ALTER TABLE vault ADD COLUMN rows_code BLOB CHECK (length(rows_code) = 32);
ALTER TABLE vault ADD COLUMN access_code BLOB CHECK (length(access_code) = 32);
ALTER TABLE vault ADD COLUMN header_code BLOB CHECK (length(header_code) = 32);
ALTER TABLE audit ADD COLUMN code BLOB CHECK (length(code) = 32);
