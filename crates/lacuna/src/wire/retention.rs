//! Retention on the wire: the tenant's rules, the owner's settings, and their effect.

use std::collections::BTreeMap;

use lacuna_core::keep::Preview;
use lacuna_core::vault::{EntityRule, Settings, Span};
use lacuna_types as domain;
use lacuna_types::Scope;
use lacuna_types::policy::{RetentionRule as Rule, RetentionRules};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::scope::shown;
use super::words;
use crate::wire::failure::{Failure, Result};

/// Days by name; `null` keeps forever.
type Spans = BTreeMap<String, Option<u32>>;

/// Retention of memories about a person or a thing.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = EntityRule)]
pub(crate) struct EntityRuleBody {
    /// The person or thing, in any spelling.
    pub(crate) name: String,
    /// Forever when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) days: Option<u32>,
}

/// All settings of an owner. An absent one follows from the tenant's rules.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields, default)]
#[schema(as = RetentionRequest)]
pub(crate) struct RetentionRequest {
    /// Days after which everything goes, but pinned memories and memories about an entity that is kept forever.
    pub(crate) max_days: Option<u32>,
    /// Days by retention tier; `null` keeps forever.
    pub(crate) tiers: Spans,
    /// Days by category of sensitivity; `null` keeps forever.
    pub(crate) categories: Spans,
    /// At most 64.
    pub(crate) entities: Vec<EntityRuleBody>,
    /// Categories whose content a review never shows.
    pub(crate) hidden: Vec<words::Sensitivity>,
    /// Number of memories that go at once by this, as the preview said. With any other number nothing is set.
    pub(crate) goes: usize,
    /// The vault; the caller's own when absent.
    pub(crate) scope: Option<String>,
}

impl RetentionRequest {
    pub(crate) fn into_core(self) -> Result<Settings> {
        let entity = |rule: EntityRuleBody| EntityRule { name: rule.name, keep: span(rule.days) };
        Ok(Settings {
            max_days: self.max_days,
            tiers: spans::<domain::RetentionTier>("tiers", self.tiers)?,
            categories: spans::<domain::Sensitivity>("categories", self.categories)?,
            entities: self.entities.into_iter().map(entity).collect(),
            hidden: self.hidden.into_iter().map(|category| category.0).collect(),
        })
    }
}

fn span(days: Option<u32>) -> Span {
    days.map_or(Span::Forever, Span::Days)
}

fn spans<T: Ord + std::str::FromStr<Err = lacuna_types::Error>>(
    field: &'static str,
    named: Spans,
) -> Result<BTreeMap<T, Span>> {
    let read = |(word, days): (String, Option<u32>)| {
        let key = word.parse().map_err(|_| Failure::invalid(field, "names something that there is not"))?;
        Ok((key, span(days)))
    };
    named.into_iter().map(read).collect()
}

/// Settings of an owner, and the tenant's rules beneath.
#[derive(Serialize, ToSchema)]
#[schema(as = Retention)]
pub(crate) struct RetentionView {
    pub(crate) scope: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_days: Option<u32>,
    /// Days by retention tier; `null` keeps forever.
    pub(crate) tiers: Spans,
    /// Days by category of sensitivity; `null` keeps forever.
    pub(crate) categories: Spans,
    pub(crate) entities: Vec<EntityRuleBody>,
    pub(crate) hidden: Vec<words::Sensitivity>,
    pub(crate) rules: RulesView,
}

impl RetentionView {
    pub(crate) fn of(settings: &Settings, rules: &RetentionRules, scope: &Scope) -> Self {
        let entity = |rule: &EntityRule| EntityRuleBody { name: rule.name.clone(), days: rule.keep.days() };
        let tiers = settings.tiers.iter().map(|(tier, span)| (tier.to_string(), span.days()));
        let categories = settings.categories.iter().map(|(kind, span)| (kind.to_string(), span.days()));
        Self {
            scope: shown(scope),
            max_days: settings.max_days,
            tiers: tiers.collect(),
            categories: categories.collect(),
            entities: settings.entities.iter().map(entity).collect(),
            hidden: settings.hidden.iter().copied().map(Into::into).collect(),
            rules: rules.into(),
        }
    }
}

