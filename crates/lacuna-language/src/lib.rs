//! What reads text: words and folding, names, identifiers, secrets, classification, disguised orders, facts,
//! requests. Nothing here knows keys, stores or vaults.

pub mod languages;
pub mod words;

pub mod clause;
pub mod names;

pub mod identifiers;
pub mod secrets;

pub mod orders;
pub mod sanitise;
pub mod unmask;

pub mod classify;
pub mod facts;

pub mod anonymise;
pub mod people;
pub mod pointer;
pub mod topic;

pub mod condense;
pub mod intent;
pub mod request;
