use jiff::Timestamp;
use lacuna_core::audit::{AuditEntry, AuditReport};
use lacuna_core::domain::Scope;
use lacuna_core::store::AuditRow;
use serde::Serialize;
use utoipa::ToSchema;

use super::hex;
use super::scope::shown;

/// A chain that was walked from its first entry to its last, and holds.
#[derive(Serialize, ToSchema)]
#[schema(as = AuditVerified)]
pub(crate) struct AuditVerified {
    /// The vault whose chain it is.
    pub(crate) scope: String,
    pub(crate) entries: u64,
    /// The hash of the last entry. Write it down: later it shows that nothing was cut off.
    pub(crate) head: String,
}

impl AuditVerified {
    pub(crate) fn of(report: AuditReport, scope: &Scope) -> Self {
        Self { scope: shown(scope), entries: report.entries, head: hex(&report.head) }
    }
}

/// What was done, by whom, to which ids; never what it said.
#[derive(Serialize, ToSchema)]
#[schema(as = AuditEntry)]
pub(crate) struct AuditEntryView {
    pub(crate) seq: u64,
    pub(crate) at: Timestamp,
    pub(crate) action: String,
    pub(crate) actor: String,
    /// The ids concerned, as hex digits.
    pub(crate) subjects: Vec<String>,
    pub(crate) hash: String,
}

impl From<(AuditRow, AuditEntry)> for AuditEntryView {
    fn from((row, entry): (AuditRow, AuditEntry)) -> Self {
        Self {
            seq: row.seq,
            at: row.at,
            action: entry.action.as_str().to_owned(),
            actor: entry.actor,
            subjects: entry.subjects.iter().map(|subject| hex(&subject.0)).collect(),
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
