//! A summary or a fact made anew, because one of its turns was forgotten: only from what is left.

use lacuna_language::condense::{Rarity, Turn, extract, summarise};
use lacuna_types::*;
use zeroize::Zeroizing;

/// A source that is left.
pub(crate) struct Left<'a> {
    pub(crate) text: String,
    pub(crate) facets: &'a Facets,
}

impl Left<'_> {
    fn is_turn(&self) -> bool {
        let source = &self.facets.source;
        self.facets.content_type == ContentType::Transcript
            && source.session.is_some()
            && source.turn.is_some()
    }
}

/// Returns the text made from the remaining turns to replace `old`; `None` when the sources are no turns, or say
/// nothing.
///
/// A fact that one of the turns states by itself stays as it is. Everything else is summarised anew, within the
/// length of the old text.
pub(crate) fn rebuilt(
    old: &str,
    content_type: ContentType,
    left: Vec<Left<'_>>,
) -> Option<Zeroizing<String>> {
    if !left.iter().all(Left::is_turn) {
        return None;
    }
    let turn = |left: Left<'_>| Turn::new(left.text, &left.facets.source);
    let turns: Vec<Turn> = left.into_iter().map(turn).collect();
    if content_type != ContentType::Summary && extract(&turns).iter().any(|claim| claim.text == old) {
        return Some(Zeroizing::new(old.to_owned()));
    }
    let room = old.chars().count().max(1);
    Some(summarise(&turns, &Rarity::of(turns.iter()), room, &[])?.text)
}
