//! One pass that finds where to look, and the rules that look there.

use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind, StartKind};
use regex::Match;

use super::decode::base64_text;
use super::named::named;
use super::rule::{EXAMPLE_MARK, SecretRule};
use super::view::UnbrokenView;
use super::{Finding, SecretLevel};
use crate::compiled::on_clean_stack;
use crate::unmask::{Unmasked, unmask};

/// A window grows to the end of a token that it would cut, but not beyond this.
const WINDOW_GROWTH_MAX: usize = 4 << 10;

/// Places to search: keywords of rules, and tokens that are longer than words.
pub(super) struct Prefilter {
    keywords: Option<AhoCorasick>,
    /// For every keyword, the rules that it wakes.
    wakes: Vec<Vec<usize>>,
    /// Rules for long tokens, with the least length of one.
    runs: Vec<(usize, usize)>,
    /// Names of credentials are read too; a rule that proves itself alone does without.
    pub(super) reads_names: bool,
}

impl Prefilter {
    pub(super) fn new(rules: &[SecretRule]) -> Self {
        let mut keywords: Vec<String> = Vec::new();
        let mut wakes: Vec<Vec<usize>> = Vec::new();
        let mut positions = std::collections::HashMap::new();
        for (n, rule) in rules.iter().enumerate() {
            for keyword in rule.keywords().iter().map(|keyword| keyword.to_ascii_lowercase()) {
                let at = *positions.entry(keyword.clone()).or_insert_with(|| {
                    keywords.push(keyword);
                    wakes.push(Vec::new());
                    wakes.len() - 1
                });
                wakes[at].push(n);
            }
        }
        let runs = rules.iter().enumerate().filter_map(|(n, rule)| Some((n, rule.run()?))).collect();
        // A DFA reads prose several times faster than the smaller automata, and these keywords fit in one.
        let build = || {
            let mut builder = AhoCorasick::builder();
            builder.ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA));
            builder.start_kind(StartKind::Unanchored).build(&keywords).ok()
        };
        let keywords = on_clean_stack(build);
        Self { keywords, wakes, runs, reads_names: false }
    }

    /// Rules and the places that they search, sorted by rule and place.
    fn windows(&self, rules: &[SecretRule], text: &str) -> Vec<(usize, Range<usize>)> {
        let mut windows = Vec::new();
        for hit in self.keywords.iter().flat_map(|keywords| keywords.find_overlapping_iter(text)) {
            for &n in &self.wakes[hit.pattern().as_usize()] {
                let rule = &rules[n];
                windows.push((n, hit.start().saturating_sub(rule.behind())..hit.end() + rule.reach()));
            }
        }
        for_long_tokens(text.as_bytes(), |run| {
            let rules = self.runs.iter().filter(|(_, least)| run.len() >= *least);
            windows.extend(rules.map(|(n, _)| (*n, run.start.saturating_sub(CONTEXT_BYTES)..run.end)));
        });
        windows.sort_by_key(|(n, window)| (*n, window.start));
        windows
    }
}

/// Texts up to here are unmasked as a whole, so that a disguised secret may have several lines.
const UNMASKED_WHOLE_BYTES_MAX: usize = 4 << 10;
/// The text before the token that a rule for long tokens sees.
const CONTEXT_BYTES: usize = 32;
const LONG_TOKEN_MIN: usize = 20;

/// Calls back with every row of at least [`LONG_TOKEN_MIN`] characters that tokens are made of.
pub(super) fn for_long_tokens(text: &[u8], mut found: impl FnMut(Range<usize>)) {
    let mut start = 0;
    while start + LONG_TOKEN_MIN <= text.len() {
        // From the back: the last character that is not of a token rules out every start before it.
        let window = &text[start..start + LONG_TOKEN_MIN];
        match window.iter().rposition(|byte| !is_token(*byte)) {
            Some(at) => start += at + 1,
            None => {
                let rest = &text[start + LONG_TOKEN_MIN..];
                let more = rest.iter().position(|byte| !is_token(*byte)).unwrap_or(rest.len());
                found(start..start + LONG_TOKEN_MIN + more);
                start += LONG_TOKEN_MIN + more;
            }
        }
    }
}

pub(super) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-' | b'=' | b'.')
}

/// Runs a rule by itself over its own examples, and says which of them it gets wrong.
pub(super) fn prove(rule: &SecretRule) -> Result<(), String> {
    let rules = std::slice::from_ref(rule);
    let prefilter = Prefilter::new(rules);
    let finds = |text: &String| !every_reading(rules, &prefilter, &text.replace(EXAMPLE_MARK, "")).is_empty();
    if let Some(n) = rule.raw.examples.iter().position(|text| !finds(text)) {
        return Err(format!("example {} is not found", n + 1));
    }
    match rule.raw.counterexamples.iter().position(finds) {
        Some(n) => Err(format!("counterexample {} is found", n + 1)),
        None => Ok(()),
    }
}

/// Ends of a sentence or a clause, which are not the end of a secret.
const STOPS: [char; 4] = ['.', ',', ';', ':'];

/// The findings in the text as it stands and in every other reading of it.
pub(super) fn every_reading(rules: &[SecretRule], prefilter: &Prefilter, text: &str) -> Vec<Finding> {
    let mut findings = one_reading(rules, prefilter, text);
    findings.extend(broken_up(rules, prefilter, text));
    for part in parts_to_unmask(text) {
        let seen = unmask(&text[part.clone()]);
        if !seen.changed() {
            continue;
        }
        let mut found = one_reading(rules, prefilter, seen.text());
        found.extend(broken_up(rules, prefilter, seen.text()));
        findings.extend(found.into_iter().map(|finding| moved(finding, &seen, part.start)));
    }
    findings
}

