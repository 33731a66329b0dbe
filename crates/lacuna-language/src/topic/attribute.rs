//! Attributes that a request names: "my phone number", "what I earn". They are known in a memory by the kind of an
//! identifier or by the memory's category, whatever words it uses.

use crate::identifiers::{Family, IdentifierKind, identifiers};
use crate::languages::attribute::{AttributeKind, CATEGORIES, KINDS};
use lacuna_types::Sensitivity;

use super::near::{folded, slips_at_most_one};

/// Letters from which on a listed beginning also counts inside a compound: "Privatadresse".
const COMPOUND_LETTERS_MIN: usize = 5;

/// The attributes that a request names.
#[derive(Debug, Default)]
pub struct NamedAttributes {
    kinds: Vec<AttributeKind>,
    categories: Vec<Sensitivity>,
}

impl AttributeKind {
    fn is_held_by(self, kind: IdentifierKind) -> bool {
        match self {
            Self::Email => kind == IdentifierKind::Email,
            Self::Phone => kind == IdentifierKind::Phone,
            Self::Residence => kind.family() == Family::Place,
            Self::Plate => kind.family() == Family::Vehicle,
            Self::Birth => kind.family() == Family::Birth,
        }
    }
}

impl NamedAttributes {
    /// Reads the attributes of a request.
    pub fn of(request: &str) -> Self {
        let words = folded(request);
        let says =
            |list: &str| list.split_whitespace().any(|stem| words.iter().any(|word| begins(word, stem)));
        let mut kinds: Vec<AttributeKind> =
            KINDS.iter().filter(|(_, stems)| says(stems)).map(|(kind, _)| *kind).collect();
        // "E-mail address" is no place.
        if kinds.contains(&AttributeKind::Email) {
            kinds.retain(|kind| *kind != AttributeKind::Residence);
        }
        let categories = CATEGORIES.iter().filter(|(_, stems)| says(stems)).map(|(category, _)| *category);
        Self { kinds, categories: categories.collect() }
    }

    /// Returns true when a folded word is one by which an attribute of a kind is named.
    pub(super) fn are_named_by(&self, word: &str) -> bool {
        let named = KINDS.iter().filter(|(kind, _)| self.kinds.contains(kind));
        named.flat_map(|(_, stems)| stems.split_whitespace()).any(|stem| begins(word, stem))
    }

    /// Returns true when the request names an attribute that identifiers hold.
    pub fn has_kinds(&self) -> bool {
        !self.kinds.is_empty()
    }

    /// Returns true when the request names no attribute.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty() && self.categories.is_empty()
    }

    /// Returns true when a text holds an identifier of a kind that is named.
    pub fn are_held_by(&self, text: &str) -> bool {
        let named = |kind: IdentifierKind| self.kinds.iter().any(|own| own.is_held_by(kind));
        !self.kinds.is_empty() && identifiers(text).iter().any(|found| named(found.kind))
    }

    /// Returns true when one of a memory's categories is named.
    pub fn name_one_of(&self, categories: &[Sensitivity]) -> bool {
        categories.iter().any(|category| self.categories.contains(category))
    }
}

fn begins(word: &str, stem: &str) -> bool {
    let long = stem.len() >= COMPOUND_LETTERS_MIN;
    word.starts_with(stem) || long && (word.contains(stem) || slips_at_most_one(word, stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_is_known_by_the_kind_of_an_identifier() {
        for (request, text, held) in [
            ("forget my phone number", "Ring me on +44 20 7946 0018.", true),
            ("vergiss meine Privatnummer, also die Telefonnummer", "Ring me on +44 20 7946 0018.", true),
            ("delete my e-mail address", "Write to otto@example.org.", true),
            ("delete my e-mail address", "Ring me on +44 20 7946 0018.", false),
            ("forget the pier", "Write to otto@example.org.", false),
        ] {
            assert_eq!(NamedAttributes::of(request).are_held_by(text), held, "{request}");
        }
    }

    #[test]
    fn a_general_word_names_a_category_in_each_language() {
        for request in
            ["my health", "meine Gesundheit", "ma santé", "mi salud", "a minha saúde", "moje zdrowie"]
        {
            assert!(NamedAttributes::of(request).name_one_of(&[Sensitivity::Health]), "{request}");
        }
        assert!(!NamedAttributes::of("my boat").name_one_of(&[Sensitivity::Health]));
    }
}
