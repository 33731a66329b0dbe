//! Remember: admit → reconcile with what is there → seal → store with its audit entries → index.

use jiff::Timestamp;
use lacuna_types::embed::Purpose;
use lacuna_types::policy::Policy;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::{AuditAction, AuditEntry};
use crate::gate::confirm::{CONFIRM_WITHIN, Questions, TokenBinding, useless_token};
use crate::gate::consent::topics_of;
use crate::gate::report::{Question, Report};
use crate::gate::{Admitted, AskedDraft, DraftDecision, DraftOrigin, Gate, GateDecision, Presentable};
use crate::index::quant::QuantVec;
use crate::permit::{Grant, Remember};
use crate::vault::commit::Act;
use crate::vault::frozen::check_thawed;
use crate::vault::open::OpenVault;
use crate::vault::receipt::SignedReceipt;
use crate::vault::service::Service;
use crate::vault::stamp::settings_of;
use crate::write::hold::hold;
use crate::write::neighbours::find_split;
use crate::write::number::Numbering;
use crate::write::outcome::{Asked, HeldDraft, Outcome, Refused, Remembered};
use crate::write::part::{PartedTurn, part_turn};
use crate::write::place::{AdmittedDraft, Corrects, place};
use crate::write::verbatim::{judge_fields, with_fields};

/// Memories in one call.
pub const REMEMBER_BATCH_MAX: usize = 2_000;
/// Texts that are embedded between two pauses.
const EMBEDDED_AT_ONCE: usize = 32;

/// Options of a write, besides the rules that hold for all.
#[derive(Default)]
pub(crate) struct Manner {
    /// The memories in whose place they come.
    pub(crate) corrects: Vec<Corrects>,
    /// The numbers of the drafts, when they are the turns of a session.
    pub(crate) numbering: Option<Numbering>,
    /// The id of the memory that the only draft replaces, and by which it is known from then on.
    pub(crate) replaces: Option<MemoryId>,
}

/// Takes every draft through the gate and stores those that pass, all of them or none. A draft with a
/// field out of bounds is an error of the whole call; one that the rules refuse or ask about is not.
pub(crate) fn remember(
    service: &Service,
    grant: &Grant<Remember>,
    drafts: Vec<Draft>,
) -> Result<Vec<Outcome>> {
    Ok(remember_in(service, grant, drafts, &Manner::default())?.0)
}

/// Does the same as [`remember`]; the stored memory replaces those that it corrects, in the same commit. Returns
/// the receipt of that, too.
pub(crate) fn remember_as(
    service: &Service,
    grant: &Grant<Remember>,
    drafts: Vec<Draft>,
    corrects: Vec<Corrects>,
) -> Result<(Vec<Outcome>, Option<SignedReceipt>)> {
    remember_in(service, grant, drafts, &Manner { corrects, ..Manner::default() })
}

pub(crate) fn remember_in(
    service: &Service,
    grant: &Grant<Remember>,
    mut drafts: Vec<Draft>,
    manner: &Manner,
) -> Result<(Vec<Outcome>, Option<SignedReceipt>)> {
    if drafts.is_empty() || drafts.len() > REMEMBER_BATCH_MAX {
        let reason = format!("one call takes 1 to {REMEMBER_BATCH_MAX} memories");
        return Err(Error::invalid("memories", reason));
    }
    let now = service.clock.now();
    for draft in &mut drafts {
        // Other programs tell finer times than are kept here.
        draft.created_at = draft.created_at.map(in_millis);
        draft.expires_at = draft.expires_at.map(in_millis);
        for link in &mut draft.derived_from {
            link.source = service.named(grant.scope(), link.source)?;
        }
    }
    let digests: Vec<_> = drafts.iter().map(digest).collect();
    let mut standings = standings(service, grant, &drafts, &digests, now)?;
    find_split(service, grant.scope(), manner.numbering.as_ref(), &drafts, &mut standings)?;
    let gate = gate(service, grant, now)?;
    let mut fields = Vec::with_capacity(drafts.len());
    for (draft, standing) in drafts.iter_mut().zip(&standings) {
        fields.push(judge_fields(service, &gate, draft, standing)?);
    }
    let presentable = clean_all(service, &gate, drafts, standings)?;
    let vectors = embed_all(service, &presentable)?;
    let judged = presentable.into_iter().zip(&vectors).map(|(draft, vector)| {
        service.pause();
        gate.judge(draft, vector)
    });

    let mut sorted = SortedDrafts::of(digests.len());
    for (number, ((verdict, fields), vector)) in judged.zip(fields).zip(&vectors).enumerate() {
        let verdict = with_fields(verdict, fields);
        sorted.take(service, &gate, manner, (number, verdict, vector))?;
    }
    let SortedDrafts { mut outcomes, arrivals, working, asked, parts } = sorted;
    let known = if asked.is_empty() { Vec::new() } else { held_topics(service, grant.scope())? };
    for (number, asked) in ask(service, grant, asked, &digests, now)? {
        outcomes[number] = Some(Outcome::Asked(Box::new(asked)));
    }
    let placed = place(service, grant, arrivals, manner.numbering.as_ref(), now)?;
    let working = hold(service, grant, working, now)?;
    tell(&mut outcomes, placed.answers.into_iter().chain(working), (&parts, known), (gate.policy, now));
    Ok((outcomes.into_iter().flatten().collect(), placed.receipt))
}

