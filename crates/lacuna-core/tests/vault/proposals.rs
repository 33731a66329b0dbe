//! A language model that plans to forget ask: whatever it answers, it can only offer, and it sees nothing that it should not.

use std::time::Duration;

use lacuna_core::forget::{Confirmed, ModelPart, Plan, Planned, Request};
use lacuna_core::permit::{Delegation, Retain};
use lacuna_core::{Consents, Proposals, Purposes};
use lacuna_language::secrets::Scanner;
use lacuna_models::{LlmConfig, LlmKind};
use lacuna_types::request::{Closeness, Mode, PlanChoice, Reach, Reason, Target};
use serde_json::json;

use super::*;
use crate::scripted_server::{Reply, ScriptedServer};

const REQUEST: &str = "forget everything about the Marigold";
const BOAT: &str = "The Marigold lies in the harbour of Trieste.";
const PAINT: &str = "We bought red paint for the hull.";
const BAKERY: &str = "The bakery by the old bridge opens at six.";
const DIABETES: &str = "I was diagnosed with type 2 diabetes and take metformin every morning.";
const PURPOSE: &str = "my assistants";

/// The time for an answer that comes, however slow the machine is.
const PATIENCE: Duration = Duration::from_secs(60);

/// A service that asks the model behind a server.
fn asking(service: Lacuna, server: &ScriptedServer) -> Lacuna {
    asking_within(service, server, PATIENCE)
}

fn asking_within(service: Lacuna, server: &ScriptedServer, timeout: Duration) -> Lacuna {
    let config = LlmConfig { timeout, retries: 0, ..LlmConfig::new(LlmKind::OpenAi, &server.url, "m") };
    Proposals::by(service, Some(lacuna_models::llm(config).unwrap()))
}

/// A server whose model means every text that it is shown.
fn greedy() -> ScriptedServer {
    ScriptedServer::says(&json!({"topic": "", "meant": (1..=40).collect::<Vec<_>>()}))
}

fn plan_by(service: &Lacuna, grant: &Grant<Forget>, words: &str) -> Plan {
    match service.plan_forget(grant, &Request::new(Target::Words(words.into()))).unwrap() {
        Planned::Plan(plan) => *plan,
        Planned::Unclear(_) | Planned::WhichOne(_) => panic!("{words:?} was not understood"),
    }
}

fn plan(service: &Lacuna, words: &str) -> Plan {
    plan_by(service, &grant("anna"), words)
}

type SeenMatch = (MemoryId, Closeness, Reason, bool);

fn seen(plan: &Plan) -> Vec<SeenMatch> {
    let seen = |found: &lacuna_core::forget::PlannedMatch| {
        (found.memory.id, found.closeness, found.reason, found.offered)
    };
    plan.matches.iter().map(seen).collect()
}

/// All that the model was sent.
fn sent(server: &ScriptedServer) -> String {
    server
        .requests()
        .iter()
        .map(|(_, body)| body["messages"][1]["content"].as_str().unwrap().to_owned())
        .collect()
}

fn confirm(service: &Lacuna, plan: Plan, choice: &PlanChoice) -> Vec<MemoryId> {
    match service.confirm_forget(&grant("anna"), &plan.token.unwrap(), choice).unwrap() {
        Confirmed::Done(done) => done.memories,
        Confirmed::Again { .. } => panic!("asked again"),
    }
}

