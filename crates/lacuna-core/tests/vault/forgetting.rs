//! Plan, confirm, probe, receipt: what is forgotten is gone by every way, and only what the plan showed.

use jiff::SignedDuration;
use lacuna_core::Lacuna;
use lacuna_core::erase::Forgotten;
use lacuna_core::forget::{Confirmed, Plan, Planned, Request};
use lacuna_core::govern::{Decided, Decision};
use lacuna_core::permit::{Forget, ReadAudit, Recall, Review};
use lacuna_core::transfer::{Format, Wanted};
use lacuna_core::vault::{Cause, Named};
use lacuna_types::policy::{Dangling, Policy, Preset};
use lacuna_types::request::{Closeness, Mode, PlanChoice, Target};
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::{Calls, World, draft, grant, scope};

fn plan(service: &Lacuna, target: Target) -> Plan {
    try_plan(service, &Request::new(target)).unwrap()
}

fn try_plan(service: &Lacuna, request: &Request) -> Result<Plan> {
    match service.plan_forget(&grant::<Forget>("anna"), request)? {
        Planned::Plan(plan) => Ok(*plan),
        _ => panic!("the request was not understood"),
    }
}

fn confirm(service: &Lacuna, token: &str, choice: &PlanChoice) -> Result<Forgotten> {
    match service.confirm_forget(&grant::<Forget>("anna"), token, choice)? {
        Confirmed::Done(done) => Ok(*done),
        Confirmed::Again { .. } => panic!("asked again"),
    }
}

fn forget(service: &Lacuna, words: &str) -> Forgotten {
    let token = plan(service, Target::Words(words.into())).token.unwrap();
    confirm(service, &token, &PlanChoice::All).unwrap()
}

#[test]
fn what_is_forgotten_in_plain_words_is_gone_by_every_way_and_the_receipt_proves_it() {
    for world in [World::ram(), World::sqlite()] {
        let service = world.service();
        service.keep("anna", "My dentist Dr. Okafor practises on Harbour Lane.").unwrap();
        service.keep("anna", "Dr. Okafor called about the appointment.").unwrap();
        let bystander = service.keep("anna", "The ferry to the island leaves at noon.").unwrap();
        let done = forget(&service, "forget everything about Dr. Okafor");
        assert_eq!(done.memories.len(), 2);
        let receipt = &done.receipts[0];
        receipt.verify(&service.verifying_key().unwrap()).unwrap();
        let said = &receipt.receipt;
        assert!(said.is_clean(), "{:?}", said.probes);
        assert_eq!(
            (said.reference().as_str(), said.cause, said.named),
            ("DEL-2026-000001", Cause::Request, Named::Subject)
        );
        assert_eq!((said.counts.direct, said.counts.keys_destroyed), (2, 2));
        for service in [&service, &world.service()] {
            assert!(service.texts("anna", "the dentist Okafor").iter().all(|text| !text.contains("Okafor")));
            service.get(&grant::<Recall>("anna"), bystander).unwrap();
            let verified = service
                .verify_forgotten(&grant::<Recall>("anna"), "Do you remember anything about Dr. Okafor?");
            let verified = verified.unwrap();
            assert_eq!((verified.direct.len(), verified.receipts.len()), (0, 1));
            assert_eq!(verified.receipts[0].0, "DEL-2026-000001");
        }
        let receipts = service.receipts(&grant::<ReadAudit>("anna"), 0).unwrap();
        assert_eq!(receipts, done.receipts);
        service.verified("anna");
    }
}

#[test]
fn a_plan_is_bound_to_what_it_showed_and_good_for_once() {
    let world = World::sqlite();
    let service = world.service();
    service.keep("anna", "The boat Petrel needs paint.").unwrap();
    let first = plan(&service, Target::Words("forget everything about Petrel".into()));
    assert_eq!((first.direct, first.matches[0].closeness), (1, Closeness::Direct));

    // What has nothing to do with it does not matter; one more match does.
    service.keep("anna", "The bakery opens at six.").unwrap();
    let token = plan(&service, Target::Words("forget everything about Petrel".into())).token.unwrap();
    service.keep("anna", "The Petrel won the regatta.").unwrap();
    let error = confirm(&service, &token, &PlanChoice::All).unwrap_err();
    assert_eq!(error.code(), "plan_changed");
    let error = confirm(&service, first.token.as_ref().unwrap(), &PlanChoice::All).unwrap_err();
    assert_eq!(error.code(), "plan_changed");

    let token = plan(&service, Target::Words("forget everything about Petrel".into())).token.unwrap();
    let foreign = service.confirm_forget(&grant::<Forget>("ben"), &token, &PlanChoice::All);
    assert!(foreign.is_err());
    assert_eq!(confirm(&service, &token, &PlanChoice::All).unwrap().memories.len(), 2);
    assert_eq!(confirm(&service, &token, &PlanChoice::All).unwrap_err().code(), "plan_changed");

    service.keep("anna", "The boat Petrel needs paint.").unwrap();
    let token = plan(&service, Target::Words("forget everything about Petrel".into())).token.unwrap();
    world.clock.advance(SignedDuration::from_mins(16));
    assert_eq!(confirm(&service, &token, &PlanChoice::All).unwrap_err().code(), "invalid");
    assert_eq!(service.texts("anna", "Petrel").len(), 1);
}