/// A time without what is finer than a millisecond.
pub(crate) fn in_millis(at: Timestamp) -> Timestamp {
    from_millis(millis(at)).unwrap_or(at)
}

/// The digest that a confirmation is bound to: of the text, and of the fields where there are some.
fn digest(draft: &Draft) -> [u8; 32] {
    let text = sha256(draft.text.expose().as_bytes());
    match &draft.metadata {
        Some(fields) => sha256(&[text, sha256(fields.expose().as_bytes())].concat()),
        None => text,
    }
}

/// Drafts by the gate's decision on each.
struct SortedDrafts {
    outcomes: Vec<Option<Outcome>>,
    arrivals: Vec<AdmittedDraft>,
    working: Vec<(usize, Admitted, QuantVec)>,
    asked: Vec<(usize, Vec<Question>, Report)>,
    /// The turns of which a part is held. The parts have the numbers behind those of the drafts.
    parts: Vec<usize>,
}

impl SortedDrafts {
    fn of(count: usize) -> Self {
        Self {
            outcomes: vec![None; count],
            arrivals: Vec::new(),
            working: Vec::new(),
            asked: Vec::new(),
            parts: Vec::new(),
        }
    }

    fn take(
        &mut self,
        service: &Service,
        gate: &Gate<'_>,
        manner: &Manner,
        (number, verdict, vector): (usize, DraftDecision, &[f32]),
    ) -> Result<()> {
        match verdict {
            GateDecision::Yes(admitted) if admitted.facets.tier == Tier::Working => {
                self.working.push((number, *admitted, QuantVec::from_f32(vector)?));
            }
            GateDecision::Yes(admitted) => {
                let vector = QuantVec::from_f32(vector)?;
                let arrival = AdmittedDraft::new(number, *admitted, vector, manner.corrects.clone());
                self.arrivals.push(arrival.keeping(manner.replaces));
            }
            GateDecision::Ask(AskedDraft { questions, report, held }) => {
                let turn = held.as_deref().filter(|_| manner.numbering.is_some());
                let parted = turn.map(|turn| part_turn(service, gate, turn)).transpose()?.flatten();
                if let Some(PartedTurn { rest, held }) = parted {
                    let beside = self.outcomes.len() + self.parts.len();
                    self.arrivals.push(AdmittedDraft::new(number, *rest.0, rest.1, Vec::new()));
                    self.arrivals.push(AdmittedDraft::new(beside, *held.0, held.1, Vec::new()));
                    self.parts.push(number);
                    return Ok(());
                }
                if let Some(admitted) = held {
                    let vector = QuantVec::from_f32(vector)?;
                    // A correction takes nobody's place before its text is allowed.
                    self.arrivals.push(AdmittedDraft::new(number, *admitted, vector, Vec::new()));
                }
                self.asked.push((number, questions, report));
            }
            GateDecision::Refuse((why, report)) => {
                self.outcomes[number] = Some(Outcome::Refused(Box::new(Refused { why, report })));
            }
        }
        Ok(())
    }
}

