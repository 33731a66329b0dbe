//! Forget: plan → confirm → erase → probe → receipt, for one id, a person, a topic or plain words.
//!
//! An erasure is announced in one commit, which hides it on every node; then its keys are destroyed, and from
//! there on nobody can read it, whatever happens; then blobs go, and it is looked for by every way; then the rows
//! go in the commit that issues the signed receipt.

pub(crate) mod cascade;
pub(crate) mod confirm;
pub(crate) mod dangling;
pub(crate) mod erase;
pub(crate) mod find;
pub(crate) mod finish;
pub(crate) mod plan;
pub(crate) mod probe;
pub(crate) mod purge;
pub(crate) mod receipt;
pub(crate) mod remake;
pub(crate) mod token;
pub(crate) mod verify;
pub(crate) mod withhold;

pub use confirm::{Confirmed, Forgotten};
pub(crate) use confirm::{PART_MAX, Task, scope_hashes};
pub(crate) use erase::{Erasure, Wanted};
pub use finish::ORPHAN_KEY_AGE;
pub use lacuna_language::{people as who, request as words};
pub use lacuna_types::request::{About, Choice, Closeness, Mode, Reach, Reason, Span, Target, Wish};
pub use plan::{FORGET_IDS_MAX, PLAN_SHOWN_MAX, Plan, Planned, PlannedFall, PlannedMatch, Request};
pub(crate) use probe::Sought;
pub use probe::{ProbePath, Probed};
pub(crate) use receipt::memories_hash;
pub use receipt::{BackupHold, Cause, Counts, Named, Receipt, SignedReceipt, reference};
pub use token::PLAN_VALID;
pub use verify::Verified;
pub(crate) use withhold::{Leaning, is_shown};

use crate::audit::AuditAction;
use crate::forget::confirm::erase_with_receipt;
use crate::forget::erase::{carry_out_erasure, prepare_erasure};
use crate::forget::finish::finish_intents;
use crate::permit::{Forget, Grant};
use crate::promote::finish_move;
use crate::service::{Act, Service, VaultWriter};
use crate::session::working::drop_working;
use lacuna_types::*;
use lacuna_types::{Error, Result};

/// Erases one memory for good, with what was made of it. Missing, foreign and already erased look the same.
pub(crate) fn delete(service: &Service, grant: &Grant<Forget>, id: MemoryId) -> Result<Forgotten> {
    let scope = grant.scope();
    if drop_working(service, grant, id)? {
        return Ok(Forgotten { memories: vec![id], ..Forgotten::default() });
    }
    finish_move(service, scope, id)?;
    let reader = service.reader(scope);
    let writer = reader.lock();
    finish_intents(&writer)?;
    let row = service.store.rows(scope.vault_id(), &[id])?.into_iter().next().flatten();
    row.ok_or(Error::NotFound("memory"))?;
    if !grant.covers(author_of(&writer, id)?.as_ref()) {
        return Err(Error::Denied("only its author or an administrator may erase it"));
    }
    let task = Task {
        actor: grant.caller().user.as_str(),
        action: AuditAction::MemoryDelete,
        mode: Mode::Hard,
        cause: Cause::Request,
        named: Named::Ids,
        scope_hashes: Vec::new(),
        direct: 1,
        indirect: 0,
        request: None,
    };
    let wanted = Wanted { holds_back: true, ..Wanted::whole(&[id]) };
    erase_with_receipt(&writer, &wanted, &task, Sought::default())
}

/// Erases some memories and what was made of them, without a receipt: what they said is said elsewhere, or
/// nobody can read it any more.
pub(crate) fn erase(writer: &VaultWriter<'_>, actor: &str, ids: &[MemoryId]) -> Result<u64> {
    let erasure = prepare_erasure(writer, &Wanted::whole(ids))?;
    let mut act = Act::silent(writer.scope(), writer.service.clock.now());
    act.record(AuditAction::MemoryDelete, actor, ids);
    carry_out_erasure(writer, erasure, act)
}

fn author_of(writer: &VaultWriter<'_>, id: MemoryId) -> Result<Option<UserId>> {
    let author = writer.update(|open| {
        Ok(open.index.get(&id).and_then(|stored| stored.payload.facets.history.author.clone()))
    })?;
    Ok(author.flatten())
}
