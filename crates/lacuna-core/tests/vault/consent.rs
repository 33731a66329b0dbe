//! Consent once: sensitive data is held sealed without it, and found with it.

use std::ops::ControlFlow;

use jiff::SignedDuration;
use lacuna_core::audit::AuditAction;
use lacuna_core::gate::Question;
use lacuna_core::govern::Decision;
use lacuna_core::keep::NewTurn;
use lacuna_core::permit::{Caller, Recall, Remember, Retain, Review, permit};
use lacuna_core::transfer::{Format, Wanted};
use lacuna_core::vault::{HELD_DAYS, Speaker};
use lacuna_core::write::{Asked, Outcome};
use lacuna_core::{Consents, Lacuna};
use lacuna_types::*;

use crate::{Calls, World, caller, draft, grant};

const DIABETES: &str = "I was diagnosed with type 2 diabetes and take metformin every morning.";
const ASTHMA: &str = "I have asthma and use an inhaler before every run.";
const PURPOSE: &str = "my assistants";

fn outcome(lacuna: &Lacuna, draft: Draft) -> Outcome {
    lacuna.remember(&grant::<Remember>("anna"), vec![draft]).unwrap().remove(0)
}

fn asked(outcome: Outcome) -> Asked {
    match outcome {
        Outcome::Asked(asked) => *asked,
        other => panic!("it asks: {other:?}"),
    }
}

fn waiting(lacuna: &Lacuna) -> Vec<MemoryId> {
    let page = lacuna.candidates(&grant::<Review>("anna"), None, 10).unwrap();
    page.memories.iter().map(|memory| memory.id).collect()
}

#[test]
fn without_consent_it_is_asked_once_and_held_sealed_and_found_by_no_search() {
    let world = World::sqlite();
    let lacuna = world.service();
    let question = asked(outcome(&lacuna, draft(DIABETES)));
    assert_eq!(question.questions, [Question::Consent]);
    let held = question.held.unwrap();
    assert_eq!(held.topics, [ConsentTopic::Health]);
    // The next one about the same waits beside it, without another question.
    let next = outcome(&lacuna, draft(ASTHMA)).stored().unwrap();
    assert_eq!((next.state, next.waits), (Lifecycle::Candidate, Some(Wait::Consent)));
    for lacuna in [&lacuna, &world.service()] {
        assert!(lacuna.texts("anna", "diabetes metformin asthma inhaler").is_empty());
        assert_eq!(waiting(lacuna), [next.id, held.id]);
    }
    let term = lacuna.term(&grant::<Recall>("anna"), held.id);
    let days = |count: u32| SignedDuration::from_hours(24 * i64::from(count));
    assert!(term.is_err() || term.unwrap().expires_at == Some(held.until));
    world.clock.advance(days(HELD_DAYS) + SignedDuration::from_mins(1));
    lacuna.upkeep().sweep(&mut |_| ControlFlow::Continue(())).unwrap();
    for lacuna in [&lacuna, &world.service()] {
        assert!(waiting(lacuna).is_empty());
    }
    assert_eq!(world.store.rows(crate::scope("anna").vault_id(), &[held.id]).unwrap(), [None]);
    lacuna.verified("anna");
}

#[test]
fn a_consent_releases_what_was_held_and_lets_the_rest_in_without_a_question() {
    let world = World::sqlite();
    let lacuna = world.service();
    let held = asked(outcome(&lacuna, draft(DIABETES))).held.unwrap();
    let consents = Consents::of(&lacuna);
    let given = consents.give(&grant::<Retain>("anna"), ConsentTopic::Health, PURPOSE).unwrap();
    assert_eq!(given.released, [held.id]);
    assert_eq!(outcome(&lacuna, draft(ASTHMA)).stored().unwrap().state, Lifecycle::Active);
    for lacuna in [&lacuna, &world.service()] {
        assert_eq!(Consents::of(lacuna).list(&grant("anna")).unwrap(), std::slice::from_ref(&given.consent));
        let memory = lacuna.get(&grant::<Recall>("anna"), held.id).unwrap();
        assert_eq!(memory.facets.privacy.basis, ConsentBasis::ExplicitConsent);
        assert!(waiting(lacuna).is_empty());
    }
    // Another category is another question.
    let belief = asked(outcome(&lacuna, draft("I am a practising Catholic and go to Mass every Sunday.")));
    assert_eq!(belief.held.unwrap().topics, [ConsentTopic::PoliticalReligious]);

    let revoked = consents.revoke(&grant::<Retain>("anna"), ConsentTopic::Health).unwrap();
    assert_eq!(revoked.kept.len(), 2);
    assert!(consents.list(&grant("anna")).unwrap().is_empty());
    asked(outcome(&lacuna, draft("My blood pressure is too high, said the doctor.")));
    assert_eq!(consents.revoke(&grant::<Retain>("anna"), ConsentTopic::Health).unwrap(), revoked);
    let entries = lacuna.read_audit(&grant("anna"), 0).unwrap();
    for action in [AuditAction::ConsentGive, AuditAction::ConsentRevoke] {
        let of = entries.iter().map(|(_, entry)| entry).filter(|entry| entry.action == action);
        assert_eq!(of.map(|entry| &entry.notes[..]).collect::<Vec<_>>(), [["health"]]);
    }
    lacuna.verified("anna");
}

