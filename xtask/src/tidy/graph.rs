//! A graph of names, and its cycles.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Edges between names, each with the place in the source that makes it.
#[derive(Default)]
pub(super) struct Graph<'a> {
    edges: BTreeMap<&'a str, BTreeMap<&'a str, String>>,
}

impl<'a> Graph<'a> {
    /// Adds an edge; the first place stays. An edge to itself is none.
    pub(super) fn add(&mut self, from: &'a str, to: &'a str, place: impl FnOnce() -> String) {
        if from != to {
            self.edges.entry(from).or_default().entry(to).or_insert_with(place);
        }
    }

    /// Sets of names that reach each other, the largest first.
    pub(super) fn cycles(&self) -> Vec<Vec<&'a str>> {
        let reached: BTreeMap<_, _> =
            self.edges.keys().map(|name| (*name, self.reached_from(name))).collect();
        let mut cycles: Vec<Vec<&str>> = Vec::new();
        for (name, reach) in &reached {
            if !reach.contains(name) || cycles.iter().any(|cycle| cycle.contains(name)) {
                continue;
            }
            let returns = |other: &&&str| reached.get(**other).is_some_and(|back| back.contains(name));
            cycles.push(reach.iter().filter(returns).copied().collect());
        }
        cycles.sort_by_key(|cycle| std::cmp::Reverse(cycle.len()));
        cycles
    }

    fn reached_from(&self, start: &'a str) -> BTreeSet<&'a str> {
        let mut reached = BTreeSet::new();
        let mut waiting = vec![start];
        while let Some(name) = waiting.pop() {
            let next = self.edges.get(name).into_iter().flat_map(BTreeMap::keys);
            waiting.extend(next.copied().filter(|next| reached.insert(*next)));
        }
        reached
    }

    /// Edges inside a cycle: from, to and place.
    pub(super) fn edges_within(&self, cycle: &[&'a str]) -> Vec<(&'a str, &'a str, &str)> {
        let within = |name: &str| cycle.contains(&name);
        let from = self.edges.iter().filter(|(name, _)| within(name));
        from.flat_map(|(from, to)| to.iter().map(|(to, place)| (*from, *to, place.as_str())))
            .filter(|(_, to, _)| within(to))
            .collect()
    }

    /// Edges of the shortest way round a cycle.
    pub(super) fn shortest_round(&self, cycle: &[&'a str]) -> Vec<(&'a str, &'a str, &str)> {
        let rounds = cycle.iter().filter_map(|name| self.round(name));
        rounds.min_by_key(Vec::len).unwrap_or_default()
    }

    fn round(&self, start: &'a str) -> Option<Vec<(&'a str, &'a str, &str)>> {
        let mut before: BTreeMap<&str, (&'a str, &'a str, &str)> = BTreeMap::new();
        let mut waiting = VecDeque::from([start]);
        while let Some(from) = waiting.pop_front() {
            for (to, place) in self.edges.get(from).into_iter().flatten() {
                if !before.contains_key(to) {
                    before.insert(to, (from, to, place));
                    waiting.push_back(to);
                }
            }
        }
        let mut round = vec![*before.get(start)?];
        while round[round.len() - 1].0 != start {
            round.push(before[round[round.len() - 1].0]);
        }
        round.reverse();
        Some(round)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph<'a>(edges: &[(&'a str, &'a str)]) -> Graph<'a> {
        let mut graph = Graph::default();
        for (from, to) in edges {
            graph.add(from, to, || format!("{from}.rs:1"));
        }
        graph
    }

    #[test]
    fn cycles_are_found_and_a_tree_has_none() {
        assert!(graph(&[("a", "b"), ("b", "c"), ("a", "c")]).cycles().is_empty());
        assert!(graph(&[("a", "a")]).cycles().is_empty());
        assert_eq!(graph(&[("a", "b"), ("b", "a"), ("b", "c")]).cycles(), [["a", "b"]]);
        let two = graph(&[("a", "b"), ("b", "a"), ("x", "y"), ("y", "z"), ("z", "x"), ("a", "x")]);
        assert_eq!(two.cycles(), [vec!["x", "y", "z"], vec!["a", "b"]]);
    }

    #[test]
    fn the_shortest_round_is_shown_with_places() {
        let graph = graph(&[("a", "b"), ("b", "c"), ("c", "a"), ("c", "b")]);
        let cycle = graph.cycles().remove(0);
        assert_eq!(graph.shortest_round(&cycle), [("b", "c", "b.rs:1"), ("c", "b", "c.rs:1")]);
        assert_eq!(graph.edges_within(&cycle).len(), 4);
    }
}