#[test]
fn a_choice_narrows_a_plan_and_names_nothing_else() {
    let world = World::ram();
    let service = world.service();
    let red =
        service.take("anna", Draft { tags: vec!["wine".into()], ..draft("A red from Porto.") }).unwrap().id;
    let white =
        service.take("anna", Draft { tags: vec!["wine".into()], ..draft("A white from Graz.") }).unwrap().id;
    let other = service.keep("anna", "The bakery opens at six.").unwrap();
    let tagged = || plan(&service, Target::Tags(vec!["wine".into()])).token.unwrap();
    let error = confirm(&service, &tagged(), &PlanChoice::Only(vec![other])).unwrap_err();
    assert!(matches!(error, Error::Invalid { field: "only", .. }));
    assert_eq!(confirm(&service, &tagged(), &PlanChoice::Only(vec![red])).unwrap().memories, [red]);
    assert_eq!(confirm(&service, &tagged(), &PlanChoice::Direct).unwrap().memories, [white]);
    assert_eq!(plan(&service, Target::Tags(vec!["wine".into()])).token, None);
}

#[test]
fn everything_goes_only_after_a_second_yes() {
    let world = World::sqlite();
    let service = world.service();
    for number in 0..5 {
        service.keep("anna", &format!("Note number {number} about nothing.")).unwrap();
    }
    let plan = plan(&service, Target::Everything);
    assert_eq!(plan.confirmations, 2);
    let first =
        service.confirm_forget(&grant::<Forget>("anna"), &plan.token.unwrap(), &PlanChoice::All).unwrap();
    let Confirmed::Again { token, .. } = first else { panic!("gone at the first yes") };
    assert_eq!(service.count(&grant::<Recall>("anna")).unwrap().0, 5);
    assert_eq!(confirm(&service, &token, &PlanChoice::All).unwrap().memories.len(), 5);
    assert_eq!(service.count(&grant::<Recall>("anna")).unwrap().0, 0);
}

#[test]
fn an_enterprise_hides_first_and_the_sweep_erases_later() {
    let world = World::sqlite();
    let service = world.service_under(Policy::of(Preset::EnterpriseSafe));
    let source = service.keep("anna", "The Petrel won the regatta in June.").unwrap();
    let made = Draft {
        derived_from: vec![Lineage { source, contribution: Contribution::Inference }],
        ..draft("Somebody here likes sailing.")
    };
    let made = service.take("anna", made).unwrap().id;
    let hidden = forget(&service, "forget everything about Petrel");
    assert_eq!((hidden.memories.as_slice(), hidden.fell.as_slice()), (&[source][..], &[made][..]));
    assert!(hidden.receipts.is_empty());
    let until = hidden.restorable_until.unwrap();
    assert_eq!(until, world.clock.now() + SignedDuration::from_hours(30 * 24));
    assert!(service.texts("anna", "Petrel").is_empty());

    service.set_state(&grant::<Forget>("anna"), &[source, made], Lifecycle::Active).unwrap();
    assert_eq!(service.texts("anna", "Petrel").len(), 1);

    forget(&service, "forget everything about Petrel");
    assert_eq!(service.upkeep().purge().unwrap(), 0);
    world.clock.advance(SignedDuration::from_hours(30 * 24 + 1));
    assert_eq!(service.upkeep().purge().unwrap(), 2);
    let rows = world.store.rows(scope("anna").vault_id(), &[source, made]).unwrap();
    assert!(rows.iter().all(Option::is_none));
    let receipts = service.receipts(&grant::<ReadAudit>("anna"), 0).unwrap();
    assert_eq!((receipts.len(), receipts[0].receipt.cause), (1, Cause::Purge));
}

