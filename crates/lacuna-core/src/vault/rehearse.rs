//! Rehearsal: what was shown to an assistant, or asked for on purpose, stays longer. A plain reading changes no
//! salience; it is noted about once a day, because compaction goes by what nobody reads.
//!
//! An answer does not wait for it. Rehearsals and readings gather in RAM and are written together, one commit for a vault;
//! what is brought to mind several times before that counts once. The queue is bounded, and whatever finds it
//! full is passed over: a rehearsal that is lost makes a memory fade a little sooner, and no more.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use lacuna_types::{Facets, Lifecycle, Memory, MemoryId, Result, Scope, VaultId};

use crate::audit::{AuditAction, AuditEntry};
use crate::permit::{Grant, Recall, Remember, permit};
use crate::vault::commit::Act;
use crate::vault::reads::READ_SUBJECTS_MAX;
use crate::vault::rewrite::Rewritten;
use crate::vault::secrets::is_locked;
use crate::vault::service::Service;

/// Memories that wait in RAM for their rehearsal to be written, of all vaults together.
pub(crate) const REHEARSALS_QUEUED_MAX: usize = 4_096;

/// Every detail of a memory was shown.
pub(crate) const ALL_DETAILS: u32 = u32::MAX;

/// A reading is noted when the last noted use lies this far back, so that most searches write nothing.
const READING_NOTED_AFTER: SignedDuration = SignedDuration::from_hours(24);

/// Recalled memories whose rehearsal is not written yet.
#[derive(Default)]
pub(crate) struct Rehearsals {
    queue: Mutex<RehearsalQueue>,
    /// Commits so far, by which the audit of rehearsals is sampled.
    commits: AtomicU64,
}

#[derive(Default)]
struct RehearsalQueue {
    vaults: HashMap<VaultId, PendingRehearsals>,
    memories: usize,
}

struct PendingRehearsals {
    scope: Scope,
    memories: BTreeMap<MemoryId, Rehearsed>,
}

/// The time at which a memory was last recalled or read.
#[derive(Clone, Copy)]
struct Rehearsed {
    at: Timestamp,
    /// The details that were shown, one bit each; `None` for a reading that rehearses nothing.
    details: Option<u32>,
}

impl Rehearsed {
    fn shows(self, detail: usize) -> bool {
        u32::try_from(detail)
            .ok()
            .and_then(|bit| self.details?.checked_shr(bit))
            .is_some_and(|bits| bits & 1 == 1)
    }

    fn and(self, other: Self) -> Self {
        let details = match (self.details, other.details) {
            (Some(one), Some(other)) => Some(one | other),
            (one, other) => one.or(other),
        };
        Self { at: self.at.max(other.at), details }
    }
}

impl Rehearsals {
    fn queue(&self) -> MutexGuard<'_, RehearsalQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RehearsalQueue {
    fn push(&mut self, scope: &Scope, memory: MemoryId, rehearsed: Rehearsed) {
        let waiting = self
            .vaults
            .entry(scope.vault_id())
            .or_insert_with(|| PendingRehearsals { scope: scope.clone(), memories: BTreeMap::new() });
        if let Some(known) = waiting.memories.get_mut(&memory) {
            *known = known.and(rehearsed);
        } else if self.memories < REHEARSALS_QUEUED_MAX {
            waiting.memories.insert(memory, rehearsed);
            self.memories += 1;
        }
    }

    fn take(&mut self, vault: VaultId) -> Option<PendingRehearsals> {
        let waiting = self.vaults.remove(&vault)?;
        self.memories -= waiting.memories.len();
        Some(waiting)
    }
}

/// Notes that memories were brought to mind, each with its details that were shown. Whoever may not
/// write to the vault changes nothing by reading it.
pub(crate) fn note_rehearsal(
    service: &Service,
    grant: &Grant<Recall>,
    memories: impl IntoIterator<Item = (MemoryId, u32)>,
) {
    if permit::<Remember>(grant.caller(), grant.scope()).is_err() {
        return;
    }
    let at = service.clock.now();
    let mut queue = service.rehearsals.queue();
    for (memory, details) in memories {
        queue.push(grant.scope(), memory, Rehearsed { at, details: Some(details) });
    }
}

/// Notes that memories were read, as [`note_rehearsal`] does. A reading changes no salience.
pub(crate) fn note_reading<'a>(
    service: &Service,
    grant: &Grant<Recall>,
    memories: impl IntoIterator<Item = &'a Memory>,
) {
    let at = service.clock.now();
    let is_due = |memory: &&Memory| {
        let used_at = last_used(memory.id, &memory.facets, memory.created_at, memory.updated_at);
        memory.state == Lifecycle::Active && at.duration_since(used_at) >= READING_NOTED_AFTER
    };
    let mut due = memories.into_iter().filter(is_due).peekable();
    if due.peek().is_none() || permit::<Remember>(grant.caller(), grant.scope()).is_err() {
        return;
    }
    let mut queue = service.rehearsals.queue();
    for memory in due {
        queue.push(grant.scope(), memory.id, Rehearsed { at, details: None });
    }
}