/// Adds what was stored to the outcomes. The caller is asked about the first text of a topic; what is said after
/// that about the same is held beside it.
fn tell(
    outcomes: &mut [Option<Outcome>],
    stored: impl Iterator<Item = (usize, Remembered)>,
    (parts, mut known): (&[usize], Vec<ConsentTopic>),
    (policy, now): (&Policy, Timestamp),
) {
    let mut apart = Vec::new();
    for (number, remembered) in stored {
        if let Some(part) = number.checked_sub(outcomes.len()) {
            apart.push((parts[part], HeldDraft::of(&remembered, policy, now)));
            continue;
        }
        match &mut outcomes[number] {
            Some(Outcome::Asked(asked)) if remembered.state == Lifecycle::Candidate => {
                let held = HeldDraft::of(&remembered, policy, now);
                if held.topics.iter().all(|topic| known.contains(topic)) {
                    outcomes[number] = Some(Outcome::Stored(Box::new(remembered)));
                } else {
                    known.extend(&held.topics);
                    asked.held = Some(held);
                }
            }
            outcome => *outcome = Some(Outcome::Stored(Box::new(remembered))),
        }
    }
    for (number, held) in apart {
        if let Some(Outcome::Stored(stored)) = &mut outcomes[number] {
            stored.held = Some(held);
        }
    }
}

pub(crate) fn gate<'a>(service: &'a Service, grant: &'a Grant<Remember>, now: Timestamp) -> Result<Gate<'a>> {
    let scope = grant.scope();
    Ok(Gate {
        policy: service.rules.policies.of(&scope.org),
        holder: &scope.holder,
        now,
        scanner: service.rules.scanner(),
        prototypes: service.prototypes()?,
        consents: settings_of(&service.reader(scope))?.consented(),
    })
}

/// The topics of which something is held already: its owner was asked about them.
fn held_topics(service: &Service, scope: &Scope) -> Result<Vec<ConsentTopic>> {
    let policy = service.policy(&scope.org);
    let held = service.read(scope, |open| {
        let held = open.index.each().filter(|one| one.attributes.state == Lifecycle::Candidate);
        let facets = held.map(|one| &one.payload.facets).filter(|facets| facets.is_held());
        facets.flat_map(|facets| topics_of(facets, policy)).collect()
    })?;
    Ok(held.unwrap_or_default())
}

/// Prepares what the first write would otherwise wait for.
pub(crate) fn warm_up(service: &Service) -> Result<()> {
    service.rules.scanner();
    service.prototypes().map(drop)
}

/// Collects the facts about each draft from outside it: its writer, its confirmation, its sources.
fn standings(
    service: &Service,
    grant: &Grant<Remember>,
    drafts: &[Draft],
    digests: &[[u8; 32]],
    now: Timestamp,
) -> Result<Vec<DraftOrigin>> {
    let caller = grant.caller();
    let scope = grant.scope();
    let is_person = caller.is_person();
    let newcomer = || DraftOrigin {
        by_agent: !is_person,
        derived: false,
        // An assistant may say that the user said so: that is not the user saying it.
        trust_max: if is_person { Trust::High } else { Trust::Medium },
        may_approve: scope.holder.is_shared() && caller.roles.contains(&Role::Admin),
        consented: false,
        possible_confirmed: false,
        was_stored: false,
        sensitivity: Vec::new(),
        external: false,
        split: Vec::new(),
    };
    let mut standings: Vec<DraftOrigin> = drafts.iter().map(|_| newcomer()).collect();
    for ((draft, digest), standing) in drafts.iter().zip(digests).zip(&mut standings) {
        if draft.confirm.is_some() && !is_person {
            return Err(Error::Denied("only a person may confirm"));
        }
        if draft.consent_basis == Some(ConsentBasis::ExplicitConsent) && !is_person {
            return Err(Error::Denied("only a person may give consent"));
        }
        if looks_back(draft) {
            let known = service.reader(scope).update(|open| {
                answer_questions(open, draft, &caller.user, digest, now, standing)?;
                inherit(open, draft, standing)
            })?;
            // Before the first write there is neither a question nor a source.
            known.ok_or_else(|| if draft.confirm.is_some() { useless_token() } else { no_source() })?;
        }
    }
    Ok(standings)
}

