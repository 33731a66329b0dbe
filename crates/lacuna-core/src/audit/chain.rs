//! The chain of audit entries. Each entry's hash covers the hash before it, so that a changed, dropped or reordered
//! entry shows; the installation signs the end of the chain, so that a chain made anew shows.
//!
//! A hash covers the digest of an entry's bytes. When an entry is aged out its bytes are deleted and the digest
//! stays in their place, so that the chain still verifies. The first release hashed the bytes themselves; its
//! entries verify as they did, and are never aged out.

use jiff::Timestamp;
use lacuna_seal::{Digest, Signature, SigningKey, VerifyingKey};
use lacuna_store::cbor::{CborReader, CborWriter};
use lacuna_store::rows::{AuditRow, ChainHead};
use lacuna_types::{Error, Result, VaultId, millis};

use crate::audit::aged::AgedSum;
use crate::audit::checkpoint::Checkpoint;
use crate::audit::{AuditAction, AuditEntry};

const FIRST_HASH_DOMAIN: &str = "lacuna/audit/v1";
const HASH_DOMAIN: &str = "lacuna/audit/v2";
const ENTRY_DOMAIN: &str = "lacuna/audit-entry/v2";
const HEAD_DOMAIN: &str = "lacuna/audit-head/v1";
/// A digest in the place of an entry: the head of a byte string and 32 bytes. An entry is never one.
const AGED_BYTES: usize = 34;

/// Appends an entry and returns the row to commit, still without a code. `head` moves on to it.
pub fn append(head: &mut ChainHead, at: Timestamp, entry: &AuditEntry) -> AuditRow {
    let bytes = entry.encode();
    let seq = head.seq + 1;
    let hash = entry_hash(&head.hash, seq, at, &entry_digest(&bytes));
    *head = ChainHead { seq, hash };
    AuditRow { seq, at, entry: bytes, hash, code: None }
}

/// Checks that `row` continues the chain that ends at `head`, and moves `head` on to it.
pub(crate) fn follow(head: &mut ChainHead, row: &AuditRow) -> Result<()> {
    if row.seq != head.seq + 1 {
        return Err(Error::corrupt(format!("audit entry {} is missing", head.seq + 1)));
    }
    let digest = aged_digest(row).unwrap_or_else(|| entry_digest(&row.entry));
    if entry_hash(&head.hash, row.seq, row.at, &digest) != row.hash && !is_of_first_rule(head, row) {
        return Err(Error::corrupt(format!("audit entry {} does not match its hash", row.seq)));
    }
    *head = ChainHead { seq: row.seq, hash: row.hash };
    Ok(())
}

/// Returns true when the first release wrote `row`, which follows `head`.
pub(crate) fn is_of_first_rule(head: &ChainHead, row: &AuditRow) -> bool {
    let parts: [&[u8]; 4] = [&head.hash, &row.seq.to_be_bytes(), &millis(row.at).to_be_bytes(), &row.entry];
    *Digest::of(FIRST_HASH_DOMAIN, &parts).as_bytes() == row.hash
}

/// Signs that the chain of `vault` ends at `head`.
pub(crate) fn sign_head(head: &ChainHead, vault: VaultId, key: &SigningKey) -> Signature {
    key.sign(HEAD_DOMAIN, &[vault.as_bytes(), &head.seq.to_be_bytes(), &head.hash])
}

/// Returns true when `signature` is `key`'s over the end of the chain of `vault`.
pub(crate) fn is_signed(head: &ChainHead, vault: VaultId, key: &VerifyingKey, signature: &Signature) -> bool {
    let parts: [&[u8]; 3] = [vault.as_bytes(), &head.seq.to_be_bytes(), &head.hash];
    key.verify(HEAD_DOMAIN, &parts, signature).is_ok()
}

fn entry_hash(previous: &[u8; 32], seq: u64, at: Timestamp, digest: &[u8; 32]) -> [u8; 32] {
    let parts: [&[u8]; 4] = [previous, &seq.to_be_bytes(), &millis(at).to_be_bytes(), digest];
    *Digest::of(HASH_DOMAIN, &parts).as_bytes()
}

fn entry_digest(entry: &[u8]) -> [u8; 32] {
    *Digest::of(ENTRY_DOMAIN, &[entry]).as_bytes()
}

