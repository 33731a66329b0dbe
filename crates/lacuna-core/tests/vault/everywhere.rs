//! Everything, everywhere: a vault that holds one thing in one place and one state, and a request that must reach it.

use std::ops::ControlFlow;

use jiff::SignedDuration;
use lacuna_core::Records;
use lacuna_core::erase::Forgotten;
use lacuna_core::forget::{Confirmed, Plan, Planned, Request};
use lacuna_core::keep::CompactRequest;
use lacuna_core::permit::{Forget, Review};
use lacuna_core::records::{RecordPut, RecordsPut};
use lacuna_types::request::{Mode, PlanChoice, Target};

use super::*;

const ABOUT: &str = "forget everything about the Marigold";

/// A place and a state in which a vault can hold something.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Fact,
    Turn,
    /// A turn that compaction took out of the search, with the summary before it.
    BehindSummary,
    Candidate,
    Hidden,
    Archived,
    HeldForConsent,
    Note,
    File,
    Record,
    Working,
}

const PLACES: &[Place] = &[
    Place::Fact,
    Place::Turn,
    Place::BehindSummary,
    Place::Candidate,
    Place::Hidden,
    Place::Archived,
    Place::HeldForConsent,
    Place::Note,
    Place::File,
    Place::Record,
    Place::Working,
];

fn in_session(text: &str, number: u32) -> Draft {
    let session = SessionId::new("harbour").unwrap();
    let source = Source {
        session: Some(session),
        turn: Some(number),
        ..Source::new(SourceType::UserMessage, Trust::High)
    };
    Draft { source: Some(source), category: Some(Category::Conversation), ..draft(text) }
}

/// Puts what the Marigold is into one place of the vault, and nothing else.
fn fill(world: &World, service: &Lacuna, place: Place) {
    let text = &format!("The Marigold is a sloop, as the {place:?} tells.");
    match place {
        Place::Fact => drop(service.keep("anna", text).unwrap()),
        Place::Turn => drop(service.take("anna", in_session(text, 1)).unwrap()),
        Place::BehindSummary => {
            for (number, text) in
                [text.as_str(), "We sail the Marigold on Sundays.", "Good night."].iter().enumerate()
            {
                service.take("anna", in_session(text, number as u32 + 1)).unwrap();
            }
            world.clock.advance(SignedDuration::from_mins(1));
            let request = CompactRequest { before: Some(world.clock.now()), ..CompactRequest::default() };
            let mut go_on = |_| ControlFlow::Continue(());
            service.compact(&grant::<Forget>("anna"), &request, &mut go_on).unwrap();
        }
        Place::Candidate => {
            let source = Some(Source::new(SourceType::AiInference, Trust::Low));
            let waits = service.take("anna", Draft { source, ..draft(text) }).unwrap();
            assert_eq!(waits.state, Lifecycle::Candidate);
        }
        Place::Hidden | Place::Archived => {
            let id = service.keep("anna", text).unwrap();
            let state = if place == Place::Hidden { Lifecycle::Deleted } else { Lifecycle::Archived };
            service.set_state(&grant::<Forget>("anna"), &[id], state).unwrap();
        }
        Place::HeldForConsent => {
            let ill = "I was diagnosed with diabetes on the Marigold and take metformin.";
            service.remember(&grant::<Remember>("anna"), vec![draft(ill)]).unwrap();
            let waits = service.candidates(&grant::<Review>("anna"), None, 10).unwrap().memories;
            assert!(waits.iter().any(|memory| memory.content.full_text().expose() == ill));
        }
        Place::Note => {
            let entities =
                vec![Entity { kind: "boat".into(), name: "Marigold".into(), primary: false, relation: None }];
            let note = Draft { tags: vec!["graph".into()], entities, ..draft("It has a new mast.") };
            service.take("anna", note).unwrap();
        }
        Place::File => {
            let long = format!("/memories/boats.md\n{text}\n{}", "The tide turns twice a day.\n".repeat(60));
            service.take("anna", Draft { tags: vec!["memory-file".into()], ..draft(&long) }).unwrap();
        }
        Place::Record => {
            let value = serde_json::json!({ "boat": { "name": "Marigold", "kind": "sloop" } }).to_string();
            let put = RecordPut::new(RecordPlace::new(&["app"], "boat"), value.as_str());
            let kept = Records::of(service).put(&grant::<Remember>("anna"), vec![put]).unwrap();
            assert!(matches!(kept, RecordsPut::Kept(_)));
        }
        Place::Working => {
            let note = Draft { tier: Some(Tier::Working), category: None, ..in_session(text, 1) };
            service.take("anna", note).unwrap();
        }
    }
}

