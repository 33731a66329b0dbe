//! Long texts in pieces, so that the work grows with the text and no faster.

use std::ops::Range;

use super::{Classified, Named, each_once};
use lacuna_types::PrivacyClass;

/// The longest piece that is judged at once, in bytes. A text of the usual length is one piece.
pub(super) const PIECE_BYTES_MAX: usize = 8_192;

/// Cuts a text into pieces, after a line, a sentence or a word where there is one.
pub(super) fn pieces(text: &str) -> Vec<Range<usize>> {
    let mut pieces = Vec::with_capacity(text.len() / PIECE_BYTES_MAX + 1);
    let mut start = 0;
    while text.len() - start > PIECE_BYTES_MAX {
        let end = start + cut(&text[start..text.floor_char_boundary(start + PIECE_BYTES_MAX)]);
        pieces.push(start..end);
        start = end;
    }
    pieces.push(start..text.len());
    pieces
}

/// The best end for a piece that is long enough.
fn cut(text: &str) -> usize {
    let half = text.len() / 2;
    let after =
        |found: Option<(usize, &str)>| found.map(|(at, mark)| at + mark.len()).filter(|end| *end > half);
    after(text.rmatch_indices('\n').next())
        .or_else(|| after(text.rmatch_indices(['.', '。', '!', '?']).next()))
        .or_else(|| after(text.rmatch_indices(' ').next()))
        .unwrap_or(text.len())
}

/// Joins what was found in a later piece, which began at `offset`.
pub(super) fn join(whole: &mut Classified, mut piece: Classified, offset: usize) {
    for judged in piece.sensitivity {
        match whole.sensitivity.iter_mut().find(|other| other.value == judged.value) {
            Some(other) if other.confidence >= judged.confidence => {}
            Some(other) => *other = judged,
            None => whole.sensitivity.push(judged),
        }
    }
    whole.sensitivity.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    if strictness(piece.privacy.value) > strictness(whole.privacy.value) {
        whole.privacy = piece.privacy;
    }
    for lane in piece.secondary_lanes.drain(..).chain([piece.lane]) {
        let known = lane.value == whole.lane.value
            || whole.secondary_lanes.iter().any(|other| other.value == lane.value);
        if !known && lane.is_sure() {
            whole.secondary_lanes.push(lane);
        }
    }
    if piece.salience.value > whole.salience.value {
        whole.salience = piece.salience;
    }
    join_entities(&mut whole.entities, piece.entities, offset);
}

/// Joins the entities of a later piece, which began at `offset`.
pub(super) fn join_entities(whole: &mut Vec<Named>, piece: Vec<Named>, offset: usize) {
    let moved = piece.into_iter().map(|named| {
        let span = named.span.start + offset..named.span.end + offset;
        Named { span, ..named }
    });
    let all = std::mem::take(whole).into_iter().chain(moved).collect();
    *whole = each_once(all);
}

/// The class that asks for more care wins.
fn strictness(class: PrivacyClass) -> u8 {
    match class {
        PrivacyClass::NonPii => 0,
        PrivacyClass::Aggregate => 1,
        PrivacyClass::GuestPii => 2,
        PrivacyClass::StaffPii => 3,
        PrivacyClass::CommercialConfidential => 4,
        PrivacyClass::SensitivePii => 5,
    }
}
