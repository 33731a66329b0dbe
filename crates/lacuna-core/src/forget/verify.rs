//! "Do you remember anything about X?": what is there, and which receipts say that it was forgotten.

use jiff::Timestamp;
use lacuna_language::request::{self as words, Reading};
use lacuna_types::request::{Closeness, Wish};
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::erase::carry_out::scope_hashes;
use crate::forget::plan::{examples_for, vectors_for};
use crate::permit::{Grant, Recall};
use crate::read::find::{Findings, find};
use crate::vault::receipt::{SignedReceipt, receipt_records};
use crate::vault::service::Service;

/// Receipts that one answer names; the newest of them.
const RECEIPTS_NAMED_MAX: usize = 20;

/// Openings of questions that ask whether something is still known; the subject follows them.
const ASKING: &[&str] = &[
    "do you still remember anything about",
    "do you remember anything about",
    "do you still remember",
    "do you remember",
    "what do you still know about",
    "what do you know about",
    "what do you remember about",
    "do you still know anything about",
    "do you know anything about",
    "do you have anything about",
    "have you forgotten",
    "did you forget",
];

/// The remaining knowledge about a subject.
#[derive(Clone, PartialEq, Debug)]
pub struct Verified {
    /// Memories that say it.
    pub direct: Vec<MemoryId>,
    /// Memories that may still speak of it: by other words, a short form of a name, an attribute, or meaning.
    pub indirect: Vec<MemoryId>,
    /// Receipts of requests to forget the very same, newest first.
    pub receipts: Vec<(String, Timestamp)>,
}

/// Looks for memories about `words`, and for receipts of earlier requests to forget the same.
pub(crate) fn verify_forgotten(service: &Service, grant: &Grant<Recall>, words: &str) -> Result<Verified> {
    let scope = grant.scope();
    let now = service.clock.now();
    let wish = asked_about(words, now)?;
    let vectors = vectors_for(service, scope, &wish)?;
    let examples = examples_for(service, scope, &wish)?;
    let found = service.serve(scope, |open| -> Result<_> {
        let found = find(open, service.sources(), &wish, &vectors, &examples, now)?;
        Ok((found, scope_hashes(open, &wish)))
    })?;
    let (Findings { matches: found, offered, .. }, hashes) = found.transpose()?.unwrap_or_default();
    let of = |closeness| {
        let close = found.iter().filter(move |found| found.closeness == closeness);
        close.map(|found| found.id)
    };
    Ok(Verified {
        direct: of(Closeness::Direct).collect(),
        indirect: of(Closeness::Indirect).chain(offered.iter().map(|found| found.id)).collect(),
        receipts: receipts_naming(service, scope, &hashes)?,
    })
}

fn receipts_naming(
    service: &Service,
    scope: &Scope,
    hashes: &[[u8; 32]],
) -> Result<Vec<(String, Timestamp)>> {
    let mut naming = Vec::new();
    let mut after = 0;
    loop {
        let page = receipt_records(service, scope, after)?;
        let Some(last) = page.last() else { break };
        after = last.number;
        for record in page.iter().filter(|record| record.done_at.is_some()) {
            let receipt = SignedReceipt::decode(&record.doc)?.receipt;
            if receipt.scope_hashes.iter().any(|hash| hashes.contains(hash)) {
                naming.push((receipt.reference(), receipt.at));
            }
        }
    }
    naming.reverse();
    naming.truncate(RECEIPTS_NAMED_MAX);
    Ok(naming)
}

/// Reads the subject of a question. Words that are not put as a question are their own subject.
fn asked_about(words: &str, now: Timestamp) -> Result<Wish> {
    let plain = words.trim().trim_end_matches(['?', '.', '!', ' ']);
    let lower = plain.to_lowercase();
    let asked = ASKING.iter().find(|asking| lower.starts_with(**asking));
    let subject = asked.and_then(|asking| plain.get(asking.len()..)).unwrap_or(plain).trim();
    let now = now.to_zoned(jiff::tz::TimeZone::UTC);
    match words::read(&format!("forget everything about {subject}"), &now) {
        Reading::Understood(wish) if !subject.is_empty() => Ok(wish),
        _ => Err(Error::invalid("about", "name what you want to know about, such as \"my diabetes\"")),
    }
}

#[cfg(test)]
mod tests {
    use lacuna_types::request::About;

    use super::*;

    #[test]
    fn a_question_is_about_what_it_names() {
        let now: Timestamp = "2026-04-12T09:15:00Z".parse().unwrap();
        for (words, subject) in [
            ("Do you remember anything about my diabetes?", "diabetes"),
            ("what do you still know about Ingrid", "Ingrid"),
            ("my diabetes", "diabetes"),
            ("have you forgotten the Lisbon trip?", "Lisbon trip"),
        ] {
            let wish = asked_about(words, now).unwrap();
            assert_eq!(wish.about, About::Subject(subject.into()), "{words}");
        }
        for words in ["", "?", "do you remember"] {
            assert!(asked_about(words, now).is_err(), "{words}");
        }
    }
}
