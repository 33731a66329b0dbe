//! Purpose limitation: what an assistant, a reader or another member gets of sensitive memories.

use lacuna_core::govern::TokenRequest;
use lacuna_core::index::Filter;
use lacuna_core::permit::{Export, Promote, Retain};
use lacuna_core::read::{TimelineFilter, Turn};
use lacuna_core::records::{NamespaceQuery, RecordName, RecordPut, RecordQuery, RecordsPut};
use lacuna_core::transfer::{Format, Wanted};
use lacuna_core::{Browse, Purposes, Records};

use super::models::Remote;
use super::*;

const DIAGNOSIS: &str = "The doctor diagnosed Anna with diabetes last spring.";

fn health(text: &str) -> Draft {
    Draft {
        sensitivity: vec![Sensitivity::Health],
        privacy_class: Some(PrivacyClass::SensitivePii),
        consent_basis: Some(ConsentBasis::ExplicitConsent),
        ..draft(text)
    }
}

fn caller(user: &str, roles: &[Role]) -> Caller {
    let org = grant::<Recall>("anna").scope().org.clone();
    let mut caller = Caller::new(org, UserId::new(user).unwrap(), roles.to_vec());
    caller.memberships = vec![Group::Team(TeamId::new("desk").unwrap())];
    caller
}

fn desk() -> Scope {
    Scope {
        org: grant::<Recall>("anna").scope().org.clone(),
        holder: Holder::Team(TeamId::new("desk").unwrap()),
    }
}

/// The ways by which a caller could read a memory of `scope`, as texts.
fn everything_read(lacuna: &Lacuna, caller: &Caller, scope: &Scope, id: MemoryId) -> String {
    let grant = permit::<Recall>(caller, scope).unwrap();
    let mut seen = String::new();
    let recalled = lacuna.recall(&grant, &Query::new("What did the doctor say about diabetes?")).unwrap();
    seen.extend(recalled.hits.iter().map(|hit| hit.memory.content.full_text().expose().to_owned()));
    let page = lacuna.list(&grant, &Filter::default(), None, 100).unwrap();
    seen.extend(page.memories.iter().map(|memory| memory.content.gist.expose().to_owned()));
    let browse = Browse::of(lacuna);
    let page = browse.timeline(&grant, &TimelineFilter::default(), None, 100).unwrap();
    seen.extend(page.memories.iter().map(|memory| memory.content.gist.expose().to_owned()));
    if browse.overview(&grant).unwrap().sensitive.contains_key(&Sensitivity::Health) {
        seen.push_str(DIAGNOSIS);
    }
    if let Ok(memory) = lacuna.get(&grant, id) {
        seen.push_str(memory.content.full_text().expose());
    }
    let turn = Turn { text: "What did the doctor say about diabetes?".to_owned(), ..Turn::default() };
    seen.push_str(&lacuna.context(&[permit(caller, scope).unwrap()], &turn).unwrap().text);
    if let Ok(grant) = permit::<Export>(caller, scope) {
        let mut file = Vec::new();
        let wanted = Wanted { include_health: true, ..Wanted::everything_but_health(Format::Json) };
        lacuna.export(&grant, &wanted, &mut file, &mut |_| {}).unwrap();
        seen.push_str(&String::from_utf8(file).unwrap());
    }
    seen
}

#[test]
fn an_assistant_gets_what_the_person_has_not_closed() {
    let world = World::ram();
    let lacuna = world.service();
    let id = lacuna.take("anna", health(DIAGNOSIS)).unwrap().id;
    lacuna.keep("anna", "Anna keeps bees on the roof.").unwrap();
    let own = grant::<Recall>("anna").scope().clone();
    let purposes = Purposes::of(&lacuna);
    for role in [Role::Agent, Role::Reader] {
        let assistant = caller("anna", &[role]);
        assert!(everything_read(&lacuna, &assistant, &own, id).contains("diabetes"), "{role} before");
    }
    assert_eq!(
        purposes.set(&grant::<Retain>("anna"), Sensitivity::Health, true).unwrap(),
        [Sensitivity::Health]
    );
    for role in [Role::Agent, Role::Reader] {
        let assistant = caller("anna", &[role]);
        let seen = everything_read(&lacuna, &assistant, &own, id);
        assert!(!seen.contains("diabetes") && seen.contains("bees"), "{role}: {seen}");
    }
    // The person reads everything, and opens it again.
    assert!(everything_read(&lacuna, &caller("anna", &[Role::User]), &own, id).contains("diabetes"));
    purposes.set(&grant::<Retain>("anna"), Sensitivity::Health, false).unwrap();
    assert!(everything_read(&lacuna, &caller("anna", &[Role::Agent]), &own, id).contains("diabetes"));
    // It outlives the process.
    purposes.set(&grant::<Retain>("anna"), Sensitivity::Health, true).unwrap();
    let next = world.service();
    assert_eq!(Purposes::of(&next).closed(&grant::<Recall>("anna")).unwrap(), [Sensitivity::Health]);
}

