//! Mentions of a name in a text: by whole words, and in scripts without spaces by the characters around it.

use std::collections::HashMap;
use std::ops::Range;

use super::fold::{self, loosen};
use super::script::NameScript;
use super::text::{TextWord, word_places, words};
use super::{NameWord, PersonName, Sameness, compare, hangul, unspaced};
use crate::classify;

/// The search for a name in many texts. A word that many of them have is compared with the name once; the rest of a text is
/// read only where one of its words may belong to the name.
pub(crate) struct NameSearch<'n, 't> {
    name: &'n PersonName,
    /// Words as they are written; true for those that may belong to the name.
    known: HashMap<&'t str, bool>,
}

impl<'n, 't> NameSearch<'n, 't> {
    pub(crate) fn new(name: &'n PersonName) -> Self {
        Self { name, known: HashMap::new() }
    }

    /// The certainty with which a text mentions the name.
    pub(crate) fn mentioned_in(&mut self, text: &'t str) -> Option<Sameness> {
        let Self { name, known } = self;
        let may_begin = |(place, script): (Range<usize>, NameScript)| {
            let word = &text[place];
            script.is_unspaced()
                || *known.entry(word).or_insert_with(|| name.knows(word, &fold::native(word), script))
        };
        if word_places(text).any(may_begin) { name.mentioned_in(text) } else { None }
    }
}

impl PersonName {
    /// The certainty with which a text mentions this name.
    pub fn mentioned_in(&self, text: &str) -> Option<Sameness> {
        if self.words.is_empty() {
            return None;
        }
        let words = words(text);
        let mut best: Option<Sameness> = None;
        for at in 0..words.len() {
            let found = self.found_at(&words, at).map(|(surely, _)| surely);
            best = best.max(found);
            if best == Some(Sameness::Same) {
                break;
            }
        }
        best
    }

    /// The places at which a text mentions this name, in bytes, with a title that stands before it.
    pub fn places_in(&self, text: &str) -> Vec<Range<usize>> {
        let mut places: Vec<Range<usize>> = Vec::new();
        if self.words.is_empty() {
            return places;
        }
        let words = words(text);
        for at in 0..words.len() {
            let Some((_, place)) = self.found_at(&words, at) else { continue };
            let titled = at > 0 && words[at].is_joined && classify::is_title(&words[at - 1].folded);
            let start = if titled { words[at - 1].span.start } else { place.start };
            if places.last().is_none_or(|last| last.end <= start) {
                places.push(start..place.end);
            }
        }
        places
    }

