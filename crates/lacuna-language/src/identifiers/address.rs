//! Street addresses, and the town in which they lie.

use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;

use super::birth::is_month;
use super::rule::TOLD;
use super::{Identifier, IdentifierKind};

use crate::compiled;

/// A street address with its town, where the text names one right behind it.
pub(super) struct Address {
    /// House, street, unit, town, region and postcode.
    pub span: Range<usize>,
    /// The town.
    pub town: Option<Range<usize>>,
}

pub(super) fn find(text: &str, found: &mut Vec<Identifier>) {
    for address in addresses(text) {
        found.push(Identifier {
            kind: IdentifierKind::Address,
            canonical: canonical(&text[address.span.clone()]),
            span: address.span,
            confidence: TOLD,
            reason: "a street with a house number",
        });
    }
}

/// Lower case words without punctuation, abbreviations written out.
pub(super) fn canonical(raw: &str) -> String {
    const SHORT: &[(&str, &str)] = &[
        ("st", "street"),
        ("rd", "road"),
        ("ave", "avenue"),
        ("av", "avenue"),
        ("ln", "lane"),
        ("dr", "drive"),
        ("blvd", "boulevard"),
        ("ct", "court"),
        ("pl", "place"),
        ("sq", "square"),
        ("hwy", "highway"),
    ];
    let lower = raw.to_lowercase().replace("straße", "strasse").replace("str.", "strasse");
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let full = |word| SHORT.iter().find(|(short, _)| *short == word).map_or(word, |(_, full)| *full);
    words.map(full).collect::<Vec<_>>().join(" ")
}

/// Every address of the text, in its order.
pub(super) fn addresses(text: &str) -> Vec<Address> {
    let Some(pattern) = street_pattern() else { return Vec::new() };
    pattern
        .find_iter(text)
        .filter(|hit| begins_word(text, hit.start()))
        .map(|hit| with_town(text, hit.range()))
        .collect()
}

/// An amount or a longer number before the street is none of its own.
fn begins_word(text: &str, at: usize) -> bool {
    !text[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '$' | '€' | '£' | '.' | '-' | '#'))
}

fn street_pattern() -> Option<&'static Regex> {
    static PATTERN: OnceLock<Option<Regex>> = OnceLock::new();
    // Names begin with a capital; small words may stand between.
    let build = || {
        let name = r"\p{Lu}[\p{L}'’.-]*";
        let english = format!(
            r"\d{{1,5}}(?:-\d{{1,5}})?[A-Za-z]?,? (?:(?:[NSEW]|North|South|East|West)\.? )?(?:(?:{name}|\d{{1,3}}(?:st|nd|rd|th)) ){{1,4}}{ENGLISH}\b"
        );
        let german = format!(
            r"(?:(?:{name}[ -]){{0,3}}\p{{Lu}}?\p{{L}}*(?:straße|strasse|Straße|Strasse|str\.|Str\.|weg|Weg|platz|Platz|allee|Allee|gasse|Gasse|ring|damm|ufer|Ufer|straat|laan|gracht|kade|plein)|(?:Am|An der|Auf dem|Im|In der|Zum|Zur) {name}) \d{{1,4}}(?: ?[a-z])?\b"
        );
        let joined = r"(?:(?:de|du|des|de la|de los|de las|del|la|le|les|l'|d'|della|dei|di) ?)*";
        let french = format!(
            r"\d{{1,4}}(?: ?(?:bis|ter))?,? (?i:rue|avenue|av\.|boulevard|bd|place|chemin|impasse|allée|quai|cours|route) {joined}{name}(?:[ -]{joined}{name}){{0,4}}"
        );
        let spanish = format!(
            r"(?:[Cc]alle|C/|[Aa]venida|[Aa]vda\.?|[Pp]laza|[Pp]aseo|[Cc]arrer|[Cc]amino|[Rr]onda|[Vv]ia|[Vv]iale|[Pp]iazza|[Cc]orso|[Ll]argo|[Vv]icolo|[Rr]ua) ?{joined}{name}(?:[ -]{joined}{name}){{0,4}},? (?:n[ºo°]?\.? ?)?\d{{1,4}}\b"
        );
        let box_ = r"P\.? ?O\.? Box \d{1,6}\b|Postfach \d{1,6}\b";
        compiled::regex(&format!("{english}|{french}|{spanish}|{german}|{box_}")).ok()
    };
    PATTERN.get_or_init(build).as_ref()
}

