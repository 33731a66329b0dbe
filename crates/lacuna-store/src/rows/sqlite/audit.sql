-- The installation's signature of where the audit chain ends.
ALTER TABLE vault ADD COLUMN audit_signature BLOB CHECK (length(audit_signature) = 64);
