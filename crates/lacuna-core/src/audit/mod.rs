//! The audit chain: what was done, by whom, to which ids; never what it said.
//!
//! Entries form a chain of hashes whose end is signed; they are committed in the same transaction as the act
//! that they record.

pub(crate) mod aged;
pub(crate) mod chain;
pub(crate) mod checkpoint;

pub use chain::{AuditReport, ChainWalk, append};
pub use checkpoint::CHECKPOINT_ENTRIES;

use lacuna_store::cbor::{CborReader, CborWriter};
use lacuna_store::rows::AuditRow;
use lacuna_types::{Error, MemoryId, Result, facet};

use crate::permit::Acting;

/// The fields of an entry, and how many of them are written where it has no service, and where it has no notes either.
const FIELDS: u64 = 6;
const NOTED_FIELDS: u64 = 5;
const FIRST_FIELDS: u64 = 4;
/// Notes of one entry.
pub const NOTES_MAX: usize = 64;

facet!(
    /** The kinds of action that an entry records. */
    AuditAction, "action", {
    MemoryWrite = 1 "memory_write",
    MemoryDelete = 2 "memory_delete",
    MemoryDeleteDone = 3 "memory_delete_done",
    MemoryReembed = 4 "memory_reembed",
    TokenCreate = 5 "token_create",
    TokenRevoke = 6 "token_revoke",
    SecretRedacted = 7 "secret_redacted",
    PoisoningAttemptBlocked = 8 "poisoning_attempt_blocked",
    MemorySupersede = 9 "memory_supersede",
    MemoryRepeat = 10 "memory_repeat",
    MemoryApprove = 11 "memory_approve",
    MemoryActivate = 12 "memory_activate",
    MemorySoftDelete = 13 "memory_soft_delete",
    MemoryRestore = 14 "memory_restore",
    MemoryArchive = 15 "memory_archive",
    MemoryReject = 16 "memory_reject",
    VaultFreeze = 17 "vault_freeze",
    VaultThaw = 18 "vault_thaw",
    MemberAdd = 20 "member_add",
    MemberRemove = 21 "member_remove",
    MemoryPromote = 22 "memory_promote",
    MemoryDemote = 23 "memory_demote",
    MemoryMoveDone = 24 "memory_move_done",
    WriteAsked = 25 "write_asked",
    MemoryExport = 26 "memory_export",
    MemoryImport = 27 "memory_import",
    MemoryRead = 30 "memory_read",
    Checkpoint = 31 "checkpoint",
    AuditAged = 32 "audit_aged",
    // Never written: how an entry reads whose bytes are gone.
    AgedOut = 33 "aged_out",
    PersonRequest = 34 "person_request",
    PersonDone = 35 "person_done",
    DeliveryDone = 36 "delivery_done",
    DeliveryFailed = 37 "delivery_failed",
    TombstonesGone = 38 "tombstones_gone",
    MemoryForget = 40 "memory_forget",
    MemoryCascade = 41 "memory_cascade",
    MemoryCut = 42 "memory_cut",
    MemoryRebuild = 43 "memory_rebuild",
    MemoryWithhold = 44 "memory_withhold",
    MemoryUnlink = 45 "memory_unlink",
    MemoryPurge = 46 "memory_purge",
    MemoryCorrect = 47 "memory_correct",
    Receipt = 48 "receipt",
    MemoryAnonymise = 49 "memory_anonymise",
    VaultDestroy = 50 "vault_destroy",
    VaultDestroyDone = 51 "vault_destroy_done",
    BackupMade = 52 "backup_made",
    BackupRestored = 53 "backup_restored",
    LedgerReplayed = 54 "ledger_replayed",
    RollbackAccepted = 55 "rollback_accepted",
    KeyRotated = 56 "key_rotated",
    // The id that stays, and the memory behind it from then on.
    MemoryReplace = 57 "memory_replace",
    MemoryRehearse = 60 "memory_rehearse",
    SessionEnd = 61 "session_end",
    MemoryCompact = 70 "memory_compact",
    RetentionSet = 80 "retention_set",
    RetentionStamp = 81 "retention_stamp",
    MemoryExpire = 82 "memory_expire",
    MemoryPin = 83 "memory_pin",
    MemoryUnpin = 84 "memory_unpin",
    MemoryKeep = 85 "memory_keep",
    ReviewPrompt = 86 "review_prompt",
    ReviewAnswer = 87 "review_answer",
    ConsentGive = 88 "consent_give",
    ConsentRevoke = 89 "consent_revoke",
    PurposeSet = 120 "purpose_set",
    HoldPlace = 121 "hold_place",
    HoldConfirm = 122 "hold_confirm",
    HoldEnd = 123 "hold_end",
    ErasureDefer = 124 "erasure_defer",
    ErasureResume = 125 "erasure_resume",
    VaultProtect = 130 "vault_protect",
    VaultUnprotect = 131 "vault_unprotect",
    VaultPassphrase = 132 "vault_passphrase",
    VaultRecover = 133 "vault_recover",
    VaultUnlock = 134 "vault_unlock",
    VaultLock = 135 "vault_lock",
    VaultUnlockFailed = 136 "vault_unlock_failed",
    CodesMade = 90 "codes_made",
    TamperFound = 91 "tamper_found",
    TamperAccepted = 92 "tamper_accepted",
    UserProvision = 100 "user_provision",
    UserRemove = 101 "user_remove",
});

