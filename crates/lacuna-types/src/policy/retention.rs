//! A tenant's rules for how long memories are kept. They decide unless the vault's owner has set something else.

use crate::facet;
use crate::facets::{PrivacyClass, RetentionTier, Sensitivity};

/// The longest time that anybody may name, in days: a hundred years.
pub const DAYS_MAX: u32 = 36_500;
/// Days in which an owner may answer a question about a memory.
pub const GRACE_DAYS_DEFAULT: u32 = 30;
/// Days between two reviews of a vault by its owner.
pub const REVIEW_DAYS_DEFAULT: u32 = 30;
/// The longest time for memories of conversations, in days, whoever asked for more.
pub const EPISODIC_DAYS_MAX_DEFAULT: u32 = 365;

facet!(
    /** The fate of a memory about which its owner was asked and did not answer. */
    Unanswered, "unanswered", {
    Erase = 1 "erase",
    Keep = 2 "keep",
});

/// The time for which something is kept, and the longest that its owner may set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RetentionRule {
    /// `None` keeps it until somebody erases it.
    pub days: Option<u32>,
    /// The most that an owner may set.
    pub days_max: Option<u32>,
    /// True when its owner is asked before it is erased.
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
    /// The rule of the tier `ephemeral`.
    pub ephemeral: RetentionRule,
    /// The rule of the tier `short_term`.
    pub short_term: RetentionRule,
    /// The rule of the tier `medium_term`.
    pub medium_term: RetentionRule,
    /// The rule of the tier `long_term`.
    pub long_term: RetentionRule,
    /// The rule of the tier `sensitive`.
    pub sensitive: RetentionRule,
    /// Categories that have a rule of their own, whatever the tier.
    pub categories: Vec<(Sensitivity, RetentionRule)>,
    /// The most days in a deployment's vault, by privacy class. Nobody can set more.
    pub classes: Vec<(PrivacyClass, u32)>,
    /// The longest time for memories of conversations.
    pub episodic_days_max: u32,
    /// Days in which an owner may answer a question about a memory.
    pub grace_days: u32,
    /// The fate of a memory without an answer.
    pub unanswered: Unanswered,
    /// Days between two reviews.
    pub review_days: u32,
    /// True when a person's memories of the tier `long_term` need the person's consent; without it they are kept as those
    /// of the tier `medium_term`.
    pub long_term_consent: bool,
    /// True lets the sweep archive faded memories; otherwise the review names them.
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
                // Deleted without a question, unless its owner keeps it expressly.
                (Sensitivity::Financial, RetentionRule::days(30, 365, false)),
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
            long_term_consent: false,
            archive_faded: false,
        }
    }
}

impl RetentionRules {
    /// The rule of a tier.
    pub fn tier(&self, tier: RetentionTier) -> RetentionRule {
        match tier {
            RetentionTier::Ephemeral => self.ephemeral,
            RetentionTier::ShortTerm => self.short_term,
            RetentionTier::MediumTerm => self.medium_term,
            RetentionTier::LongTerm => self.long_term,
            RetentionTier::Sensitive => self.sensitive,
        }
    }

    /// The rule of a tier, to be changed.
    pub fn tier_mut(&mut self, tier: RetentionTier) -> &mut RetentionRule {
        match tier {
            RetentionTier::Ephemeral => &mut self.ephemeral,
            RetentionTier::ShortTerm => &mut self.short_term,
            RetentionTier::MediumTerm => &mut self.medium_term,
            RetentionTier::LongTerm => &mut self.long_term,
            RetentionTier::Sensitive => &mut self.sensitive,
        }
    }

    /// The rule of a category that has one.
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

    /// The limit of a privacy class, in days.
    pub fn class_days(&self, class: PrivacyClass) -> Option<u32> {
        self.classes.iter().find(|(listed, _)| *listed == class).map(|(_, days)| *days)
    }

    /// Sets or removes the limit of a privacy class.
    pub fn set_class(&mut self, class: PrivacyClass, days: Option<u32>) {
        self.classes.retain(|(listed, _)| *listed != class);
        self.classes.extend(days.map(|days| (class, days)));
    }
}
