//! Notes of an assistant: found at once with a label, never a fact before somebody confirms them.

use jiff::SignedDuration;
use lacuna_core::govern::{Decided, Decision};
use lacuna_core::permit::{Caller, Forget, Grant, Recall, Remember, Review, permit};
use lacuna_core::read::{Turn, source_label};
use lacuna_core::write::Remembered;
use lacuna_types::*;

use crate::{Calls, World, caller, draft, grant};

const NOTED: &str = "noted by the assistant, not confirmed, low trust";

fn by_agent() -> Grant<Remember> {
    let agent = Caller { roles: vec![Role::Agent], ..caller("anna") };
    permit(&agent, &agent.personal_scope()).unwrap()
}

fn noted(lacuna: &lacuna_core::Lacuna, draft: Draft) -> Remembered {
    lacuna.remember(&by_agent(), vec![draft]).unwrap().remove(0).stored().unwrap()
}

fn accept() -> Decision {
    Decision::Accept { keep_both: false }
}

#[test]
fn what_an_agent_remembers_is_found_at_once_with_its_label() {
    let world = World::sqlite();
    let lacuna = world.service();
    let note = noted(&lacuna, draft("Anna seems to prefer window seats."));
    assert!(note.is_note && note.state == Lifecycle::Active && note.tier == Tier::Episodic);
    for lacuna in [&lacuna, &world.service()] {
        let hits = lacuna.ask("anna", "window seats").unwrap().hits;
        assert_eq!(source_label(&hits[0].memory.facets, "").as_deref(), Some(NOTED));
        assert_eq!(hits[0].memory.facets.source.trust, Trust::Low);
    }
    let again = noted(&lacuna, draft("Anna seems to prefer window seats."));
    assert_eq!((again.id, again.repeats), (note.id, 1));
    // The words are found, and what they claim about their source is not believed.
    let claimed = Draft {
        source: Some(Source::new(SourceType::ExplicitSave, Trust::High)),
        ..draft("Anna keeps bees behind the mill.")
    };
    assert!(noted(&lacuna, claimed).is_note);
    lacuna.verified("anna");
}

#[test]
fn a_note_replaces_no_fact_and_a_fact_replaces_the_note() {
    let world = World::ram();
    let lacuna = world.service();
    let fact = lacuna.keep("anna", "I live in Lisbon.").unwrap();
    let note = noted(&lacuna, draft("I live in Oslo now."));
    assert!(note.is_note && note.supersedes.is_empty());
    lacuna.get(&grant::<Recall>("anna"), fact).unwrap();
    // A note that repeats a fact is counted with it.
    assert_eq!(noted(&lacuna, draft("I live in Lisbon.")).id, fact);
    assert_eq!(lacuna.get(&grant::<Recall>("anna"), fact).unwrap().facets.source.trust, Trust::High);

    let newer = lacuna.take("anna", draft("I live in Turin now.")).unwrap();
    let mut gone = vec![fact, note.id];
    gone.sort_unstable();
    assert_eq!((newer.state, newer.supersedes), (Lifecycle::Active, gone));
    let same = noted(&lacuna, draft("The spare key is with Jonas."));
    let said = lacuna.take("anna", draft("The spare key is with Jonas.")).unwrap();
    assert_eq!((said.is_note, said.supersedes), (false, vec![same.id]));
}

#[test]
fn the_person_confirms_corrects_or_drops_a_note() {
    let world = World::sqlite();
    let lacuna = world.service();
    let texts = ["The lantern is green.", "The kettle is blue.", "The gate is red."];
    let ids: Vec<_> = texts.iter().map(|text| noted(&lacuna, draft(text)).id).collect();
    let review = grant::<Review>("anna");
    assert_eq!(lacuna.candidates(&review, None, 10).unwrap().memories.len(), 3);

    let accepted = lacuna.decide(&review, vec![(ids[0], accept())]).unwrap();
    assert_eq!(accepted, [Decided::Accepted { id: ids[0], state: Lifecycle::Active, supersedes: vec![] }]);
    let edit = Decision::Edit("The kettle is white.".into());
    let [Decided::Edited { into, .. }] = &lacuna.decide(&review, vec![(ids[1], edit)]).unwrap()[..] else {
        panic!("it was edited")
    };
    assert!(!into.is_note && into.tier == Tier::Semantic);
    lacuna.decide(&review, vec![(ids[2], Decision::Reject)]).unwrap();
    for lacuna in [&lacuna, &world.service()] {
        assert!(lacuna.candidates(&review, None, 10).unwrap().memories.is_empty());
        let confirmed = lacuna.get(&grant::<Recall>("anna"), ids[0]).unwrap().facets;
        assert_eq!((confirmed.tier, confirmed.source.trust), (Tier::Semantic, Trust::High));
        assert_eq!(source_label(&confirmed, ""), None);
        assert_eq!(lacuna.term(&grant::<Recall>("anna"), ids[0]).unwrap().expires_at, None);
        for gone in &ids[1..] {
            assert!(lacuna.get(&grant::<Recall>("anna"), *gone).is_err());
        }
    }
    lacuna.verified("anna");
}

#[test]
fn a_note_is_kept_for_a_year_at_most_and_is_quoted_with_its_label() {
    let world = World::ram();
    let lacuna = world.service();
    let note = noted(&lacuna, draft("Anna seems to prefer window seats on trains."));
    let turn = Turn { text: "Which window seats does Anna prefer on trains?".to_owned(), ..Turn::default() };
    let context = lacuna.context(&[grant::<Recall>("anna")], &turn).unwrap();
    assert!(context.text.contains(NOTED), "{}", context.text);
    let unasked = lacuna.context(&[grant::<Recall>("anna")], &Turn::default()).unwrap();
    assert!(unasked.items.is_empty(), "nobody asked for it: {}", unasked.text);
    let term = lacuna.term(&grant::<Recall>("anna"), note.id).unwrap();
    let year = SignedDuration::from_hours(24 * 365);
    assert!(term.expires_at.unwrap().duration_since(note.created_at) <= year);
    // Nobody lengthens it by writing it again.
    world.clock.advance(SignedDuration::from_hours(24 * 300));
    noted(&lacuna, draft("Anna seems to prefer window seats on trains."));
    assert_eq!(lacuna.term(&grant::<Recall>("anna"), note.id).unwrap().expires_at, term.expires_at);
}

#[test]
fn an_agent_that_asks_for_a_fact_waits_and_what_comes_from_outside_is_no_note() {
    let world = World::ram();
    let lacuna = world.service();
    let fact = Draft { tier: Some(Tier::Semantic), ..draft("Anna likes racing.") };
    let outside =
        Source { from_external_content: true, ..Source::new(SourceType::ToolOutput, Trust::Medium) };
    let page = Draft { source: Some(outside), ..draft("The pier opens at nine.") };
    for draft in [fact, page] {
        let kept = noted(&lacuna, draft);
        assert_eq!((kept.state, kept.waits), (Lifecycle::Candidate, Some(Wait::Confirmation)));
    }
    assert!(
        permit::<Forget>(&Caller { roles: vec![Role::Agent], ..caller("anna") }, &crate::scope("anna"))
            .is_err()
    );
}
