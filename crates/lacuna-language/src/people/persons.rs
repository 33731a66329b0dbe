//! From signs to people: signs that stand together name one person, unless they name two.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::{Sign, Voice};
use crate::names::{Sameness, same_name};

/// The people whom a set of signs tells apart.
pub(super) struct People {
    /// For every sign, the person it stands for.
    of_sign: BTreeMap<Sign, usize>,
    /// For every person, how often each of their signs was given.
    signs: Vec<BTreeMap<Sign, usize>>,
}

impl People {
    pub(super) fn of<'v>(voices: impl Iterator<Item = &'v Voice>) -> Self {
        let mut counts: BTreeMap<Sign, usize> = BTreeMap::new();
        let mut beside: BTreeMap<Sign, BTreeSet<Sign>> = BTreeMap::new();
        for voice in voices {
            for sign in &voice.signs {
                *counts.entry(sign.clone()).or_default() += 1;
                let others = voice.signs.iter().filter(|other| *other != sign).cloned();
                beside.entry(sign.clone()).or_default().extend(others);
            }
        }
        let mut people = Self { of_sign: BTreeMap::new(), signs: Vec::new() };
        // Full names are first in the order of signs: they found people, the other signs join them.
        for sign in counts.keys() {
            let person = people.joined(sign, &beside[sign]).unwrap_or_else(|| {
                people.signs.push(BTreeMap::new());
                people.signs.len() - 1
            });
            people.of_sign.insert(sign.clone(), person);
            people.signs[person].insert(sign.clone(), counts[sign]);
        }
        people
    }

    /// The one person whom the signs beside this one stand for. A sign that several people bear ("colleague") is
    /// nobody's own.
    fn joined(&self, sign: &Sign, beside: &BTreeSet<Sign>) -> Option<usize> {
        let met: BTreeSet<usize> = match sign.written() {
            Some(name) => self.named(name),
            None => beside.iter().filter_map(|other| self.of_sign.get(other)).copied().collect(),
        };
        if met.len() == 1 { met.first().copied() } else { None }
    }

    /// People who bear a full name already, in another spelling or script.
    fn named(&self, name: &str) -> BTreeSet<usize> {
        let is_one = |other: &str| same_name(name, other) != Sameness::Different;
        let named = self.of_sign.iter().filter(|(other, _)| other.written().is_some_and(is_one));
        named.map(|(_, person)| *person).collect()
    }

    pub(super) fn count(&self) -> usize {
        self.signs.len()
    }

    /// The people whom the voices of one memory mean: one for each voice that bears a sign.
    pub(super) fn meant_by(&self, voices: &[Voice]) -> Vec<usize> {
        // The strongest sign of each voice decides; it comes first.
        let meant: BTreeSet<usize> =
            voices.iter().filter_map(|voice| voice.signs.first()).map(|sign| self.of_sign[sign]).collect();
        meant.into_iter().collect()
    }

    /// Returns the label of a person: the fullest name, with a relation, role or origin.
    pub(super) fn label(&self, person: usize, name: &str) -> String {
        let signs = &self.signs[person];
        let most = |wanted: fn(&Sign) -> bool| {
            let signs = signs.iter().filter(|(sign, _)| wanted(sign));
            signs.max_by_key(|(sign, count)| (**count, Reverse(*sign))).map(|(sign, _)| sign)
        };
        let full = most(|sign| matches!(sign, Sign::Full(..)));
        let title = full.and_then(Sign::written).unwrap_or(name);
        let known = most(|sign| matches!(sign, Sign::Relation(_)))
            .or_else(|| most(|sign| matches!(sign, Sign::Role(_))))
            .or_else(|| most(|sign| matches!(sign, Sign::From(_))));
        match known.map(Sign::described) {
            Some(known) => format!("{title} ({known})"),
            None => title.to_owned(),
        }
    }
}
