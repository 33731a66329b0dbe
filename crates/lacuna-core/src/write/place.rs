//! Placing of admitted memories in the vault: new, written again, or instead of an older one; one commit with the
//! audit entries of all that.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use lacuna_language::words::TermList;
use lacuna_types::embed::ModelId;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::{AuditAction, AuditEntry, NOTES_MAX, Subject};
use crate::erase::carry_out::{Task, prove_replacement};
use crate::erase::prepare::{ErasureRequest, end_erasure_seeking, prepare_erasure};
use crate::erase::probe::ProbeTargets;
use crate::gate::report::{Redaction, Report};
use crate::gate::{Admitted, Unplaced};
use crate::index::quant::QuantVec;
use crate::permit::{Acting, Grant, Remember};
use crate::vault::commit::{Act, retrying};
use crate::vault::handle::VaultWriter;
use crate::vault::holds::{held, held_among, holds_on};
use crate::vault::open::OpenVault;
use crate::vault::receipt::{Cause, SignedReceipt};
use crate::vault::rewrite::Rewritten;
use crate::vault::seal::{SealedMemory, SealedRow, ToSeal, indexed_text};
use crate::vault::service::Service;
use crate::vault::stamp::{note_unconsented, settings_of, term_of_frame};
use crate::vault::term::RetentionTerm;
use crate::write::number::{Numbering, TurnState};
use crate::write::outcome::Remembered;
use crate::write::reconcile::{Reconciled, Replaced, beyond_ceiling, reconcile};

/// An admitted memory and its number among the drafts of the call.
///
/// It cannot be cloned: each attempt of a write plans and seals it where it is, and only a stored commit takes it away.
pub(crate) struct AdmittedDraft {
    number: usize,
    admitted: Admitted,
    terms: TermList,
    vector: QuantVec,
    /// The memories that it was said to correct.
    corrects: Vec<Corrects>,
    /// The id by which it goes on to be known; the memory that has it makes room.
    keeps_id: Option<MemoryId>,
    /// As the gate left it.
    unplaced: Unplaced,
    placement: Placement,
}

/// The place that a plan gives to an arrival.
#[derive(Clone, Copy, PartialEq)]
enum Placement {
    /// Not planned yet.
    Open,
    /// A memory of its own, under this id.
    New(MemoryId),
    /// This memory says the same, and is written again.
    Again(MemoryId),
    /// Its turn is stored already, or an earlier arrival of the call says the same.
    Known,
}

/// A memory in whose place another comes, as a whole or in part.
#[derive(Clone)]
pub(crate) struct Corrects {
    pub(crate) id: MemoryId,
    /// The rest of its text; all of it is erased when there is none.
    pub(crate) left: Option<Arc<Plaintext>>,
}

impl AdmittedDraft {
    pub(crate) fn new(number: usize, admitted: Admitted, vector: QuantVec, corrects: Vec<Corrects>) -> Self {
        let terms = TermList::of(&indexed_text(&admitted.content), None);
        let unplaced = Unplaced::of(&admitted);
        let placement = Placement::Open;
        Self { number, admitted, terms, vector, corrects, keeps_id: None, unplaced, placement }
    }

    /// Lets it take the place, and the id, of a memory.
    pub(crate) fn keeping(self, id: Option<MemoryId>) -> Self {
        Self { keeps_id: id, ..self }
    }

    /// Finds the memory that has the id now: somebody may have replaced it meanwhile.
    fn find_replaced(&mut self, open: &OpenVault) -> Result<()> {
        let Some(id) = self.keeps_id else { return Ok(()) };
        let replaced = open.named(id).ok_or(Error::NotFound("memory"))?;
        self.corrects = vec![Corrects { id: replaced, left: None }];
        Ok(())
    }

    /// Takes back the plan of an attempt that met another writer. The number of a turn is given anew anyway.
    fn reopen(&mut self) {
        self.unplaced.restore(&mut self.admitted);
        self.placement = Placement::Open;
    }

    fn new_id(&self) -> Option<MemoryId> {
        match self.placement {
            Placement::New(id) => Some(id),
            _ => None,
        }
    }

    fn repeats(&self, id: MemoryId) -> bool {
        self.placement == Placement::Again(id)
    }

