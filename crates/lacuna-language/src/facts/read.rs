//! From a text to what it says: clauses, patterns, and the words around the verb.

use std::sync::{LazyLock, OnceLock};

use regex::{Captures, RegexSet, RegexSetBuilder};

use super::mood::{is_changed, is_negated, mood, says};
use super::polarity::claim;
use super::{Arity, Mood, Statement, nouns};
use crate::clause::{Holders, holders, is_preposition};
use crate::compiled::{self, ScreenedRegex};
use crate::languages::{
    Attribute, FactPattern, LANGUAGES, LanguageRules, RESIDENCE, Sense, choices_of, pattern_of,
};
use crate::words::{Folding, fold};

/// Clauses of a text that are read; a fact is short.
const CLAUSES_MAX: usize = 32;
/// The most bytes that the compiled patterns take together.
const SET_BYTES_MAX: usize = 32 << 20;
/// A longer value is a story, not a value.
const VALUE_WORDS_MAX: usize = 10;

/// Returns the statements of a text, as far as the patterns read it.
pub fn statements(text: &str) -> Vec<Statement> {
    split(&spelt_out(text)).iter().take(CLAUSES_MAX).filter_map(|clause| statement(clause)).collect()
}

/// Returns the statements of a text, and of clauses that no pattern reads the bare claim.
pub fn claims(text: &str) -> Vec<Statement> {
    let read = |clause: &String| statement(clause).or_else(|| claim(clause));
    split(&spelt_out(text)).iter().take(CLAUSES_MAX).filter_map(read).collect()
}

/// Counts the clauses of a text, those that state nothing here included.
pub(super) fn clauses(text: &str) -> usize {
    split(&spelt_out(text)).len()
}

/// Without accents, curly quotes and contractions. Capitals stay: they tell names from words.
fn spelt_out(text: &str) -> String {
    let mut folded = fold(text, Folding::Sentence);
    for (contraction, words) in LANGUAGES.iter().flat_map(|rules| rules.fact.contractions) {
        folded = folded.replace(contraction, words);
    }
    folded
}

/// Sentences, and the parts of a sentence that have a verb of their own.
fn split(text: &str) -> Vec<String> {
    static ENDS: LazyLock<Option<ScreenedRegex>> = LazyLock::new(|| {
        let joints = pattern_of(|rules| rules.fact.joints);
        let subjects = pattern_of(|rules| rules.fact.subjects_again);
        let verbs = pattern_of(|rules| rules.fact.verbs_again);
        let then = pattern_of(|rules| rules.fact.since_then);
        let and = format!("(?:, |,? {joints} )(?:(?P<then>{then})|(?P<again>{subjects})|(?P<verb>{verbs})) ");
        compiled::regex(&format!(r"(?i)[.!;\n]+(?:\s|$)|(?P<question>\?)(?:\s|$)|{and}")).ok()
    });
    let Some(ends) = ENDS.as_ref() else { return Vec::new() };
    let mut clauses = Vec::new();
    let (mut start, mut subject, mut condition) = (0, String::new(), "");
    for end in ends.captures_iter(text) {
        let Some(whole) = end.get(0) else { continue };
        let clause = format!("{condition}{subject}{}", &text[start..whole.start()]);
        let verb = end.name("verb").or(end.name("again")).or(end.name("then"));
        let resumes = end.name("verb").is_some();
        condition = if verb.is_some() && is_condition(&clause) { "if " } else { "" };
        subject = if resumes { first_words(&clause) } else { String::new() };
        start = verb.map_or(whole.end(), |verb| verb.start());
        // A question says nothing.
        if end.name("question").is_none() {
            clauses.push(clause);
        }
    }
    clauses.push(format!("{condition}{subject}{}", &text[start..]));
    clauses.retain(|clause| clause.split_whitespace().count() >= 2);
    let spaced = |clause: &String| clause.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut whole: Vec<String> = Vec::with_capacity(clauses.len());
    for clause in clauses.iter().map(spaced) {
        let before = whole.last().map_or("", String::as_str);
        whole.push(completed(before, &clause).unwrap_or(clause));
    }
    whole.iter().flat_map(|clause| each_holder(clause)).collect()
}

