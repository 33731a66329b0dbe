//! A tenant's rules for how long memories are kept. They decide unless the vault's owner has set something else.

use crate::cbor::Writer;
use crate::domain::{PrivacyClass, RetentionTier, Sensitivity, facet};

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
pub struct Rule {
    /// `None` keeps it until somebody erases it.
    pub days: Option<u32>,
    /// The most that an owner may set.
    pub days_max: Option<u32>,
    /// Whether its owner is asked before it goes.
    pub asks: bool,
}

impl Rule {
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
    pub ephemeral: Rule,
    pub short_term: Rule,
    pub medium_term: Rule,
    pub long_term: Rule,
    pub sensitive: Rule,
    /// Categories that have a rule of their own, whatever the tier.
    pub categories: Vec<(Sensitivity, Rule)>,
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
            ephemeral: Rule::days(1, 7, false),
            short_term: Rule::days(7, 90, false),
            medium_term: Rule::days(90, 365, true),
            long_term: Rule::FOREVER,
            sensitive: Rule::days(30, 365, true),
            categories: vec![
                (Sensitivity::Health, Rule::days(30, 365, true)),
                (Sensitivity::Financial, Rule::days(30, 365, true)),
                (Sensitivity::Biometric, Rule::days(30, 365, true)),
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
    pub fn tier(&self, tier: RetentionTier) -> Rule {
        match tier {
            RetentionTier::Ephemeral => self.ephemeral,
            RetentionTier::ShortTerm => self.short_term,
            RetentionTier::MediumTerm => self.medium_term,
            RetentionTier::LongTerm => self.long_term,
            RetentionTier::Sensitive => self.sensitive,
        }
    }

    pub fn tier_mut(&mut self, tier: RetentionTier) -> &mut Rule {
        match tier {
            RetentionTier::Ephemeral => &mut self.ephemeral,
            RetentionTier::ShortTerm => &mut self.short_term,
            RetentionTier::MediumTerm => &mut self.medium_term,
            RetentionTier::LongTerm => &mut self.long_term,
            RetentionTier::Sensitive => &mut self.sensitive,
        }
    }

    pub fn category(&self, category: Sensitivity) -> Option<Rule> {
        self.categories.iter().find(|(listed, _)| *listed == category).map(|(_, rule)| *rule)
    }

    /// Gives a category other days. One that had no rule gets one that asks.
    pub fn set_category(&mut self, category: Sensitivity, days: Option<u32>) {
        match self.categories.iter_mut().find(|(listed, _)| *listed == category) {
            Some((_, rule)) => *rule = rule.with_days(days),
            None => {
                let rule = Rule { asks: true, ..Rule::FOREVER }.with_days(days);
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

    /// Everything that decides when a memory expires: rules that write the same bytes expire the same.
    pub(super) fn write(&self, w: &mut Writer<'_>) {
        let rule = |w: &mut Writer<'_>, rule: &Rule| {
            w.array(3);
            w.optional(rule.days, Writer::uint);
            w.optional(rule.days_max, Writer::uint);
            w.bool(rule.asks);
        };
        w.array(5);
        let tiers: Vec<Rule> = RetentionTier::ALL.iter().map(|tier| self.tier(*tier)).collect();
        w.list(&tiers, rule);
        let mut categories = self.categories.clone();
        categories.sort_unstable_by_key(|(category, _)| *category);
        w.list(&categories, |w, (category, days)| {
            w.array(2);
            w.uint(category.code());
            rule(w, days);
        });
        let mut classes = self.classes.clone();
        classes.sort_unstable();
        w.list(&classes, |w, (class, days)| {
            w.array(2);
            w.uint(class.code());
            w.uint(*days);
        });
        w.list(&[self.episodic_days_max, self.grace_days], |w, days| w.uint(*days));
        w.uint(self.unanswered.code());
    }
}
