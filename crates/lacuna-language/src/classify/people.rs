//! People: by name, by title, by what they are to the owner.

use std::ops::Range;

use super::lexicon::{ListedHit, WordTag};
use super::reading::TextReading;
use super::unspaced;
use super::words::{Case, WordGap};
use super::{Named, PERSON};

/// Words that are followed by a person more often than by a thing.
const COMPANY: &[&str] = &[
    "with", "told", "asked", "met", "meet", "thanked", "emailed", "phoned", "mit", "avec", "con", "com", "z",
    "с",
];
/// Adjectives between "my" and the relation.
const ADJECTIVES: &[&str] = &[
    "older",
    "elder",
    "younger",
    "little",
    "big",
    "twin",
    "best",
    "old",
    "former",
    "late",
    "new",
    "good",
    "dear",
    "close",
    "eldest",
    "youngest",
    "oldest",
    "first",
    "second",
    "current",
    "ältere",
    "älterer",
    "jüngere",
    "jüngerer",
    "alter",
    "alte",
    "beste",
    "bester",
    "kleine",
    "kleiner",
    "große",
    "großer",
    "petit",
    "petite",
    "grand",
    "grande",
    "meilleur",
    "meilleure",
    "mejor",
    "migliore",
    "melhor",
    "lieve",
    "starszy",
    "starsza",
    "młodszy",
    "młodsza",
    "старший",
    "старшая",
    "младший",
    "младшая",
    "лучший",
    "лучшая",
    "dead",
    "own",
    "whole",
    "entire",
];
const RELATIONS: &[WordTag] = &[WordTag::Family, WordTag::Partner, WordTag::Friend, WordTag::Work];
/// The longest name that is put together, in words.
const NAME_WORDS_MAX: usize = 5;

pub(super) fn people(reading: &TextReading<'_>) -> Vec<Named> {
    let mut found = Vec::new();
    let mut told = Vec::new();
    let mut at = 0;
    while at < reading.words.len() {
        at = match name_at(reading, at) {
            Some(name) => {
                told.extend(name.relation.as_ref().map(|hit| hit.span.clone()));
                let next = name.words.end;
                found.push(name.named(reading));
                next
            }
            None => at + 1,
        };
    }
    found.extend(unspaced::people(reading, &mut told));
    found.extend(bare_relations(reading, &told));
    found
}

/// The fuller names that begin with a name that is known: "Remedios" is asked for, and "Remedios Quiroga" is written. Where
/// every noun has a capital, the next word proves nothing.
pub(super) fn fuller_names(reading: &TextReading<'_>, known: &str) -> Vec<Named> {
    if reading.nouns_are_capital {
        return Vec::new();
    }
    let known = TextReading::new(known);
    let length = known.words.len();
    let is_known = |at: &usize| {
        let here = &reading.words[*at..];
        length > 0
            && here.len() > length
            && here
                .iter()
                .zip(&known.words)
                .all(|(word, known)| word.is_capital() && word.folded == known.folded)
    };
    let runs = (0..reading.words.len()).filter(is_known).filter_map(|at| name_run(reading, at));
    let fuller = runs.filter(|run| run.len() > length).map(|run| reading.written(&run));
    fuller.map(|(span, name)| Named::new(PERSON, name, span, 0.8, "more words of a known name")).collect()
}

struct Name<'r> {
    words: Range<usize>,
    relation: Option<&'r ListedHit>,
    /// The calling that a title gives: doctor, professor.
    calling: Option<&'static str>,
    confidence: f32,
    reason: &'static str,
}

impl Name<'_> {
    fn named(self, reading: &TextReading<'_>) -> Named {
        let (span, name) = reading.written(&self.words);
        let relation = self.relation.and_then(|hit| hit.means).or(self.calling);
        Named::new(PERSON, name, span, self.confidence, self.reason).with_relation(relation)
    }
}

