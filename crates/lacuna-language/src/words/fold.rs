//! One folding of words: letters as they are compared, without case, accents and other differences of spelling.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The purpose of a folding. Each purpose fixes which differences of spelling count; see [`fold`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Folding {
    /// Stems of the stored index, already in lower case. Frozen: stored terms rely on it.
    Stem,
    /// Texts before they are cut into stored terms: lower case, accents in place. Frozen as well.
    Case,
    /// Words of lists and keys of entities; marks that are vowels in their script stay.
    Listed,
    /// Names of people: as `Listed`, with more letters and without marks inside a name.
    Name,
    /// Words of a request: one kind of apostrophe.
    Request,
    /// Phrases of policies, words of claims and topics: letters stay apart from what composes them.
    Phrase,
    /// Sentences of facts: as `Phrase`, with capitals, which tell names from words.
    Sentence,
    /// Orders: no apostrophes, so that "don't" is one word.
    Order,
}

/// Folds a text for a purpose: decomposes letters, drops marks, lowers case, spells out special letters.
pub(crate) fn fold(text: &str, purpose: Folding) -> String {
    if text.is_ascii() {
        let kept = text.chars().filter(|c| !purpose.drops(*c));
        return kept.map(|c| if purpose.lowers() { c.to_ascii_lowercase() } else { c }).collect();
    }
    let mut folded = String::with_capacity(text.len());
    if purpose.is_compatible() {
        text.nfkc().for_each(|letter| purpose.push(letter, &mut folded));
    } else {
        text.nfc().for_each(|letter| purpose.push(letter, &mut folded));
    }
    // Decomposed Hangul and voiced kana are put together again.
    if purpose.composes() { folded.nfc().collect() } else { folded }
}

impl Folding {
    /// Full-width letters, ligatures and the like become plain letters.
    fn is_compatible(self) -> bool {
        matches!(self, Self::Case | Self::Listed | Self::Name | Self::Request)
    }

    fn lowers(self) -> bool {
        !matches!(self, Self::Stem | Self::Sentence)
    }

    fn composes(self) -> bool {
        matches!(self, Self::Case | Self::Listed | Self::Name | Self::Request | Self::Order)
    }

    /// Stems lose accents in scripts that also write without them; elsewhere marks are letters.
    fn decomposes(self, letter: char) -> bool {
        match self {
            Self::Case => false,
            Self::Stem => {
                matches!(letter, '\u{00c0}'..='\u{024f}' | '\u{0370}'..='\u{03ff}' | '\u{1e00}'..='\u{1fff}')
            }
            _ => true,
        }
    }

    /// Characters that are left out.
    fn drops(self, c: char) -> bool {
        match self {
            Self::Case => false,
            // Points and vowel signs that Hebrew and Arabic writers leave out as often as not.
            Self::Stem => matches!(c, '\u{0300}'..='\u{036f}' | '\u{0591}'..='\u{05c7}' | '\u{0640}'
                | '\u{064b}'..='\u{065f}' | '\u{0670}'),
            Self::Listed => matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{5bf}'..='\u{5c7}'
                | '\u{64b}'..='\u{65f}' | '\u{670}'),
            Self::Name => {
                is_accent(c)
                    || matches!(
                        c,
                        'ـ' | '.' | '\'' | '’' | 'ʼ' | '‘' | '-' | '‐' | '‑' | '·' | '・' | '׳' | '״'
                    )
            }
            Self::Order => matches!(c, '\'' | '’') || !c.is_ascii() && is_combining_mark(c),
            Self::Request | Self::Phrase | Self::Sentence => !c.is_ascii() && is_combining_mark(c),
        }
    }

    fn push(self, letter: char, out: &mut String) {
        if let Some(spelt) = self.spelt(letter) {
            return out.push_str(spelt);
        }
        if !self.decomposes(letter) {
            return self.push_part(letter, out);
        }
        [letter].into_iter().nfd().for_each(|part| self.push_part(part, out));
    }

    fn push_part(self, part: char, out: &mut String) {
        if self.drops(part) {
            return;
        }
        if !self.lowers() {
            return out.push_str(self.spelt_part(part).unwrap_or(part.encode_utf8(&mut [0; 4])));
        }
        for c in part.to_lowercase().filter(|c| !self.drops(*c)) {
            out.push_str(self.spelt_part(c).unwrap_or(c.encode_utf8(&mut [0; 4])));
        }
    }

    /// A letter that came out of a composed one. Frozen: stems spell out whole letters only.
    fn spelt_part(self, part: char) -> Option<&'static str> {
        if self == Self::Stem { None } else { self.spelt(part) }
    }

    /// Letters that no decomposition changes, in the spelling by which they are compared.
    fn spelt(self, letter: char) -> Option<&'static str> {
        use Folding::{Case, Listed, Name, Order, Request, Stem};
        Some(match (letter, self) {
            (_, Case) => return None,
            ('ß', _) => "ss",
            ('æ', Stem | Listed | Name) => "ae",
            ('œ', Stem | Listed | Name | Request) => "oe",
            ('ø', Stem | Listed | Name) => "o",
            ('đ', Stem | Listed | Name | Order) | ('ð', Listed | Name) => "d",
            ('ł', Stem | Listed | Name | Order) => "l",
            ('ı', Stem | Listed | Name | Order) => "i",
            ('þ', Name) => "th",
            ('ё', Stem) => "е",
            ('ς', Listed | Name) => "σ",
            ('أ' | 'إ' | 'آ', Listed | Name) | ('ٱ', Name) => "ا",
            ('ى', Listed | Name) => "ي",
            ('’' | '‘' | 'ʼ', Request) | ('’', Self::Sentence) => "'",
            _ => return None,
        })
    }
}

/// Marks that are added to letters; the vowels of Devanagari and Thai and the voicing of kana are no such marks.
fn is_accent(c: char) -> bool {
    !c.is_ascii()
        && is_combining_mark(c)
        && !matches!(c, '\u{900}'..='\u{97f}' | '\u{e00}'..='\u{e7f}' | '\u{3099}' | '\u{309a}' | '\u{1100}'..='\u{11ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_purpose_folds_what_it_says() {
        for (purpose, text, expected) in [
            (Folding::Stem, "straße", "strasse"),
            (Folding::Stem, "ёлка й", "елка й"),
            (Folding::Stem, "Ǽ ǽ", "Æ æ"),
            (Folding::Case, "Ｃａｆｅ\u{301}", "café"),
            (Folding::Listed, "Łukasz أحمد", "lukasz احمد"),
            (Folding::Name, "O’Þór-김", "othor김"),
            (Folding::Request, "L’Œuvre", "l'oeuvre"),
            (Folding::Phrase, "Über Größe", "uber grosse"),
            (Folding::Sentence, "Élodie’s Straße", "Elodie's Strasse"),
            (Folding::Order, "Don’t łż", "dont lz"),
        ] {
            assert_eq!(fold(text, purpose), expected, "{purpose:?} {text}");
        }
    }

    #[test]
    fn plain_ascii_takes_the_short_way_to_the_same_end() {
        use Folding::{Case, Listed, Name, Order, Phrase, Request, Sentence, Stem};
        for purpose in [Stem, Case, Listed, Name, Request, Phrase, Sentence, Order] {
            for c in (0u8..128).map(char::from) {
                let mut long = String::new();
                purpose.push(c, &mut long);
                assert_eq!(fold(&c.to_string(), purpose), long, "{purpose:?} {c:?}");
            }
        }
    }
}
