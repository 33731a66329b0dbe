//! Forgetting on the wire: a request, its plan, the confirmation, and the check for what remains.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use lacuna_core::erase::Forgotten;
use lacuna_core::forget::{
    Confirmed, ModelPart, Plan, Planned, PlannedFall, PlannedMatch, Request, Verified,
};
use lacuna_language::people::Cluster;
use lacuna_types::request::{Closeness, PlanChoice, Reach, Target, TimeSpan};
use lacuna_types::{MemoryId, Scope, SessionId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::hold::DeferredView;
use super::receipt::ReceiptView;
use super::scope::shown;
use super::words;
use crate::wire::failure::{Failure, Result};

/// Request to forget. Exactly one target; `after` and `before` go together.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ForgetRequest)]
pub(crate) struct ForgetRequest {
    /// Plain words: "forget everything about my dentist", "clear all health information".
    pub(crate) words: Option<String>,
    #[schema(max_items = 1000)]
    pub(crate) memory_ids: Option<Vec<String>>,
    pub(crate) session_id: Option<String>,
    /// Words and meaning together, as a search.
    pub(crate) query: Option<String>,
    /// Everything from this moment on.
    pub(crate) after: Option<Timestamp>,
    /// Everything before this moment.
    pub(crate) before: Option<Timestamp>,
    #[schema(max_items = 32)]
    pub(crate) tags: Option<Vec<String>>,
    /// A person, place, organisation or thing by name.
    pub(crate) entity: Option<String>,
    /// With `entity`: only memories that are about it, not those that merely mention it.
    #[serde(default)]
    pub(crate) primary_only: bool,
    pub(crate) sensitivity: Option<words::Sensitivity>,
    pub(crate) tier: Option<words::Tier>,
    pub(crate) source: Option<words::SourceType>,
    /// Everything there is.
    #[serde(default)]
    pub(crate) everything: bool,
    /// `soft` hides, `hard` erases, `archive` sets aside, `delete` erases and says so on the receipt; the
    /// policy decides when absent.
    pub(crate) mode: Option<words::Mode>,
    /// One of several people of the same name, counted from 1, as an earlier answer listed them.
    pub(crate) who: Option<u32>,
    /// Cut a memory that also says something else, instead of erasing all of it.
    #[serde(default)]
    pub(crate) partial: bool,
    /// Time zone of "yesterday", such as `Europe/Lisbon`; UTC when absent.
    pub(crate) time_zone: Option<String>,
    /// The vault; the caller's own when absent.
    pub(crate) scope: Option<String>,
}

impl ForgetRequest {
    pub(crate) fn into_core(self) -> Result<Request> {
        let zone = match &self.time_zone {
            None => TimeZone::UTC,
            Some(name) => {
                let unknown = |_| Failure::invalid("time_zone", "is not the name of a time zone");
                TimeZone::get(name).map_err(unknown)?
            }
        };
        let (mode, who, partial) = (self.mode.map(|mode| mode.0), self.who, self.partial);
        Ok(Request { mode, who, partial, zone, ..Request::new(self.target()?) })
    }

    fn target(self) -> Result<Target> {
        if self.primary_only && self.entity.is_none() {
            return Err(Failure::invalid("primary_only", "belongs to an entity"));
        }
        let reach = if self.primary_only { Reach::Subject } else { Reach::Mentions };
        let span = TimeSpan { from: self.after, until: self.before };
        let ids = |ids: Vec<String>| {
            ids.iter().map(|id| id.parse()).collect::<lacuna_types::Result<Vec<MemoryId>>>()
        };
        let targets = [
            self.words.map(Target::Words),
            self.memory_ids.map(ids).transpose()?.map(Target::Ids),
            self.session_id.map(|id| SessionId::new(&id)).transpose()?.map(Target::Session),
            self.query.map(Target::Query),
            (self.after.is_some() || self.before.is_some()).then_some(Target::Within(span)),
            self.tags.map(Target::Tags),
            self.entity.map(|name| Target::Entity { name, reach }),
            self.sensitivity.map(|word| Target::Sensitivity(word.0)),
            self.tier.map(|word| Target::Tier(word.0)),
            self.source.map(|word| Target::Source(word.0)),
            self.everything.then_some(Target::Everything),
        ];
        let mut targets = targets.into_iter().flatten();
        match (targets.next(), targets.next()) {
            (Some(target), None) => Ok(target),
            _ => Err(Failure::invalid(
                "target",
                "name exactly one: words, memory_ids, session_id, query, after and before, tags, entity, sensitivity, tier, source or everything",
            )),
        }
    }
}

/// Plan of a request, or a question that must be answered first.
#[derive(Serialize, ToSchema)]
#[schema(as = ForgetPlan)]
pub(crate) struct PlanView {
    pub(crate) scope: String,
    /// `plan`, `unclear` or `which_one`.
    pub(crate) outcome: &'static str,
    /// Token to confirm with; absent when nothing matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<Timestamp>,
    /// Number of confirmations that it needs.
    pub(crate) confirmations: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<words::Mode>,
    pub(crate) direct: usize,
    pub(crate) indirect: usize,
    /// Matches that may be meant, and that go only when the confirmation names them in `only`.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) offered: usize,
    /// The first 500 matches.
    pub(crate) matches: Vec<MatchView>,
    /// The nearest memories when no match is direct. They are no part of the plan: name their ids to forget them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) nearest: Vec<MatchView>,
    /// Derivatives of those memories: they are erased too, or made anew from their other sources.
    pub(crate) derived: Vec<FallView>,
    pub(crate) falls: usize,
    pub(crate) rebuilt: usize,
    /// Matches that another person wrote, and that the caller may not erase.
    pub(crate) not_yours: usize,
    /// Working memories of running sessions, in RAM only, that go as well.
    pub(crate) working: usize,
    /// The part of the language model, where the plan asked one: `answered` or `unanswered`. Its proposals are offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) language_model: Option<&'static str>,
    /// Advice when the words were not understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) question: Option<&'static str>,
    /// The people of that name: ask again with `who`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) people: Vec<PersonView>,
}

/// One of several people of one name.
#[derive(Serialize, ToSchema)]
#[schema(as = Namesake)]
pub(crate) struct PersonView {
    pub(crate) who: usize,
    pub(crate) label: String,
    pub(crate) memories: usize,
}

#[derive(Serialize, ToSchema)]
#[schema(as = ForgetMatch)]
pub(crate) struct MatchView {
    pub(crate) memory_id: String,
    pub(crate) gist: String,
    pub(crate) created_at: Timestamp,
    /// `direct` states it, `indirect` only seems to be about it.
    pub(crate) closeness: &'static str,
    pub(crate) reason: String,
    /// True for a match that goes only when the confirmation names it in `only`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) offered: bool,
    /// Remaining text, when only a part goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) leaves: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = ForgetFall)]
pub(crate) struct FallView {
    pub(crate) memory_id: String,
    pub(crate) gist: String,
    /// True if it is made anew from its other sources.
    pub(crate) rebuilt: bool,
}

impl PlanView {
    pub(crate) fn of(planned: Planned, scope: &Scope) -> Self {
        let nothing = |outcome| Self {
            scope: shown(scope),
            outcome,
            token: None,
            expires_at: None,
            confirmations: 1,
            mode: None,
            direct: 0,
            indirect: 0,
            offered: 0,
            matches: Vec::new(),
            nearest: Vec::new(),
            derived: Vec::new(),
            falls: 0,
            rebuilt: 0,
            not_yours: 0,
            working: 0,
            language_model: None,
            question: None,
            people: Vec::new(),
        };
        match planned {
            Planned::Unclear(question) => Self { question: Some(question.sentence()), ..nothing("unclear") },
            Planned::WhichOne(people) => {
                let person = |(at, cluster): (usize, Cluster)| PersonView {
                    who: at + 1,
                    label: cluster.label,
                    memories: cluster.count,
                };
                let people = people.into_iter().enumerate().map(person).collect();
                Self { people, ..nothing("which_one") }
            }
            Planned::Plan(plan) => Self::planned(*plan, nothing("plan")),
        }
    }

    fn planned(plan: Plan, nothing: Self) -> Self {
        Self {
            expires_at: plan.token.is_some().then_some(plan.expires_at),
            token: plan.token,
            confirmations: plan.confirmations,
            mode: Some(words::Mode(plan.mode)),
            direct: plan.direct,
            indirect: plan.indirect,
            offered: plan.offered,
            matches: plan.matches.into_iter().map(MatchView::from).collect(),
            nearest: plan.nearest.into_iter().map(MatchView::from).collect(),
            derived: plan.derived.into_iter().map(FallView::from).collect(),
            falls: plan.falls,
            rebuilt: plan.rebuilt,
            not_yours: plan.others,
            working: plan.working,
            language_model: plan.language_model.map(ModelPart::as_str),
            ..nothing
        }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl From<PlannedMatch> for MatchView {
    fn from(planned: PlannedMatch) -> Self {
        Self {
            memory_id: planned.memory.public_id().to_string(),
            created_at: planned.memory.created_at,
            gist: planned.memory.content.gist.into_exposed(),
            closeness: match planned.closeness {
                Closeness::Direct => "direct",
                Closeness::Indirect => "indirect",
            },
            reason: planned.reason.to_string(),
            offered: planned.offered,
            leaves: planned.leaves.map(|leaves| leaves.to_string()),
        }
    }
}

impl From<PlannedFall> for FallView {
    fn from(planned: PlannedFall) -> Self {
        Self {
            memory_id: planned.memory.public_id().to_string(),
            gist: planned.memory.content.gist.into_exposed(),
            rebuilt: planned.rebuilt,
        }
    }
}

/// Confirmation of a plan.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ForgetConfirmation)]
pub(crate) struct ConfirmRequest {
    pub(crate) token: String,
    /// Only the direct matches, not those that merely seem to be about it.
    #[serde(default)]
    pub(crate) direct_only: bool,
    /// Only these of the matches.
    #[schema(max_items = 1000)]
    pub(crate) only: Option<Vec<String>>,
    /// The vault; the caller's own when absent.
    pub(crate) scope: Option<String>,
}

impl ConfirmRequest {
    pub(crate) fn choice(&self) -> Result<PlanChoice> {
        match (&self.only, self.direct_only) {
            (Some(_), true) => Err(Failure::invalid("only", "and direct_only exclude each other")),
            (Some(ids), false) => {
                let ids = ids.iter().map(|id| id.parse()).collect::<lacuna_types::Result<Vec<MemoryId>>>()?;
                Ok(PlanChoice::Only(ids))
            }
            (None, true) => Ok(PlanChoice::Direct),
            (None, false) => Ok(PlanChoice::All),
        }
    }
}

/// Result of forgetting, with the proof.
#[derive(Serialize, ToSchema)]
#[schema(as = Forgotten)]
pub(crate) struct ForgottenView {
    pub(crate) scope: String,
    /// `done`, or `again`: erasing everything needs a second confirmation, with this token.
    pub(crate) outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) memory_ids: Vec<String>,
    /// Derivatives of those memories that were erased with them.
    pub(crate) fell: Vec<String>,
    /// Memories that live on without a part of their text.
    pub(crate) cut: Vec<RemadeView>,
    /// Memories that were made anew from their other sources.
    pub(crate) rebuilt: Vec<RemadeView>,
    /// Memories that wait in the review, because they depend on an erased one.
    pub(crate) held_back: Vec<String>,
    /// Memories that may still speak of it: by a short form, an attribute, by meaning, or in the same words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) may_still_speak: Vec<String>,
    pub(crate) receipts: Vec<ReceiptView>,
    /// Deadline for restoring, when it is hidden and not erased.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) restorable_until: Option<Timestamp>,
    /// The audit entry that announced it.
    pub(crate) audit_seq: u64,
    /// Memories that a legal hold keeps: hidden now, erased at its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deferred: Option<DeferredView>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Remade)]
pub(crate) struct RemadeView {
    pub(crate) previous_id: String,
    pub(crate) memory_id: String,
}

impl ForgottenView {
    pub(crate) fn of(confirmed: Confirmed, scope: &Scope) -> Self {
        match confirmed {
            Confirmed::Done(done) => Self::done(*done, scope),
            Confirmed::Again { token, expires_at } => Self {
                outcome: "again",
                token: Some(token),
                expires_at: Some(expires_at),
                ..Self::done(Forgotten::default(), scope)
            },
        }
    }

    pub(crate) fn done(done: Forgotten, scope: &Scope) -> Self {
        let texts = |ids: Vec<MemoryId>| ids.iter().map(ToString::to_string).collect();
        let remade = |pairs: Vec<(MemoryId, MemoryId)>| {
            let view = |(old, new): (MemoryId, MemoryId)| RemadeView {
                previous_id: old.to_string(),
                memory_id: new.to_string(),
            };
            pairs.into_iter().map(view).collect()
        };
        Self {
            scope: shown(scope),
            outcome: "done",
            token: None,
            expires_at: None,
            memory_ids: texts(done.memories),
            fell: texts(done.fell),
            cut: remade(done.cut),
            rebuilt: remade(done.rebuilt),
            held_back: texts(done.held_back),
            may_still_speak: texts(done.left),
            receipts: done.receipts.into_iter().map(ReceiptView::from).collect(),
            restorable_until: done.restorable_until,
            audit_seq: done.audit_seq,
            deferred: done.deferred.map(DeferredView::from),
        }
    }
}

/// Subject of a check for remaining memories.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = VerifyForgotten)]
pub(crate) struct VerifyRequest {
    /// A question or a subject: "Do you remember anything about my diabetes?", "my diabetes".
    pub(crate) about: String,
    /// The vault; the caller's own when absent.
    pub(crate) scope: Option<String>,
}

/// Remaining memories about a subject, and earlier requests to forget it.
#[derive(Serialize, ToSchema)]
#[schema(as = VerifiedForgotten)]
pub(crate) struct VerifiedView {
    pub(crate) scope: String,
    /// True if no memory states it and none may still speak of it.
    pub(crate) forgotten: bool,
    /// Memories that state it, and memories that may still speak of it: by a short form of a name, by an attribute or by
    /// meaning.
    pub(crate) direct: Vec<String>,
    pub(crate) indirect: Vec<String>,
    /// Requests to forget the very same, newest first.
    pub(crate) receipts: Vec<NamedReceipt>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = NamedReceipt)]
pub(crate) struct NamedReceipt {
    pub(crate) receipt: String,
    pub(crate) at: Timestamp,
}

impl VerifiedView {
    pub(crate) fn of(verified: Verified, scope: &Scope) -> Self {
        let texts = |ids: &[MemoryId]| ids.iter().map(ToString::to_string).collect();
        let named = verified.receipts.into_iter().map(|(receipt, at)| NamedReceipt { receipt, at });
        Self {
            scope: shown(scope),
            forgotten: verified.direct.is_empty() && verified.indirect.is_empty(),
            direct: texts(&verified.direct),
            indirect: texts(&verified.indirect),
            receipts: named.collect(),
        }
    }
}