/// The name that begins at a word, if one does.
fn name_at<'r>(reading: &'r TextReading<'_>, at: usize) -> Option<Name<'r>> {
    let word = &reading.words[at];
    if word.unspaced || word.is_number() || is_animal(reading, at) {
        return None;
    }
    let title = reading.ending_at(at, &[WordTag::Title]).filter(|_| word.is_capital() && word.is_joined());
    let before = relation_before(reading, at);
    let run = name_run(reading, at)?;
    let after = relation_after(reading, run.end);
    let name = |confidence, reason| {
        let calling = title.and_then(|hit| hit.means);
        Some(Name { words: run.clone(), relation: before.or(after), calling, confidence, reason })
    };
    let elsewhere = reading.has(at, WordTag::Place) && !is_given(reading, at);
    if before.is_some() && !elsewhere && (word.is_capital() || is_given(reading, at)) {
        return name(0.95, "relation before a name");
    }
    if !word.is_capital() && word.case != Case::None {
        return reading
            .ending_at(at, &[WordTag::NamedAs])
            .filter(|_| is_given(reading, at))
            .and_then(|_| name(0.75, "called by a name"));
    }
    if title.is_some() {
        return name(0.95, "title before a name");
    }
    if after.is_some_and(|hit| !word.opens_sentence() || is_given(reading, at) || is_apposition(reading, hit))
        && !is_other(reading, at)
    {
        return name(0.95, "relation after a name");
    }
    if is_called(reading, at) && !is_other(reading, at) && word.case != Case::None {
        return name(0.85, "called by a name");
    }
    if is_given(reading, at) && !is_led_as_place(reading, at) {
        return name(0.8, "given name");
    }
    if reading.has(at, WordTag::GivenUnsure) && is_backed(reading, &run) {
        return name(0.65, "name-like word in company");
    }
    let named = run.len() > 1 && is_surname_like(reading, run.end - 1) && !is_ordering(reading, at);
    if named && !is_other(reading, at) && !reading.nouns_are_capital {
        return name(0.6, "capitals with the ending of a family name");
    }
    let alone = reading.nouns_are_capital
        || is_other(reading, at)
        || word.opens_sentence()
        || word.case == Case::None;
    if !alone && is_in_company(reading, at) {
        return name(0.45, "capital after a word of company");
    }
    None
}

/// "my dog Rex", "a cat named Bailey".
fn is_animal(reading: &TextReading<'_>, at: usize) -> bool {
    let end = reading.ending_at(at, &[WordTag::NamedAs]).map_or(at, |called| called.words.start);
    reading.ending_at(end, &[WordTag::Animal]).is_some()
}

/// "Call Maeve", "Tell Kowalski": the first word is no part of the name.
fn is_ordering(reading: &TextReading<'_>, at: usize) -> bool {
    const ORDERS: &[&str] = &[
        "call", "tell", "ask", "email", "meet", "remind", "text", "see", "visit", "contact", "thank",
        "invite", "give", "send", "book", "the", "this", "that", "our", "my", "new", "with", "and", "when",
        "if", "has", "is", "does", "did",
    ];
    reading.words[at].opens_sentence() && ORDERS.contains(&reading.words[at].folded.as_str())
}

/// Endings by which family names are made in many languages.
fn is_surname_like(reading: &TextReading<'_>, at: usize) -> bool {
    const ENDINGS: &[&str] = &[
        "son", "sen", "ski", "ska", "sky", "ov", "ova", "ev", "eva", "ez", "escu", "poulos", "idis", "yan",
        "ian", "elli", "etti", "mann", "meier", "berger", "stein", "wicz", "czyk", "enko", "chuk", "oglu",
        "shvili",
    ];
    const NOT_NAMES: &[&str] =
        &["season", "lesson", "person", "reason", "prison", "poison", "listen", "question", "frozen"];
    let word = &reading.words[at].folded;
    let made = word.len() > 5
        && ENDINGS.iter().any(|ending| word.ends_with(ending))
        && !NOT_NAMES.contains(&word.as_str());
    made || is_split_name(reading, at) || word.starts_with("mac") || word.starts_with("mc")
}

/// Returns true when the relation is an apposition to the name before it: ", my cousin,".
fn is_apposition(reading: &TextReading<'_>, relation: &ListedHit) -> bool {
    let next = reading.words.get(relation.words.end);
    next.is_none_or(|word| !matches!(word.gap, WordGap::Space | WordGap::Apostrophe | WordGap::Hyphen))
}

/// "my name is X", or "somebody called X": things are called too, so a person must be in sight.
fn is_called(reading: &TextReading<'_>, at: usize) -> bool {
    const SOMEBODY: &[&str] = &[
        "guy", "man", "woman", "person", "boy", "girl", "someone", "somebody", "he", "she", "mann", "frau",
        "er", "sie", "homme", "femme", "elle", "hombre", "mujer", "ella", "uomo", "donna", "lei", "lui",
        "homem", "mulher", "ele", "ela",
    ];
    let Some(called) = reading.ending_at(at, &[WordTag::NamedAs]) else { return false };
    let from = called.words.start.saturating_sub(2);
    called.weight > 0.9
        || reading.words[from..called.words.start].iter().any(|word| SOMEBODY.contains(&word.folded.as_str()))
        || reading.hits_within(from..called.words.start).iter().any(|hit| hit.tag.is_relation())
}

