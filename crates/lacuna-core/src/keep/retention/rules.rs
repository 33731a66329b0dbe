//! The bytes of a tenant's retention rules, to see when a vault must be stamped anew.

use lacuna_store::cbor::CborWriter;
use lacuna_types::RetentionTier;
use lacuna_types::policy::{RetentionRule as Rule, RetentionRules};

/// Everything that decides when a memory expires: rules that write the same bytes expire the same.
pub(crate) fn write_rules(rules: &RetentionRules, w: &mut CborWriter<'_>) {
    let rule = |w: &mut CborWriter<'_>, rule: &Rule| {
        w.array(3);
        w.optional(rule.days, CborWriter::uint);
        w.optional(rule.days_max, CborWriter::uint);
        w.bool(rule.asks);
    };
    w.array(5);
    let tiers: Vec<Rule> = RetentionTier::ALL.iter().map(|tier| rules.tier(*tier)).collect();
    w.list(&tiers, rule);
    let mut categories = rules.categories.clone();
    categories.sort_unstable_by_key(|(category, _)| *category);
    w.list(&categories, |w, (category, days)| {
        w.array(2);
        w.uint(category.code());
        rule(w, days);
    });
    let mut classes = rules.classes.clone();
    classes.sort_unstable();
    w.list(&classes, |w, (class, days)| {
        w.array(2);
        w.uint(class.code());
        w.uint(*days);
    });
    w.list(&[rules.episodic_days_max, rules.grace_days], |w, days| w.uint(*days));
    w.uint(rules.unanswered.code());
}