/// A short text as a whole, a long one by those of its lines that could hide something: unmasking costs more
/// than all the rules together.
pub(super) fn parts_to_unmask(text: &str) -> Vec<Range<usize>> {
    if text.is_ascii() {
        return Vec::new();
    }
    let start = |part: &str| part.as_ptr().addr() - text.as_ptr().addr();
    let range = |part: &str| start(part)..start(part) + part.len();
    if text.len() <= UNMASKED_WHOLE_BYTES_MAX {
        return [text].map(range).into();
    }
    text.split_inclusive('\n').filter(|line| !line.is_ascii()).map(range).collect()
}

fn moved(finding: Finding, seen: &Unmasked<'_>, by: usize) -> Finding {
    let span = seen.original(finding.span.clone());
    Finding { span: span.start + by..span.end + by, ..finding }
}

/// Secrets that a line break or an escape cuts in two or hides behind a letter.
fn broken_up(rules: &[SecretRule], prefilter: &Prefilter, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(view) = UnbrokenView::joined(text) {
        // Joining makes tokens that were never written: only formats that nothing else resembles count.
        let whole = |finding: &Finding| finding.level == SecretLevel::Definite && view.crosses(&finding.span);
        let found = one_reading(rules, prefilter, &view.text).into_iter().filter(whole);
        findings.extend(found.filter_map(|finding| placed(finding, &view)));
    }
    for view in UnbrokenView::decoded(text) {
        let found = one_reading(rules, prefilter, &view.text).into_iter();
        findings.extend(found.filter_map(|finding| placed(finding, &view)));
    }
    findings.extend(encoded(rules, prefilter, text));
    findings
}

/// Rows of base64 whose text holds a secret: the whole row is one.
fn encoded(rules: &[SecretRule], prefilter: &Prefilter, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for_long_tokens(text.as_bytes(), |run| {
        let Some(decoded) = base64_text(&text[run.clone()]) else { return };
        let found = one_reading(rules, prefilter, &decoded).into_iter();
        let surest =
            found.filter(|finding| finding.level > SecretLevel::Possible).max_by_key(|found| found.level);
        findings.extend(surest.map(|finding| Finding { span: run.clone(), ..finding }));
    });
    findings
}

fn placed(finding: Finding, view: &UnbrokenView) -> Option<Finding> {
    Some(Finding { span: view.original(&finding.span)?, ..finding })
}

pub(super) fn one_reading(rules: &[SecretRule], prefilter: &Prefilter, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut windows = prefilter.windows(rules, text).into_iter().peekable();
    while let Some((n, mut window)) = windows.next() {
        while let Some((_, next)) = windows.next_if(|(m, next)| *m == n && next.start <= window.end) {
            window.end = window.end.max(next.end);
        }
        look(&rules[n], text, window, &mut findings);
    }
    findings.extend(prefilter.reads_names.then(|| named(text)).into_iter().flatten());
    findings
}

/// Every match of a rule in a window of the text.
fn look(rule: &SecretRule, text: &str, window: Range<usize>, findings: &mut Vec<Finding>) {
    let end = window_end(text, window.end);
    let mut from = text.floor_char_boundary(window.start);
    if !rule.worth_a_look(&text[from..end]) {
        return;
    }
    let Some(pattern) = rule.pattern() else { return };
    while from <= end
        && let Some(found) = pattern.captures_at(&text[..end], from)
        && let Some(whole) = found.get(0)
    {
        let secret = found.get(1).unwrap_or(whole);
        let accepted = rule.accepts(&found);
        if accepted {
            findings.extend(finding(rule, secret));
        }
        // The next match may begin inside a refused one, and shares its last character with one that was found.
        let next = if accepted { secret.end() } else { secret.start() };
        from = text.ceil_char_boundary(next.max(whole.start() + 1));
    }
}

fn finding(rule: &SecretRule, secret: Match<'_>) -> Option<Finding> {
    let trimmed = secret.as_str().trim_end_matches(STOPS);
    (!trimmed.is_empty()).then(|| Finding {
        rule: rule.raw.name.as_str().into(),
        family: rule.raw.family.as_str().into(),
        level: rule.level(trimmed),
        span: secret.start()..secret.start() + trimmed.len(),
    })
}

/// The end of a window, moved to the end of the token that it would cut.
fn window_end(text: &str, end: usize) -> usize {
    if end >= text.len() {
        return text.len();
    }
    let rest = &text.as_bytes()[end..];
    let more = rest.iter().take(WINDOW_GROWTH_MAX).position(|byte| !is_token(*byte));
    text.ceil_char_boundary(end + more.map_or(WINDOW_GROWTH_MAX.min(rest.len()), |more| more + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_tokens_are_found_whole_wherever_they_stand() {
        let token = "a1".repeat(12);
        for before in 0..45 {
            let text = format!("{} {token} b", ":".repeat(before));
            let mut runs = Vec::new();
            for_long_tokens(text.as_bytes(), |run| runs.push(run));
            assert_eq!((runs.len(), runs[0].clone()), (1, before + 1..before + 25), "{text}");
        }
        for_long_tokens(b"words of prose, none of them as long-winded as tokens", |_| panic!("not a token"));
    }
}