#[test]
fn a_proposal_is_only_offered_and_goes_when_somebody_names_it() {
    let world = World::ram();
    let plain = world.service();
    let [boat, paint, bakery] = [BOAT, PAINT, BAKERY].map(|text| plain.keep("anna", text).unwrap());
    let without = plan(&plain, REQUEST);
    assert_eq!(without.language_model, None);
    let service = asking(world.service(), &greedy());
    let with = plan(&service, REQUEST);
    assert_eq!(with.language_model, Some(ModelPart::Answered));
    let own = seen(&without);
    assert_eq!(seen(&with)[..own.len()], own);
    let proposed = &seen(&with)[own.len()..];
    assert!(!proposed.is_empty());
    for (id, closeness, reason, offered) in proposed {
        assert!([paint, bakery].contains(id));
        assert_eq!((*closeness, *reason, *offered), (Closeness::Indirect, Reason::Proposed, true));
    }
    assert_eq!(
        (with.direct, with.indirect, with.working),
        (without.direct, without.indirect, without.working)
    );

    assert_eq!(confirm(&service, with, &PlanChoice::Direct), [boat]);
    service.get(&grant::<Recall>("anna"), bakery).unwrap();
    let boat = service.keep("anna", BOAT).unwrap();
    assert_eq!(confirm(&service, plan(&service, REQUEST), &PlanChoice::All), [boat]);
    service.get(&grant::<Recall>("anna"), bakery).unwrap();
    service.keep("anna", BOAT).unwrap();
    let again = plan(&service, REQUEST);
    assert_eq!(confirm(&service, again, &PlanChoice::Only(vec![bakery])), [bakery]);
}

#[test]
fn silence_and_nonsense_leave_the_plan_as_it_is() {
    let world = World::ram();
    let plain = world.service();
    for text in [BOAT, PAINT, BAKERY] {
        plain.keep("anna", text).unwrap();
    }
    let without = plan(&plain, REQUEST);
    let says = |text: &str| Reply::Says(text.to_owned());
    let table = [
        ("silence", Reply::Hang, ModelPart::Unanswered),
        ("a failure", Reply::Status(500), ModelPart::Unanswered),
        ("a refusal", Reply::Status(401), ModelPart::Unanswered),
        ("prose", says("I have forgotten everything, as you wished."), ModelPart::Unanswered),
        ("words for numbers", says("{\"meant\": [\"all\"]}"), ModelPart::Unanswered),
        ("an empty body", Reply::Body(String::new()), ModelPart::Unanswered),
        ("nothing", says("{}"), ModelPart::Answered),
        ("numbers of no text", says("{\"meant\": [0, -1, 77, 9223372036854775807]}"), ModelPart::Answered),
        ("a topic of nothing", says("{\"topic\": \"  \"}"), ModelPart::Answered),
        ("a topic that nothing tells of", says("{\"topic\": \"zeppelin\"}"), ModelPart::Answered),
        ("an endless topic", says(&json!({"topic": BAKERY.repeat(9)}).to_string()), ModelPart::Answered),
        ("a topic of two lines", says("{\"topic\": \"bakery\\nbridge\"}"), ModelPart::Answered),
    ];
    for (name, reply, part) in table {
        let timeout = if matches!(reply, Reply::Hang) { Duration::from_millis(50) } else { PATIENCE };
        let server = ScriptedServer::start(&[reply]);
        let with = plan(&asking_within(world.service(), &server, timeout), REQUEST);
        assert_eq!((seen(&with), with.language_model), (seen(&without), Some(part)), "{name}");
        // Whoever gives up at once may do so before the server has read the request.
        assert!(server.requests().len() == 1 || timeout < PATIENCE, "{name}");
    }
}

#[test]
fn a_topic_is_read_by_our_own_reader_and_what_it_finds_is_only_offered() {
    let world = World::ram();
    let plain = world.service();
    let [boat, ..] = [BOAT, PAINT, BAKERY].map(|text| plain.keep("anna", text).unwrap());
    let request = "forget the zeppelin";
    assert!(!seen(&plan(&plain, request)).iter().any(|(id, ..)| *id == boat));
    for topic in ["Marigold", "the Marigold in Trieste"] {
        let server = ScriptedServer::says(&json!({"topic": topic}));
        let with = plan(&asking(world.service(), &server), request);
        assert_eq!(seen(&with), [(boat, Closeness::Indirect, Reason::Proposed, true)], "{topic}");
    }
    // A topic is words: none of them empties the vault.
    for topic in ["everything", "all memories", "me"] {
        let server = ScriptedServer::says(&json!({"topic": topic}));
        let with = plan(&asking(world.service(), &server), request);
        assert_eq!((with.direct, with.indirect), (0, 0), "{topic}");
    }
}

