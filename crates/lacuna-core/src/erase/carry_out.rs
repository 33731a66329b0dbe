//! Carrying out an erasure with a receipt: announced in one commit, then finished.

use jiff::{SignedDuration, Timestamp};
use lacuna_language::classify::entity_key;
use lacuna_language::identifiers::identifiers;
use lacuna_store::rows::ChainHead;
use lacuna_types::Result;
use lacuna_types::request::{About, Mode, Wish};
use lacuna_types::*;

use crate::audit::AuditAction;
use crate::erase::deferred::{Deferred, without_held};
use crate::erase::finish::finish_intents_seeking;
use crate::erase::prepare::{Erasure, ErasureRequest, falls_in_parts, prepare_erasure};
use crate::erase::probe::ProbeTargets;
use crate::erase::trace::with_traces;
use crate::permit::Acting;
use crate::vault::commit::{Act, retrying};
use crate::vault::handle::VaultWriter;
use crate::vault::open::OpenVault;
use crate::vault::receipt::{Cause, Counts, Named, Receipt, SignedReceipt, memories_hash};
use crate::vault::service::Service;

/// Memories that are erased under one receipt; a larger request takes several.
pub(crate) const PART_MAX: usize = 1_000;

/// The result of forgetting.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Forgotten {
    /// The memories that were erased, hidden or archived.
    pub memories: Vec<MemoryId>,
    /// The memories derived from them, which were erased too.
    pub fell: Vec<MemoryId>,
    /// Memories that live on without a part of themselves, as they were called and as they are.
    pub cut: Vec<(MemoryId, MemoryId)>,
    /// Consolidated memories that were made anew: the old id and the new one.
    pub rebuilt: Vec<(MemoryId, MemoryId)>,
    /// Memories that wait in the review, because they lean on what went.
    pub held_back: Vec<MemoryId>,
    /// Memories that may still speak of it: by a short form, an attribute, by meaning, or in the same words.
    pub left: Vec<MemoryId>,
    /// The proofs, one for each part of a large request; none when nothing was erased for good.
    pub receipts: Vec<SignedReceipt>,
    /// Until when it can be restored, when it is hidden and not erased.
    pub restorable_until: Option<Timestamp>,
    /// The audit entry that announced it.
    pub audit_seq: u64,
    /// Memories that a legal hold keeps: they are hidden now, and erased at its end.
    pub deferred: Option<Deferred>,
}

/// An erasure with what its receipt will say of it.
pub(crate) struct Task<'a> {
    pub(crate) actor: Acting<'a>,
    pub(crate) action: AuditAction,
    pub(crate) mode: Mode,
    pub(crate) cause: Cause,
    pub(crate) named: Named,
    pub(crate) scope_hashes: Vec<[u8; 32]>,
    pub(crate) direct: usize,
    pub(crate) indirect: usize,
    pub(crate) request: Option<u64>,
}

impl<'a> Task<'a> {
    /// A hard erasure of `direct` memories that the actor named by their ids.
    pub(crate) fn by_ids(
        actor: impl Into<Acting<'a>>,
        action: AuditAction,
        cause: Cause,
        direct: usize,
    ) -> Self {
        Self {
            actor: actor.into(),
            action,
            mode: Mode::Hard,
            cause,
            named: Named::Ids,
            scope_hashes: Vec::new(),
            direct,
            indirect: 0,
            request: None,
        }
    }
}

impl Task<'static> {
    /// A hard erasure of `direct` memories whose time is over, which nobody asked for.
    pub(crate) fn by_time(action: AuditAction, cause: Cause, direct: usize) -> Self {
        Self { named: Named::Time, ..Self::by_ids("system", action, cause, direct) }
    }
}

