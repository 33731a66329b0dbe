//! The term of a memory: a pure function of its facets, of the tenant's rules and of its owner's settings.
//!
//! Every limit that applies is listed, and the earliest holds. The owner's settings come before the rules; a memory
//! that is pinned, or about somebody of whom everything is kept, has no limit but the one that a deployment owes
//! its guests.

use jiff::{SignedDuration, Timestamp};
use lacuna_language::names::{PersonName, Sameness};
use lacuna_types::policy::{DAYS_MAX, RetentionRule as Rule, RetentionRules, Unanswered};
use lacuna_types::*;

use crate::vault::owner_settings::{Settings, Span};

const HOURS_PER_DAY: i64 = 24;
/// Days for which sensitive data without consent is held sealed.
pub const HELD_DAYS: u32 = 30;

facet!(
    /** The ground of a term: the rule that decides how long a memory is kept. */
    Ground, "ground", {
    Nothing = 1 "nothing",
    Pin = 2 "pin",
    Entity = 3 "entity",
    Given = 4 "given",
    Category = 5 "category",
    Tier = 6 "tier",
    Maximum = 7 "maximum",
    PrivacyClass = 8 "privacy_class",
    Consent = 9 "consent",
    LongTermConsent = 10 "long_term_consent",
});

/// Until when a memory is kept, and from when its owner is asked about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RetentionTerm {
    /// The time from which the owner is asked about it.
    pub asks_at: Option<Timestamp>,
    /// From when it is worth a look because it is sensitive, whatever else holds.
    pub looks_at: Option<Timestamp>,
    /// The time at which it expires.
    pub expires_at: Option<Timestamp>,
    /// The ground of the earliest limit.
    pub ground: Ground,
    /// The category whose limit it is, when the ground is one.
    pub category: Option<Sensitivity>,
}

impl RetentionTerm {
    /// The reason in the words of the person, for the memory with these facets: "financial", "medium_term".
    pub fn because(&self, facets: &Facets) -> &'static str {
        match self.ground {
            Ground::Category => self.category.map_or("sensitive", Sensitivity::as_str),
            Ground::Tier => facets.retention.tier.as_str(),
            Ground::PrivacyClass => facets.privacy.class.as_str(),
            Ground::Nothing => "nothing ends it",
            Ground::Pin => "pinned",
            Ground::Entity => "a rule of yours about a name in it",
            Ground::Given => "as it was asked for",
            Ground::Maximum => "a maximum of yours",
            Ground::Consent => "no consent was given yet",
            Ground::LongTermConsent => "no consent to long-term keeping",
        }
    }
}

/// The parts of a memory that decide its term.
pub(crate) struct TermSubject<'a> {
    pub(crate) id: MemoryId,
    pub(crate) created_at: Timestamp,
    pub(crate) facets: &'a Facets,
    pub(crate) gist: &'a str,
    /// The full text, as far as it lies in the frame.
    pub(crate) text: Option<&'a str>,
}

/// The rules and settings of one vault, read once for many memories.
pub(crate) struct Terms<'a> {
    rules: &'a RetentionRules,
    settings: &'a Settings,
    names: Vec<(PersonName, &'a str, Span)>,
    /// True when guests speak here; the tenant owes them its limits by privacy class.
    is_deployment: bool,
    /// The moment since which long-term keeping lacks the owner's consent, where it does. The limit counts from then at the
    /// earliest: a new rule or a revocation makes nothing go at once.
    unconsented: Option<Timestamp>,
}

/// One limit on how long a memory is kept.
struct Limit {
    at: Timestamp,
    ground: Ground,
    /// True when its owner is asked first, and then given time to answer.
    asks: bool,
    category: Option<Sensitivity>,
}

impl<'a> Terms<'a> {
    pub(crate) fn new(rules: &'a RetentionRules, settings: &'a Settings, holder: &Holder) -> Self {
        let names = settings.entities.iter();
        let names = names.map(|rule| (PersonName::new(&rule.name), rule.name.as_str(), rule.keep)).collect();
        let is_deployment = matches!(holder, Holder::Deployment(_));
        Self { rules, settings, names, is_deployment, unconsented: None }
    }

    /// The same terms, where long-term keeping lacks the owner's consent since a moment.
    pub(crate) fn unconsented(self, since: Option<Timestamp>) -> Self {
        Self { unconsented: since, ..self }
    }