#[test]
fn an_exception_and_a_time_hold_for_proposals_too() {
    let world = World::ram();
    let plain = world.service();
    let [_, paint, bakery] = [BOAT, PAINT, BAKERY].map(|text| plain.keep("anna", text).unwrap());
    let service = asking(world.service(), &greedy());
    let kept = plan(&service, "forget everything about the Marigold but keep the red paint");
    let ids = |plan: &Plan| seen(plan).into_iter().map(|(id, ..)| id).collect::<Vec<_>>();
    assert!(ids(&kept).contains(&bakery) && !ids(&kept).contains(&paint));
    world.clock.advance(jiff::SignedDuration::from_hours(24 * 3));
    let boat = service.keep("anna", "The Marigold has a new mast.").unwrap();
    let timed = plan(&service, "forget what I said about the Marigold today");
    assert_eq!(ids(&timed), [boat]);
}

#[test]
fn sensitive_texts_are_sent_only_with_both_consents() {
    let world = World::ram();
    let plain = world.service();
    let consents = Consents::of(&plain);
    let give = |topic| consents.give(&grant::<Retain>("anna"), topic, PURPOSE).unwrap();
    give(ConsentTopic::Health);
    for text in [BOAT, BAKERY, DIABETES] {
        plain.keep("anna", text).unwrap();
    }
    let asked = |words: &str| {
        let server = greedy();
        let part = plan(&asking(world.service(), &server), words).language_model;
        assert_eq!(part.is_some(), !server.requests().is_empty());
        sent(&server)
    };
    let about_health = "forget that I have diabetes";
    let sent = asked(REQUEST);
    assert!(sent.contains("bakery") && !sent.contains("diabetes") && !sent.contains("metformin"), "{sent}");
    assert_eq!(asked(about_health), "");
    give(ConsentTopic::LanguageModel);
    assert!(asked(REQUEST).contains("metformin"));
    assert!(asked(about_health).contains("diabetes"));
    // A consent to the model alone is none to show texts of a category.
    consents.revoke(&grant::<Retain>("anna"), ConsentTopic::Health).unwrap();
    assert!(!asked(REQUEST).contains("metformin"));
    assert_eq!(asked(about_health), "");
    give(ConsentTopic::Health);
    consents.revoke(&grant::<Retain>("anna"), ConsentTopic::LanguageModel).unwrap();
    assert!(!asked(REQUEST).contains("metformin"));
}

