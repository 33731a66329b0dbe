//! The word lists, compiled once: what each known word or phrase may stand for, and where a text uses it.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::words::{Case, WrittenWord, is_unspaced, words};
use crate::compiled::on_clean_stack;
use crate::words::{Folding, fold};

/// Declares the tags under which the lists file their words.
macro_rules! tags {
    ($($tag:ident $word:literal),+ $(,)?) => {
        /// A meaning that a listed word may have.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum WordTag { $($tag),+ }

        impl WordTag {
            fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$tag),)+ _ => None }
            }
        }
    };
}

tags! {
    Given "given", GivenUnsure "given-unsure", Surname "surname", Title "title", Honorific "honorific",
    Particle "particle", NamedAs "named-as", NotName "not-name",
    Family "family", Partner "partner", Friend "friend", Work "work",
    Place "place", PlaceUnsure "place-unsure", PlaceWord "place-word", Near "near", Reside "reside",
    Org "org", OrgUnsure "org-unsure", OrgSuffix "org-suffix", OrgWord "org-word", Employ "employ",
    Condition "condition", Medication "medication",
    Health "health", Financial "financial", Biometric "biometric", Location "location", Belief "belief",
    Relationship "relationship", Professional "professional", Preference "preference", Sexual "sexual",
    Machine "machine", Animal "animal", Fiction "fiction", Specialist "specialist",
    Body "body", Trouble "trouble", Scan "scan", Measured "measured", Again "again", Plain "plain",
    Me "me", My "my", We "we", They "they", Owner "owner", PersonalVerb "personal-verb", Be "be",
    Document "document", Say "say", Business "business", Company "company", Confidential "confidential",
    Staff "staff", Crowd "crowd", Often "often",
    Filler "filler", Remember "remember", Decision "decision", Event "event", Calendar "calendar",
    German "german", Function "function",
}

impl WordTag {
    pub(super) fn is_relation(self) -> bool {
        matches!(self, WordTag::Family | WordTag::Partner | WordTag::Friend | WordTag::Work)
    }

    fn is_grammar(self) -> bool {
        matches!(
            self,
            WordTag::Me | WordTag::My | WordTag::We | WordTag::They | WordTag::Owner | WordTag::PersonalVerb
        )
    }
}

/// One reading of a listed word.
#[derive(Clone, Copy)]
struct Mark {
    tag: WordTag,
    weight: f32,
    /// The plain English word for it, where the list gives one.
    means: Option<&'static str>,
    /// True when the word must be written in capitals: "WHO" is not "who".
    shouted: bool,
}

/// A listed word or phrase where a text uses it.
#[derive(Clone, Debug)]
pub(super) struct ListedHit {
    /// The meaning of the word.
    pub tag: WordTag,
    /// The weight of the word, from 0 to 1.
    pub weight: f32,
    /// The plain name of the thing, where the list gives one.
    pub means: Option<&'static str>,
    /// The words that it covers.
    pub words: Range<usize>,
    /// The bytes that it covers: in scripts without spaces, a part of one word.
    pub span: Range<usize>,
}

#[derive(Default)]
struct LexiconEntry {
    marks: Vec<Mark>,
    /// Words in the longest phrase that begins with this one.
    longest: usize,
}

/// FNV-1a: the keys are the program's own, so nobody can choose them to collide, and words are short.
#[derive(Clone, Copy)]
struct ShortHash(u64);

impl Default for ShortHash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for ShortHash {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

type Table<T> = HashMap<String, T, BuildHasherDefault<ShortHash>>;

pub(super) struct Lexicon {
    spaced: Table<LexiconEntry>,
    unspaced: AhoCorasick,
    unspaced_marks: Vec<Vec<Mark>>,
    stems: Stems,
}

/// Stems with open ends, as one automaton over words between [`WORD_EDGE`]s.
struct Stems {
    automaton: AhoCorasick,
    marks: Vec<Mark>,
}

/// Stands before and after a word, so that a stem can ask for its beginning or its end.
const WORD_EDGE: char = '\n';
/// Stands in a list for any letters.
const OPEN_END: char = '*';
/// Shorter words are listed in full.
const STEM_WORD_BYTES_MIN: usize = 4;

/// The longest phrase that is looked up, in words.
const PHRASE_WORDS_MAX: usize = 5;

const LISTS: &[&str] = &[
    include_str!("lists/names.txt"),
    include_str!("lists/relations.txt"),
    include_str!("lists/places.txt"),
    include_str!("lists/organisations.txt"),
    include_str!("lists/medical.txt"),
    include_str!("lists/sensitive.txt"),
    include_str!("lists/stems.txt"),
    include_str!("lists/speech.txt"),
];

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::compile(LISTS));

/// Finds every listed word and phrase, in order; of phrases that begin at one word, the longest.
pub(super) fn hits(words: &[WrittenWord<'_>]) -> Vec<ListedHit> {
    let mut hits = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        if words[at].unspaced {
            LEXICON.find_within(&words[at], at, &mut hits);
            at += 1;
        } else {
            at = LEXICON.find_from(words, at, &mut hits);
        }
    }
    hits
}