/// The digest that stands in the place of an entry, if it was aged out.
pub(crate) fn aged_digest(row: &AuditRow) -> Option<[u8; 32]> {
    (row.entry.len() == AGED_BYTES).then(|| CborReader(&row.entry).array_of_bytes())?
}

/// Returns the bytes that replace an entry when it is aged out.
pub(crate) fn aged_bytes(entry: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(AGED_BYTES);
    CborWriter(&mut bytes).bytes(&entry_digest(entry));
    bytes
}

/// The result of a verification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AuditReport {
    /// The number of the first entry: above one where only a part of the chain was looked at.
    pub first: u64,
    /// The number of the last entry.
    pub entries: u64,
    /// The hash of the last entry: whoever wrote it down earlier can see that nothing was cut off.
    pub head: [u8; 32],
    /// The number of checkpoints that were verified.
    pub checkpoints: u64,
    /// Entries whose bytes were aged out.
    pub aged: u64,
    /// The key that the checkpoints were verified with.
    pub key: VerifyingKey,
}

/// Holds every entry of a chain to its place, and its end to the signature. Needs neither store nor keys.
pub struct ChainWalk {
    vault: VaultId,
    key: VerifyingKey,
    head: ChainHead,
    first: Option<u64>,
    checkpoints: u64,
    aged: AgedSum,
    /// The aged-out entries that the chain itself has announced so far.
    announced: AgedSum,
    /// A head that somebody wrote down earlier.
    known: Option<ChainHead>,
}

impl ChainWalk {
    /// Begins before the first entry.
    pub fn new(vault: VaultId, key: VerifyingKey) -> Self {
        let (head, aged, announced) = (ChainHead::default(), AgedSum::default(), AgedSum::default());
        Self { vault, key, head, first: None, checkpoints: 0, aged, announced, known: None }
    }

    /// Begins after an entry that something else vouches for.
    pub fn after(vault: VaultId, key: VerifyingKey, head: ChainHead) -> Self {
        Self { head, first: Some(head.seq + 1), ..Self::new(vault, key) }
    }

    /// Asks as well that the chain goes through a head that was written down earlier.
    pub fn through(self, known: ChainHead) -> Self {
        Self { known: Some(known), ..self }
    }

    /// The number of the last entry so far.
    pub fn seq(&self) -> u64 {
        self.head.seq
    }

    /// The next entry. The first one may be a checkpoint in the middle of the chain: its signature vouches
    /// for what came before.
    pub fn step(&mut self, row: &AuditRow) -> Result<AuditEntry> {
        let entry = AuditEntry::decode(row)?;
        if self.first.is_none() {
            self.begin(row, &entry)?;
        }
        let before = self.head;
        follow(&mut self.head, row)?;
        self.hold_to_known()?;
        match entry.action {
            AuditAction::AgedOut => self.aged.add(row.seq),
            AuditAction::Checkpoint => {
                let checkpoint = Checkpoint::read(&entry, row.seq)?;
                if checkpoint.head != before || !checkpoint.holds(self.vault, &self.key) {
                    return Err(Error::corrupt(format!(
                        "checkpoint {} is not signed as it should be",
                        row.seq
                    )));
                }
                self.checkpoints += 1;
            }
            AuditAction::AuditAged => self.announced = AgedSum::read(&entry, row.seq)?,
            _ => {}
        }
        Ok(entry)
    }

    fn begin(&mut self, row: &AuditRow, entry: &AuditEntry) -> Result<()> {
        self.first = Some(row.seq);
        if row.seq != 1 && entry.action == AuditAction::Checkpoint {
            self.head = Checkpoint::read(entry, row.seq)?.head;
        }
        Ok(())
    }

    fn hold_to_known(&self) -> Result<()> {
        match self.known {
            Some(known) if known.seq == self.head.seq && known.hash != self.head.hash => {
                Err(Error::corrupt(format!("audit entry {} is not the one that was written down", known.seq)))
            }
            _ => Ok(()),
        }
    }

    /// The end: the chain must stand where its signed head says, and have lost no more than it says.
    pub fn finish(self, head: ChainHead, signature: Option<&Signature>) -> Result<AuditReport> {
        if self.first.unwrap_or(1) == 1 && self.aged != self.announced {
            return Err(Error::corrupt("audit entries are gone that the chain does not say were aged out"));
        }
        self.end(head, signature)
    }