/// One entry. Its encoding is frozen: a CBOR array of these fields, to which later releases may add.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AuditEntry {
    /// The action that was taken.
    pub action: AuditAction,
    /// The user who acted, or `system`.
    pub actor: String,
    /// The memories concerned, or the token, or for a membership the group's vault and the member's.
    pub subjects: Vec<Subject>,
    /// Sealed bytes written.
    pub bytes: u64,
    /// Words of ours that say more: the rules that struck, and where. Never content.
    pub notes: Vec<String>,
    /// The service that acted for the actor; empty when the actor acted.
    pub service: String,
}

/// A 16-byte id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subject(pub [u8; 16]);

impl From<MemoryId> for Subject {
    fn from(id: MemoryId) -> Self {
        Self(*id.as_bytes())
    }
}

impl AuditEntry {
    /// Makes an entry without notes.
    pub fn new<'a>(action: AuditAction, actor: impl Into<Acting<'a>>, subjects: Vec<Subject>) -> Self {
        let Acting { user, service } = actor.into();
        let service = service.unwrap_or_default().to_owned();
        Self { action, actor: user.to_owned(), subjects, bytes: 0, notes: Vec::new(), service }
    }

    /// The actor in words; with the service that acted for them.
    pub fn acted_by(&self) -> String {
        match self.service.as_str() {
            "" => self.actor.clone(),
            service => format!("service {service} for {}", self.actor),
        }
    }

    /// Decodes the entry in a row.
    pub fn decode(row: &AuditRow) -> Result<Self> {
        if chain::aged_digest(row).is_some() {
            return Ok(Self::new(AuditAction::AgedOut, "", Vec::new()));
        }
        CborReader(&row.entry)
            .growing_record(FIRST_FIELDS, FIELDS, Self::read)
            .ok_or_else(|| Error::corrupt(format!("audit entry {} does not parse", row.seq)))
    }

    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut w = CborWriter(&mut bytes);
        let fields = match (self.service.is_empty(), self.notes.is_empty()) {
            (false, _) => FIELDS,
            (true, false) => NOTED_FIELDS,
            (true, true) => FIRST_FIELDS,
        };
        w.array(fields as usize);
        w.uint(self.action.code());
        w.text(&self.actor);
        w.list(&self.subjects, |w, subject| w.bytes(&subject.0));
        w.uint(self.bytes);
        if fields >= NOTED_FIELDS {
            w.list(&self.notes, |w, note| w.text(note));
        }
        if fields == FIELDS {
            w.text(&self.service);
        }
        bytes
    }

    fn read(r: &mut CborReader<'_>, fields: u64) -> Option<Self> {
        Some(Self {
            action: AuditAction::from_code(r.uint()?)?,
            actor: r.text()?.to_owned(),
            subjects: r.list(|r| r.array_of_bytes().map(Subject))?,
            bytes: r.uint()?,
            notes: match fields >= NOTED_FIELDS {
                true => r.list(|r| Some(r.text()?.to_owned()))?,
                false => Vec::new(),
            },
            service: if fields == FIELDS { r.text()?.to_owned() } else { String::new() },
        })
    }
}

/// Returns the text after `name:` among an entry's notes.
pub(crate) fn note<'a>(entry: &'a AuditEntry, name: &str) -> Option<&'a str> {
    entry.notes.iter().find_map(|note| note.strip_prefix(name)?.strip_prefix(':'))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use lacuna_store::rows::ChainHead;
    use lacuna_types::hex::hex;

    use super::*;

    #[test]
    fn the_encoding_is_frozen() {
        let entry = AuditEntry::new(AuditAction::MemoryWrite, "anna", vec![Subject([0; 16])]);
        let row = append(&mut ChainHead::default(), Timestamp::from_second(0).unwrap(), &entry);
        assert_eq!(hex(&row.entry), "840164616e6e61815000000000000000000000000000000000".to_owned() + "00");
        assert_eq!(hex(&row.hash), "88e073ec97f50e2ebad8bd2eb96996fad67669c3eaded028535fb09cb4103264");
        assert_eq!(AuditEntry::decode(&row).unwrap().actor, "anna");
    }

    #[test]
    fn an_entry_names_the_service_beside_the_person() {
        let acting = Acting { user: "anna", service: Some("crm") };
        let entry = AuditEntry::new(AuditAction::MemoryWrite, acting, vec![]);
        let row = append(&mut ChainHead::default(), Timestamp::from_second(0).unwrap(), &entry);
        assert_eq!(hex(&row.entry), "860164616e6e6180008063".to_owned() + "63726d");
        let read = AuditEntry::decode(&row).unwrap();
        assert_eq!((read.actor.as_str(), read.service.as_str()), ("anna", "crm"));
    }
}
