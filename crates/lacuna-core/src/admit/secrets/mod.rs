//! Secrets: what must never be stored, by a table of rules.