#[test]
fn a_token_without_a_category_gets_nothing_of_it_by_any_way() {
    let world = World::ram();
    let lacuna = world.service();
    let id = lacuna.take("anna", health(DIAGNOSIS)).unwrap().id;
    lacuna.keep("anna", "Anna keeps bees on the roof.").unwrap();
    let admin = permit(&caller("olga", &[Role::Admin]), &caller("olga", &[]).org_scope()).unwrap();
    let made = |roles: &[Role], operations: &[Operation], without: &[Sensitivity]| {
        let request = TokenRequest {
            user: UserId::new(if roles == [Role::Service] { "helper" } else { "anna" }).unwrap(),
            roles: roles.to_vec(),
            operations: operations.to_vec(),
            without: without.to_vec(),
            label: String::new(),
            expires_at: None,
        };
        let (info, secret) = lacuna.tokens().create(&admin, request)?;
        assert_eq!(info.without, without);
        assert!(lacuna.tokens().list(&admin)?.contains(&info));
        Ok::<_, Error>(world.service().tokens().authenticate(&secret)?.unwrap())
    };
    let own = grant::<Recall>("anna").scope().clone();
    for role in [Role::Agent, Role::Reader] {
        let plain = made(&[role], &[], &[]).unwrap();
        assert!(everything_read(&lacuna, &plain, &own, id).contains("diabetes"), "{role}");
        let narrow = made(&[role], &[], &[Sensitivity::Health]).unwrap();
        let seen = everything_read(&lacuna, &narrow, &own, id);
        assert!(!seen.contains("diabetes") && seen.contains("bees"), "{role}: {seen}");
        let other = made(&[role], &[], &[Sensitivity::Financial]).unwrap();
        assert!(everything_read(&lacuna, &other, &own, id).contains("diabetes"), "{role}");
    }
    // A service is narrowed for every person it names, even where its word is theirs; links are not for it.
    let operations = [Operation::Recall, Operation::Export, Operation::Confirm];
    let service = made(&[Role::Service], &operations, &[Sensitivity::Health]).unwrap();
    let service = lacuna.tokens().act_for(service, UserId::new("anna").unwrap()).unwrap();
    let seen = everything_read(&lacuna, &service, &own, id);
    assert!(!seen.contains("diabetes") && seen.contains("bees"), "{seen}");
    let wanted = Wanted { include_health: true, ..Wanted::everything_but_health(Format::Json) };
    let link = lacuna.make_export_link(&permit(&service, &own).unwrap(), &wanted);
    assert_eq!(link.err().unwrap().code(), "denied");
    // The person reads everything.
    assert_eq!(made(&[Role::User], &[], &[Sensitivity::Health]).unwrap_err().code(), "invalid");
}

#[test]
fn in_a_shared_vault_special_categories_are_their_authors_until_lifted() {
    let world = World::ram();
    let lacuna = world.service();
    let (anna, ben) = (caller("anna", &[Role::User]), caller("ben", &[Role::User]));
    let write = permit::<Remember>(&anna, &desk()).unwrap();
    let id = lacuna.remember(&write, vec![health(DIAGNOSIS)]).unwrap().remove(0).stored().unwrap().id;
    assert!(everything_read(&lacuna, &anna, &desk(), id).contains("diabetes"), "its author");
    let seen = everything_read(&lacuna, &ben, &desk(), id);
    assert!(!seen.contains("diabetes"), "another member: {seen}");
    let shared = permit::<Retain>(&caller("olga", &[Role::Admin]), &desk()).unwrap();
    assert!(
        Purposes::of(&lacuna).set(&shared, Sensitivity::Health, false).is_err(),
        "no administrator opens it"
    );

    let own =
        lacuna.take("anna", health("Anna takes insulin in the evening because of her diabetes.")).unwrap().id;
    let from = permit::<Promote>(&anna, &anna.personal_scope()).unwrap();
    let refused = lacuna.promote(&from, own, &write, None, false).err().unwrap();
    assert_eq!(refused.code(), "sensitive_not_shared");
    let moved = lacuna.promote(&from, own, &write, None, true).unwrap();
    assert!(everything_read(&lacuna, &ben, &desk(), moved.id).contains("insulin"), "lifted by its author");
    // What is lifted or one's own is still not for a token without the category.
    for user in ["anna", "ben"] {
        let narrow = Caller { without: vec![Sensitivity::Health], ..caller(user, &[Role::Agent]) };
        for id in [id, moved.id] {
            let seen = everything_read(&lacuna, &narrow, &desk(), id);
            assert!(!seen.contains("diabetes") && !seen.contains("insulin"), "{user}: {seen}");
        }
    }
}

