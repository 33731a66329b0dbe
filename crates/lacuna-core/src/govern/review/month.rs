//! The review of a vault, worked out from the terms of the memories. Nothing of it is stored.

use std::collections::BTreeMap;

use jiff::Timestamp;
use lacuna_types::hex::hex;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::index::Stored;
use crate::permit::{Grant, Recall, Review, permit};
use crate::vault::open::{Held, OpenVault, shown};
use crate::vault::owner_settings::Settings;
use crate::vault::purpose::{Closed, closed_to};
use crate::vault::reads::{Read, note_read};
use crate::vault::service::Service;
use crate::vault::settings::settings_in;
use crate::vault::stamp::{term_of, terms_in};
use crate::vault::term::{RetentionTerm, Terms, days};

/// Days before its end from which a memory counts as expiring soon.
pub(crate) const EXPIRING_SOON_DAYS: u32 = 7;
/// Memories of a review that are handed out per call.
pub const REVIEW_PAGE_MAX: usize = 500;
/// Bytes of the mark that binds an answer to what was seen.
const MARK_BYTES: usize = 16;

facet!(
    /** The reason why a memory is in the review. */
    Reason, "reason", {
    Asked = 1 "asked",
    HalfLife = 2 "half_life",
    Expiring = 3 "expiring",
    BeyondDefault = 4 "beyond_default",
    Faded = 5 "faded",
});

/// A part of a vault that can be decided about as a whole.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Part {
    Category(Sensitivity),
    /// Memories of conversations that are in no category.
    Conversations,
    Other,
}

/// Counts of one part of the vault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartCount {
    /// The part.
    pub part: Part,
    /// Number of its memories.
    pub memories: usize,
    /// The moment of its oldest memory.
    pub oldest: Timestamp,
}

/// Something that the owner may want to decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Recommendation {
    /// The part that the memories are in.
    pub part: Part,
    /// The reason why a decision is worth while.
    pub reason: Reason,
    /// Number of these memories.
    pub memories: usize,
    /// The moment at which the first of them expires if nobody answers.
    pub goes_at: Option<Timestamp>,
}

/// A vault at a glance.
#[derive(Clone, PartialEq, Debug)]
pub struct Month {
    /// The moment of the review.
    pub at: Timestamp,
    /// Memories in the vault.
    pub memories: usize,
    /// Counts by part.
    pub parts: Vec<PartCount>,
    /// Memories that expire within a week.
    pub expiring_soon: usize,
    /// Memories that wait for an answer.
    pub to_review: usize,
    /// Decisions that the owner may want to make.
    pub recommended: Vec<Recommendation>,
    /// The moment at which the owner was last asked.
    pub prompted_at: Option<Timestamp>,
    /// The moment at which the owner last answered.
    pub reviewed_at: Option<Timestamp>,
    /// The mark that an answer must name, so that nobody decides about memories they have not seen.
    pub mark: String,
}

/// One memory in the review. What its owner does not want to see is there without its content.
#[derive(PartialEq)]
pub struct ReviewItem {
    /// The memory's id.
    pub id: MemoryId,
    /// The moment at which it was made.
    pub created_at: Timestamp,
    /// The parts that it is in.
    pub parts: Vec<Part>,
    /// The reason why it is in the review.
    pub reason: Reason,
    /// The term for which it is kept.
    pub term: RetentionTerm,
    /// The memory with its content; `None` when its owner does not want to see it.
    pub memory: Option<Memory>,
}

/// A page of the memories in a review.
#[derive(PartialEq, Default)]
pub struct MonthPage {
    /// The memories on the page.
    pub items: Vec<ReviewItem>,
    /// The last one, when there are more.
    pub next: Option<MemoryId>,
}

impl Part {
    /// The name of the part, as callers write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Category(category) => category.as_str(),
            Self::Conversations => "conversations",
            Self::Other => "other",
        }
    }

    fn of(facets: &Facets) -> Vec<Self> {
        let categories = &facets.privacy.sensitivity;
        match facets.tier {
            _ if !categories.is_empty() => categories.iter().copied().map(Self::Category).collect(),
            Tier::Episodic => vec![Self::Conversations],
            _ => vec![Self::Other],
        }
    }
}

