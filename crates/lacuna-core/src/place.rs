//! Where an admitted memory finds its place in the vault: new, written again, or instead of an older one; one
//! commit with the audit entries of all that.

use std::collections::HashMap;

use jiff::Timestamp;
use zeroize::Zeroizing;

use crate::admit::{Admitted, Redaction, Report};
use crate::audit::{AuditAction, AuditEntry, NOTES_MAX, Subject};
use crate::forget::{Cause, Erasure, Mode, Named, SignedReceipt, Sought, Task, Wanted};
use crate::index::{QuantVec, TermList};
use crate::lacuna::{Act, COMMIT_ATTEMPTS_MAX, Lacuna};
use crate::permit::{Grant, Remember};
use crate::reconcile::{Match, beyond_ceiling, reconcile};
use crate::remember::Remembered;
use crate::retention::{Terms, term_of_frame};
use crate::rewrite::Rewritten;
use crate::seal::{Prepared, Sealed};
use crate::session::{Numbering, TURN_TAKEN};
use crate::vault::{OpenVault, Slot};
use lacuna_store::rows::{Body, Row};
use lacuna_types::*;
use lacuna_types::{Error, Result};

/// An admitted memory and its number among the drafts of the call.
#[derive(Clone)]
pub(crate) struct Arrival {
    number: usize,
    admitted: Admitted,
    terms: TermList,
    vector: QuantVec,
    /// The memory that it was said to correct.
    corrects: Option<Corrects>,
}

/// A memory in whose place another comes, as a whole or in part.
#[derive(Clone)]
pub(crate) struct Corrects {
    pub(crate) id: MemoryId,
    /// What stays of its text; all of it goes when there is none.
    pub(crate) left: Option<Zeroizing<String>>,
}

impl Arrival {
    pub(crate) fn new(
        number: usize,
        admitted: Admitted,
        vector: QuantVec,
        corrects: Option<Corrects>,
    ) -> Self {
        let terms = TermList::of(&indexed_text(&admitted.content), None);
        Self { number, admitted, terms, vector, corrects }
    }
}

/// What became of the arrivals.
#[derive(Default)]
pub(crate) struct Placed {
    /// One for each arrival, with its number.
    pub(crate) answers: Vec<(usize, Remembered)>,
    /// The proof that what was corrected is gone.
    pub(crate) receipt: Option<SignedReceipt>,
}

/// What the vault makes of the arrivals.
#[derive(Default)]
struct Plan {
    fresh: Vec<Prepared>,
    /// Memories that are written again, with what was written.
    repeats: Vec<(MemoryId, Admitted)>,
    superseded: Vec<MemoryId>,
    /// Memories of which a part was corrected, with what is left of them.
    cuts: Vec<(MemoryId, Zeroizing<String>)>,
    /// Memories that somebody said are wrong, whole or in part: what becomes of them is proved.
    corrected: Vec<MemoryId>,
    archived: Vec<MemoryId>,
    answers: Vec<(usize, Remembered)>,
    entries: Vec<AuditEntry>,
}

impl Lacuna {
    /// Stores what is new among the arrivals, and counts what is not. All of it, or nothing.
    pub(crate) fn place(
        &self,
        grant: &Grant<Remember>,
        arrivals: Vec<Arrival>,
        numbering: Option<&Numbering>,
        now: Timestamp,
    ) -> Result<Placed> {
        if arrivals.is_empty() {
            return Ok(Placed::default());
        }
        let scope = grant.scope();
        let slot = self.slot(scope);
        let _writer = slot.lock_writer();
        self.ensure_vault(&slot, scope)?;
        let mut placed = Err(Error::Conflict("the vault"));
        for _ in 0..COMMIT_ATTEMPTS_MAX {
            placed = self.place_once(&slot, grant, arrivals.clone(), numbering, now);
            if !matches!(placed, Err(Error::Conflict(what)) if what != TURN_TAKEN) {
                break;
            }
        }
        self.backlog.push(scope);
        self.vaults.make_room(scope.vault_id());
        placed
    }

