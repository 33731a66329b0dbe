//! What is made of a memory falls with it: by its key at once, and by the cascade for good.

use lacuna_core::Lacuna;
use lacuna_core::permit::{Forget, Promote, Recall, Remember, permit};
use lacuna_store::keys::KeyBatch;
use lacuna_types::Result;
use lacuna_types::*;

use crate::{World, caller, grant};

/// A summary of `sources`, each of which contributes in the same way.
fn derived(text: &str, sources: &[MemoryId], contribution: Contribution) -> Draft {
    Draft {
        text: text.into(),
        content_type: Some(if sources.len() > 1 { ContentType::Summary } else { ContentType::Fact }),
        derived_from: sources.iter().map(|source| Lineage { source: *source, contribution }).collect(),
        ..Draft::default()
    }
}

fn write(service: &Lacuna, draft: Draft) -> MemoryId {
    let mut outcomes = service.remember(&grant::<Remember>("anna"), vec![draft]).unwrap();
    outcomes.pop().unwrap().stored().unwrap().id
}

fn plain(service: &Lacuna, text: &str) -> MemoryId {
    write(service, Draft { text: text.into(), ..Draft::default() })
}

fn text_of(service: &Lacuna, id: MemoryId) -> Result<String> {
    service.get(&grant::<Recall>("anna"), id).map(|memory| memory.content.full_text().expose().to_owned())
}

fn texts(service: &Lacuna) -> Vec<String> {
    let page = service.list(&grant::<Recall>("anna"), &Default::default(), None, 100).unwrap();
    let mut texts: Vec<_> =
        page.memories.into_iter().map(|memory| memory.content.gist.into_exposed()).collect();
    texts.sort();
    texts
}

struct Family {
    boat: MemoryId,
    garden: MemoryId,
    choir: MemoryId,
    both: MemoryId,
    guess: MemoryId,
    second: MemoryId,
}

/// Three facts; a summary of two of them, a guess from one, a summary of the summary and the third.
fn family(service: &Lacuna) -> Family {
    let boat = plain(service, "My boat Petrel lies in the harbour of Bergen.");
    let garden = plain(service, "The garden behind our house has nine apple trees.");
    let choir = plain(service, "On Thursdays our choir rehearses in the old school.");
    let both = write(
        service,
        derived("A boat called Petrel, and apple trees.", &[boat, garden], Contribution::Primary),
    );
    let guess = write(service, derived("Probably likes to sail.", &[boat], Contribution::Inference));
    let second = write(
        service,
        derived("Sailing on the Petrel, apples, singing.", &[both, choir], Contribution::Primary),
    );
    Family { boat, garden, choir, both, guess, second }
}

#[test]
fn a_destroyed_key_takes_everything_that_was_made_of_it_along_even_without_the_cascade() {
    for world in [World::ram(), World::sqlite()] {
        let service = world.service();
        let Family { boat, garden, choir, both, guess, second } = family(&service);
        let vault = caller("anna").personal_scope().vault_id();
        world
            .keys
            .commit(KeyBatch { destroys: vec![boat], ..KeyBatch::new(vault, world.clock.now()) })
            .unwrap();

        // Another process, which knows of no erasure.
        let other = world.service();
        for id in [both, guess, second] {
            assert_eq!(text_of(&other, id).unwrap_err().code(), "not_found");
        }
        for id in [garden, choir] {
            text_of(&other, id).unwrap();
        }
        // What nobody can read any more is cleared away, and is not called damage.
        other.upkeep().recover(&caller("anna").personal_scope()).unwrap();
        assert!(world.store.rows(vault, &[both, guess, second]).unwrap().iter().all(Option::is_none));
    }
}

#[test]
fn a_summary_is_made_anew_from_what_is_left_and_an_inference_goes() {
    let world = World::sqlite();
    let service = world.service();
    let Family { boat, both, guess, second, .. } = family(&service);
    service.delete(&grant::<Forget>("anna"), boat).unwrap();
    for service in [&service, &world.service()] {
        for id in [boat, both, guess, second] {
            assert_eq!(text_of(service, id).unwrap_err().code(), "not_found");
        }
        let garden = "The garden behind our house has nine apple trees.";
        let choir = "On Thursdays our choir rehearses in the old school.";
        // The summary says what its other source says, and the summary of it that and the third.
        assert_eq!(
            texts(service),
            [choir.to_owned(), garden.into(), garden.into(), format!("{garden} {choir}")]
        );
        let page = service.list(&grant::<Recall>("anna"), &Default::default(), None, 100).unwrap();
        let remade: Vec<_> =
            page.memories.iter().filter_map(|memory| memory.facets.history.remade_at).collect();
        assert_eq!(remade.len(), 2);
    }
}