#[test]
fn archived_memories_are_out_of_recall_and_kept() {
    let world = World::ram();
    let service = world.service();
    let id = service.keep("anna", "The Petrel won the regatta in June.").unwrap();
    let request = Request { mode: Some(Mode::Archive), ..Request::new(Target::Ids(vec![id])) };
    let token = try_plan(&service, &request).unwrap().token.unwrap();
    confirm(&service, &token, &PlanChoice::All).unwrap();
    assert!(service.texts("anna", "Petrel").is_empty());
    assert_eq!(service.get(&grant::<Recall>("anna"), id).unwrap().state, Lifecycle::Archived);
}

#[test]
fn a_hard_forget_takes_what_was_only_hidden_as_well() {
    let world = World::sqlite();
    let service = world.service();
    let id = service.keep("anna", "The Petrel won the regatta in June.").unwrap();
    service.set_state(&grant::<Forget>("anna"), &[id], Lifecycle::Deleted).unwrap();
    assert_eq!(forget(&service, "forget everything about Petrel").memories, [id]);
}

#[test]
fn what_shall_stay_lives_on_under_a_new_key() {
    let world = World::sqlite();
    let service = world.service();
    let both = service.keep("anna", "I earn 4,000 crowns and I work at Norrland Timber.").unwrap();
    let done = forget(&service, "forget what I earn but keep that I work at Norrland Timber");
    assert_eq!(done.cut.len(), 1);
    assert_eq!(done.cut[0].0, both);
    let texts = service.texts("anna", "where do I work?");
    assert_eq!(texts.len(), 1);
    assert!(texts[0].contains("Norrland Timber") && !texts[0].contains("4,000"), "{texts:?}");
    let kept = service.get(&grant::<Recall>("anna"), done.cut[0].1).unwrap();
    assert!(kept.facets.history.remade_at.is_some());
}

#[test]
fn what_leans_on_a_forgotten_turn_waits_until_somebody_has_looked() {
    let world = World::ram();
    let service = world.service();
    turn(&service, 1, "Henrike from the bakery asked about the roof.");
    let leans = turn(&service, 2, "She wants it done before winter.");
    turn(&service, 3, "The roof tiles arrive on Friday.");
    let done = forget(&service, "forget everything about Henrike");
    assert_eq!(done.held_back, [leans]);
    let waiting = service.candidates(&grant("anna"), None, 10).unwrap();
    assert_eq!(waiting.memories[0].facets.history.waits, Some(Wait::Dangling));
    assert!(service.texts("anna", "done before winter").iter().all(|text| !text.starts_with("She")));
}

/// Seed 002 § 05, risk B: "The guest who returned last week" loses its meaning with the first encounter.
#[test]
fn a_description_of_what_was_forgotten_waits_if_topic_or_session_is_the_same() {
    let world = World::ram();
    let service = world.service();
    let tagged = |text: &str, tag: &str| {
        service.take("anna", Draft { tags: vec![tag.to_owned()], ..draft(text) }).unwrap().id
    };
    let first = tagged("A returning guest recognised me by name and praised the seafood.", "returning-guest");
    let leans = tagged("The guest who returned last week asked for the window table.", "returning-guest");
    let other = tagged("The guest who plays chess came on Monday.", "chess");
    let plain = tagged("Parking is free on Sundays.", "returning-guest");
    let done = service.delete(&grant::<Forget>("anna"), first).unwrap();
    assert_eq!(done.held_back, [leans]);
    for kept in [other, plain] {
        assert_eq!(service.get(&grant::<Recall>("anna"), kept).unwrap().state, Lifecycle::Active);
    }
    let waiting = service.candidates(&grant("anna"), None, 10).unwrap();
    assert_eq!(waiting.memories[0].facets.history.waits, Some(Wait::Dangling));
}

/// A turn of Anna's conversation about the roof.
fn turn(service: &Lacuna, turn: u32, text: &str) -> MemoryId {
    let source = Source {
        session: Some(SessionId::new("ses_1").unwrap()),
        turn: Some(turn),
        ..Source::new(SourceType::UserMessage, Trust::High)
    };
    let category = Some(Category::Conversation);
    service.take("anna", Draft { source: Some(source), category, ..draft(text) }).unwrap().id
}

