//! Anonymise: a memory that speaks of somebody who was forgotten lives on with "someone" in their place.
//!
//! Only the mention is replaced; the memory gets a new id and a new key, because the old text was sealed under
//! the old one. Where no word of ours can stand for the mention, a person has to decide.

use std::ops::Range;

use zeroize::Zeroizing;

use super::pointer::{capital, generics};
use super::topic::Topic;
use crate::identifiers::{CONFIDENT, Family, Identifier, IdentifierKind, identifiers};
use crate::words::Language;
use lacuna_types::*;

/// The kind of an entity that marks, inside a memory's own seal, whom it mentions though they were forgotten.
pub const FORGOTTEN: &str = "forgotten";
/// Different spellings of one mention that are marked in one memory.
const MENTIONS_MAX: usize = 8;
/// The words that replace the id of an erased memory in a text.
const GONE_MEMORY: &str = "a forgotten memory";

/// A memory whose mentions are generic.
pub struct Anonymous {
    /// The text with generic words in place of the mentions.
    pub text: Zeroizing<String>,
    /// The details that are left.
    pub details: Vec<Detail>,
    /// The tags that are left.
    pub tags: Vec<String>,
}

/// The mentions of some people or things in a text, as they are written there.
pub fn mentions(text: &str, topics: &[Topic]) -> Vec<String> {
    let names = topics.iter().flat_map(|topic| topic.names());
    let mut found: Vec<String> =
        names.flat_map(|name| name.places_in(text)).map(|place| text[place].to_owned()).collect();
    found.sort();
    found.dedup();
    found.truncate(MENTIONS_MAX);
    found
}

/// Marks among a memory's own entities whom it mentions.
pub fn mark(entities: &mut Vec<Entity>, mentions: &[String]) {
    let room = ENTITIES_MAX.saturating_sub(entities.len());
    let marks = mentions.iter().take(room).map(|mention| Entity {
        kind: FORGOTTEN.to_owned(),
        name: mention.clone(),
        primary: false,
        relation: None,
    });
    entities.extend(marks);
}

/// The people whom a memory is marked to mention.
pub fn marked(entities: &[Entity]) -> Vec<String> {
    entities.iter().filter(|entity| entity.kind == FORGOTTEN).map(|entity| entity.name.clone()).collect()
}

/// Takes the marks away, when somebody has looked at the memory.
pub fn unmark(entities: &mut Vec<Entity>) {
    entities.retain(|entity| entity.kind != FORGOTTEN);
}

/// A memory without what points to somebody who was forgotten. `None` when nothing in it does, or when only a
/// person can say what would stand there. `is_gone` tells whether an id that it names is no longer there.
pub fn anonymous(
    text: &str,
    details: &[Detail],
    tags: &[String],
    mentions: &[String],
    is_gone: impl Fn(&MemoryId) -> bool,
) -> Option<Anonymous> {
    let names_gone = |word: &str| word.parse::<MemoryId>().is_ok_and(|id| is_gone(&id));
    let mut put = generics(text)?;
    put.extend(mention_places(text, mentions));
    put.extend(
        identifiers(text).into_iter().filter_map(|found| Some((found.span.clone(), stand_in(&found)?))),
    );
    put.extend(words_of_ids(text).filter(|place| names_gone(&text[place.clone()])).map(gone_memory));
    let kept_tags: Vec<String> = tags.iter().filter(|tag| !names_gone(tag)).cloned().collect();
    if put.is_empty() && kept_tags.len() == tags.len() {
        return None;
    }
    let says =
        |detail: &&Detail| mentions.iter().all(|mention| !detail.content.expose().contains(mention.as_str()));
    Some(Anonymous {
        text: Zeroizing::new(replaced(text, put)),
        details: details.iter().filter(says).map(Detail::duplicate).collect(),
        tags: kept_tags,
    })
}

fn gone_memory(place: Range<usize>) -> (Range<usize>, String) {
    (place, GONE_MEMORY.to_owned())
}

/// Places of the mentions that are words of their own, with the words that replace them.
fn mention_places(text: &str, mentions: &[String]) -> Vec<(Range<usize>, String)> {
    let someone = someone(text);
    let mut places = Vec::new();
    for mention in mentions.iter().filter(|mention| !mention.is_empty()) {
        for (start, _) in text.match_indices(mention.as_str()) {
            let place = start..start + mention.len();
            let within_word = |c: char| c.is_alphanumeric() && !is_unspaced(c);
            let parts =
                text[..place.start].ends_with(within_word) || text[place.end..].starts_with(within_word);
            if !parts {
                let opens = opens_sentence(&text[..place.start]);
                let stands = if opens { capital(someone) } else { someone.to_owned() };
                places.push((place, stands));
            }
        }
    }
    places
}

