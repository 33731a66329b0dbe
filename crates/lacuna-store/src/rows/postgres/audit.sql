-- The installation's signature of where the audit chain ends.
ALTER TABLE lacuna.vault ADD COLUMN audit_signature bytea CHECK (length(audit_signature) = 64);

-- The bytes of an old entry give way to their digest; its number, time and hash cannot be changed.
GRANT UPDATE (entry) ON lacuna.audit TO lacuna_app;
