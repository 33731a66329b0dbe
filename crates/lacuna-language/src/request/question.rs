use super::tokens::printable;
use crate::languages::asking::SENTENCES;
use crate::topic::frame_language;

/// The point that a request left open, with a sentence that says how to put it instead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Nothing is named.
    What,
    /// It asks something instead of asking to forget.
    NotARequest,
    /// It asks to remember.
    Remember,
    /// It is said with doubt.
    Unsure,
    /// One conversation of many, and no day.
    WhichConversation,
    /// A word that may be a time or a name: "May", "2024".
    TimeOrName,
    /// A date in figures that may be read in two ways.
    DayOrMonth,
    /// A day that no calendar has.
    NoSuchDay,
    /// Times that exclude each other.
    TwoTimes,
    /// A time that has not come.
    Future,
    /// A time that is too loose to be bounded.
    LooseTime,
    /// An exception within an exception.
    Nested,
    /// An exception that names nothing, or a time.
    KeepWhat,
    /// The same thing shall stay and go.
    KeepsTheSame,
    /// Two requests in one.
    OneAtATime,
    TooLong,
}

impl Question {
    /// Returns the sentence for the person who asked.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::What => {
                "What shall I forget? Name it: \"forget everything about the Lisbon trip\", \"clear all health information\"."
            }
            Self::NotARequest => {
                "That is a question, so nothing is forgotten. To forget, say \"forget everything about\" and the name."
            }
            Self::Remember => {
                "That asks me to remember, so nothing is forgotten. To forget, say \"forget\" and what; to except something, add \"but keep\" and what."
            }
            Self::Unsure => {
                "That sounds undecided, so nothing is forgotten. When you are sure, say \"forget\" and what."
            }
            Self::WhichConversation => {
                "Which conversation? Name its day or its topic: \"our conversation from yesterday\", \"our conversation about the roof\"."
            }
            Self::TimeOrName => {
                "Is that a time or a name? Say \"everything from May\" for the time, \"everything about May\" for the name."
            }
            Self::DayOrMonth => {
                "Which number is the day and which the month? Write the date as 2026-03-04 or 4 March 2026."
            }
            Self::NoSuchDay => "There is no such day. Write the date as 2026-03-04 or 4 March 2026.",
            Self::TwoTimes => {
                "These times exclude each other. Name one day or one range: \"from Monday to Wednesday\", \"before 3 March\"."
            }
            Self::Future => {
                "That time has not come, so nothing was said in it. Name a day that has passed: \"yesterday\", \"3 March\"."
            }
            Self::LooseTime => {
                "I cannot tell when that begins and ends. Say \"this morning\", \"in the last two hours\" or \"two days ago\"."
            }
            Self::Nested => {
                "An exception within an exception is easy to get wrong. Say what to forget and what to keep, once each: \"forget my salary but keep my employer\"."
            }
            Self::KeepWhat => {
                "What shall I keep? Name it, not a time: \"forget the move but keep my new address\"."
            }
            Self::KeepsTheSame => {
                "That would keep what it forgets. Say which part goes and which part stays."
            }
            Self::OneAtATime => {
                "These are two requests. Say one at a time, so that each can be shown before it is done."
            }
            Self::TooLong => "That is too long to be read safely. Say it in one sentence.",
        }
    }
}

/// A question to the one who asked, in the language of the request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AskedBack {
    /// The point that is open.
    pub question: Question,
    /// The place of the language in the lists of frames; English is the first.
    language: usize,
}

impl AskedBack {
    /// Puts a question about a request in the language of the request.
    pub fn new(question: Question, request: &str) -> Self {
        Self { question, language: frame_language(&printable(request)) }
    }

    /// Returns the sentence for the person who asked.
    pub fn sentence(self) -> &'static str {
        let translated = self.language.checked_sub(1).and_then(|at| SENTENCES.get(at));
        translated.map_or_else(|| self.question.sentence(), |sentences| sentences[self.question as usize])
    }
}
