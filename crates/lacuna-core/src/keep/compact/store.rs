//! Stores the pieces made of a portion: they pass the gate, are sealed under keys that depend on the keys of
//! their turns, and enter the vault in the commit that archives the turns.

use lacuna_language::condense::Turn;
use lacuna_language::voices::has_external;
use lacuna_language::words::TermList;
use lacuna_types::embed::Purpose;
use lacuna_types::llm::ClaimKind;
use lacuna_types::token_count::estimate;
use lacuna_types::*;
use lacuna_types::{Error, Result};
use zeroize::Zeroizing;

use crate::audit::{AuditAction, AuditEntry, Subject};
use crate::gate::{Admitted, DraftOrigin, Gate, GateDecision, Presentable};
use crate::index::Stored;
use crate::index::quant::QuantVec;
use crate::keep::compact::condense::CondensedPiece;
use crate::keep::compact::plan::Portion;
use crate::keep::compact::run::{Compacted, Work};
use crate::permit::Acting;
use crate::vault::commit::Act;
use crate::vault::handle::VaultWriter;
use crate::vault::open::{Held, OpenVault};
use crate::vault::purpose::stays_local;
use crate::vault::rewrite::Rewritten;
use crate::vault::seal::{Prepared, SealedMemory, indexed_text};
use crate::vault::service::Service;
use crate::vault::stamp::settings_of;
use crate::write::place::findings;
use crate::write::reconcile::{receive, twin};

/// An opened turn with all that is known about it.
pub(crate) struct OpenedTurn {
    id: MemoryId,
    text: Zeroizing<String>,
    vector: Option<Vec<f32>>,
    facets: Facets,
    created_at: jiff::Timestamp,
}

impl OpenedTurn {
    /// Returns true when its text goes to no model outside this process.
    pub(crate) fn stays_local(&self) -> bool {
        stays_local(&self.facets)
    }

    pub(crate) fn new(stored: &Stored<'_, Held>, text: Plaintext, vector: Option<Vec<f32>>) -> Self {
        let created_at = from_millis(stored.attributes.created_at).unwrap_or(stored.payload.updated_at);
        let facets = stored.payload.facets.duplicate();
        Self { id: stored.id, text: Zeroizing::new(text.into_exposed()), vector, facets, created_at }
    }

    pub(crate) fn id(&self) -> MemoryId {
        self.id
    }

    pub(crate) fn turn(&self) -> Turn {
        let mut turn = Turn::new(self.text.clone(), &self.facets.source);
        turn.vector.clone_from(&self.vector);
        turn
    }
}

/// The outcome of storing a portion.
pub(crate) enum PlacedPortion {
    Done(Box<Compacted>),
    /// A turn was erased or changed since it was read.
    Stale,
}

/// A piece that the gate lets in.
struct AdmittedPiece {
    piece: CondensedPiece,
    admitted: Admitted,
    vector: QuantVec,
}

impl AdmittedPiece {
    fn is_summary(&self) -> bool {
        self.piece.kind.is_none()
    }
}

/// Stores what was made of the sources and archives those that a summary takes the place of.
pub(crate) fn place_pieces(
    service: &Service,
    work: &Work<'_>,
    portion: &Portion,
    sources: &[OpenedTurn],
    pieces: Vec<CondensedPiece>,
) -> Result<PlacedPortion> {
    let arrivals = through_the_gate(service, work.scope, portion, sources, pieces)?;
    let covered: Vec<usize> =
        arrivals.iter().filter(|one| one.is_summary()).flat_map(|one| one.piece.turns.clone()).collect();
    let (gone, kept): (Vec<_>, Vec<_>) = sources
        .iter()
        .enumerate()
        .partition(|(number, source)| covered.contains(number) || says_nothing(source));
    let archived: Vec<MemoryId> = gone.iter().map(|(_, source)| source.id).collect();
    let mut done = Compacted { kept: kept.len(), ..Compacted::default() };
    done.turns = archived.len();
    done.tokens_before = gone.iter().map(|(_, source)| estimate(&source.text)).sum();
    // A fact of a turn that stays would say the same beside it.
    let arrivals = arrivals
        .into_iter()
        .filter(|one| one.piece.turns.iter().all(|turn| covered.contains(turn)))
        .collect();
    if archived.is_empty() {
        return Ok(PlacedPortion::Done(Box::new(done)));
    }
    commit_portion(service, work, &archived, arrivals, done)
}

