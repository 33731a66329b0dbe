//! The nouns that sentences are about: attributes, relations, regions, and how many values an attribute has.

use super::Arity;
use crate::languages::{LANGUAGES, LanguageRules, choices_of, is_weekday};

/// Products that people work with or move to, which are no place and no employer.
const PRODUCTS: &str = "\
    slack|teams|zoom|linux|mac|macos|windows|ubuntu|python|rust|java|kubernetes|aws|azure|github|gitlab|notion|\
    spotify|android|iphone|ios|chrome|firefox";

/// Returns true if a list, whose entries are divided by `|`, holds a word.
fn listed(list: &str, word: &str) -> bool {
    list.split('|').any(|listed| listed == word)
}

fn known(list: fn(&LanguageRules) -> &'static str, word: &str) -> bool {
    choices_of(list).any(|listed| listed == word)
}

pub(super) fn is_relation(word: &str) -> bool {
    known(|rules| rules.noun.unique_relations, word) || is_one_of_several(word)
}

/// Returns true if a subject may be one of several: "my sister", but not "my sister Ana" or "my wife".
pub(super) fn is_one_of_several(subject: &str) -> bool {
    known(|rules| rules.noun.other_relations, subject)
}

pub(super) fn is_region(value: &str) -> bool {
    known(|rules| rules.noun.regions, value)
}

/// One name for each attribute, however it is called.
pub(super) fn canonical(attribute: &str) -> String {
    let mut name = attribute.trim().trim_end_matches("'s").to_owned();
    for (spelling, kept) in LANGUAGES.iter().flat_map(|rules| rules.noun.spellings) {
        name = name.replace(spelling, kept);
    }
    let mut synonyms = LANGUAGES.iter().flat_map(|rules| rules.noun.synonyms);
    synonyms.find(|(_, words)| listed(words, &name)).map_or(name, |(attribute, _)| (*attribute).to_owned())
}

/// Returns the arity of an attribute that a sentence names, if it is known.
pub(super) fn arity(attribute: &str) -> Option<Arity> {
    let head = attribute.split(" of ").next().unwrap_or(attribute).split(" for ").next().unwrap_or(attribute);
    let last = head.rsplit(' ').next().unwrap_or(head);
    if attribute.starts_with("favourite ") {
        return Some(if last.ends_with('s') && !last.ends_with("ss") { Arity::Unsure } else { Arity::One });
    }
    let mut attributes = LANGUAGES.iter().flat_map(|rules| rules.noun.attributes);
    attributes.find(|(_, words)| listed(words, head) || listed(words, last)).map(|(arity, _)| *arity)
}

/// Narrows the arity of an attribute by the spelling of a value; `None` when it cannot be its value.
pub(super) fn arity_with(attribute: &str, written: &str, arity: Arity) -> Option<Arity> {
    let has_digit = written.contains(|c: char| c.is_ascii_digit());
    let last = attribute.rsplit(' ').next().unwrap_or(attribute);
    let is_numbered = |name: &str| known(|rules| rules.noun.numbered, name);
    if is_numbered(attribute) || is_numbered(last) || last == "birthday" {
        return has_digit.then_some(arity);
    }
    match last {
        "email" => return written.contains('@').then_some(arity),
        "address" if !has_digit => return Some(Arity::Unsure),
        _ => {}
    }
    if matches!(arity, Arity::One | Arity::Usual)
        && known(|rules| rules.noun.proper, attribute)
        && !is_proper(written)
    {
        return Some(Arity::Unsure);
    }
    Some(arity)
}

/// Returns true if a value is written like a name or a number.
pub(super) fn is_proper(written: &str) -> bool {
    let bare = written.trim_start_matches(['"', '\'', '+', '#', '$', '€', '£']);
    let mut articles = LANGUAGES.iter().flat_map(|rules| rules.fact.articles.split_whitespace());
    let after = articles.find_map(|article| bare.strip_prefix(article)?.strip_prefix(' '));
    let bare = after.unwrap_or(bare);
    let first = bare.split([' ', ',']).next().unwrap_or(bare).to_lowercase();
    let names_nothing =
        known(|rules| rules.noun.no_names, &first) || listed(PRODUCTS, &first) || is_weekday(&first);
    bare.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()) && !names_nothing
}
