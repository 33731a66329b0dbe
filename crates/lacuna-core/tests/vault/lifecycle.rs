use jiff::SignedDuration;
use lacuna_core::index::Filter;
use lacuna_core::permit::{Forget, Recall, Remember};
use lacuna_core::read::{LIST_PAGE_MAX, Query};
use lacuna_core::write::REMEMBER_BATCH_MAX;
use lacuna_store::rows::SealedBody;
use lacuna_types::*;

use super::models::Remote;
use super::*;

#[test]
fn a_memory_is_remembered_found_read_listed_and_erased() {
    let (_database, postgres) = World::postgres("vault").unzip();
    for world in [World::ram(), World::sqlite()].into_iter().chain(postgres) {
        let lacuna = world.service();
        assert!(lacuna.ask("anna", "anything").unwrap().hits.is_empty());

        let sister = lacuna.keep("anna", "My sister Maria lives in Lisbon and teaches physics.").unwrap();
        let coffee = lacuna.keep("anna", "I take my coffee black, without sugar.").unwrap();

        let found = lacuna.ask("anna", "where does my sister live?").unwrap();
        assert_eq!(found.hits[0].memory.id, sister);
        assert_eq!(found.total_searched, 2);
        assert_eq!(lacuna.get(&grant::<Recall>("anna"), coffee).unwrap().id, coffee);

        let page = lacuna.list(&grant::<Recall>("anna"), &Filter::default(), None, 10).unwrap();
        assert_eq!(page.memories.len(), 2);

        lacuna.erase("anna", sister).unwrap();
        assert!(
            !lacuna.texts("anna", "where does my sister live?").iter().any(|text| text.contains("Lisbon"))
        );
        assert_eq!(lacuna.get(&grant::<Recall>("anna"), sister).err().unwrap().code(), "not_found");
        assert_eq!(lacuna.erase("anna", sister).unwrap_err().code(), "not_found");
        assert_eq!(
            lacuna.verified("anna"),
            5,
            "two writes, one announced erasure, one finished, one receipt"
        );
        assert!(world.store.rows(scope("anna").vault_id(), &[sister]).unwrap()[0].is_none());
    }
}

#[test]
fn everything_survives_sealing_and_reopening() {
    let world = World::sqlite();
    let long =
        format!("{} The treasure is under the old oak.", "Nothing of note happened that day. ".repeat(200));
    let transcript = "user: hello there\nassistant: good morning\n".repeat(2_000);
    let rich = Draft {
        gist: Some("A returning guest thanked me.".into()),
        details: vec![Detail { content: "she wore a blue scarf".into(), brightness: 0.4 }],
        category: Some(Category::Conversation),
        lane: Some(Lane::Business),
        secondary_lanes: vec![Lane::Documents],
        tags: vec!["guest".into(), "thanks".into()],
        entities: vec![Entity {
            kind: "person".into(),
            name: "Ms Ito".into(),
            primary: true,
            relation: Some("guest".into()),
        }],
        source: Some(Source {
            session: Some(SessionId::new("ses_1").unwrap()),
            turn: Some(7),
            channel: Some("web".into()),
            ..Source::new(SourceType::UserMessage, Trust::High)
        }),
        sensitivity: vec![Sensitivity::Health, Sensitivity::Relationships],
        consent_basis: Some(ConsentBasis::ExplicitConsent),
        salience: Some(0.74),
        valence: Some(0.62),
        ..draft("A returning guest recognised me by name and thanked me for the restaurant.")
    };
    let whole = Draft { content_type: Some(ContentType::Transcript), ..draft(&transcript) };
    let ids: Vec<MemoryId> = {
        let lacuna = world.service();
        let drafts = vec![draft(&long), rich, whole];
        drafts.into_iter().map(|draft| lacuna.take("anna", draft).unwrap().id).collect()
    };

    let lacuna = world.service();
    let get = |id| lacuna.get(&grant::<Recall>("anna"), id).unwrap();
    assert_eq!(get(ids[0]).content.full_text().expose(), long);
    assert_eq!(get(ids[2]).content.full_text().expose(), transcript);
    let rich = get(ids[1]);
    assert_eq!(rich.content.gist.expose(), "A returning guest thanked me.");
    assert_eq!(rich.content.details[0].content.expose(), "she wore a blue scarf");
    assert_eq!(rich.facets.tags, ["guest", "thanks"]);
    assert_eq!(rich.facets.entities[0].name, "Ms Ito");
    assert_eq!(rich.facets.source.turn, Some(7));
    assert_eq!(rich.facets.vitality.valence, 0.62);
    assert_eq!(rich.facets.privacy.sensitivity, [Sensitivity::Health, Sensitivity::Relationships]);
    assert!(lacuna.texts("anna", "what lies under the oak?")[0].contains("treasure"));
    assert_eq!(lacuna.ask("anna", "scarf").unwrap().hits[0].memory.id, ids[1]);
}

