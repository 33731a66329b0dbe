use std::collections::HashMap;

use lacuna_language::words::{Language, QueryWord, Term, TermList};
use zeroize::Zeroize;

use crate::index::block::push;
use crate::index::sessions::Sessions;
use crate::index::{NONE, SLOTS_MAX};

/// The usual BM25 constants: `K1` limits the effect of a repeated word, `B` discounts long texts.
const K1: f32 = 1.2;
const B: f32 = 0.75;
/// A word that more memories than this say does not bring in a memory by itself, if the question has a rarer one.
const COMMON_WORD_MIN: usize = 20_000;
/// The weight of a turn's own words in its context, against one of each neighbour's.
const OWN_WEIGHT: u16 = 2;

const COUNT_BITS: u32 = 32 - SLOTS_MAX.ilog2();

/// A slot and how often it says the term, in one number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Posting(u32);

impl Zeroize for Posting {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Posting {
    fn new(slot: u32, count: u8) -> Self {
        Self(slot << COUNT_BITS | u32::from(count))
    }

    fn slot(self) -> u32 {
        self.0 >> COUNT_BITS
    }

    fn count(self) -> u8 {
        (self.0 & ((1 << COUNT_BITS) - 1)) as u8
    }
}

/// The memories that contain a term, in rising order of slot.
struct List {
    term: Term,
    postings: Vec<Posting>,
}

/// A word of the question with those that say it, by each of the terms it may stand for.
struct QuestionWord<'a> {
    lists: &'a [&'a [Posting]],
    weight: f32,
    /// The word's bit in [`WordScore::said`].
    bit: u64,
}

impl QuestionWord<'_> {
    /// Returns the number of times a memory contains the word.
    fn count(&self, slot: u32) -> u16 {
        let count_in = |list: &&[Posting]| {
            let at = list.partition_point(|posting| posting.slot() < slot);
            list.get(at).filter(|posting| posting.slot() == slot).map_or(0, |posting| posting.count())
        };
        u16::from(self.lists.iter().map(count_in).max().unwrap_or(0))
    }
}

/// Inputs that all words of one question share.
struct WordSearch<'a, V> {
    sessions: &'a Sessions,
    /// Returns true when a memory is visible to this question; only then its words count for its neighbours.
    visible: V,
    /// The average length of a memory.
    average: f32,
}

/// An inverted index: the memories that contain each word.
#[derive(Default)]
pub(crate) struct Postings {
    numbers: HashMap<Term, u32>,
    lists: Vec<List>,
    free: Vec<u32>,
    lengths: Vec<u32>,
    total_length: u64,
    memories: usize,
    languages: HashMap<Language, usize>,
}

/// The word score of one memory.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub(crate) struct WordScore {
    /// BM25 of the memory by itself.
    pub(crate) own: f32,
    /// BM25 of the memory said twice between its neighbours; of a memory without neighbours, its own.
    pub(crate) context: f32,
    /// One bit per query word that the memory itself says.
    pub(crate) said: u64,
}

/// Dense working space, kept between searches and zero outside of them.
#[derive(Default)]
pub(crate) struct Scratch {
    scores: Vec<WordScore>,
    touched: Vec<u32>,
    counts: Vec<u8>,
    context_counts: Vec<u16>,
    sayers: Vec<u32>,
    hearers: Vec<u32>,
    union: Vec<Posting>,
}

impl Scratch {
    fn fit(&mut self, slots: usize) {
        if self.counts.len() < slots {
            self.scores.resize(slots, WordScore::default());
            self.counts.resize(slots, 0);
            self.context_counts.resize(slots, 0);
        }
    }

    pub(crate) fn score(&self, slot: u32) -> WordScore {
        self.scores.get(slot as usize).copied().unwrap_or_default()
    }

    /// Every slot that says one of the words or stands beside one that does.
    pub(crate) fn touched(&self) -> &[u32] {
        &self.touched
    }

    pub(crate) fn clear(&mut self) {
        for slot in self.touched.drain(..) {
            self.scores[slot as usize] = WordScore::default();
        }
    }

    /// Merges the lists: each memory that contains any of the terms, with its highest count.
    fn unite(&mut self, lists: &[&[Posting]]) -> Vec<Posting> {
        for posting in lists.iter().copied().flatten() {
            let place = &mut self.counts[posting.slot() as usize];
            if *place == 0 {
                self.sayers.push(posting.slot());
            }
            *place = posting.count().max(*place);
        }
        let mut union = std::mem::take(&mut self.union);
        let counts = &mut self.counts;
        union.extend(
            self.sayers.drain(..).map(|slot| Posting::new(slot, std::mem::take(&mut counts[slot as usize]))),
        );
        union
    }

    fn hear(&mut self, slot: u32, count: u16) {
        let place = &mut self.context_counts[slot as usize];
        if *place == 0 {
            self.hearers.push(slot);
        }
        *place += count;
    }

