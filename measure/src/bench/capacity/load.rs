//! Load: clients that each ask again as soon as they were answered, over one connection to every node.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::super::corpus::SEED;
use super::super::http::Connection;
use super::super::random::Random;
use super::super::sentences;
use super::fill::user_name;
use super::nodes::Node;
use crate::Result;

/// Texts that are written are others than those that are there.
const WRITE_SEED: u64 = 8_191;
const ANSWERED: [u16; 2] = [200, 201];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Asks {
    Recall,
    Remember,
}

/// One request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Visit {
    pub(super) user: usize,
    pub(super) node: usize,
    pub(super) asks: Asks,
    /// The number of its question or text.
    pub(super) number: usize,
}

/// The answers of one load.
#[derive(Default)]
pub(super) struct Answers {
    /// Times of visits to a vault that this node had opened before.
    pub(super) hot: Vec<Duration>,
    /// Times of first visits, which open the vault.
    pub(super) cold: Vec<Duration>,
    pub(super) failed: usize,
    pub(super) took: Duration,
}

impl Answers {
    pub(super) fn count(&self) -> usize {
        self.hot.len() + self.cold.len()
    }

    /// Times of all answers.
    pub(super) fn all(&self) -> Vec<Duration> {
        [&self.hot[..], &self.cold].concat()
    }

    fn join(&mut self, mut other: Self) {
        self.hot.append(&mut other.hot);
        self.cold.append(&mut other.cold);
        self.failed += other.failed;
    }
}

/// Clients of some nodes, and the vaults that they made them open.
pub(super) struct Clients<'a> {
    nodes: &'a [Node],
    token: &'a str,
    visited: Mutex<HashSet<(usize, usize)>>,
}

impl<'a> Clients<'a> {
    pub(super) fn new(nodes: &'a [Node], token: &'a str) -> Self {
        Self { nodes, token, visited: Mutex::default() }
    }

    /// Makes the visits that `next` names, from so many clients at once, until there are no more or the time is over.
    pub(super) fn drive(
        &self,
        clients: usize,
        time: Duration,
        next: &(dyn Fn() -> Option<Visit> + Sync),
    ) -> Result<Answers> {
        let started = Instant::now();
        let work = || self.work(started + time, next).map_err(|error| error.to_string());
        let mut all = thread::scope(|scope| {
            let threads: Vec<_> = (0..clients).map(|_| scope.spawn(work)).collect();
            let mut all = Answers::default();
            for thread in threads {
                all.join(thread.join().map_err(|_| "a client broke off".to_owned())??);
            }
            Ok::<_, String>(all)
        })?;
        all.took = started.elapsed();
        Ok(all)
    }

    fn work(&self, until: Instant, next: &(dyn Fn() -> Option<Visit> + Sync)) -> Result<Answers> {
        let mut connections =
            self.nodes.iter().map(|node| Connection::open(&node.authority)).collect::<Result<Vec<_>>>()?;
        let mut answers = Answers::default();
        while Instant::now() < until
            && let Some(visit) = next()
        {
            let request = self.request(&visit);
            let asked = Instant::now();
            let answer = connections[visit.node].exchange(&request)?;
            let took = asked.elapsed();
            if !ANSWERED.contains(&answer.status) {
                // The first says enough.
                if answers.failed == 0 {
                    eprintln!("{visit:?}: {} {}", answer.status, String::from_utf8_lossy(&answer.body));
                }
                answers.failed += 1;
            } else if self.is_first(&visit) {
                answers.cold.push(took);
            } else {
                answers.hot.push(took);
            }
        }
        Ok(answers)
    }

    fn is_first(&self, visit: &Visit) -> bool {
        self.visited.lock().unwrap_or_else(PoisonError::into_inner).insert((visit.user, visit.node))
    }

    fn request(&self, visit: &Visit) -> String {
        let (path, body) = match visit.asks {
            Asks::Recall => ("/v1/search", json!({"query": sentences::question(SEED, visit.number)})),
            Asks::Remember => (
                "/v1/memories",
                json!({
                    "content": sentences::memory(WRITE_SEED, visit.number),
                    "category": "conversation",
                    "consent_basis": "explicit-consent",
                }),
            ),
        };
        let (token, user, body) = (self.token, user_name(visit.user), body.to_string());
        format!(
            "POST {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\nLacuna-User: {user}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    }
}

/// The node that serves a user, as a load balancer would keep them together.
pub(super) fn home_of(user: usize, nodes: usize) -> usize {
    user % nodes
}

/// Visits of users by Zipf's law, each at their own node. The first users come most often.
pub(super) fn zipf(users: usize, nodes: usize, asks: Asks, seed: u64) -> impl Fn() -> Option<Visit> + Sync {
    let random = Mutex::new(Random::new(seed));
    move || {
        let mut random = random.lock().unwrap_or_else(PoisonError::into_inner);
        let (user, number) = (random.falling(users), random.below(usize::MAX >> 1));
        Some(Visit { user, node: home_of(user, nodes), asks, number })
    }
}

/// Every user at every node once, in an order without a pattern.
pub(super) fn every_pair(users: usize, nodes: usize, seed: u64) -> Vec<Visit> {
    let mut random = Random::new(seed);
    let pair =
        |place: usize| Visit { user: place / nodes, node: place % nodes, asks: Asks::Recall, number: place };
    let mut pairs: Vec<Visit> = (0..users * nodes).map(pair).collect();
    for last in (1..pairs.len()).rev() {
        pairs.swap(last, random.below(last + 1));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_users_come_most_often_and_each_stays_at_one_node() {
        let next = zipf(1_000, 3, Asks::Recall, 5);
        let mut counts = vec![0usize; 1_000];
        for _ in 0..200_000 {
            let visit = next().unwrap();
            assert_eq!(visit.node, visit.user % 3);
            counts[visit.user] += 1;
        }
        // By Zipf's law the first ten of a thousand make about a third of all visits, the second half a tenth.
        let share = |counts: &[usize]| counts.iter().sum::<usize>() as f64 / 200_000.0;
        assert!((0.30..0.40).contains(&share(&counts[..10])), "{}", share(&counts[..10]));
        assert!((0.07..0.13).contains(&share(&counts[500..])), "{}", share(&counts[500..]));
    }

    #[test]
    fn pairs_are_all_there_once_and_mixed() {
        let pairs = every_pair(20, 3, 9);
        let distinct: HashSet<_> = pairs.iter().map(|visit| (visit.user, visit.node)).collect();
        assert_eq!((pairs.len(), distinct.len()), (60, 60));
        assert!(pairs.iter().zip(&pairs[1..]).filter(|(one, next)| one.user == next.user).count() < 20);
    }
}
