//! The lane a memory belongs to: whose statement it is, and what it speaks of.

use super::lexicon::WordTag;
use super::reading::TextReading;
use super::{Judged, Named, ORGANISATION, PERSON};
use lacuna_types::Lane;

/// Business words that make a text about nobody a business text.
const BUSINESS_WORDS_MIN: usize = 2;
/// Greatest distance of a document's word from its verb, in words.
const SAY_REACH: usize = 5;

/// The lanes of a text.
pub(super) struct JudgedLanes {
    /// The lane that fits best.
    pub primary: Judged<Lane>,
    /// Further lanes that fit.
    pub secondary: Vec<Judged<Lane>>,
}

pub(super) fn lanes(reading: &TextReading<'_>, entities: &[Named]) -> JudgedLanes {
    if document_speaks(reading) {
        let business = Judged::new(Lane::Business, 0.7, "a document speaks");
        return JudgedLanes {
            primary: Judged::new(Lane::Documents, 0.85, "a document speaks"),
            secondary: vec![business],
        };
    }
    let primary = first_speaker(reading, entities);
    let mut secondary = Vec::new();
    if primary.value == Lane::Profile && names_an_organisation(reading, entities) {
        secondary.push(Judged::new(Lane::Business, 0.75, "names an organisation"));
    }
    JudgedLanes { primary, secondary }
}

/// The first in the text of: the owner, a person, "we", an organisation.
fn first_speaker(reading: &TextReading<'_>, entities: &[Named]) -> Judged<Lane> {
    let mut first = (usize::MAX, Judged::new(Lane::Profile, 0.4, "nothing says otherwise"));
    let mut offer = |at: usize, judged: Judged<Lane>| {
        if at < first.0 {
            first = (at, judged);
        }
    };
    for hit in &reading.hits {
        let at = hit.span.start;
        match hit.tag {
            WordTag::Me | WordTag::My if hit.weight > 0.9 => {
                offer(at, Judged::new(Lane::Profile, 0.85, "the owner speaks"))
            }
            WordTag::They => offer(at, Judged::new(Lane::Profile, 0.6, "about a person")),
            WordTag::Owner => offer(at, Judged::new(Lane::Profile, 0.75, "about the owner")),
            WordTag::We => offer(at, Judged::new(Lane::Business, 0.75, "we speak")),
            WordTag::Company => offer(at, Judged::new(Lane::Business, 0.8, "a company acts")),
            _ => {}
        }
    }
    for sentence in reading.sentences.iter().filter(|sentence| reading.leaves_owner_out(sentence)) {
        let at = reading.words[sentence.start].span.start;
        offer(at, Judged::new(Lane::Profile, 0.7, "a note about the owner"));
    }
    for named in entities {
        let at = named.span.start;
        match named.entity.kind.as_str() {
            PERSON => offer(at, Judged::new(Lane::Profile, 0.7, "about a person")),
            ORGANISATION if named.entity.primary => {
                offer(at, Judged::new(Lane::Business, 0.8, "a company acts"))
            }
            _ => {}
        }
    }
    let (at, judged) = first;
    if at == usize::MAX && business_words(reading) >= BUSINESS_WORDS_MIN {
        return Judged::new(Lane::Business, 0.6, "words of business");
    }
    home_of_we(reading, entities, judged)
}

/// "We" at home is a family, not a firm: kin, a home, an illness or a belief say so.
fn home_of_we(reading: &TextReading<'_>, entities: &[Named], judged: Judged<Lane>) -> Judged<Lane> {
    const PRIVATE: &[WordTag] = &[
        WordTag::Family,
        WordTag::Partner,
        WordTag::Relationship,
        WordTag::Health,
        WordTag::Belief,
        WordTag::Animal,
    ];
    let moved = |word: &str| {
        [
            "moved",
            "live",
            "verhuisd",
            "umgezogen",
            "wohn",
            "demenage",
            "habit",
            "viv",
            "abit",
            "mor",
            "mieszk",
            "woon",
        ]
        .iter()
        .any(|stem| word.starts_with(stem))
    };
    let private = reading.hits.iter().any(|hit| PRIVATE.contains(&hit.tag))
        || reading.words.iter().any(|word| moved(&word.folded));
    let firm = names_an_organisation(reading, entities) || business_words(reading) > 0;
    if judged.reason == "we speak" && private && !firm {
        return Judged::new(Lane::Profile, 0.6, "a family speaks");
    }
    judged
}

fn business_words(reading: &TextReading<'_>) -> usize {
    reading.hits.iter().filter(|hit| matches!(hit.tag, WordTag::Business | WordTag::Company)).count()
}

fn names_an_organisation(reading: &TextReading<'_>, entities: &[Named]) -> bool {
    entities.iter().any(|named| named.entity.kind == ORGANISATION)
        || reading.hits.iter().any(|hit| hit.tag == WordTag::Company)
}

/// "The handbook says", "according to the contract", "laut Handbuch".
fn document_speaks(reading: &TextReading<'_>) -> bool {
    let says = |tag: WordTag| reading.hits.iter().filter(move |hit| hit.tag == tag);
    says(WordTag::Document).any(|document| {
        says(WordTag::Say).any(|say| {
            let one_sentence =
                reading.words[document.words.start].sentence == reading.words[say.words.start].sentence;
            let close = say.words.start.abs_diff(document.words.start) <= SAY_REACH;
            one_sentence && close && !owner_says(reading, say.words.start)
        })
    })
}

/// "I said the report is late" is the owner's word, not the report's.
fn owner_says(reading: &TextReading<'_>, say: usize) -> bool {
    say > 0
        && !reading.words[say].unspaced
        && [WordTag::Me, WordTag::We, WordTag::They].iter().any(|tag| reading.has(say - 1, *tag))
}