    fn touch(&mut self, slot: u32) -> &mut WordScore {
        let score = &mut self.scores[slot as usize];
        if *score == WordScore::default() {
            self.touched.push(slot);
        }
        score
    }
}

impl Postings {
    /// Adds a memory's words and answers with their numbers, by which they are removed.
    pub(crate) fn insert(&mut self, slot: u32, terms: &TermList) -> Box<[u32]> {
        if self.lengths.len() <= slot as usize {
            self.lengths.resize(slot as usize + 1, 0);
        }
        self.lengths[slot as usize] = terms.length();
        self.total_length += u64::from(terms.length());
        self.memories += 1;
        *self.languages.entry(terms.language()).or_default() += 1;
        terms.iter().map(|(term, count)| self.insert_posting(term, Posting::new(slot, count))).collect()
    }

    fn insert_posting(&mut self, term: Term, posting: Posting) -> u32 {
        let number = *self.numbers.entry(term).or_insert_with(|| match self.free.pop() {
            Some(number) => {
                self.lists[number as usize].term = term;
                number
            }
            None => {
                self.lists.push(List { term, postings: Vec::new() });
                (self.lists.len() - 1) as u32
            }
        });
        let postings = &mut self.lists[number as usize].postings;
        let is_last = postings.last().is_none_or(|last| *last < posting);
        push(postings, posting);
        if !is_last {
            let at = postings.partition_point(|other| *other < posting);
            postings[at..].rotate_right(1);
        }
        number
    }

    /// Removes a memory's words; a word that nobody else says leaves no trace.
    pub(crate) fn remove(&mut self, slot: u32, terms: &[u32], language: Language) {
        for &number in terms {
            let List { term, postings } = &mut self.lists[number as usize];
            let at = postings.partition_point(|posting| posting.slot() < slot);
            postings[at..].rotate_left(1);
            if let Some(last) = postings.last_mut() {
                last.zeroize();
            }
            postings.pop();
            if postings.is_empty() {
                postings.shrink_to_fit();
                self.numbers.remove(term);
                term.0 = 0;
                self.free.push(number);
            }
        }
        self.total_length -= u64::from(self.lengths[slot as usize]);
        self.lengths[slot as usize] = 0;
        self.memories -= 1;
        if let Some(count) = self.languages.get_mut(&language) {
            *count -= 1;
        }
        self.languages.retain(|_, count| *count > 0);
    }

    /// Number of words of a memory, stop words aside.
    pub(crate) fn length(&self, slot: u32) -> u32 {
        self.lengths.get(slot as usize).copied().unwrap_or(0)
    }

    #[cfg(test)]
    pub(crate) fn knows(&self, term: Term) -> bool {
        self.numbers.contains_key(&term) || self.lists.iter().any(|list| list.term == term)
    }

    /// The languages of the vault, the most spoken first.
    pub(crate) fn languages(&self) -> Vec<Language> {
        let mut languages: Vec<_> =
            self.languages.iter().map(|(&language, &count)| (count, language)).collect();
        languages.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        languages.into_iter().map(|(_, language)| language).collect()
    }

    pub(crate) fn bytes(&self) -> usize {
        let postings: usize =
            self.lists.iter().map(|list| list.postings.capacity() * size_of::<Posting>()).sum();
        let per_term = size_of::<List>() + size_of::<(Term, u32)>() + 1;
        postings + self.lists.capacity() * per_term + self.lengths.capacity() * 4
    }

    /// Scores every memory that says a word, and the neighbours of those that are visible. Answers with the
    /// weight of each word: the rarer, the heavier.
    pub(crate) fn score(
        &self,
        words: &[QueryWord],
        sessions: &Sessions,
        visible: impl Fn(u32) -> bool,
        scratch: &mut Scratch,
    ) -> Vec<f32> {
        scratch.fit(self.lengths.len());
        let average = (self.total_length as f32 / self.memories.max(1) as f32).max(1.0);
        let asked = WordSearch { sessions, visible, average };
        let lists: Vec<Vec<&[Posting]>> = words
            .iter()
            .map(|word| word.alternatives.iter().filter_map(|term| self.postings_of(term)).collect())
            .collect();
        let longest = |at: usize| lists[at].iter().map(|list| list.len()).max().unwrap_or(0);
        // The rarest word first: those who say it are few, and the common words only need to look at them.
        let mut order: Vec<usize> = (0..words.len()).collect();
        order.sort_by_key(|&at| longest(at));
        let mut weights = vec![0.0; words.len()];
        for at in order {
            let (lists, bit) = (&lists[at][..], 1 << at);
            weights[at] = if longest(at) > COMMON_WORD_MIN && !scratch.touched.is_empty() {
                let weight = self.weight(longest(at));
                self.add_to_touched(&QuestionWord { lists, weight, bit }, &asked, scratch);
                weight
            } else {
                self.add_to_all(&words[at], lists, bit, &asked, scratch)
            };
        }
        weights
    }