    fn to_seal<'a>(&'a self, model: &'a ModelId) -> Option<ToSeal<'a>> {
        let (admitted, terms) = (&self.admitted, &self.terms);
        self.new_id().map(|id| ToSeal { id, admitted, terms, vector: (model, &self.vector) })
    }
}

/// The result of placing arrivals.
#[derive(Default)]
pub(crate) struct PlacedDrafts {
    /// One for each arrival, with its number.
    pub(crate) answers: Vec<(usize, Remembered)>,
    /// The proof that what was corrected is gone.
    pub(crate) receipt: Option<SignedReceipt>,
}

/// A write that is stored. The memories that it erased are still to be looked for.
#[derive(Default)]
struct StoredWrite {
    answers: Vec<(usize, Remembered)>,
    gone: Vec<MemoryId>,
    sought: ProbeTargets,
}

/// The changes to the vault for the arrivals, besides the arrivals' own placements.
#[derive(Default)]
struct WritePlan {
    superseded: Vec<MemoryId>,
    /// Memories of which a part was corrected, with what is left of them.
    cuts: Vec<(MemoryId, Arc<Plaintext>)>,
    /// Memories that somebody said are wrong, whole or in part.
    corrected: Vec<MemoryId>,
    archived: Vec<MemoryId>,
    answers: Vec<(usize, Remembered)>,
    entries: Vec<AuditEntry>,
}

/// Stores what is new among the arrivals, and counts what is not. All of it, or nothing.
pub(crate) fn place(
    service: &Service,
    grant: &Grant<Remember>,
    mut arrivals: Vec<AdmittedDraft>,
    numbering: Option<&Numbering>,
    now: Timestamp,
) -> Result<PlacedDrafts> {
    if arrivals.is_empty() {
        return Ok(PlacedDrafts::default());
    }
    let scope = grant.scope();
    let reader = service.reader(scope);
    let writer = reader.lock();
    writer.ensure()?;
    note_unconsented(&writer)?;
    let stored = retrying(|| place_once(&writer, grant, &mut arrivals, numbering, now));
    writer.unpin();
    // After the attempts: a write that is stored is not tried again.
    let placed = stored.and_then(|stored| stored.map(|stored| stored.end(&writer)).transpose());
    service.backlog.push(scope);
    service.vaults.make_room(scope.vault_id());
    // Trying again would not free the turn, so that it is no conflict before here.
    placed?.ok_or(Error::Conflict("the turn"))
}

/// A conflict when another process wrote to the vault meanwhile: then it is planned anew. `None` when a turn that an
/// arrival asks for holds another text.
fn place_once(
    writer: &VaultWriter<'_>,
    grant: &Grant<Remember>,
    arrivals: &mut Vec<AdmittedDraft>,
    numbering: Option<&Numbering>,
    now: Timestamp,
) -> Result<Option<StoredWrite>> {
    arrivals.iter_mut().for_each(AdmittedDraft::reopen);
    writer.pin()?;
    let planned = writer.update(|open| {
        if open.header.frozen_at.is_some() {
            return Err(Error::frozen());
        }
        let there = match numbering {
            Some(numbering) => number(writer.service, numbering, open, arrivals)?,
            None => Some(Vec::new()),
        };
        arrivals.iter_mut().try_for_each(|arrival| arrival.find_replaced(open))?;
        Ok(there.map(|there| (plan(writer.service, grant, open, arrivals), there)))
    })?;
    let Some((mut plan, there)) = planned.ok_or(Error::Conflict("the vault"))? else { return Ok(None) };
    if plan.answers.is_empty() {
        return Ok(Some(StoredWrite { answers: there, ..StoredWrite::default() }));
    }
    let repeated = repeat(writer, arrivals, now)?;
    let model = writer.service.models.instant.model();
    let new: Vec<_> = arrivals.iter().filter_map(|arrival| arrival.to_seal(model)).collect();
    let sealed = match new.is_empty() {
        true => Vec::new(),
        false => writer.seal_rows_keys_first(&new, now)?,
    };
    let mut answers = std::mem::take(&mut plan.answers);
    let terms: HashMap<MemoryId, (RetentionTerm, &Facets)> =
        new.iter().zip(&sealed).map(|(new, sealed)| (new.id, (sealed.term, &new.admitted.facets))).collect();
    for (_, answer) in &mut answers {
        if let Some((term, facets)) = terms.get(&answer.id).filter(|(term, _)| term.expires_at.is_some()) {
            answer.kept_until = term.expires_at;
            answer.asks_at = term.asks_at;
            answer.kept_because = Some(term.because(facets));
        }
    }
    answers.extend(there);
    let (gone, sought) = commit_plan(writer, grant, plan, arrivals, sealed, repeated)?;
    Ok(Some(StoredWrite { answers, gone, sought }))
}