/// A sentence and then filler, so many bytes in all.
fn text_of(bytes: usize, sentence: &str) -> String {
    let mut text = format!("{sentence} {}", "Nothing of note happened that day. ".repeat(100));
    text.truncate(bytes - 1);
    text + "."
}

#[test]
fn a_short_text_is_kept_with_its_frame_and_a_long_one_apart_and_both_are_shown_whole() {
    let cases = [(60, false), (281, false), (2_048, false), (2_049, true), (3_000, true)];
    for (bytes, apart) in cases {
        let world = World::sqlite();
        let text = text_of(bytes, "The spare key hangs behind the mill.");
        let lacuna = world.service();
        let id = lacuna.keep("anna", &text).unwrap();
        let row = world.store.rows(scope("anna").vault_id(), &[id]).unwrap().remove(0).unwrap();
        assert_eq!(row.body != SealedBody::None, apart, "{bytes}");

        let main = Remote::named("remote@1");
        let better = world.service_with(Models { main: main.clone(), ..Models::only(static_model()) });
        assert_eq!(better.upkeep().reembed(&scope("anna"), &[id]).unwrap(), 1);
        assert_eq!(main.last_text(), text, "{bytes}");
        for lacuna in [lacuna, better, world.service_with(Models::only(main))] {
            assert_eq!(lacuna.texts("anna", "spare key"), [text.as_str()], "{bytes}");
            let memory = lacuna.get(&grant::<Recall>("anna"), id).unwrap();
            assert_eq!(memory.content.full_text().expose(), text, "{bytes}");
            let page = lacuna.list(&grant::<Recall>("anna"), &Filter::default(), None, 1).unwrap();
            assert!(page.memories[0].content.text.is_none(), "{bytes}");
        }
    }
}

#[test]
fn a_number_is_found_in_the_middle_of_a_long_text() {
    let world = World::ram();
    let lacuna = world.service();
    for number in 0..50 {
        lacuna.keep("anna", &format!("My locker code is 7c{number:02}e91d and I told nobody.")).unwrap();
    }
    let filler = "The weather was unremarkable, and nothing else happened. ".repeat(400);
    let text = format!("{filler} Ticket 4f8e02ab was closed. {filler}");
    let whole = Draft { content_type: Some(ContentType::Transcript), ..draft(&text) };
    let id = lacuna.take("anna", whole).unwrap().id;
    for question in ["4f8e02ab", "ticket 4F8E02AB"] {
        assert_eq!(lacuna.ask("anna", question).unwrap().hits[0].memory.id, id, "{question}");
    }
}

#[test]
fn vaults_do_not_mix_and_foreign_ids_look_missing() {
    let world = World::ram();
    let lacuna = world.service();
    let secret = lacuna.keep("anna", "The launch code is the birthday of my cat.").unwrap();
    lacuna.keep("bert", "I like cycling.").unwrap();

    assert!(!lacuna.texts("bert", "launch code cat birthday").iter().any(|text| text.contains("launch")));
    let foreign = lacuna.get(&grant::<Recall>("bert"), secret).err().unwrap();
    let missing = MemoryId::from_bytes([7; 16]);
    let missing = lacuna.get(&grant::<Recall>("bert"), missing).err().unwrap();
    assert_eq!(foreign.to_string(), missing.to_string());
    assert_eq!(lacuna.delete(&grant::<Forget>("bert"), secret).unwrap_err().code(), "not_found");
    assert_eq!(lacuna.get(&grant::<Recall>("anna"), secret).unwrap().id, secret);
}

