//! Values behind a word that names a credential: the position and the shape of the value decide, in any language
//! whose names are listed.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::shape::{Trait, entropy, is_placeholder};
use super::{Finding, SecretLevel};
use crate::compiled::on_clean_stack;

/// Names of credentials by what their values look like.
const NAMES: &str = include_str!("names.txt");
/// Words between a name and its value.
const REACH_WORDS: usize = 8;
/// The longest name, in words.
const NAME_WORDS_MAX: usize = 4;
/// Words in a name of a schema; two may as well be a password.
const QUALIFIED_WORDS_MIN: usize = 3;
/// Longer texts between a name and the end of its line are not read.
const WORD_BYTES_MAX: usize = 512;
/// Words that join a name to its value, in the languages that are read.
const JOINTS: &[&str] = &[
    "is",
    "are",
    "was",
    "be",
    "now",
    "still",
    "set",
    "to",
    "changed",
    "reset",
    "ist",
    "sind",
    "lautet",
    "lauten",
    "war",
    "jetzt",
    "nun",
    "est",
    "sont",
    "était",
    "maintenant",
    "es",
    "son",
    "era",
    "ahora",
    "è",
    "e",
    "sono",
    "ora",
    "é",
    "são",
    "agora",
    "zijn",
    "wordt",
    "nu",
    "jest",
    "to",
    "teraz",
    "brzmi",
    "einmal",
    "=",
    ":",
    "-",
    "–",
    "→",
    "->",
    "=>",
    "use",
    "try",
    "nimm",
    "usa",
    "use",
    "prends",
    "gebruik",
];
/// Words after digits that make them a measure.
const MEASURES: &[&str] = &[
    "characters",
    "character",
    "chars",
    "digits",
    "digit",
    "letters",
    "lines",
    "times",
    "minutes",
    "hours",
    "days",
    "weeks",
    "months",
    "years",
    "mm",
    "cm",
    "km",
    "kg",
    "am",
    "pm",
    "euro",
    "euros",
    "dollars",
    "percent",
    "zeichen",
    "stellen",
    "ziffern",
    "zeilen",
    "minuten",
    "stunden",
    "tage",
    "wochen",
    "monate",
    "jahre",
    "uhr",
    "mal",
    "stellig",
    "caractères",
    "chiffres",
    "lignes",
    "jours",
    "heures",
    "caracteres",
    "dígitos",
    "cifras",
    "líneas",
    "días",
    "horas",
    "años",
    "caratteri",
    "cifre",
    "righe",
    "giorni",
    "ore",
    "anni",
    "algarismos",
    "linhas",
    "dias",
    "anos",
    "tekens",
    "cijfers",
    "regels",
    "dagen",
    "uur",
    "jaar",
    "znaków",
    "cyfr",
    "linii",
    "dni",
    "godzin",
    "lat",
    "items",
    "people",
    "steps",
    "attempts",
    "tries",
];

/// The look of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ValueShape {
    /// A word that is none of a language: a password.
    Odd,
    /// A few digits: a PIN, the code of a door.
    Digits,
    /// Letters and digits at random: a key, a token.
    Random,
    /// Groups of letters and digits, one after another: recovery keys and backup codes.
    Groups,
    /// Many small words: a seed phrase.
    Words,
}

impl ValueShape {
    fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "odd" => Self::Odd,
            "digits" => Self::Digits,
            "random" => Self::Random,
            "groups" => Self::Groups,
            "words" => Self::Words,
            _ => return None,
        })
    }
}

/// A name as words in lower case, and the look of its values.
struct CredentialName {
    words: Vec<String>,
    shape: ValueShape,
}

static TABLE: LazyLock<Vec<CredentialName>> = LazyLock::new(|| {
    let mut shape = ValueShape::Odd;
    let mut names = Vec::new();
    for line in NAMES.lines().filter(|line| !line.starts_with('#')) {
        if let Some(section) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            shape = ValueShape::from_word(section).unwrap_or(shape);
            continue;
        }
        let phrases = line.split(',').map(str::trim).filter(|phrase| !phrase.is_empty());
        names.extend(phrases.map(|phrase| CredentialName {
            words: phrase.to_lowercase().split([' ', '-']).map(str::to_owned).collect(),
            shape,
        }));
    }
    // Of names that begin alike, the longest is tried first.
    names.sort_by_key(|name| usize::MAX - name.words.len());
    names
});

