//! Copies of a secret that was found, wherever else they stand, and secrets that only two texts together hold.

use std::ops::Range;

use super::decode::base64_text;
use super::named::names_any;
use super::scan::{for_long_tokens, is_token, one_reading, parts_to_unmask};
use super::view::UnbrokenView;
use super::{Finding, Scanner, SecretLevel};
use crate::unmask::unmask;

/// Shorter secrets are looked for elsewhere only as a whole word, the shortest not at all.
const COPY_BYTES_MIN: usize = 4;
const COPY_INSIDE_BYTES_MIN: usize = 8;
/// Secrets whose copies are looked for.
const COPIED_MAX: usize = 32;
/// The part of each of two neighbours that is read together with the other.
const NEIGHBOUR_BYTES: usize = 256;
/// A token that two texts make together has at least this many characters.
const SPLIT_TOKEN_BYTES_MIN: usize = 16;

/// A secret that was found, with the finding that says so.
pub(super) struct KnownSecret<'f> {
    text: String,
    finding: &'f Finding,
}

impl<'f> KnownSecret<'f> {
    /// The secrets of several texts, each once: as they are written, and without a disguise.
    pub(super) fn all(texts: &[&str], found: &'f [Vec<Finding>]) -> Vec<Self> {
        let mut known: Vec<Self> = Vec::new();
        for (text, found) in texts.iter().zip(found) {
            for finding in found.iter().filter(|finding| finding.level > SecretLevel::Possible) {
                let Some(written) = text.get(finding.span.clone()) else { continue };
                for secret in [written, unmask(written).text()] {
                    let is_new = known.iter().all(|one| one.text != secret);
                    if secret.len() >= COPY_BYTES_MIN && is_new && known.len() < COPIED_MAX {
                        known.push(Self { text: secret.to_owned(), finding });
                    }
                }
            }
        }
        known
    }

    /// The places of the secret in a text, whatever is written around it there.
    fn places(&self, text: &str) -> Vec<Range<usize>> {
        let end = |at: usize| at + self.text.len();
        let alone = |at: usize| {
            let word = |c: char| c.is_alphanumeric();
            !text[..at].ends_with(word) && !text[end(at)..].starts_with(word)
        };
        let places = text.match_indices(&self.text).map(|(at, _)| at);
        let places = places.filter(|at| self.text.len() >= COPY_INSIDE_BYTES_MIN || alone(*at));
        places.map(|at| at..end(at)).collect()
    }
}

/// Copies of known secrets in a text: as it stands, and as each disguise hides them.
pub(super) fn copies(text: &str, secrets: &[KnownSecret<'_>]) -> Vec<Finding> {
    let mut found = Vec::new();
    for secret in secrets {
        let mut add = |span: Range<usize>| found.push(Finding { span, ..secret.finding.clone() });
        secret.places(text).into_iter().for_each(&mut add);
        for part in parts_to_unmask(text) {
            let seen = unmask(&text[part.clone()]);
            let places = secret.places(seen.text()).into_iter().map(|place| seen.original(place));
            places.map(|place| place.start + part.start..place.end + part.start).for_each(&mut add);
        }
        for view in UnbrokenView::decoded(text) {
            secret.places(&view.text).iter().filter_map(|place| view.original(place)).for_each(&mut add);
        }
        for_long_tokens(text.as_bytes(), |run| {
            let decoded = base64_text(&text[run.clone()]);
            if decoded.is_some_and(|decoded| !secret.places(&decoded).is_empty()) {
                add(run);
            }
        });
    }
    found
}

/// The two parts of a secret of which one text holds the beginning and the next one the rest, or of which one text
/// has the name and the next one the value. A part may be empty.
pub(super) fn split(scanner: &Scanner, before: &str, after: &str) -> Option<[Finding; 2]> {
    let (tail, head) = (tail(before), head(after));
    let start = before.trim_end().len() - tail.len();
    let lead = after.len() - after.trim_start().len();
    let parts = |joint: usize, gap: usize, finding: Finding| {
        let first = finding.span.start.min(joint)..finding.span.end.min(joint);
        let second = finding.span.start.max(joint + gap)..finding.span.end.max(joint + gap);
        let (by, back) = (start, lead as isize - (joint + gap) as isize);
        let second = second.start.saturating_add_signed(back)..second.end.saturating_add_signed(back);
        [
            Finding { span: first.start + by..first.end + by, ..finding.clone() },
            Finding { span: second, ..finding },
        ]
    };
    if may_be_one_token(tail, head) {
        let joined = [tail, head].concat();
        let crosses = |one: &Finding| one.span.start < tail.len() && one.span.end > tail.len();
        let found = scanner.read_once(&joined).into_iter();
        let mut whole = found.filter(|one| one.level == SecretLevel::Definite && crosses(one));
        if let Some(finding) = whole.next() {
            return Some(parts(tail.len(), 0, finding));
        }
    }
    let asked = tail.trim_end_matches(['?', '!', '.', ':', '…', ' ']);
    if !names_any(last_sentence(asked)) {
        return None;
    }
    // As if the value stood behind its name, in one line.
    const JOINT: &str = ": ";
    let joined = [asked, JOINT, head].concat();
    let is_value =
        |one: &Finding| one.level > SecretLevel::Possible && one.span.start >= asked.len() + JOINT.len();
    let alone = scanner.read_once(head);
    let by_name = scanner.read_once(&joined).into_iter().filter(is_value).filter(|one| {
        let at = one.span.start - asked.len() - JOINT.len();
        !alone.iter().any(|known| known.span.contains(&at))
    });
    // The words behind a value are the answer's own.
    by_name
        .min_by_key(|finding| (finding.span.start, finding.span.len()))
        .map(|finding| parts(asked.len(), JOINT.len(), finding))
}

fn tail(text: &str) -> &str {
    let text = text.trim_end();
    &text[text.ceil_char_boundary(text.len().saturating_sub(NEIGHBOUR_BYTES))..]
}

fn head(text: &str) -> &str {
    let text = text.trim_start();
    &text[..text.floor_char_boundary(NEIGHBOUR_BYTES)]
}

fn last_sentence(text: &str) -> &str {
    text.rsplit(['.', '!', '?', '\n']).next().unwrap_or(text)
}

/// Returns true when the end of one text and the beginning of the next may be one token: two words never are.
fn may_be_one_token(tail: &str, head: &str) -> bool {
    let end = tail.bytes().rev().take_while(|byte| is_token(*byte)).count();
    let start = head.bytes().take_while(|byte| is_token(*byte)).count();
    let odd = |part: &str| part.bytes().any(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'-'));
    end > 0
        && start > 0
        && end + start >= SPLIT_TOKEN_BYTES_MIN
        && (odd(&tail[tail.len() - end..]) || odd(&head[..start]))
}

impl Scanner {
    fn read_once(&self, text: &str) -> Vec<Finding> {
        one_reading(&self.rules, &self.prefilter, text)
    }
}