fn through_the_gate(
    service: &Service,
    scope: &Scope,
    portion: &Portion,
    sources: &[OpenedTurn],
    pieces: Vec<CondensedPiece>,
) -> Result<Vec<AdmittedPiece>> {
    let gate = Gate {
        policy: service.policy(&scope.org),
        holder: &scope.holder,
        now: service.clock.now(),
        scanner: service.rules.scanner(),
        prototypes: service.prototypes()?,
        consents: settings_of(&service.reader(scope))?.consented(),
    };
    let mut presentable = Vec::with_capacity(pieces.len());
    for piece in &pieces {
        let of: Vec<&OpenedTurn> = piece.turns.iter().map(|turn| &sources[*turn]).collect();
        presentable.push(gate.clean(draft(piece, portion, &of), standing(piece, &of))?);
    }
    let texts: Vec<&str> = presentable.iter().map(Presentable::text).collect();
    let vectors = service.models.instant.embed(&texts, Purpose::Passage)?;
    let mut arrivals = Vec::with_capacity(pieces.len());
    for ((piece, presentable), vector) in pieces.into_iter().zip(presentable).zip(vectors) {
        let GateDecision::Yes(admitted) = gate.judge(presentable, &vector) else { continue };
        let admitted = settled(*admitted, &piece, sources);
        // A summary that waits would leave nothing to find in the place of its turns, and what may not outlive
        // its session is not stored.
        let stays = admitted.facets.tier != Tier::Working;
        if stays && (piece.kind.is_some() || admitted.state == Lifecycle::Active) {
            arrivals.push(AdmittedPiece { piece, admitted, vector: QuantVec::from_f32(&vector)? });
        }
    }
    Ok(arrivals)
}

fn commit_portion(
    service: &Service,
    work: &Work<'_>,
    archived: &[MemoryId],
    arrivals: Vec<AdmittedPiece>,
    done: Compacted,
) -> Result<PlacedPortion> {
    let scope = work.scope;
    let reader = service.reader(scope);
    let writer = reader.lock();
    let now = service.clock.now();
    let settled = writer.update(|open| match open.header.frozen_at {
        Some(_) => Err(Error::frozen()),
        None if !archived.iter().all(|id| is_active(open, id)) => Ok(None),
        None => Ok(Some(
            arrivals.into_iter().filter_map(|one| find_place(service, open, one)).collect::<Vec<_>>(),
        )),
    })?;
    let Some(prepared) = settled.flatten() else { return Ok(PlacedPortion::Stale) };
    let done = done.with(&prepared);
    let mut act = Act::silent(scope, now);
    let found: Vec<AuditEntry> = prepared.iter().flat_map(|new| noted(new, work.actor)).collect();
    let sealed = match prepared.is_empty() {
        true => Vec::new(),
        false => writer.seal_keys_first(prepared, now)?,
    };
    let rewritten = writer.rewrite(archived, |row, _| {
        row.state = Lifecycle::Archived;
        row.updated_at = now;
        true
    })?;
    if rewritten.len() < archived.len() {
        return Ok(PlacedPortion::Stale);
    }
    record(&mut act, work.actor, &sealed, archived);
    act.entries.extend(found);
    commit_swap(&writer, act, sealed, rewritten)?;
    Ok(PlacedPortion::Done(Box::new(done)))
}

fn commit_swap(
    writer: &VaultWriter<'_>,
    mut act: Act,
    sealed: Vec<SealedMemory>,
    rewritten: Vec<Rewritten>,
) -> Result<()> {
    act.batch.puts = sealed.iter().map(|sealed| sealed.row.clone()).collect();
    act.batch.puts.extend(rewritten.iter().map(|rewritten| rewritten.row.clone()));
    writer.commit(&act, |open| {
        for SealedMemory { row, frame } in sealed {
            open.put(&row, frame);
        }
        for Rewritten { row, frame } in rewritten {
            open.put(&row, frame);
        }
    })?;
    Ok(())
}

/// Prepares a piece for its place in the vault: a fact that is there already, or that a newer one contradicts,
/// is dropped; one that contradicts an older one waits for review. No piece supersedes another memory by itself.
fn find_place(service: &Service, open: &OpenVault, arrival: AdmittedPiece) -> Option<Prepared> {
    let AdmittedPiece { piece, mut admitted, vector } = arrival;
    let terms = TermList::of(&indexed_text(&admitted.content), None);
    if piece.kind.is_some() {
        if twin(open, &admitted).is_some() {
            return None;
        }
        receive(open, &mut admitted, &terms, |_| false);
        if admitted.facets.history.waits == Some(Wait::Contradiction) && is_outdated(open, &admitted) {
            return None;
        }
    }
    let id = MemoryId::make(&*service.clock, &*service.entropy);
    Some(Prepared { id, admitted, terms, vector: (service.models.instant.model().clone(), vector) })
}

impl Compacted {
    fn with(mut self, prepared: &[Prepared]) -> Self {
        for new in prepared {
            let is_summary = new.admitted.facets.content_type == ContentType::Summary;
            if is_summary {
                self.summaries.push(new.id)
            } else {
                self.facts.push(new.id)
            }
            match new.admitted.state {
                Lifecycle::Active => self.tokens_after += estimate(new.admitted.content.full_text().expose()),
                _ => self.waiting += 1,
            }
        }
        self
    }
}