/// Asks about each text, and records that something was asked: never about what.
fn ask(
    service: &Service,
    grant: &Grant<Remember>,
    asked: Vec<(usize, Vec<Question>, Report)>,
    digests: &[[u8; 32]],
    now: Timestamp,
) -> Result<Vec<(usize, Asked)>> {
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let scope = grant.scope();
    let reader = service.reader(scope);
    let writer = reader.lock();
    check_thawed(service, scope)?;
    writer.ensure()?;
    let user = &grant.caller().user;
    let entry = AuditEntry::new(AuditAction::WriteAsked, grant.caller().acting(), Vec::new());
    writer.commit(&Act::new(scope, now, entry), |_| {})?;
    let expires_at = now + CONFIRM_WITHIN;
    let tokens = writer.update(|open| {
        let token = |(number, questions, _): &(usize, Vec<Question>, Report)| {
            let bound = TokenBinding { key: open.keyring.confirm_key(), user, digest: &digests[*number] };
            bound.token(questions.iter().copied().collect::<Questions>(), expires_at)
        };
        Ok(asked.iter().map(token).collect::<Vec<_>>())
    })?;
    let tokens = tokens.ok_or(Error::Conflict("the vault"))?;
    let answer = |((number, questions, report), token)| {
        (number, Asked { questions, token, expires_at, held: None, report })
    };
    Ok(asked.into_iter().zip(tokens).map(answer).collect())
}

/// Cleans one draft after another. Others may work between two of them: a call brings up to
/// [`REMEMBER_BATCH_MAX`] long texts.
fn clean_all(
    service: &Service,
    gate: &Gate<'_>,
    drafts: Vec<Draft>,
    standings: Vec<DraftOrigin>,
) -> Result<Vec<Presentable>> {
    let single = drafts.len() == 1;
    let clean = |(number, (draft, standing))| {
        service.pause();
        gate.clean(draft, standing).map_err(|error| match error {
            Error::Invalid { field, reason } if !single => {
                Error::Invalid { field, reason: format!("memory {number}: {reason}") }
            }
            other => other,
        })
    };
    drafts.into_iter().zip(standings).enumerate().map(clean).collect()
}

fn embed_all(service: &Service, presentable: &[Presentable]) -> Result<Vec<Vec<f32>>> {
    let mut vectors = Vec::with_capacity(presentable.len());
    for some in presentable.chunks(EMBEDDED_AT_ONCE) {
        service.pause();
        let texts: Vec<&str> = some.iter().map(Presentable::text).collect();
        vectors.extend(service.models.instant.embed(&texts, Purpose::Passage)?);
    }
    Ok(vectors)
}

/// Returns true when a draft names something that the vault must know: an earlier question, or other memories.
fn looks_back(draft: &Draft) -> bool {
    draft.confirm.is_some() || !draft.derived_from.is_empty()
}

fn answer_questions(
    open: &OpenVault,
    draft: &Draft,
    user: &UserId,
    digest: &[u8; 32],
    now: Timestamp,
    standing: &mut DraftOrigin,
) -> Result<()> {
    if let Some(token) = &draft.confirm {
        let answered = TokenBinding { key: open.keyring.confirm_key(), user, digest }.answered(token, now)?;
        standing.consented = answered.contains(Question::Consent);
        standing.possible_confirmed = answered.contains(Question::PossibleSecret);
    }
    Ok(())
}

/// Trust never rises by derivation, and what a source was about its derivative is about as well.
fn inherit(open: &OpenVault, draft: &Draft, standing: &mut DraftOrigin) -> Result<()> {
    for link in &draft.derived_from {
        let source =
            open.index.get(&link.source).filter(|source| source.attributes.state != Lifecycle::Deleted);
        let source = source.ok_or_else(no_source)?;
        let facets = &source.payload.facets;
        standing.trust_max = standing.trust_max.min(facets.source.trust);
        standing.external |= facets.source.from_external_content;
        standing.sensitivity.extend(&facets.privacy.sensitivity);
    }
    Ok(())
}

fn no_source() -> Error {
    Error::invalid("derived_from", "names a memory that is not there")
}