/// Gives a clause that leaves them out the subject and the verb of the one before: "since then in Bergen".
fn completed(before: &str, clause: &str) -> Option<String> {
    let then = choices_of(|rules| rules.fact.since_then)
        .find(|then| clause.get(..then.len()).is_some_and(|start| start.eq_ignore_ascii_case(then)))?;
    let rest = clause[then.len()..].trim_start_matches([',', ' ']);
    let place = rest.split_whitespace().next().filter(|first| is_preposition(&first.to_lowercase()))?;
    let said = &before[..before.rfind(&format!(" {place} "))?];
    static LEAD: LazyLock<Option<ScreenedRegex>> = LazyLock::new(|| {
        compiled::regex(&format!("(?i)^(?:{}[,:]? )*", pattern_of(|rules| rules.fact.leads))).ok()
    });
    let said = LEAD.as_ref()?.replace(said, "");
    Some(format!("{then} {said} {rest}"))
}

/// The first part of a sentence whose second part says how it has been since then.
pub(super) fn until_then(text: &str) -> Option<String> {
    static THEN: LazyLock<Option<ScreenedRegex>> = LazyLock::new(|| {
        let joints = pattern_of(|rules| rules.fact.joints);
        let then = pattern_of(|rules| rules.fact.since_then);
        compiled::regex(&format!(r"(?i)(?:, |,? {joints} |; ){then} [^.!?;\n]+[.!]?\s*$")).ok()
    });
    let then = THEN.as_ref()?.find(text)?;
    let first = text[..then.start()].trim_end();
    (!first.is_empty()).then(|| format!("{first}."))
}

/// A clause for each of several of whom it is said.
fn each_holder(clause: &str) -> Vec<String> {
    match holders(clause) {
        Some(Holders { names, said, .. }) => names.iter().map(|name| format!("{name} {said}")).collect(),
        None => vec![clause.to_owned()],
    }
}

/// Returns true if what follows in the sentence holds only under a condition, or by hearsay.
fn is_condition(clause: &str) -> bool {
    let lower = clause.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let bare: Vec<&str> = words.iter().map(|word| word.trim_matches(',')).collect();
    says(&words[..words.len().min(1)], |rules| rules.fact.conditions)
        || says(&bare, |rules| rules.fact.hearsay)
}

/// The subject of a clause that is carried over to the next verb: "I live in Oslo and work at Acme".
fn first_words(clause: &str) -> String {
    let count = if clause.to_lowercase().starts_with("the user") { 2 } else { 1 };
    clause.split_whitespace().take(count).map(|word| format!("{word} ")).collect()
}

struct Reader {
    /// Every pattern at once. Most clauses match none, and those that match are then read one by one.
    any: RegexSet,
    /// In the order in which they are tried, with what each one takes apart.
    patterns: Vec<(ClauseShape, One)>,
}

/// The shape of a clause.
enum ClauseShape {
    Listed(&'static FactPattern),
    Prefers,
    Possessive,
}

/// A pattern by itself, compiled when it first matches: a compiled one takes much RAM once it was used.
struct One {
    source: String,
    regex: OnceLock<Option<ScreenedRegex>>,
}

impl One {
    fn captures<'t>(&self, clause: &'t str) -> Option<Captures<'t>> {
        self.regex.get_or_init(|| compiled::regex(&self.source).ok()).as_ref()?.captures(clause)
    }
}

static READER: LazyLock<Option<Reader>> = LazyLock::new(Reader::compile);

impl Reader {
    fn compile() -> Option<Self> {
        let (mut patterns, mut after) = (Vec::new(), Vec::new());
        let lead = format!("(?P<lead>(?:{}[,:]? )*)", pattern_of(|rules| rules.fact.leads));
        let tail = format!("(?:,? {})?", pattern_of(|rules| rules.fact.time_tails));
        for rules in LANGUAGES {
            let one = |source| One { source: whole(rules, &lead, &tail, source), regex: OnceLock::new() };
            let fact = &rules.fact;
            patterns.extend(
                fact.patterns.iter().map(|pattern| (ClauseShape::Listed(pattern), one(pattern.source))),
            );
            after.extend(fact.prefers.iter().map(|source| (ClauseShape::Prefers, one(source))));
            after.extend(fact.possessives.iter().map(|source| (ClauseShape::Possessive, one(source))));
        }
        patterns.append(&mut after);
        let mut any = RegexSetBuilder::new(patterns.iter().map(|(_, one)| &one.source));
        Some(Self { any: any.size_limit(SET_BYTES_MAX).build().ok()?, patterns })
    }

