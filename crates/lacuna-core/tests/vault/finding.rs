//! What a request in plain words means: seen through its plan, and through what is left when it is confirmed.

use lacuna_core::Lacuna;
use lacuna_core::forget::{Confirmed, Plan, Planned, PlannedMatch, Request};
use lacuna_core::index::Filter;
use lacuna_core::permit::{Forget, Recall};
use lacuna_core::vault::ProbePath;
use lacuna_types::request::{Closeness, PlanChoice, Reach, Target};
use lacuna_types::*;

use crate::{Calls, World, draft, grant};

fn planned(service: &Lacuna, request: &Request) -> Plan {
    match service.plan_forget(&grant::<Forget>("anna"), request).unwrap() {
        Planned::Plan(plan) => *plan,
        _ => panic!("asked back"),
    }
}

fn words(request: &str) -> Request {
    Request::new(Target::Words(request.to_owned()))
}

/// The beginnings of the matches that would be taken unseen, in the order of the alphabet; those that are only indirect in brackets.
fn matches(service: &Lacuna, request: &Request) -> Vec<String> {
    let first = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
    let shown = |one: &PlannedMatch| match one.closeness {
        Closeness::Direct => first(one.memory.content.full_text().expose()),
        Closeness::Indirect => format!("({})", first(one.memory.content.full_text().expose())),
    };
    let mut shown: Vec<String> =
        planned(service, request).matches.iter().filter(|one| !one.offered).map(shown).collect();
    shown.sort();
    shown
}

fn keep_all(service: &Lacuna, texts: &[&str]) {
    for text in texts {
        service.keep("anna", text).unwrap();
    }
}

#[test]
fn an_identifier_decides_in_every_spelling_and_never_by_its_beginning() {
    let world = World::ram();
    let service = world.service();
    keep_all(
        &service,
        &[
            "A: invoice BX-2041 is unpaid.",
            "B: they call it bx 2041 in the ledger.",
            "C: invoice BX-20410 is paid.",
            "D: rosa@contoso.org wrote about the roof.",
            "E: ROSA+roof@contoso.org is on the list.",
            "F: rosa.diaz@contoso.org is somebody else.",
            "G: the roof leaks.",
        ],
    );
    assert_eq!(matches(&service, &words("invoice BX-2041")), ["(B:)", "A:"]);
    assert_eq!(matches(&service, &words("forget BX-2041")), ["A:", "B:"]);
    assert_eq!(matches(&service, &words("everything about rosa@contoso.org")), ["D:", "E:"]);
    // The words beside an identifier that nothing holds do not stand for it.
    assert!(matches(&service, &words("forget ticket ZZ-999 about the roof")).is_empty());
}

#[test]
fn a_person_is_found_by_name_and_narrowed_by_what_belongs_to_them() {
    let world = World::ram();
    let service = world.service();
    keep_all(
        &service,
        &[
            "Ruth drives a red van.",
            "Ruth sings in a choir.",
            "Otto met Ruth in Graz.",
            "Ruthless deadlines again.",
            "Otto sings too.",
        ],
    );
    assert_eq!(matches(&service, &words("everything about Ruth")), ["Otto", "Ruth", "Ruth"]);
    assert_eq!(matches(&service, &words("forget Ruth's car")), ["Ruth"]);
    assert_eq!(matches(&service, &words("forget Ruth's passport")), ["(Otto)", "(Ruth)", "(Ruth)"]);
    let subject = |name: &str| Request::new(Target::Entity { name: name.into(), reach: Reach::Subject });
    assert_eq!(matches(&service, &subject("Ruth")), ["Ruth", "Ruth"]);
}

#[test]
fn with_the_subject_alone_mentions_are_offered_and_never_taken() {
    let world = World::ram();
    let service = world.service();
    keep_all(&service, &["Otto met Ruth in Graz.", "Ruth plays chess.", "Otto sold the boat to Ruth."]);
    let about = |name: &str| Request::new(Target::Entity { name: name.into(), reach: Reach::Subject });
    assert_eq!(matches(&service, &about("Ruth")), ["Ruth"]);
    let plan = planned(&service, &about("Ruth"));
    let done = service.confirm_forget(&grant("anna"), &plan.token.unwrap(), &PlanChoice::All).unwrap();
    assert!(matches!(done, Confirmed::Done(_)));
    assert_eq!(
        service.list(&grant::<Recall>("anna"), &Filter::default(), None, 9).unwrap().memories.len(),
        2
    );
    // Somebody who is nowhere the subject is not taken by a mention.
    assert!(matches(&service, &about("Ruth")).iter().all(|one| one.starts_with('(')));
}