    /// The certainty with which the name begins at a word, and its place in the text.
    fn found_at(&self, words: &[TextWord<'_>], at: usize) -> Option<(Sameness, Range<usize>)> {
        let start = words[at].span.start;
        if words[at].script.is_unspaced() {
            let (surely, place) = unspaced::find(self, words[at].text)?;
            return Some((surely, start + place.start..start + place.end));
        }
        let (surely, end) =
            self.starting_at(words, at).max(self.titled_at(words, at).map(|surely| (surely, at + 1)))?;
        Some((surely, start..words[end - 1].span.end))
    }

    /// "Dr. Hopper" may be Grace Hopper.
    fn titled_at(&self, words: &[TextWord<'_>], at: usize) -> Option<Sameness> {
        let [_, .., last] = self.words.as_slice() else { return None };
        let named = last.native == words[at].folded && !words[at].is_small();
        let titled = named && at > 0 && words[at].is_joined && classify::is_title(&words[at - 1].folded);
        titled.then_some(Sameness::Likely)
    }

    /// The name as words that begin at one word, and the word before which it ends.
    fn starting_at(&self, words: &[TextWord<'_>], at: usize) -> Option<(Sameness, usize)> {
        // One more for a middle name; a name without spaces may be written as three words.
        let longest = if self.script.is_unspaced() { 3 } else { self.words.len() + 1 };
        let mut best = None;
        for end in at + 1..=words.len().min(at + longest) {
            let last = &words[end - 1];
            if end > at + 1 && !last.is_joined || last.script.is_unspaced() || last.is_address {
                break;
            }
            // Words between the ends of a name may be middle names; the ends themselves must be known.
            if !self.knows(last.text, &last.folded, last.script) {
                if end == at + 1 {
                    break;
                }
                continue;
            }
            best = best.max(self.as_window(words, at..end).map(|surely| (surely, end)));
        }
        best
    }

    /// Returns true when a word may be one of the name's own: a cheap question before the full comparison.
    fn knows(&self, written: &str, folded: &str, script: NameScript) -> bool {
        if self.aliases.contains(&folded) {
            return true;
        }
        if script != self.script {
            return self.knows_sound(written, folded, script);
        }
        let first = folded.chars().next();
        let lone = folded.chars().nth(1).is_none();
        self.words.iter().any(|own| {
            let begins = own.native.chars().next() == first;
            let cased = own.script == NameScript::Cyrillic || !written.is_ascii();
            own.native == folded
                || own.latin.iter().any(|form| form == folded)
                || begins && (own.is_initial || lone || cased)
                || own.is_compound && own.native.contains(folded)
        }) || self.parts.iter().any(|part| part.chars().next() == first && *part == loosen(folded))
    }

    /// The same across scripts: whether the word sounds like a part of the name.
    fn knows_sound(&self, written: &str, folded: &str, script: NameScript) -> bool {
        if script == NameScript::Latin {
            return self.sounds(folded, false);
        }
        let read = NameWord::new(written);
        read.latin.iter().any(|reading| self.sounds(reading, read.is_vowelless))
    }

    fn sounds(&self, reading: &str, is_vowelless: bool) -> bool {
        let loose = loosen(reading);
        if self.script.has_case() && !is_vowelless {
            let lone = loose.len() == 1;
            return self.parts.iter().any(|part| *part == loose || lone && part.starts_with(&loose));
        }
        let thin = is_vowelless || self.script == NameScript::Thai || self.script.is_abjad();
        let bones = if thin { fold::bones(&loose) } else { String::new() };
        let korean = if self.script == NameScript::Hangul { hangul::loosen(&loose) } else { String::new() };
        self.loose.iter().any(|own| own.contains(&loose))
            || thin && self.bones.iter().any(|own| own.contains(&bones))
            || self.korean.iter().any(|own| own.contains(&korean))
    }

    fn as_window(&self, words: &[TextWord<'_>], window: Range<usize>) -> Option<Sameness> {
        let inner = &words[window];
        if self.is_too_long_for(inner) {
            return None;
        }
        let written = PersonName::of(inner.iter().map(|word| NameWord::new(word.text)).collect(), true);
        let same = compare::names(self, &written);
        (same != Sameness::Different).then_some(())?;
        // "I met Hopper, Grace said": a comma may turn a name round, or may not.
        let turned = inner.iter().skip(1).any(|word| word.after_comma);
        let same = if turned { Sameness::Likely } else { same };
        self.by_case(words, inner, same)
    }

    /// One word of a name of several is not worth a comparison, unless it is all of them in one.
    fn is_too_long_for(&self, window: &[TextWord<'_>]) -> bool {
        let [only] = window else { return false };
        let length = || self.words.iter().map(|word| word.native.len()).sum::<usize>();
        self.words.len() > 1 && only.script == self.script && only.folded.len() != length()
    }

    /// "A frank discussion" does not mention Frank, and "Will you" may not mention Will.
    fn by_case(&self, words: &[TextWord<'_>], window: &[TextWord<'_>], same: Sameness) -> Option<Sameness> {
        if !window.iter().all(|word| word.script.has_case()) {
            return Some(same);
        }
        let small = window.iter().any(TextWord::is_small);
        let common = window.iter().any(|word| classify::is_common_word(&word.folded));
        match window {
            [only] if small && self.is_proper => may_be_small(words, only).then_some(Sameness::Likely),
            [only] if !small && common && only.opens_sentence => Some(Sameness::Likely),
            _ if small && common => Some(Sameness::Likely),
            _ => Some(same),
        }
    }
}

/// Returns true when a word in small letters may still be a name: a well-known one, or any in a text without capitals.
fn may_be_small(words: &[TextWord<'_>], word: &TextWord<'_>) -> bool {
    let shouts = |word: &TextWord<'_>| word.text.contains(char::is_uppercase);
    !classify::is_common_word(&word.folded) && (classify::is_given(&word.folded) || !words.iter().any(shouts))
}