/// Returns true for a folded word that is listed as a given name and as nothing less sure.
pub fn is_given(word: &str) -> bool {
    LEXICON.spaced.get(word).is_some_and(|entry| entry.marks.iter().any(|mark| mark.tag == WordTag::Given))
}

/// Returns true for a folded word that is an everyday word as well as a name.
pub fn is_common_word(word: &str) -> bool {
    /// Words that make no trouble when a text is classified, and do when a name is looked for.
    const MORE: &[&str] = &[
        "frank", "jack", "rob", "sue", "bob", "nick", "don", "ray", "gray", "dot", "peg", "carol", "eve",
        "lance", "pierce", "victor", "baker", "smith", "cook", "young", "brown", "white", "black", "green",
        "hill", "wood", "stone", "rice", "bush", "page", "price", "long", "short", "good", "best", "day",
        "bell", "fox", "bird", "field", "ford", "law",
    ];
    let unsure = |entry: &LexiconEntry| entry.marks.iter().any(|mark| mark.tag == WordTag::GivenUnsure);
    MORE.contains(&word) || LEXICON.spaced.get(word).is_some_and(unsure)
}

/// Returns true for a folded word that stands before names.
pub fn is_title(word: &str) -> bool {
    LEXICON.spaced.get(word).is_some_and(|entry| entry.marks.iter().any(|mark| mark.tag == WordTag::Title))
}