    /// A conflict when another process wrote to the vault meanwhile: then it is planned anew.
    fn place_once(
        &self,
        slot: &Slot,
        grant: &Grant<Remember>,
        mut arrivals: Vec<Arrival>,
        numbering: Option<&Numbering>,
        now: Timestamp,
    ) -> Result<Placed> {
        let scope = grant.scope();
        let planned = slot.update(self.sources(), |open| {
            if open.frozen_at.is_some() {
                return Err(Error::frozen());
            }
            let there = match numbering {
                Some(numbering) => self.number(numbering, open, &mut arrivals)?,
                None => Vec::new(),
            };
            Ok((self.plan(grant, open, arrivals), there))
        })?;
        let (mut plan, there) = planned.ok_or(Error::Conflict("the vault"))?;
        if plan.answers.is_empty() {
            return Ok(Placed { answers: there, ..Placed::default() });
        }
        let repeated = self.repeat(slot, scope, &mut plan.repeats, now)?;
        let sealed = match std::mem::take(&mut plan.fresh) {
            none if none.is_empty() => Vec::new(),
            fresh => self.seal_and_store_keys(slot, scope, fresh, now)?,
        };
        let mut answers = std::mem::take(&mut plan.answers);
        answers.extend(there);
        let (gone, mut sought) = self.commit_plan(slot, grant, plan, sealed, repeated)?;
        let receipt = self.end_erasure_seeking(slot, scope, &gone, &mut sought)?;
        Ok(Placed { answers, receipt })
    }

    /// Gives the arrivals their turns. Answers for those that are there already, and takes them out.
    fn number(
        &self,
        numbering: &Numbering,
        open: &OpenVault,
        arrivals: &mut Vec<Arrival>,
    ) -> Result<Vec<(usize, Remembered)>> {
        let first = numbering.first(open)?;
        let mut there = Vec::new();
        let mut new = Vec::with_capacity(arrivals.len());
        for mut arrival in arrivals.drain(..) {
            let turn = first + arrival.number as u32;
            match numbering.settle(open, &mut arrival.admitted, turn)? {
                Some(id) => there.extend(self.already_there(open, id, &arrival)),
                None => new.push(arrival),
            }
        }
        *arrivals = new;
        Ok(there)
    }

    fn already_there(
        &self,
        open: &OpenVault,
        id: MemoryId,
        arrival: &Arrival,
    ) -> Option<(usize, Remembered)> {
        let stored = open.index.get(&id)?;
        let (facets, state) = (&stored.payload.facets, stored.attributes.state);
        let created_at = from_millis(stored.attributes.created_at)?;
        let repeats = facets.history.repeats + 1;
        let answer = self.answer(id, facets, &arrival.admitted, state);
        Some((arrival.number, Remembered { created_at, repeats, ..answer }))
    }

    fn plan(&self, grant: &Grant<Remember>, open: &OpenVault, arrivals: Vec<Arrival>) -> Plan {
        let mut plan = Plan::default();
        let mut facts_by_text: HashMap<[u8; 32], usize> = HashMap::new();
        for Arrival { number, mut admitted, terms, vector, corrects } in arrivals {
            let text_hash = open.keyring.text_hash(admitted.content.full_text());
            let is_fact = admitted.facets.tier == Tier::Semantic;
            if let Some(twin) = facts_by_text.get(&text_hash).filter(|_| is_fact) {
                let twin = &mut plan.fresh[*twin];
                twin.admitted.facets.history.repeats += 1;
                let answer = self.answer(twin.id, &twin.admitted.facets, &admitted, twin.admitted.state);
                plan.answers.push((number, answer));
                continue;
            }
            let may_replace = |history: &History| grant.covers(history.author.as_ref());
            let corrected = corrects.as_ref().map(|corrects| corrects.id);
            match reconcile(open, &mut admitted, &terms, corrected, may_replace) {
                Match::Repeat(id) => {
                    plan.correct(corrects.filter(|corrects| corrects.id != id), &mut admitted);
                    plan.repeat(self, number, id, open, admitted);
                }
                Match::New { supersedes } => {
                    plan.correct(corrects, &mut admitted);
                    plan.superseded.extend(supersedes);
                    if is_fact {
                        facts_by_text.insert(text_hash, plan.fresh.len());
                    }
                    if grant.scope().holder.is_shared() {
                        admitted.facets.history.author = Some(grant.caller().user.clone());
                    }
                    let id = MemoryId::make(&*self.clock, &*self.entropy);
                    plan.note(id, grant, &admitted.report, admitted.facets.history.waits);
                    plan.answers.push((number, self.answer(id, &admitted.facets, &admitted, admitted.state)));
                    let vector = (self.models.instant.model().clone(), vector);
                    plan.fresh.push(Prepared { id, admitted, terms, vector });
                }
            }
        }
        plan.superseded.sort_unstable();
        plan.superseded.dedup();
        let coming = plan.fresh.iter().filter(|new| new.admitted.state == Lifecycle::Active).count();
        let max_atoms = self.rules.policies.of(&grant.scope().org).max_atoms;
        let more = coming.saturating_sub(plan.superseded.len());
        plan.archived = beyond_ceiling(open, more, max_atoms, self.clock.now());
        plan.archived.retain(|id| !plan.superseded.contains(id));
        plan
    }

