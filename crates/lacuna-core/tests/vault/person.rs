//! The right to be forgotten for a person: known data in every kind of vault, a request, and nothing of it left.

use jiff::SignedDuration;
use lacuna_core::govern::{BatchSignature, Decision, Person, batch_message};
use lacuna_core::permit::{ForgetPerson, Review};
use lacuna_core::vault::Cause;
use lacuna_seal::SigningKey;
use lacuna_store::rows::RecordKind;
use lacuna_types::policy::Dangling;

use super::*;

const MAIL: &str = "mira.okafor@lindenhof.example";
const OTHER_MAIL: &str = "mira.okafor.jr@lindenhof.example";

fn boss() -> Caller {
    Caller::new(OrgId::new("acme").unwrap(), UserId::new("boss").unwrap(), vec![Role::Admin])
}

fn operator() -> Grant<ForgetPerson> {
    permit(&boss(), &boss().org_scope()).unwrap()
}

fn mira() -> Person {
    Person {
        identifiers: vec![MAIL.into()],
        names: vec!["Mira Okafor".into()],
        user: Some(UserId::new("mira").unwrap()),
        sessions: vec![SessionId::new("call-77").unwrap()],
    }
}

fn with_consent(text: &str) -> Draft {
    Draft { consent_basis: Some(ConsentBasis::ServiceDelivery), ..draft(text) }
}

/// Memories about Mira in the vaults of others, her own vault, and bystanders. Answers with what is Mira's.
fn settle(lacuna: &Lacuna) -> Vec<(&'static str, MemoryId)> {
    let keep = |user: &'static str, draft: Draft| (user, lacuna.take(user, draft).unwrap().id);
    let source = Source {
        session: Some(SessionId::new("call-77").unwrap()),
        ..Source::new(SourceType::UserMessage, Trust::High)
    };
    let said = Draft {
        source: Some(source),
        category: Some(Category::Conversation),
        ..with_consent("The guest asked for a room away from the lift.")
    };
    let hers = vec![
        keep("anna", with_consent(&format!("The guest wrote from {MAIL} about the late checkout."))),
        keep("anna", with_consent("Mira Okafor prefers the corner table.")),
        keep("ben", said),
        keep("mira", with_consent("My locker is the blue one.")),
    ];
    lacuna.take("anna", with_consent(&format!("Her nephew writes from {OTHER_MAIL}."))).unwrap();
    lacuna.take("anna", with_consent("The corner table wobbles.")).unwrap();
    lacuna.take("ben", with_consent("The lift is slow on Sundays.")).unwrap();
    hers
}

fn texts_of(lacuna: &Lacuna, user: &str) -> usize {
    lacuna.count(&grant::<Recall>(user)).unwrap().0
}

