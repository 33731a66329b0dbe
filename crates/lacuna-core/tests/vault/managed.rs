//! Memories as programs manage them: replaced under the same id, with fields of their own, listed in full.

use jiff::SignedDuration;
use lacuna_core::ManagedMemories;
use lacuna_core::forget::{Planned, Request};
use lacuna_core::index::Filter;
use lacuna_core::read::Condition;
use lacuna_core::write::{Corrected, Outcome, Replacement};
use lacuna_types::Error;
use lacuna_types::request::{PlanChoice, Target};
use serde_json::{Value, json};

use super::*;

/// A replacement of a text, which leaves the rest.
pub(crate) fn with(text: &str) -> Replacement {
    Replacement {
        text: text.into(),
        metadata: None,
        tags: None,
        expires_at: None,
        source: None,
        consent_basis: None,
        confirm: None,
    }
}

fn described(text: &str, metadata: Value) -> Draft {
    Draft { metadata: Some(metadata.to_string().as_str().into()), ..draft(text) }
}

fn replace(lacuna: &Lacuna, id: MemoryId, with: Replacement) -> Result<Corrected> {
    ManagedMemories::of(lacuna).replace(&grant::<Remember>("anna"), id, with)
}

fn condition(value: Value) -> Condition {
    Condition::read(&value).unwrap()
}

fn texts_where(lacuna: &Lacuna, wanted: Value) -> Vec<String> {
    let filter = Filter::default();
    let condition = condition(wanted);
    let page = ManagedMemories::of(lacuna)
        .list(&grant::<Recall>("anna"), (&filter, Some(&condition)), None, 50)
        .unwrap();
    page.memories.iter().map(|memory| memory.content.full_text().expose().to_owned()).collect()
}

fn memory_keys(world: &World) -> Vec<MemoryId> {
    let mut keys = Vec::new();
    let mut note = |key: lacuna_store::keys::WrappedMemoryKey| {
        keys.push(key.memory);
        Ok(())
    };
    world.keys.memory_keys(scope("anna").vault_id(), None, &mut note).unwrap();
    keys
}

