//! The table of phrases, and how a text is read by it.

use std::sync::LazyLock;

use super::{Reach, words};
use crate::domain::Lane;
use crate::error::{Error, Result};

/// Rows that a policy may add, and phrases of one row.
pub const INTENT_RULES_MAX: usize = 64;
pub const INTENT_PHRASES_MAX: usize = 64;

/// Phrases, and what they mean. A row that means nothing takes its phrases out of the built-in table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IntentRule {
    pub(super) phrases: Vec<Vec<String>>,
    pub(super) lane: Option<Lane>,
    pub(super) reach: Option<Reach>,
    /// Whether the phrases leave open what is meant.
    pub(super) ask: bool,
}

impl IntentRule {
    pub fn new(phrases: &[String], lane: Option<Lane>, reach: Option<Reach>, ask: bool) -> Result<Self> {
        if phrases.is_empty() || phrases.len() > INTENT_PHRASES_MAX {
            return Err(Error::invalid(
                "intent.words",
                format!("must be from 1 to {INTENT_PHRASES_MAX} phrases"),
            ));
        }
        if ask && (lane.is_some() || reach.is_some()) {
            return Err(Error::invalid("intent.ask", "must not go with a lane or a scope"));
        }
        let phrases: Vec<_> = phrases.iter().map(|phrase| words(phrase)).collect();
        if phrases.iter().any(Vec::is_empty) {
            return Err(Error::invalid("intent.words", "must hold a word each"));
        }
        Ok(Self { phrases, lane, reach, ask })
    }

    /// The phrases, without case and accents.
    pub fn phrases(&self) -> Vec<String> {
        self.phrases.iter().map(|phrase| phrase.join(" ")).collect()
    }

    pub fn lane(&self) -> Option<Lane> {
        self.lane
    }

    pub fn reach(&self) -> Option<Reach> {
        self.reach
    }

    pub fn asks(&self) -> bool {
        self.ask
    }

    fn means_something(&self) -> bool {
        self.ask || self.lane.is_some() || self.reach.is_some()
    }

    fn longest_at<'a>(&'a self, words: &[String]) -> Option<&'a [String]> {
        let here = self.phrases.iter().filter(|phrase| words.starts_with(phrase));
        here.max_by_key(|phrase| phrase.len()).map(Vec::as_slice)
    }
}

/// A phrase that was found, and its row.
pub(super) struct Matched<'a> {
    pub(super) phrase: &'a [String],
    pub(super) rule: &'a IntentRule,
}

/// Reads from left to right. Where several phrases begin, the longest counts; of equals the tenant's.
pub(super) fn matches<'a>(words: &[String], tenant: &'a [IntentRule]) -> Vec<Matched<'a>> {
    let mut found: Vec<Matched<'a>> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let rules = BUILT_IN.iter().chain(tenant);
        let here = rules.filter_map(|rule| Some(Matched { phrase: rule.longest_at(&words[at..])?, rule }));
        match here.max_by_key(|matched| matched.phrase.len()) {
            None => at += 1,
            Some(matched) => {
                at += matched.phrase.len();
                let known = found.iter().any(|other| other.phrase == matched.phrase);
                if matched.rule.means_something() && !known {
                    found.push(matched);
                }
            }
        }
    }
    found
}

static BUILT_IN: LazyLock<Vec<IntentRule>> = LazyLock::new(|| {
    let row = |phrases: &str, lane: Option<Lane>, reach: Option<Reach>| IntentRule {
        phrases: phrases.split('|').map(words).filter(|phrase| !phrase.is_empty()).collect(),
        lane,
        reach,
        ask: lane.is_none() && reach.is_none(),
    };
    vec![
        row(OWN, Some(Lane::Profile), Some(Reach::Private)),
        row(SHARED, Some(Lane::Business), Some(Reach::Team)),
        row(COMPANY, Some(Lane::Business), Some(Reach::Org)),
        row(DOCUMENTS, Some(Lane::Documents), Some(Reach::Org)),
        row(OPEN, None, None),
    ]
});

/// English, German, French and Spanish, in this order. "Me" is not here: "tell me" says nothing of whose.
const OWN: &str = "i|my|mine|myself|\
    ich|mein|meine|meinen|meinem|meiner|meines|\
    je|j|mon|ma|mes|mien|mienne|\
    yo|mi|mis|mio|mia|mios|mias|prefiero|tengo|vivo|trabajo|soy|estoy|quiero|necesito";

const SHARED: &str = "we|our|ours|us|my team|my team s|\
    wir|unser|unsere|unseren|unserem|unserer|unseres|uns|mein team|meinem team|\
    nous|notre|nos|mon equipe|\
    nosotros|nosotras|nuestro|nuestra|nuestros|nuestras|mi equipo|tenemos|somos|estamos";

const COMPANY: &str = "the company|our company|my company|company wide|the organisation|the organization|\
    die firma|der firma|unsere firma|unserer firma|das unternehmen|im unternehmen|dem unternehmen|unser unternehmen|\
    l entreprise|notre entreprise|la societe|\
    la empresa|nuestra empresa|mi empresa|la compania";

const DOCUMENTS: &str = "the docs|our docs|the documentation|our documentation|the handbook|our handbook|the wiki|\
    our wiki|the manual|\
    die doku|der doku|die dokumentation|der dokumentation|unserer dokumentation|das handbuch|im handbuch|dem handbuch|\
    die unterlagen|den unterlagen|im wiki|\
    la doc|la documentation|notre documentation|le manuel|le wiki|\
    la documentacion|nuestra documentacion|los documentos|el manual|la wiki";

const OPEN: &str = "what do you know about|what do you remember about|what do you know of|\
    was weisst du uber|was weisst du von|\
    que sais tu de|que sais tu sur|qu est ce que tu sais de|qu est ce que tu sais sur|\
    que sabes de|que sabes sobre|que recuerdas de|que recuerdas sobre";