#[test]
fn a_yes_to_one_text_releases_that_text() {
    let world = World::ram();
    let lacuna = world.service();
    let said = || Draft {
        tier: Some(Tier::Episodic),
        source: Some(Source::new(SourceType::UserMessage, Trust::Medium)),
        ..draft(DIABETES)
    };
    let question = asked(outcome(&lacuna, said()));
    let confirmed = Draft { confirm: Some(question.token), ..said() };
    let kept = outcome(&lacuna, confirmed).stored().unwrap();
    assert_eq!((kept.id, kept.state), (question.held.unwrap().id, Lifecycle::Active));
    assert_eq!(lacuna.texts("anna", "diabetes metformin"), [DIABETES]);

    // A fact that was held takes the place of the one it contradicts, as any other does.
    let lives = |place: &str| Draft {
        sensitivity: vec![Sensitivity::Health],
        privacy_class: Some(PrivacyClass::SensitivePii),
        ..draft(&format!("I live in {place}."))
    };
    let old = lacuna.keep("anna", "I live in Ghent.").unwrap();
    let question = asked(outcome(&lacuna, lives("Tartu")));
    let moved = outcome(&lacuna, Draft { confirm: Some(question.token), ..lives("Tartu") }).stored().unwrap();
    assert_eq!((moved.state, moved.supersedes), (Lifecycle::Active, vec![old]));

    let other = outcome(&lacuna, draft(ASTHMA));
    let id = asked(other).held.unwrap().id;
    lacuna.decide(&grant::<Review>("anna"), vec![(id, Decision::Accept { keep_both: false })]).unwrap();
    let memory = lacuna.get(&grant::<Recall>("anna"), id).unwrap();
    assert_eq!(memory.facets.privacy.basis, ConsentBasis::ExplicitConsent);
    assert!(lacuna.term(&grant::<Recall>("anna"), id).unwrap().expires_at.is_some());
}

#[test]
fn only_a_person_gives_consent_and_only_for_themselves() {
    let world = World::ram();
    let lacuna = world.service();
    let agent = Caller { roles: vec![Role::Agent], ..caller("anna") };
    assert!(permit::<Retain>(&agent, &agent.personal_scope()).is_err());
    let writes = permit::<Remember>(&agent, &agent.personal_scope()).unwrap();
    let claimed = Draft { consent_basis: Some(ConsentBasis::ExplicitConsent), ..draft(DIABETES) };
    assert_eq!(lacuna.remember(&writes, vec![claimed]).unwrap_err().code(), "denied");
    // Under the person's consent an agent's text is a note as any other.
    let give =
        |purpose: &str| Consents::of(&lacuna).give(&grant::<Retain>("anna"), ConsentTopic::Health, purpose);
    for purpose in ["", " ", "two\nlines", &"x".repeat(DETAIL_CHARS_MAX + 1)] {
        assert_eq!(give(purpose).unwrap_err().code(), "invalid", "{purpose:?}");
    }
    give(PURPOSE).unwrap();
    let noted = lacuna.remember(&writes, vec![draft(DIABETES)]).unwrap().remove(0).stored().unwrap();
    assert!(noted.is_note && noted.state == Lifecycle::Active);
}

#[test]
fn only_the_sentence_concerned_is_held_and_the_rest_of_the_turn_is_kept() {
    let world = World::sqlite();
    let lacuna = world.service();
    let session = SessionId::new("s1").unwrap();
    let text = format!("The ferry to the island leaves at noon. {DIABETES} Book two seats, please.");
    let append = |expected| {
        let turn = vec![NewTurn::new(Speaker::User, text.as_str())];
        lacuna.append_turns(&grant("anna"), &session, turn, expected).unwrap().outcomes.remove(0)
    };
    let stored = append(None).stored().unwrap();
    let held = stored.held.clone().unwrap();
    assert_eq!((stored.state, &held.topics[..]), (Lifecycle::Active, &[ConsentTopic::Health][..]));
    let rest = "The ferry to the island leaves at noon. […] Book two seats, please.";
    assert_eq!(lacuna.texts("anna", "when does the ferry leave?"), [rest]);
    assert!(!lacuna.texts("anna", "diabetes metformin").iter().any(|text| text.contains("metformin")));
    // The same turn sent again is the same turn, and holds nothing twice.
    let again = append(Some(1)).stored().unwrap();
    assert_eq!((again.id, waiting(&lacuna)), (stored.id, vec![held.id]));
    Consents::of(&lacuna).give(&grant::<Retain>("anna"), ConsentTopic::Health, PURPOSE).unwrap();
    let released = lacuna.get(&grant::<Recall>("anna"), held.id).unwrap();
    assert_eq!(released.content.full_text().expose(), DIABETES);
    lacuna.verified("anna");
}

#[test]
fn a_turn_that_needs_consent_is_held_and_an_export_names_consents() {
    let world = World::sqlite();
    let lacuna = world.service();
    let session = SessionId::new("s1").unwrap();
    let turns =
        vec![NewTurn::new(Speaker::User, DIABETES), NewTurn::new(Speaker::User, "The ferry leaves at noon.")];
    let appended = lacuna.append_turns(&grant("anna"), &session, turns, None).unwrap();
    assert!(matches!(&appended.outcomes[0], Outcome::Asked(asked) if asked.held.is_some()));
    assert!(matches!(&appended.outcomes[1], Outcome::Stored(_)));
    let given = Consents::of(&lacuna).give(&grant::<Retain>("anna"), ConsentTopic::Health, PURPOSE).unwrap();
    assert_eq!(given.released.len(), 1);
    let shown = lacuna.get(&grant::<Recall>("anna"), given.released[0]).unwrap();
    assert_eq!((shown.facets.source.turn, shown.content.full_text().expose()), (Some(1), DIABETES));

    let mut text = Vec::new();
    for format in [Format::Json, Format::Markdown] {
        let wanted = Wanted::everything_but_health(format);
        lacuna.export(&grant("anna"), &wanted, &mut text, &mut |_| {}).unwrap();
    }
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains(r#""consents":[{"category":"health","purpose":"my assistants""#), "{text}");
    assert!(text.contains("- consent to health for my assistants"), "{text}");
}