impl std::str::FromStr for Part {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        match word {
            "conversations" => Ok(Self::Conversations),
            "other" => Ok(Self::Other),
            word => word.parse().map(Self::Category).map_err(|_| {
                Error::invalid("part", "must be a category of sensitivity, conversations or other")
            }),
        }
    }
}

/// A memory that a review found.
pub(crate) struct ReviewFinding {
    pub(crate) id: MemoryId,
    pub(crate) parts: Vec<Part>,
    pub(crate) reason: Reason,
    pub(crate) term: RetentionTerm,
}

/// The vault at a glance: statistics, and what is worth a decision.
pub(crate) fn review_month(service: &Service, grant: &Grant<Review>) -> Result<Month> {
    permit::<Recall>(grant.caller(), grant.scope())?;
    month(service, grant.scope())
}

/// Makes the month's review like [`review_month`], for the scheduler.
pub(crate) fn month(service: &Service, scope: &Scope) -> Result<Month> {
    let now = service.clock.now();
    let month = service.reader(scope).update(|open| {
        let kept = settings_in(service, open)?;
        let found = found(service, open, scope)?;
        let living = living(open).count();
        Ok(Month {
            at: now,
            memories: living,
            parts: parts(open),
            expiring_soon: found.iter().filter(|one| goes_by(&one.term, now, EXPIRING_SOON_DAYS)).count(),
            to_review: found.len(),
            recommended: recommended(&found),
            prompted_at: kept.prompted_at,
            reviewed_at: kept.reviewed_at,
            mark: mark(open, &found),
        })
    })?;
    Ok(month.unwrap_or_else(|| Month::empty(now)))
}

/// The memories of the review, in the order in which they were stored, a page at a time.
pub(crate) fn review_items(
    service: &Service,
    grant: &Grant<Review>,
    part: Option<Part>,
    after: Option<MemoryId>,
    limit: usize,
) -> Result<MonthPage> {
    if limit == 0 || limit > REVIEW_PAGE_MAX {
        return Err(Error::invalid("limit", format!("must be from 1 to {REVIEW_PAGE_MAX}")));
    }
    let scope = grant.scope();
    permit::<Recall>(grant.caller(), scope)?;
    let closed = closed_to(service, grant)?;
    let page = service.reader(scope).update(|open| {
        let hidden = settings_in(service, open)?.retention.hidden.clone();
        let found = found(service, open, scope)?;
        let wanted = |one: &ReviewFinding| part.is_none_or(|part| one.parts.contains(&part));
        let rest = found.into_iter().filter(|one| after.is_none_or(|after| one.id > after) && wanted(one));
        let mut items: Vec<ReviewItem> =
            rest.take(limit + 1).filter_map(|one| item(open, one, &hidden, &closed)).collect();
        let more = items.len() > limit;
        items.truncate(limit);
        let next = items.last().map(|last| last.id).filter(|_| more);
        Ok(MonthPage { items, next })
    })?;
    let page = page.unwrap_or_default();
    let seen = page.items.iter().filter(|item| item.memory.is_some()).map(|item| item.id).collect();
    note_read(service, &Read::of(grant, "review", seen))?;
    Ok(page)
}

/// Every memory that is worth a decision now, by id.
pub(crate) fn found(service: &Service, open: &mut OpenVault, scope: &Scope) -> Result<Vec<ReviewFinding>> {
    let now = service.clock.now();
    let nothing_set = Settings::default();
    let by_default = Terms::new(&service.policy(&scope.org).retention, &nothing_set, &scope.holder);
    terms_in(service, open, scope, |open, terms| {
        let found = living(open).filter_map(|one| {
            let term = term_of(terms, &one);
            let reason = reason(&one, &term, now, || term_of(&by_default, &one))?;
            let parts = Part::of(&one.payload.facets);
            Some(ReviewFinding { id: one.id, parts, reason, term })
        });
        let mut found: Vec<ReviewFinding> = found.collect();
        found.sort_unstable_by_key(|one| one.id);
        Ok(found)
    })
}

impl Month {
    fn empty(at: Timestamp) -> Self {
        Self {
            at,
            memories: 0,
            parts: Vec::new(),
            expiring_soon: 0,
            to_review: 0,
            recommended: Vec::new(),
            prompted_at: None,
            reviewed_at: None,
            mark: String::new(),
        }
    }
}

