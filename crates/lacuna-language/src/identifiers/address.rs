//! Street addresses, and the town in which they lie.

use std::ops::Range;
use std::sync::OnceLock;

use super::birth::is_month;
use super::rule::TOLD;
use super::street::{streets, unit_bytes};
use super::{Identifier, IdentifierKind};

use crate::compiled::{self, ScreenedRegex};

/// A street address with its town, where the text names one right behind it.
pub(super) struct Address {
    /// House, street, unit, town, region and postcode.
    pub span: Range<usize>,
    /// House, street and unit.
    pub street: Range<usize>,
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

/// Every address of the text, in its order, but for those of places that are open to everybody.
pub(super) fn addresses(text: &str) -> Vec<Address> {
    let is_home = |street: &Range<usize>| {
        begins_word(text, street.start) && !is_date(&text[street.clone()]) && !is_public(text, street)
    };
    streets(text).into_iter().filter(is_home).map(|street| with_town(text, street)).collect()
}

/// An amount or a longer number before the street is none of its own.
fn begins_word(text: &str, at: usize) -> bool {
    !text[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '$' | '€' | '£' | '.' | '-' | '#'))
}

/// "During 1971", "Im Jahr 1968": words that a number follows, and no street.
fn is_date(street: &str) -> bool {
    /// Words that a number follows elsewhere, and that end or stand like a street.
    const COUNTED: &[&str] = &[
        "during",
        "spring",
        "string",
        "monitoring",
        "engineering",
        "catering",
        "jahr",
        "jahre",
        "sommer",
        "winter",
        "herbst",
        "frühling",
        "frühjahr",
        "kapitel",
        "zimmer",
        "raum",
        "absatz",
        "artikel",
        "alter",
        "abschnitt",
        "band",
        "punkt",
        "quartal",
        "beispiel",
        "durchschnitt",
        "schnitt",
        "moment",
        "monat",
        "woche",
        "version",
        "teil",
        "stufe",
        "phase",
        "norway",
        "subway",
        "railway",
        "way",
        "gate",
        "terminal",
        "platz",
        "halfway",
        "januar",
        "februar",
        "märz",
        "april",
        "mai",
        "juni",
        "juli",
        "august",
        "september",
        "oktober",
        "november",
        "dezember",
    ];
    // "Calle Mayor 21 B": the letter belongs to the number.
    let is_letter = |word: &&str| word.len() == 1 && word.starts_with(char::is_alphabetic);
    let mut words = street.split_whitespace().rev().skip_while(is_letter);
    let number = words.next().unwrap_or_default().trim_end_matches(|c: char| c.is_alphabetic());
    let year = number.len() == 4
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && (number.starts_with('1') || number.starts_with("20"));
    let before = words.next().unwrap_or_default().to_lowercase();
    !number.is_empty() && (COUNTED.contains(&before.as_str()) || year)
}

/// Bytes before an address in which the place that it belongs to is named.
const PLACE_REACH: usize = 60;

/// Stems up to this length are whole words.
const SHORT_STEM_BYTES: usize = 4;

/// A museum's address is nobody's home: a public place is named before the street, and nobody lives there.
fn is_public(text: &str, street: &Range<usize>) -> bool {
    let from = text.floor_char_boundary(street.start.saturating_sub(PLACE_REACH));
    let before = &text[from..street.start];
    let clause = before.rsplit(['.', '!', '?', ';', '\n']).next().unwrap_or(before).to_lowercase();
    let said = |stems: &[&str]| {
        let mut words = clause.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        // A short stem begins too many other words.
        let fits = |word: &str, stem: &str| {
            word.strip_prefix(stem).is_some_and(|rest| stem.len() > SHORT_STEM_BYTES || rest.is_empty())
        };
        words.any(|word| stems.iter().any(|stem| fits(word, stem)))
    };
    said(PUBLIC) && !said(HOME)
}

