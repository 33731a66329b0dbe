//! Random batches against a store and against a few maps; both must agree at every step.

use std::collections::{BTreeMap, HashSet};

use lacuna_store::rows::{Batch, RamStore, Row, SealedBody, SqliteStore, Store, VaultChange};
use lacuna_types::{MemoryId, Revision};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::samples::*;

/// Few ids, so that batches meet each other.
const IDS: u64 = 6;

#[derive(Clone, Debug)]
enum Act {
    Put { n: u64, frame: u8, body: Option<u8> },
    Keep { n: u64, frame: u8 },
    Remove { n: u64 },
}

#[derive(Clone, Debug)]
struct Step {
    acts: Vec<Act>,
    stale: bool,
    since: u64,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let act = prop_oneof![
        4 => (0..IDS, any::<u8>(), any::<Option<u8>>()).prop_map(|(n, frame, body)| Act::Put { n, frame, body }),
        2 => (0..IDS, any::<u8>()).prop_map(|(n, frame)| Act::Keep { n, frame }),
        1 => (0..IDS).prop_map(|n| Act::Remove { n }),
    ];
    let step = (prop::collection::vec(act, 0..4), prop::bool::weighted(0.1), 0..30u64)
        .prop_map(|(acts, stale, since)| Step { acts, stale, since });
    prop::collection::vec(step, 1..25)
}

#[derive(Clone, Default)]
struct Model {
    revision: u64,
    rows: BTreeMap<MemoryId, (u64, Row)>,
    gone: BTreeMap<MemoryId, u64>,
}

impl Model {
    fn commit(&mut self, batch: &Batch) -> Result<(), &'static str> {
        let mut seen = HashSet::new();
        let ids = batch.puts.iter().map(|row| row.id).chain(batch.removals.iter().copied());
        if !ids.into_iter().all(|id| seen.insert(id)) {
            return Err("invalid");
        }
        if batch.expected.0 != self.revision {
            return Err("conflict");
        }
        if batch.puts.iter().any(|row| self.gone.contains_key(&row.id)) {
            return Err("corrupt");
        }
        let mut next = self.clone();
        next.revision += 1;
        for row in &batch.puts {
            let body = match (&row.body, self.rows.get(&row.id)) {
                (SealedBody::Unchanged, None) => return Err("invalid"),
                (SealedBody::Unchanged, Some((_, stored))) => stored.body.clone(),
                (body, _) => body.clone(),
            };
            next.rows.insert(row.id, (next.revision, Row { body, ..row.clone() }));
        }
        for id in &batch.removals {
            next.rows.remove(id);
            next.gone.entry(*id).or_insert(next.revision);
        }
        *self = next;
        Ok(())
    }

    fn changes(&self, since: u64) -> Vec<(u64, MemoryId, bool)> {
        let puts = self.rows.iter().map(|(id, (revision, _))| (*revision, *id, true));
        let gone = self.gone.iter().map(|(id, revision)| (*revision, *id, false));
        let mut changes: Vec<_> = puts.chain(gone).filter(|(revision, ..)| *revision > since).collect();
        changes.sort();
        changes
    }
}

fn to_batch(step: &Step, user: &str, revision: u64) -> Batch {
    let expected = if step.stale { revision + 1 } else { revision };
    let mut batch = Batch::new(scope(user), time(0), Revision(expected));
    for act in &step.acts {
        match act {
            Act::Put { n, frame, body } => {
                let body = body.map_or(SealedBody::None, |byte| SealedBody::Inline {
                    revision: 1,
                    sealed: vec![byte; 9],
                });
                batch.puts.push(Row { frame: vec![*frame; 30], body, ..row(*n) });
            }
            Act::Keep { n, frame } => {
                batch.puts.push(Row { frame: vec![*frame; 20], body: SealedBody::Unchanged, ..row(*n) });
            }
            Act::Remove { n } => batch.removals.push(id(*n)),
        }
    }
    batch
}

fn assert_agrees(store: &dyn Store, model: &Model, user: &str, since: u64) {
    let vault = scope(user).vault_id();
    let ids: Vec<_> = (0..IDS).map(id).collect();
    let expected: Vec<_> = ids.iter().map(|id| model.rows.get(id).map(|(_, row)| row.clone())).collect();
    assert_eq!(store.rows(vault, &ids).unwrap(), expected);
    let (seen, revision) = changes(store, vault, Revision(since));
    assert_eq!(revision.0, model.revision);
    // The order inside one revision is not promised, so both sides are sorted by id within it.
    let mut named: Vec<_> = seen
        .iter()
        .map(|change| match change {
            VaultChange::Put(row) => (model.rows[&row.id].0, row.id, true),
            VaultChange::Gone(id) => (model.gone[id], *id, false),
        })
        .collect();
    assert!(named.is_sorted_by_key(|(revision, ..)| *revision));
    named.sort();
    assert_eq!(named, model.changes(since));
}

/// Runs random steps, each case in a vault of its own.
pub(crate) fn check(cases: u32, store: &dyn Store) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let case = std::cell::Cell::new(0);
    TestRunner::new(config)
        .run(&steps(), |steps| {
            case.set(case.get() + 1);
            let user = format!("case {}", case.get());
            let mut model = Model::default();
            for step in &steps {
                let batch = to_batch(step, &user, model.revision);
                let expected = model.commit(&batch);
                let answer = store.commit(batch).map(|_| ());
                assert_eq!(
                    answer.as_ref().map_err(|error| error.code()),
                    expected.as_ref().map_err(|code| *code)
                );
                assert_agrees(store, &model, &user, step.since);
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn ram_does_what_the_model_does() {
    check(256, &RamStore::new());
}

#[test]
fn sqlite_does_what_the_model_does() {
    let folder = tempfile::tempdir().unwrap();
    check(48, &SqliteStore::open(folder.path().join("data.db")).unwrap());
}
