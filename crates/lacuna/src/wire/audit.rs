use std::path::Path;

use jiff::Timestamp;
use lacuna_core::audit::{AuditEntry, AuditReport};
use lacuna_core::govern::{AuditEnd, AuditKept, ChangedVault};
use lacuna_store::rows::{AuditRow, ChainHead};
use lacuna_types::Scope;
use serde::Serialize;
use utoipa::ToSchema;

use super::audit_file::VerifiedFile;
use super::scope::shown;
use super::{hex, unhex};
use crate::wire::failure::{Failure, Result};

/// A chain that was walked from its first entry to its last, and holds.
#[derive(Serialize, ToSchema)]
#[schema(as = AuditVerified)]
pub(crate) struct AuditVerified {
    /// The vault whose chain it is.
    pub(crate) scope: String,
    pub(crate) entries: u64,
    /// The hash of the last entry. Write it down: later it shows that nothing was cut off.
    pub(crate) head: String,
    pub(crate) checkpoints: u64,
    /// Entries that were old enough to go; their hashes stay.
    pub(crate) aged: u64,
    /// The public key that its end is signed with.
    pub(crate) key: String,
}

impl AuditVerified {
    pub(crate) fn of(report: AuditReport, scope: &Scope) -> Self {
        Self {
            scope: shown(scope),
            entries: report.entries,
            head: hex(&report.head),
            checkpoints: report.checkpoints,
            aged: report.aged,
            key: report.key.to_string(),
        }
    }
}

/// An exported file that verifies, checked without the installation that wrote it.
#[derive(Serialize)]
pub(crate) struct AuditFileVerified {
    pub(crate) org: String,
    pub(crate) scope: String,
    pub(crate) first: u64,
    pub(crate) entries: u64,
    pub(crate) head: String,
    pub(crate) checkpoints: u64,
    pub(crate) aged: u64,
    pub(crate) key: String,
    /// False: the file only agrees with itself, because the reader gave no key.
    pub(crate) key_was_given: bool,
    pub(crate) more: bool,
    pub(crate) exported_at: Timestamp,
}

impl AuditFileVerified {
    pub(crate) fn of(file: VerifiedFile, key_was_given: bool) -> Self {
        let report = file.report;
        Self {
            org: file.scope.org.as_str().to_owned(),
            scope: shown(&file.scope),
            first: report.first,
            entries: report.entries,
            head: hex(&report.head),
            checkpoints: report.checkpoints,
            aged: report.aged,
            key: report.key.to_string(),
            key_was_given,
            more: file.more,
            exported_at: file.exported_at,
        }
    }
}

/// Vaults that were changed outside Lacuna.
#[derive(Serialize)]
pub(crate) struct ChangedVaults {
    pub(crate) vaults: Vec<ChangedVaultView>,
    /// True when they were accepted as they stand.
    pub(crate) accepted: bool,
}

#[derive(Serialize)]
pub(crate) struct ChangedVaultView {
    pub(crate) org: String,
    pub(crate) scope: String,
    pub(crate) vault_id: String,
    pub(crate) found: String,
}

impl ChangedVaults {
    pub(crate) fn of(changed: &[ChangedVault], accepted: bool) -> Self {
        let view = |changed: &ChangedVault| ChangedVaultView {
            org: changed.scope.org.as_str().to_owned(),
            scope: shown(&changed.scope),
            vault_id: changed.vault.to_string(),
            found: changed.found.clone(),
        };
        Self { vaults: changed.iter().map(view).collect(), accepted }
    }
}

/// A file that was written.
#[derive(Serialize)]
pub(crate) struct AuditWritten {
    pub(crate) scope: String,
    pub(crate) file: String,
    pub(crate) first: u64,
    pub(crate) last: u64,
    pub(crate) head: String,
    pub(crate) key: String,
}

impl AuditWritten {
    pub(crate) fn of(end: &AuditEnd, first: u64, scope: &Scope, file: &Path) -> Self {
        Self {
            scope: shown(scope),
            file: file.display().to_string(),
            first,
            last: end.head.seq,
            head: hex(&end.head.hash),
            key: end.report.key.to_string(),
        }
    }
}

/// Result of the daily maintenance of a chain.
#[derive(Serialize)]
pub(crate) struct AuditKeptView {
    pub(crate) scope: String,
    pub(crate) aged: u64,
    pub(crate) checkpoint: bool,
}

impl AuditKeptView {
    pub(crate) fn of(kept: AuditKept, scope: &Scope) -> Self {
        Self { scope: shown(scope), aged: kept.aged, checkpoint: kept.checkpoint }
    }
}

/// A head as `lacuna audit verify` shows it: its number, a colon and its hash.
pub(crate) fn read_head(text: &str) -> Result<ChainHead> {
    let read = || {
        let (seq, hash) = text.split_once(':')?;
        Some(ChainHead { seq: seq.parse().ok()?, hash: unhex(hash)?.try_into().ok()? })
    };
    read().ok_or_else(|| Failure::invalid("head", "must be the number of an entry, a colon and its hash"))
}

/// An action, its actor and the ids concerned; never content.
#[derive(Serialize, ToSchema)]
#[schema(as = AuditEntry)]
pub(crate) struct AuditEntryView {
    pub(crate) seq: u64,
    pub(crate) at: Timestamp,
    pub(crate) action: String,
    pub(crate) actor: String,
    /// The service that acted for the actor; absent when the actor acted.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) service: String,
    /// The ids concerned, as hex digits.
    pub(crate) subjects: Vec<String>,
    /// Further words of ours; never content.
    pub(crate) notes: Vec<String>,
    pub(crate) hash: String,
}

impl From<(AuditRow, AuditEntry)> for AuditEntryView {
    fn from((row, entry): (AuditRow, AuditEntry)) -> Self {
        Self {
            seq: row.seq,
            at: row.at,
            action: entry.action.as_str().to_owned(),
            actor: entry.actor,
            service: entry.service,
            subjects: entry.subjects.iter().map(|subject| hex(&subject.0)).collect(),
            notes: entry.notes,
            hash: hex(&row.hash),
        }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = AuditList)]
pub(crate) struct AuditList {
    pub(crate) scope: String,
    pub(crate) entries: Vec<AuditEntryView>,
}

impl AuditList {
    pub(crate) fn of(entries: Vec<(AuditRow, AuditEntry)>, scope: &Scope) -> Self {
        Self { scope: shown(scope), entries: entries.into_iter().map(AuditEntryView::from).collect() }
    }
}
