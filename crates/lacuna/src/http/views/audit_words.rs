//! The audit chain in the words of the documents: their names of operations, without content, as ours are.

use lacuna_core::audit::{AuditAction, AuditEntry};
use lacuna_core::permit::Caller;

use lacuna_types::MemoryId;

/// The operation of the personal memory specification that an entry records; `None` for upkeep that it has no word for.
pub(super) fn operation(entry: &AuditEntry) -> Option<&'static str> {
    use AuditAction as A;
    Some(match entry.action {
        A::MemoryWrite | A::MemoryImport | A::MemoryRepeat => "store",
        A::MemoryRead => "retrieve",
        A::MemoryCorrect
        | A::MemoryReplace
        | A::MemorySupersede
        | A::MemoryApprove
        | A::MemoryActivate
        | A::MemoryArchive
        | A::MemoryRestore
        | A::MemoryPin
        | A::MemoryUnpin
        | A::MemoryKeep
        | A::MemoryRehearse => "update",
        A::MemoryDelete
        | A::MemoryForget
        | A::MemorySoftDelete
        | A::MemoryCascade
        | A::MemoryCut
        | A::MemoryPurge
        | A::MemoryExpire
        | A::MemoryReject => "forget",
        A::MemoryExport => "export",
        A::VaultDestroy => "destroy",
        A::MemoryCompact => "compact",
        _ => return None,
    })
}

/// `system` for upkeep, `user` for the reader's own acts, `admin` for anybody else's.
pub(super) fn performed_by(entry: &AuditEntry, reader: &Caller) -> &'static str {
    match entry.actor.as_str() {
        "system" | "policy" => "system",
        actor if actor == reader.user.as_str() => "user",
        _ => "admin",
    }
}

/// The action of the memory safety specification that an entry records; `None` for what it has no word for.
pub(super) fn action(entry: &AuditEntry) -> Option<&'static str> {
    use AuditAction as A;
    Some(match entry.action {
        A::MemoryWrite | A::MemoryImport | A::MemoryRepeat | A::MemoryCorrect => "memory_write",
        A::MemoryRead => "memory_read",
        A::MemoryExpire | A::MemoryPurge => "memory_ttl_cleanup",
        A::MemoryForget | A::MemoryDelete | A::MemorySoftDelete if entry.subjects.len() > 1 => {
            "memory_bulk_delete"
        }
        A::MemoryForget | A::MemoryDelete | A::MemorySoftDelete => "memory_delete",
        A::SecretRedacted => "secret_redacted",
        A::PoisoningAttemptBlocked => "poisoning_attempt_blocked",
        _ => return None,
    })
}

/// The memories that an entry is about.
pub(super) fn memories(entry: &AuditEntry) -> Vec<MemoryId> {
    entry.subjects.iter().map(|subject| MemoryId::from_bytes(subject.0)).collect()
}

/// The text after `name:` among an entry's notes.
pub(super) fn note<'a>(entry: &'a AuditEntry, name: &str) -> Option<&'a str> {
    entry.notes.iter().find_map(|note| note.strip_prefix(name)?.strip_prefix(':'))
}
