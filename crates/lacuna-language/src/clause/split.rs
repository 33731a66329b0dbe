//! A text as sentences, and a sentence as clauses that each say something of their own.

use std::ops::Range;

use super::holders;
use super::verbs::*;
use crate::words::{WordChars, WordSpan, word_spans};

/// More clauses than this are not told apart.
const CLAUSES_MAX: usize = 64;
/// Longer groups of words before a verb are no plain subject.
const SUBJECT_WORDS_MAX: usize = 7;
/// Longer parts of an enumeration are no items.
const ITEM_WORDS_MAX: usize = 6;
/// A sentence and what stands between it and the next one.
pub(super) struct Sentence<'t> {
    /// The sentence.
    pub text: &'t str,
    /// The characters between it and the next one.
    pub end: &'t str,
}

/// A part of a sentence that has a verb of its own.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Clause {
    /// The joint to the clause before: ", and".
    pub joint: String,
    /// The subject, when its words stand in an earlier clause.
    pub carried: Option<String>,
    /// The subject, wherever it stands.
    pub subject: String,
    /// The clause without its subject.
    pub body: String,
}

impl Clause {
    /// The clause as a sentence of its own, without its full stop.
    pub(super) fn alone(&self) -> String {
        match self.carried.as_deref() {
            Some(subject) if !subject.is_empty() => format!("{subject} {}", self.body),
            _ => self.body.clone(),
        }
    }
}

/// A word and where it stands.
#[derive(Clone)]
pub(super) struct ClauseWord<'t> {
    /// The word as it is written.
    pub text: &'t str,
    /// The word in lower case.
    pub lower: String,
    /// Its place in bytes.
    pub span: Range<usize>,
    /// A comma or another pause stands before it.
    pub after_comma: bool,
}

impl ClauseWord<'_> {
    pub(super) fn is_capital(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }
}

pub(super) fn words(text: &str) -> Vec<ClauseWord<'_>> {
    let words = word_spans(text, WordChars::Spaces);
    let word = |word: WordSpan<'_>| ClauseWord {
        lower: word.text.to_lowercase().replace('’', "'"),
        after_comma: text[..word.span.start].trim_end().ends_with([',', ';', ':', '(']),
        text: &text[word.span.clone()],
        span: word.span,
    };
    words.map(word).collect()
}

/// The sentences of a text. Joined again with their ends they are the text.
pub(super) fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        if at < start {
            continue;
        }
        let after = at + c.len_utf8();
        if ends_sentence(&text[start..], at - start, c) {
            let rest = &text[after..];
            let marks =
                rest.len() - rest.trim_start_matches(['.', '!', '?', '"', '\'', ')', '…', '”', '»']).len();
            let space = rest[marks..].len() - rest[marks..].trim_start().len();
            let end = after + marks + space;
            sentences.push(Sentence { text: &text[start..at], end: &text[at..end] });
            start = end;
        }
    }
    if start < text.len() {
        sentences.push(Sentence { text: &text[start..], end: "" });
    }
    sentences
}

fn ends_sentence(text: &str, at: usize, c: char) -> bool {
    match c {
        '\n' | '。' | '！' | '？' | '；' | '।' => true,
        '.' | '!' | '?' | ';' => {
            let rest = &text[at + 1..];
            let next = rest.trim_start_matches(['.', '!', '?', '"', '\'', ')', '”', '»']);
            let ends = next.is_empty() || next.starts_with(char::is_whitespace);
            ends && !(c == '.'
                && is_shortened(text[..at].rsplit([' ', '(']).next().unwrap_or_default(), next))
        }
        _ => false,
    }
}

/// Returns true if a full stop belongs to the word before it.
fn is_shortened(word: &str, rest: &str) -> bool {
    let lower = word.to_lowercase();
    let initial = word.chars().count() == 1 && word.starts_with(char::is_uppercase) && word != "I";
    let known = is_abbreviation(&lower);
    let goes_on =
        rest.trim_start().starts_with(|c: char| c.is_lowercase() || c.is_ascii_digit() || c.is_uppercase());
    (initial || known) && goes_on
}

/// The clauses of a sentence; a single one when it cannot be told where another begins.
pub(super) fn clauses(sentence: &str) -> Vec<Clause> {
    if let Some(each) = holders::apart(sentence, false) {
        return each;
    }
    let words = words(sentence);
    let whole = || vec![Clause::whole(sentence, &words)];
    if words.first().is_none_or(|first| is_opener(&first.lower)) {
        return whole();
    }
    let mut starts: Vec<(usize, usize, bool)> = vec![(0, 0, false)];
    for at in 1..words.len() {
        if starts.len() >= CLAUSES_MAX {
            return whole();
        }
        if let Some((first, carried)) = begins(&words, at, starts.last().map_or(0, |last| last.1)) {
            starts.push((at, first, carried));
        }
    }
    if starts.len() == 1 {
        return whole();
    }
    build(sentence, &words, &starts)
}

