//! What a turn of a conversation brings to mind, over real vaults.

use jiff::SignedDuration;
use lacuna_core::index::Filter;
use lacuna_core::read::{Context, Mark, Turn};
use lacuna_types::policy::{ContextRules, IntentScope};
use lacuna_types::token_count::estimate;

use super::*;

fn day(days: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * days)
}

fn said(text: &str) -> Turn {
    Turn { text: text.to_owned(), ..Turn::default() }
}

fn in_session(text: &str) -> Turn {
    Turn { session: Some(SessionId::new("talk-1").unwrap()), ..said(text) }
}

fn bring(lacuna: &Lacuna, turn: &Turn) -> Context {
    lacuna.context(&[grant("anna")], turn).unwrap()
}

fn fact(text: &str, salience: f32) -> Draft {
    Draft { salience: Some(salience), ..draft(text) }
}

fn ids(context: &Context) -> Vec<MemoryId> {
    context.items.iter().map(|item| item.id).collect()
}

#[test]
fn a_turn_brings_to_mind_what_it_is_about_and_nothing_else() {
    let (_database, postgres) = World::postgres("context").unzip();
    for world in [World::ram(), World::sqlite()].into_iter().chain(postgres) {
        let lacuna = world.service();
        let tea = lacuna.take("anna", fact("The harbour master drinks smoked tea.", 0.5)).unwrap().id;
        lacuna.take("anna", fact("The boat is called Seagull.", 0.9)).unwrap();
        lacuna.take("anna", fact("The bicycle has a blue saddle.", 0.5)).unwrap();
        let context = bring(&lacuna, &said("Which tea does the harbour master like?"));
        assert_eq!(ids(&context), [tea], "vivid is not enough");
        assert!(context.items[0].score.relevance > 0.0);
        assert_eq!((context.considered, context.cooling, context.left_out), (1, 0, 0));
        let nothing = bring(&lacuna, &said("Who won the election in Mongolia?"));
        assert!(nothing.items.is_empty() && nothing.text.is_empty());
        for (item, line) in context.items.iter().zip(context.text.lines().skip(2)) {
            assert!(line.starts_with(&format!("[{}", item.label)) && line.ends_with(&item.text), "{line}");
        }
        let start = bring(&lacuna, &said(""));
        assert_eq!(start.items.len(), 3, "without a word, whatever matters");
        assert_eq!(start.items[0].marks, [Mark::Recent, Mark::Vivid]);
        assert_eq!(
            bring(&world.service(), &said("")).text,
            bring(&lacuna, &said("")).text,
            "the same moment"
        );
        let elsewhere = lacuna.context(&[grant("ben")], &said("tea")).unwrap();
        assert!(elsewhere.text.is_empty() && elsewhere.items.is_empty());
    }
}

#[test]
fn small_talk_questions_tools_and_repeats_take_no_room() {
    let world = World::ram();
    let lacuna = world.service();
    let turn = |text: &str, kind| Draft {
        category: Some(Category::Conversation),
        source: Some(Source::new(kind, Trust::High)),
        ..fact(text, 0.9)
    };
    let user = SourceType::UserMessage;
    lacuna.take("anna", turn("The joiner, thanks!", user)).unwrap();
    lacuna.take("anna", turn("When did I see the joiner about the banister in spring?", user)).unwrap();
    lacuna
        .take("anna", turn("LIST joiner banister invoice pdf spring folder", SourceType::ToolOutput))
        .unwrap();
    lacuna
        .take("anna", turn("Anna: my joiner put the new banister on in March, it cost a lot.", user))
        .unwrap();
    let said_so = "The joiner put a new banister on in March.";
    let stated = lacuna.take("anna", fact(said_so, 0.4)).unwrap().id;
    for text in ["What did the joiner do about the banister in March?", ""] {
        assert_eq!(ids(&bring(&lacuna, &said(text))), [stated], "{text}");
    }
}

#[test]
fn what_faded_is_not_shown_and_details_go_before_the_gist() {
    let world = World::ram();
    let lacuna = world.service();
    let details = vec![
        Detail { content: "she wore a yellow coat".into(), brightness: 0.9 },
        Detail { content: "a gull screamed".into(), brightness: 0.2 },
    ];
    let draft =
        Draft { details, category: Some(Category::Conversation), ..fact("Ms Ito missed the ferry.", 0.8) };
    lacuna.take("anna", draft).unwrap();
    let turn = said("Did Ms Ito catch the ferry?");
    let shown =
        || bring(&lacuna, &turn).items.into_iter().map(|item| (item.text, item.marks)).collect::<Vec<_>>();
    let (text, marks) = shown().remove(0);
    assert_eq!(text, "Ms Ito missed the ferry. (details: she wore a yellow coat; a gull screamed)");
    assert_eq!(marks, [Mark::Recent, Mark::Vivid]);
    world.clock.advance(day(12));
    assert_eq!(shown()[0].0, "Ms Ito missed the ferry. (details: she wore a yellow coat)");
    world.clock.advance(day(20));
    let (text, marks) = shown().remove(0);
    assert_eq!(
        (text.as_str(), &marks[..]),
        ("Ms Ito missed the ferry. (the details have faded)", &[Mark::Faint][..])
    );
    world.clock.advance(day(20));
    assert!(shown().is_empty());
    assert_eq!(lacuna.ask("anna", "ferry").unwrap().hits.len(), 1, "asked for, it is still found");
}

