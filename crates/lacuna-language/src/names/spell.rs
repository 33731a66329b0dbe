//! Words of other scripts in Latin letters: every usual way to write them, by tables.

use super::READINGS_MAX;
use super::script::NameScript;
use super::{abjad, han, hangul, indic, kana};

/// Letters of a script and how they are written; `/` divides ways, and nothing at all is one.
pub(super) type SpellingTable = &'static [(&'static str, &'static str)];

const CYRILLIC: SpellingTable = &[
    ("кс", "ks/x"),
    ("дж", "dzh/j"),
    ("ье", "ye/ie/e"),
    ("ьё", "yo/io"),
    ("ия", "ia/iya/ija"),
    ("ий", "y/i/iy/ij"),
    ("ый", "y/yi"),
    ("ей", "ei/ey/ej"),
    ("ай", "ai/ay/aj"),
    ("а", "a"),
    ("б", "b"),
    ("в", "v"),
    ("г", "g/h"),
    ("ґ", "g"),
    ("д", "d"),
    ("ђ", "dj"),
    ("е", "e/ye"),
    ("ё", "yo/e/io/jo"),
    ("є", "ye/ie/e"),
    ("ж", "zh/j"),
    ("з", "z"),
    ("и", "i/y"),
    ("і", "i"),
    ("ї", "yi/i"),
    ("й", "i/y/j"),
    ("ј", "j/y"),
    ("к", "k"),
    ("л", "l"),
    ("љ", "lj"),
    ("м", "m"),
    ("н", "n"),
    ("њ", "nj"),
    ("о", "o"),
    ("п", "p"),
    ("р", "r"),
    ("с", "s"),
    ("т", "t"),
    ("ћ", "c"),
    ("у", "u"),
    ("ў", "u/w"),
    ("ф", "f"),
    ("х", "kh/ch"),
    ("ц", "ts/c/tz"),
    ("ч", "ch/tch"),
    ("џ", "dz"),
    ("ш", "sh/sch"),
    ("щ", "shch/sch"),
    ("ъ", ""),
    ("ы", "y"),
    ("ь", ""),
    ("э", "e"),
    ("ю", "yu/iu/ju"),
    ("я", "ya/ia/ja"),
];

const GREEK: SpellingTable = &[
    ("ου", "ou"),
    ("αι", "e/ai"),
    ("ει", "i/ei"),
    ("οι", "i/oi"),
    ("αυ", "av/af"),
    ("ευ", "ev/ef"),
    ("μπ", "b/mp"),
    ("ντ", "d/nt"),
    ("γκ", "g/gk"),
    ("γγ", "ng/gg"),
    ("γι", "gi/y"),
    ("τζ", "tz/j"),
    ("τσ", "ts"),
    ("α", "a"),
    ("β", "v/b"),
    ("γ", "g/y"),
    ("δ", "d"),
    ("ε", "e"),
    ("ζ", "z"),
    ("η", "i/e"),
    ("θ", "th"),
    ("ι", "i"),
    ("κ", "k/c"),
    ("λ", "l"),
    ("μ", "m"),
    ("ν", "n"),
    ("ξ", "x"),
    ("ο", "o"),
    ("π", "p"),
    ("ρ", "r"),
    ("σ", "s"),
    ("τ", "t"),
    ("υ", "y/u"),
    ("φ", "f"),
    ("χ", "ch/kh"),
    ("ψ", "ps"),
    ("ω", "o"),
];

/// The readings of a folded word, as its script has them.
pub(super) fn read(script: NameScript, word: &str) -> Vec<String> {
    match script {
        NameScript::Cyrillic => by_table(word, CYRILLIC),
        NameScript::Greek => by_table(word, GREEK),
        NameScript::Hebrew | NameScript::Arabic => abjad::read(script, word),
        NameScript::Devanagari => indic::devanagari(word),
        NameScript::Thai => indic::thai(word),
        NameScript::Hangul => hangul::read(word),
        NameScript::Kana => kana::read(word),
        NameScript::Han => han::read(word),
        NameScript::Latin | NameScript::Other => vec![word.to_owned()],
    }
}

/// Reads a word by a table: of letters that begin alike, the longer; what the table does not know is dropped.
pub(super) fn by_table(word: &str, table: SpellingTable) -> Vec<String> {
    let mut readings = vec![String::new()];
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let entry = table
            .iter()
            .filter(|(letters, _)| rest.starts_with(letters))
            .max_by_key(|(letters, _)| letters.len());
        let (taken, ways) = entry.map_or((first.len_utf8(), ""), |(letters, ways)| (letters.len(), *ways));
        readings = extend(&readings, ways.split('/'));
        rest = &rest[taken..];
    }
    readings
}

/// Every reading so far with every way to go on. When there are too many, the first ways count: they are the usual.
pub(super) fn extend<'w>(readings: &[String], ways: impl Iterator<Item = &'w str>) -> Vec<String> {
    let mut next: Vec<String> = Vec::new();
    for way in ways {
        for reading in readings {
            let reading = format!("{reading}{way}");
            if next.len() < READINGS_MAX && !next.contains(&reading) {
                next.push(reading);
            }
        }
    }
    next
}
