//! The second half of the gate: what the cleaned text is, and therefore where it may go.

use lacuna_language::classify::{ASKING_CONFIDENCE, Classified, Judged, SURE};
use lacuna_language::identifiers::{CONFIDENT, identifiers};
use lacuna_types::*;

use crate::gate::clean::Cleaned;
use crate::gate::consent::{consent, forbids_patterns};
use crate::gate::report::{Judgement, Question, Refusal};
use crate::gate::{DraftOrigin, Gate, GateDecision, shape};

/// The least salience of a memory that a person asked to keep.
const EXPLICIT_SALIENCE_MIN: f32 = 0.5;

/// Decides on the facets and the state of a cleaned draft.
pub(crate) fn judge(
    gate: &Gate<'_>,
    draft: &mut Draft,
    source: Source,
    standing: &DraftOrigin,
    cleaned: &mut Cleaned,
    seen: Classified,
) -> GateDecision<(Box<Facets>, Lifecycle)> {
    let is_note = is_note(draft, &source, standing);
    let mut tier = if is_note { Tier::Episodic } else { shape::tier(draft) };
    let privacy = match grounded(gate, draft, standing, privacy(gate, draft, standing, cleaned, &seen)) {
        Ok(privacy) => privacy,
        Err(refusal) => return GateDecision::Refuse(refusal),
    };
    if cleaned.routine_location && !draft.pinned && privacy.basis != ConsentBasis::ExplicitConsent {
        // Not kept beyond the session: so it goes where nothing is.
        match source.session {
            Some(_) => tier = Tier::Working,
            None => return GateDecision::Refuse(Refusal::RoutineLocation),
        }
    }
    let salience = salience(draft, &source, cleaned, &seen);
    if salience < gate.policy.min_salience {
        return GateDecision::Refuse(Refusal::BelowSalience);
    }
    if privacy.is_held() && tier == Tier::Working {
        // What lives in a session only is gone before anybody could be asked.
        return GateDecision::Ask(Question::Consent);
    }
    let (state, waits) = settle(gate, tier, &source, standing, cleaned.suspicious);
    let (privacy, is_held) = pattern(gate, draft, standing, tier).settle(privacy);
    let (state, waits) = if is_held { held(state, waits) } else { (state, waits) };
    let (lane, secondary_lanes) = lanes(draft, cleaned, &seen);
    let created_at = draft.created_at.unwrap_or(gate.now);
    let kind = draft.kind.unwrap_or(shape::category(draft).default_kind());
    let facets = Facets {
        category: shape::category(draft),
        content_type: shape::content_type(draft),
        tier,
        kind,
        lane,
        secondary_lanes,
        tags: shape::unique(std::mem::take(&mut draft.tags)),
        entities: entities(draft, seen),
        source,
        derived_from: std::mem::take(&mut draft.derived_from),
        retention: Retention {
            // A note lasts as a fact does, within the limit for what is no fact.
            tier: draft.retention.unwrap_or_else(|| {
                retention_of(if is_note { Tier::Semantic } else { tier }, &privacy.sensitivity, cleaned)
            }),
            expires_at: draft.expires_at,
            pinned: draft.pinned,
            kept_at: None,
        },
        privacy,
        vitality: Vitality {
            salience,
            valence: draft.valence.unwrap_or(0.0),
            decay: DecayProfile::of(kind),
            rehearsals: 0,
            rehearsed_at: created_at,
            read_at: None,
            peaks: Vec::new(),
        },
        history: History { waits, ..History::default() },
    };
    GateDecision::Yes((Box::new(facets), state))
}

/// Gives personal data its legal ground. Sensitive data to which its owner has not consented has none yet.
fn grounded(
    gate: &Gate<'_>,
    draft: &Draft,
    standing: &DraftOrigin,
    privacy: Privacy,
) -> Result<Privacy, Refusal> {
    let needed = Sensitivity::needing_consent(&privacy.sensitivity);
    let consented = standing.consented || needed.iter().all(|one| gate.consents.contains(&(*one).into()));
    match consent(privacy.class, draft.consent_basis, consented, gate.policy) {
        GateDecision::Yes(basis) => Ok(Privacy { basis, ..privacy }),
        GateDecision::Ask(_) => Ok(Privacy { basis: ConsentBasis::NotApplicable, ..privacy }),
        GateDecision::Refuse(refusal) => Err(refusal),
    }
}