impl StoredWrite {
    /// Ends the erasure of what the write replaced.
    fn end(mut self, writer: &VaultWriter<'_>) -> Result<PlacedDrafts> {
        let receipt = end_erasure_seeking(writer, &self.gone, &mut self.sought)?;
        Ok(PlacedDrafts { answers: self.answers, receipt })
    }
}

/// Gives the arrivals their turns. Answers for those that are there already, and marks them. `None` when another text
/// holds one of the turns.
fn number(
    service: &Service,
    numbering: &Numbering,
    open: &OpenVault,
    arrivals: &mut [AdmittedDraft],
) -> Result<Option<Vec<(usize, Remembered)>>> {
    let first = numbering.first(open)?;
    let mut there = Vec::new();
    // A part that is held beside its turn has a number behind those of the turns, and no turn of its own.
    for arrival in arrivals.iter_mut().filter(|arrival| arrival.number < numbering.count as usize) {
        let turn = first + arrival.number as u32;
        match numbering.settle(open, &mut arrival.admitted, turn) {
            TurnState::Same(id) => {
                there.extend(already_there(service, open, id, arrival));
                arrival.placement = Placement::Known;
            }
            TurnState::Free => {}
            TurnState::Taken => return Ok(None),
        }
    }
    Ok(Some(there))
}

fn already_there(
    service: &Service,
    open: &OpenVault,
    id: MemoryId,
    arrival: &AdmittedDraft,
) -> Option<(usize, Remembered)> {
    let stored = open.index.get(&id)?;
    let (facets, state) = (&stored.payload.facets, stored.attributes.state);
    let created_at = from_millis(stored.attributes.created_at)?;
    let repeats = facets.history.repeats + 1;
    let answer = answer(service, id, facets, &arrival.admitted, state);
    Some((arrival.number, Remembered { created_at, repeats, ..answer }))
}

fn plan(
    service: &Service,
    grant: &Grant<Remember>,
    open: &OpenVault,
    arrivals: &mut [AdmittedDraft],
) -> WritePlan {
    let mut plan = WritePlan::default();
    let mut facts_by_text: HashMap<[u8; 32], (usize, MemoryId)> = HashMap::new();
    for at in 0..arrivals.len() {
        let (earlier, rest) = arrivals.split_at_mut(at);
        let Some(arrival) = rest.first_mut().filter(|arrival| arrival.placement == Placement::Open) else {
            continue;
        };
        let AdmittedDraft { number, admitted, terms, corrects, keeps_id, placement, .. } = arrival;
        let text_hash = open.keyring.text_hash(admitted.content.full_text().expose());
        let is_fact = admitted.facets.tier == Tier::Semantic;
        if let Some(twin) = facts_by_text.get(&text_hash).filter(|_| is_fact && keeps_id.is_none()) {
            let (id, twin) = (twin.1, &mut earlier[twin.0].admitted);
            twin.facets.history.repeats += 1;
            plan.answers.push((*number, answer(service, id, &twin.facets, admitted, twin.state)));
            *placement = Placement::Known;
            continue;
        }
        let may_replace = |history: &History| grant.covers(history.author.as_ref());
        let corrected: Vec<MemoryId> = corrects.iter().map(|corrects| corrects.id).collect();
        let reconciled = match (reconcile(open, admitted, terms, &corrected, may_replace), &keeps_id) {
            // A replaced text stays a memory of its own, whatever else says the same.
            (Reconciled::Repeat(_, replaced), Some(_)) => Reconciled::New(replaced),
            (reconciled, _) => reconciled,
        };
        match reconciled {
            Reconciled::Repeat(id, replaced) => {
                plan.replace(replaced);
                plan.correct(corrects.iter().filter(|corrects| corrects.id != id), admitted);
                if plan.repeat(service, *number, id, open, (admitted, earlier)) {
                    *placement = Placement::Again(id);
                }
            }
            Reconciled::New(replaced) => {
                plan.correct(corrects.iter(), admitted);
                plan.replace(replaced);
                admitted.facets.history.public_id =
                    keeps_id.filter(|_| admitted.state != Lifecycle::Candidate);
                if grant.scope().holder.is_shared() {
                    admitted.facets.history.author = Some(grant.caller().user.clone());
                }
                let id = MemoryId::make(&*service.clock, &*service.entropy);
                if is_fact {
                    facts_by_text.insert(text_hash, (at, id));
                }
                plan.note(id, grant, &admitted.report, admitted.facets.history.waits);
                plan.answers.push((*number, answer(service, id, &admitted.facets, admitted, admitted.state)));
                plan.note_replaced(grant, admitted.facets.history.public_id, id);
                *placement = Placement::New(id);
            }
        }
    }
    plan.settle();
    let new = arrivals.iter().filter(|arrival| arrival.new_id().is_some());
    let coming = new.filter(|new| new.admitted.state == Lifecycle::Active).count();
    let max_atoms = service.rules.policies.of(&grant.scope().org).max_atoms;
    let more = coming.saturating_sub(plan.superseded.len());
    plan.archived = beyond_ceiling(open, more, max_atoms, service.clock.now());
    plan.archived.retain(|id| !plan.superseded.contains(id) && plan.cuts.iter().all(|(cut, _)| cut != id));
    plan
}

