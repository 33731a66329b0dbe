//! The monthly review on the wire.

use jiff::Timestamp;
use lacuna_core::govern::{Answer, Answered, Month, MonthPage, ReviewItem};
use lacuna_types::{MemoryId, Scope};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ReceiptView;
use super::memory::MemoryView;
use super::scope::shown;
use crate::wire::failure::{Failure, Result};

/// Overview of a vault, and memories worth a decision.
#[derive(Serialize, ToSchema)]
#[schema(as = Month)]
pub(crate) struct MonthView {
    pub(crate) scope: String,
    pub(crate) at: Timestamp,
    pub(crate) memories: usize,
    pub(crate) parts: Vec<PartView>,
    /// Memories that go within 7 days.
    pub(crate) expiring_soon: usize,
    /// Memories worth a decision.
    pub(crate) to_review: usize,
    pub(crate) recommended: Vec<RecommendationView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) prompted_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reviewed_at: Option<Timestamp>,
    /// Digest that an answer must repeat.
    pub(crate) seen: String,
}

#[derive(Serialize, ToSchema)]
#[schema(as = MonthPart)]
pub(crate) struct PartView {
    /// A category of sensitivity, `conversations` or `other`.
    pub(crate) part: &'static str,
    pub(crate) memories: usize,
    pub(crate) oldest: Timestamp,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Recommendation)]
pub(crate) struct RecommendationView {
    pub(crate) part: &'static str,
    /// `asked`, `half_life`, `expiring`, `beyond_default` or `faded`.
    pub(crate) reason: &'static str,
    pub(crate) memories: usize,
    /// Time at which the first of them goes without an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) goes_at: Option<Timestamp>,
}

impl MonthView {
    pub(crate) fn of(month: Month, scope: &Scope) -> Self {
        let part = |one: lacuna_core::govern::PartCount| PartView {
            part: one.part.as_str(),
            memories: one.memories,
            oldest: one.oldest,
        };
        let recommended = |one: lacuna_core::govern::Recommendation| RecommendationView {
            part: one.part.as_str(),
            reason: one.reason.as_str(),
            memories: one.memories,
            goes_at: one.goes_at,
        };
        Self {
            scope: shown(scope),
            at: month.at,
            memories: month.memories,
            parts: month.parts.into_iter().map(part).collect(),
            expiring_soon: month.expiring_soon,
            to_review: month.to_review,
            recommended: month.recommended.into_iter().map(recommended).collect(),
            prompted_at: month.prompted_at,
            reviewed_at: month.reviewed_at,
            seen: month.mark,
        }
    }
}

/// Memories of a review, in the order in which they were stored.
#[derive(Serialize, ToSchema)]
#[schema(as = MonthPage)]
pub(crate) struct MonthPageView {
    pub(crate) scope: String,
    pub(crate) memories: Vec<ReviewItemView>,
    /// Cursor of the next page: the last memory of this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = ReviewItem)]
pub(crate) struct ReviewItemView {
    pub(crate) memory_id: String,
    pub(crate) created_at: Timestamp,
    pub(crate) parts: Vec<&'static str>,
    pub(crate) reason: &'static str,
    /// Rule that decides its retention.
    pub(crate) ground: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) asked_since: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<Timestamp>,
    /// Absent when it is in a category that its owner hides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) memory: Option<MemoryView>,
}

impl MonthPageView {
    pub(crate) fn of(page: MonthPage, scope: &Scope) -> Self {
        let item = |item: ReviewItem| ReviewItemView {
            memory_id: item.id.to_string(),
            created_at: item.created_at,
            parts: item.parts.iter().map(|part| part.as_str()).collect(),
            reason: item.reason.as_str(),
            ground: item.term.ground.as_str(),
            asked_since: item.term.asks_at.filter(|_| item.reason.as_str() == "asked"),
            expires_at: item.term.expires_at,
            memory: item.memory.map(|memory| MemoryView::of(memory, scope)),
        };
        let next = page.next.map(|id| id.to_string());
        Self { scope: shown(scope), memories: page.items.into_iter().map(item).collect(), next }
    }
}

/// One decision about a review.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = MonthAnswer)]
pub(crate) struct AnswerRequest {
    /// The review's `seen`.
    pub(crate) seen: String,
    pub(crate) answer: AnswerWord,
    /// For `keep` and `erase`: a category of sensitivity, `conversations` or `other`.
    pub(crate) part: Option<String>,
    /// For `keep` and `erase`: these memories.
    pub(crate) memory_ids: Option<Vec<String>>,
    /// The vault; the caller's own when absent.
    pub(crate) scope: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AnswerWord {
    KeepAll,
    Keep,
    Erase,
    ApplyDefaults,
    ArchiveFaded,
}

impl AnswerRequest {
    pub(crate) fn into_core(self) -> Result<(String, Answer)> {
        let ids = self.memory_ids.map(|ids| ids.iter().map(|id| id.parse()).collect());
        let ids: Option<Vec<MemoryId>> = ids.transpose()?;
        let part = self.part.map(|part| part.parse()).transpose()?;
        let answer = match (self.answer, part, ids) {
            (AnswerWord::KeepAll, None, None) => Answer::KeepAll,
            (AnswerWord::ApplyDefaults, None, None) => Answer::ApplyDefaults,
            (AnswerWord::ArchiveFaded, None, None) => Answer::ArchiveFaded,
            (AnswerWord::Keep, Some(part), None) => Answer::KeepPart(part),
            (AnswerWord::Keep, None, Some(ids)) => Answer::Keep(ids),
            (AnswerWord::Erase, Some(part), None) => Answer::ErasePart(part),
            (AnswerWord::Erase, None, Some(ids)) => Answer::Erase(ids),
            _ => {
                let reason = "keep and erase take a part or memory_ids, the other answers neither";
                return Err(Failure::invalid("answer", reason));
            }
        };
        Ok((self.seen, answer))
    }
}

/// Result of a decision.
#[derive(Serialize, ToSchema)]
#[schema(as = MonthAnswered)]
pub(crate) struct AnsweredView {
    pub(crate) scope: String,
    pub(crate) kept: Vec<String>,
    pub(crate) archived: Vec<String>,
    pub(crate) erased: Vec<String>,
    /// Derivatives that went with them.
    pub(crate) fell: Vec<String>,
    pub(crate) receipts: Vec<ReceiptView>,
}

impl AnsweredView {
    pub(crate) fn of(answered: Answered, scope: &Scope) -> Self {
        let words = |ids: Vec<MemoryId>| ids.iter().map(ToString::to_string).collect();
        Self {
            scope: shown(scope),
            kept: words(answered.kept),
            archived: words(answered.archived),
            erased: words(answered.erased),
            fell: words(answered.fell),
            receipts: answered.receipts.into_iter().map(ReceiptView::from).collect(),
        }
    }
}