/// "Someone", in the language of the text where we know it.
fn someone(text: &str) -> &'static str {
    let has = |from: char, to: char| text.chars().any(|c| (from..=to).contains(&c));
    match Language::detect(text, None) {
        _ if has('\u{3040}', '\u{30ff}') => "ある人",
        _ if has('\u{ac00}', '\u{d7a3}') => "어떤 사람",
        _ if has('\u{4e00}', '\u{9fff}') => "某人",
        Language::German => "jemand",
        Language::French => "quelqu'un",
        Language::Spanish => "alguien",
        Language::Italian => "qualcuno",
        Language::Portuguese => "alguém",
        Language::Dutch => "iemand",
        Language::Russian => "кто-то",
        _ => "someone",
    }
}

fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{e00}'..='\u{e7f}')
}

fn opens_sentence(before: &str) -> bool {
    let before = before.trim_end();
    before.is_empty() || before.ends_with(['.', '!', '?', '\n', '…'])
}

/// The words that replace an identifier of a person; `None` for numbers of things and cases, which identify
/// nobody.
fn stand_in(found: &Identifier) -> Option<String> {
    if found.confidence < CONFIDENT {
        return None;
    }
    let words = match (found.kind, found.kind.family()) {
        (IdentifierKind::Email, _) => "an e-mail address",
        (IdentifierKind::Phone, _) => "a phone number",
        (_, Family::Contact) => "an account",
        (_, Family::National | Family::Health) => "a personal number",
        (_, Family::Birth) => "a birthday",
        _ => return None,
    };
    Some(words.to_owned())
}

/// The places of words that may be ids of memories.
fn words_of_ids(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    text.match_indices("mem_").map(|(start, _)| {
        let rest = &text[start..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        start..start + end
    })
}

/// The text with each place filled anew; of two that overlap the longer one counts.
fn replaced(text: &str, mut put: Vec<(Range<usize>, String)>) -> String {
    put.sort_by_key(|(place, _)| (place.start, usize::MAX - place.end));
    let mut whole = String::with_capacity(text.len());
    let mut from = 0;
    for (place, stands) in put {
        if place.start < from {
            continue;
        }
        whole.push_str(&text[from..place.start]);
        whole.push_str(&stands);
        from = place.end;
    }
    whole.push_str(&text[from..]);
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anonymised(text: &str, person: &str) -> Option<String> {
        let mentions = mentions(text, &[Topic::of(person)]);
        anonymous(text, &[], &[], &mentions, |_| true).map(|anonymous| anonymous.text.to_string())
    }

    #[test]
    fn the_mention_goes_and_the_rest_stays_word_for_word() {
        for (person, text, expected) in [
            ("Mira Okafor", "Mira Okafor prefers the corner table.", "Someone prefers the corner table."),
            ("Mira Okafor", "The table of Dr. Okafor wobbles.", "The table of someone wobbles."),
            ("Mira Okafor", "I met Ms Mira Okafor's brother.", "I met someone's brother."),
            ("Mira Okafor", "We wrote to Мира Окафор twice.", "We wrote to someone twice."),
            (
                "Tilda",
                "Ask Tilda: her number is +47 22 33 44 55 and tilda@heron.example works.",
                "Ask someone: her number is a phone number and an e-mail address works.",
            ),
            ("Tilda", "She likes ticket HRN-90.", "Someone likes ticket HRN-90."),
            ("王秀英", "我和王秀英去了北京。", "我和某人去了北京。"),
            (
                "Tilda Brandt",
                "Ich habe Tilda Brandt gestern im Hafen getroffen, und danach haben wir lange über das Wetter geredet.",
                "Ich habe jemand gestern im Hafen getroffen, und danach haben wir lange über das Wetter geredet.",
            ),
        ] {
            assert_eq!(anonymised(text, person).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_mentions_nobody_is_not_changed() {
        for text in ["Matilda sails.", "The harbour is closed."] {
            assert_eq!(anonymised(text, "Tilda"), None, "{text}");
        }
    }

    #[test]
    fn ids_of_what_is_gone_are_named_no_more() {
        let gone = MemoryId::from_bytes([7; 16]);
        let there = MemoryId::from_bytes([8; 16]);
        let text = format!("See {gone} and {there}.");
        let tags = [gone.to_string(), "boats".to_owned()];
        let done = anonymous(&text, &[], &tags, &[], |id| *id == gone).unwrap();
        assert_eq!(*done.text, format!("See a forgotten memory and {there}."));
        assert_eq!(done.tags, ["boats"]);
    }

    #[test]
    fn a_detail_that_mentions_them_goes() {
        let detail = |content: &str| Detail { content: content.into(), brightness: 0.5 };
        let details = [detail("Tilda's red hat"), detail("a blue boat")];
        let done = anonymous("Tilda sails.", &details, &[], &["Tilda".to_owned()], |_| false).unwrap();
        assert!(done.details == [detail("a blue boat")]);
    }

    #[test]
    fn marks_are_taken_away_again() {
        let mut entities = Vec::new();
        mark(&mut entities, &["Tilda".to_owned()]);
        assert_eq!(marked(&entities), ["Tilda"]);
        unmark(&mut entities);
        assert!(entities.is_empty());
    }
}
