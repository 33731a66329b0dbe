//! People who share a name, told apart: "John (your brother) 23 · John Smith (colleague) 8".
//!
//! A remark beside the name (a surname, a relation, a role, a firm) is a sign of whom it means. Signs that
//! stand together name one person. A memory without a sign goes with the people it is told together with, and with
//! nobody if that does not decide it: a guess would forget the wrong one.

mod persons;
mod signs;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use self::persons::People;
use self::signs::{Sign, Voice, voices};
use crate::names::PersonName;
use lacuna_types::{Entity, MemoryId, SessionId};

/// Rounds in which memories without a sign are looked at again, after others have found their place.
const ROUNDS_MAX: usize = 3;
/// Being told in one conversation counts for this many others who are mentioned in both.
const SESSION_WEIGHT: usize = 2;

/// A memory that mentions the name, as far as it matters here. No `Debug`: it holds the text.
pub struct View<'a> {
    /// The memory.
    pub id: MemoryId,
    /// Its text.
    pub text: &'a str,
    /// The entities that it is marked with.
    pub entities: &'a [Entity],
    /// The session that it belongs to.
    pub session: Option<&'a SessionId>,
    /// The keys of the other entities that it mentions.
    pub others: &'a [String],
}

/// One of the people who share a name, or the memories that do not say which one they mean.
#[derive(Clone, PartialEq, Eq)]
pub struct Cluster {
    /// The label: "John Smith (colleague)".
    pub label: String,
    /// Number of its memories.
    pub count: usize,
    /// Its memories.
    pub members: Vec<MemoryId>,
}

/// Tells apart the people who share a name, the most mentioned first. One cluster, and there is nothing to ask.
pub fn clusters(name: &str, views: &[View<'_>]) -> Vec<Cluster> {
    let sought = PersonName::new(name);
    let heard: Vec<Vec<Voice>> = views.iter().map(|view| voices(name, &sought, view)).collect();
    let people = People::of(heard.iter().flatten());
    let mut places: Vec<Vec<usize>> = heard.iter().map(|voices| people.meant_by(voices)).collect();
    let found = people.count();
    if found <= 1 {
        // Nothing says that there is a second one.
        places.iter_mut().for_each(|place| *place = vec![0]);
    } else {
        settle(views, &mut places, found);
    }
    let mut clusters: Vec<Cluster> = (0..found.max(1))
        .map(|person| {
            let label = if found == 0 { name.to_owned() } else { people.label(person, name) };
            cluster(label, views, |at| places[at].contains(&person))
        })
        .collect();
    clusters.push(cluster(format!("{name} (unclear)"), views, |at| places[at].is_empty()));
    clusters.retain(|cluster| cluster.count > 0);
    // Whoever is unclear comes last, however many they are.
    let unclear = clusters.len().saturating_sub(usize::from(places.iter().any(Vec::is_empty)));
    clusters[..unclear].sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.label.cmp(&b.label)));
    clusters
}

fn cluster(label: String, views: &[View<'_>], is_member: impl Fn(usize) -> bool) -> Cluster {
    let members: Vec<MemoryId> =
        (0..views.len()).filter(|at| is_member(*at)).map(|at| views[at].id).collect();
    Cluster { label, count: members.len(), members }
}

/// Finds a place for the memories without a sign: with those who are mentioned together with the same others.
fn settle(views: &[View<'_>], places: &mut [Vec<usize>], people: usize) {
    for _ in 0..ROUNDS_MAX {
        let company = Company::of(views, places);
        let found: Vec<(usize, usize)> = (0..views.len())
            .filter(|at| places[*at].is_empty())
            .filter_map(|at| Some((at, company.closest(&views[at], people)?)))
            .collect();
        if found.is_empty() {
            return;
        }
        found.into_iter().for_each(|(at, person)| places[at].push(person));
    }
}

/// Counts of people who are told together.
#[derive(Default)]
struct Company<'v> {
    sessions: HashMap<&'v SessionId, HashMap<usize, usize>>,
    others: HashMap<&'v str, HashMap<usize, usize>>,
}

impl<'v> Company<'v> {
    fn of(views: &'v [View<'_>], places: &[Vec<usize>]) -> Self {
        let mut company = Self::default();
        for (view, place) in views.iter().zip(places) {
            // A memory of two of them says nothing about the company of either.
            let [person] = place[..] else { continue };
            if let Some(session) = view.session {
                *company.sessions.entry(session).or_default().entry(person).or_default() += 1;
            }
            for other in view.others {
                *company.others.entry(other.as_str()).or_default().entry(person).or_default() += 1;
            }
        }
        company
    }

    /// The one with the most in common, unless another has as much.
    fn closest(&self, view: &View<'_>, people: usize) -> Option<usize> {
        let mut scores = vec![0; people];
        let session = view.session.and_then(|session| self.sessions.get(session));
        for (person, count) in session.into_iter().flatten() {
            scores[*person] += SESSION_WEIGHT * count;
        }
        for (person, count) in
            view.others.iter().filter_map(|other| self.others.get(other.as_str())).flatten()
        {
            scores[*person] += count;
        }
        let best = (0..people).max_by_key(|person| scores[*person])?;
        let alone = scores.iter().filter(|score| **score == scores[best]).count() == 1;
        (alone && scores[best] > 0).then_some(best)
    }
}
