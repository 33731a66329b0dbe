//! Texts from before an erasure that come to the vault only afterwards: what went does not come back, and the rest does.

use jiff::SignedDuration;
use lacuna_core::forget::{Confirmed, Planned, Request, UnreadText};
use lacuna_core::permit::{Forget, ReadAudit};
use lacuna_core::write::Correction;
use lacuna_types::request::{Mode, PlanChoice, Target};

use super::*;

fn forget(service: &Lacuna, target: Target, mode: Mode) {
    let request = Request { mode: Some(mode), ..Request::new(target) };
    let Planned::Plan(plan) = service.plan_forget(&grant::<Forget>("anna"), &request).unwrap() else {
        panic!("the request is clear")
    };
    let mut token = plan.token.unwrap();
    loop {
        match service.confirm_forget(&grant::<Forget>("anna"), &token, &PlanChoice::All).unwrap() {
            Confirmed::Done(_) => return,
            Confirmed::Again { token: again, .. } => token = again,
        }
    }
}

/// Returns true for each text that stays out, said at `at`.
fn stay_out(service: &Lacuna, at: Timestamp, session: &str, texts: &[&str]) -> Vec<bool> {
    let session = SessionId::new(session).unwrap();
    let erased = service.erased_before(grant::<Recall>("anna"), &grant::<ReadAudit>("anna")).unwrap();
    let holds = |text: &&str| erased.may_hold(&UnreadText { text, at, session: &session }).unwrap();
    texts.iter().map(holds).collect()
}

#[test]
fn what_speaks_of_what_was_forgotten_stays_out_and_the_rest_comes_in() {
    let texts = [
        "My dentist is Doctor Lindqvist.",
        "The dentist called again.",
        "I saw Lindqvist at the market.",
        "The wind turns tonight.",
        "Tilda brought the ladder.",
    ];
    for id_only in [false, true] {
        for world in [World::ram(), World::sqlite()] {
            let service = world.service();
            let said_at = world.clock.now();
            world.clock.advance(SignedDuration::from_mins(5));
            let dentist = service.keep("anna", "My dentist is Doctor Lindqvist.").unwrap();
            service.keep("anna", "Tilda has a boat.").unwrap();
            assert_eq!(stay_out(&service, said_at, "s1", &texts), [false; 5], "nothing was forgotten yet");
            match id_only {
                true => forget(&service, Target::Ids(vec![dentist]), Mode::Hard),
                false => {
                    forget(&service, Target::Words("forget everything about my dentist".into()), Mode::Hard)
                }
            }
            let out = [true, !id_only, true, false, false];
            for service in [&service, &world.service()] {
                assert_eq!(stay_out(service, said_at, "s1", &texts), out, "{id_only}");
                world.clock.advance(SignedDuration::from_mins(1));
                assert_eq!(stay_out(service, world.clock.now(), "s1", &texts), [false; 5], "said afterwards");
            }
        }
    }
}

#[test]
fn a_replaced_fact_does_not_come_back_and_keeps_nothing_else_out() {
    let world = World::ram();
    let service = world.service();
    let said_at = world.clock.now();
    world.clock.advance(SignedDuration::from_mins(5));
    service.keep("anna", "I live in Ghent.").unwrap();
    service.keep("anna", "I live in Tartu now.").unwrap();
    let what = Correction::Words("where I live".into());
    service.correct(&grant::<Remember>("anna"), &what, draft("I live in Turin.")).unwrap();
    let texts = ["I live in Ghent.", "Well, I live in Tartu.", "I live in Turin.", "Ghent has a fine port."];
    assert_eq!(stay_out(&service, said_at, "s1", &texts), [true, true, false, false]);
}

#[test]
fn where_a_receipt_does_not_tell_everything_from_before_stays_out() {
    let texts = ["The wind turns tonight."];
    let session = Target::Session(SessionId::new("s9").unwrap());
    for (target, mode, out) in [
        (Target::Everything, Mode::Hard, true),
        (Target::Words("clear all health information".into()), Mode::Hard, true),
        (Target::Words("forget everything about Tilda".into()), Mode::Soft, true),
        (Target::Words("forget everything about Tilda".into()), Mode::Hard, false),
        (session, Mode::Hard, false),
    ] {
        let world = World::ram();
        let service = world.service();
        let said_at = world.clock.now();
        world.clock.advance(SignedDuration::from_mins(5));
        service.keep("anna", "Tilda has a boat.").unwrap();
        let consent = Some(ConsentBasis::ExplicitConsent);
        service.take("anna", Draft { consent_basis: consent, ..draft("I have asthma.") }).unwrap();
        let source = Source {
            session: Some(SessionId::new("s9").unwrap()),
            turn: Some(1),
            ..Source::new(SourceType::UserMessage, Trust::High)
        };
        let category = Some(Category::Conversation);
        service
            .take("anna", Draft { source: Some(source), category, ..draft("Good evening to you.") })
            .unwrap();
        let by_session = matches!(target, Target::Session(_));
        forget(&service, target, mode);
        assert_eq!(stay_out(&service, said_at, "s1", &texts), [out]);
        if by_session {
            assert_eq!(stay_out(&service, said_at, "s9", &texts), [true], "a turn of the session that went");
        }
    }
}
