//! What a request in plain words means: seen through its plan, and through what is left when it is confirmed.

use lacuna_core::Lacuna;
use lacuna_core::forget::{Confirmed, Plan, Planned, Request};
use lacuna_core::permit::{Forget, Recall};
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

/// The beginnings of the matches, in the order of the alphabet; those that are only indirect in brackets.
fn matches(service: &Lacuna, request: &Request) -> Vec<String> {
    let first = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
    let shown = |one: &lacuna_core::forget::PlannedMatch| match one.closeness {
        Closeness::Direct => first(one.memory.content.full_text().expose()),
        Closeness::Indirect => format!("({})", first(one.memory.content.full_text().expose())),
    };
    let mut shown: Vec<String> = planned(service, request).matches.iter().map(shown).collect();
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
    let subject = Target::Entity { name: "Ruth".into(), reach: Reach::Subject };
    assert_eq!(matches(&service, &Request::new(subject)), ["Ruth", "Ruth"]);
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

/// The texts that a plan names as a question, beside its matches.
fn asked(plan: &Plan) -> Vec<String> {
    plan.nearest.iter().map(|one| one.memory.content.full_text().expose().to_owned()).collect()
}

#[test]
fn a_message_that_no_frame_reads_plans_nothing_and_names_what_it_may_mean() {
    let world = World::ram();
    let service = world.service();
    keep_all(&service, &["The lamp of the lighthouse is broken.", "Ruth sings in a choir."]);
    let plan = planned(&service, &words("The lighthouse with its lamp. Away with it, delete it."));
    assert!(plan.matches.is_empty(), "nobody erases by a confirmation what was never surely meant");
    assert_eq!(asked(&plan)[0], "The lamp of the lighthouse is broken.");
}

#[test]
fn a_short_form_of_a_name_is_asked_about_and_is_not_called_forgotten() {
    let world = World::ram();
    let service = world.service();
    keep_all(
        &service,
        &["Lena Vogt teaches the cello.", "Lena lent me a bicycle.", "Ruth sings in a choir."],
    );
    let plan = planned(&service, &words("forget Lena Vogt"));
    assert_eq!(plan.direct, 1);
    assert!(asked(&plan).contains(&"Lena lent me a bicycle.".to_owned()));
    let id = plan.matches[0].memory.id;
    service.erase("anna", id).unwrap();
    let left = service.verify_forgotten(&grant::<Recall>("anna"), "Lena Vogt").unwrap();
    assert!(left.direct.is_empty());
    assert!(!left.indirect.is_empty(), "a turn that says only Lena may still speak of her");
}