    /// What the caller is told: `facets` and `state` as they are kept, the rest as it was written.
    pub(crate) fn answer(
        &self,
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
            content_sha256: sha256(admitted.content.full_text().as_bytes()),
            embedded_by: self.models.instant.model().clone(),
            privacy_class: facets.privacy.class,
            sensitivity: facets.privacy.sensitivity.clone(),
            lane: facets.lane,
            tier: facets.tier,
            salience: facets.vitality.salience,
            repeats: history.repeats,
            supersedes: history.supersedes.clone(),
            alike: history.alike.clone(),
            report: admitted.report.clone(),
        }
    }

    /// Counts what was written again, and lets a better source speak for it.
    fn repeat(
        &self,
        slot: &Slot,
        scope: &Scope,
        repeats: &mut [(MemoryId, Admitted)],
        now: Timestamp,
    ) -> Result<Vec<Rewritten>> {
        if repeats.is_empty() {
            return Ok(Vec::new());
        }
        let mut ids: Vec<MemoryId> = repeats.iter().map(|(id, _)| *id).collect();
        ids.sort_unstable();
        ids.dedup();
        let settings = self.settings_of(slot)?;
        let terms = Terms::new(&self.policy(&scope.org).retention, &settings.retention, &scope.holder);
        self.rewrite(slot, scope, &ids, |row, frame| {
            for (_, admitted) in repeats.iter().filter(|(id, _)| *id == row.id) {
                let written_at = admitted.facets.vitality.rehearsed_at;
                frame.facets.vitality.rehearse(&mut frame.details, |_| true, written_at);
                row.state = adopt(&mut frame.facets, row.state, admitted);
            }
            row.updated_at = now;
            // What is said again is kept as if it were new.
            frame.facets.retention.kept_at = Some(now);
            row.expires_at = term_of_frame(&terms, row, frame).expires_at;
            true
        })
    }

    /// Answers with what the plan erases, and what to look for afterwards.
    fn commit_plan(
        &self,
        slot: &Slot,
        grant: &Grant<Remember>,
        plan: Plan,
        sealed: Vec<Sealed>,
        repeated: Vec<Rewritten>,
    ) -> Result<(Vec<MemoryId>, Sought)> {
        let scope = grant.scope();
        let user = grant.caller().user.as_str();
        let wanted = Wanted { cuts: plan.cuts, ..Wanted::whole(&plan.superseded) };
        let erasure = self.prepare_erasure(slot, scope, &wanted)?;
        let mut act = Act::silent(scope, self.clock.now());
        let sought = self.prove_correction(slot, grant, &plan.corrected, &erasure, &mut act)?;
        let outdated: Vec<MemoryId> =
            plan.superseded.into_iter().filter(|id| !plan.corrected.contains(id)).collect();
        act.record(AuditAction::MemorySupersede, user, &outdated);
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
        rewritten.extend(self.rewrite(slot, scope, &plan.archived, |row, _| {
            row.state = Lifecycle::Archived;
            true
        })?);
        act.batch.puts = sealed.iter().map(|sealed| sealed.row.clone()).collect();
        act.batch.puts.extend(rewritten.iter().map(|rewritten| rewritten.row.clone()));
        erasure.join(&mut act);
        let gone = erasure.gone.clone();
        self.commit(slot, &act, |open| {
            for Sealed { row, frame, .. } in sealed {
                open.put(&row, frame);
            }
            for Rewritten { row, frame } in rewritten {
                open.put(&row, frame);
            }
            erasure.apply(open);
        })?;
        Ok((gone, sought))
    }

    /// Lets the commit announce a receipt for what was corrected. What a newer fact merely supersedes gets none:
    /// nobody asked for it, and a write must stay quick.
    fn prove_correction(
        &self,
        slot: &Slot,
        grant: &Grant<Remember>,
        corrected: &[MemoryId],
        erasure: &Erasure,
        act: &mut Act,
    ) -> Result<Sought> {
        let mut sought = Sought::default();
        if corrected.is_empty() {
            return Ok(sought);
        }
        let (scope, actor) = (grant.scope(), grant.caller().user.as_str());
        slot.update(self.sources(), |open| {
            sought.texts_of(&self.models, open, &erasure.gone);
            Ok(())
        })?;
        let task = Task {
            actor,
            action: AuditAction::MemoryCorrect,
            mode: Mode::Hard,
            cause: Cause::Correction,
            named: Named::Ids,
            scope_hashes: Vec::new(),
            direct: corrected.len(),
            indirect: 0,
            request: None,
        };
        act.record(task.action, actor, corrected);
        act.receipt = Some(Box::new(task.receipt(scope, act.batch.at, erasure)));
        Ok(sought)
    }

    /// The rows of some memories as they stand, in another state.
    pub(crate) fn with_state(&self, scope: &Scope, ids: &[MemoryId], state: Lifecycle) -> Result<Vec<Row>> {
        let rows = self.store.rows(scope.vault_id(), ids)?.into_iter().flatten();
        Ok(rows.map(|row| Row { state, body: Body::Unchanged, ..row }).collect())
    }
}