/// A tenant's rules for how long memories are kept.
#[derive(Serialize, ToSchema)]
#[schema(as = RetentionRules)]
pub(crate) struct RulesView {
    pub(crate) tiers: Vec<RuleView>,
    pub(crate) categories: Vec<RuleView>,
    /// Upper limits of the deployment, in days by privacy class.
    pub(crate) classes: BTreeMap<String, u32>,
    /// Days for which episodes are kept at most.
    pub(crate) episodic_days_max: u32,
    /// Days for which an owner is asked before `unanswered` applies.
    pub(crate) grace_days: u32,
    /// Treatment of a memory about which nobody answered: `erase` or `keep`.
    pub(crate) unanswered: &'static str,
    /// Days between reviews by the owner.
    pub(crate) review_days: u32,
    /// True if a person's facts are kept beyond the time of `medium_term` only with the consent `long_term`.
    pub(crate) long_term_consent: bool,
    pub(crate) archive_faded: bool,
}

#[derive(Serialize, ToSchema)]
#[schema(as = RetentionRule)]
pub(crate) struct RuleView {
    pub(crate) name: &'static str,
    /// Absent: until somebody erases it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) days: Option<u32>,
    /// Upper limit for the owner's setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) days_max: Option<u32>,
    /// True if its owner is asked before it goes.
    pub(crate) asks: bool,
}

impl RuleView {
    fn of(name: &'static str, rule: Rule) -> Self {
        Self { name, days: rule.days, days_max: rule.days_max, asks: rule.asks }
    }
}

impl From<&RetentionRules> for RulesView {
    fn from(rules: &RetentionRules) -> Self {
        let tier = |tier: &domain::RetentionTier| RuleView::of(tier.as_str(), rules.tier(*tier));
        let categories = rules.categories.iter();
        Self {
            tiers: domain::RetentionTier::ALL.iter().map(tier).collect(),
            categories: categories.map(|(kind, rule)| RuleView::of(kind.as_str(), *rule)).collect(),
            classes: rules.classes.iter().map(|(class, days)| (class.to_string(), *days)).collect(),
            episodic_days_max: rules.episodic_days_max,
            grace_days: rules.grace_days,
            unanswered: rules.unanswered.as_str(),
            review_days: rules.review_days,
            long_term_consent: rules.long_term_consent,
            archive_faded: rules.archive_faded,
        }
    }
}

/// Effect of settings on the present memories.
#[derive(Serialize, ToSchema)]
#[schema(as = RetentionPreview)]
pub(crate) struct PreviewView {
    pub(crate) scope: String,
    pub(crate) memories: usize,
    /// Memories that would go at once, with the next sweep.
    pub(crate) goes_now: usize,
    /// The first thousand of those.
    pub(crate) memory_ids: Vec<String>,
    /// Number of those in each category.
    pub(crate) categories: BTreeMap<String, usize>,
    /// Memories that would go within 30 days.
    pub(crate) goes_soon: usize,
    /// Memories that would go earlier, or later, than they do today.
    pub(crate) shortened: usize,
    pub(crate) prolonged: usize,
}

impl PreviewView {
    pub(crate) fn of(preview: Preview, scope: &Scope) -> Self {
        Self {
            scope: shown(scope),
            memories: preview.memories,
            goes_now: preview.goes_now,
            memory_ids: preview.ids.iter().map(ToString::to_string).collect(),
            categories: preview.categories.iter().map(|(kind, count)| (kind.to_string(), *count)).collect(),
            goes_soon: preview.goes_soon,
            shortened: preview.shortened,
            prolonged: preview.prolonged,
        }
    }
}

/// Memories to pin, or to unpin.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PinRequest)]
pub(crate) struct PinRequest {
    /// From 1 to 1,000; all of them, or none.
    #[schema(min_items = 1, max_items = 1000)]
    pub(crate) memory_ids: Vec<String>,
    pub(crate) pinned: bool,
    /// The vault they are in; the caller's own when absent.
    pub(crate) scope: Option<String>,
}
