//! Readers of language: words and folding, names, identifiers, secrets, classification, disguised orders, facts and
//! requests. Nothing here knows keys, stores or vaults.
//!
//! Rules only: no model runs in this crate. A text that no rule understands is asked about, never guessed.
//!
//! ```
//! use jiff::{Timestamp, tz::TimeZone};
//! use lacuna_language::request::{Reading, read};
//! use lacuna_language::words::{Language, TermList};
//! use lacuna_types::request::About;
//!
//! // A request to forget, read in the time zone of the person who asks.
//! let now = Timestamp::UNIX_EPOCH.to_zoned(TimeZone::UTC);
//! let Reading::Understood(wish) = read("Bitte vergiss alles über Tilda, aber behalte ihre Adresse", &now) else {
//!     panic!("the rules read this");
//! };
//! assert_eq!(wish.about, About::Subject("Tilda".to_owned()));
//! assert_eq!(wish.keep, ["ihre Adresse"]);
//!
//! // The words by which a text is found: folded, stemmed, without stop words.
//! let boats = TermList::of("The boats are in the harbour", Some(Language::English));
//! let boat = TermList::of("boat, harbour", Some(Language::English));
//! assert!(boats.hashes().eq(boat.hashes()));
//! ```
//!
//! # Adding a language
//!
//! Each language is one file in `src/languages`, which fills in one `LanguageRules`: stop words, requests with their
//! calendar, words of clauses, phrases of intent, pointers, facts, claims, people and topics. To add one:
//!
//! 1. Write `src/languages/<language>.rs`; `italian.rs` is a complete example. Lists that do not apply are left to
//!    `EMPTY`.
//! 2. Name the file in the list of languages in `src/languages/mod.rs`. Where two languages read a text, the first in
//!    the list counts.
//! 3. Write its tests, as `tests/italian.rs` does, through the public readers.
//!
//! Most lists are read for all languages at once, so a word that is common or a name in another language stays out.
//! The language itself must be known to [`words::Language`], which holds its detector and its stemmer. Lists of names
//! and sensitive words carry a tag of their language on each line and stand in `src/classify/lists`.

mod compiled;
pub mod languages;
pub mod words;

pub mod clause;
pub mod names;

pub mod identifiers;
pub mod secrets;

pub mod orders;
pub mod sanitise;
pub mod unmask;
pub mod voices;

pub mod classify;
pub mod facts;

pub mod anonymise;
pub mod people;
pub mod pointer;
pub mod topic;

pub mod condense;
pub mod intent;
pub mod request;
