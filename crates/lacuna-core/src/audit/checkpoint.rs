//! Checkpoints: entries that carry a signature over everything before them, so that even a part of a chain
//! can be checked.

use jiff::{SignedDuration, Timestamp};
use lacuna_seal::{Signature, SigningKey, VerifyingKey};
use lacuna_store::rows::ChainHead;
use lacuna_types::hex::{hex, unhex};
use lacuna_types::{Error, Result, VaultId};

use crate::audit::chain::{is_signed, sign_head};
use crate::audit::{AuditAction, AuditEntry, note};

/// There is a checkpoint at least every so many entries.
pub const CHECKPOINT_ENTRIES: u64 = 1_000;
/// And one every so often, where anything happened.
pub(crate) const CHECKPOINT_AGE: SignedDuration = SignedDuration::from_hours(24);

/// A signed word on where the chain stood before the entry that carries it.
pub(crate) struct Checkpoint {
    pub(crate) head: ChainHead,
    signature: Signature,
    key: VerifyingKey,
}

impl Checkpoint {
    pub(crate) fn entry(head: &ChainHead, vault: VaultId, key: &SigningKey) -> AuditEntry {
        let notes = vec![
            format!("seq:{}", head.seq),
            format!("hash:{}", hex(&head.hash)),
            format!("signature:{}", sign_head(head, vault, key)),
            format!("key:{}", key.verifying_key()),
        ];
        AuditEntry { notes, ..AuditEntry::new(AuditAction::Checkpoint, "system", Vec::new()) }
    }

    pub(crate) fn read(entry: &AuditEntry, seq: u64) -> Result<Self> {
        let read = || {
            let hash = unhex(note(entry, "hash")?)?.try_into().ok()?;
            let head = ChainHead { seq: note(entry, "seq")?.parse().ok()?, hash };
            let signature = note(entry, "signature")?.parse().ok()?;
            Some(Self { head, signature, key: note(entry, "key")?.parse().ok()? })
        };
        read().ok_or_else(|| Error::corrupt(format!("checkpoint {seq} does not parse")))
    }

    pub(crate) fn holds(&self, vault: VaultId, key: &VerifyingKey) -> bool {
        self.key == *key && is_signed(&self.head, vault, key, &self.signature)
    }
}

/// Returns true when a chain that grows from `before` to `after` passes the number of a checkpoint.
pub(crate) fn is_passed(before: u64, after: u64) -> bool {
    before / CHECKPOINT_ENTRIES != after / CHECKPOINT_ENTRIES
}

/// Returns true when a chain whose last checkpoint was made at `last` is due for another.
pub(crate) fn is_due(last: Option<Timestamp>, now: Timestamp) -> bool {
    last.is_none_or(|last| now.duration_since(last) >= CHECKPOINT_AGE)
}