/// The consent to patterns, as far as a draft needs it.
enum PatternConsent {
    NotNeeded,
    Given,
    Missing,
}

impl PatternConsent {
    /// The legal ground with it, and true when the memory is held. A memory that needs a consent and has one rests on it.
    fn settle(self, privacy: Privacy) -> (Privacy, bool) {
        match self {
            _ if privacy.is_held() => (privacy, true),
            Self::NotNeeded => (privacy, false),
            Self::Given => (Privacy { basis: ConsentBasis::ExplicitConsent, ..privacy }, false),
            Self::Missing => (privacy, true),
        }
    }
}

/// The consent that a draft needs as a pattern of somebody's behaviour, and whether it is there. What people write
/// into a shared vault themselves is the team's own; nothing is made there of their turns.
fn pattern(gate: &Gate<'_>, draft: &Draft, standing: &DraftOrigin, tier: Tier) -> PatternConsent {
    let is_pattern =
        shape::category(draft) == Category::WorkPattern || shape::content_type(draft) == ContentType::Pattern;
    let is_ours = gate.holder.is_shared() && !standing.derived;
    if !is_pattern || is_ours || tier == Tier::Working || !gate.policy.pattern_consent {
        return PatternConsent::NotNeeded;
    }
    let expressly = standing.consented || draft.consent_basis == Some(ConsentBasis::ExplicitConsent);
    match expressly && !standing.derived || !forbids_patterns(gate.policy, gate.holder, &gate.consents) {
        true => PatternConsent::Given,
        false => PatternConsent::Missing,
    }
}

/// The state of a memory that is held until its owner consents; another reason to wait stays.
fn held(state: Lifecycle, waits: Option<Wait>) -> (Lifecycle, Option<Wait>) {
    match state {
        Lifecycle::Active | Lifecycle::Approved => (Lifecycle::Candidate, Some(Wait::Consent)),
        waiting => (waiting, waits),
    }
}

/// Returns true when a draft is kept as a note: the conclusion of an assistant, by its door or by its token, unless
/// the caller asked for a fact.
fn is_note(draft: &Draft, source: &Source, standing: &DraftOrigin) -> bool {
    let wanted = draft.note || standing.by_agent && draft.tier.is_none();
    wanted
        && source.kind == SourceType::AiInference
        && !source.from_external_content
        && draft.derived_from.is_empty()
        && shape::tier(draft) == Tier::Semantic
}

/// The state in which a memory begins, and what it waits for.
fn settle(
    gate: &Gate<'_>,
    tier: Tier,
    source: &Source,
    standing: &DraftOrigin,
    suspicious: bool,
) -> (Lifecycle, Option<Wait>) {
    if suspicious {
        return (Lifecycle::Candidate, Some(Wait::Quarantine));
    }
    // Nobody could approve it before it is gone.
    if tier == Tier::Working {
        return (Lifecycle::Active, None);
    }
    if tier == Tier::Semantic && source.trust < Trust::High {
        return (Lifecycle::Candidate, Some(Wait::Confirmation));
    }
    if gate.policy.wants_approval(gate.holder) && !standing.may_approve {
        return (Lifecycle::Candidate, Some(Wait::Approval));
    }
    match gate.policy.grace.is_zero() {
        true => (Lifecycle::Active, None),
        false => (Lifecycle::Approved, None),
    }
}

