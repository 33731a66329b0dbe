//! Signs in a memory of the person whom it names: a fuller name, a relation, a role, where they are from.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::View;
use crate::classify::{PERSON, entities_in, entity_key, fuller_names};
use crate::languages::words_of;
use crate::names::{PersonName, Sameness, same_name};
use crate::words::{WordChars, WordSpan, word_spans};
use lacuna_types::Entity;

type WordSet = LazyLock<HashSet<&'static str>>;

/// Trades that stand beside a name without more ado: "John the plumber".
static ROLES: WordSet = LazyLock::new(|| words_of(|rules| rules.people.roles));
static DETERMINERS: WordSet = LazyLock::new(|| words_of(|rules| rules.people.determiners));
static COPULAS: WordSet = LazyLock::new(|| words_of(|rules| rules.people.copulas));
static ORIGINS: WordSet = LazyLock::new(|| words_of(|rules| rules.people.origins));
/// Words that end the name of a role, and words that close a remark about somebody.
static ROLE_ENDS: WordSet = LazyLock::new(|| words_of(|rules| rules.people.role_ends));
static REMARK_ENDS: WordSet = LazyLock::new(|| words_of(|rules| rules.people.remark_ends));

/// Relations of work and service, which are nobody's own as a brother is.
const PLAIN_RELATIONS: &[&str] = &[
    "colleague",
    "boss",
    "employee",
    "assistant",
    "intern",
    "client",
    "business partner",
    "mentor",
    "doctor",
    "professor",
    "teacher",
    "employer",
];
/// The longest role that is read, in words.
const ROLE_WORDS_MAX: usize = 3;
/// Words after a name that are looked at for more of it.
const NAME_AHEAD_MAX: usize = 2;

/// A sign of who is meant, the strongest kind first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sign {
    /// A fuller name than the one asked for: its key, and as it is written.
    Full(String, String),
    Relation(String),
    Role(String),
    /// The place or firm that somebody is from, as it is written.
    From(String),
}

impl Sign {
    pub(super) fn written(&self) -> Option<&str> {
        match self {
            Self::Full(_, written) => Some(written),
            _ => None,
        }
    }

    /// Returns the words of a label for this sign.
    pub(super) fn described(&self) -> String {
        match self {
            Self::Full(_, written) => written.clone(),
            Self::Relation(relation) if !PLAIN_RELATIONS.contains(&relation.as_str()) => {
                format!("your {relation}")
            }
            Self::Relation(known) | Self::Role(known) => known.clone(),
            Self::From(place) => format!("from {place}"),
        }
    }
}

/// One person as one memory speaks of them.
pub(super) struct Voice {
    /// The key of the name as it is written there.
    key: String,
    /// Signs of who is meant.
    pub signs: Vec<Sign>,
}

/// The people of that name in one memory, each with what is said about them.
pub(super) fn voices(asked: &str, name: &PersonName, view: &View<'_>) -> Vec<Voice> {
    let mut voices: Vec<Voice> = Vec::new();
    let read = entities_in(view.text);
    let read = read.iter().map(|named| &named.entity);
    for entity in view.entities.iter().chain(read).filter(|entity| entity.kind == PERSON) {
        // A relation alone ("my brother") bears no name.
        if name.mentioned_in(&entity.name) == Some(Sameness::Same) {
            hear(&mut voices, asked, entity);
        }
    }
    let words = words(view.text);
    let mentions = mentions(asked, &words);
    let length = self::words(asked).len();
    if mentions.iter().any(|at| may_go_on(&words[at + length..])) {
        // The asked name is one, whatever lists of names say of its words.
        fuller_names(view.text, asked).iter().for_each(|entity| hear(&mut voices, asked, entity));
    }
    for at in mentions {
        let (key, end) = written_at(asked, &voices, &words, at);
        let mut signs = Vec::new();
        signs.extend(role_after(&words, end).or_else(|| role_before(&words, at)));
        signs.extend(origin(&words, end));
        add(&mut voices, key, signs);
    }
    voices.iter_mut().for_each(|voice| voice.signs.sort());
    voices
}

/// Returns true when the words after a name may be more of it: a capital, or a capital after a small word, "de Castro".
fn may_go_on(words: &[SpokenWord<'_>]) -> bool {
    let mut joined = words.iter().take(NAME_AHEAD_MAX).take_while(|word| word.before.trim().is_empty());
    joined.any(|word| word.text.starts_with(char::is_uppercase))
}

fn hear(voices: &mut Vec<Voice>, asked: &str, entity: &Entity) {
    let mut signs: Vec<Sign> = entity.relation.iter().map(|relation| relation_sign(relation)).collect();
    // The name asked for in another script is no fuller name.
    let bare = same_name(asked, &entity.name) == Sameness::Same;
    let key = entity_key(PERSON, if bare { asked } else { &entity.name });
    if !bare {
        signs.push(Sign::Full(key.clone(), entity.name.clone()));
    }
    add(voices, key, signs);
}

/// A trade is a role, whoever wrote it down.
fn relation_sign(relation: &str) -> Sign {
    let relation = relation.to_lowercase();
    let trade = ROLES.contains(relation.as_str()) && !PLAIN_RELATIONS.contains(&relation.as_str());
    if trade { Sign::Role(relation) } else { Sign::Relation(relation) }
}

fn add(voices: &mut Vec<Voice>, key: String, signs: Vec<Sign>) {
    let at = voices.iter().position(|voice| voice.key == key).unwrap_or_else(|| {
        voices.push(Voice { key, signs: Vec::new() });
        voices.len() - 1
    });
    for sign in signs {
        if !voices[at].signs.contains(&sign) {
            voices[at].signs.push(sign);
        }
    }
}

/// A word, and what stands before it.
struct SpokenWord<'t> {
    text: &'t str,
    folded: String,
    before: &'t str,
}

