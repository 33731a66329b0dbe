//! An owner's decision about a review: a memory that is kept begins its term anew, an erased one leaves a
//! receipt.

use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::{AuditAction, AuditEntry};
use crate::erase::carry_out::{Forgotten, PART_MAX, Task, erase_with_receipt};
use crate::erase::finish::finish_intents;
use crate::erase::prepare::ErasureRequest;
use crate::erase::probe::ProbeTargets;
use crate::govern::lifecycle::set_state;
use crate::govern::review::month::{Part, Reason, ReviewFinding, found, mark};
use crate::keep::retention::retain;
use crate::keep::retention::stamp::set;
use crate::permit::{Forget, Grant, Recall, permit};
use crate::vault::activate::MOVES_MAX;
use crate::vault::frozen::check_thawed;
use crate::vault::receipt::{Cause, SignedReceipt};
use crate::vault::service::Service;

/// One decision about what is in a review.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    KeepAll,
    KeepPart(Part),
    ErasePart(Part),
    Keep(Vec<MemoryId>),
    Erase(Vec<MemoryId>),
    /// Erases memories that are older than the tenant's rules keep them; the others stay as they are.
    ApplyDefaults,
    /// Archives memories that have faded: they are kept, and no longer recalled.
    ArchiveFaded,
}

/// The action that a decision stands for.
#[derive(Clone, Copy)]
enum Stroke {
    Keep,
    Erase,
    Archive,
}

/// The result of a decision.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Answered {
    /// Memories that begin their term anew.
    pub kept: Vec<MemoryId>,
    /// Memories that were archived.
    pub archived: Vec<MemoryId>,
    /// Memories that were erased.
    pub erased: Vec<MemoryId>,
    /// Derivatives that were erased with their sources.
    pub fell: Vec<MemoryId>,
    /// Receipts of the erasures.
    pub receipts: Vec<SignedReceipt>,
}

/// Carries out a decision, if the review still is as its owner saw it.
pub(crate) fn answer_review(
    service: &Service,
    grant: &Grant<Forget>,
    seen: &str,
    answer: &Answer,
) -> Result<Answered> {
    let scope = grant.scope();
    permit::<Recall>(grant.caller(), scope)?;
    check_thawed(service, scope)?;
    let found = service.reader(scope).update(|open| {
        let found = found(service, open, scope)?;
        if mark(open, &found) != seen {
            return Err(changed());
        }
        let covered = |one: &ReviewFinding| {
            let author = open.index.get(&one.id).and_then(|one| one.payload.facets.history.author.clone());
            grant.covers(author.as_ref())
        };
        Ok(found.into_iter().filter(covered).collect::<Vec<_>>())
    })?;
    let found = found.unwrap_or_default();
    let (stroke, ids) = answer.chosen(&found)?;
    let mut answered = Answered::default();
    match stroke {
        Stroke::Keep => keep_reviewed(service, grant, &ids, &mut answered)?,
        Stroke::Erase => erase_reviewed(service, grant, &ids, &mut answered)?,
        Stroke::Archive => {
            for ids in ids.chunks(MOVES_MAX) {
                set_state(service, grant, ids, Lifecycle::Archived)?;
            }
            answered.archived = ids;
        }
    }
    note_reviewed(service, grant)?;
    Ok(answered)
}

fn keep_reviewed(
    service: &Service,
    grant: &Grant<Forget>,
    ids: &[MemoryId],
    done: &mut Answered,
) -> Result<()> {
    let now = service.clock.now();
    for ids in ids.chunks(MOVES_MAX) {
        retain(service, grant, ids, AuditAction::MemoryKeep, |frame| {
            let Facets { retention, vitality, .. } = &mut frame.facets;
            retention.kept_at = Some(now);
            // Whoever keeps it now no longer wants the end that was set when it was stored.
            retention.expires_at = None;
            // A review brings a memory to mind as any other look at it does.
            vitality.rehearse(&mut frame.details, |_| true, now);
        })?;
        done.kept.extend(ids);
    }
    Ok(())
}

fn erase_reviewed(
    service: &Service,
    grant: &Grant<Forget>,
    ids: &[MemoryId],
    done: &mut Answered,
) -> Result<()> {
    let scope = grant.scope();
    let reader = service.reader(scope);
    let writer = reader.lock();
    finish_intents(&writer)?;
    for ids in ids.chunks(PART_MAX) {
        let task = task(grant, ids.len());
        let wanted = ErasureRequest { holds_back: true, ..ErasureRequest::whole(ids) };
        let Forgotten { memories, fell, receipts, .. } =
            erase_with_receipt(&writer, &wanted, &task, ProbeTargets::default())?;
        done.erased.extend(memories);
        done.fell.extend(fell);
        done.receipts.extend(receipts);
    }
    Ok(())
}

fn note_reviewed(service: &Service, grant: &Grant<Forget>) -> Result<()> {
    let scope = grant.scope();
    let reader = service.reader(scope);
    let writer = reader.lock();
    let now = service.clock.now();
    let user = grant.caller().acting();
    let entry = AuditEntry::new(AuditAction::ReviewAnswer, user, Vec::new());
    set(&writer, entry, |kept| kept.reviewed_at = Some(now))
}

impl Answer {
    /// The action of the decision, and its memories. Ids that the review does not hold are an error: nobody was
    /// asked about them.
    fn chosen(&self, found: &[ReviewFinding]) -> Result<(Stroke, Vec<MemoryId>)> {
        let all = |wanted: &dyn Fn(&ReviewFinding) -> bool| -> Vec<MemoryId> {
            found.iter().filter(|one| wanted(one)).map(|one| one.id).collect()
        };
        let listed = |ids: &[MemoryId]| -> Result<Vec<MemoryId>> {
            let mut ids = ids.to_vec();
            ids.sort_unstable();
            ids.dedup();
            let is_there = |id: &MemoryId| found.iter().any(|one| one.id == *id);
            if ids.is_empty() || !ids.iter().all(is_there) {
                return Err(Error::NotFound("memory in this review"));
            }
            Ok(ids)
        };
        let over = |one: &ReviewFinding| matches!(one.reason, Reason::Asked | Reason::BeyondDefault);
        Ok(match self {
            Self::KeepAll => (Stroke::Keep, all(&|_| true)),
            Self::KeepPart(part) => (Stroke::Keep, all(&|one| one.parts.contains(part))),
            Self::ErasePart(part) => (Stroke::Erase, all(&|one| one.parts.contains(part))),
            Self::Keep(ids) => (Stroke::Keep, listed(ids)?),
            Self::Erase(ids) => (Stroke::Erase, listed(ids)?),
            Self::ApplyDefaults => (Stroke::Erase, all(&over)),
            Self::ArchiveFaded => (Stroke::Archive, all(&|one| one.reason == Reason::Faded)),
        })
    }
}

fn changed() -> Error {
    Error::Refused { code: "plan_changed", reason: "the review is no longer as it was seen: look again" }
}

fn task(grant: &Grant<Forget>, direct: usize) -> Task<'_> {
    Task::by_ids(grant.caller().acting(), AuditAction::MemoryForget, Cause::Request, direct)
}