impl Lexicon {
    fn compile(lists: &'static [&'static str]) -> Self {
        let mut spaced: Table<LexiconEntry> = Table::default();
        let mut unspaced: HashMap<String, Vec<Mark>> = HashMap::new();
        let mut stems: Vec<(&str, Mark)> = Vec::new();
        for (phrase, mark) in lists.iter().flat_map(|list| entries(list)) {
            if phrase.contains(OPEN_END) {
                stems.push((phrase, mark));
                continue;
            }
            if phrase.chars().any(is_unspaced) {
                unspaced.entry(fold(phrase, Folding::Listed)).or_default().push(mark);
                continue;
            }
            let parts: Vec<String> = words(phrase).into_iter().map(|word| word.folded).collect();
            let Some(first) = parts.first() else { continue };
            let head = spaced.entry(first.clone()).or_default();
            head.longest = head.longest.max(parts.len());
            let entry = spaced.entry(parts.join(" ")).or_default();
            // The same word in two languages is still one word; relations differ by what they mean.
            if !entry.marks.iter().any(|other| {
                other.tag == mark.tag && other.means == mark.means && other.weight == mark.weight
            }) {
                entry.marks.push(mark);
            }
        }
        let (patterns, unspaced_marks): (Vec<_>, Vec<_>) = unspaced.into_iter().unzip();
        // The lists are part of the program: if they did not compile, no test would pass.
        let build = || AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&patterns);
        let unspaced =
            on_clean_stack(build).unwrap_or_else(|error| unreachable!("the word lists compile: {error}"));
        Self { spaced, unspaced, unspaced_marks, stems: Stems::compile(&stems) }
    }

    /// Looks up what begins at a word, and says where to go on.
    fn find_from(&self, words: &[WrittenWord<'_>], at: usize, hits: &mut Vec<ListedHit>) -> usize {
        let Some(head) = self.spaced.get(&words[at].folded) else {
            self.stems.find(&words[at], at, &[], hits);
            return at + 1;
        };
        let reach = joined_reach(words, at, head.longest.min(PHRASE_WORDS_MAX));
        for end in (at + 2..=reach).rev() {
            let phrase = join(&words[at..end]);
            if let Some(entry) = self.spaced.get(&phrase).filter(|entry| !entry.marks.is_empty()) {
                let first = hits.len();
                push(&entry.marks, at..end, words[at].span.start..words[end - 1].span.end, hits);
                self.find_inside(words, at..end, first, hits);
                return end;
            }
        }
        push_written(&head.marks, &words[at], at, hits);
        self.stems.find(&words[at], at, &head.marks, hits);
        at + 1
    }

    /// A phrase swallows its words, but not who they speak of: "my boss", "my salary". Hits from `first` on are the
    /// phrase's own.
    fn find_inside(
        &self,
        words: &[WrittenWord<'_>],
        phrase: Range<usize>,
        first: usize,
        hits: &mut Vec<ListedHit>,
    ) {
        let related = hits[first..].iter().any(|hit| hit.tag.is_relation());
        for at in phrase {
            let Some(entry) = self.spaced.get(&words[at].folded) else { continue };
            let kept = entry.marks.iter().copied();
            let kept: Vec<Mark> =
                kept.filter(|mark| mark.tag.is_grammar() || !related && mark.tag.is_relation()).collect();
            push(&kept, at..at + 1, words[at].span.clone(), hits);
        }
    }

    fn find_within(&self, word: &WrittenWord<'_>, at: usize, hits: &mut Vec<ListedHit>) {
        // Folding must not have moved the letters, or the bytes would lie.
        if word.folded != word.text {
            return;
        }
        for found in self.unspaced.find_iter(word.text) {
            // One Hangul syllable is a word only when it stands alone: inside another it is a part of that one.
            if is_syllable(&word.text[found.range()]) && found.len() < word.text.len() {
                continue;
            }
            let span = word.span.start + found.start()..word.span.start + found.end();
            push(&self.unspaced_marks[found.pattern().as_usize()], at..at + 1, span, hits);
        }
    }
}

impl Stems {
    fn compile(stems: &[(&str, Mark)]) -> Self {
        let pattern = |stem: &str| {
            let body = fold(stem.trim_matches(OPEN_END), Folding::Listed);
            let edge = |open: bool| if open { String::new() } else { WORD_EDGE.to_string() };
            format!("{}{body}{}", edge(stem.starts_with(OPEN_END)), edge(stem.ends_with(OPEN_END)))
        };
        let patterns: Vec<String> = stems.iter().map(|(stem, _)| pattern(stem)).collect();
        // The lists are part of the program: if they did not compile, no test would pass.
        let automaton = on_clean_stack(|| AhoCorasick::new(&patterns))
            .unwrap_or_else(|error| unreachable!("the stems compile: {error}"));
        Self { automaton, marks: stems.iter().map(|(_, mark)| *mark).collect() }
    }

    /// Adds the readings of a word by its stems, but for those that the lists give it as a whole.
    fn find(&self, word: &WrittenWord<'_>, at: usize, listed: &[Mark], hits: &mut Vec<ListedHit>) {
        let known =
            |stem: &Mark| listed.iter().any(|mark| mark.tag == stem.tag && mark.weight >= stem.weight);
        let plain = listed.iter().any(|mark| mark.tag == WordTag::Plain);
        if word.folded.len() < STEM_WORD_BYTES_MIN || plain {
            return;
        }
        let text = format!("{WORD_EDGE}{}{WORD_EDGE}", word.folded);
        let mut added: Vec<Mark> = Vec::new();
        for found in self.automaton.find_overlapping_iter(&text) {
            let mark = self.marks[found.pattern().as_usize()];
            if !known(&mark) && !added.iter().any(|other| other.tag == mark.tag) {
                added.push(mark);
            }
        }
        push(&added, at..at + 1, word.span.clone(), hits);
    }
}

/// Two to four capitals: short enough to be another word when written small.
fn is_acronym(phrase: &str) -> bool {
    (2..=4).contains(&phrase.len()) && phrase.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn is_syllable(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| ('\u{ac00}'..'\u{d7b0}').contains(&c)) && chars.next().is_none()
}

/// The end of the longest phrase that could begin here: words divided by nothing but space, hyphen or apostrophe.
fn joined_reach(words: &[WrittenWord<'_>], at: usize, longest: usize) -> usize {
    use super::words::WordGap::{Apostrophe, Hyphen, Space};
    let limit = words.len().min(at + longest);
    (at + 1..limit)
        .find(|next| !matches!(words[*next].gap, Space | Hyphen | Apostrophe))
        .unwrap_or(limit.max(at + 1))
}

fn join(words: &[WrittenWord<'_>]) -> String {
    let mut phrase = String::with_capacity(32);
    for word in words {
        if !phrase.is_empty() {
            phrase.push(' ');
        }
        phrase.push_str(&word.folded);
    }
    phrase
}

/// Pushes the readings of a single word that its case allows.
fn push_written(marks: &[Mark], word: &WrittenWord<'_>, at: usize, hits: &mut Vec<ListedHit>) {
    for mark in marks.iter().filter(|mark| !mark.shouted || word.case == Case::Upper) {
        push(std::slice::from_ref(mark), at..at + 1, word.span.clone(), hits);
    }
}

fn push(marks: &[Mark], words: Range<usize>, span: Range<usize>, hits: &mut Vec<ListedHit>) {
    hits.extend(marks.iter().map(|mark| ListedHit {
        tag: mark.tag,
        weight: mark.weight,
        means: mark.means,
        words: words.clone(),
        span: span.clone(),
    }));
}

/// Reads a list: `[tag weight]` opens a section, `meaning = a, b` or `a, b` lists words, `#` begins a remark.
fn entries(list: &'static str) -> impl Iterator<Item = (&'static str, Mark)> {
    let mut tag = WordTag::Function;
    let mut weight = 1.0;
    list.lines().filter(|line| !line.starts_with('#')).flat_map(move |line| {
        if let Some(section) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            let (name, number) = section.split_once(' ').unwrap_or((section, "1"));
            tag =
                WordTag::from_word(name).unwrap_or_else(|| unreachable!("the word lists know no tag {name}"));
            weight = number.parse().unwrap_or(1.0);
            return Vec::new();
        }
        let (means, phrases) = match line.split_once(" = ") {
            Some((means, phrases)) => (Some(means), phrases),
            None => (None, line),
        };
        let mark = Mark { tag, weight, means, shouted: false };
        phrases
            .split(',')
            .map(str::trim)
            .filter(|phrase| !phrase.is_empty())
            .map(|phrase| (phrase, Mark { shouted: is_acronym(phrase), ..mark }))
            .collect()
    })
}