/// The caller's word and what the gate sees, by what the policy lets the caller relax.
fn privacy(
    gate: &Gate<'_>,
    draft: &Draft,
    standing: &DraftOrigin,
    cleaned: &mut Cleaned,
    seen: &Classified,
) -> Privacy {
    let relax = gate.policy.caller_may_relax;
    let given = !draft.sensitivity.is_empty();
    let mut sensitivity = draft.sensitivity.clone();
    for judged in &seen.sensitivity {
        let overridden = given && relax && !draft.sensitivity.contains(&judged.value);
        cleaned.judged("sensitivity", judged, overridden);
        if judged.is_sure() && !overridden {
            sensitivity.push(judged.value);
        }
    }
    // What was inherited or cut out of the text is known, not guessed.
    sensitivity.extend(&standing.sensitivity);
    sensitivity.extend(&cleaned.sensitivity);
    let sure_enough = match seen.privacy.value {
        PrivacyClass::SensitivePii => ASKING_CONFIDENCE,
        _ => SURE,
    };
    let seen_class = (seen.privacy.confidence >= sure_enough).then_some(seen.privacy.value);
    let class = match (draft.privacy_class, seen_class) {
        (Some(own), Some(seen)) if !relax && seen.strictness() > own.strictness() => seen,
        (Some(own), _) => own,
        // What cannot be told is taken for personal.
        (None, seen) => seen.unwrap_or(PrivacyClass::GuestPii),
    };
    cleaned.judged("privacy_class", &seen.privacy, class != seen.privacy.value);
    Privacy { class, sensitivity: shape::unique(sensitivity), basis: ConsentBasis::NotApplicable }
}

fn salience(draft: &Draft, source: &Source, cleaned: &mut Cleaned, seen: &Classified) -> f32 {
    let floor = if source.kind == SourceType::ExplicitSave { EXPLICIT_SALIENCE_MIN } else { 0.0 };
    let Judged { value, confidence, reason } = seen.salience;
    let judged = Judged { value: format!("{value:.2}"), confidence, reason };
    cleaned.judged("salience", &judged, draft.salience.is_some());
    draft.salience.unwrap_or(value.max(floor))
}

fn lanes(draft: &mut Draft, cleaned: &mut Cleaned, seen: &Classified) -> (Lane, Vec<Lane>) {
    cleaned.judged("lane", &seen.lane, draft.lane.is_some_and(|lane| lane != seen.lane.value));
    let lane = draft.lane.unwrap_or(if seen.lane.is_sure() { seen.lane.value } else { Lane::Profile });
    let mut secondary = std::mem::take(&mut draft.secondary_lanes);
    if draft.lane.is_none() {
        secondary.extend(seen.secondary_lanes.iter().filter(|lane| lane.is_sure()).map(|lane| lane.value));
    }
    secondary.retain(|other| *other != lane);
    (lane, shape::unique(secondary))
}

/// The caller's entities, then those that the gate recognises.
fn entities(draft: &mut Draft, seen: Classified) -> Vec<Entity> {
    let mut entities = std::mem::take(&mut draft.entities);
    let named = seen.entities.into_iter().filter(|named| named.confidence >= SURE).map(|named| named.entity);
    let numbers = identifiers(draft.text.expose()).into_iter().filter(|found| found.confidence >= CONFIDENT);
    let numbers = numbers.map(|found| Entity {
        kind: found.kind.as_str().to_owned(),
        name: found.canonical,
        primary: false,
        relation: None,
    });
    for entity in named.chain(numbers) {
        let known = entities.iter().any(|own| own.name == entity.name && own.kind == entity.kind);
        if !known && entities.len() < ENTITIES_MAX {
            entities.push(entity);
        }
    }
    entities
}

/// Returns the retention of a memory whose caller named none: a routine location lasts a session, sensitive data a
/// month, an event a season, and a fact until it no longer holds.
fn retention_of(tier: Tier, sensitivity: &[Sensitivity], cleaned: &Cleaned) -> RetentionTier {
    const HELD_SHORTLY: [Sensitivity; 3] =
        [Sensitivity::Health, Sensitivity::Financial, Sensitivity::Biometric];
    if cleaned.routine_location {
        return RetentionTier::Ephemeral;
    }
    match sensitivity.iter().any(|sensitivity| HELD_SHORTLY.contains(sensitivity)) {
        true => RetentionTier::Sensitive,
        false if tier == Tier::Semantic => RetentionTier::LongTerm,
        false => RetentionTier::MediumTerm,
    }
}

impl Cleaned {
    fn judged<T: ToString>(&mut self, facet: &'static str, judged: &Judged<T>, overridden: bool) {
        self.report.judgements.push(Judgement {
            facet,
            value: judged.value.to_string(),
            confidence: judged.confidence,
            reason: judged.reason,
            overridden,
        });
    }
}