#[test]
fn what_was_held_back_lives_on_with_someone_in_the_place_of_who_was_forgotten() {
    for world in [World::ram(), World::sqlite()] {
        let service = world.service();
        turn(&service, 1, "Henrike from the bakery asked about the roof.");
        let leans = turn(&service, 2, "She wants it done before winter.");
        forget(&service, "forget everything about Henrike");
        let review = grant::<Review>("anna");
        let form = service.anonymous_form(&review, leans).unwrap().unwrap();
        assert_eq!(*form, "Someone wants something done before winter.");
        let decided = service.decide(&review, vec![(leans, Decision::Anonymise)]).unwrap().remove(0);
        let Decided::Anonymised { id, into, state, receipt } = decided else { panic!("{decided:?}") };
        assert_eq!((id, state), (leans, Lifecycle::Active));
        let receipt = receipt.unwrap().receipt;
        assert_eq!((receipt.counts.cut, receipt.counts.keys_destroyed, receipt.is_clean()), (1, 1, true));
        for service in [&service, &world.service()] {
            let made = service.get(&grant::<Recall>("anna"), into).unwrap();
            assert_eq!(made.content.full_text().expose(), *form);
            assert!(made.facets.history.remade_at.is_some() && made.facets.history.waits.is_none());
            assert!(service.texts("anna", "done before winter").contains(&form));
            assert_eq!(service.get(&grant::<Recall>("anna"), leans).err().unwrap().code(), "not_found");
        }
        assert!(service.candidates(&review, None, 10).unwrap().memories.is_empty());
        service.verified("anna");
    }
}

#[test]
fn only_what_leans_on_something_forgotten_can_be_anonymised() {
    let world = World::ram();
    let service = world.service();
    let inferred = Draft {
        source: Some(Source::new(SourceType::AiInference, Trust::Low)),
        ..draft("She prefers the window seat.")
    };
    let waits = service.take("anna", inferred).unwrap().id;
    let review = grant::<Review>("anna");
    let refused = service.decide(&review, vec![(waits, Decision::Anonymise)]).unwrap_err();
    assert_eq!(refused.code(), "cannot_anonymise");
    assert_eq!(service.anonymous_form(&review, waits).unwrap(), None);
    assert_eq!(service.candidates(&review, None, 10).unwrap().memories.len(), 1);
}

#[test]
fn a_policy_lets_what_leans_on_something_forgotten_become_anonymous_at_once() {
    let world = World::ram();
    let service = world.service_under(Policy { dangling: Dangling::Anonymise, ..Policy::default() });
    turn(&service, 1, "Henrike from the bakery asked about the roof.");
    let leans = turn(&service, 2, "She wants it done before winter.");
    let stays = turn(&service, 3, "Das Dach ist undicht.");
    let summary = Draft {
        content_type: Some(ContentType::Summary),
        derived_from: vec![Lineage { source: leans, contribution: Contribution::Primary }],
        ..draft("A roof is wanted before winter by her.")
    };
    let summary = service.take("anna", summary).unwrap().id;
    let done = forget(&service, "forget everything about Henrike");
    assert_eq!(done.cut.iter().map(|(old, _)| *old).collect::<Vec<_>>(), [leans]);
    assert_eq!(done.rebuilt.iter().map(|(old, _)| *old).collect::<Vec<_>>(), [summary]);
    assert_eq!(done.held_back, [stays], "an article may point back, and only a person can tell");
    let text =
        |id| service.get(&grant::<Recall>("anna"), id).unwrap().content.full_text().expose().to_owned();
    assert_eq!(text(done.cut[0].1), "Someone wants something done before winter.");
    assert_eq!(text(done.rebuilt[0].1), "The user: Someone wants something done before winter.");
    assert!(done.receipts[0].receipt.is_clean());
    service.verified("anna");
}

#[test]
fn unclear_words_are_asked_about_and_nothing_goes() {
    let world = World::ram();
    let service = world.service();
    service.keep("anna", "The boat Petrel needs paint.").unwrap();
    for words in ["", "do you remember Petrel?", "maybe forget it?"] {
        let planned =
            service.plan_forget(&grant("anna"), &Request::new(Target::Words(words.into()))).unwrap();
        assert!(matches!(planned, Planned::Unclear(_)), "{words}");
    }
    let nothing = plan(&service, Target::Words("forget everything about Zanzibar".into()));
    assert_eq!((nothing.token, nothing.direct), (None, 0));
}

#[test]
fn what_shall_stay_stays_whatever_else_goes() {
    let world = World::sqlite();
    let service = world.service();
    let lives = service.keep("anna", "Oskar lives in Graz.").unwrap();
    let boat = service.keep("anna", "Oskar bought a red boat.").unwrap();
    let dentist = service.keep("anna", "The dentist practises on Harbour Lane.").unwrap();
    let done = forget(&service, "forget everything about Oskar but keep where he lives");
    assert_eq!(done.memories, [boat]);

    let plan = plan(&service, Target::Words("forget everything but keep the dentist".into()));
    assert_eq!(plan.confirmations, 2);
    let ids: Vec<_> = plan.matches.iter().map(|found| found.memory.id).collect();
    assert_eq!(ids, [lives]);
    service.get(&grant::<Recall>("anna"), dentist).unwrap();
}

