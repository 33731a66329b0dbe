//! A tenant's rules for how long memories are kept. They decide unless the vault's owner has set something else.

use crate::facet;
use crate::facets::{PrivacyClass, RetentionTier, Sensitivity};

/// The longest time that anybody may name, in days: a hundred years.
pub const DAYS_MAX: u32 = 36_500;
/// How long somebody is asked about a memory before the answer is taken for granted.
pub const GRACE_DAYS_DEFAULT: u32 = 30;
/// How often the owner of a vault is asked to look through it.
pub const REVIEW_DAYS_DEFAULT: u32 = 30;
/// What happened in a conversation is kept at most this long, whoever asked for more.
pub const EPISODIC_DAYS_MAX_DEFAULT: u32 = 365;

facet!(
    /** What becomes of a memory about which somebody was asked and did not answer. */
    Unanswered, "unanswered", {
    Erase = 1 "erase",
    Keep = 2 "keep",
});

/// How long something is kept, and how much longer its owner may want it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RetentionRule {
    /// `None` keeps it until somebody erases it.
    pub days: Option<u32>,
    /// The most that an owner may set.
    pub days_max: Option<u32>,
    /// Whether its owner is asked before it goes.
    pub asks: bool,
}

impl RetentionRule {
    const FOREVER: Self = Self { days: None, days_max: None, asks: false };

    const fn days(days: u32, days_max: u32, asks: bool) -> Self {
        Self { days: Some(days), days_max: Some(days_max), asks }
    }

    /// The rule with another number of days, which an owner may then have as well.
    pub fn with_days(self, days: Option<u32>) -> Self {
        let days_max = self.days_max.zip(days).map(|(most, days)| most.max(days));
        Self { days, days_max, ..self }
    }
}

/// The rules of one tenant. The defaults are those of the specification: tiers and categories for everybody,
/// privacy classes for what a deployment remembers of its guests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RetentionRules {
    pub ephemeral: RetentionRule,
    pub short_term: RetentionRule,
    pub medium_term: RetentionRule,
    pub long_term: RetentionRule,
    pub sensitive: RetentionRule,
    /// Categories that have a rule of their own, whatever the tier.
    pub categories: Vec<(Sensitivity, RetentionRule)>,
    /// What a deployment keeps at most, by privacy class. Nobody can set more.
    pub classes: Vec<(PrivacyClass, u32)>,
    pub episodic_days_max: u32,
    pub grace_days: u32,
    pub unanswered: Unanswered,
    pub review_days: u32,
    /// Whether the sweep archives what has faded below its least salience, or only names it in the review.
    pub archive_faded: bool,
}

impl Default for RetentionRules {
    fn default() -> Self {
        Self {
            // A session ends long before; this is for one that nobody ended.
            ephemeral: RetentionRule::days(1, 7, false),
            short_term: RetentionRule::days(7, 90, false),
            medium_term: RetentionRule::days(90, 365, true),
            long_term: RetentionRule::FOREVER,
            sensitive: RetentionRule::days(30, 365, true),
            categories: vec![
                (Sensitivity::Health, RetentionRule::days(30, 365, true)),
                (Sensitivity::Financial, RetentionRule::days(30, 365, true)),
                (Sensitivity::Biometric, RetentionRule::days(30, 365, true)),
            ],
            classes: vec![
                (PrivacyClass::GuestPii, 90),
                (PrivacyClass::StaffPii, 365),
                (PrivacyClass::SensitivePii, 30),
                (PrivacyClass::CommercialConfidential, 1_095),
            ],
            episodic_days_max: EPISODIC_DAYS_MAX_DEFAULT,
            grace_days: GRACE_DAYS_DEFAULT,
            unanswered: Unanswered::Erase,
            review_days: REVIEW_DAYS_DEFAULT,
            archive_faded: false,
        }
    }
}

impl RetentionRules {
    pub fn tier(&self, tier: RetentionTier) -> RetentionRule {
        match tier {
            RetentionTier::Ephemeral => self.ephemeral,
            RetentionTier::ShortTerm => self.short_term,
            RetentionTier::MediumTerm => self.medium_term,
            RetentionTier::LongTerm => self.long_term,
            RetentionTier::Sensitive => self.sensitive,
        }
    }

    pub fn tier_mut(&mut self, tier: RetentionTier) -> &mut RetentionRule {
        match tier {
            RetentionTier::Ephemeral => &mut self.ephemeral,
            RetentionTier::ShortTerm => &mut self.short_term,
            RetentionTier::MediumTerm => &mut self.medium_term,
            RetentionTier::LongTerm => &mut self.long_term,
            RetentionTier::Sensitive => &mut self.sensitive,
        }
    }

    pub fn category(&self, category: Sensitivity) -> Option<RetentionRule> {
        self.categories.iter().find(|(listed, _)| *listed == category).map(|(_, rule)| *rule)
    }

    /// Gives a category other days. One that had no rule gets one that asks.
    pub fn set_category(&mut self, category: Sensitivity, days: Option<u32>) {
        match self.categories.iter_mut().find(|(listed, _)| *listed == category) {
            Some((_, rule)) => *rule = rule.with_days(days),
            None => {
                let rule = RetentionRule { asks: true, ..RetentionRule::FOREVER }.with_days(days);
                self.categories.push((category, rule));
            }
        }
    }

    pub fn class_days(&self, class: PrivacyClass) -> Option<u32> {
        self.classes.iter().find(|(listed, _)| *listed == class).map(|(_, days)| *days)
    }

    pub fn set_class(&mut self, class: PrivacyClass, days: Option<u32>) {
        self.classes.retain(|(listed, _)| *listed != class);
        self.classes.extend(days.map(|days| (class, days)));
    }
}
