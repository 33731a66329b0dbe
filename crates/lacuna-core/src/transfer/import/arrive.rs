//! A batch of records on its way in: through the gate, past what is already here, sealed and stored with its
//! audit entry.

use lacuna_language::words::TermList;
use lacuna_types::embed::Purpose;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::{AuditAction, AuditEntry, Subject};
use crate::gate::{Admitted, AskedDraft, DraftOrigin, Gate, GateDecision, Presentable, Unplaced};
use crate::index::quant::QuantVec;
use crate::transfer::import::record::{Carried, Fate, ImportRecord, Imported, Origin, refused};
use crate::transfer::import::{Importing, Unseen, unseen_key};
use crate::vault::commit::{Act, retrying};
use crate::vault::handle::VaultWriter;
use crate::vault::open::OpenVault;
use crate::vault::rewrite::Rewritten;
use crate::vault::seal::{SealedMemory, ToSeal, indexed_text};
use crate::vault::stamp::settings_of;
use crate::write::outcome::Refused;
use crate::write::place::findings;
use crate::write::reconcile::{beyond_ceiling, receive};
use crate::write::record::{AdmittedRecord, RecordPut, admit_record};
use crate::write::record_shape;
use crate::write::verbatim::{JudgedFields, judge_fields, with_fields};

/// A record that says that it is ours, and that nobody proves, has at most this: every door labels it.
const UNPROVEN_TRUST_MAX: Trust = Trust::Medium;

/// A record that the gate lets in. Each attempt to store it plans and seals it where it is.
struct ImportArrival {
    number: u64,
    origin: Option<Origin>,
    id: MemoryId,
    admitted: Admitted,
    carried: Option<Box<Carried>>,
    terms: TermList,
    vector: QuantVec,
    links_dropped: usize,
    /// As the gate left it.
    unplaced: Unplaced,
    /// The memory that says the same; none for a new one.
    twin: Option<MemoryId>,
}

/// A record that waits for the gate, with the fields that the gate does not look at.
struct WaitingRecord {
    number: u64,
    origin: Option<Origin>,
    id: MemoryId,
    carried: Option<Box<Carried>>,
    links_dropped: usize,
    presentable: Presentable,
    fields: Option<JudgedFields>,
}

impl ImportArrival {
    fn is_new(&self) -> bool {
        self.twin.is_none()
    }

    /// Returns true when it names trust and a state as only a record of ours does, and nobody proves it.
    fn is_unproven(&self) -> bool {
        let foreign = matches!(self.origin, Some(Origin::Foreign(_)));
        self.carried.as_ref().is_some_and(|carried| !carried.proven && !foreign)
    }
}

