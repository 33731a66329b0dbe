use proptest::prelude::*;

use super::rule::EXAMPLE_MARK;
use super::*;

fn found(text: &str) -> Vec<(&str, Level)> {
    Scanner::builtin().scan(text).into_iter().map(|finding| (&text[finding.span], finding.level)).collect()
}

fn unmarked(text: &str) -> String {
    text.replace(EXAMPLE_MARK, "")
}

/// What one rule finds in a text, whatever the others find.
fn found_by(rule: &Rule, text: &str) -> bool {
    let rules = std::slice::from_ref(rule);
    !scan::every_reading(rules, &Prefilter::new(rules), text).is_empty()
}

#[test]
fn every_rule_finds_its_examples_and_passes_over_its_counterexamples() {
    let rules = Rule::table(rule::BUILTIN).unwrap();
    assert!(rules.len() >= 150);
    let mut wrong = Vec::new();
    for rule in &rules {
        let name = &rule.raw.name;
        rule.check().unwrap();
        let (examples, counterexamples) = (&rule.raw.examples, &rule.raw.counterexamples);
        assert!(!examples.is_empty() && !counterexamples.is_empty(), "{name} has no examples");
        let missed = examples.iter().filter(|text| !found_by(rule, &unmarked(text)));
        wrong.extend(missed.map(|text| format!("{name} misses {text}")));
        let struck = counterexamples.iter().filter(|text| found_by(rule, &unmarked(text)));
        wrong.extend(struck.map(|text| format!("{name} strikes {text}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