#[test]
fn a_topic_is_what_says_all_of_its_words() {
    let world = World::ram();
    let service = world.service();
    keep_all(
        &service,
        &[
            "A: sales reports go to Otto.",
            "B: the sales-team reports go to Ruth.",
            "C: reports are due on Friday.",
            "D: I earn 4,200 a month.",
        ],
    );
    assert_eq!(matches(&service, &words("forget the sales reports")), ["A:"]);
    assert_eq!(matches(&service, &words("forget my salary")), ["(D:)"]);
}

#[test]
fn long_texts_are_searched_to_their_end() {
    let world = World::ram();
    let service = world.service();
    let long =
        format!("{} At last somebody named Ruthanna Quillfeather rang.", "The day was long. ".repeat(500));
    let id = service.take("anna", draft(&long)).unwrap().id;
    let plan = planned(&service, &words("everything about Ruthanna Quillfeather"));
    assert_eq!(plan.matches.iter().map(|one| one.memory.id).collect::<Vec<_>>(), [id]);
}

#[test]
fn what_is_kept_is_cut_loose_from_what_goes() {
    let world = World::ram();
    let service = world.service();
    keep_all(&service, &["I earn 4,200 a month and I work at Fabrikam.", "I earn less than Otto."]);
    let request = words("forget my salary but remember that I work at Fabrikam");
    let plan = planned(&service, &request);
    let mut leaves: Vec<_> =
        plan.matches.iter().map(|one| one.leaves.as_ref().map(|text| text.to_string())).collect();
    leaves.sort();
    assert_eq!(leaves, [None, Some("I work at Fabrikam.".to_owned())]);
    let confirmed = service.confirm_forget(&grant("anna"), &plan.token.unwrap(), &PlanChoice::All).unwrap();
    assert!(matches!(confirmed, Confirmed::Done(_)));
    let page = service.list(&grant::<Recall>("anna"), &Default::default(), None, 10).unwrap();
    let texts: Vec<_> = page.memories.iter().map(|memory| memory.content.full_text().expose()).collect();
    assert_eq!(texts, ["I work at Fabrikam."]);
}

#[test]
fn facets_are_matched_exactly() {
    let world = World::ram();
    let service = world.service();
    let tagged = Draft { tags: vec!["Boats".into()], ..draft("The sail is torn.") };
    service.take("anna", tagged).unwrap();
    let inferred = Draft {
        source: Some(Source::new(SourceType::ToolOutput, Trust::Medium)),
        tier: Some(Tier::Episodic),
        ..draft("Printed three pages.")
    };
    service.take("anna", inferred).unwrap();
    let one = |target| matches(&service, &Request::new(target));
    assert_eq!(one(Target::Tags(vec!["boats".into()])), ["The"]);
    assert_eq!(one(Target::Source(SourceType::ToolOutput)), ["Printed"]);
    assert_eq!(one(Target::Tier(Tier::Episodic)), ["Printed"]);
    assert_eq!(matches(&service, &words("forget the last thing I said")), ["The"]);
    assert_eq!(one(Target::Everything).len(), 2);
}

/// The texts that a plan offers, beside those that it would take.
fn offered(plan: &Plan) -> Vec<String> {
    let offered = plan.matches.iter().filter(|one| one.offered);
    offered.map(|one| one.memory.content.full_text().expose().to_owned()).collect()
}

/// The texts that a plan would take unseen.
fn taken(plan: &Plan) -> Vec<String> {
    let taken = plan.matches.iter().filter(|one| !one.offered);
    taken.map(|one| one.memory.content.full_text().expose().to_owned()).collect()
}

#[test]
fn what_is_only_near_is_offered_and_goes_only_when_somebody_names_it() {
    let world = World::ram();
    let service = world.service();
    keep_all(
        &service,
        &[
            "Lena Vogt teaches the cello.",
            "Lena Brandt lent me a bicycle.",
            "Lena sings.",
            "The pier is long gone.",
        ],
    );
    let request = words("forget Lena Vogt");
    let plan = planned(&service, &request);
    assert_eq!(taken(&plan), ["Lena Vogt teaches the cello."]);
    assert!(offered(&plan).contains(&"Lena sings.".to_owned()), "two people may be meant by Lena");
    assert_eq!((plan.direct, plan.indirect), (1, 0));
    let sings = plan.matches.iter().find(|one| one.offered).unwrap().memory.id;
    let token = plan.token.unwrap();
    let unseen = service.confirm_forget(&grant("anna"), &token, &PlanChoice::All).unwrap();
    let Confirmed::Done(done) = unseen else { panic!("one confirmation is enough") };
    assert_eq!(done.memories.len(), 1, "a confirmation that names nothing takes nothing that is only near");
    assert!(done.left.contains(&sings), "what is left is told");
    let near = done.receipts[0].receipt.probes.iter().find(|probe| probe.path == ProbePath::Near).unwrap();
    assert!(near.found > 0 && done.receipts[0].receipt.is_clean());
}