/// Makes the answer to the caller: `facets` and `state` as they are kept, the rest as it was written.
pub(crate) fn answer(
    service: &Service,
    id: MemoryId,
    facets: &Facets,
    admitted: &Admitted,
    state: Lifecycle,
) -> Remembered {
    let history = &facets.history;
    Remembered {
        id,
        created_at: admitted.created_at,
        state,
        waits: history.waits,
        content_sha256: sha256(admitted.content.full_text().expose().as_bytes()),
        embedded_by: service.models.instant.model().clone(),
        privacy_class: facets.privacy.class,
        sensitivity: facets.privacy.sensitivity.clone(),
        lane: facets.lane,
        tier: facets.tier,
        is_note: facets.is_note(),
        is_pattern: facets.is_pattern(),
        salience: facets.vitality.salience,
        repeats: history.repeats,
        supersedes: history.supersedes.clone(),
        alike: history.alike.clone(),
        kept_until: None,
        asks_at: None,
        kept_because: None,
        held: None,
        report: admitted.report.clone(),
    }
}

/// Counts what was written again, and lets a better source speak for it.
fn repeat(writer: &VaultWriter<'_>, arrivals: &[AdmittedDraft], now: Timestamp) -> Result<Vec<Rewritten>> {
    let again = |arrival: &AdmittedDraft| match arrival.placement {
        Placement::Again(id) => Some(id),
        _ => None,
    };
    let mut ids: Vec<MemoryId> = arrivals.iter().filter_map(again).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    ids.sort_unstable();
    ids.dedup();
    let settings = settings_of(writer)?;
    let rules = &writer.service.policy(&writer.scope().org).retention;
    let terms = settings.terms(rules, &writer.scope().holder);
    writer.rewrite(&ids, |row, frame| {
        for AdmittedDraft { admitted, .. } in arrivals.iter().filter(|arrival| arrival.repeats(row.id)) {
            let written_at = admitted.facets.vitality.rehearsed_at;
            frame.facets.vitality.rehearse(&mut frame.details, |_| true, written_at);
            row.state = adopt(&mut frame.facets, row.state, admitted);
        }
        row.updated_at = now;
        // What is said again is kept as if it were new.
        frame.facets.retention.kept_at = Some(now);
        row.expires_at = term_of_frame(&terms, row, frame.fields()).expires_at;
        true
    })
}

/// Leaves alone what a legal hold keeps: the older fact stays beside the newer one. A correction is refused.
fn without_held(writer: &VaultWriter<'_>, mut plan: WritePlan) -> Result<WritePlan> {
    if plan.superseded.is_empty() && plan.cuts.is_empty() {
        return Ok(plan);
    }
    let holds = holds_on(writer.service, writer.scope())?;
    let named: Vec<MemoryId> =
        plan.superseded.iter().copied().chain(plan.cuts.iter().map(|(id, _)| *id)).collect();
    let kept = held_among(writer, &holds, &named)?;
    if kept.iter().any(|id| plan.corrected.contains(id)) {
        return Err(held());
    }
    plan.superseded.retain(|id| !kept.contains(id));
    plan.cuts.retain(|(id, _)| !kept.contains(id));
    Ok(plan)
}