#[test]
fn a_person_is_forgotten_in_every_vault_and_bystanders_stay() {
    let (_database, postgres) = World::postgres("person").unzip();
    for world in [World::ram(), World::sqlite()].into_iter().chain(postgres) {
        let lacuna = world.service();
        let hers = settle(&lacuna);
        let request = lacuna.open_person_request(&operator(), &mira()).unwrap();
        assert_eq!(request.reference(), "REQ-2026-000001");
        let batch = lacuna.plan_person(&operator(), request.number, &mira()).unwrap();
        assert_eq!(batch.memories, hers.len() as u64);
        assert_eq!(batch.by_kind.keys().copied().collect::<Vec<_>>(), ["user"]);
        assert_eq!(batch.by_kind["user"].vaults, 3);

        let done = lacuna.confirm_person(&operator(), 1, &mira(), &batch.digest, None).unwrap();
        assert_eq!((done.request.receipts.len(), done.clean), (3, true), "one for each vault");
        let key = lacuna.audit_key().unwrap();
        for user in ["anna", "ben", "mira"] {
            let signed = lacuna.receipts(&grant(user), 0).unwrap().remove(0);
            signed.verify(&key).unwrap();
            assert_eq!((signed.receipt.cause, signed.receipt.request), (Cause::Person, Some(1)));
            assert!(signed.receipt.is_clean(), "{:?}", signed.receipt.probes);
            assert!(done.request.receipts.contains(&signed.receipt.reference()));
        }
        for (user, id) in &hers {
            assert_eq!(lacuna.get(&grant(user), *id).err().unwrap().code(), "not_found");
        }
        assert_eq!(["anna", "ben", "mira"].map(|user| texts_of(&lacuna, user)), [2, 1, 0]);
        assert!(lacuna.texts("anna", "corner table").contains(&"The corner table wobbles.".to_owned()));

        // The request is done, and cannot be done twice.
        let requests = lacuna.person_requests(&operator(), 0).unwrap();
        assert_eq!((requests.len(), requests[0].receipts.len(), requests[0].memories), (1, 3, 4));
        assert!(requests[0].completed_at.is_some());
        let again = lacuna.confirm_person(&operator(), 1, &mira(), &batch.digest, None);
        assert_eq!(again.unwrap_err().code(), "request_completed");

        // Owners of other vaults are told, without a word of what it was.
        let told: Vec<_> = ["anna", "ben", "mira"]
            .iter()
            .map(|user| lacuna.notices(&grant(user), 0).unwrap().len())
            .collect();
        assert_eq!(told, [1, 1, 0]);
        assert_eq!(lacuna.notices(&grant("anna"), 0).unwrap()[0].memories, 2);
        for user in ["anna", "ben", "mira"] {
            lacuna.verified(user);
        }
    }
}

#[test]
fn nothing_that_is_kept_of_a_request_says_whose_it_was() {
    let world = World::ram();
    let lacuna = world.service();
    settle(&lacuna);
    lacuna.open_person_request(&operator(), &mira()).unwrap();
    let batch = lacuna.plan_person(&operator(), 1, &mira()).unwrap();
    lacuna.confirm_person(&operator(), 1, &mira(), &batch.digest, None).unwrap();
    let org = OrgId::new("acme").unwrap();
    let mut kept = Vec::new();
    for kind in RecordKind::ALL {
        kept.extend(world.store.records(&org, *kind, 0, 100).unwrap().into_iter().map(|record| record.doc));
    }
    for scope in [boss().org_scope(), scope("anna"), scope("ben")] {
        kept.extend(world.store.audit(scope.vault_id(), 0).unwrap().into_iter().map(|row| row.entry));
    }
    for bytes in kept {
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        for word in ["okafor", "lindenhof", "call-77", "corner"] {
            assert!(!text.contains(word), "{word} is kept");
        }
        assert!(!bytes.windows(32).any(|window| window == sha256(MAIL.as_bytes())));
    }
}

#[test]
fn the_person_must_be_the_same_at_every_step_and_the_batch_what_was_seen() {
    let world = World::ram();
    let lacuna = world.service();
    settle(&lacuna);
    lacuna.open_person_request(&operator(), &mira()).unwrap();
    let somebody = Person { identifiers: vec![OTHER_MAIL.into()], ..Person::default() };
    assert_eq!(lacuna.plan_person(&operator(), 1, &somebody).unwrap_err().code(), "invalid");
    assert_eq!(lacuna.plan_person(&operator(), 2, &mira()).unwrap_err().code(), "not_found");
    let spelled =
        Person { identifiers: vec![MAIL.to_uppercase()], names: vec!["mira  okafor".into()], ..mira() };
    let batch = lacuna.plan_person(&operator(), 1, &spelled).unwrap();
    lacuna.take("ben", with_consent("Mira Okafor left an umbrella.")).unwrap();
    let stale = lacuna.confirm_person(&operator(), 1, &mira(), &batch.digest, None);
    assert_eq!(stale.unwrap_err().code(), "plan_changed");
    assert_eq!(texts_of(&lacuna, "anna"), 4, "nothing went");

    let nobody = Person::default();
    let first_name = Person { names: vec!["Mira".into()], ..Person::default() };
    let no_identifier = Person { identifiers: vec!["the guest".into()], ..Person::default() };
    for person in [nobody, first_name, no_identifier] {
        assert_eq!(lacuna.open_person_request(&operator(), &person).unwrap_err().code(), "invalid");
    }
    let user = Caller::new(OrgId::new("acme").unwrap(), UserId::new("ben").unwrap(), vec![Role::User]);
    assert!(permit::<ForgetPerson>(&user, &user.org_scope()).is_err());
}