    /// The end of a part after which the chain goes on; what was aged out is said later.
    pub fn finish_early(self, head: ChainHead, signature: &Signature) -> Result<AuditReport> {
        self.end(head, Some(signature))
    }

    fn end(self, head: ChainHead, signature: Option<&Signature>) -> Result<AuditReport> {
        if self.head.seq < head.seq || self.known.is_some_and(|known| known.seq > self.head.seq) {
            return Err(Error::corrupt(format!("the audit chain is cut off after entry {}", self.head.seq)));
        }
        if self.head != head {
            return Err(Error::corrupt("the vault's header does not match the end of its audit chain"));
        }
        let signed = signature.is_some_and(|signature| is_signed(&head, self.vault, &self.key, signature));
        if head.seq > 0 && !signed {
            return Err(Error::corrupt("the end of the audit chain is not signed by this installation"));
        }
        let first = self.first.unwrap_or(1);
        let (entries, head, aged) = (self.head.seq, self.head.hash, self.aged.count());
        Ok(AuditReport { first, entries, head, checkpoints: self.checkpoints, aged, key: self.key })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::Subject;

    fn entry(n: u8) -> AuditEntry {
        AuditEntry::new(AuditAction::MemoryWrite, "anna", vec![Subject([n; 16])])
    }

    fn chain(length: u8) -> Vec<AuditRow> {
        let mut head = ChainHead::default();
        let second = |n: u8| Timestamp::from_second(i64::from(n)).unwrap();
        (0..length).map(|n| append(&mut head, second(n), &entry(n))).collect()
    }

    fn verify(rows: &[AuditRow]) -> Result<ChainHead> {
        let mut head = ChainHead::default();
        rows.iter().try_for_each(|row| follow(&mut head, row))?;
        Ok(head)
    }

    #[test]
    fn every_tampering_shows() {
        let rows = chain(5);
        assert_eq!(verify(&rows).unwrap().seq, 5);
        for at in 0..rows.len() {
            for byte in 0..rows[at].entry.len() {
                let mut changed = rows.clone();
                changed[at].entry[byte] ^= 1;
                assert!(verify(&changed).is_err());
            }
            let mut moved_in_time = rows.clone();
            moved_in_time[at].at += jiff::SignedDuration::from_millis(1);
            assert!(verify(&moved_in_time).is_err());
            if at + 1 < rows.len() {
                let mut dropped = rows.clone();
                dropped.remove(at);
                assert!(verify(&dropped).is_err());
                let mut swapped = rows.clone();
                swapped.swap(at, at + 1);
                assert!(verify(&swapped).is_err());
            }
        }
    }

    /// A chain that the first release began, as its bytes stand on disk.
    #[test]
    fn entries_of_the_first_release_still_verify_and_new_ones_follow_them() {
        let mut head = ChainHead::default();
        let mut row = append(&mut head, Timestamp::UNIX_EPOCH, &entry(0));
        let parts: [&[u8]; 4] = [&[0; 32], &1u64.to_be_bytes(), &0i64.to_be_bytes(), &row.entry];
        row.hash = *Digest::of(FIRST_HASH_DOMAIN, &parts).as_bytes();
        assert!(is_of_first_rule(&ChainHead::default(), &row));
        let mut head = verify(std::slice::from_ref(&row)).unwrap();
        let next = append(&mut head, Timestamp::UNIX_EPOCH, &entry(1));
        assert_eq!(verify(&[row.clone(), next]).unwrap(), head);
        // Its hash covers the bytes themselves: without them it does not verify.
        row.entry = aged_bytes(&row.entry);
        assert!(verify(&[row]).is_err());
    }

    #[test]
    fn an_entry_without_its_bytes_verifies_and_no_other_bytes_take_its_place() {
        let mut rows = chain(3);
        rows[1].entry = aged_bytes(&rows[1].entry);
        assert_eq!(verify(&rows).unwrap().seq, 3);
        assert_eq!(AuditEntry::decode(&rows[1]).unwrap().action, AuditAction::AgedOut);
        for byte in 0..rows[1].entry.len() {
            let mut changed = rows.clone();
            changed[1].entry[byte] ^= 1;
            assert!(verify(&changed).is_err());
        }
    }
}
