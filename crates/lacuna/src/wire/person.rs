//! A person's right to be forgotten on the wire: the person, the findings in numbers, the result.

use std::collections::BTreeMap;

use jiff::Timestamp;
use lacuna_core::govern::{BatchSignature, Notice, Person, PersonBatch, PersonForgotten, PersonRequest};
use lacuna_types::{SessionId, UserId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{hex, unhex};
use crate::wire::failure::{Failure, Result};

/// Names and identifiers of a person. Nothing of it is stored.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields, default)]
#[schema(as = Person)]
pub(crate) struct PersonBody {
    /// E-mail addresses, phone numbers, customer numbers and the like, in any spelling.
    pub(crate) identifiers: Vec<String>,
    /// Full names.
    pub(crate) names: Vec<String>,
    /// Their user name, if they have a vault: everything in it goes.
    pub(crate) user_id: Option<String>,
    /// Conversations that were theirs.
    pub(crate) session_ids: Vec<String>,
}

impl PersonBody {
    pub(crate) fn into_core(self) -> Result<Person> {
        let session = |id: &String| SessionId::new(id);
        Ok(Person {
            user: self.user_id.as_deref().map(UserId::new).transpose()?,
            sessions: self.session_ids.iter().map(session).collect::<lacuna_types::Result<_>>()?,
            identifiers: self.identifiers,
            names: self.names,
        })
    }
}

/// Steps of a request: first open it, then search, then erase the found memories.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PersonPlanRequest {
    pub(crate) person: PersonBody,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PersonConfirmRequest {
    pub(crate) person: PersonBody,
    /// The digest of the plan: 64 hex digits.
    pub(crate) digest: String,
    /// The operator's public key, where the policy names operators.
    pub(crate) operator: Option<String>,
    /// Their signature of the batch.
    pub(crate) signature: Option<String>,
}

impl PersonConfirmRequest {
    pub(crate) fn signature(&self) -> Result<Option<BatchSignature>> {
        let (Some(key), Some(signature)) = (&self.operator, &self.signature) else {
            return match (&self.operator, &self.signature) {
                (None, None) => Ok(None),
                _ => Err(Failure::invalid("signature", "needs operator and signature together")),
            };
        };
        let key =
            key.parse().map_err(|_| Failure::invalid("operator", "must be ed25519: and 64 hex digits"))?;
        let signature =
            signature.parse().map_err(|_| Failure::invalid("signature", "must be 128 hex digits"))?;
        Ok(Some(BatchSignature { key, signature }))
    }
}

pub(crate) fn read_digest(text: &str) -> Result<[u8; 32]> {
    let bytes = unhex(text).and_then(|bytes| bytes.try_into().ok());
    bytes.ok_or_else(|| Failure::invalid("digest", "must be 64 hex digits"))
}

/// A request of a person, as far as it has come; without content.
#[derive(Serialize, ToSchema)]
#[schema(as = PersonRequestState)]
pub(crate) struct PersonRequestView {
    pub(crate) number: u64,
    pub(crate) reference: String,
    pub(crate) opened_at: Timestamp,
    pub(crate) opened_by: String,
    pub(crate) acknowledge_by: Timestamp,
    pub(crate) acknowledged_at: Option<Timestamp>,
    pub(crate) complete_by: Timestamp,
    pub(crate) completed_at: Option<Timestamp>,
    /// Hours until the next deadline; below zero when it has passed. Absent when it is done.
    pub(crate) hours_left: Option<i64>,
    pub(crate) overdue: bool,
    /// The public key that signed for the last batch.
    pub(crate) signed_by: Option<String>,
    pub(crate) memories: u64,
    pub(crate) receipts: Vec<String>,
}

impl PersonRequestView {
    pub(crate) fn of(request: PersonRequest, now: Timestamp) -> Self {
        Self {
            number: request.number,
            reference: request.reference(),
            opened_at: request.opened_at,
            acknowledge_by: request.acknowledge_by,
            acknowledged_at: request.acknowledged_at,
            complete_by: request.complete_by,
            completed_at: request.completed_at,
            hours_left: request.completed_at.is_none().then(|| request.time_left(now).as_hours()),
            overdue: request.is_overdue(now),
            signed_by: request.signed.map(|signed| signed.key.to_string()),
            memories: request.memories,
            opened_by: request.opened_by,
            receipts: request.receipts,
        }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = PersonRequestList)]
pub(crate) struct PersonRequestList {
    pub(crate) requests: Vec<PersonRequestView>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = KindCount)]