#[test]
fn where_operators_are_named_one_of_them_must_sign() {
    let key = SigningKey::from_seed([5; 32]);
    let world = World::ram();
    let policy = Policy { operators: vec![key.verifying_key()], ..Policy::default() };
    let lacuna = world.service_under(policy);
    settle(&lacuna);
    lacuna.open_person_request(&operator(), &mira()).unwrap();
    let batch = lacuna.plan_person(&operator(), 1, &mira()).unwrap();
    assert!(batch.needs_operator);
    let signed_by = |key: &SigningKey, number: u64| {
        let (org, number) = (OrgId::new("acme").unwrap(), number.to_be_bytes());
        let (domain, parts) = batch_message(&org, &number, &batch.digest);
        Some(BatchSignature { key: key.verifying_key(), signature: key.sign(domain, &parts) })
    };
    let confirm = |signature| lacuna.confirm_person(&operator(), 1, &mira(), &batch.digest, signature);
    let stranger = SigningKey::from_seed([6; 32]);
    let borrowed =
        signed_by(&stranger, 1).map(|signed| BatchSignature { key: key.verifying_key(), ..signed });
    for refused in [None, signed_by(&stranger, 1), signed_by(&key, 2), borrowed] {
        assert_eq!(confirm(refused).unwrap_err().code(), "denied");
    }
    let done = confirm(signed_by(&key, 1)).unwrap();
    assert_eq!(done.request.signed, signed_by(&key, 1));
}

#[test]
fn deadlines_run_from_the_request_and_looking_into_it_acknowledges_it() {
    let world = World::ram();
    let lacuna = world.service();
    settle(&lacuna);
    lacuna.open_person_request(&operator(), &mira()).unwrap();
    let now = || world.clock.now();
    let request = || lacuna.person_requests(&operator(), 0).unwrap().remove(0);
    assert_eq!(request().time_left(now()), SignedDuration::from_hours(24));
    world.clock.advance(SignedDuration::from_hours(25));
    assert!(request().is_overdue(now()));
    lacuna.plan_person(&operator(), 1, &mira()).unwrap();
    assert!(!request().is_overdue(now()));
    assert_eq!(request().time_left(now()), SignedDuration::from_hours(720 - 25));
    world.clock.advance(SignedDuration::from_hours(700));
    assert!(request().is_overdue(now()));
    let batch = lacuna.plan_person(&operator(), 1, &mira()).unwrap();
    lacuna.confirm_person(&operator(), 1, &mira(), &batch.digest, None).unwrap();
    assert!(!request().is_overdue(now()));
}

#[test]
fn tombstones_go_after_their_time_and_not_before() {
    let world = World::sqlite();
    let lacuna = world.service();
    let id = lacuna.keep("anna", "The orchid wants water on Tuesdays.").unwrap();
    lacuna.erase("anna", id).unwrap();
    let tombstones = || world.store.tombstones(scope("anna").vault_id(), None).unwrap().len();
    world.clock.advance(SignedDuration::from_hours(24 * 2_190));
    assert_eq!((lacuna.upkeep().forget_tombstones(&scope("anna")).unwrap(), tombstones()), (0, 1));
    world.clock.advance(SignedDuration::from_hours(1));
    assert_eq!((lacuna.upkeep().forget_tombstones(&scope("anna")).unwrap(), tombstones()), (1, 0));
    assert_eq!(lacuna.upkeep().forget_old_erasures().unwrap(), 1);
    lacuna.verified("anna");
}

