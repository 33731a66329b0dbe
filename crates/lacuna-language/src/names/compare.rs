//! Comparison of two names.

use super::fold::{bones, loosen};
use super::script::NameScript;
use super::{NameWord, PersonName, READINGS_MAX, Sameness, hangul, nicknames};

/// The shortest loosened word that is trusted between two spellings of one script.
const LOOSE_CHARS_MIN: usize = 4;
/// The fewest consonants by which a name without vowels is recognised.
const BONES_MIN: usize = 2;
/// Names of more words are compared in the given order and the reverse of it only.
const ORDERED_WORDS_MAX: usize = 3;

pub(super) fn names(a: &PersonName, b: &PersonName) -> Sameness {
    if a.words.is_empty() || b.words.is_empty() {
        return Sameness::Different;
    }
    if a.script == b.script {
        return one_script(a, b);
    }
    let across = across(a, b);
    if a.words.len() == b.words.len() && !a.script.is_unspaced() && !b.script.is_unspaced() {
        return paired(&a.words, &b.words, across_words).max(across);
    }
    across
}

fn one_script(a: &PersonName, b: &PersonName) -> Sameness {
    if a.script.is_unspaced() {
        let joined = |name: &PersonName| {
            name.words.iter().map(|word| super::han::plain(&word.native)).collect::<String>()
        };
        return if joined(a) == joined(b) { Sameness::Same } else { Sameness::Different };
    }
    if a.words.len() == b.words.len() {
        return paired(&a.words, &b.words, words);
    }
    // "Jean-Luc" and "Jean Luc", "McDonald" and "Mc Donald".
    let joined = |name: &PersonName| name.words.iter().map(|word| word.native.as_str()).collect::<String>();
    if joined(a) == joined(b) { Sameness::Likely } else { middle(&a.words, &b.words) }
}

/// "Grace Brewster Hopper" and "Grace Hopper": only what stands between the ends may be missing.
fn middle(a: &[NameWord], b: &[NameWord]) -> Sameness {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let ([first, .., last], [other_first, .., other_last]) = (short, long) else {
        return Sameness::Different;
    };
    let ends = words(first, other_first).min(words(last, other_last));
    if short.len() == 2 && ends != Sameness::Different && !last.is_initial && !other_last.is_initial {
        Sameness::Likely
    } else {
        Sameness::Different
    }
}

/// Pairs the words of two names, each with one of the other; the weakest pair decides.
fn paired(a: &[NameWord], b: &[NameWord], compare: fn(&NameWord, &NameWord) -> Sameness) -> Sameness {
    let mut free: Vec<&NameWord> = b.iter().collect();
    let mut weakest = Sameness::Same;
    let mut full = false;
    for word in a {
        let best =
            free.iter().enumerate().map(|(at, other)| (compare(word, other), at)).max_by_key(|(same, at)| {
                // Among equals the first one, so that "Li Li" pairs in order.
                (*same, usize::MAX - at)
            });
        let Some((same, at)) = best.filter(|(same, _)| *same != Sameness::Different) else {
            return Sameness::Different;
        };
        full |= !word.is_initial && !free[at].is_initial;
        free.remove(at);
        weakest = weakest.min(same);
    }
    if full { weakest } else { Sameness::Different }
}

/// Two words of one script.
fn words(a: &NameWord, b: &NameWord) -> Sameness {
    if a.native == b.native
        || a.latin.iter().any(|form| a.script == NameScript::Latin && b.latin.contains(form))
    {
        return Sameness::Same;
    }
    if a.is_initial != b.is_initial {
        let first = |word: &NameWord| word.native.chars().next();
        return if first(a) == first(b) { Sameness::Likely } else { Sameness::Different };
    }
    let nick = a.latin.iter().any(|one| b.latin.iter().any(|other| nicknames::are_one(one, other)));
    if nick || inflected(a, b) || !a.script.is_abjad() && loosely(a, b) {
        Sameness::Likely
    } else {
        Sameness::Different
    }
}

/// Mohammed and Muhammed are not compared here, Yevgeny and Evgeny are: same letters for each sound.
fn loosely(a: &NameWord, b: &NameWord) -> bool {
    a.script == NameScript::Latin
        && a.latin.iter().any(|one| {
            let one = loosen(one);
            one.len() >= LOOSE_CHARS_MIN && b.latin.iter().any(|other| loosen(other) == one)
        })
}

