//! Nearness in words: the words of a request without its frame, found in texts by stem, in spite of a slip of the pen, and
//! inside a compound. It orders memories; by itself it makes no match direct.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::languages::frame::{EXCEPTIONS, FORGET_STEMS, FORGETS, KEEPS, NEGATIONS, WRAPS};
use crate::words::{Folding, fold};

/// Words of a request that are compared.
const WORDS_MAX: usize = 40;
/// Letters from which on a word with another ending is the same word.
const STEM_LETTERS_MIN: usize = 4;
/// Letters from which on one slip of the pen is forgiven, and from which on two are.
const SLIP_LETTERS_MIN: usize = 5;
const TWO_SLIPS_LETTERS_MIN: usize = 9;
/// The share of the longer word that two forms of one word have in common.
const STEM_SHARE: f32 = 0.7;
/// Letters by which the ending of a form may be longer.
const ENDING_LETTERS_MAX: usize = 3;
/// Likeness of two words that are not equal: forms of one word, a slip of the pen, a part of a compound.
pub(super) const FORM: f32 = 0.85;
const SLIP: f32 = 0.8;
pub(super) const COMPOUND: f32 = 0.6;

static FORGET_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| FORGETS.iter().flat_map(|list| list.split_whitespace()).collect());
static FRAME_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let wraps = WRAPS.iter().flat_map(|list| list.split_whitespace());
    wraps.chain(FORGET_WORDS.iter().copied()).collect()
});

/// Returns true when a text has a word that asks to forget, or a negated word of keeping or knowing.
pub fn asks_to_forget(text: &str) -> bool {
    let words = folded(text);
    let has = |list: &str| words.iter().any(|word| list.split_whitespace().any(|listed| listed == word));
    let forgets = |word: &String| FORGET_STEMS.split_whitespace().any(|stem| word.starts_with(stem));
    words.iter().any(|word| is_of(word, &FORGET_WORDS) || forgets(word)) || has(KEEPS) && has(NEGATIONS)
}

/// Returns true when a text may name an exception, so that a part of what it names is to stay.
pub fn may_except(text: &str) -> bool {
    let begins = |word: &String| EXCEPTIONS.split_whitespace().any(|known| word.starts_with(known));
    folded(text).iter().any(begins)
}

/// The language that knows most words of a request, by its place in the lists of frames; English where two know as many.
pub fn frame_language(request: &str) -> usize {
    let words = folded(request);
    let known = |at: usize| {
        let lists = [WRAPS[at], FORGETS[at]];
        let has =
            |word: &&String| lists.iter().any(|list| list.split_whitespace().any(|known| known == *word));
        words.iter().filter(has).count()
    };
    (0..WRAPS.len()).max_by_key(|at| (known(*at), std::cmp::Reverse(*at))).unwrap_or_default()
}

/// The request without the words around its topic; the whole of it when nothing else is left.
pub fn without_frame(request: &str) -> String {
    let tells = |part: &&str| folded(part).iter().any(|word| is_telling(word));
    let left: Vec<&str> = request.split_whitespace().filter(tells).collect();
    if left.is_empty() { request.to_owned() } else { left.join(" ") }
}

/// The words of a request that are looked for.
pub struct NearWords(Vec<Vec<char>>);

/// The words that a text has in common with a request.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overlap {
    /// Sum over the common words, each by its likeness and by how rare it is among the texts.
    pub weight: f32,
    /// The share of the request's words that the text has, as equal words or forms of them.
    pub covered: f32,
}

impl NearWords {
    /// Reads the words of a request.
    pub fn of(request: &str) -> Self {
        let mut words: Vec<String> = folded(request);
        words.retain(|word| is_telling(word));
        words.sort_unstable();
        words.dedup();
        words.truncate(WORDS_MAX);
        Self(words.iter().map(|word| word.chars().collect()).collect())
    }