/// A word of the text without its quotes and stops.
struct SpelledWord<'t> {
    span: Range<usize>,
    /// As it stands, without what surrounds it.
    text: &'t str,
    lower: String,
    /// A colon or an equals sign stood right behind it.
    assigns: bool,
    /// A sentence or a line ended behind it.
    ends: bool,
}

/// Every value behind a name of a credential.
pub(super) fn named(text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    // Most texts name no credential, and are not cut into words.
    if !names_any(text) {
        return findings;
    }
    let words = text_words(text);
    let mut at = 0;
    while at < words.len() {
        let Some((shape, length)) = name_at(&words, at) else {
            at += 1;
            continue;
        };
        at += length;
        findings.extend(value_after(text, &words, at, shape).into_iter().map(|(span, level)| Finding {
            rule: "named-credential".into(),
            family: "named".into(),
            level,
            span,
        }));
    }
    findings
}

pub(super) fn names_any(text: &str) -> bool {
    static HEADS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        let heads: Vec<&str> = TABLE.iter().filter_map(|name| Some(name.words.last()?.as_str())).collect();
        on_clean_stack(|| AhoCorasick::builder().ascii_case_insensitive(true).build(heads).ok())
    });
    HEADS.as_ref().is_some_and(|heads| heads.is_match(text))
}

fn text_words(text: &str) -> Vec<SpelledWord<'_>> {
    let mut words = Vec::new();
    let mut from = 0;
    for piece in text.split_inclusive(char::is_whitespace) {
        let start = from;
        from += piece.len();
        let word = piece.trim_end();
        if word.is_empty() || word.len() > WORD_BYTES_MAX {
            continue;
        }
        let ends = piece.ends_with('\n') || word.ends_with(['.', '!', '?']);
        push_parts(word, start, ends, &mut words);
    }
    words
}

/// `key:value` and `key="value"` are two words; a hyphen inside a name divides it too.
fn push_parts<'t>(word: &'t str, start: usize, ends: bool, words: &mut Vec<SpelledWord<'t>>) {
    let joint = word
        .char_indices()
        .find(|(at, c)| matches!(c, ':' | '=') && *at > 0 && !word[*at..].starts_with("://"))
        // The port of an address is no value, though a colon stands before it.
        .filter(|(at, _)| !word[..*at].contains("://"));
    let parts = match joint {
        Some((at, c)) if at + c.len_utf8() < word.len() => {
            vec![(0, &word[..at], true), (at + 1, &word[at + 1..], false)]
        }
        Some((at, _)) => vec![(0, &word[..at], true)],
        None => vec![(0, word, false)],
    };
    let last = parts.len() - 1;
    for (n, (at, part, assigns)) in parts.into_iter().enumerate() {
        let core = part.trim_start_matches(is_wrapping);
        let lead = part.len() - core.len();
        let core = core.trim_end_matches(|c| is_wrapping(c) || matches!(c, '.' | ',' | ';' | '?'));
        let from = start + at + lead;
        if core.is_empty() && !assigns {
            continue;
        }
        words.push(SpelledWord {
            span: from..from + core.len(),
            text: core,
            lower: core.to_lowercase(),
            assigns,
            ends: ends && n == last,
        });
    }
}

fn is_wrapping(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | '`'
            | '“'
            | '”'
            | '„'
            | '‘'
            | '’'
            | '«'
            | '»'
            | '('
            | ')'
            | '['
            | ']'
            | '<'
            | '>'
            | '{'
            | '}'
            | '|'
    )
}