/// The moment at which a memory was last stored, changed, rehearsed or read. The time that it bears may be much
/// older: an import of today is of today.
pub(crate) fn last_used(
    id: MemoryId,
    facets: &Facets,
    created_at: Timestamp,
    updated_at: Timestamp,
) -> Timestamp {
    let vitality = &facets.vitality;
    let noted = [id.made_at(), vitality.read_at, Some(vitality.rehearsed_at), Some(updated_at)];
    noted.into_iter().flatten().fold(created_at, Timestamp::max)
}

/// Writes every rehearsal that was noted so far. Answers with how many memories it changed. Whoever embeds
/// the library calls this every few seconds and before the process ends.
pub(crate) fn flush_rehearsals(service: &Service) -> Result<usize> {
    let vaults: Vec<VaultId> = service.rehearsals.queue().vaults.keys().copied().collect();
    let mut written = Ok(0);
    for vault in vaults {
        // One vault that cannot be written does not keep the others waiting.
        let rehearsed = write_rehearsals(service, vault);
        written = written.and_then(|total| rehearsed.map(|more| total + more));
    }
    written
}

fn write_rehearsals(service: &Service, vault: VaultId) -> Result<usize> {
    let Some(waiting) = service.rehearsals.queue().take(vault) else { return Ok(0) };
    let rehearsed = rehearse(service, &waiting);
    if rehearsed.as_ref().is_err_and(is_locked) {
        // It was locked a moment after it was read: a rehearsal that is lost does no harm.
        return Ok(0);
    }
    rehearsed.inspect_err(|_| {
        let mut queue = service.rehearsals.queue();
        for (memory, rehearsed) in &waiting.memories {
            queue.push(&waiting.scope, *memory, *rehearsed);
        }
    })
}

/// Writes the rehearsals of one vault. Skips memories that were erased, hidden or archived meanwhile, and a whole
/// vault that was frozen or destroyed.
fn rehearse(service: &Service, waiting: &PendingRehearsals) -> Result<usize> {
    let PendingRehearsals { scope, memories } = waiting;
    let reader = service.reader(scope);
    let writer = reader.lock();
    let takes_writes = |frozen_at: Option<Timestamp>| frozen_at.is_none();
    if !service.store.vault(scope.vault_id())?.is_some_and(|header| takes_writes(header.frozen_at)) {
        return Ok(0);
    }
    let ids: Vec<MemoryId> = memories.keys().copied().collect();
    let renewed = writer.rewrite(&ids, |row, frame| {
        let Some(rehearsed) = memories.get(&row.id).filter(|_| row.state == Lifecycle::Active) else {
            return false;
        };
        let vitality = &mut frame.facets.vitality;
        match rehearsed.details {
            Some(_) => vitality.rehearse(&mut frame.details, |detail| rehearsed.shows(detail), rehearsed.at),
            None => vitality.note_reading(rehearsed.at),
        }
        true
    })?;
    if renewed.is_empty() {
        return Ok(0);
    }
    let mut act = Act::silent(scope, service.clock.now());
    let is_rehearsal = |id: &MemoryId| memories.get(id).is_some_and(|noted| noted.details.is_some());
    let rehearsed = renewed.iter().map(|renewed| renewed.row.id).filter(is_rehearsal).collect();
    act.entries = rehearsal_entries(service, scope, rehearsed);
    act.batch.puts = renewed.iter().map(|renewed| renewed.row.clone()).collect();
    let count = renewed.len();
    writer.commit(&act, |open| {
        for Rewritten { row, frame } in renewed {
            open.put(&row, frame);
        }
    })?;
    Ok(count)
}

/// None at all where the policy asks for none, or only for some. A reading has its entry already.
fn rehearsal_entries(service: &Service, scope: &Scope, rehearsed: Vec<MemoryId>) -> Vec<AuditEntry> {
    if rehearsed.is_empty() || !service.policy(&scope.org).audit_rehearsals.wants(&service.rehearsals.commits)
    {
        return Vec::new();
    }
    let entry = |rehearsed: &[MemoryId]| {
        let subjects = rehearsed.iter().map(|id| (*id).into()).collect();
        AuditEntry::new(AuditAction::MemoryRehearse, "system", subjects)
    };
    rehearsed.chunks(READ_SUBJECTS_MAX).map(entry).collect()
}

#[cfg(test)]
mod tests {
    use lacuna_types::{OrgId, UserId};

    use super::*;

    #[test]
    fn the_queue_is_bounded_and_counts_a_memory_once() {
        let scope = Scope::personal(OrgId::new("acme").unwrap(), UserId::new("anna").unwrap());
        let id = |n: usize| MemoryId::from_bytes((n as u128).to_be_bytes());
        let seen = |second, details| Rehearsed {
            at: Timestamp::from_second(second).unwrap(),
            details: Some(details),
        };
        let mut queue = RehearsalQueue::default();
        queue.push(&scope, id(7), seen(5, 0b01));
        queue.push(&scope, id(7), seen(3, 0b10));
        assert_eq!(queue.memories, 1);
        for n in 0..REHEARSALS_QUEUED_MAX + 50 {
            queue.push(&scope, id(n), seen(1, 0));
        }
        let waiting = queue.take(scope.vault_id()).unwrap();
        assert_eq!((waiting.memories.len(), queue.memories), (REHEARSALS_QUEUED_MAX, 0));
        let once = waiting.memories[&id(7)];
        assert_eq!(once.at, Timestamp::from_second(5).unwrap());
        assert!(once.shows(0) && once.shows(1) && !once.shows(2) && !once.shows(40));
    }
}