/// A Cyrillic name in one of its cases.
fn inflected(a: &NameWord, b: &NameWord) -> bool {
    const CASES: &[&str] =
        &["ым", "ом", "ем", "ой", "ою", "ей", "ого", "ому", "а", "у", "е", "ы", "и", "ю", "я"];
    const STEM_CHARS_MIN: usize = 3;
    let stems = |word: &NameWord| -> Vec<String> {
        let cut = CASES.iter().filter_map(|case| word.native.strip_suffix(case)).map(str::to_owned);
        let soft = word.native.strip_suffix(['й', 'ь']).map(str::to_owned);
        cut.chain(soft)
            .chain([word.native.clone()])
            .filter(|stem| stem.chars().count() >= STEM_CHARS_MIN)
            .collect()
    };
    if a.script != NameScript::Cyrillic {
        return false;
    }
    let (a, b) = (stems(a), stems(b));
    a.iter().any(|stem| b.contains(stem))
}

/// Two words of different scripts.
fn across_words(a: &NameWord, b: &NameWord) -> Sameness {
    let initial = a.is_initial || b.is_initial;
    let mut best = Sameness::Different;
    for one in &a.latin {
        for other in &b.latin {
            let nick = nicknames::are_one(one, other);
            let (one, other) = (loosen(one), loosen(other));
            let (thin, thick) = (bones(&one), bones(&other));
            if initial {
                let first = one.chars().next() == other.chars().next();
                best = best.max(if first { Sameness::Likely } else { Sameness::Different });
            } else if (a.is_vowelless || b.is_vowelless) && thin == thick && !thin.is_empty() {
                best = best.max(Sameness::Likely);
            } else if one == other {
                best = Sameness::Same;
            } else if nick {
                best = best.max(Sameness::Likely);
            }
        }
    }
    best
}

/// Two whole names of different scripts, as one run of letters each.
fn across(a: &PersonName, b: &PersonName) -> Sameness {
    let vowelless = a.words.iter().chain(&b.words).any(|word| word.is_vowelless);
    let same = a.loose.iter().any(|one| !one.is_empty() && b.loose.contains(one));
    let korean = [a.script, b.script].contains(&NameScript::Hangul)
        && a.loose.iter().any(|one| b.loose.iter().any(|other| hangul::loosen(one) == hangul::loosen(other)));
    let thai = [a.script, b.script].contains(&NameScript::Thai);
    let bony = (vowelless || thai)
        && a.bones.iter().any(|one| one.chars().count() > BONES_MIN && b.bones.contains(one));
    // One Han character alone is read like many others.
    let lone = [a, b].iter().any(|name| name.script == NameScript::Han && is_lone(name));
    match (same && !vowelless || korean, bony) {
        (true, _) if !lone => Sameness::Same,
        (true, _) | (_, true) => Sameness::Likely,
        _ => Sameness::Different,
    }
}

fn is_lone(name: &PersonName) -> bool {
    name.words.iter().map(|word| word.native.chars().count()).sum::<usize>() == 1
}

/// The name in Latin letters in one run, for every reading and every usual order of its words.
pub(super) fn orders(words: &[NameWord]) -> Vec<String> {
    let mut orders: Vec<Vec<usize>> = vec![(0..words.len()).collect()];
    if words.len() <= ORDERED_WORDS_MAX {
        orders.extend((1..words.len()).map(|first| {
            let mut order: Vec<usize> = (0..words.len()).collect();
            order.rotate_left(first);
            order
        }));
    } else {
        orders.push((0..words.len()).rev().collect());
    }
    let mut found: Vec<String> = Vec::new();
    for order in orders {
        let parts = order.iter().map(|at| words[*at].latin.as_slice());
        for run in joined(parts) {
            if !found.contains(&run) {
                found.push(run);
            }
        }
    }
    found
}

/// Every way to read the words one after the other, as far as the bound allows.
fn joined<'w>(parts: impl Iterator<Item = &'w [String]>) -> Vec<String> {
    parts.fold(vec![String::new()], |runs, readings| {
        let next = runs.iter().flat_map(|run| readings.iter().map(move |reading| format!("{run}{reading}")));
        next.take(READINGS_MAX).collect()
    })
}

/// The spellings under which a name is looked up: its readings, and those of the full name that a nickname is for.
pub(super) fn spellings(words: &[NameWord]) -> Vec<String> {
    let full: Vec<Vec<String>> = words
        .iter()
        .map(|word| {
            let formal = word.latin.iter().flat_map(|form| nicknames::formal(form)).map(str::to_owned);
            let mut forms = word.latin.clone();
            forms.extend(formal);
            forms
        })
        .collect();
    joined(full.iter().map(Vec::as_slice))
}