    /// Returns true when nothing but a frame was said.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Compares the request with texts; one overlap for each text.
    pub fn overlaps(&self, texts: &[&str]) -> Vec<Overlap> {
        let texts: Vec<HashSet<String>> = texts
            .iter()
            .map(|text| folded(text).into_iter().filter(|word| !is_frame(word)).collect())
            .collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for word in texts.iter().flatten() {
            *counts.entry(word).or_default() += 1;
        }
        let known: HashMap<&str, Vec<(usize, f32)>> = counts
            .keys()
            .filter_map(|known| {
                let letters: Vec<char> = known.chars().collect();
                let alike: Vec<(usize, f32)> = (self.0.iter().enumerate())
                    .map(|(at, own)| (at, likeness(own, &letters)))
                    .filter(|(_, likeness)| *likeness > 0.0)
                    .collect();
                (!alike.is_empty()).then_some((*known, alike))
            })
            .collect();
        let all = texts.len() as f32;
        let rareness = |word: &str| (1.0 + all / counts[word] as f32).ln() / (1.0 + all).ln();
        texts.iter().map(|text| self.overlap(text, &known, rareness)).collect()
    }

    fn overlap(
        &self,
        text: &HashSet<String>,
        known: &HashMap<&str, Vec<(usize, f32)>>,
        rareness: impl Fn(&str) -> f32,
    ) -> Overlap {
        let mut best = vec![(0.0f32, 0.0f32); self.0.len()];
        for word in text {
            for (at, likeness) in known.get(word.as_str()).into_iter().flatten() {
                let (weight, alike) = &mut best[*at];
                *weight = weight.max(likeness * rareness(word));
                *alike = alike.max(*likeness);
            }
        }
        let covered = best.iter().filter(|(_, alike)| *alike >= FORM).count();
        Overlap {
            weight: best.iter().map(|(weight, _)| weight).sum(),
            covered: covered as f32 / best.len().max(1) as f32,
        }
    }
}

