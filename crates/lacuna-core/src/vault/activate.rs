//! Approved memories that become active once their grace period is over.

use jiff::Timestamp;
use lacuna_types::Result;
use lacuna_types::*;

use crate::audit::AuditAction;
use crate::vault::commit::Act;
use crate::vault::open::OpenVault;
use crate::vault::rewrite::Rewritten;
use crate::vault::service::Service;
use Lifecycle::Active;

/// Memories that one call may move.
pub const MOVES_MAX: usize = 1_000;

/// Activates what was approved longer ago than the grace period.
pub(crate) fn activate_due(service: &Service, scope: &Scope) -> Result<usize> {
    let reader = service.reader(scope);
    let writer = reader.lock();
    let now = service.clock.now();
    let grace = service.rules.policies.of(&scope.org).grace;
    let due = writer.update(|open| Ok(approved_before(open, now - grace)))?;
    let due = due.unwrap_or_default();
    if due.is_empty() {
        return Ok(0);
    }
    let mut act = Act::silent(scope, now);
    act.record(AuditAction::MemoryActivate, "policy", &due);
    let activated = writer.rewrite(&due, |row, _| {
        row.state = Active;
        row.updated_at = now;
        true
    })?;
    act.batch.puts.extend(activated.iter().map(|activated| activated.row.clone()));
    writer.commit(&act, |open| {
        for Rewritten { row, frame } in activated {
            open.put(&row, frame);
        }
    })?;
    Ok(due.len())
}

fn approved_before(open: &OpenVault, moment: Timestamp) -> Vec<MemoryId> {
    let due = |id: &&MemoryId| open.index.get(id).is_some_and(|stored| stored.payload.updated_at <= moment);
    open.approved.iter().filter(due).take(MOVES_MAX).copied().collect()
}
