//! Cutting what is to be forgotten out of a text, so that the rest can stay.
//!
//! A text falls into sentences, a sentence into clauses, and a clause that says it goes. What is left is
//! repaired: it keeps its subject, its capital and its full stop. In doubt the whole text goes: nothing that
//! was to be forgotten stays because a sentence was hard to read.

mod holders;
mod split;
#[cfg(test)]
mod tests;
mod verbs;

pub(crate) use holders::{Holders, holders};
use split::{Clause, Items, Sentence, asides, clauses, items, sentences, words};
pub(crate) use verbs::is_preposition;
use verbs::{is_person, is_persons_own, is_pointer};

use crate::languages::LANGUAGES;

/// Longer texts are not cut: they go, or they stay.
const CUT_CHARS_MAX: usize = 20_000;

/// The rest of a text after a cut.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cut {
    /// All of it goes.
    Whole,
    /// It says nothing of the kind.
    Nothing,
    Part {
        left: String,
        /// Clauses, remarks and items that went.
        removed: usize,
    },
}

/// Takes out of `text` what `says` says of.
pub fn cut(text: &str, says: impl Fn(&str) -> bool) -> Cut {
    cut_by(text, says, clauses)
}

/// Does the same as [`cut`]; a sentence that is said of several is said of each, even without "both".
pub(crate) fn cut_of_each(text: &str, says: impl Fn(&str) -> bool) -> Cut {
    cut_by(text, says, |sentence| holders::apart(sentence, true).unwrap_or_else(|| clauses(sentence)))
}

fn cut_by(text: &str, says: impl Fn(&str) -> bool, clauses: fn(&str) -> Vec<Clause>) -> Cut {
    let said = says(text);
    if text.chars().count() > CUT_CHARS_MAX {
        return if said { Cut::Whole } else { Cut::Nothing };
    }
    let mut knife = Knife { says: &says, clauses, removed: 0, subject: String::new(), gone: false };
    let mut left = String::with_capacity(text.len());
    let sentences = sentences(text);
    for sentence in &sentences {
        knife.pass(sentence, &mut left);
    }
    let left = left.trim();
    match knife.removed {
        0 if said => Cut::Whole,
        0 => Cut::Nothing,
        // What is left must not say it in some way that no clause did.
        _ if left.split_whitespace().count() < 2 || says(left) => Cut::Whole,
        removed => Cut::Part { left: left.to_owned(), removed },
    }
}

/// Returns the subjects of the clauses of a text.
pub fn subjects(text: &str) -> Vec<String> {
    let clauses = sentences(text).into_iter().flat_map(|sentence| clauses(sentence.text));
    clauses.map(|clause| clause.subject).filter(|subject| !subject.is_empty()).collect()
}

/// The clauses of a text, each as a sentence of its own.
pub fn parts(text: &str) -> Vec<String> {
    let clauses = sentences(text).into_iter().flat_map(|sentence| clauses(sentence.text));
    clauses.map(|clause| clause.alone()).collect()
}

/// The sentences of a text, each with the mark that ends it.
pub fn whole_sentences(text: &str) -> Vec<&str> {
    let mut start = 0;
    let mut whole = |sentence: Sentence<'_>| {
        let end = start + sentence.text.len() + sentence.end.len();
        let found = text[start..end].trim();
        start = end;
        found
    };
    let found: Vec<&str> = sentences(text).into_iter().map(&mut whole).collect();
    found.into_iter().filter(|sentence| !sentence.is_empty()).collect()
}

struct Knife<'s, F> {
    says: &'s F,
    clauses: fn(&str) -> Vec<Clause>,
    removed: usize,
    /// The subject of the last sentence.
    subject: String,
    /// True if what the next words may point back to is gone.
    gone: bool,
}