/// Stems of places that anybody may enter, and of meeting and eating there.
const PUBLIC: &[&str] = &[
    "museum",
    "musée",
    "museo",
    "museu",
    "muzeum",
    "librar",
    "biblio",
    "bücherei",
    "depot",
    "dépôt",
    "office",
    "büro",
    "bureau",
    "oficina",
    "ufficio",
    "escritório",
    "kantoor",
    "biur",
    "hauptverwaltung",
    "zentrale",
    "headquarters",
    "siège",
    "sede",
    "hoofdkantoor",
    "siedzib",
    "warehouse",
    "lager",
    "entrepôt",
    "almacén",
    "magazzin",
    "armazém",
    "magazijn",
    "magazyn",
    "pharma",
    "apothe",
    "farmacia",
    "farmácia",
    "apote",
    "aptek",
    "town",
    "rathaus",
    "mairie",
    "ayuntamiento",
    "municipio",
    "câmara",
    "gemeente",
    "stadhuis",
    "urz",
    "bar",
    "pub",
    "café",
    "cafe",
    "kawiar",
    "restaura",
    "ristorante",
    "trattoria",
    "pizzeria",
    "taverna",
    "kneipe",
    "wirtshaus",
    "gasthaus",
    "shop",
    "store",
    "laden",
    "geschäft",
    "magasin",
    "boutique",
    "tienda",
    "negozio",
    "loja",
    "winkel",
    "sklep",
    "salon",
    "hotel",
    "hôtel",
    "hostel",
    "school",
    "schule",
    "école",
    "escuela",
    "scuola",
    "escola",
    "szkoł",
    "universit",
    "universidad",
    "church",
    "kirche",
    "église",
    "iglesia",
    "chiesa",
    "igreja",
    "kerk",
    "kości",
    "hospital",
    "klinik",
    "clinic",
    "clínica",
    "krankenhaus",
    "hôpital",
    "ospedale",
    "ziekenhuis",
    "szpital",
    "praxis",
    "surgery",
    "cinema",
    "kino",
    "cinéma",
    "cine",
    "theat",
    "théât",
    "teatr",
    "bank",
    "banque",
    "banco",
    "banca",
    "agence",
    "agencia",
    "agenzia",
    "filiale",
    "branch",
    "station",
    "bahnhof",
    "gare",
    "estación",
    "stazione",
    "gym",
    "fitness",
    "garage",
    "werkstatt",
    "workshop",
    "taller",
    "officina",
    "bakery",
    "bäcker",
    "boulangerie",
    "panader",
    "panetteria",
    "padaria",
    "bakker",
    "piekarni",
    "supermar",
    "markt",
    "market",
    "marché",
    "mercado",
    "mercato",
    "rynek",
    "gallery",
    "galerie",
    "galería",
    "galleria",
    "firma",
    "company",
    "entreprise",
    "empresa",
    "azienda",
    "bedrijf",
    "studio",
    "meet",
    "meeting",
    "treffen",
    "retrouv",
    "quedamos",
    "vediamo",
    "encontr",
    "afspre",
    "spotyk",
    "eat",
    "essen",
    "eten",
    "dinner",
    "lunch",
    "event",
    "venue",
    "conference",
    "court",
    "gericht",
    "tribunal",
    "police",
    "polizei",
    "policía",
    "polizia",
    "polícia",
    "politie",
    "policj",
    "embassy",
    "botschaft",
    "dentist",
    "zahnarzt",
    "barber",
    "hairdresser",
    "friseur",
    "coiffeur",
    "peluquer",
    "parrucch",
    "cabeleir",
    "kapper",
    "fryzjer",
];

/// Stems of living somewhere and of getting post there.
const HOME: &[&str] = &[
    "live",
    "living",
    "home",
    "moved",
    "flat",
    "apartment",
    "address",
    "wohn",
    "zuhause",
    "daheim",
    "umgezogen",
    "adresse",
    "habite",
    "logement",
    "appartement",
    "domicil",
    "dirección",
    "vivo",
    "vive",
    "vivimos",
    "casa",
    "abit",
    "indirizzo",
    "moro",
    "mora",
    "moramos",
    "morada",
    "woon",
    "woont",
    "wonen",
    "thuis",
    "adres",
    "mieszk",
    "parcel",
    "piso",
    "alojo",
    "logement",
    "alloggi",
    "przeprowadz",
    "paket",
    "pakket",
    "paczk",
    "colis",
    "paquete",
    "pacco",
    "encomenda",
];

/// Adds what follows the street: unit, district, town, region, postcode.
fn with_town(text: &str, street: Range<usize>) -> Address {
    let street = street.start..street.end + unit_bytes(&text[street.end..]);
    let none = |street: Range<usize>| Address { span: street.clone(), street, town: None };
    let Some(pattern) = tail_pattern() else { return none(street) };
    let rest = &text[street.end..];
    let Some(hit) = pattern.captures(rest) else { return none(street) };
    let town = ["before", "after"].iter().find_map(|name| hit.name(name));
    // "in October" says when, not where.
    if town.is_some_and(|town| is_month(town.as_str())) {
        return none(street);
    }
    let shift = |range: Range<usize>| street.end + range.start..street.end + range.end;
    // A full stop alone ends the sentence, not an abbreviation.
    let tail = hit.get(0).map_or(0, |whole| whole.len());
    let end = if tail > 1 { street.end + tail } else { street.end };
    Address { span: street.start..end, town: town.map(|town| shift(town.range())), street }
}

fn tail_pattern() -> Option<&'static ScreenedRegex> {
    static PATTERN: OnceLock<Option<ScreenedRegex>> = OnceLock::new();
    let build = || {
        let town = r"[\p{Lu}][\p{L}'’.]*(?:[ -](?:(?:am|an der|de|do|da|la|le|sur|upon|del|di|in) )?[\p{Lu}][\p{L}'’]*){0,3}";
        let british = r"[A-Z]{1,2}\d[A-Z0-9]? ?\d[A-Z]{2}";
        let at = "in|à|en|a|em|te|w|we";
        // A postcode before the town: most of Europe. After it: Britain and North America.
        compiled::regex(&format!(
            r"^\.?(?:(?:,|\n| (?:{at}))? ?,? ?(?:[A-Z]{{1,2}}-)?\d{{2,5}}(?:-\d{{3}})?(?: ?[A-Z]{{2}}(?-u:\b))? (?P<after>{town})|(?:,|\n| (?:{at})) ?(?:{town}, ){{0,1}}?(?P<before>{town}?)(?:(?:,? (?:[A-Z]{{2}}|{town}))?,? (?:{british}|\d{{5}}(?:-\d{{4}})?)(?-u:\b)|,? [A-Z]{{2}}(?-u:\b)|(?-u:\b)|$))?"
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