fn plan(service: &Lacuna, target: Target) -> Plan {
    let request = Request { mode: Some(Mode::Hard), ..Request::new(target) };
    match service.plan_forget(&grant::<Forget>("anna"), &request).unwrap() {
        Planned::Plan(plan) => *plan,
        Planned::Unclear(_) | Planned::WhichOne(_) => panic!("the request is clear"),
    }
}

fn confirm(service: &Lacuna, plan: &Plan) -> Forgotten {
    let mut token = plan.token.clone().expect("something matches");
    loop {
        match service.confirm_forget(&grant::<Forget>("anna"), &token, &PlanChoice::All).unwrap() {
            Confirmed::Done(done) => return *done,
            Confirmed::Again { token: again, .. } => token = again,
        }
    }
}

#[test]
fn a_request_reaches_every_place_and_every_state() {
    for target in [Target::Words(ABOUT.into()), Target::Words("forget everything".into()), Target::Everything]
    {
        for place in PLACES {
            for world in [World::ram(), World::sqlite()] {
                let service = world.service();
                fill(&world, &service, *place);
                let planned = plan(&service, target.clone());
                assert!(planned.direct + planned.working > 0, "{target:?} {place:?}: nothing matches");
                let done = confirm(&service, &planned);
                assert!(done.receipts.iter().all(|signed| signed.receipt.is_clean()), "{place:?}");
                assert_eq!(done.receipts.is_empty(), *place == Place::Working, "{place:?}");
                let again = plan(&service, target.clone());
                assert_eq!((again.direct, again.indirect, again.working), (0, 0, 0), "{target:?} {place:?}");
                let session = SessionId::new("harbour").unwrap();
                assert!(service.at_hand(&grant::<Recall>("anna"), &session).unwrap().is_empty());
                let verified = service.verify_forgotten(&grant::<Recall>("anna"), "the Marigold").unwrap();
                assert!(verified.direct.is_empty() && verified.indirect.is_empty(), "{target:?} {place:?}");
                // Of a conversation the turn that says nothing of it stays.
                let of_all = target != Target::Words(ABOUT.into());
                let left = usize::from(*place == Place::BehindSummary && !of_all);
                assert_eq!(service.count(&grant::<Recall>("anna")).unwrap().0, left, "{target:?} {place:?}");
            }
        }
    }
}

/// In one vault, beside each other: nothing of it is left, and what is not meant stays.
#[test]
fn a_request_reaches_all_of_them_at_once_and_nothing_else() {
    let world = World::sqlite();
    let service = world.service();
    for place in PLACES.iter().filter(|place| **place != Place::BehindSummary) {
        fill(&world, &service, *place);
    }
    let bystander = service.keep("anna", "The bakery opens at six.").unwrap();
    let turn = service.take("anna", in_session("What a long day at the bakery.", 40)).unwrap().id;
    let planned = plan(&service, Target::Words(ABOUT.into()));
    confirm(&service, &planned);
    for id in [bystander, turn] {
        assert!(service.get(&grant::<Recall>("anna"), id).is_ok());
    }
    let left = plan(&service, Target::Words(ABOUT.into()));
    assert_eq!((left.direct, left.indirect, left.working), (0, 0, 0));
    let verified = service.verify_forgotten(&grant::<Recall>("anna"), "the Marigold").unwrap();
    assert!(verified.direct.is_empty() && verified.indirect.is_empty());
}

/// A person is named in full, and a session under way says only the first name.
#[test]
fn working_memory_goes_by_short_forms_and_attributes_too() {
    let world = World::ram();
    let service = world.service();
    let note =
        |text: &str, number| Draft { tier: Some(Tier::Working), category: None, ..in_session(text, number) };
    for (number, text) in
        ["Ask Tilda about the crane.", "Reach me on +44 20 7946 0018.", "Pier three is closed."]
            .iter()
            .enumerate()
    {
        service.take("anna", note(text, number as u32)).unwrap();
    }
    let session = SessionId::new("harbour").unwrap();
    let left = || service.at_hand(&grant::<Recall>("anna"), &session).unwrap().len();
    confirm(&service, &plan(&service, Target::Words("forget everything about Tilda Voss".into())));
    assert_eq!(left(), 2);
    confirm(&service, &plan(&service, Target::Words("forget my phone number".into())));
    assert_eq!(left(), 1);
}