#[test]
fn a_batch_is_remembered_whole_or_not_at_all() {
    let world = World::ram();
    let lacuna = world.service();
    let good: Vec<Draft> = (0..REMEMBER_BATCH_MAX).map(|n| draft(&format!("fact number {n}"))).collect();
    assert_eq!(lacuna.remember(&grant::<Remember>("anna"), good).unwrap().len(), REMEMBER_BATCH_MAX);

    let one_bad = vec![draft("fine"), draft(""), draft("also fine")];
    let error = lacuna.remember(&grant::<Remember>("anna"), one_bad).unwrap_err();
    assert_eq!(error.to_string(), "text: memory 1: must not be empty");
    let too_many = (0..=REMEMBER_BATCH_MAX).map(|n| draft(&format!("{n}"))).collect();
    assert_eq!(lacuna.remember(&grant::<Remember>("anna"), too_many).unwrap_err().code(), "invalid");
    assert_eq!(lacuna.remember(&grant::<Remember>("anna"), Vec::new()).unwrap_err().code(), "invalid");
    assert_eq!(lacuna.count(&grant::<Recall>("anna")).unwrap(), (REMEMBER_BATCH_MAX, 0));
}

#[test]
fn pages_follow_each_other_newest_first() {
    let world = World::ram();
    let lacuna = world.service();
    let mut expected = Vec::new();
    for n in 0..25 {
        expected.push(lacuna.keep("anna", &format!("note {n}")).unwrap());
        world.clock.advance(SignedDuration::from_secs(1));
    }
    expected.reverse();
    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let page = lacuna.list(&grant::<Recall>("anna"), &Filter::default(), after, 10).unwrap();
        seen.extend(page.memories.iter().map(|memory| memory.id));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, expected);
    for limit in [0, LIST_PAGE_MAX + 1] {
        let refused = lacuna.list(&grant::<Recall>("anna"), &Filter::default(), None, limit);
        assert_eq!(refused.err().map(|error| error.code()), Some("invalid"));
    }
}

#[test]
fn bad_questions_are_refused() {
    let lacuna = World::ram().service();
    let cases = [
        Query::new(""),
        Query::new("  "),
        Query::new("a\0b"),
        Query::new("x".repeat(5_000)),
        Query { limit: 0, ..Query::new("x") },
        Query { limit: 101, ..Query::new("x") },
        Query { min_similarity: f32::NAN, ..Query::new("x") },
        Query { min_similarity: 1.5, ..Query::new("x") },
        Query { recency_weight: -0.1, ..Query::new("x") },
    ];
    for query in cases {
        assert_eq!(lacuna.recall(&grant::<Recall>("anna"), &query).err().unwrap().code(), "invalid");
    }
}

#[test]
fn an_expired_memory_is_not_recalled() {
    let world = World::ram();
    let lacuna = world.service();
    let soon = world.clock.now() + SignedDuration::from_hours(1);
    let brief = Draft { expires_at: Some(soon), ..draft("The parking code today is 4711.") };
    lacuna.take("anna", brief).unwrap();
    assert_eq!(lacuna.texts("anna", "parking code").len(), 1);
    world.clock.advance(SignedDuration::from_hours(2));
    assert!(lacuna.texts("anna", "parking code").is_empty());
}

#[test]
fn idle_vaults_are_sealed_and_the_cache_stays_within_its_bytes() {
    let world = World::ram();
    let lacuna =
        world.service_of(world.store.clone(), world.keys.clone(), Models::only(static_model()), 200_000);
    for user in 0..20 {
        for note in 0..10 {
            lacuna.keep(&format!("user{user}"), &format!("note {note} of user {user}")).unwrap();
        }
        world.clock.advance(SignedDuration::from_secs(1));
        assert!(lacuna.open_load().bytes <= 200_000, "{:?}", lacuna.open_load());
    }
    assert!(lacuna.open_load().vaults >= 1);
    let found = lacuna.texts("user0", "note 3");
    assert_eq!(found.first().map(String::as_str), Some("note 3 of user 0"), "a sealed vault opens again");

    world.clock.advance(SignedDuration::from_mins(30));
    lacuna.texts("user1", "note 3");
    lacuna.upkeep().close_idle(SignedDuration::from_mins(15));
    assert_eq!(lacuna.open_load().vaults, 1, "only the vault just used stays open");
    lacuna.upkeep().close_all();
    assert_eq!(lacuna.open_load(), lacuna_core::OpenLoad { vaults: 0, bytes: 0 });
}