/// Seed 001 § 3.2 and § 10.1: the paper's consolidated memory and its inference, when their source is forgotten.
#[test]
fn the_papers_consolidated_memory_is_made_anew_and_its_inference_goes() {
    let world = World::sqlite();
    let service = world.service();
    let health = |text: &str, sources: &[MemoryId], contribution| Draft {
        sensitivity: vec![Sensitivity::Health],
        consent_basis: Some(ConsentBasis::ExplicitConsent),
        ..derived(text, sources, contribution)
    };
    let source = |text: &str| write(&service, health(text, &[], Contribution::Primary));
    let (diabetic, heart) = (source("User is diabetic"), source("User has heart issues"));
    let daily = plain(&service, "User exercises daily");
    let text =
        "User manages several health conditions including diabetes and heart issues through daily exercise";
    let sources = [diabetic, heart, daily];
    let consolidated = write(&service, health(text, &sources, Contribution::Primary));
    // The provenance chain names them: "User manages health through exercise" alone would not.
    let made = service.get(&grant::<Recall>("anna"), consolidated).unwrap();
    let chain: Vec<MemoryId> = made.facets.derived_from.iter().map(|one| one.source).collect();
    assert_eq!(chain, sources);
    let mentioned = source("User mentioned they have diabetes");
    let inferred = write(
        &service,
        derived("User interested in low-sugar recipes", &[mentioned], Contribution::Inference),
    );
    for id in [diabetic, mentioned] {
        service.delete(&grant::<Forget>("anna"), id).unwrap();
    }
    for id in [diabetic, consolidated, mentioned, inferred] {
        assert_eq!(text_of(&service, id).unwrap_err().code(), "not_found");
    }
    let left = texts(&service);
    assert!(left.iter().any(|text| text.contains("heart issues")), "{left:?}");
    assert!(!left.iter().any(|text| text.contains("diabet") || text.contains("low-sugar")), "{left:?}");
}

#[test]
fn what_was_only_at_hand_leaves_no_trace_but_takes_nothing_with_it() {
    let world = World::sqlite();
    let service = world.service();
    let boat = plain(&service, "My boat Petrel lies in the harbour of Bergen.");
    let habit = write(&service, derived("Prefers short answers.", &[boat], Contribution::Context));
    let done = service.delete(&grant::<Forget>("anna"), boat).unwrap();
    assert!(done.receipts[0].receipt.is_clean(), "no link leads to it when it is looked for");
    let kept = world.service().get(&grant::<Recall>("anna"), habit).unwrap();
    assert_eq!(kept.facets.derived_from, []);
}

#[test]
fn a_memory_that_moves_leaves_what_was_made_of_it_behind_and_readable() {
    let world = World::sqlite();
    let service = world.service();
    let boat = plain(&service, "My boat Petrel lies in the harbour of Bergen.");
    let guess = write(&service, derived("Probably likes to sail.", &[boat], Contribution::Inference));
    let mut anna = caller("anna");
    anna.memberships = vec![Group::Team(TeamId::new("crew").unwrap())];
    let team = Scope { org: anna.org.clone(), holder: Holder::Team(TeamId::new("crew").unwrap()) };
    let from = permit::<Promote>(&anna, &anna.personal_scope()).unwrap();
    let to = permit::<Remember>(&anna, &team).unwrap();
    service.promote(&from, boat, &to, None, false).unwrap();
    let kept = world.service().get(&grant::<Recall>("anna"), guess).unwrap();
    assert_eq!(kept.content.full_text().expose(), "Probably likes to sail.");
    assert_eq!(kept.facets.derived_from, []);
}

#[test]
fn a_lineage_of_too_many_generations_is_refused_when_it_is_written() {
    let world = World::ram();
    let service = world.service();
    let mut last = plain(&service, "The first of a long line.");
    for generation in 1..=32 {
        last =
            write(&service, derived(&format!("Number {generation} of it."), &[last], Contribution::Primary));
    }
    assert!(text_of(&world.service(), last).is_ok());
    let one_more = derived("One more of it.", &[last], Contribution::Primary);
    let error = service.remember(&grant::<Remember>("anna"), vec![one_more]).unwrap_err();
    assert_eq!(error.code(), "invalid");
}