fn record(act: &mut Act, actor: Acting<'_>, sealed: &[SealedMemory], archived: &[MemoryId]) {
    let bytes = sealed.iter().map(|sealed| sealed.row.frame.len() as u64).sum();
    let subjects = sealed.iter().map(|sealed| Subject::from(sealed.row.id)).collect();
    let entry = AuditEntry::new(AuditAction::MemoryCompact, actor, subjects);
    act.entries.push(AuditEntry { bytes, ..entry });
    act.record(AuditAction::MemoryArchive, actor, archived);
}

fn noted(new: &Prepared, actor: Acting<'_>) -> Vec<AuditEntry> {
    findings(new.id, actor, &new.admitted.report, new.admitted.facets.history.waits)
}

/// A turn of small words only: nobody would look for it.
fn says_nothing(source: &OpenedTurn) -> bool {
    source.turn().terms.is_empty()
}

fn is_active(open: &OpenVault, id: &MemoryId) -> bool {
    open.index.get(id).is_some_and(|stored| stored.attributes.state == Lifecycle::Active)
}

/// Returns true when one of the memories that it contradicts is newer.
fn is_outdated(open: &OpenVault, admitted: &Admitted) -> bool {
    let said_at = millis(admitted.created_at);
    let rivals = admitted.facets.history.alike.iter().filter_map(|id| open.index.get(id));
    rivals.map(|rival| rival.attributes.created_at).any(|rival| rival > said_at)
}

/// The draft of a derivative, which inherits from its sources: the tightest class, every sensitivity, the
/// earliest end.
fn draft(piece: &CondensedPiece, portion: &Portion, of: &[&OpenedTurn]) -> Draft {
    let facets = || of.iter().map(|source| &source.facets);
    let strictest = facets().max_by_key(|facets| facets.privacy.class.strictness());
    let mut source = Source::new(SourceType::AiInference, Trust::High);
    source.session = Some(portion.session.clone());
    let (category, content_type, tag) = match piece.kind {
        None => (Category::Conversation, ContentType::Summary, Some(format!("week:{}", portion.week))),
        Some(ClaimKind::Fact) => (Category::LearnedContext, ContentType::Fact, None),
        Some(ClaimKind::Preference) => (Category::Preference, ContentType::Preference, None),
        Some(ClaimKind::Pattern) => (Category::WorkPattern, ContentType::Pattern, None),
        Some(ClaimKind::Decision) => {
            (Category::LearnedContext, ContentType::Fact, Some("decision".to_owned()))
        }
    };
    Draft {
        text: piece.text.as_str().into(),
        category: Some(category),
        content_type: Some(content_type),
        tags: tag.into_iter().collect(),
        source: Some(source),
        derived_from: of.iter().map(|source| primary(source.id)).collect(),
        privacy_class: strictest.map(|facets| facets.privacy.class),
        sensitivity: facets().flat_map(|facets| facets.privacy.sensitivity.clone()).collect(),
        consent_basis: strictest
            .map(|facets| facets.privacy.basis)
            .filter(|basis| *basis != ConsentBasis::NotApplicable),
        retention: facets()
            .map(|facets| facets.retention.tier)
            .find(|tier| *tier == RetentionTier::ShortTerm),
        expires_at: facets().filter_map(|facets| facets.retention.expires_at).min(),
        salience: facets().map(|facets| facets.vitality.salience).max_by(f32::total_cmp),
        created_at: of.iter().map(|source| source.created_at).max(),
        ..Draft::default()
    }
}

fn primary(source: MemoryId) -> Lineage {
    Lineage { source, contribution: Contribution::Primary }
}

/// Trust never rises by derivation: it is the lowest of the sources'. A fact is in its speaker's own words; a summary may
/// repeat words that its turns pass on.
fn standing(piece: &CondensedPiece, of: &[&OpenedTurn]) -> DraftOrigin {
    let passes_on = piece.kind.is_none() && of.iter().any(|source| has_external(&source.text));
    let facets = || of.iter().map(|source| &source.facets);
    let lowest = facets().map(|facets| facets.source.trust).min().unwrap_or(Trust::Low);
    DraftOrigin {
        trust_max: lowest,
        by_agent: false,
        derived: true,
        // Its sources were approved and confirmed, and it says nothing else.
        may_approve: true,
        consented: false,
        possible_confirmed: true,
        was_stored: false,
        sensitivity: facets().flat_map(|facets| facets.privacy.sensitivity.clone()).collect(),
        external: passes_on || facets().any(|facets| facets.source.from_external_content),
        split: Vec::new(),
    }
}

fn settled(mut admitted: Admitted, piece: &CondensedPiece, sources: &[OpenedTurn]) -> Admitted {
    if admitted.state == Lifecycle::Approved {
        // Its sources had their time of grace.
        admitted.state = Lifecycle::Active;
    }
    if piece.by_model && piece.kind.is_some() && admitted.state == Lifecycle::Active {
        // No fact becomes active on the word of a model alone.
        admitted.state = Lifecycle::Candidate;
        admitted.facets.history.waits = Some(Wait::Confirmation);
    }
    admitted.facets.history.author =
        piece.turns.first().and_then(|turn| sources[*turn].facets.history.author.clone());
    admitted
}