/// Erases, probes and signs; more than one commit can announce takes several receipts.
pub(crate) fn erase_with_receipt(
    writer: &VaultWriter<'_>,
    wanted: &ErasureRequest,
    task: &Task<'_>,
    sought: ProbeTargets,
) -> Result<Forgotten> {
    let mut done = Forgotten::default();
    let free = without_held(writer, wanted, task, &mut done)?;
    let wanted = free.as_ref().unwrap_or(wanted);
    if wanted.is_empty() {
        return Ok(done);
    }
    for ids in falls_in_parts(writer, wanted)? {
        // What was made of it goes first, because one commit cannot announce all of it.
        let part = ErasureRequest { falls: true, ..ErasureRequest::whole(&ids) };
        let task = Task { direct: 0, indirect: 0, scope_hashes: task.scope_hashes.clone(), ..*task };
        done.add(erase_part(writer, &part, &task, ProbeTargets::default())?);
    }
    done.add(erase_part(writer, wanted, task, sought)?);
    Ok(done)
}

fn erase_part(
    writer: &VaultWriter<'_>,
    wanted: &ErasureRequest,
    task: &Task<'_>,
    mut sought: ProbeTargets,
) -> Result<Forgotten> {
    let mut done = retrying(|| announce_erasure(writer, wanted, task, &mut sought))?;
    done.receipts = finish_intents_seeking(writer, &mut sought)?;
    done.left = sought.left.into_iter().collect();
    writer.service.backlog.push(writer.scope());
    Ok(done)
}

/// From this commit on no node shows what goes, and it will go whatever happens to us. A conflict when
/// another process wrote to the vault meanwhile: then it is worked out anew.
fn announce_erasure(
    writer: &VaultWriter<'_>,
    wanted: &ErasureRequest,
    task: &Task<'_>,
    sought: &mut ProbeTargets,
) -> Result<Forgotten> {
    let erasure = prepare_erasure(writer, wanted)?;
    let traced = traced(writer, task, &erasure, sought)?;
    let now = writer.service.clock.now();
    let mut done = Forgotten::of(wanted, &erasure);
    let mut act = Act::silent(writer.scope(), now);
    act.record(task.action, task.actor, &done.memories);
    erasure.join(&mut act);
    act.receipt = Some(Box::new(task.receipt(writer.scope(), now, &erasure, &traced)));
    done.audit_seq = writer.commit(&act, |open| erasure.apply(open))?.audit_seq;
    Ok(done)
}

/// Lets a commit that replaces memories announce a receipt for them. Returns what to look for afterwards.
pub(crate) fn prove_replacement(
    writer: &VaultWriter<'_>,
    task: &Task<'_>,
    erasure: &Erasure,
    act: &mut Act,
) -> Result<ProbeTargets> {
    let mut sought = ProbeTargets::default();
    if erasure.gone.is_empty() {
        return Ok(sought);
    }
    let traced = traced(writer, task, erasure, &mut sought)?;
    act.receipt = Some(Box::new(task.receipt(writer.scope(), act.batch.at, erasure, &traced)));
    Ok(sought)
}

/// Takes down what is about to be erased, to look for it afterwards. Returns the hashes that its receipt names it by.
fn traced(
    writer: &VaultWriter<'_>,
    task: &Task<'_>,
    erasure: &Erasure,
    sought: &mut ProbeTargets,
) -> Result<Vec<[u8; 32]>> {
    let traced = writer.update(|open| {
        sought.texts_of(&writer.service.models, open, &erasure.gone);
        Ok(with_traces(open, &task.scope_hashes, &erasure.gone))
    })?;
    Ok(traced.unwrap_or_default())
}

/// The time during which hidden memories can be restored.
pub(crate) fn purge_after(service: &Service, scope: &Scope) -> SignedDuration {
    days(service.policy(&scope.org).purge_days)
}

