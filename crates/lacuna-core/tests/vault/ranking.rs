//! Recall as a person meets it: the best are shown whatever is asked, and features decide among turns.

use jiff::SignedDuration;
use lacuna_core::index::Filter;

use super::*;

#[test]
fn odd_questions_get_an_answer_and_no_error() {
    let world = World::ram();
    let lacuna = world.service();
    lacuna.keep("anna", "The spare key hangs in the boat house.").unwrap();
    lacuna.keep("anna", "彼女は東京で猫を飼っています").unwrap();
    for question in [
        "where is the key? ".repeat(222),
        "🦜🗝️".into(),
        "東京の猫".into(),
        "what is it that you have".into(),
    ] {
        let answer = lacuna.recall(&grant::<Recall>("anna"), &Query::new(question.as_str())).unwrap();
        assert_eq!(answer.hits.len(), 2, "{question}");
        assert_eq!(answer.hint, None);
    }
    assert!("where is the key? ".repeat(222).len() > 3_990);
}

#[test]
fn a_clock_that_goes_backwards_hides_nothing() {
    let world = World::ram();
    let lacuna = world.service();
    lacuna.keep("anna", "The spare key hangs in the boat house.").unwrap();
    world.clock.advance(SignedDuration::from_hours(-24 * 365));
    let answer = lacuna.recall(&grant::<Recall>("anna"), &Query::new("where is the spare key?")).unwrap();
    assert_eq!(answer.hits.len(), 1);
    assert!(!answer.hits[0].weak);
}

#[test]
fn weak_hits_are_shown_marked_and_left_out_on_request() {
    let world = World::ram();
    let lacuna = world.service();
    lacuna.keep("anna", "The spare key hangs in the boat house.").unwrap();
    let recall = |query: &Query| lacuna.recall(&grant::<Recall>("anna"), query).unwrap();
    let far = || Query::new("photosynthesis of mosses");
    assert!(recall(&far()).hits.iter().all(|hit| hit.weak) && recall(&far()).hits.len() == 1);
    for (query, hint) in [
        (Query { strong_only: true, ..far() }, "ask for weak ones too"),
        (Query { min_similarity: 0.99, ..far() }, "lower the minimum similarity"),
        (Query { filter: Filter { from: Some(i64::MAX), ..Filter::default() }, ..far() }, "widen them"),
    ] {
        let answer = recall(&query);
        assert!(answer.hits.is_empty() && answer.hint.unwrap().contains(hint), "{hint}: {:?}", answer.hint);
    }
}

#[test]
fn a_named_month_finds_the_turn_that_was_said_in_it() {
    let world = World::ram();
    let lacuna = world.service();
    let said = |month: &str, turn: u32, text: &str| {
        let mut source = Source::new(SourceType::UserMessage, Trust::High);
        source.session = Some(SessionId::new(month).unwrap());
        source.turn = Some(turn);
        let at = format!("2023-{month}-10T12:00:00Z").parse().unwrap();
        let draft = Draft {
            source: Some(source),
            created_at: Some(at),
            category: Some(Category::Conversation),
            ..draft(text)
        };
        lacuna.take("anna", draft).unwrap().id
    };
    let mut ids = Vec::new();
    for (month, plant) in
        [("03", "roses beside the wall"), ("05", "ivy at the gate"), ("07", "tulips in pots")]
    {
        ids.push(said(month, 1, &format!("Ida: I planted {plant}.")));
        said(month, 2, "Tom: That must look lovely there.");
    }
    let as_of = Some("2023-09-01T00:00:00Z".parse().unwrap());
    let first = |question: &str| {
        let query = Query { as_of, explain: true, ..Query::new(question) };
        let mut hits = lacuna.recall(&grant::<Recall>("anna"), &query).unwrap().hits;
        let best = hits.remove(0);
        let within = best.explanation.unwrap().features.into_iter().find(|one| one.name == "within_time");
        (best.memory.id, within.unwrap().value)
    };
    assert_eq!(first("What did Ida plant in May?"), (ids[1], 1.0));
    assert_eq!(first("What did Ida plant in March 2023?"), (ids[0], 1.0));
}