/// Answers with what the plan erases, and what to look for afterwards.
fn commit_plan(
    writer: &VaultWriter<'_>,
    grant: &Grant<Remember>,
    plan: WritePlan,
    arrivals: &mut Vec<AdmittedDraft>,
    sealed: Vec<SealedRow>,
    repeated: Vec<Rewritten>,
) -> Result<(Vec<MemoryId>, ProbeTargets)> {
    let scope = grant.scope();
    let user = grant.caller().acting();
    let plan = without_held(writer, plan)?;
    let wanted = ErasureRequest { cuts: plan.cuts, ..ErasureRequest::whole(&plan.superseded) };
    let erasure = prepare_erasure(writer, &wanted)?;
    let mut act = Act::silent(scope, writer.service.clock.now());
    let replaced: Vec<MemoryId> = wanted.named().collect();
    let outdated: Vec<MemoryId> =
        replaced.iter().copied().filter(|id| !plan.corrected.contains(id)).collect();
    act.record(AuditAction::MemoryCorrect, user, &plan.corrected);
    act.record(AuditAction::MemorySupersede, user, &outdated);
    let task = Task::by_ids(user, AuditAction::MemoryCorrect, Cause::Correction, replaced.len());
    let sought = prove_replacement(writer, &task, &erasure, &mut act)?;
    if !sealed.is_empty() {
        let ids = sealed.iter().map(|sealed| sealed.row.id);
        let bytes = sealed.iter().map(|sealed| sealed.row.frame.len() as u64).sum();
        let subjects = ids.map(Subject::from).collect();
        let entry = AuditEntry::new(AuditAction::MemoryWrite, user, subjects);
        act.entries.push(AuditEntry { bytes, ..entry });
    }
    let repeats: Vec<_> = repeated.iter().map(|repeated| repeated.row.id).collect();
    act.record(AuditAction::MemoryRepeat, user, &repeats);
    act.record(AuditAction::MemoryArchive, "policy", &plan.archived);
    act.entries.extend(plan.entries);
    let mut rewritten = repeated;
    rewritten.extend(writer.rewrite(&plan.archived, |row, _| {
        row.state = Lifecycle::Archived;
        true
    })?);
    act.batch.puts = sealed.iter().map(|sealed| sealed.row.clone()).collect();
    act.batch.puts.extend(rewritten.iter().map(|rewritten| rewritten.row.clone()));
    erasure.join(&mut act);
    let gone = erasure.gone.clone();
    writer.commit(&act, |open| {
        let new = arrivals.drain(..).filter(|arrival| arrival.new_id().is_some());
        for (arrival, sealed) in new.zip(sealed) {
            let SealedMemory { row, frame } = sealed.with(arrival.admitted);
            open.put(&row, frame);
        }
        for Rewritten { row, frame } in rewritten {
            open.put(&row, frame);
        }
        erasure.apply(open);
    })?;
    Ok((gone, sought))
}