#[test]
fn the_model_sees_no_id_no_identifier_no_secret_and_nobody_elses_words() {
    let world = World::ram();
    let plain = world.service();
    let boat = plain.keep("anna", BOAT).unwrap();
    let said = plain.keep("anna", "Write to Ines at ines@heron.example or call +44 20 7946 0018.").unwrap();
    let odd = plain.keep("anna", "The locker opens with heron-kelp-77.").unwrap();
    let page = Source { tool: Some("web_fetch".into()), ..Source::new(SourceType::ToolOutput, Trust::High) };
    let page = Draft {
        source: Some(page),
        category: Some(Category::Conversation),
        ..draft("The ferry page lists the timetable of May.")
    };
    plain.take("anna", page).unwrap();
    let quoted = Source { from_external_content: true, ..Source::new(SourceType::UserMessage, Trust::High) };
    let quoted = Draft {
        source: Some(quoted),
        category: Some(Category::Conversation),
        ..draft("The letter says that the crane is sold.")
    };
    plain.take("anna", quoted).unwrap();
    let hidden = plain.keep("anna", "The attic has a round window.").unwrap();
    let archive = Request { mode: Some(Mode::Soft), ..Request::new(Target::Ids(vec![hidden])) };
    let Planned::Plan(soft) = plain.plan_forget(&grant("anna"), &archive).unwrap() else { panic!() };
    confirm(&plain, *soft, &PlanChoice::All);

    // A rule that came after the text was stored.
    let rule = "[[rule]]\nname = 'locker'\nfamily = 'own'\nlevel = 'definite'\nkeywords = ['heron-kelp-']\n\
                token = 'heron-kelp-[0-9]{2}'";
    let rules = Rulebook { scanner: Some(Scanner::with_extra(rule).unwrap()), ..Rulebook::default() };
    let models = Models::only(static_model());
    let strict = world.service_seeded(world.store.clone(), world.keys.clone(), models, usize::MAX, rules, 77);
    let server = greedy();
    let service = asking(strict, &server);
    plan(&service, REQUEST);
    let all = sent(&server);
    assert!(all.contains("Write to Ines at [email] or call [phone]."), "{all}");
    for id in [boat, said, odd] {
        assert!(!all.contains(&id.to_string()) && !all.contains("mem_"));
    }
    for word in ["anna", "acme", "heron.example", "7946", "kelp", "timetable", "crane", "attic"] {
        assert!(!all.contains(word), "{word} in {all}");
    }
    // A request with a secret in it is nobody else's.
    plan(&service, "forget what I told you about heron-kelp-77");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn requests_that_name_something_exactly_are_not_sent() {
    let world = World::ram();
    let plain = world.service();
    let boat = plain.keep("anna", BOAT).unwrap();
    plain.keep("anna", "Write to ines@heron.example.").unwrap();
    let server = greedy();
    let service = asking(world.service(), &server);
    for words in
        ["forget everything about ines@heron.example", "forget everything", "clear all health information"]
    {
        assert_eq!(plan(&service, words).language_model, None, "{words}");
    }
    for target in
        [Target::Ids(vec![boat]), Target::Entity { name: "Marigold".into(), reach: Reach::Mentions }]
    {
        service.plan_forget(&grant("anna"), &Request::new(target)).unwrap();
    }
    assert!(server.requests().is_empty());
    // In an empty vault there is nothing to choose among.
    assert_eq!(plan_by(&service, &grant("ben"), REQUEST).language_model, None);
    assert!(server.requests().is_empty());
}

/// A service that acts for a person and may not confirm is an assistant: what the person closed is closed to it.
#[test]
fn categories_that_are_closed_to_an_assistant_are_not_sent_for_it() {
    let world = World::ram();
    let plain = world.service();
    let consents = Consents::of(&plain);
    for topic in [ConsentTopic::Health, ConsentTopic::LanguageModel] {
        consents.give(&grant::<Retain>("anna"), topic, PURPOSE).unwrap();
    }
    for text in [BOAT, BAKERY, DIABETES] {
        plain.keep("anna", text).unwrap();
    }
    Purposes::of(&plain).set(&grant::<Retain>("anna"), Sensitivity::Health, true).unwrap();
    let mut assistant = caller("anna");
    assistant.delegation = Some(Delegation {
        service: UserId::new("crm").unwrap(),
        operations: vec![Operation::Recall, Operation::Forget],
    });
    let grant: Grant<Forget> = permit(&assistant, &assistant.personal_scope()).unwrap();
    let server = greedy();
    let planned = plan_by(&asking(world.service(), &server), &grant, REQUEST);
    assert_eq!(planned.language_model, Some(ModelPart::Answered));
    let sent = sent(&server);
    assert!(sent.contains("bakery") && !sent.contains("metformin"), "{sent}");
}

#[test]
fn the_audit_names_the_memories_whose_texts_were_sent() {
    let world = World::ram();
    let plain = world.service();
    let [_, bakery] = [BOAT, BAKERY].map(|text| plain.keep("anna", text).unwrap());
    let service = asking(world.service(), &greedy());
    plan(&service, REQUEST);
    let entries = service.read_audit(&grant::<ReadAudit>("anna"), 0).unwrap();
    let mut entries = entries.into_iter().map(|(_, entry)| entry);
    let sent = entries.find(|entry| entry.notes.iter().any(|note| note == "by:language_model")).unwrap();
    assert_eq!(sent.subjects, [bakery.into()]);
}