#[test]
fn what_was_shown_rests_in_its_session_and_is_rehearsed_once_it_is_shown() {
    let world = World::ram();
    let lacuna = world.service();
    let id = lacuna.take("anna", fact("The orchid wants water on Tuesdays.", 0.6)).unwrap().id;
    world.clock.advance(day(2));
    let turn = in_session("When does the orchid want water?");
    let turns: Vec<usize> = (0..6).map(|_| bring(&lacuna, &turn).items.len()).collect();
    assert_eq!(turns, [1, 0, 0, 0, 0, 1]);
    let eager = Turn { cooldown_turns: Some(0), ..in_session("When does the orchid want water?") };
    assert_eq!(bring(&lacuna, &eager).items.len(), 1);
    assert_eq!(bring(&lacuna, &turn).cooling, 1);
    assert_eq!(lacuna.upkeep().flush_rehearsals().unwrap(), 1);
    let vitality = lacuna.get(&grant("anna"), id).unwrap().facets.vitality;
    assert_eq!(vitality.rehearsals, 1);
    assert!(vitality.salience > 0.6);
}

#[test]
fn a_section_stays_within_tokens_and_memories_of_the_policy_and_of_the_call() {
    let world = World::ram();
    let context = ContextRules { memories_per_turn: 3, max_tokens: 300, ..ContextRules::default() };
    let lacuna = world.service_under(Policy { context, ..Policy::default() });
    for n in 0..12 {
        lacuna.take("anna", fact(&format!("Shelf {n} holds {n} jars of plum jam."), 0.5)).unwrap();
    }
    let asked = |turn: &Turn| bring(&lacuna, turn);
    let plain = asked(&said("where is the plum jam?"));
    assert_eq!((plain.items.len(), plain.max_tokens), (3, 300));
    assert_eq!(plain.tokens, estimate(&plain.text));
    for max_tokens in [1, 60, 90, 120, 200] {
        let turn = Turn { max_tokens: Some(max_tokens), max_memories: Some(9), ..said("plum jam") };
        let context = asked(&turn);
        assert!(context.tokens <= max_tokens && estimate(&context.text) <= max_tokens);
    }
    let refused = [
        ("turn", said(&"x".repeat(32_001))),
        ("turn", said("a\0b")),
        ("max_tokens", Turn { max_tokens: Some(0), ..said("x") }),
        ("max_memories", Turn { max_memories: Some(51), ..said("x") }),
        ("cooldown_turns", Turn { cooldown_turns: Some(101), ..said("x") }),
        ("topics", Turn { topics: vec!["t".into(); 33], ..said("x") }),
    ];
    for (name, turn) in refused {
        let error = lacuna.context(&[grant("anna")], &turn).err().unwrap();
        assert!(matches!(error, Error::Invalid { field, .. } if field == name), "{name}: {error}");
    }
    assert!(lacuna.context(&[], &said("x")).is_err());
    assert!(lacuna.context(&[grant("anna"), grant("anna")], &said("x")).is_err());
}

#[test]
fn shared_vaults_are_asked_only_if_named_and_each_is_labelled_and_audited() {
    let world = World::ram();
    let lacuna = world.service();
    let team = TeamId::new("desk").unwrap();
    let member = Caller { memberships: vec![Group::Team(team.clone())], ..caller("anna") };
    let shared = Scope { org: member.org.clone(), holder: Holder::Team(team) };
    let granted = |scope: &Scope| permit::<Recall>(&member, scope).unwrap();
    let own = lacuna.keep("anna", "My key is under the pot.").unwrap();
    let writing = permit::<Remember>(&member, &shared).unwrap();
    let theirs = lacuna.remember(&writing, vec![draft("The spare key is with the porter.")]).unwrap();
    let theirs = theirs.into_iter().next().unwrap().stored().unwrap().id;

    let alone = lacuna.context(&[granted(&member.personal_scope())], &said("where is the key?")).unwrap();
    assert_eq!(ids(&alone), [own]);
    let both = [granted(&member.personal_scope()), granted(&shared)];
    let both = lacuna.context(&both, &said("where is the key?")).unwrap();
    assert_eq!(both.items.len(), 2);
    let labelled = both.items.iter().find(|item| item.id == theirs).unwrap();
    assert_eq!(labelled.scope, shared);
    assert!(both.text.contains(&format!("[{} · recent · from team:desk]", labelled.label)), "{}", both.text);

    let seen = |scope: &Scope| {
        let reading = permit::<ReadAudit>(&member, scope).unwrap();
        let entries = lacuna.read_audit(&reading, 0).unwrap().into_iter().map(|(_, entry)| entry);
        let reads = entries.filter(|entry| entry.action == AuditAction::MemoryRead);
        reads.map(|entry| (entry.notes[0].clone(), entry.subjects)).collect::<Vec<_>>()
    };
    assert_eq!(seen(&shared), [("by:context".to_owned(), vec![theirs.into()])]);
    assert_eq!(seen(&member.personal_scope()).len(), 2);
}

