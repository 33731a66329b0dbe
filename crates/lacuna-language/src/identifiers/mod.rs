//! Identifiers in a text: e-mail, phone, card, IBAN, national numbers, addresses; and how they are cut down.
//!
//! Every kind is recognised by its shape, its checksum where it has one, and words that stand near it.
//! A number without either is weak: it is reported, and nothing is done about it below [`CONFIDENT`].

mod address;
mod asia;
mod birth;
mod britain;
mod checksum;
mod cut;
mod fold;
mod germany;
mod kind;
mod mail;
mod money;
mod network;
mod north;
mod phone;
mod reference;
mod routine;
mod rule;
mod same;
mod south;
mod spelling;
mod street;
mod wallet;
mod west;
mod world;

#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::Range;

pub use cut::{IdentifierCut, cut_accounts, cut_addresses, cut_national_numbers};
pub use kind::{Family, IdentifierKind};
pub use phone::same_line;
pub use routine::routine_location;
pub use same::{mentions, same_identifier};
pub use spelling::{ExactTerm, wanted};

/// From here on the gate acts on an identifier.
pub const CONFIDENT: f32 = 0.6;

/// An identifier in a text, where it stands, and the one spelling under which all its spellings are equal.
#[derive(Clone, PartialEq)]
pub struct Identifier {
    /// The kind of the identifier.
    pub kind: IdentifierKind,
    /// In bytes of the text.
    pub span: Range<usize>,
    /// The value in one spelling.
    pub canonical: String,
    /// 0..1; see [`CONFIDENT`].
    pub confidence: f32,
    /// The reason for taking it for one, without its value.
    pub reason: &'static str,
}

impl fmt::Debug for Identifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The value stays out: this may end up in a log.
        f.debug_struct("Identifier")
            .field("kind", &self.kind)
            .field("span", &self.span)
            .field("confidence", &self.confidence)
            .field("reason", &self.reason)
            .finish_non_exhaustive()
    }
}

/// The identifiers of a text in its order, each part of it read in the one most likely way.
pub fn identifiers(text: &str) -> Vec<Identifier> {
    settle(readings(text))
}

/// Every reading of every part of a text: nine digits may be a tax number here and a passport there.
pub fn readings(text: &str) -> Vec<Identifier> {
    let clues = Clues::of(text);
    if clues.none() {
        return Vec::new();
    }
    let folded = fold::plain_text(text);
    let plain = folded.as_ref().map_or(text, |folded| folded.text());
    let mut found = Vec::new();
    if clues.at {
        mail::find(plain, &mut found);
    }
    if clues.dot || clues.joint {
        network::find(plain, &mut found);
    }
    if clues.digit {
        phone::find(plain, &mut found);
        wallet::find(plain, &mut found);
        money::find(plain, &mut found);
        reference::find(plain, &mut found);
        birth::find(plain, &mut found);
        address::find(plain, &mut found);
        rule::apply(plain, &mut found);
    }
    if let Some(folded) = folded {
        found.iter_mut().for_each(|one| one.span = folded.original(&one.span));
    }
    unique(found)
}

/// The features of a text without which no rule is tried.
struct Clues {
    digit: bool,
    at: bool,
    dot: bool,
    /// A colon or dash that may join the parts of a numeric address.
    joint: bool,
}

impl Clues {
    fn of(text: &str) -> Self {
        let mut clues = Self { digit: false, at: false, dot: false, joint: false };
        let bytes = text.as_bytes();
        for (place, byte) in bytes.iter().enumerate() {
            match byte {
                b'0'..=b'9' => clues.digit = true,
                b'@' => clues.at = true,
                // A full stop at the end of a sentence tells nothing.
                b'.' => clues.dot |= bytes.get(place + 1).is_some_and(u8::is_ascii_alphanumeric),
                b':' => {
                    clues.joint |= bytes
                        .get(place + 1)
                        .is_some_and(|next| matches!(next, b':' | b'/') || next.is_ascii_hexdigit())
                }
                // The pairs of a hardware address.
                b'-' => clues.joint |= bytes.get(place + 3) == Some(&b'-'),
                // "[at]" for those who hide an address from robots.
                b'[' | b'(' => clues.at |= mail::spelt_at(&bytes[place..]),
                // Digits of other scripts and full-width forms begin with these.
                0xEF => clues.digit = true,
                _ => {}
            }
        }
        clues
    }

    fn none(&self) -> bool {
        !(self.digit || self.at || self.dot || self.joint)
    }
}

/// Of overlapping readings of the same kind, the most confident.
fn unique(mut found: Vec<Identifier>) -> Vec<Identifier> {
    found.sort_by(|a, b| a.kind.cmp(&b.kind).then(a.span.start.cmp(&b.span.start)));
    found.dedup_by(|later, kept| {
        let overlap = later.kind == kept.kind && later.span.start < kept.span.end;
        if overlap && (later.confidence, later.span.len()) > (kept.confidence, kept.span.len()) {
            std::mem::swap(later, kept);
        }
        overlap
    });
    found.sort_by_key(|one| one.span.start);
    found
}

/// Readings that do not overlap: the confident before the weak, the long before the short.
fn settle(mut found: Vec<Identifier>) -> Vec<Identifier> {
    found.sort_by(|a, b| {
        b.confidence.total_cmp(&a.confidence).then(b.span.len().cmp(&a.span.len())).then(a.kind.cmp(&b.kind))
    });
    let mut kept: Vec<Identifier> = Vec::new();
    for one in found {
        if kept.iter().all(|other| one.span.end <= other.span.start || other.span.end <= one.span.start) {
            kept.push(one);
        }
    }
    kept.sort_by_key(|one| one.span.start);
    kept
}