fn words<'t>(text: &'t str) -> Vec<SpokenWord<'t>> {
    let mut end = 0;
    let mut spoken = |word: WordSpan<'t>| {
        let before = &text[end..word.span.start];
        end = word.span.end;
        SpokenWord { folded: word.text.to_lowercase(), text: word.text, before }
    };
    word_spans(text, WordChars::Hyphens).map(&mut spoken).collect()
}

/// Returns the places of the name in a text, as its first word.
fn mentions(asked: &str, words: &[SpokenWord<'_>]) -> Vec<usize> {
    let wanted: Vec<String> = self::words(asked).into_iter().map(|word| word.folded).collect();
    let fits = |at: &usize| {
        !wanted.is_empty()
            && wanted.iter().enumerate().all(|(next, wanted)| {
                words.get(at + next).is_some_and(|word| {
                    word.folded == *wanted && word.text.starts_with(|c: char| !c.is_lowercase())
                })
            })
    };
    (0..words.len()).filter(fits).collect()
}

/// The key of the fullest known name that stands at a word, and where it ends.
fn written_at(asked: &str, voices: &[Voice], words: &[SpokenWord<'_>], at: usize) -> (String, usize) {
    let length = self::words(asked).len();
    let full = voices.iter().flat_map(|voice| voice.signs.iter().map(move |sign| (voice, sign)));
    let found = full.filter_map(|(voice, sign)| {
        let written = self::words(sign.written()?);
        // The name asked for may be the last word of the full one.
        let start = (0..written.len()).map(|back| at.checked_sub(back)).find(|start| {
            start.is_some_and(|start| {
                written.iter().enumerate().all(|(next, word)| {
                    words.get(start + next).is_some_and(|other| other.folded == word.folded)
                })
            })
        })??;
        Some((start + written.len(), voice.key.clone()))
    });
    let best = found.max_by_key(|(end, _)| *end);
    best.map_or_else(|| (entity_key(PERSON, asked), at + length), |(end, key)| (key, end))
}

/// "John, the contractor who", "John (contractor)", "John the plumber", "John is our plumber".
fn role_after(words: &[SpokenWord<'_>], end: usize) -> Option<Sign> {
    let next = words.get(end)?;
    let opened = next.before.contains('(') || next.before.trim() == ",";
    let linked = COPULAS.contains(next.folded.as_str()) && next.before.trim().is_empty();
    let start = end + usize::from(linked);
    let determined = words.get(start).is_some_and(|word| DETERMINERS.contains(word.folded.as_str()));
    let first = start + usize::from(determined);
    let phrase = role_phrase(words, first);
    let role = phrase.last()?;
    let listed = ROLES.contains(role.folded.as_str());
    let apposed = opened && determined && is_closed(words, first + phrase.len());
    let placed = next.before.trim().is_empty() && determined || opened;
    (apposed || listed && placed).then(|| Sign::Role(role_name(&phrase, listed)))
}

/// The small words of a role, up to the one that is listed or ends the phrase.
fn role_phrase<'w, 't>(words: &'w [SpokenWord<'t>], first: usize) -> Vec<&'w SpokenWord<'t>> {
    let mut phrase: Vec<&SpokenWord<'_>> = Vec::new();
    for (at, word) in words.iter().enumerate().skip(first).take(ROLE_WORDS_MAX) {
        let small = word.text.starts_with(char::is_lowercase) || ROLES.contains(word.folded.as_str());
        let joined = at == first || word.before.trim().is_empty();
        if !small || !joined || ROLE_ENDS.contains(word.folded.as_str()) {
            break;
        }
        phrase.push(word);
        if ROLES.contains(word.folded.as_str()) {
            break;
        }
    }
    phrase
}

fn role_name(phrase: &[&SpokenWord<'_>], listed: bool) -> String {
    let words: Vec<&str> = phrase.iter().map(|word| word.folded.as_str()).collect();
    match words.last() {
        Some(last) if listed => (*last).to_owned(),
        _ => words.join(" "),
    }
}

/// Returns true if an apposition ends here: by punctuation, by a clause, or with the text.
fn is_closed(words: &[SpokenWord<'_>], end: usize) -> bool {
    words
        .get(end)
        .is_none_or(|word| !word.before.trim().is_empty() || REMARK_ENDS.contains(word.folded.as_str()))
}

/// "our plumber John", "the plumber, John,".
fn role_before(words: &[SpokenWord<'_>], at: usize) -> Option<Sign> {
    let role = words.get(at.checked_sub(1)?)?;
    let close = matches!(words[at].before.trim(), "" | ",");
    let led = at.checked_sub(2).and_then(|led| words.get(led));
    let led = led
        .is_some_and(|led| DETERMINERS.contains(led.folded.as_str()) || words[at].before.trim().is_empty());
    let listed = ROLES.contains(role.folded.as_str());
    (listed && close && (led || at == 1)).then(|| Sign::Role(role.folded.clone()))
}

/// "John from Acme", "John at Heron Ltd".
fn origin(words: &[SpokenWord<'_>], end: usize) -> Option<Sign> {
    let lead = words
        .get(end)
        .filter(|word| ORIGINS.contains(word.folded.as_str()) && word.before.trim().is_empty())?;
    let capital =
        |word: &&SpokenWord<'_>| word.text.starts_with(char::is_uppercase) && word.before.trim().is_empty();
    let name: Vec<&str> =
        words[end + 1..].iter().take_while(capital).take(ROLE_WORDS_MAX).map(|word| word.text).collect();
    (!name.is_empty() && !lead.text.is_empty()).then(|| Sign::From(name.join(" ")))
}