impl Clause {
    fn whole(sentence: &str, words: &[ClauseWord<'_>]) -> Self {
        let subject = verb(words, 0).map_or(String::new(), |verb| subject_text(sentence, words, 0, verb));
        Self { joint: String::new(), carried: None, subject, body: sentence.trim_end().to_owned() }
    }
}

/// Returns the first own word of a clause that is joined at `at`, and true if it leaves its subject out.
fn begins(words: &[ClauseWord<'_>], at: usize, since: usize) -> Option<(usize, bool)> {
    let coordinated = is_coordinator(&words[at].lower);
    if !coordinated && !words[at].after_comma {
        return None;
    }
    let before = &words[since..at];
    // Without a verb before it, "and" joins two who act. A comma may end a remark.
    let remark = !coordinated && before.iter().any(|word| is_relative(&word.lower));
    if remark || verb(before, 0).is_none() {
        return None;
    }
    let first = if coordinated { at + 1 } else { at };
    let mut next = first;
    while words.get(next).is_some_and(|word| is_adverb(&word.lower)) {
        next += 1;
    }
    let word = words.get(next)?;
    // A clause says something: a verb alone at the end may be a noun.
    let goes_on = words.get(next + 1).is_some_and(|after| !after.after_comma);
    if is_actor(&word.lower) && next == first {
        return (goes_on && verb(words, next).is_some_and(|verb| verb <= next + 3)).then_some((first, false));
    }
    if is_verb(&word.lower) && goes_on {
        return carries(words, since, next).then_some((first, true));
    }
    let named = (is_determiner(&word.lower) || word.is_capital()) && next == first;
    let subject_ends = verb(words, next).filter(|verb| *verb > next && *verb <= next + SUBJECT_WORDS_MAX)?;
    let unbroken =
        words[next + 1..=subject_ends].iter().all(|word| !word.after_comma && !is_coordinator(&word.lower));
    (named && unbroken && words.len() > subject_ends + 1).then_some((first, false))
}

/// Returns true if a verb without a subject is said of the subject of the clause before.
fn carries(words: &[ClauseWord<'_>], since: usize, verb_at: usize) -> bool {
    let before = &words[since..verb_at];
    let verb = &words[verb_at].lower;
    let finite = !is_bare(verb) || is_auxiliary(verb);
    let governed = |at: usize| {
        let to_do = before.get(at + 1).is_some_and(|next| is_bare(&next.lower));
        is_modal(&before[at].lower) && (before[at].lower != "to" || to_do)
    };
    finite || !(0..before.len()).any(governed)
}

/// The first verb from a word on, as far as can be told.
pub(super) fn verb(words: &[ClauseWord<'_>], from: usize) -> Option<usize> {
    (from..words.len()).find(|&at| {
        let word = &words[at];
        let before = at.checked_sub(1).and_then(|before| words.get(before)).filter(|_| at > from);
        let after_article =
            before.is_some_and(|before| is_determiner(&before.lower) || before.lower.ends_with("'s"));
        let acted = before.is_none_or(|before| is_actor(&before.lower) || is_adverb(&before.lower));
        let plain = is_auxiliary(&word.lower) || !is_bare(&word.lower) || acted || is_plural(words, at);
        is_verb(&word.lower) && !after_article && plain
    })
}

/// Returns true if the word before is a plural, of which a bare verb may be said.
fn is_plural(words: &[ClauseWord<'_>], at: usize) -> bool {
    at.checked_sub(1)
        .is_some_and(|before| words[before].lower.ends_with('s') && !words[before].lower.ends_with("'s"))
}

fn build(sentence: &str, words: &[ClauseWord<'_>], starts: &[(usize, usize, bool)]) -> Vec<Clause> {
    let mut clauses: Vec<Clause> = Vec::new();
    for (number, &(at, first, carried)) in starts.iter().enumerate() {
        let begin = if number == 0 { 0 } else { words[first].span.start };
        let end = starts.get(number + 1).map_or(sentence.len(), |next| words[next.0].span.start);
        let body = sentence[begin..end].trim_end().trim_end_matches([',', ';', ':']).trim().to_owned();
        let previous = clauses.last().map_or(String::new(), |clause| clause.subject.clone());
        let own_end = starts.get(number + 1).map_or(words.len(), |next| next.0);
        let own = verb(&words[..own_end], first).map(|verb| subject_text(sentence, words, first, verb));
        let subject = if carried { previous.clone() } else { own.unwrap_or_default() };
        let joint = joint(sentence, words, at, first);
        clauses.push(Clause { joint, carried: carried.then_some(previous), subject, body });
    }
    clauses
}

fn joint(sentence: &str, words: &[ClauseWord<'_>], at: usize, first: usize) -> String {
    if at == 0 {
        return String::new();
    }
    let from = words[at - 1].span.end;
    sentence[from..words[first].span.start].trim().to_owned()
}

/// The words before a verb, adverbs aside.
fn subject_text(sentence: &str, words: &[ClauseWord<'_>], first: usize, verb: usize) -> String {
    let mut end = verb;
    while end > first && is_adverb(&words[end - 1].lower) {
        end -= 1;
    }
    let contracted = verb == first && words[verb].lower.contains('\'');
    match end {
        _ if contracted => words[verb].text.split(['\'', '’']).next().unwrap_or_default().to_owned(),
        _ if end == first || end - first > SUBJECT_WORDS_MAX => String::new(),
        _ => sentence[words[first].span.start..words[end - 1].span.end].to_owned(),
    }
}

/// A remark inside a clause that the rest stands without.
pub(super) struct Aside {
    /// Its place in bytes.
    pub span: Range<usize>,
    /// The remark as a statement about its subject.
    pub says: String,
}

/// The remarks of a clause: in brackets, relative, or a reason at its end.
pub(super) fn asides(clause: &str, subject: &str) -> Vec<Aside> {
    let mut asides = brackets(clause, subject);
    let words = words(clause);
    let mut at = 1;
    while at < words.len() {
        let word = &words[at];
        let free = asides.iter().all(|aside| !aside.span.contains(&word.span.start));
        let relative = is_relative(&word.lower)
            && words.get(at + 1).is_some_and(|next| is_verb(&next.lower) || is_adverb(&next.lower));
        let tail = is_tail(&word.lower) && verb(&words[..at], 0).is_some();
        if free && (relative || tail) {
            let start = words[at - 1].span.end;
            let closed = relative && word.after_comma;
            let end = clause[word.span.end..]
                .find(',')
                .filter(|_| closed)
                .map_or(clause.len(), |comma| word.span.end + comma + 1);
            let said = clause[word.span.end..end].trim_matches([',', ' ']);
            asides.push(Aside { span: start..end, says: format!("{subject} {said}").trim().to_owned() });
            at += words[at..].iter().take_while(|word| word.span.start < end).count();
        } else {
            at += 1;
        }
    }
    apart(asides)
}

/// In their order, each by itself: what stands inside another goes with it.
fn apart(mut asides: Vec<Aside>) -> Vec<Aside> {
    asides.sort_by_key(|aside| (aside.span.start, usize::MAX - aside.span.end));
    let mut end = 0;
    asides.retain(|aside| {
        let apart = aside.span.start >= end;
        end = end.max(aside.span.end);
        apart
    });
    asides
}

fn brackets(clause: &str, subject: &str) -> Vec<Aside> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(open) = clause[from..].find('(').map(|open| from + open) {
        let Some(close) = clause[open..].find(')').map(|close| open + close + 1) else { break };
        let start = clause[..open].trim_end().len();
        let said = clause[open + 1..close - 1].trim();
        if start > 0 {
            found.push(Aside { span: start..close, says: format!("{subject} {said}").trim().to_owned() });
        }
        from = close;
    }
    found
}

/// An enumeration: what stands before it, and its items.
pub(super) struct Items<'t> {
    /// The words before the enumeration.
    pub lead: &'t str,
    /// Its items.
    pub items: Vec<&'t str>,
    /// The word that joins the last two: and, or.
    pub joint: String,
}

/// The enumeration at the end of a clause, if it has one.
pub(super) fn items(clause: &str) -> Option<Items<'_>> {
    let words = words(clause);
    let joint = words.iter().rposition(|word| is_coordinator(&word.lower) || is_alternative(&word.lower))?;
    let verb = verb(&words, 0).filter(|verb| verb + 1 < joint)?;
    let mut first = verb + 1;
    while first < joint
        && (is_preposition(&words[first].lower)
            || is_verb(&words[first].lower)
            || is_adverb(&words[first].lower))
    {
        first += 1;
    }
    if first >= joint || joint + 1 >= words.len() {
        return None;
    }
    let start = words[first].span.start;
    let mut items: Vec<&str> = clause[start..words[joint].span.start]
        .split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .collect();
    items.push(clause[words[joint].span.end..].trim());
    let counts: Vec<usize> = items.iter().map(|item| item.split_whitespace().count()).collect();
    let short = counts.iter().all(|count| (1..=ITEM_WORDS_MAX).contains(count));
    // "Black and white cats" are not two things.
    let alike = counts.len() > 2
        || counts[0] >= counts[1]
        || items.iter().all(|item| item.starts_with(char::is_uppercase))
        || items.iter().all(|item| words_start(item));
    let joint = words[joint].text.to_owned();
    (short && alike).then(|| Items { lead: clause[..start].trim_end(), items, joint })
}

/// Returns true if an item is a group of words around a noun: "a welder".
fn words_start(item: &str) -> bool {
    words(item).first().is_some_and(|first| is_determiner(&first.lower))
}