    fn statement(&self, clause: &str) -> Option<Statement> {
        self.any.matches(clause).into_iter().find_map(|number| {
            let (shape, one) = &self.patterns[number];
            let found = one.captures(clause)?;
            match shape {
                ClauseShape::Listed(pattern) => from_pattern(pattern, &found, clause),
                ClauseShape::Prefers => from_preference(&found, clause),
                ClauseShape::Possessive => from_possessive(&found, clause),
            }
        })
    }
}

/// A pattern with the words that may stand before and after it.
fn whole(rules: &LanguageRules, lead: &str, tail: &str, source: &str) -> String {
    let source = match source.strip_prefix("S ") {
        Some(rest) => format!("{}{} {rest}", rules.fact.subject, rules.fact.around),
        None => source.to_owned(),
    };
    let source = match source.strip_suffix('$') {
        Some(source) => format!("{source}{tail}$"),
        None => source,
    };
    format!("(?i)^{lead}(?:{source})").replace(r"\w", LETTER)
}

/// Characters of a name, within brackets. Every character beyond ASCII counts: to know the letters among them, in
/// every pattern anew, would take many times the RAM of all the rest.
const LETTER: &str = r"0-9A-Za-z_\u{80}-\u{10FFFF}";

#[cfg(test)]
pub(super) fn compiles() -> bool {
    let all = |reader: &Reader| reader.patterns.iter().all(|(_, one)| compiled::regex(&one.source).is_ok());
    READER.as_ref().is_some_and(all)
}

fn statement(clause: &str) -> Option<Statement> {
    READER.as_ref()?.statement(clause)
}

fn from_pattern(pattern: &FactPattern, found: &Captures<'_>, clause: &str) -> Option<Statement> {
    let attribute = match pattern.attribute {
        Attribute::Named(name) => name.to_owned(),
        Attribute::Group => Some(group(found)).filter(|named| named.split(' ').count() <= VALUE_WORDS_MAX)?,
        Attribute::Favourite => format!("favourite {}", translated(&found["a"].to_lowercase())),
        Attribute::Count => counted(&group(found)),
    };
    let around = around(found);
    let arity = nouns::arity(&attribute).filter(|_| pattern.arity == Arity::One).unwrap_or(pattern.arity);
    let written = written(&found["v"], clause);
    // At the start of a sentence every word has a capital.
    let leads = found.name("v").is_some_and(|value| value.start() == 0);
    let mut read = Statement {
        subject: subject(&found["s"])?,
        value: value(&found["v"])?,
        proper: !leads && nouns::is_proper(&written),
        before: found.name("f").and_then(|before| value(before.as_str())),
        arity: nouns::arity_with(&attribute, &written, arity)?,
        mood: mood(&around, clause),
        negated: is_negated(&around),
        changed: is_changed(&around, clause),
        attribute,
    };
    match pattern.sense {
        Sense::Plain => {}
        Sense::Became => read.changed = true,
        Sense::Ended => (read.negated, read.changed) = (!read.negated, true),
        Sense::Denied => read.negated = !read.negated,
        // "Since then I have lived in" lasts until now.
        Sense::Was if says(&around, |rules| rules.fact.lasting) => {}
        Sense::Was => {
            // "Have lived in" lasts until now, but nobody can tell from the words.
            read.mood = if read.mood == Mood::Hedged { Mood::Hedged } else { Mood::Past };
        }
    }
    if read.attribute == RESIDENCE && pattern.sense == Sense::Became && !read.proper {
        return None;
    }
    let needs_verb =
        matches!(read.attribute.as_str(), "diet" | "marital status" | "age" | "allergy" | "name");
    let has_verb = says(&around, |rules| rules.fact.copulas)
        || choices_of(|rules| rules.fact.stating_phrases).any(|verb| clause.contains(verb));
    (!needs_verb || has_verb).then_some(read)
}

fn group(found: &Captures<'_>) -> String {
    nouns::canonical(&found["a"].to_lowercase())
}

fn counted(noun: &str) -> String {
    let kid = noun.trim_end_matches('s').replace("children", "kid").replace("child", "kid");
    format!("number of {kid}")
}

/// The English word for a thing that people have favourites of.
fn translated(noun: &str) -> String {
    let mut known = LANGUAGES.iter().flat_map(|rules| rules.fact.favourites);
    known
        .find(|(word, _)| *word == noun)
        .map_or_else(|| nouns::canonical(noun), |(_, english)| (*english).to_owned())
}

