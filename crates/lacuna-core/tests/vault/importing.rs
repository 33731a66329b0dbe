//! Imports that are interrupted: what was acknowledged is there, and importing once more stores the rest.

use lacuna_core::permit::Import;
use lacuna_core::transfer::{Duplicates, Fate, ImportRecord, Origin};
use lacuna_store::rows::FaultTiming;

use super::*;

/// Notes in the file, in batches of two; every second one was derived from the one before it.
const NOTES: usize = 6;
const BATCH: usize = 2;

fn there(number: usize) -> MemoryId {
    MemoryId::derive("2025-01-01T00:00:00Z".parse().unwrap(), &[b"elsewhere", &[number as u8]])
}

fn text(number: usize) -> String {
    format!("Note {number} of the harbour log.")
}

fn record(number: usize) -> ImportRecord {
    let link = Lineage { source: there(number.saturating_sub(1)), contribution: Contribution::Primary };
    ImportRecord {
        number: number as u64,
        origin: Some(Origin::Memory(there(number))),
        draft: Draft {
            category: Some(Category::Conversation),
            derived_from: if number % 2 == 1 { vec![link] } else { Vec::new() },
            ..draft(&text(number))
        },
        carried: None,
    }
}

/// Imports the file. Answers with where each acknowledged note is, and whether it came to its end.
fn import(lacuna: &Lacuna) -> (Vec<(usize, MemoryId)>, bool) {
    let grant = grant::<Import>("anna");
    let mut acknowledged = Vec::new();
    let mut note = |answers: Vec<lacuna_core::transfer::Imported>| {
        for answer in answers {
            match answer.fate {
                Fate::Stored { id, .. } | Fate::Repeated { id } => {
                    acknowledged.push((answer.number as usize, id));
                }
                other => panic!("{other:?}"),
            }
        }
    };
    let Ok(mut importing) = lacuna.import(&grant, Duplicates::Merge, false) else {
        return (acknowledged, false);
    };
    for part in (0..NOTES).collect::<Vec<_>>().chunks(BATCH) {
        match importing.take(part.iter().map(|number| record(*number)).collect()) {
            Ok(answers) => note(answers),
            Err(_) => return (acknowledged, false),
        }
    }
    let ended = importing.finish().map(|(answers, _)| note(answers)).is_ok();
    (acknowledged, ended)
}

fn check(lacuna: &Lacuna, acknowledged: &[(usize, MemoryId)], what: &str) {
    for (number, id) in acknowledged {
        let memory = lacuna.get(&grant::<Recall>("anna"), *id).unwrap();
        assert_eq!(memory.content.full_text().expose(), text(*number), "{what}");
        let source = number.checked_sub(1).filter(|_| number % 2 == 1);
        let source = source.and_then(|source| acknowledged.iter().find(|(other, _)| *other == source));
        let links: Vec<_> = memory.facets.derived_from.iter().map(|link| link.source).collect();
        assert_eq!(links, source.map(|(_, id)| *id).into_iter().collect::<Vec<_>>(), "{what}");
    }
}

/// The process dies at the N-th operation of a store, for every N; a new one imports the same file.
#[test]
fn a_failure_at_any_step_of_an_import_loses_nothing_and_doubles_nothing() {
    for when in [FaultTiming::Before, FaultTiming::After] {
        for n in 1.. {
            let what = format!("{when:?} {n}");
            let world = World::ram();
            let (doomed, faults) = world.faulty();
            faults.die(n, when);
            let (acknowledged, ended) = import(&doomed);
            drop(doomed);

            let reborn = world.service();
            reborn.upkeep().recover(&scope("anna")).unwrap();
            check(&reborn, &acknowledged, &what);
            let (whole, _) = import(&reborn);
            assert_eq!(whole.len(), NOTES, "{what}");
            check(&reborn, &whole, &what);
            for kept in &acknowledged {
                assert!(whole.contains(kept), "{what}: {kept:?} is where it was");
            }
            assert_eq!(reborn.count(&grant::<Recall>("anna")).unwrap(), (NOTES, 0), "{what}");
            reborn.verified("anna");
            if ended {
                break;
            }
            assert!(n < 300, "an import of a few notes has a bounded number of steps");
        }
    }
}

/// One operation fails and the process lives on: the same import, once more, completes the vault.
#[test]
fn an_import_outlives_a_single_failure_at_any_step() {
    for when in [FaultTiming::Before, FaultTiming::After] {
        for n in 1..60 {
            let what = format!("{when:?} {n}");
            let world = World::ram();
            let (lacuna, faults) = world.faulty();
            faults.fail(n, when);
            let (acknowledged, _) = import(&lacuna);
            faults.heal();
            let (whole, ended) = import(&lacuna);
            assert!(ended && acknowledged.iter().all(|kept| whole.contains(kept)), "{what}");
            check(&lacuna, &whole, &what);
            assert_eq!(world.service().count(&grant::<Recall>("anna")).unwrap(), (NOTES, 0), "{what}");
        }
    }
}

/// A dry run stores nothing, so only the import itself knows what the batches before would have stored.
#[test]
fn a_dry_run_counts_what_repeats_over_all_of_its_batches() {
    let counted = |dry_run: bool| {
        let world = World::ram();
        let lacuna = world.service();
        let grant = grant::<Import>("anna");
        let mut importing = lacuna.import(&grant, Duplicates::Merge, dry_run).unwrap();
        // One note under three names, each in a batch of its own.
        for number in [0, 2, 4] {
            importing.take(vec![ImportRecord { draft: record(0).draft, ..record(number) }]).unwrap();
        }
        let (_, account) = importing.finish().unwrap();
        (account.stored, account.repeated)
    };
    assert_eq!(counted(true), (1, 2));
    assert_eq!(counted(false), (1, 2));
}