    pub(crate) fn of(&self, subject: &TermSubject<'_>) -> RetentionTerm {
        let since = kept_since(subject);
        let mut limits = Vec::new();
        let exempt = self.exemption(subject);
        if exempt.is_none() {
            self.lay_out(subject, since, &mut limits);
        }
        let class = self.is_deployment.then(|| self.rules.class_days(subject.facets.privacy.class)).flatten();
        // Nobody prolongs this by saying that it shall stay.
        limits.extend(class.map(|days| Limit::hard(stored_at(subject), days, Ground::PrivacyClass)));
        let held = subject.facets.is_held();
        limits.extend(held.then(|| Limit::hard(stored_at(subject), HELD_DAYS, Ground::Consent)));
        self.earliest(subject, since, &limits, exempt.unwrap_or(Ground::Nothing))
    }

    /// Returns true when a memory is for its session only, and nobody set another term for it.
    pub(crate) fn end_with_session(&self, subject: &TermSubject<'_>) -> bool {
        let retention = &subject.facets.retention;
        retention.tier == RetentionTier::Ephemeral
            && retention.expires_at.is_none()
            && retention.kept_at.is_none()
            && !self.settings.tiers.contains_key(&RetentionTier::Ephemeral)
            && self.exemption(subject).is_none()
    }

    /// Returns the reason why no limit of the owner or the tiers holds, if none does. Of several rules about people
    /// the strictest holds, so one that keeps everything must stand alone.
    fn exemption(&self, subject: &TermSubject<'_>) -> Option<Ground> {
        if subject.facets.retention.pinned {
            return Some(Ground::Pin);
        }
        let mut spans = self.spans_about(subject).peekable();
        spans.peek()?;
        spans.all(|span| span == Span::Forever).then_some(Ground::Entity)
    }

    fn spans_about(&self, subject: &TermSubject<'_>) -> impl Iterator<Item = Span> {
        self.names
            .iter()
            .filter(|(name, written, _)| is_about(subject, name, written))
            .map(|(.., span)| *span)
    }

    fn lay_out(&self, subject: &TermSubject<'_>, since: Timestamp, limits: &mut Vec<Limit>) {
        let entity = self.spans_about(subject).filter_map(Span::days).min();
        limits.extend(entity.map(|days| Limit::hard(since, days, Ground::Entity)));
        limits.extend(self.settings.max_days.map(|days| Limit::hard(since, days, Ground::Maximum)));
        let facets = subject.facets;
        // The time of a record is the one that its program gave it.
        if facets.tier == Tier::Episodic && !facets.is_record() {
            limits.push(Limit::hard(stored_at(subject), self.rules.episodic_days_max, Ground::Tier));
        }
        let given = facets.retention.expires_at;
        limits.extend(given.map(|at| Limit { at, ground: Ground::Given, asks: false, category: None }));
        let categories: Vec<(Sensitivity, Option<Span>, Rule)> =
            self.category_rules(&facets.privacy.sensitivity).collect();
        for (category, set, rule) in &categories {
            // Whoever consents to a text that needs no consent keeps it expressly.
            let is_wanted = facets.privacy.basis == ConsentBasis::ExplicitConsent
                && !facets.is_pattern()
                && !Sensitivity::needing_consent(&[*category]).contains(category);
            let limit = limit(since, *set, *rule, given.is_some() || is_wanted, Ground::Category);
            limits.extend(limit.map(|limit| Limit { category: Some(*category), ..limit }));
        }
        // The tier of sensitive memories stands in for a category that has no rule of its own.
        let tier = facets.retention.tier;
        if tier != RetentionTier::Sensitive || categories.is_empty() {
            let set = self.settings.tiers.get(&tier).copied();
            limits.extend(limit(since, set, self.rules.tier(tier), given.is_some(), Ground::Tier));
            // Whoever sets the time of the tier has said how long it may be.
            if let Some(noticed) =
                self.unconsented.filter(|_| tier == RetentionTier::LongTerm && set.is_none())
            {
                let since = noticed.max(since);
                let rule = self.rules.tier(RetentionTier::MediumTerm);
                limits.extend(limit(since, None, rule, given.is_some(), Ground::LongTermConsent));
            }
        }
    }