impl Importing<'_> {
    pub(crate) fn store(&mut self, records: Vec<ImportRecord>) -> Result<Vec<Imported>> {
        if records.is_empty() {
            return Ok(Vec::new());
        }
        let (arrivals, mut answers) = self.through_the_gate(records)?;
        let placed = self.place(arrivals)?;
        answers.extend(placed.into_iter().map(|answer| self.answer(answer)));
        if !self.dry_run {
            self.unseen.clear();
        }
        Ok(answers)
    }

    fn through_the_gate(
        &mut self,
        records: Vec<ImportRecord>,
    ) -> Result<(Vec<ImportArrival>, Vec<Imported>)> {
        let core = self.core;
        let scope = self.grant.scope();
        let gate = Gate {
            policy: core.policy(&scope.org),
            holder: &scope.holder,
            now: core.clock.now(),
            scanner: core.rules.scanner(),
            prototypes: core.prototypes()?,
            consents: settings_of(&core.reader(scope))?.consented(),
        };
        let mut answers = Vec::new();
        let mut waiting = Vec::new();
        let mut arrivals = Vec::with_capacity(records.len());
        for record in records {
            let (number, origin) = (record.number, record.origin.clone());
            if record.is_of_program() {
                match self.record_arrival(&gate, record)? {
                    Ok(arrival) => arrivals.push(arrival),
                    Err(fate) => answers.push(self.answer(ImportAnswer::of(number, origin, fate))),
                }
                continue;
            }
            match self.present(&gate, record) {
                Ok(one) => waiting.push(one),
                Err(Error::Invalid { field, reason }) => {
                    let fate = refused("invalid", format!("{field}: {reason}"));
                    answers.push(self.answer(ImportAnswer::of(number, origin, fate)));
                }
                Err(error) => return Err(error),
            }
        }
        let texts: Vec<&str> = waiting.iter().map(|one| one.presentable.text()).collect();
        let vectors = core.models.instant.embed(&texts, Purpose::Passage)?;
        for (one, vector) in waiting.into_iter().zip(&vectors) {
            let WaitingRecord { number, origin, id, carried, links_dropped, presentable, fields } = one;
            let fate = match with_fields(gate.judge(presentable, vector), fields) {
                GateDecision::Yes(admitted) => {
                    let terms = TermList::of(&indexed_text(&admitted.content), None);
                    let vector = QuantVec::from_f32(vector)?;
                    let unplaced = Unplaced::of(&admitted);
                    arrivals.push(ImportArrival {
                        number,
                        origin,
                        id,
                        admitted: *admitted,
                        carried,
                        terms,
                        vector,
                        links_dropped,
                        unplaced,
                        twin: None,
                    });
                    continue;
                }
                GateDecision::Ask(AskedDraft { questions, .. }) => Fate::Asked { questions },
                GateDecision::Refuse((why, _)) => refused(why.code(), why.reason()),
            };
            let answer = ImportAnswer { links_dropped, ..ImportAnswer::of(number, origin, fate) };
            answers.push(self.answer(answer));
        }
        Ok((arrivals, answers))
    }

    /// Moves the links to where their memories are now, and takes the record through the first half of the
    /// gate.
    fn present(&self, gate: &Gate<'_>, record: ImportRecord) -> Result<WaitingRecord> {
        let ImportRecord { number, origin, mut draft, carried } = record.in_millis();
        carried.as_ref().map_or(Ok(()), |carried| carried.check(gate.now))?;
        let named = draft.derived_from.len();
        let moved = |link: Lineage| self.place_of(link.source).map(|source| Lineage { source, ..link });
        draft.derived_from = draft.derived_from.into_iter().filter_map(moved).collect();
        let links_dropped = named - draft.derived_from.len();
        let is_proven = carried.as_ref().is_some_and(|carried| carried.proven);
        let mut standing = self.standing(&draft, is_proven)?;
        if !is_proven && !matches!(origin, Some(Origin::Foreign(_))) {
            // It says that it is ours, and anybody may have edited it.
            standing.trust_max = standing.trust_max.min(UNPROVEN_TRUST_MAX);
        }
        let id = match &origin {
            Some(origin) => self.new_id(origin),
            None => MemoryId::make(&*self.core.clock, &*self.core.entropy),
        };
        let fields = judge_fields(self.core, gate, &mut draft, &standing)?;
        let presentable = gate.clean(draft, standing)?;
        Ok(WaitingRecord { number, origin, id, carried, links_dropped, presentable, fields })
    }

    /// Takes the record of a program through the gate, word for word.
    fn record_arrival(&self, gate: &Gate<'_>, record: ImportRecord) -> Result<Result<ImportArrival, Fate>> {
        let ImportRecord { number, origin, draft, mut carried } = record.in_millis();
        let stored = carried.as_deref_mut().and_then(|carried| carried.history.record.take());
        let (Some(stored), Some(own)) = (stored, &carried) else { return Err(Error::NotFound("record")) };
        let (id, written_at) = (stored.id, stored.written_at);
        let is_ours = own.proven && matches!(origin, Some(Origin::Memory(_)));
        let put = RecordPut {
            place: stored.place,
            value: draft.text,
            metadata: stored.metadata,
            searched: stored.searched,
            ttl_ms: stored.ttl_ms,
            source: draft.source,
            consent_basis: draft.consent_basis,
            keep_possible_secrets: is_ours,
        };
        let shaped = own.check(gate.now).and_then(|()| record_shape::check(&put));
        let over = draft.expires_at.filter(|at| *at <= gate.now);
        let shaped = over.map_or(shaped, |_| Err(Error::invalid("expires_at", "must lie in the future")));
        if let Err(Error::Invalid { field, reason }) = shaped {
            return Ok(Err(refused("invalid", format!("{field}: {reason}"))));
        }
        let standing = |possible_confirmed| DraftOrigin { possible_confirmed, ..self.newcomer(is_ours) };
        let AdmittedRecord { mut admitted, terms, vector, mut facet } =
            match admit_record(self.core, gate, put, standing)? {
                Ok(admitted) => admitted,
                Err(Refused { why, .. }) => return Ok(Err(refused(why.code(), why.reason()))),
            };
        facet.written_at = written_at;
        facet.written_at.truncate(RECORD_CHANGES_MAX);
        admitted.facets.retention.expires_at = draft.expires_at;
        admitted.created_at = draft.created_at.unwrap_or(gate.now);
        let memory = match &origin {
            Some(origin) => self.new_id(origin),
            None => MemoryId::make(&*self.core.clock, &*self.core.entropy),
        };
        facet.id = if id.as_bytes() == &[0; 16] { memory } else { id };
        admitted.facets.history.record = Some(Box::new(facet));
        let unplaced = Unplaced::of(&admitted);
        Ok(Ok(ImportArrival {
            number,
            origin,
            id: memory,
            admitted,
            carried,
            terms,
            vector,
            links_dropped: draft.derived_from.len(),
            unplaced,
            twin: None,
        }))
    }

    /// Only persons import. What this installation wrote into a file was confirmed before it was stored. Trust,
    /// sensitivity and outside origin are handed down by the sources as ever.
    fn standing(&self, draft: &Draft, is_ours: bool) -> Result<DraftOrigin> {
        let scope = self.grant.scope();
        let mut standing = self.newcomer(is_ours);
        if draft.derived_from.is_empty() {
            return Ok(standing);
        }
        self.core.read(scope, |open| {
            let sources = draft.derived_from.iter().filter_map(|link| open.index.get(&link.source));
            for source in sources {
                let facets = &source.payload.facets;
                standing.trust_max = standing.trust_max.min(facets.source.trust);
                standing.external |= facets.source.from_external_content;
                standing.sensitivity.extend(&facets.privacy.sensitivity);
            }
        })?;
        Ok(standing)
    }

    fn newcomer(&self, is_ours: bool) -> DraftOrigin {
        let holder = &self.grant.scope().holder;
        DraftOrigin {
            by_agent: false,
            derived: false,
            trust_max: Trust::High,
            may_approve: holder.is_shared() && self.is_admin(),
            consented: false,
            possible_confirmed: is_ours,
            was_stored: is_ours && !holder.is_shared(),
            sensitivity: Vec::new(),
            external: false,
            split: Vec::new(),
        }
    }

    fn is_admin(&self) -> bool {
        self.grant.caller().roles.contains(&Role::Admin)
    }

    fn place(&mut self, mut arrivals: Vec<ImportArrival>) -> Result<Vec<ImportAnswer>> {
        if arrivals.is_empty() {
            return Ok(Vec::new());
        }
        let (core, scope) = (self.core, self.grant.scope());
        let reader = core.reader(scope);
        let writer = reader.lock();
        if !self.dry_run {
            writer.ensure()?;
        }
        let placed = retrying(|| {
            let placed = self.place_once(&writer, &mut arrivals);
            if matches!(placed, Err(Error::Conflict(_))) {
                self.unseen.clear();
            }
            placed
        });
        core.backlog.push(scope);
        core.vaults.make_room(scope.vault_id());
        placed
    }

    /// A conflict when another process wrote to the vault meanwhile: then it is planned anew.
    fn place_once(
        &mut self,
        writer: &VaultWriter<'_>,
        arrivals: &mut Vec<ImportArrival>,
    ) -> Result<Vec<ImportAnswer>> {
        let planned = writer.update(|open| match open.header.frozen_at {
            Some(_) => Err(Error::frozen()),
            None => Ok(self.plan(Some(open), arrivals)),
        })?;
        // A dry run may look at a vault that was never written to.
        let archived = planned.unwrap_or_else(|| self.plan(None, arrivals));
        let mut answers: Vec<ImportAnswer> = Vec::new();
        for arrival in arrivals.iter() {
            if let Some(twin) = arrival.twin {
                answers.push(ImportAnswer::of(arrival.number, arrival.origin.clone(), self.repeated(twin)?));
            }
        }
        for arrival in arrivals.iter().filter(|arrival| arrival.is_new()) {
            let Admitted { facets, state, report, .. } = &arrival.admitted;
            let fate = Fate::Stored { id: arrival.id, state: *state, waits: facets.history.waits };
            let redacted = report.redactions.iter().any(|redaction| redaction.removed);
            let changed = redacted || report.truncated || !report.changes.is_empty();
            answers.push(ImportAnswer {
                number: arrival.number,
                origin: arrival.origin.clone(),
                fate,
                changed,
                links_dropped: arrival.links_dropped,
                unproven: arrival.is_unproven(),
            });
        }
        if !self.dry_run {
            self.commit(writer, arrivals, &archived)?;
        }
        Ok(answers)
    }

    /// Finds the records that the vault has already. Answers with the memories that make room for the others.
    fn plan(&mut self, open: Option<&OpenVault>, arrivals: &mut [ImportArrival]) -> Vec<MemoryId> {
        let mut coming = 0;
        for arrival in arrivals {
            arrival.unplaced.restore(&mut arrival.admitted);
            self.carry(arrival);
            arrival.twin = self.twin(open, &arrival.admitted);
            if !arrival.is_new() {
                continue;
            }
            if let Some(record) = &mut arrival.admitted.facets.history.record
                && open.is_some_and(|open| open.record_with_id(record.id).is_some())
            {
                record.id = arrival.id;
            }
            let Admitted { facets, created_at, state, .. } = &arrival.admitted;
            let unseen =
                Unseen { id: arrival.id, facets: facets.duplicate(), created_at: *created_at, state: *state };
            self.unseen.entry(unseen_key(&arrival.admitted)).or_default().push(unseen);
            if let Some(open) = open {
                receive(open, &mut arrival.admitted, &arrival.terms, |id| self.brought.contains(id));
            }
            self.brought.insert(arrival.id);
            coming += usize::from(arrival.admitted.state == Lifecycle::Active);
        }
        let max = self.core.policy(&self.grant.scope().org).max_atoms;
        let now = self.core.clock.now();
        open.map_or(Vec::new(), |open| beyond_ceiling(open, coming, max, now))
    }

    /// Adds what the export recorded to what the gate said, where the gate does not know better.
    fn carry(&self, arrival: &mut ImportArrival) {
        let shared = self.grant.scope().holder.is_shared();
        let facets = &mut arrival.admitted.facets;
        let importer = self.grant.caller().user.clone();
        if let Some(carried) = arrival.carried.as_deref() {
            facets.vitality.rehearsals = carried.rehearsals;
            facets.vitality.rehearsed_at = carried.rehearsed_at;
            facets.vitality.decay = carried.decay;
            facets.history.repeats = carried.history.repeats;
            facets.history.supersedes.clone_from(&carried.history.supersedes);
            facets.history.remade_at = carried.history.remade_at;
            if !shared || self.is_admin() {
                facets.history.promotion =
                    carried.history.promotion.as_ref().map(|moved| Box::new(moved.duplicate()));
                facets.history.author.clone_from(&carried.history.author);
            }
            let (state, waits) =
                settle(arrival.admitted.state, facets.history.waits, carried, &facets.source);
            arrival.admitted.state = state;
            facets.history.waits = waits;
        }
        if shared {
            // Somebody must answer for it.
            facets.history.author.get_or_insert(importer);
        }
    }

    fn commit(
        &self,
        writer: &VaultWriter<'_>,
        arrivals: &mut Vec<ImportArrival>,
        archived: &[MemoryId],
    ) -> Result<()> {
        let (core, scope) = (self.core, self.grant.scope());
        let now = core.clock.now();
        let user = self.grant.caller().acting();
        let (model, mut notes) = (core.models.instant.model(), Vec::new());
        let mut to_seal = Vec::with_capacity(arrivals.len());
        for ImportArrival { id, admitted, terms, vector, .. } in arrivals.iter().filter(|one| one.is_new()) {
            notes.extend(findings(*id, user, &admitted.report, admitted.facets.history.waits));
            to_seal.push(ToSeal { id: *id, admitted, terms, vector: (model, vector) });
        }
        if to_seal.is_empty() {
            return Ok(());
        }
        let mut sealed = writer.seal_rows_keys_first(&to_seal, now)?;
        for (sealed, arrival) in sealed.iter_mut().zip(arrivals.iter().filter(|one| one.is_new())) {
            sealed.row.updated_at = arrival.carried.as_ref().map_or(now, |carried| carried.updated_at);
        }
        let rewritten = writer.rewrite(archived, |row, _| {
            row.state = Lifecycle::Archived;
            true
        })?;
        let subjects: Vec<Subject> = sealed.iter().map(|sealed| sealed.row.id.into()).collect();
        let bytes = sealed.iter().map(|sealed| sealed.row.frame.len() as u64).sum();
        let entry = AuditEntry { bytes, ..AuditEntry::new(AuditAction::MemoryImport, user, subjects) };
        let mut act = Act::new(scope, now, entry);
        act.record(AuditAction::MemoryArchive, "policy", archived);
        act.entries.extend(notes);
        act.batch.puts = sealed.iter().map(|sealed| sealed.row.clone()).collect();
        act.batch.puts.extend(rewritten.iter().map(|rewritten| rewritten.row.clone()));
        writer.commit(&act, |open| {
            for (arrival, sealed) in arrivals.drain(..).filter(ImportArrival::is_new).zip(sealed) {
                let SealedMemory { row, frame } = sealed.with(arrival.admitted);
                open.put(&row, frame);
            }
            for Rewritten { row, frame } in rewritten {
                open.put(&row, frame);
            }
        })?;
        Ok(())
    }
}

