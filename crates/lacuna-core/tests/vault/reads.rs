//! Reads are recorded without content, or they do not happen.

use lacuna_core::audit::AuditEntry;
use lacuna_core::index::Filter;
use lacuna_core::permit::Review;
use lacuna_core::read::LIST_PAGE_MAX;
use lacuna_core::vault::{READ_SUBJECTS_MAX, READS_QUEUED_MAX};
use lacuna_store::rows::{FaultTiming, Faults, FaultyStore};
use lacuna_types::policy::ReadLogging;

use super::*;

fn reads(lacuna: &Lacuna, user: &str) -> Vec<AuditEntry> {
    let page = lacuna.read_audit(&grant(user), 0).unwrap().into_iter().map(|(_, entry)| entry);
    page.filter(|entry| entry.action == AuditAction::MemoryRead).collect()
}

fn entries(lacuna: &Lacuna) -> u64 {
    lacuna.verify_audit(&grant::<ReadAudit>("anna")).unwrap().entries
}

fn note<'a>(entry: &'a AuditEntry, name: &str) -> Option<&'a str> {
    entry.notes.iter().find_map(|note| note.strip_prefix(name)?.strip_prefix(':'))
}

fn policy(audit_reads: ReadLogging) -> Policy {
    Policy { audit_reads, ..Policy::default() }
}

#[test]
fn a_read_is_recorded_with_reader_ids_lanes_and_a_keyed_mark_of_the_question() {
    let (_database, postgres) = World::postgres("reads").unzip();
    for world in [World::ram(), World::sqlite()].into_iter().chain(postgres) {
        let lacuna = world.service();
        let id = lacuna.keep("anna", "The orchid wants water on Tuesdays.").unwrap();
        let question = "when does the orchid want water?";
        let lanes = vec![Lane::Profile, Lane::Business];
        let filter = Filter { lanes, ..Filter::default() };
        lacuna.recall(&grant("anna"), &Query { filter, ..Query::new(question) }).unwrap();
        lacuna.ask("anna", question).unwrap();
        lacuna.ask("anna", "which plant is thirsty?").unwrap();
        lacuna.get(&grant("anna"), id).unwrap();
        lacuna.list(&grant("anna"), &Filter::default(), None, 10).unwrap();

        let seen = reads(&lacuna, "anna");
        let by: Vec<_> = seen.iter().filter_map(|entry| note(entry, "by")).collect();
        assert_eq!(by, ["recall", "recall", "recall", "get", "list"]);
        assert!(seen.iter().all(|entry| entry.actor == "anna" && entry.subjects == [id.into()]));
        assert!(seen.iter().all(|entry| note(entry, "count") == Some("1")));
        assert!(seen.iter().all(|entry| note(entry, "scope") == Some("user:anna")));
        assert_eq!(note(&seen[0], "lanes"), Some("profile,business"));
        assert_eq!(note(&seen[1], "lanes"), Some("all"));
        let marks: Vec<_> = seen.iter().map(|entry| note(entry, "query")).collect();
        assert!(marks[0].is_some() && marks[0] == marks[1] && marks[1] != marks[2]);
        assert_eq!(marks[3..], [None, None]);
        for row in world.store.audit(scope("anna").vault_id(), 0).unwrap() {
            let text = String::from_utf8_lossy(&row.entry).to_lowercase();
            assert!(!text.contains("orchid") && !text.contains("water") && !text.contains("thirsty"));
        }
        assert_eq!(entries(&lacuna), 1 + 5);
    }
}

#[test]
fn the_same_question_has_another_mark_in_another_vault() {
    let world = World::ram();
    let lacuna = world.service();
    for user in ["anna", "ben"] {
        lacuna.keep(user, "The orchid wants water on Tuesdays.").unwrap();
        lacuna.ask(user, "orchid water").unwrap();
    }
    let mark = |user| note(&reads(&lacuna, user)[0], "query").map(str::to_owned);
    assert_ne!(mark("anna").unwrap(), mark("ben").unwrap());
}