    fn category_rules(
        &self,
        sensitivity: &[Sensitivity],
    ) -> impl Iterator<Item = (Sensitivity, Option<Span>, Rule)> {
        sensitivity.iter().filter_map(|category| {
            let set = self.settings.categories.get(category).copied();
            let rule = self.rules.category(*category);
            let unbounded = Rule { days: None, days_max: None, asks: false };
            (set.is_some() || rule.is_some()).then(|| (*category, set, rule.unwrap_or(unbounded)))
        })
    }

    fn earliest(
        &self,
        subject: &TermSubject<'_>,
        since: Timestamp,
        limits: &[Limit],
        otherwise: Ground,
    ) -> RetentionTerm {
        let grace = days(self.rules.grace_days);
        let kept = self.rules.unanswered == Unanswered::Keep;
        let ends = limits.iter().filter(|limit| !(limit.asks && kept)).map(|limit| match limit.asks {
            true => (limit.at + grace, limit),
            false => (limit.at, limit),
        });
        let end = ends.min_by_key(|(at, _)| *at);
        let asked = limits.iter().filter(|limit| limit.asks).map(|limit| (limit.at, limit));
        let asked = asked.min_by_key(|(at, limit)| (*at, limit.ground));
        let looks_at = half_life_review(subject.facets, since);
        let expires_at = end.map(|(at, _)| at);
        let earliest = end.or(asked).map(|(_, limit)| limit);
        let ground = earliest.map_or(otherwise, |limit| limit.ground);
        let category = earliest.and_then(|limit| limit.category);
        // Whoever is told that it goes anyway is not asked.
        let before_end = |at: &Timestamp| expires_at.is_none_or(|end| *at < end);
        let asks_at = asked.map(|(at, _)| at).filter(before_end);
        RetentionTerm { asks_at, looks_at: looks_at.filter(before_end), expires_at, ground, category }
    }
}

impl Limit {
    fn hard(since: Timestamp, count: u32, ground: Ground) -> Self {
        Self { at: since + days(count), ground, asks: false, category: None }
    }
}

/// Makes a limit. The owner's setting is an order; about a rule's limit the owner may be asked. An expiry that was
/// given with the memory replaces the rule's days, up to the most that an owner may have.
fn limit(since: Timestamp, set: Option<Span>, rule: Rule, given: bool, ground: Ground) -> Option<Limit> {
    match set {
        Some(span) => span.days().map(|days| Limit::hard(since, days, ground)),
        None if given => rule.days_max.map(|days| Limit::hard(since, days, ground)),
        None => {
            rule.days.map(|count| Limit { at: since + days(count), ground, asks: rule.asks, category: None })
        }
    }
}

/// Since when a memory has been kept: since it was stored, or since somebody said that it shall stay. What it
/// tells of may be far older, in an imported conversation for one.
pub(crate) fn kept_since(subject: &TermSubject<'_>) -> Timestamp {
    let stored = stored_at(subject);
    subject.facets.retention.kept_at.map_or(stored, |kept| kept.max(stored))
}

fn stored_at(subject: &TermSubject<'_>) -> Timestamp {
    subject.id.made_at().unwrap_or(subject.created_at)
}

/// Sensitive personal data is looked at again after half of its half-life.
fn half_life_review(facets: &Facets, since: Timestamp) -> Option<Timestamp> {
    let is_sensitive = facets.privacy.class == PrivacyClass::SensitivePii;
    let half = f64::from(facets.vitality.decay.half_life_days).clamp(0.0, f64::from(DAYS_MAX)) / 2.0;
    let hours = half * HOURS_PER_DAY as f64;
    (is_sensitive && !facets.retention.pinned).then(|| since + SignedDuration::from_hours(hours as i64))
}

/// Returns true when a memory is about somebody: they are among its entities, or its text mentions them.
fn is_about(subject: &TermSubject<'_>, name: &PersonName, written: &str) -> bool {
    let says = |text: &str| name.mentioned_in(text) == Some(Sameness::Same);
    let is = |entity: &Entity| {
        let related = entity.relation.as_deref().is_some_and(|word| word.eq_ignore_ascii_case(written));
        related || says(&entity.name)
    };
    subject.facets.entities.iter().any(is) || says(subject.gist) || subject.text.is_some_and(says)
}

pub(crate) fn days(count: u32) -> SignedDuration {
    SignedDuration::from_hours(HOURS_PER_DAY * i64::from(count))
}

#[cfg(test)]
#[path = "term_tests.rs"]
mod tests;