impl WritePlan {
    /// Takes the place of what was corrected. A candidate erases nothing: whoever approves it decides.
    fn correct<'c>(&mut self, corrects: impl Iterator<Item = &'c Corrects>, admitted: &mut Admitted) {
        if admitted.state == Lifecycle::Candidate {
            return;
        }
        for Corrects { id, left } in corrects {
            admitted.facets.history.supersedes.push(*id);
            self.corrected.push(*id);
            match left {
                Some(left) => self.cuts.push((*id, Arc::clone(left))),
                None => self.superseded.push(*id),
            }
        }
    }

    /// Takes the place of what a newer fact makes untrue.
    fn replace(&mut self, replaced: Replaced) {
        self.superseded.extend(replaced.whole);
        self.cuts.extend(replaced.parts);
    }

    /// Each memory goes once. One that two arrivals cut is cut by the first of them.
    fn settle(&mut self) {
        self.superseded.sort_unstable();
        self.superseded.dedup();
        self.cuts.sort_by_key(|(id, _)| *id);
        self.cuts.dedup_by_key(|(id, _)| *id);
        self.cuts.retain(|(id, _)| !self.superseded.contains(id));
    }

    /// A memory that is there already is written again, perhaps not for the first time in this call. Answers false
    /// when it is not there.
    fn repeat(
        &mut self,
        service: &Service,
        number: usize,
        id: MemoryId,
        open: &OpenVault,
        (admitted, earlier): (&Admitted, &[AdmittedDraft]),
    ) -> bool {
        let Some(stored) = open.index.get(&id) else { return false };
        let mut facets = stored.payload.facets.duplicate();
        let mut state = stored.attributes.state;
        for earlier in earlier.iter().filter(|earlier| earlier.repeats(id)) {
            state = adopt(&mut facets, state, &earlier.admitted);
        }
        state = adopt(&mut facets, state, admitted);
        let created_at = from_millis(stored.attributes.created_at).unwrap_or(admitted.created_at);
        let answer = Remembered { created_at, ..answer(service, id, &facets, admitted, state) };
        self.answers.push((number, answer));
        true
    }

    /// Records which memory is behind an id that stays.
    fn note_replaced(&mut self, grant: &Grant<Remember>, public: Option<MemoryId>, behind: MemoryId) {
        let subjects = public.map(|public| vec![Subject::from(public), Subject::from(behind)]);
        let entry = |subjects| AuditEntry::new(AuditAction::MemoryReplace, grant.caller().acting(), subjects);
        self.entries.extend(subjects.map(entry));
    }

    /// Records what the gate found in a memory that is stored.
    fn note(&mut self, id: MemoryId, grant: &Grant<Remember>, report: &Report, waits: Option<Wait>) {
        self.entries.extend(findings(id, grant.caller().acting(), report, waits));
    }
}

/// The audit entries about what the gate found in a memory that is stored.
pub(crate) fn findings(
    id: MemoryId,
    user: Acting<'_>,
    report: &Report,
    waits: Option<Wait>,
) -> Vec<AuditEntry> {
    let mut entries = Vec::new();
    let mut record = |action, mut notes: Vec<String>| {
        notes.truncate(NOTES_MAX);
        entries.push(AuditEntry { notes, ..AuditEntry::new(action, user, vec![Subject::from(id)]) });
    };
    let redacted: Vec<_> = report.redactions.iter().filter(|redaction| redaction.removed).collect();
    if !redacted.is_empty() {
        let note = |redaction: &&Redaction| {
            let place = &redaction.place;
            format!("{} {} {}-{}", redaction.rule, redaction.field, place.start, place.end)
        };
        record(AuditAction::SecretRedacted, redacted.iter().map(note).collect());
    }
    if waits == Some(Wait::Quarantine) {
        let rules = report.suspicions.iter().map(|rule| (*rule).to_owned()).collect();
        record(AuditAction::PoisoningAttemptBlocked, rules);
    }
    entries
}

/// Counts a repetition. A source that is trusted at least as much speaks for the memory from now on, and may
/// free it from waiting. Answers with the state.
fn adopt(facets: &mut Facets, state: Lifecycle, admitted: &Admitted) -> Lifecycle {
    facets.history.repeats = facets.history.repeats.saturating_add(1);
    if admitted.facets.source.trust < facets.source.trust {
        return state;
    }
    facets.source = admitted.facets.source.clone();
    for tag in &admitted.facets.tags {
        if !facets.tags.contains(tag) && facets.tags.len() < TAGS_MAX {
            facets.tags.push(tag.clone());
        }
    }
    let sensitivity = &facets.privacy.sensitivity;
    let is_as_open = admitted.facets.privacy.sensitivity.iter().all(|one| sensitivity.contains(one));
    // Fields that say something more sensitive need the key of that category, which this memory does not have.
    if let Some(fields) = admitted.facets.history.metadata.as_ref().filter(|_| is_as_open) {
        facets.history.metadata = Some(fields.duplicate());
    }
    if facets.is_held() && !admitted.facets.is_held() {
        // Its owner has consented: it becomes what it would have been.
        let history = &admitted.facets.history;
        facets.privacy = admitted.facets.privacy.clone();
        facets.tier = admitted.facets.tier;
        facets.history.waits = history.waits;
        facets.history.attributes.clone_from(&history.attributes);
        facets.history.supersedes.extend(&history.supersedes);
        return admitted.state;
    }
    if state != Lifecycle::Candidate || admitted.state == Lifecycle::Candidate {
        return state;
    }
    facets.history.waits = None;
    admitted.state
}
