//! Persona documents: memories as atoms under a `memoryPolicy`, exported, imported, validated and signed.
//!
//! A document is checked twice. `structure` reads it against `persona.schema.json`, a JSON Schema; `coherence` holds its
//! atoms against its policy by the rules of `persona.shapes.ttl`, which are SHACL shapes. Both files are the reference:
//! tests compare the two checks with independent validators.

mod canonical;
mod coherence;
mod document;
mod proof;
mod structure;

pub(crate) use self::document::{PersonaDocument, into_record};
pub(crate) use self::proof::{PersonaKey, sign, verify};

use lacuna_types::{DecayProfile, Lifecycle, Memory, MemoryId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::wire::{DetailBody, words};
use jiff::Timestamp;

/// The JSON Schema of a document.
pub(crate) const SCHEMA: &str = include_str!("persona.schema.json");
/// Digits of an atom's id.
const ATOM_DIGITS: usize = 12;
/// The decay function that there is.
const EBBINGHAUS: &str = "ebbinghaus";

/// The id of a memory in the schema: `mem:` and 12 hex digits, as a context section shows it.
pub(crate) fn atom_id(id: MemoryId) -> String {
    let digits = lacuna_types::hex::hex(id.as_bytes());
    format!("mem:{}", &digits[digits.len() - ATOM_DIGITS..])
}

/// One memory of a persona.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Atom)]
pub(crate) struct Atom {
    /// `mem:` and 12 hex digits.
    pub(crate) id: String,
    pub(crate) kind: words::PersonaKind,
    pub(crate) created_at: Timestamp,
    pub(crate) last_rehearsed_at: Timestamp,
    pub(crate) rehearsal_count: u32,
    /// At most 280 characters.
    pub(crate) gist: String,
    pub(crate) details: Vec<DetailBody>,
    /// Salience at the last rehearsal, from 0 to 1.
    pub(crate) salience: f32,
    /// From -1 to 1.
    pub(crate) emotional_valence: f32,
    pub(crate) decay_profile: AtomDecay,
    pub(crate) privacy_class: words::PrivacyClass,
    pub(crate) consent_basis: words::ConsentBasis,
    /// `active`, `redacted` or `pending-deletion`.
    pub(crate) redaction_status: String,
    pub(crate) provenance: AtomProvenance,
    #[serde(default)]
    pub(crate) tags: Vec<String>,
}

/// Ageing of an atom.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AtomDecay)]
pub(crate) struct AtomDecay {
    function: String,
    half_life_days: f32,
    rehearsal_boost: f32,
    valence_protection: f32,
    #[serde(default = "least_salience")]
    minimum_salience: f32,
    #[serde(default = "detail_rate")]
    detail_decay_rate: f32,
}

fn least_salience() -> f32 {
    DecayProfile::default().minimum_salience
}

fn detail_rate() -> f32 {
    DecayProfile::default().detail_decay_rate
}

/// Origin of an atom.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AtomProvenance)]
pub(crate) struct AtomProvenance {
    pub(crate) session_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) turn_index: Option<u32>,
    pub(crate) deployment_did: String,
}

/// The session of a memory that was saved outside any conversation.
const DIRECT_SESSION: &str = "sess:direct";
/// The deployment of a memory whose source names none.
const OWN_DEPLOYMENT: &str = "did:lacuna:own";

impl Atom {
    pub(crate) fn of(memory: Memory) -> Self {
        let (facets, content) = (memory.facets, memory.content);
        let decay = facets.vitality.decay;
        Self {
            id: atom_id(memory.id),
            kind: facets.kind.into(),
            created_at: memory.created_at,
            last_rehearsed_at: facets.vitality.rehearsed_at,
            rehearsal_count: facets.vitality.rehearsals,
            gist: content.gist.into_exposed(),
            details: content.details.into_iter().map(DetailBody::from).collect(),
            salience: facets.vitality.salience,
            emotional_valence: facets.vitality.valence,
            decay_profile: AtomDecay {
                function: EBBINGHAUS.to_owned(),
                half_life_days: decay.half_life_days,
                rehearsal_boost: decay.rehearsal_boost,
                valence_protection: decay.valence_protection,
                minimum_salience: decay.minimum_salience,
                detail_decay_rate: decay.detail_decay_rate,
            },
            privacy_class: facets.privacy.class.into(),
            consent_basis: facets.privacy.basis.into(),
            redaction_status: match memory.state {
                Lifecycle::Deleted => "redacted",
                _ => "active",
            }
            .to_owned(),
            provenance: AtomProvenance {
                session_id: facets.source.session.map_or_else(
                    || DIRECT_SESSION.to_owned(),
                    |session| format!("sess:{}", session.as_str()),
                ),
                turn_index: facets.source.turn,
                deployment_did: facets.source.deployment.unwrap_or_else(|| OWN_DEPLOYMENT.to_owned()),
            },
            tags: facets.tags,
        }
    }
}

impl From<&AtomDecay> for DecayProfile {
    fn from(decay: &AtomDecay) -> Self {
        Self {
            half_life_days: decay.half_life_days,
            rehearsal_boost: decay.rehearsal_boost,
            valence_protection: decay.valence_protection,
            minimum_salience: decay.minimum_salience,
            detail_decay_rate: decay.detail_decay_rate,
        }
    }
}

/// A fault of a document, at a path such as `memory[3].gist`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[schema(as = PersonaFault)]
pub(crate) struct PersonaFault {
    pub(crate) path: String,
    pub(crate) message: String,
}

impl PersonaFault {
    fn new(path: &str, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), message: message.into() }
    }
}

/// The result of a validation.
#[derive(Serialize, ToSchema)]
#[schema(as = PersonaReport)]
pub(crate) struct PersonaReport {
    pub(crate) valid: bool,
    pub(crate) atoms: usize,
    /// Faults of the structure; with any, the policy is not looked at.
    pub(crate) structure: Vec<PersonaFault>,
    /// Atoms that break the document's own policy.
    pub(crate) policy: Vec<PersonaFault>,
    /// References to redacted or missing atoms. They can be repaired, and block nothing.
    pub(crate) references: Vec<PersonaFault>,
}

/// Checks a document: its structure, then its atoms against its policy as of `now`, then its references.
pub(crate) fn validate(document: &Value, now: Timestamp) -> PersonaReport {
    let structure = structure::check(document);
    let whole = structure.is_empty();
    let policy = if whole { coherence::check(document, now) } else { Vec::new() };
    let references = if whole { coherence::references(document) } else { Vec::new() };
    PersonaReport {
        valid: whole && policy.is_empty(),
        atoms: document["memory"].as_array().map_or(0, Vec::len),
        structure,
        policy,
        references,
    }
}