#[test]
fn seeing_nothing_is_not_recorded_and_looking_through_candidates_is() {
    let world = World::ram();
    let lacuna = world.service();
    lacuna.ask("anna", "anything at all").unwrap();
    lacuna.list(&grant("anna"), &Filter::default(), None, 10).unwrap();
    let inferred = Draft {
        source: Some(Source::new(SourceType::AiInference, Trust::Low)),
        content_type: Some(ContentType::Fact),
        ..draft("Anna prefers the window seat.")
    };
    lacuna.remember(&grant::<Remember>("anna"), vec![inferred]).unwrap();
    lacuna.ask("anna", "window seat").unwrap();
    assert!(reads(&lacuna, "anna").is_empty());
    assert_eq!(lacuna.candidates(&grant::<Review>("anna"), None, 10).unwrap().memories.len(), 1);
    assert_eq!(note(&reads(&lacuna, "anna")[0], "by"), Some("review"));
}

#[test]
fn the_policy_says_which_reads_are_recorded() {
    let cases = [(ReadLogging::Always, 30), (ReadLogging::Sampled, 3), (ReadLogging::Never, 0)];
    for (logging, expected) in cases {
        let world = World::ram();
        let lacuna = world.service_under(policy(logging));
        let id = lacuna.keep("anna", "The orchid wants water on Tuesdays.").unwrap();
        for _ in 0..30 {
            lacuna.get(&grant("anna"), id).unwrap();
        }
        assert_eq!(reads(&lacuna, "anna").len(), expected, "{logging}");
    }
}

#[test]
fn a_long_list_makes_several_entries_that_name_every_memory_once() {
    let world = World::ram();
    let lacuna = world.service();
    let drafts = (0..LIST_PAGE_MAX).map(|n| draft(&format!("Box {n} stands on shelf {}.", n * 7))).collect();
    lacuna.remember(&grant::<Remember>("anna"), drafts).unwrap();
    let page = lacuna.list(&grant("anna"), &Filter::default(), None, LIST_PAGE_MAX).unwrap();
    let seen = reads(&lacuna, "anna");
    assert_eq!(seen.len(), LIST_PAGE_MAX.div_ceil(READ_SUBJECTS_MAX));
    let named: Vec<_> = seen.iter().flat_map(|entry| entry.subjects.clone()).collect();
    assert_eq!(named, page.memories.iter().map(|memory| memory.id.into()).collect::<Vec<_>>());
}

#[test]
fn a_full_queue_is_written_by_the_reader_and_a_read_that_cannot_be_recorded_is_refused() {
    let world = World::ram();
    let faults = Faults::none();
    let store = Arc::new(FaultyStore::new(world.store.clone(), faults.clone()));
    let models = Models::only(static_model());
    let lacuna = world.service_of(store, world.keys.clone(), models, usize::MAX);
    let id = lacuna.keep("anna", "The orchid wants water on Tuesdays.").unwrap();
    let stored = || world.store.vault(scope("anna").vault_id()).unwrap().unwrap().audit.seq;
    for _ in 0..READS_QUEUED_MAX {
        lacuna.get(&grant("anna"), id).unwrap();
    }
    assert_eq!(stored(), 1, "nothing was written so far");
    // Every failure from the first operation of the read to the commit of the audit refuses it.
    let mut refused = 0;
    for operation in 1.. {
        faults.fail(operation, FaultTiming::Before);
        let Err(error) = lacuna.get(&grant("anna"), id) else { break };
        refused += usize::from(error.code() == "audit_unavailable");
    }
    assert!(refused > 0);
    faults.heal();
    // One batch passes several thousands and needs one checkpoint.
    assert_eq!(stored(), 1 + READS_QUEUED_MAX as u64 + 1, "what waited was written once");
    assert_eq!(reads(&lacuna, "anna").len(), 1_000 - 1, "a page of the chain begins with the write");
    assert_eq!(entries(&lacuna), 1 + READS_QUEUED_MAX as u64 + 1 + 1);
}

#[test]
fn reads_of_several_nodes_and_writes_meet_in_one_chain() {
    let world = World::sqlite();
    let (first, second) = (world.service(), world.service());
    let id = first.keep("anna", "The orchid wants water on Tuesdays.").unwrap();
    second.ask("anna", "orchid").unwrap();
    first.get(&grant("anna"), id).unwrap();
    first.keep("anna", "The fern wants shade.").unwrap();
    first.upkeep().flush_reads().unwrap();
    second.upkeep().flush_reads().unwrap();
    second.erase("anna", id).unwrap();
    assert_eq!(entries(&first), 7);
    assert_eq!(first.texts("anna", "fern").len(), 1);
}