/// Memories that only seem to speak of Mira, or were made while one that does was at hand.
fn doubtful(lacuna: &Lacuna) -> [MemoryId; 3] {
    let of_her = lacuna.take("anna", with_consent("Mira Okafor asked for a quiet room.")).unwrap().id;
    let at_hand = Draft {
        derived_from: vec![Lineage { source: of_her, contribution: Contribution::Context }],
        ..with_consent("The third floor is the quiet one.")
    };
    [
        lacuna.take("anna", with_consent("Dr. Okafor left an umbrella at the desk.")).unwrap().id,
        lacuna.take("anna", at_hand).unwrap().id,
        // In a vault that says nothing of her for certain.
        lacuna.take("ben", with_consent("The bar owes Dr. Okafor a coffee.")).unwrap().id,
    ]
}

fn forget_mira(lacuna: &Lacuna) -> lacuna_core::govern::PersonForgotten {
    lacuna.open_person_request(&operator(), &mira()).unwrap();
    let batch = lacuna.plan_person(&operator(), 1, &mira()).unwrap();
    assert_eq!((batch.memories, batch.to_review), (1, 3));
    lacuna.confirm_person(&operator(), 1, &mira(), &batch.digest, None).unwrap()
}

#[test]
fn what_may_speak_of_a_person_waits_for_the_word_of_its_owner() {
    for world in [World::ram(), World::sqlite()] {
        let lacuna = world.service();
        let [umbrella, floor, coffee] = doubtful(&lacuna);
        let done = forget_mira(&lacuna);
        assert_eq!((done.held_back, done.request.memories, done.request.receipts.len()), (3, 1, 1));
        assert!(!done.clean, "three may still speak of her");
        for (user, id) in [("anna", umbrella), ("anna", floor), ("ben", coffee)] {
            let waiting = lacuna.candidates(&grant::<Review>(user), None, 10).unwrap().memories;
            let memory = waiting.iter().find(|memory| memory.id == id).unwrap();
            assert_eq!(memory.facets.history.waits, Some(Wait::Dangling));
            assert!(
                lacuna.texts(user, memory.content.full_text().expose()).is_empty(),
                "it is not found meanwhile"
            );
        }
        let form = |user, id| lacuna.anonymous_form(&grant::<Review>(user), id).unwrap();
        assert_eq!(*form("anna", umbrella).unwrap(), "Someone left an umbrella at the desk.");
        assert_eq!(*form("ben", coffee).unwrap(), "The bar owes someone a coffee.");
        assert_eq!(form("anna", floor), None, "it mentions nobody");

        let decisions = vec![(umbrella, Decision::Anonymise), (floor, Decision::Accept { keep_both: true })];
        lacuna.decide(&grant("anna"), decisions).unwrap();
        lacuna.decide(&grant("ben"), vec![(coffee, Decision::Accept { keep_both: true })]).unwrap();
        let texts = lacuna.texts("anna", "an umbrella on the quiet third floor");
        assert_eq!(texts.len(), 2, "{texts:?}");
        assert!(texts.iter().all(|text| !text.contains("Okafor")));
        let kept = lacuna.get(&grant("ben"), coffee).unwrap();
        assert!(kept.facets.entities.iter().all(|entity| entity.kind != "forgotten"), "the mark is gone");
        lacuna.verified("anna");
    }
}

#[test]
fn a_policy_lets_what_may_speak_of_a_person_become_anonymous_with_a_receipt() {
    let world = World::sqlite();
    let lacuna = world.service_under(Policy { dangling: Dangling::Anonymise, ..Policy::default() });
    doubtful(&lacuna);
    let done = forget_mira(&lacuna);
    assert_eq!((done.held_back, done.request.receipts.len(), done.clean), (1, 3, false));
    assert_eq!(lacuna.texts("ben", "who gets a coffee?"), ["The bar owes someone a coffee."]);
    let receipts = lacuna.receipts(&grant("ben"), 0).unwrap();
    let receipt = &receipts[0].receipt;
    assert_eq!((receipt.cause, receipt.counts.indirect, receipt.counts.cut), (Cause::Person, 1, 1));
}
