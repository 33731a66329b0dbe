//! Forget: plan → confirm → erase → probe → receipt, for one id, a person, a topic or plain words.
//!
//! An erasure is announced in one commit, which hides it on every node; then its keys are destroyed, and from
//! there on nobody can read it, whatever happens; then blobs go, and it is looked for by every way; then the rows
//! go in the commit that issues the signed receipt.

mod cascade;
mod confirm;
mod dangling;
mod erase;
pub(crate) mod find;
mod finish;
mod plan;
mod probe;
mod purge;
mod receipt;
pub(crate) mod remake;
mod token;
mod verify;
mod withhold;

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
use crate::lacuna::{Act, Lacuna};
use crate::permit::{Forget, Grant};
use crate::vault::Slot;
use lacuna_types::*;
use lacuna_types::{Error, Result};

impl Lacuna {
    /// Erases one memory for good, with what was made of it. Missing, foreign and already erased look the same.
    pub fn delete(&self, grant: &Grant<Forget>, id: MemoryId) -> Result<Forgotten> {
        let scope = grant.scope();
        if self.drop_working(grant, id)? {
            return Ok(Forgotten { memories: vec![id], ..Forgotten::default() });
        }
        self.finish_move(scope, id)?;
        let slot = self.slot(scope);
        let _writer = slot.lock_writer();
        self.finish_intents(&slot, scope)?;
        let row = self.store.rows(scope.vault_id(), &[id])?.into_iter().next().flatten();
        row.ok_or(Error::NotFound("memory"))?;
        if !grant.covers(self.author_of(&slot, id)?.as_ref()) {
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
        self.erase_with_receipt(&slot, scope, &wanted, &task, Sought::default())
    }

    /// Erases some memories and what was made of them, without a receipt: what they said is said elsewhere, or
    /// nobody can read it any more. The caller holds the writer lock.
    pub(crate) fn erase(&self, slot: &Slot, scope: &Scope, actor: &str, ids: &[MemoryId]) -> Result<u64> {
        let erasure = self.prepare_erasure(slot, scope, &Wanted::whole(ids))?;
        let mut act = Act::silent(scope, self.clock.now());
        act.record(AuditAction::MemoryDelete, actor, ids);
        self.carry_out_erasure(slot, scope, erasure, act)
    }

    fn author_of(&self, slot: &Slot, id: MemoryId) -> Result<Option<UserId>> {
        let author = slot.update(self.sources(), |open| {
            Ok(open.index.get(&id).and_then(|stored| stored.payload.facets.history.author.clone()))
        })?;
        Ok(author.flatten())
    }
}