#[test]
fn texts_about_health_and_biometrics_are_sent_to_no_endpoint() {
    let world = World::ram();
    let main = Remote::named("remote@1");
    let models = Models { instant: static_model(), main: main.clone(), others: Vec::new() };
    let lacuna = world.service_with(models);
    lacuna.take("anna", health(DIAGNOSIS)).unwrap();
    let worked =
        lacuna.upkeep().work_backlog(std::time::Duration::ZERO, &mut |_| std::ops::ControlFlow::Continue(()));
    worked.unwrap().unwrap();
    assert_eq!(main.last_text(), "", "nothing was sent");
    assert_eq!(lacuna.waiting(&grant::<Recall>("anna")).unwrap(), 0, "and nothing waits for it");
    lacuna.keep("anna", "Anna keeps bees on the roof.").unwrap();
    lacuna
        .upkeep()
        .work_backlog(std::time::Duration::ZERO, &mut |_| std::ops::ControlFlow::Continue(()))
        .unwrap()
        .unwrap();
    assert!(main.last_text().contains("bees"));
    let found = lacuna.recall(&grant::<Recall>("anna"), &Query::new("diabetes")).unwrap();
    assert!(found.hits[0].memory.content.full_text().expose().contains("diabetes"));
}

/// Every way to a record, as texts.
fn records_read(lacuna: &Lacuna, caller: &Caller, id: MemoryId) -> String {
    let grant = permit::<Recall>(caller, &caller.personal_scope()).unwrap();
    let records = Records::of(lacuna);
    let mut items = Vec::new();
    for name in [RecordName::Place(RecordPlace::new(&["clinic"], "note")), RecordName::Id(id)] {
        items.extend(records.get(&grant, &name).unwrap());
    }
    for text in [None, Some("diabetes".to_owned())] {
        let query = RecordQuery { text, limit: 10, ..RecordQuery::default() };
        items.extend(records.search(&grant, &query).unwrap().records);
    }
    let mut seen: String = items.iter().map(|item| item.value.expose()).collect();
    let query = NamespaceQuery { limit: 10, ..NamespaceQuery::default() };
    for label in records.namespaces(&grant, &query).unwrap().iter().flatten() {
        seen.push_str(label.expose());
    }
    seen
}

#[test]
fn records_are_closed_as_memories_are() {
    let world = World::ram();
    let lacuna = world.service();
    let value = serde_json::json!({"text": DIAGNOSIS}).to_string();
    let sick = RecordPut {
        consent_basis: Some(ConsentBasis::ExplicitConsent),
        ..RecordPut::new(RecordPlace::new(&["clinic"], "note"), value.as_str())
    };
    let bees =
        RecordPut::new(RecordPlace::new(&["garden"], "note"), r#"{"text": "The bees are on the roof."}"#);
    let RecordsPut::Kept(kept) = Records::of(&lacuna).put(&grant("anna"), vec![sick, bees]).unwrap() else {
        panic!("refused")
    };
    let (assistant, person) = (caller("anna", &[Role::Agent]), caller("anna", &[Role::User]));
    let open = records_read(&lacuna, &assistant, kept[0].id);
    assert_eq!((open.matches("diabetes").count(), open.matches("clinic").count()), (4, 1));
    Purposes::of(&lacuna).set(&grant::<Retain>("anna"), Sensitivity::Health, true).unwrap();
    let closed = records_read(&lacuna, &assistant, kept[0].id);
    assert!(!closed.contains("diabetes") && !closed.contains("clinic"), "{closed}");
    assert!(closed.contains("bees") && closed.contains("garden"), "{closed}");
    assert_eq!(records_read(&lacuna, &person, kept[0].id), open);
}
