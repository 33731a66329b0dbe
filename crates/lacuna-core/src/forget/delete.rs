//! Forget: plan → confirm → erase → probe → receipt, for one id, a person, a topic or plain words.
//!
//! An erasure is announced in one commit, which hides it on every node; then its keys are destroyed, and from
//! there on nobody can read it, whatever happens; then blobs go, and it is looked for by every way; then the rows
//! go in the commit that issues the signed receipt.

use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::AuditAction;
use crate::erase::carry_out::{Forgotten, Task, erase_with_receipt};
use crate::erase::finish::{destroy_announced, finish_intents};
use crate::erase::prepare::{Erasure, ErasureRequest};
use crate::erase::probe::ProbeTargets;
use crate::erase::without_receipt::author_of;
use crate::forget::working::drop_working;
use crate::permit::{Forget, Grant};
use crate::transfer::promote::finish_move;
use crate::vault::commit::Act;
use crate::vault::holds::holds_on;
use crate::vault::receipt::Cause;
use crate::vault::rewrite::with_state;
use crate::vault::secrets::is_locked;
use crate::vault::service::Service;

/// Erases one memory for good, with what was made of it. Missing, foreign and already erased look the same.
pub(crate) fn delete(service: &Service, grant: &Grant<Forget>, id: MemoryId) -> Result<Forgotten> {
    let scope = grant.scope();
    if drop_working(service, grant, id)? {
        return Ok(Forgotten { memories: vec![id], ..Forgotten::default() });
    }
    match finish_move(service, scope, id) {
        Err(error) if is_locked(&error) => return delete_locked(service, grant, id),
        moved => moved?,
    };
    let reader = service.reader(scope);
    let writer = reader.lock();
    finish_intents(&writer)?;
    let row = service.store.rows(scope.vault_id(), &[id])?.into_iter().next().flatten();
    row.ok_or(Error::NotFound("memory"))?;
    if !grant.covers(author_of(&writer, id)?.as_ref()) {
        return Err(Error::Denied("only its author or an administrator may erase it"));
    }
    let actor = grant.caller().acting();
    let task = Task::by_ids(actor, AuditAction::MemoryDelete, Cause::Request, 1);
    let wanted = ErasureRequest { holds_back: true, ..ErasureRequest::whole(&[id]) };
    erase_with_receipt(&writer, &wanted, &task, ProbeTargets::default())
}

/// Erases one memory of a locked vault by its id: its key is destroyed at once, and with it whatever was made of it.
/// The rest follows with the receipt when the vault is next unlocked, because only then can anybody look for it.
fn delete_locked(service: &Service, grant: &Grant<Forget>, id: MemoryId) -> Result<Forgotten> {
    let scope = grant.scope();
    let reader = service.reader(scope);
    let writer = reader.lock();
    // Nobody can tell whether a hold covers this one.
    holds_on(service, scope)?.check_none()?;
    let rows = with_state(service, scope, &[id], Lifecycle::Deleted)?;
    if rows.is_empty() || !service.keys.erased(scope.vault_id(), &[id])?.is_empty() {
        return Err(Error::NotFound("memory"));
    }
    let task = Task::by_ids(grant.caller().acting(), AuditAction::MemoryDelete, Cause::Request, 1);
    let erasure = Erasure::of_rows(rows);
    let mut act = Act::silent(scope, service.clock.now());
    act.record(task.action, task.actor, &[id]);
    erasure.join(&mut act);
    // Traces of its text would need the text.
    let receipt = task.receipt(scope, service.clock.now(), &erasure, &task.scope_hashes);
    act.receipt = Some(Box::new(receipt));
    let audit_seq = writer.commit(&act, |_| ())?.audit_seq;
    destroy_announced(&writer)?;
    Ok(Forgotten { memories: vec![id], audit_seq, ..Forgotten::default() })
}
