//! A record on its way in: the gate reads everything that it says, and changes nothing.

use lacuna_language::words::TermList;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::gate::report::{Question, Refusal, Report};
use crate::gate::shape::gist;
use crate::gate::{Admitted, AskedDraft, DraftDecision, DraftOrigin, Gate, GateDecision};
use crate::index::quant::QuantVec;
use crate::vault::record::{embedded_text, readable};
use crate::vault::service::Service;
use crate::write::outcome::Refused;
use crate::write::verbatim::{VerbatimSource, embed, join};

/// The salience of a record: its program wanted it kept, and nothing ranks it against memories.
const RECORD_SALIENCE: f32 = 0.5;

/// A record to be put at its place.
pub struct RecordPut {
    /// The place.
    pub place: RecordPlace,
    /// The value, as JSON. It is kept as it is written.
    pub value: Plaintext,
    /// The metadata, a JSON object.
    pub metadata: Option<Plaintext>,
    /// The text that it is searched by.
    pub searched: SearchedText,
    /// The time to live, in milliseconds; it stays when absent.
    pub ttl_ms: Option<u64>,
    /// The origin; an explicit save when absent.
    pub source: Option<Source>,
    /// The legal ground of sensitive data.
    pub consent_basis: Option<ConsentBasis>,
    /// True when what looks like a secret is none: an id, for example. Certain secrets are refused all the same.
    pub keep_possible_secrets: bool,
}

impl RecordPut {
    /// A record with the defaults.
    pub fn new(place: RecordPlace, value: impl Into<Plaintext>) -> Self {
        Self {
            place,
            value: value.into(),
            metadata: None,
            searched: SearchedText::default(),
            ttl_ms: None,
            source: None,
            consent_basis: None,
            keep_possible_secrets: false,
        }
    }
}

/// A record that has passed the gate, and has no place yet.
pub(crate) struct AdmittedRecord {
    pub(crate) admitted: Admitted,
    pub(crate) terms: TermList,
    pub(crate) vector: QuantVec,
    /// Its id and the times of its writes are for whoever gives it a place.
    pub(crate) facet: RecordFacet,
}

/// The labels and the key of a place.
pub(crate) fn spelled(place: &RecordPlace) -> Vec<&str> {
    place.labels.iter().chain([&place.key]).map(Plaintext::expose).collect()
}

/// Takes one record through the gate. `standing` hears whether what looks like a secret is none.
pub(crate) fn admit_record(
    service: &Service,
    gate: &Gate<'_>,
    put: RecordPut,
    standing: impl Fn(bool) -> DraftOrigin,
) -> Result<Result<AdmittedRecord, Refused>> {
    if gate.policy.wants_approval(gate.holder) && !standing(false).may_approve {
        return Ok(Err(Refused { why: Refusal::NeedsApproval, report: Report::default() }));
    }
    let facet = RecordFacet {
        id: MemoryId::from_bytes([0; 16]),
        place: put.place.duplicate(),
        metadata: put.metadata.as_ref().map(Plaintext::duplicate),
        searched: put.searched.clone(),
        ttl_ms: put.ttl_ms,
        written_at: Vec::new(),
    };
    let told = readable(&facet, put.value.expose());
    let place = spelled(&facet.place).join("\n");
    let origin = VerbatimSource { field: "value", source: put.source.as_ref(), basis: put.consent_basis };
    let mut admitted: Option<Admitted> = None;
    // Labels and keys are often ids, which look like secrets: there only certain ones are refused.
    for (text, possible_confirmed) in [(told.expose(), put.keep_possible_secrets), (place.as_str(), true)] {
        if text.trim().is_empty() {
            continue;
        }
        let decision = origin.judge(service, gate, text, || standing(possible_confirmed))?;
        match (judged(decision), &mut admitted) {
            (Ok(more), Some(admitted)) => join(admitted, more),
            (Ok(first), none) => *none = Some(first),
            (Err(refused), _) => return Ok(Err(refused)),
        }
    }
    let admitted = admitted.ok_or_else(|| Error::invalid("value", "must not be empty"))?;
    let found_by = embedded_text(&facet, put.value.expose());
    Ok(Ok(AdmittedRecord {
        terms: TermList::of(found_by.expose(), None),
        vector: QuantVec::from_f32(&embed(service, "value", found_by.expose())?)?,
        admitted: as_record(admitted, put.value, &found_by),
        facet,
    }))
}

/// Gives an admitted record its own words, and the text that it is found by.
fn as_record(mut admitted: Admitted, value: Plaintext, found_by: &Plaintext) -> Admitted {
    let facets = &mut admitted.facets;
    facets.content_type = ContentType::Fact;
    // No fact: what a program keeps for itself is not what somebody said.
    facets.tier = Tier::Episodic;
    facets.vitality.salience = RECORD_SALIENCE;
    if facets.retention.tier == RetentionTier::MediumTerm {
        facets.retention.tier = RetentionTier::LongTerm;
    }
    facets.history = History::default();
    admitted.state = Lifecycle::Active;
    admitted.content = Content { gist: gist(None, found_by), details: Vec::new(), text: Some(value) };
    admitted
}

fn judged(decision: DraftDecision) -> Result<Admitted, Refused> {
    match decision {
        GateDecision::Yes(admitted) => Ok(*admitted),
        GateDecision::Refuse((why, report)) => Err(Refused { why, report }),
        GateDecision::Ask(AskedDraft { questions, report, .. }) => {
            let why = match questions.contains(&Question::PossibleSecret) {
                true => Refusal::PossibleSecret,
                false => Refusal::NeedsExplicitConsent,
            };
            Err(Refused { why, report })
        }
    }
}
