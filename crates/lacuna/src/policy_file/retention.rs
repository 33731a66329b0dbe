//! The table `[retention]` of a policy: retention times of memories.

use std::collections::BTreeMap;

use lacuna_types::policy::{DAYS_MAX, RetentionRules};
use lacuna_types::{PrivacyClass, RetentionTier, Sensitivity};
use serde::Deserialize;

/// The table, key by key. An absent key follows the specification.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawRetention {
    grace_days: Option<u32>,
    unanswered: Option<String>,
    review_days: Option<u32>,
    episodic_days_max: Option<u32>,
    long_term_consent: Option<bool>,
    archive_faded: Option<bool>,
    tiers: BTreeMap<String, Days>,
    categories: BTreeMap<String, Days>,
    classes: BTreeMap<String, Days>,
}

/// A number of days, or the word `forever`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Days {
    Count(u32),
    Word(String),
}

impl Days {
    fn read(&self, key: &str) -> Result<Option<u32>, String> {
        match self {
            Self::Count(days) if (1..=DAYS_MAX).contains(days) => Ok(Some(*days)),
            Self::Word(word) if word == "forever" => Ok(None),
            _ => Err(format!("retention.{key}: must be forever, or a number of days from 1 to {DAYS_MAX}")),
        }
    }
}

impl RawRetention {
    pub(super) fn into_rules(self) -> Result<RetentionRules, String> {
        let word = |key: &str, error: lacuna_types::Error| format!("retention.{key}: {error}");
        let mut rules = RetentionRules::default();
        rules.grace_days = within("grace_days", self.grace_days, rules.grace_days)?;
        rules.review_days = within("review_days", self.review_days, rules.review_days)?;
        rules.episodic_days_max =
            within("episodic_days_max", self.episodic_days_max, rules.episodic_days_max)?;
        rules.long_term_consent = self.long_term_consent.unwrap_or(rules.long_term_consent);
        rules.archive_faded = self.archive_faded.unwrap_or(rules.archive_faded);
        if let Some(text) = self.unanswered {
            rules.unanswered = text.parse().map_err(|error| word("unanswered", error))?;
        }
        for (name, days) in &self.tiers {
            let tier: RetentionTier = name.parse().map_err(|error| word("tiers", error))?;
            let rule = rules.tier_mut(tier);
            *rule = rule.with_days(days.read(name)?);
        }
        for (name, days) in &self.categories {
            let category: Sensitivity = name.parse().map_err(|error| word("categories", error))?;
            rules.set_category(category, days.read(name)?);
        }
        for (name, days) in &self.classes {
            let class: PrivacyClass = name.parse().map_err(|error| word("classes", error))?;
            rules.set_class(class, days.read(name)?);
        }
        Ok(rules)
    }
}

fn within(key: &str, days: Option<u32>, default: u32) -> Result<u32, String> {
    let days = days.unwrap_or(default);
    match (1..=DAYS_MAX).contains(&days) {
        true => Ok(days),
        false => Err(format!("retention.{key}: must be from 1 to {DAYS_MAX}")),
    }
}
