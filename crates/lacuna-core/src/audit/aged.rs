//! Retention of the log itself: what is old enough goes, and the chain still verifies.

use lacuna_seal::Digest;
use lacuna_types::hex::{hex, unhex};
use lacuna_types::{Error, Result};

use crate::audit::{AuditAction, AuditEntry, note};

const SUM_DOMAIN: &str = "lacuna/audit-aged/v1";

/// The entries of a chain that were aged out, as a count and a digest over their numbers in order. The chain
/// records both in an entry of its own, so that nobody can pass a wiped entry off as an old one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct AgedSum {
    count: u64,
    digest: [u8; 32],
}

impl AgedSum {
    pub(crate) fn add(&mut self, seq: u64) {
        self.count += 1;
        self.digest = *Digest::of(SUM_DOMAIN, &[&self.digest, &seq.to_be_bytes()]).as_bytes();
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    pub(crate) fn entry(&self, now_aged: usize) -> AuditEntry {
        let notes = vec![
            format!("count:{now_aged}"),
            format!("in_all:{}", self.count),
            format!("digest:{}", hex(&self.digest)),
        ];
        AuditEntry { notes, ..AuditEntry::new(AuditAction::AuditAged, "system", Vec::new()) }
    }

    pub(crate) fn read(entry: &AuditEntry, seq: u64) -> Result<Self> {
        let read = || {
            let count = note(entry, "in_all")?.parse().ok()?;
            Some(Self { count, digest: unhex(note(entry, "digest")?)?.try_into().ok()? })
        };
        read().ok_or_else(|| Error::corrupt(format!("audit entry {seq} does not parse")))
    }
}
