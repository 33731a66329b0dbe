//! A text as the rules see it: its words, what the lists know about them, and who each sentence is about.

use std::ops::Range;

use super::lexicon::{ListedHit, WordTag, hits};
use super::words::{Case, WrittenWord, words};

/// The subject of a sentence, from the surest to the vaguest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SentenceSubject {
    /// The owner: "I", "my", "the user", or a note that leaves the owner out.
    Owner,
    /// Somebody who is named, or known by relation.
    Person,
    /// "He", "she", "they".
    Pronoun,
    /// "We".
    Group,
    Nobody,
}

/// A text with its words and the listed words among them.
pub(super) struct TextReading<'t> {
    /// The text.
    pub text: &'t str,
    /// Its words.
    pub words: Vec<WrittenWord<'t>>,
    /// The listed words and phrases in it.
    pub hits: Vec<ListedHit>,
    /// For each word, where the hits that begin at it begin; one more for the end.
    starts: Vec<usize>,
    /// The words of each sentence.
    pub sentences: Vec<Range<usize>>,
    /// True when every noun has a capital, so that a capital proves nothing.
    pub nouns_are_capital: bool,
}

impl<'t> TextReading<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let words = words(text);
        let mut hits = hits(&words);
        hits.retain(|hit| !is_shouted_pronoun(hit, &words));
        let starts = starts(&hits, words.len());
        let sentences = sentences(&words);
        let german = hits.iter().filter(|hit| hit.tag == WordTag::German).count();
        Self { text, nouns_are_capital: german * 6 > words.len(), words, hits, starts, sentences }
    }

    /// The hits that begin at a word.
    pub(super) fn at(&self, word: usize) -> &[ListedHit] {
        match (self.starts.get(word), self.starts.get(word + 1)) {
            (Some(from), Some(to)) => &self.hits[*from..*to],
            _ => &[],
        }
    }

    pub(super) fn has(&self, word: usize, tag: WordTag) -> bool {
        self.at(word).iter().any(|hit| hit.tag == tag)
    }

    /// A hit of one of these tags that ends just before a word.
    pub(super) fn ending_at(&self, word: usize, tags: &[WordTag]) -> Option<&ListedHit> {
        let from = word.saturating_sub(5);
        self.hits_within(from..word).iter().find(|hit| hit.words.end == word && tags.contains(&hit.tag))
    }

    /// The hits that begin within these words.
    pub(super) fn hits_within(&self, words: Range<usize>) -> &[ListedHit] {
        let last = self.starts.len() - 1;
        &self.hits[self.starts[words.start.min(last)]..self.starts[words.end.min(last)]]
    }

    pub(super) fn count(&self, words: Range<usize>, tag: WordTag) -> usize {
        self.hits_within(words).iter().filter(|hit| hit.tag == tag).count()
    }

    /// The subject of a sentence. `persons` are the spans of the people found in the text.
    pub(super) fn subject(&self, sentence: &Range<usize>, persons: &[Range<usize>]) -> SentenceSubject {
        let says = |tag| self.count(sentence.clone(), tag) > 0;
        let mine = self
            .hits_within(sentence.clone())
            .iter()
            .any(|hit| matches!(hit.tag, WordTag::Me | WordTag::My) && hit.weight > 0.9);
        if mine || says(WordTag::Owner) || self.leaves_owner_out(sentence) || self.conjugates(sentence) {
            return SentenceSubject::Owner;
        }
        if persons.iter().any(|span| self.contains(sentence, span)) {
            return SentenceSubject::Person;
        }
        match (says(WordTag::They), says(WordTag::We)) {
            (true, _) => SentenceSubject::Pronoun,
            (false, true) => SentenceSubject::Group,
            (false, false) => SentenceSubject::Nobody,
        }
    }

    /// Notes such as "Allergic to nuts" or "Lives in Rome" speak of the owner without naming one.
    pub(super) fn leaves_owner_out(&self, sentence: &Range<usize>) -> bool {
        self.has(sentence.start, WordTag::PersonalVerb) && sentence.len() > 1
    }

    /// Languages that drop "I" say it by the ending of the verb: "Zgubiłem", "Noszę", "Deixei", "Pago el alquiler".
    pub(super) fn conjugates(&self, sentence: &Range<usize>) -> bool {
        /// Words that follow a verb at the head of a Romance sentence, and hardly a noun.
        const AFTER_VERB: &[&str] = &[
            "el", "la", "los", "las", "un", "una", "il", "lo", "gli", "le", "i", "di", "da", "in", "a", "al",
            "o", "os", "as", "um", "uma", "no", "na", "em", "de", "del", "en", "con", "com", "per", "por",
            "para", "su", "ao", "que", "che", "tres", "dos", "due", "tre", "duas", "muy", "muito", "molto",
            "a", "mucho", "poco",
        ];
        const PAST: &[&str] = &["łem", "łam", "łbym", "łabym", "łyśmy", "liśmy"];
        let polish = self.words[sentence.clone()].iter().any(|word| {
            word.text.len() > 4 && !word.text.is_ascii() && PAST.iter().any(|end| word.text.ends_with(end))
        });
        let first = &self.words[sentence.start];
        let next = self.words.get(sentence.start + 1).filter(|_| sentence.len() > 1);
        let romance = next.is_some_and(|next| AFTER_VERB.contains(&next.folded.as_str()));
        let ends = |endings: &[&str]| endings.iter().any(|end| first.text.ends_with(end));
        let verb = first.text.len() > 3
            && (ends(&["ę"]) || ends(&["ei"]) && next.is_some() || romance && ends(&["o", "é", "í"]));
        polish || verb
    }

    /// Returns true when a sentence contains a span.
    pub(super) fn contains(&self, sentence: &Range<usize>, span: &Range<usize>) -> bool {
        let (Some(first), Some(last)) = (self.words.get(sentence.start), self.words.get(sentence.end - 1))
        else {
            return false;
        };
        first.span.start <= span.start && span.end <= last.span.end
    }

    /// The text of a run of words, as it was written.
    pub(super) fn written(&self, words: &Range<usize>) -> (Range<usize>, &'t str) {
        let span = self.words[words.start].span.start..self.words[words.end - 1].span.end;
        (span.clone(), &self.text[span])
    }
}

/// "US" and "IT" are not pronouns.
fn is_shouted_pronoun(hit: &ListedHit, words: &[WrittenWord<'_>]) -> bool {
    matches!(hit.tag, WordTag::Me | WordTag::We | WordTag::They) && words[hit.words.start].case == Case::Upper
}

fn starts(hits: &[ListedHit], words: usize) -> Vec<usize> {
    let mut starts = Vec::with_capacity(words + 1);
    for word in 0..=words {
        let from = starts.last().copied().unwrap_or(0);
        let passed = hits[from..].iter().take_while(|hit| hit.words.start < word).count();
        starts.push(from + passed);
    }
    starts
}

fn sentences(words: &[WrittenWord<'_>]) -> Vec<Range<usize>> {
    let mut sentences: Vec<Range<usize>> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        match sentences.last_mut() {
            Some(last) if !word.opens_sentence() => last.end = at + 1,
            _ => sentences.push(at..at + 1),
        }
    }
    sentences
}