const ENGLISH: &str = "(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Close|Way|Place|Pl|Square|Sq|Terrace|Crescent|Cres|Gardens|Grove|Hill|Row|Mews|Parkway|Pkwy|Highway|Hwy|Circle|Cir|Trail|Walk|Quay|Wharf|Parade|Green|Park|Rise|Vale|View)";

/// Adds what follows the street: unit, district, town, region, postcode.
fn with_town(text: &str, street: Range<usize>) -> Address {
    let Some(pattern) = tail_pattern() else { return Address { span: street, town: None } };
    let rest = &text[street.end..];
    let Some(hit) = pattern.captures(rest) else { return Address { span: street, town: None } };
    let town = ["before", "after"].iter().find_map(|name| hit.name(name));
    // "in October" says when, not where.
    if town.is_some_and(|town| is_month(town.as_str())) {
        return Address { span: street, town: None };
    }
    let shift = |range: Range<usize>| street.end + range.start..street.end + range.end;
    // A full stop alone ends the sentence, not an abbreviation.
    let tail = hit.get(0).map_or(0, |whole| whole.len());
    let end = if tail > 1 { street.end + tail } else { street.end };
    Address { span: street.start..end, town: town.map(|town| shift(town.range())) }
}

fn tail_pattern() -> Option<&'static Regex> {
    static PATTERN: OnceLock<Option<Regex>> = OnceLock::new();
    let build = || {
        let town =
            r"\p{Lu}[\p{L}'’.]*(?:[ -](?:(?:am|an der|de|la|le|sur|upon|del|di|in) )?\p{Lu}[\p{L}'’]*){0,3}";
        let unit = r"(?:,? (?:(?i:apt|apartment|flat|unit|suite|ste|floor|room|wohnung|piso|étage)\.? ?|#)[A-Za-z0-9-]{1,5})?";
        let british = r"[A-Z]{1,2}\d[A-Z0-9]? ?\d[A-Z]{2}";
        // A postcode before the town: most of Europe. After it: Britain and North America.
        compiled::regex(&format!(
            r"^\.?{unit}(?:(?:,|\n| in)? ?,? ?(?:[A-Z]{{1,2}}-)?\d{{4,5}}(?: [A-Z]{{2}}\b)? (?P<after>{town})|(?:,|\n| in) ?(?:{town}, ){{0,1}}?(?P<before>{town}?)(?:(?:,? (?:[A-Z]{{2}}|{town}))?,? (?:{british}|\d{{5}}(?:-\d{{4}})?)\b|,? [A-Z]{{2}}\b|\b))?"
        ))
        .ok()
    };
    PATTERN.get_or_init(build).as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streets_and_their_towns() {
        for (text, whole, town) in [
            ("12 Rosewood Lane, Bristol BS3 4DT", "12 Rosewood Lane, Bristol BS3 4DT", Some("Bristol")),
            ("I live at 4 Elm Street.", "4 Elm Street", None),
            (
                "742 Oak Grove Ave, Apt 4B, Springfield, IL 62704, and",
                "742 Oak Grove Ave, Apt 4B, Springfield, IL 62704",
                Some("Springfield"),
            ),
            ("9 Mill Road in Cambridge since May", "9 Mill Road in Cambridge", Some("Cambridge")),
            ("Lindenstraße 12, 10969 Berlin", "Lindenstraße 12, 10969 Berlin", Some("Berlin")),
            ("moving to 9 Mill Road in October", "9 Mill Road", None),
            ("wohnt Am Markt 5 in Jena", "Am Markt 5 in Jena", Some("Jena")),
            ("14 rue de la Paix, 75002 Paris", "14 rue de la Paix, 75002 Paris", Some("Paris")),
            ("Calle Mayor 21, 28013 Madrid", "Calle Mayor 21, 28013 Madrid", Some("Madrid")),
            ("Via Garibaldi, 7, 20121 Milano", "Via Garibaldi, 7, 20121 Milano", Some("Milano")),
        ] {
            let found = addresses(text);
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!(&text[found[0].span.clone()], whole);
            assert_eq!(found[0].town.clone().map(|town| &text[town]), town, "{text}");
        }
    }

    #[test]
    fn sentences_with_numbers_are_no_addresses() {
        for text in [
            "In 2023 I took a long road trip",
            "We ran 5 miles on the way home",
            "He scored 3 points. Way to go",
            "the 5th Avenue store was closed",
            "It cost $400 Park entry included",
        ] {
            assert!(addresses(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn abbreviations_are_written_out() {
        assert_eq!(canonical("4 Elm St."), canonical("4 elm street"));
        assert_eq!(canonical("Lindenstr. 12"), canonical("Lindenstraße 12"));
    }
}
