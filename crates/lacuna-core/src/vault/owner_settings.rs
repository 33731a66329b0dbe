//! The owner's settings on how long a vault remembers. They lie sealed in the vault: a rule not to remember
//! somebody is itself private.

use std::collections::BTreeMap;

use lacuna_store::cbor::{CborReader, CborWriter};
use lacuna_types::policy::{DAYS_MAX, RetentionRule as Rule, RetentionRules};
use lacuna_types::{DETAIL_CHARS_MAX, Error, Result, RetentionTier, Sensitivity};
use zeroize::Zeroize;

use crate::gate::shape::at_most;

/// People and things with a rule of their own.
pub(crate) const ENTITY_RULES_MAX: usize = 64;
const FIELDS: u64 = 5;

/// A length of time, in the words of an owner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Span {
    Days(u32),
    Forever,
}

/// A rule on how long memories about a person or a thing are kept.
#[derive(Clone, PartialEq, Eq)]
pub struct EntityRule {
    /// The name of the person or thing.
    pub name: String,
    /// The time that memories about it are kept.
    pub keep: Span,
}

/// An owner's settings. What is not set follows from the tenant's rules.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// Nothing is kept longer than this, but what is pinned or about whom everything is to be kept.
    pub max_days: Option<u32>,
    /// The time that memories of each retention tier are kept.
    pub tiers: BTreeMap<RetentionTier, Span>,
    /// The time that memories of each sensitive category are kept.
    pub categories: BTreeMap<Sensitivity, Span>,
    /// Rules about people and things.
    pub entities: Vec<EntityRule>,
    /// Categories whose content a review never shows.
    pub hidden: Vec<Sensitivity>,
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Names stay out: this may end up in a log.
        f.debug_struct("Settings").field("entities", &self.entities.len()).finish_non_exhaustive()
    }
}

impl Drop for EntityRule {
    fn drop(&mut self) {
        self.name.zeroize();
    }
}

impl Span {
    /// The days, or `None` for forever.
    pub fn days(self) -> Option<u32> {
        match self {
            Self::Days(days) => Some(days),
            Self::Forever => None,
        }
    }

    fn write(self, w: &mut CborWriter<'_>) {
        w.optional(self.days(), CborWriter::uint);
    }

    fn read(r: &mut CborReader<'_>) -> Option<Self> {
        Some(r.optional(CborReader::uint)?.map_or(Self::Forever, Self::Days))
    }
}

impl Settings {
    /// Checks that the tenant's rules allow all settings.
    pub fn check(&self, rules: &RetentionRules) -> Result<()> {
        self.max_days.map_or(Ok(()), |days| check_days("max_days", days))?;
        for (tier, span) in &self.tiers {
            check_span("tiers", tier.as_str(), *span, rules.tier(*tier))?;
        }
        for (category, span) in &self.categories {
            let rule = rules.category(*category);
            let unbounded = Rule { days: None, days_max: None, asks: false };
            check_span("categories", category.as_str(), *span, rule.unwrap_or(unbounded))?;
        }
        at_most("entities", self.entities.len(), ENTITY_RULES_MAX)?;
        at_most("hidden", self.hidden.len(), Sensitivity::ALL.len())?;
        self.entities.iter().try_for_each(EntityRule::check)
    }

    pub(crate) fn write(&self, w: &mut CborWriter<'_>) {
        w.array(FIELDS as usize);
        w.optional(self.max_days, CborWriter::uint);
        let tiers: Vec<_> = self.tiers.iter().map(|(tier, span)| (tier.code(), *span)).collect();
        let categories: Vec<_> = self.categories.iter().map(|(kind, span)| (kind.code(), *span)).collect();
        for spans in [tiers, categories] {
            w.list(&spans, |w, (code, span)| {
                w.array(2);
                w.uint(*code);
                span.write(w);
            });
        }
        w.list(&self.entities, |w, rule| {
            w.array(2);
            w.text(&rule.name);
            rule.keep.write(w);
        });
        w.list(&self.hidden, |w, category| w.uint(category.code()));
    }

    pub(crate) fn read(r: &mut CborReader<'_>) -> Option<Self> {
        r.record(FIELDS, |r| {
            Some(Self {
                max_days: r.optional(CborReader::uint)?,
                tiers: spans(r, RetentionTier::from_code)?,
                categories: spans(r, Sensitivity::from_code)?,
                entities: r.list(|r| {
                    r.record(2, |r| Some(EntityRule { name: r.text()?.to_owned(), keep: Span::read(r)? }))
                })?,
                hidden: r.list(|r| Sensitivity::from_code(r.uint()?))?,
            })
        })
    }
}

fn spans<T: Ord>(r: &mut CborReader<'_>, of: fn(u8) -> Option<T>) -> Option<BTreeMap<T, Span>> {
    let spans = r.list(|r| r.record(2, |r| Some((of(r.uint()?)?, Span::read(r)?))))?;
    Some(spans.into_iter().collect())
}

impl EntityRule {
    fn check(&self) -> Result<()> {
        let length = self.name.chars().count();
        if self.name.trim().is_empty() || length > DETAIL_CHARS_MAX || self.name.chars().any(char::is_control)
        {
            let reason = format!("a name has 1 to {DETAIL_CHARS_MAX} characters and no control characters");
            return Err(Error::invalid("entities", reason));
        }
        self.keep.days().map_or(Ok(()), |days| check_days("entities", days))
    }
}

fn check_span(field: &'static str, what: &str, span: Span, rule: Rule) -> Result<()> {
    span.days().map_or(Ok(()), |days| check_days(field, days))?;
    let Some(most) = rule.days_max else { return Ok(()) };
    if span.days().is_none_or(|days| days > most) {
        return Err(Error::invalid(field, format!("{what} can be kept for {most} days at most")));
    }
    Ok(())
}

fn check_days(field: &'static str, days: u32) -> Result<()> {
    if (1..=DAYS_MAX).contains(&days) {
        return Ok(());
    }
    Err(Error::invalid(field, format!("must be from 1 to {DAYS_MAX} days")))
}
