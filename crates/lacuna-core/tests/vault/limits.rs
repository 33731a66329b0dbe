//! A recall answers with so much and no more: by tier, and by tokens.

use lacuna_core::read::{EPISODIC_RESULTS_DEFAULT, SEMANTIC_RESULTS_DEFAULT};
use lacuna_types::token_count::estimate;

use super::*;

const COLOURS: [&str; 6] = ["red", "blue", "green", "white", "black", "amber"];

fn fill(lacuna: &Lacuna, count: usize, category: Category) {
    let drafts = (0..count).map(|n| Draft {
        category: Some(category),
        consent_basis: Some(ConsentBasis::ExplicitConsent),
        ..draft(&format!("Kite number {n} is {} and flies over hill {}.", COLOURS[n % 6], n * 7))
    });
    lacuna.remember(&grant("anna"), drafts.collect()).unwrap();
}

#[test]
fn by_default_ten_events_and_twenty_facts_are_answered_and_a_number_overrides_it() {
    let world = World::ram();
    let lacuna = world.service();
    fill(&lacuna, 30, Category::Conversation);
    fill(&lacuna, 40, Category::LearnedContext);
    let recalled = lacuna.ask("anna", "kite").unwrap();
    let of = |tier| recalled.hits.iter().filter(|hit| hit.memory.facets.tier == tier).count();
    assert!(of(Tier::Episodic) <= EPISODIC_RESULTS_DEFAULT && of(Tier::Semantic) <= SEMANTIC_RESULTS_DEFAULT);
    assert!(recalled.hits.len() > EPISODIC_RESULTS_DEFAULT, "{}", recalled.hits.len());

    let more = Query { limit: 60, tiers: None, ..Query::new("kite") };
    assert_eq!(lacuna.recall(&grant("anna"), &more).unwrap().hits.len(), 60);
}

#[test]
fn texts_beyond_the_tokens_are_shown_by_their_gist_or_left_out() {
    let world = World::ram();
    let lacuna = world.service().counting(Arc::new(estimate));
    let long = format!("The lighthouse log begins here. {}", "Wind from the west, waves, rain. ".repeat(200));
    let short = "The lighthouse keeper is called Jonas.";
    lacuna.keep("anna", &long).unwrap();
    lacuna.keep("anna", short).unwrap();
    let asked = |max_tokens| {
        let query = Query { max_tokens, ..Query::new("lighthouse") };
        lacuna.recall(&grant("anna"), &query).unwrap()
    };
    let all = asked(4_000);
    assert_eq!((all.hits.len(), all.left_out), (2, 0));
    assert!(all.hits.iter().all(|hit| !hit.shortened));

    let some = asked(200);
    let shown = |hit: &lacuna_core::read::RecalledMemory| hit.memory.content.full_text().expose().to_owned();
    let tokens: usize = some.hits.iter().map(|hit| estimate(&shown(hit))).sum();
    assert!(
        tokens <= 200 && some.hits.iter().any(|hit| hit.shortened && long.starts_with(&shown(hit)[..20]))
    );

    let none = asked(1);
    assert_eq!((none.hits.len(), none.left_out), (0, 2));
    for max_tokens in [0, 100_001] {
        let refused = lacuna.recall(&grant("anna"), &Query { max_tokens, ..Query::new("x") }).err().unwrap();
        assert!(matches!(refused, Error::Invalid { field: "max_tokens", .. }));
    }
}