#[test]
fn a_short_form_that_one_person_bears_is_a_mention() {
    let world = World::ram();
    let service = world.service();
    keep_all(
        &service,
        &["Lena Vogt teaches the cello.", "Lena lent me a bicycle.", "Ruth sings in a choir."],
    );
    let plan = planned(&service, &words("forget Lena Vogt"));
    let mut both = taken(&plan);
    both.sort();
    assert_eq!(both, ["Lena Vogt teaches the cello.", "Lena lent me a bicycle."]);
    let is_full = |one: &&PlannedMatch| one.memory.content.full_text().expose().starts_with("Lena Vogt");
    let id = plan.matches.iter().find(is_full).unwrap().memory.id;
    service.erase("anna", id).unwrap();
    let left = service.verify_forgotten(&grant::<Recall>("anna"), "Lena Vogt").unwrap();
    assert!(
        !left.indirect.is_empty() || !left.direct.is_empty(),
        "a turn that says only Lena may speak of her"
    );
}

#[test]
fn an_attribute_is_that_of_the_person_whom_the_request_names() {
    let world = World::ram();
    let service = world.service();
    keep_all(
        &service,
        &[
            "You reach me on +44 20 7946 0018.",
            "Mum's number is +44 20 7946 0071.",
            "The pier is long gone.",
            "Ruth sings in a choir.",
            "The boat needs paint.",
        ],
    );
    for request in ["forget my phone number", "vergiss meine Telefonnummer", "oublie mon numéro de téléphone"]
    {
        let plan = planned(&service, &words(request));
        assert!(!taken(&plan).iter().any(|text| text.starts_with("Mum")), "{request}");
        assert!(
            plan.matches.iter().any(|one| one.memory.content.full_text().expose().starts_with("You")),
            "{request}"
        );
    }
    for request in ["forget my mother's phone number", "vergiss die Telefonnummer meiner Mutter"] {
        let plan = planned(&service, &words(request));
        assert!(!taken(&plan).iter().any(|text| text.starts_with("You")), "{request}");
        assert!(
            plan.matches.iter().any(|one| one.memory.content.full_text().expose().starts_with("Mum")),
            "{request}"
        );
    }
}

#[test]
fn the_same_text_that_stays_is_named_by_the_receipt() {
    let world = World::ram();
    let service = world.service();
    let turn = |text: &str| Draft { category: Some(Category::Conversation), ..draft(text) };
    let first = service.take("anna", turn("The pier is long gone.")).unwrap().id;
    let second = service.take("anna", turn("The pier is long gone.")).unwrap().id;
    if first == second {
        return;
    }
    let plan = planned(&service, &Request::new(Target::Ids(vec![first])));
    let confirmed = service.confirm_forget(&grant("anna"), &plan.token.unwrap(), &PlanChoice::All).unwrap();
    let Confirmed::Done(done) = confirmed else { panic!("one confirmation is enough") };
    assert_eq!(done.left, [second]);
    let same =
        done.receipts[0].receipt.probes.iter().find(|probe| probe.path == ProbePath::SameText).unwrap();
    assert_eq!((same.looked_for, same.found), (1, 1));
}

#[test]
fn of_two_identical_texts_verification_tells_the_one_that_stays() {
    let world = World::sqlite();
    let service = world.service();
    let said = "The pier at Holloway is long gone.";
    let turn = |session: &str| {
        let mut source = Source::new(SourceType::UserMessage, Trust::High);
        source.session = Some(SessionId::new(session).unwrap());
        source.turn = Some(1);
        let draft = Draft { source: Some(source), category: Some(Category::Conversation), ..draft(said) };
        service.take("anna", draft).unwrap().id
    };
    let (first, second) = (turn("s1"), turn("s2"));
    assert_ne!(first, second);
    let known = |lacuna: &Lacuna| lacuna.verify_forgotten(&grant("anna"), "the pier at Holloway").unwrap();
    for (gone, stays) in [(first, vec![second]), (second, vec![])] {
        let plan = planned(&service, &Request::new(Target::Ids(vec![gone])));
        service.confirm_forget(&grant("anna"), &plan.token.unwrap(), &PlanChoice::All).unwrap();
        for lacuna in [&service, &world.service()] {
            let verified = known(lacuna);
            assert_eq!(verified.direct, stays);
            assert!(!verified.indirect.contains(&gone));
            assert!(lacuna.get(&grant::<Recall>("anna"), gone).is_err());
            assert_eq!(lacuna.texts("anna", "pier Holloway"), vec![said; stays.len()]);
        }
    }
}