fn from_preference(found: &Captures<'_>, clause: &str) -> Option<Statement> {
    let (winner, loser) = (value(&found["v"])?, value(&found["f"])?);
    let mut pair = [winner.as_str(), loser.as_str()];
    pair.sort_unstable();
    let around = around(found);
    Some(Statement {
        subject: subject(&found["s"])?,
        attribute: format!("prefers {} or {}", pair[0], pair[1]),
        value: winner,
        proper: false,
        before: None,
        arity: Arity::One,
        mood: mood(&around, clause),
        negated: is_negated(&around),
        changed: is_changed(&around, clause),
    })
}

fn from_possessive(found: &Captures<'_>, clause: &str) -> Option<Statement> {
    let attribute = nouns::canonical(&found["a"].to_lowercase());
    let around = around(found);
    let verbs = [
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "changed",
        "moved",
        "switched",
        "rescheduled",
        "postponed",
    ];
    let value = value(&found["v"])?;
    let written = written(&found["v"], clause);
    let proper = nouns::is_proper(&written);
    let arity = nouns::arity_with(&attribute, &written, nouns::arity(&attribute)?)?;
    // "My boss is strict" says nothing about who the boss is.
    let says_which = arity != Arity::Unsure
        || attribute == "name"
        || proper
        || found["v"].starts_with("a ")
        || found["v"].starts_with("an ");
    if !says_which || !around.iter().any(|word| verbs.contains(word)) {
        return None;
    }
    Some(Statement {
        subject: subject(&found["s"])?,
        attribute,
        value,
        proper,
        before: None,
        arity: if ["job", "diet"].contains(&&*found["a"].to_lowercase()) { Arity::Unsure } else { arity },
        mood: mood(&around, clause),
        negated: is_negated(&around),
        changed: is_changed(&around, clause),
    })
}

/// A value as it is written; who writes `i` for `I` writes names without capitals too.
fn written(value: &str, clause: &str) -> String {
    let small = !clause.contains(|c: char| c.is_uppercase());
    let mut words = value.split(' ');
    let named = words.next().is_some_and(|first| !["a", "an", "the", "my", "our"].contains(&first))
        && words.count() < 2;
    if small && named { value.to_uppercase() } else { value.to_owned() }
}

fn around<'a>(found: &'a Captures<'_>) -> Vec<&'a str> {
    let groups = ["lead", "m"].into_iter().filter_map(|name| found.name(name));
    groups
        .flat_map(|group| group.as_str().split([' ', '\'', ',', ':']))
        .filter(|word| !word.is_empty())
        .collect()
}

fn subject(found: &str) -> Option<String> {
    let found = found.to_lowercase();
    let found = found.trim_end_matches("'s");
    if choices_of(|rules| rules.fact.owner).any(|owner| owner == found) {
        return Some("owner".to_owned());
    }
    let words: Vec<&str> = found.split(' ').collect();
    if says(&words, |rules| rules.fact.nobody) {
        return None;
    }
    match found.strip_prefix("my ") {
        Some(relation) => nouns::is_relation(relation.split(' ').next()?).then(|| relation.to_owned()),
        None => Some(found.to_owned()),
    }
}

fn after_word<'v>(value: &'v str, word: &str) -> Option<&'v str> {
    value.strip_prefix(word)?.strip_prefix(' ')
}

/// A value ends where the sentence goes on about something else.
fn value(found: &str) -> Option<String> {
    static TAIL: LazyLock<Option<ScreenedRegex>> = LazyLock::new(|| {
        let tail = pattern_of(|rules| rules.fact.value_tails);
        compiled::regex(&format!(r"(?i)[ ,(]*\b{tail}\b.*$")).ok()
    });
    let cut = TAIL.as_ref()?.replace(found, "");
    let cut = cut.trim().trim_matches(['"', '\'', '.', ',', '(', ')', ':']).to_lowercase();
    let articles = LANGUAGES.iter().flat_map(|rules| [rules.fact.articles, rules.fact.small_words]);
    let naming = LANGUAGES.iter().map(|rules| rules.fact.naming_words);
    let small = articles.chain(naming).flat_map(str::split_whitespace);
    let cut = small.fold(cut.as_str(), |value, word| after_word(value, word).unwrap_or(value)).to_owned();
    // 50,000 and 50.000 and 50000 are one number.
    static THOUSANDS: LazyLock<Option<ScreenedRegex>> =
        LazyLock::new(|| compiled::regex(r"(\d)[,' ](\d{3})\b").ok());
    let cut = THOUSANDS.as_ref()?.replace_all(&cut, "$1$2").into_owned();
    let words = cut.split_whitespace().count();
    (1..=VALUE_WORDS_MAX).contains(&words).then_some(cut)
}
