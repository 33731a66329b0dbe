//! The shape of a string: its randomness, and the marks of a placeholder.

use serde::Deserialize;

use crate::words::from_base64;

/// A row of one of these is what people write instead of a secret.
const FILLERS: &[u8] = b"xX*#.?";
const FILLER_RUN_MIN: usize = 5;
const ZERO_RUN_MIN: usize = 10;
/// Words inside placeholders, in lower case.
const PLACEHOLDER_WORDS: [&str; 19] = [
    "example",
    "placeholder",
    "redacted",
    "changeme",
    "change_me",
    "change-me",
    "your_",
    "your-",
    "yourkey",
    "yourtoken",
    "yourpass",
    "insert_",
    "insert-",
    "put_your",
    "_here",
    "-here",
    "dummy",
    "xxxx",
    "<",
];
/// Beginnings of references to where a secret is kept, rather than of a secret.
const REFERENCES: [&str; 14] = [
    "$",
    "{{",
    "${",
    "%{",
    "<",
    "[",
    "*",
    "env.",
    "env(",
    "process.env",
    "os.environ",
    "var.",
    "secrets.",
    "vault:",
];

/// Something that a secret has and a word has not.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Trait {
    Digit,
    Letter,
    Upper,
    Lower,
    /// A character that is neither letter nor digit.
    Mark,
    /// Anything that keeps it from being a word of a sentence: a digit, a mark inside, or capitals inside.
    Odd,
    /// Letters and digits so mixed that nobody would name a thing so.
    Mixed,
    /// A letter beyond those of hexadecimal numbers; a hash has none.
    BeyondHex,
    /// A first part that is base64 of a JSON object, as the header of a signed token is.
    JsonHead,
}

impl Trait {
    pub(super) fn of(self, secret: &str) -> bool {
        match self {
            Self::Digit => secret.bytes().any(|byte| byte.is_ascii_digit()),
            Self::Letter => secret.chars().any(char::is_alphabetic),
            Self::Upper => secret.chars().any(char::is_uppercase),
            Self::Lower => secret.chars().any(char::is_lowercase),
            Self::Mark => secret.chars().any(is_mark),
            Self::Odd => is_odd(secret),
            Self::Mixed => is_mixed(secret),
            Self::BeyondHex => tail(secret).any(|c| c.is_alphabetic() && !c.is_ascii_hexdigit()),
            Self::JsonHead => has_json_head(secret),
        }
    }
}

/// The characters behind the prefix of a token, which ends in a hyphen or an underscore.
fn tail(secret: &str) -> impl Iterator<Item = char> {
    secret.rsplit(['-', '_']).next().unwrap_or(secret).chars()
}

fn has_json_head(secret: &str) -> bool {
    let head = secret.split('.').next().unwrap_or_default();
    let json = from_base64(head).unwrap_or_default();
    json.starts_with(b"{") && json.trim_ascii_end().ends_with(b"}")
}

fn is_mark(c: char) -> bool {
    !c.is_alphanumeric() && !c.is_whitespace()
}

fn is_odd(secret: &str) -> bool {
    let word = secret.trim_matches(|c: char| !c.is_alphanumeric());
    let inside = word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    inside
        || word.chars().any(|c| c.is_ascii_digit() || (is_mark(c) && !matches!(c, '\'' | '’' | '-')))
        || secret.ends_with(['!', '#', '$', '%', '&', '*']) && word.len() > 3
}

/// Names have their digits at the end or between separators; a token changes class every few characters.
fn is_mixed(secret: &str) -> bool {
    let class = |byte: u8| match byte {
        b'0'..=b'9' => 1,
        b'a'..=b'z' => 2,
        b'A'..=b'Z' => 3,
        _ => 0,
    };
    let bytes = secret.as_bytes();
    let changes = bytes
        .windows(2)
        .filter(|pair| {
            let (before, after) = (class(pair[0]), class(pair[1]));
            // A capital before a small letter is how words begin.
            before != after && before != 0 && after != 0 && (before, after) != (3, 2)
        })
        .count();
    changes * 8 >= bytes.len()
}

/// Shannon entropy in bits per byte.
pub(super) fn entropy(secret: &str) -> f32 {
    let mut counts = [0u32; 256];
    secret.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let total = secret.len() as f32;
    let bits = |count: &u32| {
        let share = *count as f32 / total;
        -share * share.log2()
    };
    counts.iter().filter(|count| **count > 0).map(bits).sum()
}

/// Returns true for a placeholder: `${TOKEN}`, `<your key>`, `xxxxxxxx`, `AKIA…EXAMPLE`.
pub(super) fn is_placeholder(secret: &str) -> bool {
    if REFERENCES.iter().any(|start| secret.starts_with(start)) || has_filler(secret.as_bytes()) {
        return true;
    }
    let lower = secret.to_ascii_lowercase();
    PLACEHOLDER_WORDS.iter().any(|word| lower.contains(word))
        || lower.len() > 2 && lower.starts_with('%') && lower.ends_with('%')
}

fn has_filler(secret: &[u8]) -> bool {
    let mut run = 0;
    let mut last = 0;
    for &byte in secret {
        run = if byte == last { run + 1 } else { 1 };
        last = byte;
        let enough = run >= FILLER_RUN_MIN && FILLERS.contains(&byte);
        if enough || (byte == b'0' && run >= ZERO_RUN_MIN) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_that_of_shannon() {
        assert_eq!(entropy("aaaa"), 0.0);
        assert_eq!(entropy("abab"), 1.0);
        assert_eq!(entropy("abcd"), 2.0);
        assert_eq!(entropy(""), 0.0);
    }

    #[test]
    fn stand_ins_are_told_from_secrets() {
        let stand_ins =
            ["${TOKEN}", "$TOKEN", "<your key>", "ghp_xxxxxxxxxxxx", "AKIA7EXAMPLE", "****", "%PASS%"];
        stand_ins.iter().for_each(|text| assert!(is_placeholder(text), "{text}"));
        let secrets = ["hunter2", "s3cr3t!", "Zx81-Qw_pl", "000111", "AAAAAAAAAAAAAAA", "abcdefg12345"];
        secrets.iter().for_each(|text| assert!(!is_placeholder(text), "{text}"));
    }

    #[test]
    fn odd_strings_are_no_words() {
        for (text, odd) in
            [("hunter2", true), ("swordfish", false), ("Anna's", false), ("P@ss", true), ("iPhone", true)]
        {
            assert_eq!(Trait::Odd.of(text), odd, "{text}");
        }
        for (text, beyond) in [("ico-0a1b2c3d4e5f", false), ("ico-0a1b2c3g4e5f", true)] {
            assert_eq!(Trait::BeyondHex.of(text), beyond, "{text}");
        }
        for (text, read) in [("eyJhbGciOiJIUzUxMiJ9.ey", true), ("eyJhbGciOiJIUzUxMiJ.ey", false)] {
            assert_eq!(Trait::JsonHead.of(text), read, "{text}");
        }
        for (text, mixed) in [
            ("k3J9xQ2mZ7vB", true),
            ("Winter_Garden_Time", false),
            ("P384.garden_length", false),
            ("release-2024-build", false),
        ] {
            assert_eq!(Trait::Mixed.of(text), mixed, "{text}");
        }
    }
}