impl Task<'_> {
    /// The receipt as far as it can be written before anything is done.
    pub(crate) fn receipt(
        &self,
        scope: &Scope,
        at: Timestamp,
        erasure: &Erasure,
        scope_hashes: &[[u8; 32]],
    ) -> Receipt {
        let size = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Receipt {
            number: 0,
            org: scope.org.clone(),
            vault: scope.vault_id(),
            at,
            mode: self.mode,
            cause: self.cause,
            named: self.named,
            scope_hashes: scope_hashes.to_vec(),
            memories_hash: memories_hash(&erasure.gone),
            counts: Counts {
                direct: size(self.direct),
                indirect: size(self.indirect),
                fell: size(erasure.fell.len()),
                cut: size(erasure.cut.len()),
                rebuilt: size(erasure.rebuilt.len()),
                held_back: size(erasure.held_back.len()),
                keys_destroyed: size(erasure.gone.len()),
            },
            probes: Vec::new(),
            backups: Vec::new(),
            audit: ChainHead::default(),
            request: self.request,
        }
    }
}

impl Forgotten {
    pub(crate) fn of(wanted: &ErasureRequest, erasure: &Erasure) -> Self {
        Self {
            memories: if wanted.falls { Vec::new() } else { wanted.named().collect() },
            fell: erasure.fell.clone(),
            cut: erasure.cut.clone(),
            rebuilt: erasure.rebuilt.clone(),
            held_back: erasure.held_back.clone(),
            ..Self::default()
        }
    }

    pub(crate) fn add(&mut self, part: Self) {
        if self.audit_seq == 0 {
            self.audit_seq = part.audit_seq;
        }
        self.memories.extend(part.memories);
        self.fell.extend(part.fell);
        self.cut.extend(part.cut);
        self.rebuilt.extend(part.rebuilt);
        self.held_back.extend(part.held_back);
        self.left.extend(part.left);
        self.receipts.extend(part.receipts);
        match (&mut self.deferred, part.deferred) {
            (Some(all), Some(more)) => all.add(more),
            (all, more) => *all = all.take().or(more),
        }
    }
}

/// Returns the way in which a wish names its memories.
pub(crate) fn named(wish: &Wish) -> Named {
    match &wish.about {
        About::Ids(_) => Named::Ids,
        About::Subject(_) => Named::Subject,
        About::Query(_) | About::Loose(_) => Named::Query,
        About::Session(_) => Named::Session,
        About::Conversation => Named::Conversation,
        About::LastSaid => Named::LastSaid,
        About::Tags(_) => Named::Tags,
        About::Sensitivity(_) => Named::Sensitivity,
        About::Tier(_) => Named::Tier,
        About::Source(_) => Named::Source,
        About::Everything if wish.when.is_some() => Named::Time,
        About::Everything => Named::Everything,
    }
}

/// Returns keyed hashes of the things that a wish names: the vault can recognise them again, nobody else can.
pub(crate) fn scope_hashes(open: &OpenVault, wish: &Wish) -> Vec<[u8; 32]> {
    forms(wish).iter().map(|form| open.keyring.scope_hash(form)).collect()
}

/// Every form under which what a wish names can be known again.
pub(crate) fn forms(wish: &Wish) -> Vec<String> {
    match &wish.about {
        About::Subject(text) | About::Query(text) | About::Loose(text) => {
            let numbers = identifiers(text).into_iter();
            let numbers = numbers.map(|found| format!("{}:{}", found.kind.as_str(), found.canonical));
            std::iter::once(entity_key("", text)).chain(numbers).collect()
        }
        About::Ids(ids) => ids.iter().map(ToString::to_string).collect(),
        About::Session(session) => vec![format!("session:{session}")],
        About::Tags(tags) => tags.iter().map(|tag| format!("tag:{tag}")).collect(),
        About::Sensitivity(sensitivity) => vec![format!("category:{sensitivity}")],
        About::Tier(tier) => vec![format!("tier:{tier}")],
        About::Source(source) => vec![format!("source:{source}")],
        About::Conversation | About::LastSaid | About::Everything => vec![when(wish)],
    }
}

fn when(wish: &Wish) -> String {
    let at = |at: Option<Timestamp>| at.map_or_else(String::new, |at| at.to_string());
    let span = wish.when.map(|span| format!("{}/{}", at(span.from), at(span.until)));
    format!("time:{}", span.unwrap_or_default())
}

/// So many days of the clock.
pub(crate) fn days(count: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * count)
}