#[test]
fn a_replaced_text_keeps_its_id_while_its_key_is_destroyed() {
    for world in [World::ram(), World::sqlite()] {
        let lacuna = world.service();
        let id = lacuna.take("anna", described("The museum opens at nine.", json!({"n": 1}))).unwrap().id;
        let before = memory_keys(&world);
        world.clock.advance(SignedDuration::from_secs(60));
        for text in ["The museum opens at ten.", "The museum opens at eleven."] {
            let Corrected::Done { memory, receipt, .. } = replace(&lacuna, id, with(text)).unwrap() else {
                panic!("it waits")
            };
            assert_eq!(memory.id, id);
            let receipt = receipt.unwrap().receipt;
            assert!(receipt.is_clean() && receipt.counts.keys_destroyed == 1);
        }
        let after = memory_keys(&world);
        assert_eq!((before.len(), after.len()), (1, 1));
        assert!(world.keys.erased(scope("anna").vault_id(), &before).unwrap().contains(&before[0]));
        // Another process knows it by the same id, with everything that was not named.
        for lacuna in [&lacuna, &world.service()] {
            let memory = lacuna.get(&grant::<Recall>("anna"), id).unwrap();
            assert_eq!(memory.content.full_text().expose(), "The museum opens at eleven.");
            assert_eq!(memory.public_id(), id);
            assert!(memory.id != id && memory.updated_at > memory.created_at);
            assert_eq!(memory.facets.history.metadata.as_ref().unwrap().expose(), r#"{"n":1}"#);
            assert_eq!(lacuna.get(&grant::<Recall>("anna"), memory.id).unwrap().public_id(), id);
            let found = lacuna.ask("anna", "When does the museum open?").unwrap();
            assert_eq!((found.hits.len(), found.hits[0].memory.public_id()), (1, id));
        }
        lacuna.verified("anna");
        // Every call takes the id: time, pin, plan, erasure.
        lacuna.pin(&grant("anna"), &[id], true).unwrap();
        lacuna.term(&grant("anna"), id).unwrap();
        let request = Request::new(Target::Ids(vec![id]));
        let Planned::Plan(plan) = lacuna.plan_forget(&grant("anna"), &request).unwrap() else { panic!() };
        assert_eq!(plan.matches.len(), 1);
        lacuna.erase("anna", id).unwrap();
        assert!(lacuna.get(&grant::<Recall>("anna"), id).is_err());
        assert!(replace(&lacuna, id, with("It never opens.")).is_err());
        assert!(memory_keys(&world).is_empty());
    }
}

#[test]
fn a_replacement_that_waits_or_is_asked_about_replaces_nothing() {
    let world = World::ram();
    let lacuna = world.service();
    let id = lacuna.keep("anna", "The ferry leaves at noon.").unwrap();
    let caller = Caller::new(OrgId::new("acme").unwrap(), UserId::new("anna").unwrap(), vec![Role::Agent]);
    let agent = permit::<Remember>(&caller, &caller.personal_scope()).unwrap();
    let waits = ManagedMemories::of(&lacuna).replace(&agent, id, with("The ferry leaves at one."));
    assert!(matches!(waits.unwrap(), Corrected::Held(Outcome::Stored(_))), "an assistant's word waits");
    let sick = "The doctor diagnosed Anna with diabetes last spring.";
    let asked = replace(&lacuna, id, with(sick)).unwrap();
    let Corrected::Held(Outcome::Asked(asked)) = asked else { panic!("{asked:?}") };
    let memory = lacuna.get(&grant::<Recall>("anna"), id).unwrap();
    assert_eq!(memory.content.full_text().expose(), "The ferry leaves at noon.");
    let yes = Replacement { confirm: Some(asked.token.clone()), ..with(sick) };
    assert!(matches!(replace(&lacuna, id, yes).unwrap(), Corrected::Done { .. }));
    assert_eq!(lacuna.get(&grant::<Recall>("anna"), id).unwrap().content.full_text().expose(), sick);
    assert!(ManagedMemories::of(&lacuna).replace(&grant("ben"), id, with("Mine now.")).is_err());
}

#[test]
fn equal_texts_under_two_ids_stay_two() {
    let world = World::ram();
    let lacuna = world.service();
    let one = lacuna.keep("anna", "The tram stops at the mill.").unwrap();
    let other = lacuna.keep("anna", "My bicycle has a red bell.").unwrap();
    replace(&lacuna, other, with("The tram stops at the mill.")).unwrap();
    lacuna.erase("anna", one).unwrap();
    let left = lacuna.get(&grant::<Recall>("anna"), other).unwrap();
    assert_eq!(left.content.full_text().expose(), "The tram stops at the mill.");
    // The same text once more is a new key, and the old fields go when an empty object says so.
    let empty = Replacement { metadata: Some("{}".into()), ..with("The tram stops at the mill.") };
    replace(&lacuna, other, empty).unwrap();
    let left = lacuna.get(&grant::<Recall>("anna"), other).unwrap();
    assert!(left.facets.history.metadata.is_none() && left.id != other);
}

#[test]
fn memories_are_found_by_their_fields() {
    let world = World::ram();
    let lacuna = world.service();
    for (text, fields) in [
        ("The blue folder is on the shelf.", json!({"project": "halcyon", "score": 4.5, "odd": [1e2, null]})),
        ("The red folder is in the drawer.", json!({"project": "halcyon", "score": 2})),
        ("The green folder has two pockets.", json!({"project": "osprey", "deep": {"er": true}})),
    ] {
        lacuna.take("anna", described(text, fields)).unwrap();
    }
    lacuna.keep("anna", "The yellow folder is lost.").unwrap();
    for (wanted, count) in [
        (json!({"project": "halcyon"}), 2),
        (json!({"project": "halcyon", "score": {"$gte": 4}}), 1),
        (json!({"OR": [{"score": 2}, {"deep": {"er": true}}]}), 2),
        (json!({"project": {"$exists": false}}), 1),
        (json!({"created_at": {"$gte": "2026-04-12T09:15:00Z"}}), 4),
        (json!({"project": "none"}), 0),
    ] {
        assert_eq!(texts_where(&lacuna, wanted.clone()).len(), count, "{wanted}");
        let query =
            Query { condition: Some(condition(wanted.clone())), ..Query::new("Where is the folder?") };
        let found = lacuna.recall(&grant::<Recall>("anna"), &query).unwrap();
        assert_eq!(found.hits.len(), count, "{wanted}");
    }
    let filter = Filter::default();
    let managed = ManagedMemories::of(&lacuna);
    let page = managed.list_whole(&grant("anna"), (&filter, None), None, 3).unwrap();
    assert!(page.memories.len() == 3 && !page.memories[0].shortened);
    let rest = managed.list_whole(&grant("anna"), (&filter, None), page.next, 3).unwrap();
    assert_eq!((rest.memories.len(), rest.next), (1, None));
}

#[test]
fn fields_pass_the_gate_and_are_forgotten_with_the_memory() {
    let world = World::sqlite();
    let lacuna = world.service();
    let key = format!("AKIA{}", "QX7ZP4LM2WD9RT6B");
    let secret =
        described("The backup runs at night.", json!({"login": format!("aws_access_key_id = {key}")}));
    let refused = lacuna.remember(&grant("anna"), vec![secret]).unwrap().remove(0);
    let Outcome::Refused(refused) = refused else { panic!("{refused:?}") };
    assert_eq!(refused.report.redactions[0].field, "metadata");
    let sick = json!({"why": "The doctor diagnosed Anna with diabetes last spring."});
    let asked =
        lacuna.remember(&grant("anna"), vec![described("See the file.", sick.clone())]).unwrap().remove(0);
    let Outcome::Asked(asked) = asked else { panic!("{asked:?}") };
    // The yes is for these very fields.
    let other =
        Draft { confirm: Some(asked.token.clone()), ..described("See the file.", json!({"why": "not"})) };
    assert!(lacuna.remember(&grant("anna"), vec![other]).is_err());
    let same = Draft { confirm: Some(asked.token.clone()), ..described("See the file.", sick) };
    let stored = lacuna.remember(&grant("anna"), vec![same]).unwrap().remove(0).stored().unwrap();
    assert!(stored.sensitivity.contains(&Sensitivity::Health));
    for wrong in ["[1]", "7", "{", &json!({"x": "y".repeat(METADATA_BYTES_MAX)}).to_string()] {
        let wrong = Draft { metadata: Some(wrong.into()), ..draft("The backup runs at night.") };
        assert!(matches!(
            lacuna.remember(&grant("anna"), vec![wrong]),
            Err(Error::Invalid { field: "metadata", .. })
        ));
    }

    lacuna
        .take("anna", described("The second appointment was moved.", json!({"who": "Bartholomew Quill"})))
        .unwrap();
    let request = Request::new(Target::Words("forget everything about Bartholomew Quill".to_owned()));
    let Planned::Plan(plan) = lacuna.plan_forget(&grant("anna"), &request).unwrap() else { panic!() };
    assert_eq!(plan.matches.len(), 1, "found by a word of its fields");
    lacuna.confirm_forget(&grant("anna"), plan.token.as_deref().unwrap(), &PlanChoice::All).unwrap();
    assert!(texts_where(&lacuna, json!({"who": {"$exists": true}})).is_empty());
    drop(lacuna);
    for file in std::fs::read_dir(world.folder.path()).unwrap().flatten().filter(|one| one.path().is_file()) {
        let bytes = std::fs::read(file.path()).unwrap();
        for word in ["Quill", "diabetes", "See the file"] {
            let found = bytes.windows(word.len()).any(|window| window == word.as_bytes());
            assert!(!found, "{} holds {word}", file.path().display());
        }
    }
}
