-- When the vault stopped taking writes, if it did (GDPR article 18).
ALTER TABLE lacuna.vault ADD COLUMN frozen_at bigint;