/// Words in one spelling; a word with a hyphen counts as its parts and as a whole.
pub(super) fn folded(text: &str) -> Vec<String> {
    let is_inner = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut words = Vec::new();
    for run in text.split(|c: char| !is_inner(c)).filter(|run| !run.is_empty()) {
        let parts = run.split('-').filter(|part| !part.is_empty());
        let mut several = false;
        for part in parts {
            several |= part.len() < run.len();
            words.push(spelling(part));
        }
        if several {
            words.push(spelling(&run.replace('-', "")));
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

pub(super) fn spelling(word: &str) -> String {
    fold(word, Folding::Name).replace('ł', "l").replace('ß', "ss")
}

pub(super) fn is_telling(word: &str) -> bool {
    let long = word.chars().nth(1).is_some() || word.chars().all(|c| c.is_numeric());
    long && !is_frame(word)
}

pub(super) fn is_frame(word: &str) -> bool {
    is_of(word, &FRAME_WORDS)
}

/// Returns true for a listed word, or for a verb of forgetting with one slip of the pen.
fn is_of(word: &str, list: &HashSet<&str>) -> bool {
    static LONG: LazyLock<Vec<Vec<char>>> = LazyLock::new(|| {
        let long = FORGET_WORDS.iter().filter(|listed| listed.len() > SLIP_LETTERS_MIN);
        long.map(|listed| listed.chars().collect()).collect()
    });
    if list.contains(word) {
        return true;
    }
    let letters: Vec<char> = word.chars().collect();
    letters.len() >= SLIP_LETTERS_MIN && LONG.iter().any(|listed| slips_at_most(&letters, listed, 1))
}

/// The likeness of two words, 0 to 1.
pub(super) fn likeness(a: &[char], b: &[char]) -> f32 {
    if a == b {
        return 1.0;
    }
    let has_digit = |word: &[char]| word.iter().any(char::is_ascii_digit);
    if has_digit(a) || has_digit(b) {
        return 0.0;
    }
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let common = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let shares = common as f32 >= STEM_SHARE * long.len() as f32;
    let ending = common + 1 >= short.len() && long.len() - short.len() <= ENDING_LETTERS_MAX;
    if common >= STEM_LETTERS_MIN && (shares || ending) {
        return FORM;
    }
    if short.len() < SLIP_LETTERS_MIN {
        return 0.0;
    }
    let forgiven = if long.len() >= TWO_SLIPS_LETTERS_MIN { 2 } else { 1 };
    if slips_at_most(a, b, forgiven) {
        return SLIP;
    }
    let inside = long.windows(short.len()).any(|window| window == short);
    if inside { COMPOUND } else { 0.0 }
}

/// Returns true when two words are equal but for one slip of the pen.
pub(super) fn slips_at_most_one(a: &str, b: &str) -> bool {
    if a.len().abs_diff(b.len()) > char::MAX.len_utf8() {
        return false;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    slips_at_most(&a, &b, 1)
}

/// Returns true when two words become equal by changing, adding, leaving out or swapping with its neighbour so many letters
/// at most.
fn slips_at_most(a: &[char], b: &[char], most: usize) -> bool {
    if a.len().abs_diff(b.len()) > most {
        return false;
    }
    let common = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[common..], &b[common..]);
    if a.is_empty() || b.is_empty() {
        return true;
    }
    let Some(left) = most.checked_sub(1) else { return false };
    let swapped = a.len() > 1 && b.len() > 1 && a[0] == b[1] && a[1] == b[0];
    slips_at_most(&a[1..], &b[1..], left)
        || slips_at_most(&a[1..], b, left)
        || slips_at_most(a, &b[1..], left)
        || swapped && slips_at_most(&a[2..], &b[2..], left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_slips_and_compounds_of_a_word_are_alike() {
        let alike =
            |a: &str, b: &str| likeness(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        for (a, b) in [
            ("gardens", "garden"),
            ("wohnung", "wohnungen"),
            ("colour", "coluor"),
            ("steuer", "steuerberater"),
        ] {
            assert!(alike(a, b) > 0.0, "{a} {b}");
        }
        for (a, b) in [("cat", "car"), ("2209", "220914"), ("gano", "vegano"), ("bank", "banjo")] {
            assert_eq!(alike(a, b), 0.0, "{a} {b}");
        }
    }

    #[test]
    fn slips_are_counted_up_to_a_limit() {
        let letters = |word: &str| word.chars().collect::<Vec<_>>();
        for (a, b, slips) in [
            ("garden", "garden", 0),
            ("garden", "gardne", 1),
            ("garden", "gaden", 1),
            ("garden", "gardens", 1),
            ("garden", "warden", 1),
            ("garden", "agrdne", 2),
            ("garden", "warmen", 2),
            ("abcdef", "bcdefg", 2),
            ("garden", "wardens", 2),
            ("garden", "harbour", 5),
            ("", "ab", 2),
        ] {
            for most in 0..3 {
                let close = slips <= most;
                assert_eq!(slips_at_most(&letters(a), &letters(b), most), close, "{a} {b} {most}");
                assert_eq!(slips_at_most(&letters(b), &letters(a), most), close, "{b} {a} {most}");
            }
        }
    }

    #[test]
    fn the_frame_of_a_request_is_no_topic() {
        for (request, left) in [
            ("Could you please forget the lighthouse?", "lighthouse?"),
            ("delte the lighthouse pls", "lighthouse"),
            ("Zapomnij o mojej latarni, proszę", "latarni,"),
            ("Apaga o meu farol", "farol"),
            ("forget it", "forget it"),
        ] {
            assert_eq!(without_frame(request), left, "{request}");
        }
    }

    #[test]
    fn a_rare_word_weighs_more_than_a_common_one() {
        let texts = ["the blue boat", "the blue door", "a red door", "a green door"];
        let overlaps = NearWords::of("forget the blue boat").overlaps(&texts);
        assert!(overlaps[0].weight > overlaps[1].weight && overlaps[1].weight > overlaps[2].weight);
        assert_eq!((overlaps[0].covered, overlaps[1].covered, overlaps[2].covered), (1.0, 0.5, 0.0));
    }

    #[test]
    fn a_question_that_asks_to_forget_is_told_from_others() {
        for text in
            ["Could the lighthouse go, delete it?", "Would you mind not keeping my age?", "vergeet je dat?"]
        {
            assert!(asks_to_forget(text), "{text}");
        }
        for text in ["Where is the lighthouse?", "Do you know my age?"] {
            assert!(!asks_to_forget(text), "{text}");
        }
    }
}