impl Plan {
    /// Takes the place of what was corrected. A candidate erases nothing: whoever approves it decides.
    fn correct(&mut self, corrects: Option<Corrects>, admitted: &mut Admitted) {
        let Some(Corrects { id, left }) = corrects.filter(|_| admitted.state != Lifecycle::Candidate) else {
            return;
        };
        admitted.facets.history.supersedes.push(id);
        self.corrected.push(id);
        match left {
            Some(left) => self.cuts.push((id, left)),
            None => self.superseded.push(id),
        }
    }

    /// A memory that is there already is written again.
    fn repeat(
        &mut self,
        service: &Lacuna,
        number: usize,
        id: MemoryId,
        open: &OpenVault,
        admitted: Admitted,
    ) {
        let Some(stored) = open.index.get(&id) else { return };
        let mut facets = stored.payload.facets.clone();
        let mut state = stored.attributes.state;
        for (_, earlier) in self.repeats.iter().filter(|(repeated, _)| *repeated == id) {
            state = adopt(&mut facets, state, earlier);
        }
        state = adopt(&mut facets, state, &admitted);
        let created_at = from_millis(stored.attributes.created_at).unwrap_or(admitted.created_at);
        let answer = Remembered { created_at, ..service.answer(id, &facets, &admitted, state) };
        self.answers.push((number, answer));
        self.repeats.push((id, admitted));
    }

    /// Records what the gate found in a memory that is stored.
    fn note(&mut self, id: MemoryId, grant: &Grant<Remember>, report: &Report, waits: Option<Wait>) {
        self.entries.extend(findings(id, grant.caller().user.as_str(), report, waits));
    }
}

/// The audit entries about what the gate found in a memory that is stored.
pub(crate) fn findings(id: MemoryId, user: &str, report: &Report, waits: Option<Wait>) -> Vec<AuditEntry> {
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
    if state != Lifecycle::Candidate || admitted.state == Lifecycle::Candidate {
        return state;
    }
    facets.history.waits = None;
    admitted.state
}

/// The words a memory is found by: its full text and its details.
pub(crate) fn indexed_text(content: &Content) -> Zeroizing<String> {
    let details = content.details.iter().map(|detail| detail.content.len() + 1).sum::<usize>();
    let mut text = Zeroizing::new(String::with_capacity(content.full_text().len() + details));
    text.push_str(content.full_text());
    for detail in &content.details {
        text.push('\n');
        text.push_str(&detail.content);
    }
    text
}