pub(crate) struct KindCountView {
    pub(crate) vaults: u64,
    pub(crate) memories: u64,
}

/// Plan of a batch: numbers of memories by kind of vault, never content and never owners.
#[derive(Serialize, ToSchema)]
#[schema(as = PersonBatch)]
pub(crate) struct PersonBatchView {
    pub(crate) request: PersonRequestView,
    pub(crate) memories: u64,
    pub(crate) by_kind: BTreeMap<&'static str, KindCountView>,
    /// Memories that only seem to speak of the person, or were made while others were in working memory: they
    /// stay, and wait for the decision of the vault's owner.
    pub(crate) to_review: u64,
    /// Vaults that were not searched, because their person locked them.
    pub(crate) locked_vaults: u64,
    /// Digest to confirm.
    pub(crate) digest: String,
    /// True if one of the tenant's operators has to sign it.
    pub(crate) needs_operator: bool,
}

impl PersonBatchView {
    pub(crate) fn of(batch: PersonBatch, now: Timestamp) -> Self {
        let view = |count: &lacuna_core::govern::KindCount| KindCountView {
            vaults: count.vaults,
            memories: count.memories,
        };
        Self {
            memories: batch.memories,
            to_review: batch.to_review,
            locked_vaults: batch.locked,
            by_kind: batch.by_kind.iter().map(|(kind, count)| (*kind, view(count))).collect(),
            digest: hex(&batch.digest),
            needs_operator: batch.needs_operator,
            request: PersonRequestView::of(batch.request, now),
        }
    }
}

/// Result of a person's request.
#[derive(Serialize, ToSchema)]
#[schema(as = PersonForgotten)]
pub(crate) struct PersonForgottenView {
    pub(crate) request: PersonRequestView,
    /// True if every search afterwards found nothing, and nothing waits for review.
    pub(crate) clean: bool,
    /// Memories that wait for review, because they depend on an erased one or may speak of the person.
    pub(crate) held_back: u64,
}

impl PersonForgottenView {
    pub(crate) fn of(done: PersonForgotten, now: Timestamp) -> Self {
        Self {
            request: PersonRequestView::of(done.request, now),
            clean: done.clean,
            held_back: done.held_back,
        }
    }
}

/// Something that you noted about another person was erased at that person's request.
#[derive(Serialize, ToSchema)]
#[schema(as = Notice)]
pub(crate) struct NoticeView {
    pub(crate) number: u64,
    /// The receipt of the erasure.
    pub(crate) receipt: String,
    pub(crate) at: Timestamp,
    pub(crate) memories: u32,
    pub(crate) message: &'static str,
}

const MESSAGE: &str = "Something noted here about another person was erased at that person's request.";

#[derive(Serialize, ToSchema)]
#[schema(as = NoticeList)]
pub(crate) struct NoticeList {
    pub(crate) scope: String,
    pub(crate) notices: Vec<NoticeView>,
}

impl NoticeList {
    pub(crate) fn of(notices: Vec<Notice>, scope: &lacuna_types::Scope) -> Self {
        let view = |notice: Notice| NoticeView {
            number: notice.number,
            receipt: notice.reference,
            at: notice.at,
            memories: notice.memories,
            message: MESSAGE,
        };
        Self { scope: super::scope::shown(scope), notices: notices.into_iter().map(view).collect() }
    }
}
