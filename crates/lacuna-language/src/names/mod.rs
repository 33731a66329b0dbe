//! One form for a name across scripts and spellings, so that what was written as Иван is found as Ivan.
//!
//! Spellings of one script are compared strictly, because a letter tells people apart. Across scripts a name is
//! read out in Latin letters, in every way that is usual, and compared as loosely as transliterations differ.

mod abjad;
mod compare;
mod fold;
mod han;
mod hangul;
mod indic;
mod kana;
mod mention;
mod nicknames;
mod script;
mod spell;
mod text;
mod unspaced;

#[cfg(test)]
mod tests;

use self::fold::{latin_forms, loosen, sound};
pub(crate) use self::mention::NameSearch;
use self::script::NameScript;
use super::classify;

/// The longest name that is compared, in words and in bytes; more of it is not looked at.
const NAME_WORDS_MAX: usize = 8;
const NAME_BYTES_MAX: usize = 256;
/// The most ways in which one name is read out.
const READINGS_MAX: usize = 24;

/// The result of comparing two names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Sameness {
    /// Two names.
    Different,
    /// An initial, a nickname, a transliteration without vowels: probably, but not for certain.
    Likely,
    /// One name.
    Same,
}

/// A name, read once and compared often.
pub struct PersonName {
    words: Vec<NameWord>,
    /// The whole name in Latin letters, loosened, its words in every order that is usual; for other scripts to
    /// meet.
    loose: Vec<String>,
    bones: Vec<String>,
    /// The same for the looser ways of Korean, and for each word alone.
    korean: Vec<String>,
    parts: Vec<String>,
    /// Other forms of its given names.
    aliases: Vec<&'static str>,
    script: NameScript,
    /// True when it was written with a capital, or in a script that has none.
    is_proper: bool,
}

/// One word of a name.
struct NameWord {
    /// Folded in its own script.
    native: String,
    script: NameScript,
    /// In Latin letters: the spellings of a Latin word, the readings of another.
    latin: Vec<String>,
    /// True when the reading lacks vowels that the name has.
    is_vowelless: bool,
    is_initial: bool,
    /// True for a name with a hyphen or the like.
    is_compound: bool,
}

impl PersonName {
    /// Reads a name as somebody wrote it.
    pub fn new(name: &str) -> Self {
        let end = name.floor_char_boundary(NAME_BYTES_MAX);
        let is_proper = name.chars().find(|c| c.is_alphabetic()).is_none_or(|c| !c.is_lowercase());
        let mut written = text::words(&name[..end]);
        let titled = written.iter().take_while(|word| classify::is_title(&word.folded)).count();
        if titled < written.len() {
            written.drain(..titled);
        }
        let words: Vec<NameWord> =
            written.iter().take(NAME_WORDS_MAX).map(|word| NameWord::new(word.text)).collect();
        Self::of(words, is_proper)
    }

    fn of(words: Vec<NameWord>, is_proper: bool) -> Self {
        let script = words.first().map_or(NameScript::Other, |word| word.script);
        let loose: Vec<String> = compare::orders(&words).iter().map(|order| loosen(order)).collect();
        let is_korean = script == NameScript::Hangul;
        let forms = || words.iter().flat_map(|word| &word.latin);
        Self {
            bones: loose.iter().map(|order| fold::bones(order)).collect(),
            korean: loose.iter().filter(|_| is_korean).map(|order| hangul::loosen(order)).collect(),
            parts: forms().map(|form| loosen(form)).collect(),
            aliases: forms().flat_map(|form| nicknames::others(form)).collect(),
            loose,
            words,
            script,
            is_proper,
        }
    }

    /// Forms under which the name can be looked up: names that are the same share one.
    pub fn keys(&self) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        // A character that no table knows is still itself.
        if self.script.is_unspaced() {
            keys.push(self.words.iter().map(|word| han::plain(&word.native)).collect());
        }
        for spelling in compare::spellings(&self.words) {
            let key = sound(&spelling);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }
}

impl NameWord {
    fn new(text: &str) -> Self {
        let native = fold::native(text);
        let script = script::of(text);
        let is_initial = script.has_case() && text.trim_end_matches('.').chars().count() == 1;
        let latin = match script {
            NameScript::Latin => latin_forms(text),
            // Folding would take й for и and ё for е, which are read in other ways.
            NameScript::Cyrillic => spell::read(script, &fold::lower(text)),
            script => spell::read(script, &native),
        };
        let is_vowelless = script.is_abjad() && !abjad::is_listed(&native);
        let is_compound = text.contains(|c: char| !c.is_alphanumeric());
        Self { native, script, latin, is_vowelless, is_initial, is_compound }
    }
}

/// Compares two names: every part of both must be met, in whatever order.
pub fn same_name(a: &str, b: &str) -> Sameness {
    compare::names(&PersonName::new(a), &PersonName::new(b))
}

/// The certainty with which a text mentions a name, by whole words and never by the beginning of a longer one.
pub fn mentions_name(text: &str, name: &str) -> Option<Sameness> {
    PersonName::new(name).mentioned_in(text)
}

/// Other forms of a given name, folded: short ones, and those of other languages.
pub(crate) fn nickname_forms(folded: &str) -> impl Iterator<Item = &'static str> {
    nicknames::others(folded)
}
