//! What is brought to mind fades later; nothing waits for it, and nothing that is gone comes back by it.

use jiff::SignedDuration;
use lacuna_core::permit::Freeze;
use lacuna_types::policy::{AUDIT_SAMPLED, ReadLogging};

use super::*;

const QUESTION: &str = "which tea does the harbour master drink?";
const TEXT: &str = "The harbour master drinks smoked tea.";

fn day(days: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * days)
}

fn event(text: &str) -> Draft {
    let details = vec![Detail { content: "in a blue cup".into(), brightness: 0.8 }];
    Draft { category: Some(Category::Conversation), salience: Some(0.6), details, ..draft(text) }
}

fn bring_to_mind(lacuna: &Lacuna, user: &str) -> usize {
    let query = Query { rehearse: true, ..Query::new(QUESTION) };
    lacuna.recall(&grant(user), &query).unwrap();
    lacuna.upkeep().flush_rehearsals().unwrap()
}

fn entries(lacuna: &Lacuna) -> Vec<lacuna_core::audit::AuditEntry> {
    let page = lacuna.read_audit(&grant("anna"), 0).unwrap().into_iter().map(|(_, entry)| entry);
    page.filter(|entry| entry.action == AuditAction::MemoryRehearse).collect()
}

#[test]
fn a_rehearsal_is_written_and_survives_a_restart() {
    let (_database, postgres) = World::postgres("rehearsing").unzip();
    for world in [World::ram(), World::sqlite()].into_iter().chain(postgres) {
        let lacuna = world.service();
        let id = lacuna.take("anna", event(TEXT)).unwrap().id;
        world.clock.advance(day(14));
        let before = lacuna.get(&grant("anna"), id).unwrap();
        assert_eq!(bring_to_mind(&lacuna, "anna"), 1);
        assert_eq!(lacuna.upkeep().flush_rehearsals().unwrap(), 0);

        let now = world.clock.now();
        for lacuna in [lacuna, world.service()] {
            let after = lacuna.get(&grant("anna"), id).unwrap();
            let vitality = &after.facets.vitality;
            assert_eq!((vitality.rehearsals, vitality.rehearsed_at), (1, now));
            assert!((vitality.salience - 0.3 * 1.4).abs() < 1e-4, "{}", vitality.salience);
            assert_eq!(vitality.peaks[0].salience, 0.6);
            assert!(after.content.details[0].brightness < 0.8);
            assert_eq!(after.updated_at, before.updated_at);
            assert!(after.content.gist == before.content.gist);
            assert_eq!(lacuna.texts("anna", QUESTION), [TEXT]);
        }
    }
}

#[test]
fn a_search_goes_by_the_salience_of_the_moment() {
    let world = World::ram();
    let lacuna = world.service();
    lacuna.take("anna", event(TEXT)).unwrap();
    let salience = || {
        let query = Query { explain: true, ..Query::new(QUESTION) };
        let recalled = lacuna.recall(&grant("anna"), &query).unwrap();
        recalled.hits[0].explanation.as_ref().unwrap().salience
    };
    assert!((salience() - 0.6).abs() < 1e-4);
    world.clock.advance(day(28));
    assert!((salience() - 0.15).abs() < 1e-3);
    assert_eq!(bring_to_mind(&lacuna, "anna"), 1);
    assert!((salience() - 0.15 * 1.4).abs() < 1e-3);
}

#[test]
fn what_is_gone_frozen_or_only_read_is_not_rehearsed() {
    let world = World::ram();
    let lacuna = world.service();
    let id = lacuna.take("anna", event(TEXT)).unwrap().id;
    let reader = Caller { roles: vec![Role::Reader], ..caller("anna") };
    let reading = permit::<Recall>(&reader, &reader.personal_scope()).unwrap();
    let query = Query { rehearse: true, ..Query::new(QUESTION) };
    assert_eq!(lacuna.recall(&reading, &query).unwrap().hits.len(), 1);
    assert_eq!(lacuna.upkeep().flush_rehearsals().unwrap(), 0);

    lacuna.freeze(&grant::<Freeze>("anna")).unwrap();
    assert_eq!(bring_to_mind(&lacuna, "anna"), 0);
    lacuna.thaw(&grant::<Freeze>("anna")).unwrap();
    assert_eq!(lacuna.upkeep().flush_rehearsals().unwrap(), 0, "what was read while frozen stays unwritten");

    lacuna.recall(&grant("anna"), &query).unwrap();
    lacuna.erase("anna", id).unwrap();
    let acts = lacuna.verified("anna");
    assert_eq!(lacuna.upkeep().flush_rehearsals().unwrap(), 0);
    assert_eq!(lacuna.verified("anna"), acts);
    assert!(lacuna.texts("anna", QUESTION).is_empty());
}

#[test]
fn the_audit_of_rehearsals_follows_the_policy_and_names_ids_only() {
    for (audit_rehearsals, commits, expected) in [
        (ReadLogging::Always, 3, 3),
        (ReadLogging::Sampled, AUDIT_SAMPLED + 1, 2),
        (ReadLogging::Never, 3, 0),
    ] {
        let world = World::ram();
        let lacuna = world.service_under(Policy { audit_rehearsals, ..Policy::default() });
        let id = lacuna.take("anna", event(TEXT)).unwrap().id;
        for _ in 0..commits {
            assert_eq!(bring_to_mind(&lacuna, "anna"), 1);
        }
        let found = entries(&lacuna);
        assert_eq!(found.len(), expected, "{audit_rehearsals}");
        assert!(found.iter().all(|entry| entry.subjects == [id.into()] && entry.notes.is_empty()));
        lacuna.verify_audit(&grant::<ReadAudit>("anna")).unwrap();
    }
}

/// Seed 002 § 03: the user explicitly references content that matches a memory's gist or tags.
#[test]
fn a_turn_in_which_the_user_speaks_of_a_memory_rehearses_it() {
    use lacuna_core::keep::NewTurn;
    use lacuna_core::vault::Speaker;
    let world = World::ram();
    let lacuna = world.service();
    let tea = lacuna.take("anna", event(TEXT)).unwrap().id;
    let boat = Draft { tags: vec!["sailing".to_owned()], ..event("The boat needs a new mast.") };
    let boat = lacuna.take("anna", boat).unwrap().id;
    let other = lacuna.take("anna", event("The landlord prefers letters.")).unwrap().id;
    world.clock.advance(day(7));
    let said = |speaker: Speaker, text: &str, at: Option<Timestamp>| {
        let session = SessionId::new("desk").unwrap();
        let turn = NewTurn { at, ..NewTurn::new(speaker, text) };
        lacuna.append_turns(&grant("anna"), &session, vec![turn], None).unwrap();
        lacuna.upkeep().flush_rehearsals().unwrap();
        [tea, boat, other].map(|id| lacuna.get(&grant("anna"), id).unwrap().facets.vitality.rehearsals)
    };
    assert_eq!(said(Speaker::Assistant, "The harbour master and his smoked tea.", None), [0, 0, 0]);
    assert_eq!(said(Speaker::User, "What shall we have for dinner on Sunday?", None), [0, 0, 0]);
    let last_year = world.clock.now() - day(365);
    assert_eq!(said(Speaker::User, "The harbour master and his smoked tea.", Some(last_year)), [0, 0, 0]);
    assert_eq!(said(Speaker::User, "Did the harbour master bring his smoked tea?", None), [1, 0, 0]);
    assert_eq!(said(Speaker::User, "About sailing: is the mast of the boat paid?", None), [1, 1, 0]);
}
