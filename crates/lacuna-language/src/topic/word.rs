//! Words as a request and a memory have them in common: without case, accents and endings.

use std::cell::RefCell;

use rust_stemmers::{Algorithm, Stemmer};

use super::concept::{Concepts, called, spoken};
use crate::words::{Cut, Folding, fold, word_spans};

/// One word of a text.
#[derive(Clone, Debug)]
pub struct Word {
    pub stem: String,
    pub lower: String,
    /// The everyday things that it calls by their name, as a word of a request.
    pub calls: Concepts,
    /// Those that it speaks of, as a word of a text.
    pub speaks: Concepts,
    pub capital: bool,
}

thread_local! {
    static ENGLISH: RefCell<Stemmer> = RefCell::new(Stemmer::create(Algorithm::English));
}

/// The stem of a word in lower case; words of other languages mostly keep their form.
pub fn stem(lower: &str) -> String {
    let folded = fold(lower, Folding::Phrase);
    ENGLISH.with_borrow(|stemmer| stemmer.stem(&folded).into_owned())
}

/// The words of a text, in order. A compound is a word of its own: "engineering-platform" does not say
/// "engineering", though it is a platform.
pub fn words(text: &str) -> Vec<Word> {
    word_spans(text, Cut::Compounds).filter_map(|part| word(part.text)).collect()
}

fn word(bare: &str) -> Option<Word> {
    let lower = bare.to_lowercase().replace('’', "'");
    let lower = lower.strip_suffix("'s").or(lower.strip_suffix("s'")).unwrap_or(&lower).to_owned();
    if lower.is_empty() {
        return None;
    }
    let stem = stem(&lower);
    let head = lower.rsplit('-').next().filter(|head| *head != lower).map(self::stem);
    let of_head = |sense: fn(&str) -> Concepts| head.as_deref().map_or(Concepts::NONE, sense);
    let (calls, speaks) = (called(&stem).or(of_head(called)), spoken(&stem).or(of_head(spoken)));
    Some(Word { stem, calls, speaks, capital: bare.starts_with(char::is_uppercase), lower })
}

/// Whether a text's word says a wanted one: the same stem, or a compound of which it is the head.
pub fn says(word: &Word, wanted: &str) -> bool {
    let head = || word.lower.rsplit_once('-').is_some_and(|(_, head)| stem(head) == wanted);
    word.stem == wanted || (word.lower.contains('-') && head())
}

const STOP: &str = "a an the and or of in on at to for from by with without about as is are was were be been am do does \
    did not no never has have had i me my mine we us our you your he him his she her they them their it its this that \
    these those there here any all some every each who whom whose which what when where why how if than then so but \
    just only also still now current currently previous former new old first last more most very really can could \
    will would should may might must shall let s t der die das den dem des ein eine einen einem einer und oder von im \
    ist sind war ich mein meine mich mir du dein wir unser nicht kein keine über mit für auf le la les l un une des du \
    de et ou je j mon ma mes tu ton nous notre ne pas sur avec pour est suis el los las una unos y o en mi mis yo tu no \
    sobre con para es soy del al";
/// Words that say that something is kept, and nothing about what.
const GENERAL: &str = "record records information info data detail details account accounts status statuses profile \
    history note notes entry entries fact facts memory memories thing things stuff everything anything something item \
    items file files user users owner type kind usage use using used ownership owning situation level primary main \
    general related regarding concerning number numbers id ids code codes name names method line current preference \
    preferences lifestyle choice";
/// Words for who somebody is, beside a name.
const ROLES: &str = "patient patients customer customers client clients user users employee employees engineer engineers \
    student students vendor vendors contractor contractors athlete athletes resident residents subscriber subscribers \
    member members colleague colleagues friend friends professor doctor teacher manager boss neighbour neighbor person \
    people guy man woman lady developer developers team teams company supplier reviewer tenant guest staff agent branch \
    office department mr mrs ms dr prof";

fn listed(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}

pub fn is_stop(lower: &str) -> bool {
    listed(STOP, lower)
}

/// Whether a word of a request only says that something is kept.
pub fn is_general(lower: &str) -> bool {
    listed(GENERAL, lower)
}

pub fn is_role(lower: &str) -> bool {
    listed(ROLES, lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_accents_and_possessives_do_not_matter() {
        for (a, b) in
            [("speaks", "speaking"), ("Café", "cafe"), ("Nora's", "nora"), ("prescribed", "prescribe")]
        {
            assert_eq!(words(a)[0].stem, words(b)[0].stem, "{a} {b}");
        }
    }

    #[test]
    fn a_compound_says_its_head_only() {
        let compound = &words("the sales-dashboard")[1];
        assert!(says(compound, &stem("dashboard")) && !says(compound, &stem("sales")));
        assert!(says(compound, &stem("sales-dashboard")));
    }
}
