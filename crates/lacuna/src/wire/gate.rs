//! The gate's work on the wire: redactions by rule and position, judgements with their reasons, questions.

use jiff::Timestamp;
use lacuna_core::gate::{Judgement, Redaction, Report};
use lacuna_core::write::{Asked, HeldDraft, Outcome, Refused};
use lacuna_types::{ConsentTopic, Scope};
use serde::Serialize;
use utoipa::ToSchema;

use super::remember::RememberedView;
use super::words;

/// The gate's work on a text; never a word of it.
#[derive(Clone, Serialize, ToSchema, Debug)]
#[schema(as = GateReport)]
pub(crate) struct ReportView {
    /// Secrets that were found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) redactions: Vec<RedactionView>,
    /// Other changes, as `field: rule`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) changes: Vec<String>,
    /// True if a part was cut that stays when the text is sent with `consent_basis` `explicit-consent`: an address, or
    /// a number that a state gives to a person.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) consent_keeps: bool,
    /// The rules by which it looks like an instruction to an assistant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) suspicions: Vec<&'static str>,
    /// The gate's judgements.
    pub(crate) judgements: Vec<JudgementView>,
    /// True if the text was cut to fit.
    pub(crate) truncated: bool,
}

#[derive(Clone, Serialize, ToSchema, Debug)]
#[schema(as = Redaction)]
pub(crate) struct RedactionView {
    pub(crate) field: &'static str,
    pub(crate) rule: String,
    /// `definite`, `probable` or `possible`.
    pub(crate) level: &'static str,
    /// The first character and the one after the last, in the field as it was sent.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// True if it was removed.
    pub(crate) removed: bool,
}

#[derive(Clone, Serialize, ToSchema, Debug)]
#[schema(as = Judgement)]
pub(crate) struct JudgementView {
    pub(crate) facet: &'static str,
    pub(crate) value: String,
    /// From 0 to 1.
    pub(crate) confidence: f32,
    /// The rule that matched.
    pub(crate) reason: &'static str,
    /// True if the caller's own value was used instead.
    pub(crate) overridden: bool,
}

/// A text that is not stored until it is confirmed.
#[derive(Clone, Serialize, ToSchema, Debug)]
#[schema(as = Asked)]
pub(crate) struct AskedView {
    /// `possible_secret` or `consent`.
    pub(crate) questions: Vec<&'static str>,
    /// Send the same text again with this as `confirm`.
    pub(crate) confirm: String,
    pub(crate) expires_at: Timestamp,
    /// The sealed memory that holds the text meanwhile, when only a consent is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) held: Option<HeldView>,
    pub(crate) gate: ReportView,
}

/// A text that is held sealed until its owner consents. No search finds it.
#[derive(Clone, Serialize, ToSchema, Debug)]
#[schema(as = Held)]
pub(crate) struct HeldView {
    pub(crate) memory_id: String,
    /// The time at which it is gone without a consent.
    pub(crate) until: Timestamp,
    /// The consents that it needs: sensitive categories, or `patterns`.
    pub(crate) categories: Vec<words::ConsentTopic>,
}

/// A text that the gate refused.
#[derive(Clone, Serialize, ToSchema, Debug)]
#[schema(as = Refused)]
pub(crate) struct RefusedView {
    /// One of the codes of docs/errors.md.
    pub(crate) code: &'static str,
    pub(crate) reason: &'static str,
    pub(crate) gate: ReportView,
}

/// Result for one text of a batch.
#[derive(Serialize, ToSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schema(as = Outcome)]
pub(crate) enum OutcomeView {
    Stored(Box<RememberedView>),
    Asked(AskedView),
    Refused(RefusedView),
}

impl OutcomeView {
    pub(crate) fn of(outcome: Outcome, scope: &Scope) -> Self {
        match outcome {
            Outcome::Stored(remembered) => Self::Stored(Box::new(RememberedView::of(*remembered, scope))),
            Outcome::Asked(asked) => Self::Asked((*asked).into()),
            Outcome::Refused(refused) => Self::Refused((*refused).into()),
        }
    }
}

impl From<Report> for ReportView {
    fn from(report: Report) -> Self {
        Self {
            redactions: report.redactions.into_iter().map(RedactionView::from).collect(),
            changes: report
                .changes
                .iter()
                .map(|change| format!("{}: {}", change.field, change.rule))
                .collect(),
            consent_keeps: report.consent_keeps,
            suspicions: report.suspicions,
            judgements: report.judgements.into_iter().map(JudgementView::from).collect(),
            truncated: report.truncated,
        }
    }
}

impl From<Redaction> for RedactionView {
    fn from(redaction: Redaction) -> Self {
        Self {
            field: crate::wire::failure::wire_field(redaction.field),
            rule: redaction.rule,
            level: redaction.level.as_str(),
            start: redaction.place.start,
            end: redaction.place.end,
            removed: redaction.removed,
        }
    }
}

impl From<Judgement> for JudgementView {
    fn from(judgement: Judgement) -> Self {
        let Judgement { facet, value, confidence, reason, overridden } = judgement;
        Self { facet, value, confidence, reason, overridden }
    }
}

impl From<Asked> for AskedView {
    fn from(asked: Asked) -> Self {
        Self {
            questions: asked.questions.iter().map(|question| question.as_str()).collect(),
            confirm: asked.token,
            expires_at: asked.expires_at,
            held: asked.held.map(HeldView::from),
            gate: asked.report.into(),
        }
    }
}

impl HeldView {
    /// The categories, as a sentence names them.
    pub(crate) fn about(&self) -> String {
        let word = |topic: &words::ConsentTopic| match topic.0 {
            ConsentTopic::Patterns => "patterns of behaviour",
            other => other.as_str(),
        };
        self.categories.iter().map(word).collect::<Vec<_>>().join(" and ")
    }
}

impl From<HeldDraft> for HeldView {
    fn from(held: HeldDraft) -> Self {
        let categories = held.topics.into_iter().map(words::ConsentTopic).collect();
        Self { memory_id: held.id.to_string(), until: held.until, categories }
    }
}

impl From<Refused> for RefusedView {
    fn from(refused: Refused) -> Self {
        Self { code: refused.why.code(), reason: refused.why.reason(), gate: refused.report.into() }
    }
}