/// Memories whose term is not over: expired ones count as gone.
pub(crate) fn living(open: &OpenVault) -> impl Iterator<Item = Stored<'_, Held>> {
    let states = |state| matches!(state, Lifecycle::Active | Lifecycle::Archived);
    open.index.after(None).filter(move |one| states(one.attributes.state))
}

fn reason(
    one: &Stored<'_, Held>,
    term: &RetentionTerm,
    now: Timestamp,
    by_default: impl FnOnce() -> RetentionTerm,
) -> Option<Reason> {
    let is_over = |at: Option<Timestamp>| at.is_some_and(|at| at <= now);
    if is_over(term.expires_at) {
        return None;
    }
    if is_over(term.asks_at) {
        return Some(Reason::Asked);
    }
    if is_over(term.looks_at) {
        return Some(Reason::HalfLife);
    }
    if goes_by(term, now, EXPIRING_SOON_DAYS) {
        return Some(Reason::Expiring);
    }
    if one.payload.facets.retention.pinned {
        return None;
    }
    let default = by_default();
    if is_over(default.asks_at) || is_over(default.expires_at) {
        return Some(Reason::BeyondDefault);
    }
    has_faded(one, now).then_some(Reason::Faded)
}

/// Returns true when a memory is too faint to be recalled, and not archived yet.
pub(crate) fn has_faded(one: &Stored<'_, Held>, now: Timestamp) -> bool {
    let Facets { vitality, retention, .. } = &one.payload.facets;
    one.attributes.state == Lifecycle::Active
        && !retention.pinned
        && vitality.salience_at(now) < vitality.decay.minimum_salience
}

fn goes_by(term: &RetentionTerm, now: Timestamp, within: u32) -> bool {
    term.expires_at.is_some_and(|at| at <= now + days(within))
}

fn parts(open: &OpenVault) -> Vec<PartCount> {
    let mut counts: BTreeMap<Part, PartCount> = BTreeMap::new();
    for one in living(open) {
        let Some(created_at) = from_millis(one.attributes.created_at) else { continue };
        for part in Part::of(&one.payload.facets) {
            let new = PartCount { part, memories: 0, oldest: created_at };
            let count = counts.entry(part).or_insert(new);
            count.memories += 1;
            count.oldest = count.oldest.min(created_at);
        }
    }
    counts.into_values().collect()
}

fn recommended(found: &[ReviewFinding]) -> Vec<Recommendation> {
    let mut groups: BTreeMap<(Part, Reason), Recommendation> = BTreeMap::new();
    for one in found {
        for part in &one.parts {
            let new = Recommendation { part: *part, reason: one.reason, memories: 0, goes_at: None };
            let group = groups.entry((*part, one.reason)).or_insert(new);
            group.memories += 1;
            group.goes_at = group.goes_at.into_iter().chain(one.term.expires_at).min();
        }
    }
    groups.into_values().collect()
}

/// A keyed hash of what the review holds: another memory, or another reason, and it is another one.
pub(crate) fn mark(open: &OpenVault, found: &[ReviewFinding]) -> String {
    let reasons: Vec<[u8; 1]> = found.iter().map(|one| [one.reason.code()]).collect();
    let mut parts: Vec<&[u8]> = vec![b"month"];
    for (one, reason) in found.iter().zip(&reasons) {
        parts.extend([one.id.as_bytes().as_slice(), reason.as_slice()]);
    }
    hex(&open.keyring.month_key().fingerprint(&parts)[..MARK_BYTES])
}

fn item(
    open: &OpenVault,
    found: ReviewFinding,
    hidden: &[Sensitivity],
    closed: &Closed,
) -> Option<ReviewItem> {
    let stored = open.index.get(&found.id)?;
    let is_hidden =
        stored.payload.facets.privacy.sensitivity.iter().any(|category| hidden.contains(category))
            || closed.hides(&stored.payload.facets);
    let ReviewFinding { id, parts, reason, term } = found;
    let memory = if is_hidden { None } else { shown(&stored) };
    let created_at = from_millis(stored.attributes.created_at)?;
    Some(ReviewItem { id, created_at, parts, reason, term, memory })
}