#[test]
fn intent_narrows_lanes_only_where_it_is_wanted_and_left_open() {
    let world = World::ram();
    let lacuna = world.service();
    let lane = |lane, text: &str| Draft { lane: Some(lane), ..fact(text, 0.6) };
    let profile =
        lacuna.take("anna", lane(Lane::Profile, "The budget for my holidays is small.")).unwrap().id;
    let business =
        lacuna.take("anna", lane(Lane::Business, "The budget of the launch is large.")).unwrap().id;
    let asked = |intent: bool, lanes: Vec<Lane>| {
        let filter = Filter { lanes, ..Filter::default() };
        bring(&lacuna, &Turn { intent: Some(intent), filter, ..said("What is my budget?") })
    };
    let open = asked(false, Vec::new());
    assert_eq!(open.items.len(), 2);
    assert_eq!((open.understood.lane, open.understood.narrowed), (Some(Lane::Profile), false));
    let narrow = asked(true, Vec::new());
    assert_eq!((ids(&narrow), narrow.understood.narrowed), (vec![profile], true));
    assert_eq!(narrow.understood.reach, Some(IntentScope::Private));
    assert_eq!(ids(&asked(true, vec![Lane::Business])), [business]);

    let query = Query { intent: Some(true), ..Query::new("What is our budget?") };
    let recalled = lacuna.recall(&grant("anna"), &query).unwrap();
    assert_eq!(recalled.hits.iter().map(|hit| hit.memory.id).collect::<Vec<_>>(), [business]);
    assert_eq!(recalled.understood.unwrap().because, ["our"]);
    let unasked = lacuna.ask("anna", "What is our budget?").unwrap();
    assert!(unasked.understood.is_none() && unasked.hits.len() == 2);
}

#[test]
fn a_policy_lets_the_words_of_every_question_count_and_a_call_switches_it_off() {
    let world = World::ram();
    let rules = ContextRules { intent: true, ..ContextRules::default() };
    let lacuna = world.service_under(Policy { context: rules, ..Policy::default() });
    let lane = |lane, text: &str| Draft { lane: Some(lane), ..fact(text, 0.6) };
    lacuna.take("anna", lane(Lane::Profile, "The budget for my holidays is small.")).unwrap();
    let business =
        lacuna.take("anna", lane(Lane::Business, "The budget of the launch is large.")).unwrap().id;
    let manual = lacuna.take("anna", lane(Lane::Documents, "The budget form is on page nine.")).unwrap().id;
    for (question, found, because) in [
        ("What is our budget?", business, "our"),
        ("What do the docs say about the budget?", manual, "the docs"),
    ] {
        let recalled = lacuna.ask("anna", question).unwrap();
        assert_eq!(recalled.hits.iter().map(|hit| hit.memory.id).collect::<Vec<_>>(), [found], "{question}");
        assert_eq!(recalled.understood.unwrap().because, [because]);
        assert_eq!(ids(&bring(&lacuna, &said(question))), [found], "{question}");
        let off = Query { intent: Some(false), strong_only: true, ..Query::new(question) };
        let recalled = lacuna.recall(&grant("anna"), &off).unwrap();
        assert!(recalled.understood.is_none() && recalled.hits.len() > 1, "{question}");
        let off = bring(&lacuna, &Turn { intent: Some(false), ..said(question) });
        assert!(off.items.len() > 1 && !off.understood.narrowed, "{question}");
    }
}

#[test]
fn what_a_session_has_at_hand_comes_first_and_only_there() {
    let world = World::ram();
    let lacuna = world.service();
    let stored = lacuna.take("anna", fact("The harbour opens at five.", 0.6)).unwrap().id;
    let source = Source {
        session: Some(SessionId::new("talk-1").unwrap()),
        ..Source::new(SourceType::UserMessage, Trust::High)
    };
    let working =
        Draft { tier: Some(Tier::Working), source: Some(source), ..draft("We sail with six people.") };
    lacuna.start_session(&grant("anna"), Some(SessionId::new("talk-1").unwrap())).unwrap();
    lacuna.take("anna", working).unwrap();
    let context = bring(&lacuna, &in_session("When does the harbour open?"));
    let shown: Vec<(&str, bool)> =
        context.items.iter().map(|item| (item.text.as_str(), item.at_hand)).collect();
    assert_eq!(shown, [("We sail with six people.", true), ("The harbour opens at five.", false)]);
    assert!(context.text.contains("· at hand in this session] We sail"), "{}", context.text);
    assert_eq!(bring(&lacuna, &in_session("When does the harbour open?")).items.len(), 1, "it does not rest");
    assert_eq!(ids(&bring(&lacuna, &said("When does the harbour open?"))), [stored]);
    assert_eq!(lacuna.upkeep().flush_rehearsals().unwrap(), 1);
}