impl<F: Fn(&str) -> bool> Knife<'_, F> {
    fn pass(&mut self, sentence: &Sentence<'_>, left: &mut String) {
        let first = words(sentence.text).first().map(|word| word.lower.clone()).unwrap_or_default();
        if self.gone && is_pointer(&first) {
            self.removed += 1;
            return;
        }
        let named = self.with_name(sentence.text, &first);
        let mut parts = (self.clauses)(named.as_deref().unwrap_or(sentence.text));
        let count = parts.len();
        let removed_before = self.removed;
        let gone_before = std::mem::take(&mut self.gone);
        if let Some(subject) = parts.iter().map(|part| &part.subject).find(|subject| !subject.is_empty()) {
            self.subject.clone_from(subject);
        }
        self.drop_clauses(&mut parts);
        self.gone |= parts.is_empty();
        let unchanged = self.removed == removed_before;
        if unchanged && !(gone_before && named.is_some()) {
            left.push_str(sentence.text);
            left.push_str(sentence.end);
        } else if !parts.is_empty() {
            left.push_str(&joined(&parts, count, starts_small(sentence.text)));
            left.push_str(sentence.end);
        }
    }

    /// The sentence with the name of whom its first word points back to.
    fn with_name(&self, sentence: &str, first: &str) -> Option<String> {
        let known = !self.subject.is_empty() && !is_person(&self.subject.to_lowercase());
        let rest = sentence.get(first.len()..)?;
        match known {
            true if is_person(first) => Some(format!("{}{rest}", self.subject)),
            true if is_persons_own(first) => Some(format!("{}'s{rest}", self.subject)),
            _ => None,
        }
    }

    fn drop_clauses(&mut self, parts: &mut Vec<Clause>) {
        let mut gone = false;
        let mut subject = String::new();
        parts.retain_mut(|part| {
            if part.subject.is_empty() || is_person(&part.subject.to_lowercase()) {
                part.carry(&subject);
            }
            subject.clone_from(&part.subject);
            let points_back = gone && points_back(&part.body);
            gone = points_back || !self.trim(part);
            self.removed += usize::from(gone);
            !gone
        });
        self.gone = gone;
    }

    /// Takes what says it out of a clause. Answers whether anything worth keeping is left.
    fn trim(&mut self, part: &mut Clause) -> bool {
        let mut bare = part.clone();
        let asides = asides(&part.body, &part.subject);
        for aside in asides.iter().rev() {
            bare.body.replace_range(aside.span.clone(), "");
        }
        if (self.says)(&bare.alone()) {
            return self.trim_items(part);
        }
        for aside in asides.iter().rev() {
            // What is neither said by the rest nor by the remark may be said by both together.
            if (self.says)(&aside.says) || (self.says)(&part.body[aside.span.clone()]) {
                part.body.replace_range(aside.span.clone(), "");
                self.removed += 1;
            }
        }
        !(self.says)(&part.alone())
    }

    /// Takes items out of an enumeration.
    fn trim_items(&mut self, part: &mut Clause) -> bool {
        let Some(Items { lead, items, joint }) = items(&part.body) else { return false };
        let alone = |item: &str| Clause { body: format!("{lead} {item}"), ..part.clone() }.alone();
        let kept: Vec<&str> = items.iter().filter(|item| !(self.says)(&alone(item))).copied().collect();
        if kept.is_empty() || kept.len() == items.len() {
            return false;
        }
        let body = format!("{lead} {}", enumerated(&kept, &joint));
        let removed = items.len() - kept.len();
        part.body = body;
        let clean = !(self.says)(&part.alone());
        self.removed += if clean { removed } else { 0 };
        clean
    }
}

impl Clause {
    /// Gives a clause that speaks of "she", or of nobody, the subject of the one before.
    fn carry(&mut self, subject: &str) {
        if subject.is_empty() || self.carried.is_some() {
            return;
        }
        let first = words(&self.body).first().filter(|word| is_person(&word.lower)).map(|word| word.span.end);
        if let Some(end) = first {
            self.body = self.body[end..].trim_start().to_owned();
            self.carried = Some(subject.to_owned());
            self.subject = subject.to_owned();
        }
    }
}

/// Returns true if a clause says nothing without the one before it.
fn points_back(body: &str) -> bool {
    let words = words(body);
    words.iter().enumerate().any(|(at, word)| {
        let stands_alone = words.get(at + 1).is_none_or(|next| {
            verbs::is_verb(&next.lower)
                || verbs::is_adverb(&next.lower)
                || is_preposition(&next.lower)
                || next.after_comma
                || next.lower.ends_with("ly")
        });
        is_pointer(&word.lower) && stands_alone
    })
}

fn enumerated(items: &[&str], joint: &str) -> String {
    match items {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} {joint} {last}", first.join(", ")),
    }
}

/// The clauses that stay, as one sentence without its end.
fn joined(parts: &[Clause], count: usize, small: bool) -> String {
    let mut text = String::new();
    for (at, part) in parts.iter().enumerate() {
        if at == 0 {
            text.push_str(&capital(&part.alone(), small));
            continue;
        }
        // Where a clause is missing in between, what joined it may not fit.
        let joint = if parts.len() == count { part.joint.as_str() } else { neutral(&part.joint) };
        let joint = if joint.starts_with([',', ';', ':']) { joint.to_owned() } else { format!(" {joint}") };
        let said = if part.carried.is_some() { part.body.clone() } else { part.alone() };
        text.push_str(&format!("{} {said}", joint.trim_end()));
    }
    text
}

/// "But" needs what it contradicts; "and" does not.
fn neutral(joint: &str) -> &str {
    let word = joint.trim_start_matches([',', ' ']);
    let mut joints = LANGUAGES.iter().flat_map(|rules| rules.clause.neutral_joints);
    joints.find(|(but, _)| *but == word).map_or(joint, |(_, and)| and)
}

fn starts_small(sentence: &str) -> bool {
    sentence.trim_start().starts_with(char::is_lowercase)
}

/// With the capital that a sentence begins with, unless its writer uses none.
fn capital(text: &str, small: bool) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if !small => first.to_uppercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}
