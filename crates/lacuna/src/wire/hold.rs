//! Legal holds on the wire.

use jiff::Timestamp;
use lacuna_core::erase::Deferred;
use lacuna_core::govern::HoldRequest;
use lacuna_core::permit::Caller;
use lacuna_core::vault::{Hold, HoldReach};
use lacuna_types::request::TimeSpan;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use zeroize::Zeroizing;

use super::{read_scope, words};
use crate::wire::failure::{Failure, Result};

/// A hold to place: on a vault, on a time in it, or on a subject in every vault.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = HoldRequest)]
pub(crate) struct HoldBody {
    pub(crate) reason: words::HoldReason,
    /// Days after which it ends by itself.
    #[schema(minimum = 1, maximum = 1095)]
    pub(crate) days: i64,
    /// The vault: `user:NAME`, `team:NAME`, `org` or `deployment:NAME`.
    pub(crate) scope: Option<String>,
    /// With `scope`: only memories created at this time or later.
    pub(crate) from: Option<Timestamp>,
    /// With `scope`: only memories created before this time.
    pub(crate) until: Option<Timestamp>,
    /// In place of `scope`: whatever mentions this name, in every vault.
    #[schema(min_length = 1, max_length = 200)]
    pub(crate) subject: Option<String>,
    /// True lets the owner of the vault see it; the law may forbid that.
    #[serde(default)]
    pub(crate) tell: bool,
}

impl HoldBody {
    pub(crate) fn into_core(self, caller: &Caller) -> Result<HoldRequest> {
        let span = TimeSpan { from: self.from, until: self.until };
        let has_span = span.from.is_some() || span.until.is_some();
        let reach = match (self.scope, self.subject) {
            (Some(scope), None) => {
                let vault = read_scope(Some(&scope), caller)?.vault_id();
                if has_span { HoldReach::Range(vault, span) } else { HoldReach::Vault(vault) }
            }
            (None, Some(subject)) if !has_span => HoldReach::Subject(Zeroizing::new(subject)),
            _ => return Err(Failure::invalid("scope", "name a scope, with or without a time, or a subject")),
        };
        Ok(HoldRequest { reason: self.reason.0, reach, days: self.days, told: self.tell })
    }
}

/// One hold.
#[derive(Serialize, ToSchema)]
#[schema(as = Hold)]
pub(crate) struct HoldView {
    /// As people quote it: `HLD-2026-000003`.
    pub(crate) hold: String,
    pub(crate) number: u64,
    pub(crate) reason: words::HoldReason,
    /// `vault`, `range` or `subject`.
    pub(crate) reach: &'static str,
    /// The vault's id; absent for a subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) vault: Option<String>,
    pub(crate) placed_at: Timestamp,
    pub(crate) placed_by: String,
    /// The second operator; absent while the hold does not stand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) confirmed_by: Option<String>,
    pub(crate) until: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ended_at: Option<Timestamp>,
    /// True when it keeps memories now.
    pub(crate) stands: bool,
    pub(crate) told: bool,
}

impl HoldView {
    pub(crate) fn of(hold: &Hold, now: Timestamp) -> Self {
        let (reach, vault) = match &hold.reach {
            HoldReach::Vault(vault) => ("vault", Some(vault.to_string())),
            HoldReach::Range(vault, _) => ("range", Some(vault.to_string())),
            HoldReach::Subject(_) => ("subject", None),
        };
        Self {
            hold: hold.reference(),
            number: hold.number,
            reason: hold.reason.into(),
            reach,
            vault,
            placed_at: hold.placed_at,
            placed_by: hold.placed_by.clone(),
            confirmed_by: hold.confirmed_by.clone(),
            until: hold.until,
            ended_at: hold.ended_at,
            stands: hold.stands(now),
            told: hold.told,
        }
    }
}

/// Holds, oldest first.
#[derive(Serialize, ToSchema)]
#[schema(as = HoldList)]
pub(crate) struct HoldList {
    pub(crate) holds: Vec<HoldView>,
}

impl HoldList {
    pub(crate) fn of(holds: &[Hold], now: Timestamp) -> Self {
        Self { holds: holds.iter().map(|hold| HoldView::of(hold, now)).collect() }
    }
}

/// Memories whose erasure waits for the end of a hold.
#[derive(Serialize, ToSchema)]
#[schema(as = Deferred)]
pub(crate) struct DeferredView {
    /// The number of the recorded request.
    pub(crate) number: u64,
    pub(crate) memory_ids: Vec<String>,
    pub(crate) holds: Vec<String>,
    pub(crate) until: Timestamp,
}

impl From<Deferred> for DeferredView {
    fn from(deferred: Deferred) -> Self {
        Self {
            number: deferred.number,
            memory_ids: deferred.memories.iter().map(ToString::to_string).collect(),
            holds: deferred.holds,
            until: deferred.until,
        }
    }
}