    /// Adds what one word is worth to everybody who says it or stands beside it. Answers with its weight.
    fn add_to_all(
        &self,
        word: &QueryWord,
        lists: &[&[Posting]],
        bit: u64,
        asked: &WordSearch<'_, impl Fn(u32) -> bool>,
        scratch: &mut Scratch,
    ) -> f32 {
        let mut union = if lists.len() > 1 { scratch.unite(lists) } else { Vec::new() };
        let postings = if let [only] = lists { only } else { &union[..] };
        // A word that nobody says would weigh most; not so a stop word of another language.
        let idle = word.is_stop_word && postings.is_empty();
        let weight = if idle { 0.0 } else { self.weight(postings.len()) };
        self.add_own(&QuestionWord { lists: &[postings], weight, bit }, asked, scratch);
        self.add_context(weight, asked, scratch);
        if lists.len() > 1 {
            union.clear();
            scratch.union = union;
        }
        weight
    }

    /// Adds what a very common word is worth to those who say a rarer one. A memory that says nothing of a
    /// question but what tens of thousands say is no answer by its words.
    fn add_to_touched(
        &self,
        said: &QuestionWord<'_>,
        asked: &WordSearch<'_, impl Fn(u32) -> bool>,
        scratch: &mut Scratch,
    ) {
        let WordSearch { sessions, visible, average } = asked;
        let Scratch { touched, scores, .. } = scratch;
        for &slot in touched.iter() {
            let own = said.count(slot);
            let neighbours =
                sessions.neighbours(slot).into_iter().filter(|&slot| slot != NONE && visible(slot));
            let heard: u16 = neighbours.map(|slot| said.count(slot)).sum();
            let score = &mut scores[slot as usize];
            if own > 0 {
                let relative = self.lengths[slot as usize] as f32 / average;
                score.own += said.weight * saturate(f32::from(own), relative);
                score.said |= said.bit;
            }
            let count = OWN_WEIGHT * own + heard;
            if count > 0 {
                let (length, parts) = self.context_length(slot, sessions);
                score.context += said.weight * saturate(f32::from(count), length / parts / average);
            }
        }
    }

    /// Inverse document frequency.
    fn weight(&self, sayers: usize) -> f32 {
        let (all, sayers) = (self.memories as f32, sayers as f32);
        (1.0 + (all - sayers + 0.5) / (sayers + 0.5)).ln()
    }

    fn postings_of(&self, term: &Term) -> Option<&[Posting]> {
        self.numbers.get(term).map(|&number| &self.lists[number as usize].postings[..])
    }

    /// Adds what one word is worth to those that say it and to their context.
    fn add_own(
        &self,
        said: &QuestionWord<'_>,
        asked: &WordSearch<'_, impl Fn(u32) -> bool>,
        scratch: &mut Scratch,
    ) {
        for posting in said.lists.iter().copied().flatten() {
            let (slot, count) = (posting.slot(), u16::from(posting.count()));
            let relative = self.lengths[slot as usize] as f32 / asked.average;
            let neighbours = asked.sessions.neighbours(slot);
            let score = scratch.touch(slot);
            score.own += said.weight * saturate(f32::from(count), relative);
            score.said |= said.bit;
            if neighbours == [NONE; 2] {
                // Nobody else speaks in its context, so that it is known already.
                score.context += said.weight * saturate(f32::from(OWN_WEIGHT * count), relative);
                continue;
            }
            scratch.hear(slot, OWN_WEIGHT * count);
            if (asked.visible)(slot) {
                let heard = neighbours.into_iter().filter(|&slot| slot != NONE);
                heard.for_each(|slot| scratch.hear(slot, count));
            }
        }
    }

    fn add_context<V>(&self, weight: f32, asked: &WordSearch<'_, V>, scratch: &mut Scratch) {
        while let Some(slot) = scratch.hearers.pop() {
            let count = std::mem::take(&mut scratch.context_counts[slot as usize]);
            let (length, parts) = self.context_length(slot, asked.sessions);
            let relative = length / parts / asked.average;
            scratch.touch(slot).context += weight * saturate(f32::from(count), relative);
        }
    }

    /// The length of a memory said twice between its neighbours, and how many parts that makes.
    fn context_length(&self, slot: u32, sessions: &Sessions) -> (f32, f32) {
        let own = self.lengths[slot as usize] * u32::from(OWN_WEIGHT);
        let (mut length, mut parts) = (own, u32::from(OWN_WEIGHT));
        for neighbour in sessions.neighbours(slot).into_iter().filter(|&slot| slot != NONE) {
            length += self.lengths[neighbour as usize];
            parts += 1;
        }
        (length as f32, parts as f32)
    }
}

fn saturate(count: f32, relative_length: f32) -> f32 {
    count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * relative_length))
}

impl Drop for Postings {
    fn drop(&mut self) {
        for list in &mut self.lists {
            list.term.0 = 0;
            list.postings.zeroize();
        }
    }
}
