//! The right to be forgotten, for a person: whatever any vault of the organisation says of them goes, those of
//! other people too. Whoever carries it out sees counts, never content, and never whose vault it was.
//!
//! request → look → signed batch → erasure in each vault, with receipts → done. The request is numbered, has
//! deadlines and holds no content: the person is in it as a keyed hash, and is named anew at every step.

pub(crate) mod batch;
pub(crate) mod look;
pub(crate) mod notices;
pub(crate) mod requests;
pub(crate) mod tombstones;

use lacuna_language::identifiers::identifiers;
use lacuna_types::request::{About, Wish};
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::gate::shape::at_most;
use crate::read::recall::QUERY_CHARS_MAX;

/// Identifiers, names and sessions of one person.
pub(crate) const PERSON_FORMS_MAX: usize = 64;

/// Names and identifiers by which a person is known. They are in RAM only.
#[derive(Clone, Default)]
pub struct Person {
    /// E-mail addresses, phone numbers, customer numbers and the like, in any spelling.
    pub identifiers: Vec<String>,
    /// Full names.
    pub names: Vec<String>,
    /// The person's user in this installation: everything in their own vault is erased.
    pub user: Option<UserId>,
    /// Conversations that were theirs.
    pub sessions: Vec<SessionId>,
}

impl Person {
    fn check(&self) -> Result<()> {
        let texts = self.identifiers.len() + self.names.len();
        let forms = texts + self.sessions.len() + usize::from(self.user.is_some());
        if forms == 0 {
            return Err(Error::invalid(
                "person",
                "must be known by an identifier, a name, a user or a session",
            ));
        }
        at_most("person", forms, PERSON_FORMS_MAX)?;
        for text in self.identifiers.iter().chain(&self.names) {
            if text.trim().is_empty() || text.contains('\0') || text.chars().count() > QUERY_CHARS_MAX {
                return Err(Error::invalid("person", "holds an empty or too long name or identifier"));
            }
        }
        // A first name is shared by many: whoever decides here does not see whom it would strike.
        if self.names.iter().any(|name| name.split_whitespace().count() < 2) {
            return Err(Error::invalid("names", "must be full names: many people share a single one"));
        }
        if self.identifiers.iter().any(|text| identifiers(text).is_empty()) {
            let rule = "must be identifiers: an e-mail address, a phone number or another number of theirs";
            return Err(Error::invalid("identifiers", rule));
        }
        Ok(())
    }

    /// The wishes that are looked for in every vault.
    fn wishes(&self) -> Vec<Wish> {
        let texts = self.identifiers.iter().chain(&self.names);
        let subjects = texts.map(|text| About::Subject(text.trim().to_owned()));
        let sessions = self.sessions.iter().cloned().map(About::Session);
        subjects.chain(sessions).map(Wish::about).collect()
    }

    /// The same for the same person, in whatever order and spelling they were named.
    fn forms(&self) -> Vec<String> {
        let known = |text: &String| {
            let found = identifiers(text).into_iter();
            found.map(|found| format!("{}:{}", found.kind.as_str(), found.canonical)).collect::<Vec<_>>()
        };
        let words = |name: &String| {
            let words: Vec<_> = name.split_whitespace().map(str::to_lowercase).collect();
            format!("name:{}", words.join(" "))
        };
        let mut forms: Vec<String> = self.identifiers.iter().flat_map(known).collect();
        forms.extend(self.names.iter().map(words));
        forms.extend(self.user.iter().map(|user| format!("user:{user}")));
        forms.extend(self.sessions.iter().map(|session| format!("session:{session}")));
        forms.sort();
        forms.dedup();
        forms
    }
}
