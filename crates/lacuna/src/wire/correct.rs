//! Corrections on the wire.

use jiff::Timestamp;
use lacuna_core::write::{Corrected, Correction, Replacement};
use lacuna_types::{Draft, MemoryId, Scope};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::record::raw_text;
use super::scope::shown;
use super::{RememberedView, SourceBody, words};
use crate::wire::failure::{Failure, Result};

/// The wrong memory, and the right text. Exactly one of `memory_id` and `about`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = CorrectRequest)]
pub(crate) struct CorrectRequest {
    pub(crate) memory_id: Option<String>,
    /// Subject of the memory, in plain words: "where I live".
    #[schema(max_length = 500)]
    pub(crate) about: Option<String>,
    /// The right text. It passes the gate like every text.
    pub(crate) content: String,
    pub(crate) consent_basis: Option<words::ConsentBasis>,
    /// The token of an earlier answer that asked about this very text.
    pub(crate) confirm: Option<String>,
    /// The vault; the caller's own when absent.
    pub(crate) scope: Option<String>,
}

impl CorrectRequest {
    pub(crate) fn into_core(self) -> Result<(Correction, Draft)> {
        let what = match (self.memory_id, self.about) {
            (Some(id), None) => Correction::Id(id.parse()?),
            (None, Some(about)) => Correction::Words(about),
            _ => return Err(Failure::invalid("about", "name exactly one: memory_id or about")),
        };
        let draft = Draft {
            text: self.content.into(),
            consent_basis: self.consent_basis.map(|basis| basis.0),
            confirm: self.confirm,
            ..Draft::default()
        };
        Ok((what, draft))
    }
}

/// A text that takes the place of a memory. What is not sent stays as it was.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ReplaceRequest)]
pub(crate) struct ReplaceRequest {
    /// The new text. It passes the gate like every text.
    #[schema(min_length = 1)]
    pub(crate) content: String,
    /// An object of your own, up to 16 KiB, to filter by; `{}` takes the old one away.
    #[schema(value_type = Option<Object>)]
    pub(crate) metadata: Option<Box<RawValue>>,
    pub(crate) tags: Option<Vec<String>>,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) source: Option<SourceBody>,
    pub(crate) consent_basis: Option<words::ConsentBasis>,
    /// The token of an earlier answer that asked about this very text.
    pub(crate) confirm: Option<String>,
}

impl ReplaceRequest {
    pub(crate) fn into_core(self) -> Result<Replacement> {
        Ok(Replacement {
            text: self.content.into(),
            metadata: self.metadata.as_deref().map(raw_text),
            tags: self.tags,
            expires_at: self.expires_at,
            source: self.source.map(SourceBody::try_into).transpose()?,
            consent_basis: self.consent_basis.map(|basis| basis.0),
            confirm: self.confirm,
        })
    }
}

/// Result of a correction.
#[derive(Serialize, ToSchema)]
#[schema(as = Corrected)]
pub(crate) struct CorrectedView {
    pub(crate) scope: String,
    /// `corrected`; `waiting` when the new text waits for review; `which_one` when several may be meant, or none.
    pub(crate) outcome: &'static str,
    /// The new memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) memory: Option<RememberedView>,
    /// The erased memory that it replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replaced: Option<String>,
    /// The receipt of its erasure: `GET /v1/receipts/{receipt}` returns all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) receipt: Option<String>,
    /// True if the other half of the old sentence lives on as a memory of its own.
    pub(crate) left_some: bool,
    /// Memories that may be meant, the likeliest first: ask again with one of their ids.
    pub(crate) candidates: Vec<String>,
}

impl CorrectedView {
    pub(crate) fn of(corrected: Corrected, scope: &Scope) -> Result<Self> {
        let nothing = |outcome| Self {
            scope: shown(scope),
            outcome,
            memory: None,
            replaced: None,
            receipt: None,
            left_some: false,
            candidates: Vec::new(),
        };
        Ok(match corrected {
            Corrected::Done { memory, replaced, left_some, receipt } => Self {
                receipt: receipt.map(|signed| signed.receipt.reference()),
                memory: Some(RememberedView::of(*memory, scope)),
                replaced: Some(replaced.to_string()),
                left_some,
                ..nothing("corrected")
            },
            Corrected::Held(outcome) => {
                let memory = Failure::of_gate(outcome)?;
                Self { memory: Some(RememberedView::of(memory, scope)), ..nothing("waiting") }
            }
            Corrected::Which(ids) => {
                Self { candidates: ids.iter().map(MemoryId::to_string).collect(), ..nothing("which_one") }
            }
        })
    }
}