#[test]
fn what_is_deleted_leaves_no_tombstone_and_no_line_in_the_history_after_a_day() {
    for world in [World::ram(), World::sqlite()] {
        let service = world.service();
        service.keep("anna", "The locksmith has the spare key.").unwrap();
        service.keep("anna", "Henrike plays the tuba.").unwrap();
        service.keep("anna", "The ferry leaves at noon.").unwrap();
        let gone = |mode, words: &str| {
            let request = Request { mode: Some(mode), ..Request::new(Target::Words(words.into())) };
            let token = try_plan(&service, &request).unwrap().token.unwrap();
            confirm(&service, &token, &PlanChoice::All).unwrap()
        };
        let hard = gone(Mode::Hard, "forget everything about Henrike");
        let deleted = gone(Mode::Delete, "forget the locksmith");
        let receipt = &deleted.receipts[0].receipt;
        assert_eq!((receipt.mode, receipt.is_clean()), (Mode::Delete, true));
        let stones = || world.store.tombstones(scope("anna").vault_id(), None).unwrap().len();
        let history = || {
            let mut out = Vec::new();
            let wanted = Wanted::everything_but_health(Format::Json);
            service.export(&grant("anna"), &wanted, &mut out, &mut |_| {}).unwrap();
            let text = String::from_utf8(out).unwrap();
            [&hard, &deleted].map(|done| text.contains(&done.receipts[0].receipt.reference()))
        };
        assert_eq!((service.upkeep().forget_tombstones(&scope("anna")).unwrap(), stones()), (0, 2));
        assert_eq!(history(), [true, true]);
        world.clock.advance(SignedDuration::from_hours(25));
        assert_eq!((service.upkeep().forget_tombstones(&scope("anna")).unwrap(), stones()), (1, 1));
        assert_eq!(history(), [true, false]);
        // The proof stays, and what was deleted does not come back with an old id.
        assert_eq!(service.receipts(&grant::<ReadAudit>("anna"), 0).unwrap().len(), 2);
        assert!(service.texts("anna", "the locksmith").iter().all(|text| !text.contains("locksmith")));
        service.verified("anna");
    }
}

/// More than one commit can announce.
#[test]
fn what_was_made_of_a_memory_goes_first_when_it_is_too_much_for_one_commit() {
    const MADE: usize = 4_100;
    let world = World::ram();
    let service = world.service();
    let source = service.keep("anna", "The harbour office keeps a log of every boat.").unwrap();
    let made = |number: usize| Draft {
        derived_from: vec![Lineage { source, contribution: Contribution::Inference }],
        category: Some(Category::Conversation),
        ..draft(&format!("Boat {number} is in the log."))
    };
    for part in (0..MADE).collect::<Vec<_>>().chunks(1_000) {
        let drafts = part.iter().map(|number| made(*number)).collect();
        service.remember(&grant("anna"), drafts).unwrap();
    }
    let done = service.delete(&grant("anna"), source).unwrap();
    assert_eq!((done.memories.as_slice(), done.fell.len()), (&[source][..], MADE));
    assert_eq!(done.receipts.len(), 6, "five parts of what fell, and the memory itself");
    assert!(done.receipts.iter().all(|signed| signed.receipt.is_clean()));
    let fell: u32 = done.receipts.iter().map(|signed| signed.receipt.counts.fell).sum();
    assert_eq!(fell as usize, MADE);
    assert_eq!(service.count(&grant::<Recall>("anna")).unwrap(), (0, 0));
    service.verified("anna");
}

/// A name that is one letter off may be a slip of the pen or somebody else: it is named as possible, and never taken.
#[test]
fn a_name_that_is_one_letter_off_is_no_direct_match() {
    for (told, asked) in [("Kakapon", "Kakason"), ("Jorvin", "Jorvik"), ("Teodora", "Teodara")] {
        let world = World::ram();
        let lacuna = world.service();
        for number in 0..12 {
            lacuna.keep("anna", &format!("Invoice {number} for the timber of the barn was paid.")).unwrap();
        }
        let theirs = lacuna.keep("anna", &format!("{told} came late on Sunday.")).unwrap();
        let there = lacuna.verify_forgotten(&grant::<Recall>("anna"), told).unwrap();
        assert_eq!(there.direct, [theirs], "{told}");
        let asked_for = lacuna.verify_forgotten(&grant::<Recall>("anna"), asked).unwrap();
        assert!(
            asked_for.direct.is_empty() && asked_for.indirect.contains(&theirs),
            "{asked}: {asked_for:?}"
        );
    }
}
