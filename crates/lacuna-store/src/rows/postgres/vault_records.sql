-- The receipts of one vault, without looking through those of all the others.
CREATE INDEX record_of_vault ON lacuna.record (vault, kind, number) WHERE vault IS NOT NULL;