/// The look of the values of the name that begins at a word, and the words of the name.
fn name_at(words: &[SpelledWord<'_>], at: usize) -> Option<(ValueShape, usize)> {
    // "API-key" is two words of a name, written as one.
    let parts = |word: &SpelledWord<'_>| word.lower.split('-').map(str::to_owned).collect::<Vec<_>>();
    let mut spelled: Vec<(String, usize)> = Vec::new();
    for (n, word) in words[at..].iter().take(NAME_WORDS_MAX).enumerate() {
        spelled.extend(parts(word).into_iter().map(|part| (part, n + 1)));
        if word.assigns || word.ends {
            break;
        }
    }
    TABLE.iter().find_map(|name| {
        let fits = name.words.len() <= spelled.len()
            && name.words.iter().zip(&spelled).all(|(word, (part, _))| word == part);
        let (_, used) = spelled.get(name.words.len() - 1).filter(|_| fits)?;
        Some((name.shape, *used))
    })
}

/// The value that follows a name, where something of the right look stands in the right place.
fn value_after(
    text: &str,
    words: &[SpelledWord<'_>],
    from: usize,
    shape: ValueShape,
) -> Option<(Range<usize>, SecretLevel)> {
    let mut joined = words.get(from.checked_sub(1)?)?.assigns;
    if words[from - 1].ends && !joined {
        return None;
    }
    for at in from..words.len().min(from + REACH_WORDS) {
        let word = &words[at];
        if JOINTS.contains(&word.lower.as_str()) || word.text.is_empty() {
            joined = true;
        } else if let Some(end) = fits(words, at, shape, joined || shape == ValueShape::Digits && at == from)
        {
            let span = word.span.start..words[end - 1].span.end;
            return (!is_code(text, &span)).then_some((span, SecretLevel::Probable));
        } else if !word.assigns {
            joined = false;
        }
        joined |= word.assigns;
        if word.ends {
            return None;
        }
    }
    None
}

/// The end of the value that begins at a word, if its look is that of the shape.
fn fits(words: &[SpelledWord<'_>], at: usize, shape: ValueShape, joined: bool) -> Option<usize> {
    let word = &words[at];
    let one = |good: bool| good.then_some(at + 1);
    if is_placeholder(word.text) || is_ordinary(word.text) {
        return None;
    }
    let digits = word.text.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.text.chars().filter(|c| c.is_alphabetic()).count();
    match shape {
        ValueShape::Odd => {
            let odd = Trait::Odd.of(word.text) && word.text.len() >= 4 && !is_measure(words, at);
            let mixed = digits > 0 && letters > 0 && word.text.len() >= 6;
            one(odd && (joined || mixed))
        }
        ValueShape::Digits => {
            let end = digit_groups(words, at);
            let count: usize = words[at..end].iter().map(|word| word.text.len()).sum();
            let short = (3..=12).contains(&count) && digits >= 1 && word.text.chars().all(is_of_code);
            (short && joined && digits + 2 >= letters && !is_measure(words, end - 1)).then_some(end)
        }
        ValueShape::Random => {
            let random = digits > 0 && letters > 0 && word.text.len() >= 8 && entropy(word.text) >= 2.5;
            one(random && (joined || Trait::Mixed.of(word.text)) && word.text.is_ascii())
        }
        ValueShape::Groups => {
            let end = code_groups(words, at);
            let count: usize = words[at..end].iter().map(|word| word.text.len()).sum();
            (count >= 6 && digits > 0).then_some(end)
        }
        ValueShape::Words => {
            let small = |word: &SpelledWord<'_>| {
                (3..=8).contains(&word.text.len()) && word.text.bytes().all(|b| b.is_ascii_lowercase())
            };
            let length = words[at..].iter().take(24).take_while(|word| small(word)).count();
            (length >= 6).then_some(at + length)
        }
    }
}

fn is_of_code(c: char) -> bool {
    c.is_ascii_digit() || c.is_ascii_uppercase() || matches!(c, '#' | '*' | '-')
}

/// Digits in groups: "48 15 16".
fn digit_groups(words: &[SpelledWord<'_>], at: usize) -> usize {
    let group =
        |word: &SpelledWord<'_>| word.text.len() <= 4 && word.text.bytes().all(|byte| byte.is_ascii_digit());
    let mut end = at + 1;
    while end < words.len()
        && end - at < 5
        && group(&words[end - 1])
        && !words[end - 1].ends
        && group(&words[end])
    {
        end += 1;
    }
    end
}

/// Groups of letters and digits: "K7QX-22MP 9RTD-04LW".
fn code_groups(words: &[SpelledWord<'_>], at: usize) -> usize {
    let group = |word: &SpelledWord<'_>| {
        word.text.len() >= 4
            && word.text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && word.text.bytes().any(|byte| byte.is_ascii_digit())
    };
    if !group(&words[at]) {
        return at;
    }
    at + words[at..].iter().take(20).take_while(|word| group(word)).count()
}

/// Dates, times, prices, versions, addresses of pages and mail: odd, and no secret.
fn is_ordinary(text: &str) -> bool {
    let numeric = |separators: &[char]| {
        text.contains(separators) && text.chars().all(|c| c.is_ascii_digit() || separators.contains(&c))
    };
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',')).to_lowercase();
    text.contains("://")
        || text.contains("::")
        || is_qualified(text)
        || text.contains(['(', ')', '$', '€', '£', '\\'])
        || text.contains('@') && text.contains('.') && !text.ends_with(|c: char| !c.is_alphanumeric())
        || text.starts_with(['/', '~', '.', '%'])
        || numeric(&[':'])
        || numeric(&['.'])
        || numeric(&['/'])
        || numeric(&[','])
        || text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        || text.contains('_') && text.chars().all(|c| c.is_alphabetic() || c == '_')
        || text.contains("'")
        || text.contains('’')
        || unit.len() < text.len()
            && (MEASURES.contains(&unit.as_str())
                || matches!(unit.as_str(), "st" | "nd" | "rd" | "th" | "%" | "fa" | "x" | "h" | "s"))
        || text.contains('-')
            && text.split('-').all(|part| {
                part.chars().all(|c| c.is_lowercase())
                    || part.chars().all(|c| c.is_ascii_digit()) && part.len() < 3
            })
}

/// A name of a schema behind its namespace, `garden2:WinterBedCode`: words, each with its capital.
fn is_qualified(text: &str) -> bool {
    let Some((space, name)) = text.split_once(':') else { return false };
    let mut ends = name.split(char::is_uppercase);
    let begins = ends.next().is_some_and(str::is_empty);
    let words = ends.clone().count();
    let spelled = ends.all(|end| !end.is_empty() && end.chars().all(char::is_lowercase));
    let is_space = space.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    begins && spelled && words >= QUALIFIED_WORDS_MIN && is_space
}

fn is_measure(words: &[SpelledWord<'_>], at: usize) -> bool {
    words[at].text.bytes().all(|byte| byte.is_ascii_digit())
        && words.get(at + 1).is_some_and(|next| MEASURES.contains(&next.lower.as_str()))
}

/// Bytes before a value in which a path of code is looked for.
const CODE_REACH: usize = 40;

/// A call or an index right around the value: a program that reads a secret holds none.
fn is_code(text: &str, span: &Range<usize>) -> bool {
    let from = text.floor_char_boundary(span.start.saturating_sub(CODE_REACH));
    let before = &text[from..span.start];
    text[span.end..].starts_with(['(', '[']) || before.ends_with("(\"") && before.contains("::")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<&str> {
        named(text).into_iter().map(|finding| &text[finding.span]).collect()
    }

    #[test]
    fn values_are_found_behind_their_names_in_eight_languages() {
        for (text, value) in [
            (
                "AWS secret zQ8mLx2Rv9Kp4Tn7Wb3Yc6Hd1Jf5Gs0Aq8Me2Uo4 for the lab",
                "zQ8mLx2Rv9Kp4Tn7Wb3Yc6Hd1Jf5Gs0Aq8Me2Uo4",
            ),
            ("The wifi password at the cabin is now Birke-77", "Birke-77"),
            ("Türcode im Hinterhof: 4938#", "4938#"),
            ("Das Passwort vom Router lautet Tanne!42", "Tanne!42"),
            ("le code de la porte est 72B9", "72B9"),
            ("mot de passe : Chene_81x", "Chene_81x"),
            ("El PIN de la tarjeta es 5821", "5821"),
            ("la contraseña del wifi es Roble#19", "Roble#19"),
            ("il codice del cancello è 6620", "6620"),
            ("A senha do router é Pinho_34z", "Pinho_34z"),
            ("het wachtwoord van de router is Eik?55k", "Eik?55k"),
            ("kod do bramy to 8143", "8143"),
            ("hasło do wifi: Sosna!27", "Sosna!27"),
            ("card 4111, CVC 907", "907"),
            ("backup codes: 8842-1190 7751-0023 6610-9482", "8842-1190 7751-0023 6610-9482"),
            ("recovery key K7QX-22MP-9RTD-04LW", "K7QX-22MP-9RTD-04LW"),
            (
                "seed phrase: river lamp stone window apple garden chair cloud",
                "river lamp stone window apple garden chair cloud",
            ),
        ] {
            assert_eq!(values(text), [value], "{text}");
        }
    }

    #[test]
    fn ordinary_sentences_name_credentials_without_their_values() {
        for text in [
            "the pin on the map is 3 km off",
            "std::env::var(\"API_TOKEN\") reads the token",
            "my password is 12 characters long",
            "I changed my password on 12.05.2024 at 10:30",
            "the dress code is smart casual",
            "use a passphrase of six words",
            "The password field has an id of user-password",
            "Das Passwort ist seit 3 Jahren dasselbe",
            "the secret of good bread is patience",
            "the code is 200 lines long",
            "He lost his PIN in 2019.",
            "API key rotation happens every 90 days",
            "token limit is 8192 tokens",
            "token: \"garden2:WinterBedCode\"",
            "change the password at http://garden.test:8181/beds/7b then",
        ] {
            assert_eq!(values(text), [""; 0], "{text}");
        }
    }
}