/// The words of a name from its first: capitals, initials, and particles between them.
fn name_run(reading: &TextReading<'_>, at: usize) -> Option<Range<usize>> {
    if ends_as_organisation(reading, at) || is_title(reading, at) {
        return None;
    }
    let mut end = at + 1;
    while end < reading.words.len().min(at + NAME_WORDS_MAX) {
        let particle = reading.has(end, WordTag::Particle) && reading.words[end].case == Case::Lower;
        let next = end + usize::from(particle);
        if !continues(reading, next) || !reading.words[end].is_joined() && !is_split_name(reading, end) {
            break;
        }
        end = next + 1;
    }
    Some(at..end)
}

/// O'Brien, D'Angelo.
fn is_split_name(reading: &TextReading<'_>, at: usize) -> bool {
    reading.words[at].gap == WordGap::Apostrophe && matches!(reading.words[at - 1].folded.as_str(), "o" | "d")
}

fn continues(reading: &TextReading<'_>, at: usize) -> bool {
    let Some(word) = reading.words.get(at) else { return false };
    let small = reading.at(at).iter().any(|hit| {
        matches!(
            hit.tag,
            WordTag::Calendar
                | WordTag::NotName
                | WordTag::Me
                | WordTag::Filler
                | WordTag::OrgSuffix
                | WordTag::German
        )
    });
    word.case == Case::Title && (word.is_joined() || is_split_name(reading, at)) && !small
}

/// Returns true when a run of capitals from here ends as a company or an institution does.
fn ends_as_organisation(reading: &TextReading<'_>, at: usize) -> bool {
    let mut end = at + 1;
    while reading.words.get(end).is_some_and(|word| word.is_capital() && word.is_joined()) {
        if reading.has(end, WordTag::OrgSuffix) || reading.has(end, WordTag::OrgWord) {
            return true;
        }
        end += 1;
    }
    false
}

fn is_title(reading: &TextReading<'_>, at: usize) -> bool {
    let next = reading.words.get(at + 1);
    reading.has(at, WordTag::Title) && next.is_some_and(|word| word.is_capital() && word.is_joined())
}

fn is_given(reading: &TextReading<'_>, at: usize) -> bool {
    let word = &reading.words[at];
    let known = reading.has(at, WordTag::Given)
        || inflected(&word.folded).any(|base| super::lexicon::is_given(&base));
    known && ![WordTag::GivenUnsure, WordTag::My, WordTag::NotName].iter().any(|tag| reading.has(at, *tag))
}

/// Base forms of a Cyrillic name in one of its cases.
fn inflected(word: &str) -> impl Iterator<Item = String> {
    const CASES: &[&str] = &["ом", "ой", "ей", "ем", "а", "у", "е", "ы", "и", "ю", "я"];
    let cyrillic = word.starts_with(|c: char| ('\u{400}'..'\u{500}').contains(&c));
    let stems = CASES.iter().filter(move |_| cyrillic).filter_map(move |case| word.strip_suffix(case));
    stems.flat_map(|stem| ["", "а", "я", "и"].map(|ending| format!("{stem}{ending}")))
}

/// A word that is something else as far as the lists know.
fn is_other(reading: &TextReading<'_>, at: usize) -> bool {
    use WordTag::*;
    let other = [
        Calendar, NotName, Place, Org, OrgUnsure, OrgWord, Condition, Medication, Me, Filler, Crowd, Document,
    ];
    let opened = reading.words[at].opens_sentence() && !reading.at(at).is_empty() && !reading.has(at, Given);
    opened || reading.at(at).iter().any(|hit| other.contains(&hit.tag))
}

/// "in Florence", "from Austin": a place, until something says otherwise.
fn is_led_as_place(reading: &TextReading<'_>, at: usize) -> bool {
    (reading.has(at, WordTag::Place) || reading.has(at, WordTag::PlaceUnsure))
        && reading.ending_at(at, &[WordTag::Near, WordTag::Reside]).is_some()
}

/// Returns true when a name that is also a word stands in the place of a name.
fn is_backed(reading: &TextReading<'_>, run: &Range<usize>) -> bool {
    if is_led_as_place(reading, run.start) {
        return false;
    }
    if run.len() > 1 {
        return !reading.has(run.end - 1, WordTag::PlaceWord);
    }
    let mut verbs = [WordTag::PersonalVerb, WordTag::Say, WordTag::Be].iter();
    let opens = reading.words[run.start].opens_sentence();
    let acts = verbs.any(|tag| reading.has(run.end, *tag) && !(opens && *tag == WordTag::Be));
    let joined =
        reading.words.get(run.end).is_some_and(|word| word.gap == WordGap::Space && word.case == Case::Lower);
    // Months are and have, but they say nothing.
    let dated = reading.has(run.start, WordTag::Calendar) && !reading.has(run.end, WordTag::Say);
    !dated && !reading.has(run.start, WordTag::Place) && (acts && joined || is_in_company(reading, run.start))
}