/// The answer about one record, before it is counted.
pub(super) struct ImportAnswer {
    pub(super) number: u64,
    pub(super) origin: Option<Origin>,
    pub(super) fate: Fate,
    /// Its words were changed.
    pub(super) changed: bool,
    pub(super) links_dropped: usize,
    pub(super) unproven: bool,
}

impl ImportAnswer {
    /// The answer about a record that was not stored now.
    pub(super) fn of(number: u64, origin: Option<Origin>, fate: Fate) -> Self {
        Self { number, origin, fate, changed: false, links_dropped: 0, unproven: false }
    }
}

/// The state that a record of ours comes in with. What somebody had confirmed stays confirmed; what looks like
/// an order to an assistant, or needs the approval of whoever governs a shared vault, waits once more.
fn settle(
    gate: Lifecycle,
    gate_waits: Option<Wait>,
    carried: &Carried,
    source: &Source,
) -> (Lifecycle, Option<Wait>) {
    let told = matches!(source.kind, SourceType::UserMessage | SourceType::ExplicitSave);
    let own_words = told && !source.from_external_content;
    match (gate_waits, carried.state) {
        (Some(Wait::Quarantine | Wait::Approval), _) => (gate, gate_waits),
        (_, Lifecycle::Candidate) => {
            (Lifecycle::Candidate, carried.history.waits.or(gate_waits).or(Some(Wait::Confirmation)))
        }
        // Nobody but the file says that somebody confirmed it. Whoever imports their own words has no need to.
        (Some(Wait::Confirmation), recorded) if own_words => (recorded, None),
        (Some(_), _) if !carried.proven => (gate, gate_waits),
        (_, recorded) => (recorded, None),
    }
}