fn is_in_company(reading: &TextReading<'_>, at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| &reading.words[before]) else { return false };
    reading.words[at].is_joined() && COMPANY.contains(&before.folded.as_str())
}

/// "my brother John", "my brother's name is John", "uncle Bob".
fn relation_before<'r>(reading: &'r TextReading<'_>, at: usize) -> Option<&'r ListedHit> {
    let gap = reading.words[at].gap;
    if !matches!(gap, WordGap::Space | WordGap::Comma | WordGap::Hyphen) {
        return None;
    }
    let mut end = at;
    if let Some(called) = reading.ending_at(end, &[WordTag::NamedAs]) {
        end = called.words.start;
    }
    // A copula or a possessive between the two, or a "my" that follows its noun.
    while end > 0 && end + 2 > at.saturating_sub(3) && is_link(reading, end - 1) {
        end -= 1;
    }
    let relation = reading.ending_at(end, RELATIONS)?;
    let linked = end < at;
    let owned = is_owned(reading, relation);
    let direct = !linked
        && gap == WordGap::Space
        && relation.tag == WordTag::Family
        && reading.has(at, WordTag::Given);
    (owned || direct).then_some(relation)
}

fn is_link(reading: &TextReading<'_>, at: usize) -> bool {
    let word = &reading.words[at];
    matches!(word.folded.as_str(), "s" | "is" | "ist" | "est" | "es" | "e" | "jest" | "μου" | "שלי" | "self")
        && matches!(word.gap, WordGap::Space | WordGap::Apostrophe)
}

/// "John, my brother", "John (colleague)", "John is my brother".
fn relation_after<'r>(reading: &'r TextReading<'_>, end: usize) -> Option<&'r ListedHit> {
    let word = reading.words.get(end)?;
    let relation_from = |at: usize| {
        let at = (at..at + 3).find(|at| !is_determiner(reading, *at) && !is_adjective(reading, *at))?;
        reading.at(at).iter().find(|hit| RELATIONS.contains(&hit.tag))
    };
    let owned = |hit: &&ListedHit| is_owned(reading, hit);
    match word.gap {
        WordGap::Open => relation_from(end),
        WordGap::Comma => relation_from(end).filter(owned),
        WordGap::Space if reading.has(end, WordTag::Be) => relation_from(end + 1).filter(owned),
        _ => None,
    }
}

fn is_determiner(reading: &TextReading<'_>, at: usize) -> bool {
    let article = reading
        .words
        .get(at)
        .is_some_and(|word| matches!(word.folded.as_str(), "a" | "il" | "la" | "o" | "el"));
    article || reading.has(at, WordTag::My)
}

fn is_adjective(reading: &TextReading<'_>, at: usize) -> bool {
    reading.words.get(at).is_some_and(|word| ADJECTIVES.contains(&word.text))
}

/// Returns true when the relation is to the owner: by "my" before it, or by the word itself.
fn is_owned(reading: &TextReading<'_>, relation: &ListedHit) -> bool {
    let mut at = relation.words.start;
    while at > 0 && is_adjective(reading, at - 1) {
        at -= 1;
    }
    let before = reading.ending_at(at, &[WordTag::My]).is_some();
    let after = reading
        .words
        .get(relation.words.end)
        .is_some_and(|word| matches!(word.folded.as_str(), "μου" | "שלי"));
    before || after || says_mine(reading, relation)
}

/// "Mum", "annem", "أخي": unless another's, or anybody's.
fn says_mine(reading: &TextReading<'_>, relation: &ListedHit) -> bool {
    const OTHERS: &[&str] =
        &["a", "an", "the", "his", "her", "your", "their", "s", "every", "any", "of", "la", "une", "una"];
    let own =
        reading.at(relation.words.start).iter().any(|hit| RELATIONS.contains(&hit.tag) && hit.weight < 0.9);
    let before = relation.words.start.checked_sub(1).map(|at| &reading.words[at]);
    own && !before.is_some_and(|word| {
        word.sentence == reading.words[relation.words.start].sentence
            && OTHERS.contains(&word.folded.as_str())
    })
}

/// People who are known by nothing but their relation: "my ex-wife".
fn bare_relations(reading: &TextReading<'_>, told: &[Range<usize>]) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    for hit in reading.hits.iter().filter(|hit| RELATIONS.contains(&hit.tag)) {
        let Some(relation) = hit.means else { continue };
        let unspaced = reading.words[hit.words.start].unspaced;
        let owned = if unspaced { unspaced::is_own(reading, hit) } else { is_owned(reading, hit) };
        let known = told.contains(&hit.span) || found.iter().any(|named| named.span == hit.span);
        if owned && !known {
            let named = Named::new(PERSON, relation, hit.span.clone(), 0.85, "relation alone");
            found.push(named.with_relation(Some(relation)));
        }
    }
    found
}
