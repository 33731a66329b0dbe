//! Sessions: turns keep their order and their numbers, an end archives them, and what is forgotten leaves the
//! transcript as well.

use jiff::SignedDuration;
use lacuna_core::erase::Forgotten;
use lacuna_core::forget::{Confirmed, Planned, Request};
use lacuna_core::keep::{
    Appended, Ended, Grown, NewTurn, SESSION_PAGE_MAX, SessionPage, SessionShown, SessionState,
};
use lacuna_core::permit::{Forget, Freeze, Recall, Remember, Retain};
use lacuna_core::read::Query;
use lacuna_core::vault::{Piece, Speaker, TURNS_PER_APPEND_MAX, WORKING_BYTES_MAX, WORKING_ITEMS_MAX};
use lacuna_core::write::Outcome;
use lacuna_core::{Consents, Lacuna};
use lacuna_store::rows::FaultTiming;
use lacuna_types::Result;
use lacuna_types::request::{Mode, PlanChoice, Target};
use lacuna_types::*;

use crate::{Calls, World, grant, scope};

fn id(name: &str) -> SessionId {
    SessionId::new(name).unwrap()
}

/// What the user and the assistant say in turns.
fn talk(texts: &[&str]) -> Vec<NewTurn> {
    let speakers = [Speaker::User, Speaker::Assistant].into_iter().cycle();
    texts.iter().zip(speakers).map(|(text, speaker)| NewTurn::new(speaker, *text)).collect()
}

fn append(service: &Lacuna, session: &str, texts: &[&str]) -> Appended {
    try_append(service, session, texts, None).unwrap()
}

fn try_append(service: &Lacuna, session: &str, texts: &[&str], expected: Option<u32>) -> Result<Appended> {
    service.append_turns(&grant::<Remember>("anna"), &id(session), talk(texts), expected)
}

fn shown(service: &Lacuna, session: &str) -> SessionShown {
    service.session(&grant::<Recall>("anna"), &id(session), 1, SESSION_PAGE_MAX).unwrap()
}

fn said(service: &Lacuna, session: &str) -> Vec<(u32, String)> {
    let turns = shown(service, session).turns;
    turns
        .into_iter()
        .map(|turn| (turn.facets.source.turn.unwrap(), turn.content.full_text().expose().to_owned()))
        .collect()
}

fn end(service: &Lacuna, session: &str) -> Ended {
    service.end_session(&grant::<Remember>("anna"), &id(session)).unwrap()
}

fn text_of(service: &Lacuna, memory: MemoryId) -> String {
    service.get(&grant::<Recall>("anna"), memory).unwrap().content.full_text().expose().to_owned()
}

fn forget(service: &Lacuna, target: Target, mode: Mode) -> Forgotten {
    let request = Request { mode: Some(mode), ..Request::new(target) };
    let Planned::Plan(plan) = service.plan_forget(&grant::<Forget>("anna"), &request).unwrap() else {
        panic!("the request was not understood")
    };
    let confirmed =
        service.confirm_forget(&grant::<Forget>("anna"), &plan.token.unwrap(), &PlanChoice::All).unwrap();
    let Confirmed::Done(done) = confirmed else { panic!("asked again") };
    *done
}

#[test]
fn turns_are_numbered_by_their_session_and_go_on_after_a_restart() {
    for world in [World::ram(), World::sqlite()] {
        let service = world.service();
        let first = append(&service, "tea", &["Which tea wakes me up?", "Assam is strong.", "I like Assam."]);
        assert_eq!((first.first, first.next_turn), (1, 4));
        append(&service, "walk", &["The path along the river is flooded."]);

        let service = world.service();
        let second = append(&service, "tea", &["And which one calms me?"]);
        assert_eq!((second.first, second.next_turn), (4, 5));
        let turns = shown(&service, "tea");
        let kinds: Vec<_> = turns.turns.iter().map(|turn| turn.facets.source.kind).collect();
        use SourceType::{AiInference, UserMessage};
        assert_eq!(kinds, [UserMessage, AiInference, UserMessage, UserMessage]);
        assert!(turns.turns.iter().all(|turn| turn.state == Lifecycle::Active));
        assert_eq!(said(&service, "tea")[3], (4, "And which one calms me?".to_owned()));
        assert_eq!((turns.info.turns, turns.info.next_turn), (4, 5));
        assert_eq!(turns.info.state, SessionState::Open);
        service.verified("anna");
    }
}

#[test]
fn an_append_that_is_sent_again_is_not_doubled_and_another_text_is_a_conflict() {
    let world = World::sqlite();
    let service = world.service();
    let sent = ["The kiln reaches 1200 degrees.", "That is hot enough for stoneware."];
    let first = try_append(&service, "pots", &sent, Some(1)).unwrap();
    let ids = |appended: &Appended| -> Vec<MemoryId> {
        appended.outcomes.iter().map(|outcome| outcome.clone().stored().unwrap().id).collect()
    };
    for service in [&service, &world.service()] {
        let again = try_append(service, "pots", &sent, Some(1)).unwrap();
        assert_eq!((again.first, again.next_turn, ids(&again)), (1, 3, ids(&first)));
        assert!(again.outcomes.iter().all(|outcome| outcome.clone().stored().unwrap().repeats == 1));
        let other = try_append(service, "pots", &["The kiln is cold."], Some(2)).unwrap_err();
        assert_eq!(other.code(), "conflict");
        // The same words are said again in another turn.
        assert_eq!(service.count(&grant("anna")).unwrap().0, 2);
    }
    let twice = try_append(&service, "pots", &sent[..1], None).unwrap();
    assert_eq!((twice.first, service.count(&grant("anna")).unwrap().0), (3, 3));
    for wrong in [0, 4 + TURNS_PER_APPEND_MAX as u32 + 1] {
        assert_eq!(try_append(&service, "pots", &["x"], Some(wrong)).unwrap_err().code(), "invalid");
    }
}

#[test]
fn a_refused_turn_keeps_its_number_from_the_others() {
    let world = World::sqlite();
    let service = world.service();
    let key = "My key is AKIAQYLPMN5HHHFPZAM2 and the secret is kept elsewhere.";
    let mut turns = talk(&["Good morning.", key, "Let us begin."]);
    turns[1].text = format!("password: {}", "Tr0ub4dor&3xyz!").into();
    let appended = service.append_turns(&grant::<Remember>("anna"), &id("log"), turns, Some(1)).unwrap();
    assert_eq!((appended.first, appended.next_turn), (1, 4));
    let stored: Vec<u32> = said(&service, "log").into_iter().map(|(turn, _)| turn).collect();
    let expected: Vec<u32> = (1..)
        .zip(&appended.outcomes)
        .filter_map(|(turn, outcome)| matches!(outcome, Outcome::Stored(_)).then_some(turn))
        .collect();
    assert_eq!(stored, expected);
    assert!(!said(&service, "log").iter().any(|(_, text)| text.contains("Tr0ub4dor")));
}

#[test]
fn a_turn_that_grows_by_pieces_is_sealed_when_it_ends_and_under_one_number() {
    let world = World::sqlite();
    let service = world.service();
    let writer = grant::<Remember>("anna");
    let session = id("stream");
    let piece = |text: &str, number, last| Piece {
        speaker: Speaker::Assistant,
        tool: None,
        text: text.into(),
        number: Some(number),
        last,
    };
    append(&service, "stream", &["What grows in the shade?"]);
    let growing = |turn, pieces| Grown::Growing { turn, pieces };
    assert_eq!(
        service.append_piece(&writer, &session, &piece("Ferns and ", 0, false)).unwrap(),
        growing(2, 1)
    );
    assert_eq!(
        service.append_piece(&writer, &session, &piece("Ferns and ", 0, false)).unwrap(),
        growing(2, 1)
    );
    assert_eq!(
        service.append_piece(&writer, &session, &piece("late", 7, false)).unwrap_err().code(),
        "invalid"
    );
    assert_eq!(said(&service, "stream").len(), 1, "what is still being said is not stored");
    let Grown::Sealed(sealed) = service.append_piece(&writer, &session, &piece("moss.", 1, true)).unwrap()
    else {
        panic!("it ended")
    };
    assert_eq!((sealed.first, sealed.next_turn), (2, 3));
    assert_eq!(said(&service, "stream")[1], (2, "Ferns and moss.".to_owned()));

    // What interrupts a turn comes after what was said of it; what the end interrupts is kept too.
    service.append_piece(&writer, &session, &piece("Also hostas, ", 0, false)).unwrap();
    append(&service, "stream", &["Thank you, that is enough."]);
    service.append_piece(&writer, &session, &piece("You are welcome.", 0, false)).unwrap();
    end(&service, "stream");
    let texts: Vec<_> = said(&service, "stream").into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts[2..], ["Also hostas, ", "Thank you, that is enough.", "You are welcome."]);
}

#[test]
fn an_end_archives_the_turns_ending_twice_is_harmless_and_a_resumed_session_ends_again() {
    for world in [World::ram(), World::sqlite()] {
        let service = world.service();
        append(&service, "boat", &["The mast is cracked.", "Then it must be replaced.", "By whom?"]);
        let ended = end(&service, "boat");
        assert_eq!((ended.info.state, ended.archived.len()), (SessionState::Ended, 1));
        let transcript = service.get(&grant::<Recall>("anna"), ended.archived[0]).unwrap();
        assert_eq!(transcript.state, Lifecycle::Archived);
        assert_eq!(transcript.content.gist.expose(), "Transcript of a session, turns 1 to 3");
        let days = transcript.facets.retention.expires_at.unwrap().duration_since(world.clock.now());
        assert_eq!(days.as_hours(), 365 * 24);
        let text = transcript.content.full_text().expose();
        assert!(
            text.starts_with("#1 user 2026-04-12T09:15:00Z\nThe mast is cracked.\n\n#2 assistant "),
            "{text}"
        );
        assert!(end(&service, "boat").archived.is_empty());

        let service = world.service();
        assert_eq!(shown(&service, "boat").info.state, SessionState::Ended);
        append(&service, "boat", &["By the yard in Cork."]);
        assert_eq!(shown(&service, "boat").info.state, SessionState::Open);
        let again = end(&service, "boat");
        assert_eq!((again.archived.len(), again.info.transcripts.len()), (1, 2));
        assert_eq!(text_of(&service, again.archived[0]).matches('#').count(), 1);
        assert_eq!(said(&service, "boat").len(), 4);
        // Neither a search nor an export meets what only repeats the turns.
        assert!(
            service.texts("anna", "transcript of a session").iter().all(|text| !text.contains("Transcript"))
        );
        let unknown = service.end_session(&grant::<Remember>("anna"), &id("nobody")).unwrap_err();
        assert_eq!(unknown.code(), "not_found");
        service.verified("anna");
    }
}

#[test]
fn a_long_session_is_archived_in_parts_that_name_every_turn() {
    let world = World::sqlite();
    let service = world.service();
    let texts: Vec<String> = (1..=300).map(|n| format!("Crate {n} holds {} lemons.", n * 7)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    append(&service, "crates", &texts);
    let ended = end(&service, "crates");
    assert_eq!(ended.archived.len(), 2);
    let gists: Vec<_> = ended
        .archived
        .iter()
        .map(|id| service.get(&grant::<Recall>("anna"), *id).unwrap().content.gist.into_exposed())
        .collect();
    assert_eq!(
        gists,
        ["Transcript of a session, turns 1 to 256", "Transcript of a session, turns 257 to 300"]
    );
    let whole: String = ended.archived.iter().map(|id| text_of(&service, *id)).collect();
    assert!(texts.iter().all(|text| whole.contains(text)));
    let page = service.session(&grant::<Recall>("anna"), &id("crates"), 251, 20).unwrap();
    assert_eq!((page.turns.len(), page.next), (20, Some(271)));
}

#[test]
fn a_forgotten_turn_leaves_its_transcript_which_is_made_anew_from_the_others() {
    for world in [World::ram(), World::sqlite()] {
        let service = world.service();
        append(&service, "yard", &["The mast is cracked.", "Ask Marten Holloway.", "I will call the yard."]);
        let transcript = end(&service, "yard").archived[0];
        let done =
            forget(&service, Target::Words("forget everything about Marten Holloway".into()), Mode::Hard);
        assert_eq!(done.memories.len(), 1, "only the turn says it by itself");
        assert!(done.receipts[0].receipt.is_clean());
        assert_eq!(done.rebuilt.len(), 1);
        let (old, new) = done.rebuilt[0];
        assert_eq!(old, transcript);
        for service in [&service, &world.service()] {
            let text = text_of(service, new);
            assert!(
                !text.contains("Holloway") && text.contains("#1 user") && text.contains("#3 user"),
                "{text}"
            );
            let gone = service.get(&grant::<Recall>("anna"), old).err().unwrap();
            assert_eq!(gone.code(), "not_found");
            assert_eq!(shown(service, "yard").info.transcripts, [new]);
        }
        // The whole session goes with its transcript, and no number comes back.
        let done = forget(&service, Target::Session(id("yard")), Mode::Hard);
        assert_eq!((done.memories.len(), done.fell), (2, vec![new]));
        assert_eq!(service.count(&grant("anna")).unwrap().0, 0);
        let gone = service.session(&grant::<Recall>("anna"), &id("yard"), 1, 10).err().unwrap();
        assert_eq!(gone.code(), "not_found");
    }
}

#[test]
fn a_part_that_is_cut_out_of_a_turn_leaves_the_transcript_too() {
    let world = World::sqlite();
    let service = world.service();
    append(&service, "desk", &["I earn 4100 a month, and I work at the harbour office.", "Noted."]);
    end(&service, "desk");
    let words = "forget my salary but remember that I work at the harbour office";
    let done = forget(&service, Target::Words(words.into()), Mode::Hard);
    let transcripts = shown(&service, "desk").info.transcripts;
    assert!(!transcripts.is_empty(), "{done:?}");
    let text: String = transcripts.iter().map(|transcript| text_of(&service, *transcript)).collect();
    assert!(!text.contains("4100") && text.contains("harbour office") && text.contains("Noted."), "{text}");
}

#[test]
fn what_is_only_hidden_hides_the_transcript_and_a_later_end_makes_another() {
    let world = World::sqlite();
    let service = world.service();
    append(&service, "hut", &["The hut has no stove.", "Bring a cooker to the hut."]);
    end(&service, "hut");
    forget(&service, Target::Words("forget everything about the cooker".into()), Mode::Soft);
    assert_eq!(said(&service, "hut").len(), 1);
    let again = end(&service, "hut");
    assert_eq!(again.archived.len(), 1);
    assert!(!text_of(&service, again.archived[0]).contains("cooker"));
}

#[test]
fn health_is_archived_under_its_own_key_and_apart_from_the_rest() {
    let world = World::sqlite();
    let service = world.service();
    Consents::of(&service).give(&grant::<Retain>("anna"), ConsentTopic::Health, "my assistants").unwrap();
    let mut turns = talk(&["The bus leaves at nine.", "My doctor says that I have diabetes.", "Fine."]);
    turns[1].speaker = Speaker::User;
    service.append_turns(&grant::<Remember>("anna"), &id("bus"), turns, None).unwrap();
    let ended = end(&service, "bus");
    assert_eq!(ended.archived.len(), 2);
    for transcript in ended.archived {
        let memory = service.get(&grant::<Recall>("anna"), transcript).unwrap();
        let is_health = memory.facets.privacy.sensitivity.contains(&Sensitivity::Health);
        assert_eq!(memory.content.full_text().expose().contains("diabetes"), is_health);
    }
}

#[test]
fn sessions_are_listed_by_their_last_word_page_by_page() {
    let world = World::sqlite();
    let service = world.service();
    for name in ["one", "two", "three"] {
        append(&service, name, &["Hello."]);
        world.clock.advance(SignedDuration::from_mins(5));
    }
    append(&service, "one", &["Are you still there?"]);
    world.clock.advance(SignedDuration::from_mins(5));
    let made = service.start_session(&grant::<Remember>("anna"), None).unwrap();
    assert!(made.id.as_str().starts_with("ses_") && made.next_turn == 1);
    let reader = grant::<Recall>("anna");
    let page = service.sessions(&reader, None, 2).unwrap();
    let names = |page: &SessionPage| -> Vec<String> {
        page.sessions.iter().map(|info| info.id.to_string()).collect()
    };
    assert_eq!(names(&page), [made.id.as_str(), "one"]);
    let rest = service.sessions(&reader, page.next.as_ref(), 5).unwrap();
    assert_eq!((names(&rest), rest.next), (vec!["three".to_owned(), "two".to_owned()], None));
    // An empty session lives in RAM: another process knows only those that have turns.
    assert_eq!(world.service().sessions(&reader, None, 9).unwrap().sessions.len(), 3);
}

#[test]
fn a_session_that_nobody_goes_on_with_is_ended_by_itself() {
    let world = World::sqlite();
    let service = world.service();
    append(&service, "old", &["The tide is out."]);
    world.clock.advance(SignedDuration::from_hours(20));
    append(&service, "new", &["The tide is in."]);
    assert_eq!(service.upkeep().end_idle_sessions(&scope("anna")).unwrap(), 0);
    world.clock.advance(SignedDuration::from_hours(5));
    service.freeze(&grant::<Freeze>("anna")).unwrap();
    assert_eq!(
        service.upkeep().end_idle_sessions(&scope("anna")).unwrap(),
        0,
        "a frozen vault takes no transcripts"
    );
    service.thaw(&grant::<Freeze>("anna")).unwrap();
    assert_eq!(service.upkeep().end_idle_sessions(&scope("anna")).unwrap(), 1);
    assert_eq!(service.upkeep().end_idle_sessions(&scope("anna")).unwrap(), 0);
    let states = |name| shown(&service, name).info.state;
    assert_eq!((states("old"), states("new")), (SessionState::Ended, SessionState::Open));
}

fn note(text: &str, session: &str) -> Draft {
    let source = Source { session: Some(id(session)), ..Source::new(SourceType::UserMessage, Trust::High) };
    Draft { text: text.into(), tier: Some(Tier::Working), source: Some(source), ..Draft::default() }
}

fn at_hand(service: &Lacuna, session: &str) -> Vec<String> {
    let held = service.at_hand(&grant::<Recall>("anna"), &id(session)).unwrap();
    held.iter().map(|memory| memory.content.full_text().expose().to_owned()).collect()
}

fn asked_in(service: &Lacuna, session: Option<&str>, question: &str) -> Vec<String> {
    let query = Query { session: session.map(id), ..Query::new(question) };
    let recalled = service.recall(&grant::<Recall>("anna"), &query).unwrap();
    recalled.hits.iter().map(|hit| hit.memory.content.full_text().expose().to_owned()).collect()
}

#[test]
fn working_memory_is_found_in_its_session_alone_and_never_stored() {
    for world in [World::ram(), World::sqlite()] {
        let service = world.service();
        let text = "The visitor's badge is number 7731.";
        let held = service.take("anna", note(text, "lobby")).unwrap();
        assert_eq!((held.tier, held.state), (Tier::Working, Lifecycle::Active));
        // Also before anything is stored at all, and beside what is.
        assert_eq!(asked_in(&service, Some("lobby"), "which badge?"), [text]);
        service.keep("anna", "Badges are printed in the basement.").unwrap();
        assert!(asked_in(&service, Some("lobby"), "badge number").contains(&text.to_owned()));
        for other in [None, Some("garage")] {
            assert!(!asked_in(&service, other, "badge number").contains(&text.to_owned()));
        }
        assert_eq!(
            service.get(&grant::<Recall>("anna"), held.id).unwrap().content.full_text().expose(),
            text
        );
        assert_eq!(service.count(&grant("anna")).unwrap().0, 1);
        assert!(at_hand(&world.service(), "lobby").is_empty(), "another process knows nothing of it");
        end(&service, "lobby");
        assert!(at_hand(&service, "lobby").is_empty());
    }
}

#[test]
fn working_memory_is_gone_after_idle_time_by_forgetting_and_with_the_vault() {
    let world = World::sqlite();
    let service = world.service();
    service.keep("anna", "The ferry leaves at noon.").unwrap();
    let refill = || {
        service.take("anna", note("Ask Tilda Voss about the crane.", "port")).unwrap();
        service.take("anna", note("The gate code is on the blue card.", "port")).unwrap();
        service.take("anna", note("Pier three is closed.", "quay")).unwrap().id
    };
    let pier = refill();
    let done = forget(&service, Target::Words("forget everything about Tilda Voss".into()), Mode::Hard);
    assert!(done.memories.is_empty() && done.receipts.is_empty(), "nothing of it was ever stored");
    assert_eq!(at_hand(&service, "port").len(), 1);
    forget(&service, Target::Session(id("port")), Mode::Hard);
    assert!(at_hand(&service, "port").is_empty());
    assert_eq!(at_hand(&service, "quay").len(), 1);
    service.erase("anna", pier).unwrap();
    assert!(at_hand(&service, "quay").is_empty());

    refill();
    world.clock.advance(SignedDuration::from_hours(25));
    assert!(at_hand(&service, "port").is_empty());
    refill();
    service.upkeep().close_idle(SignedDuration::from_hours(1));
    assert_eq!(at_hand(&service, "port").len(), 2, "a vault may be sealed while its session goes on");
    let plan = service.plan_destroy(&grant("anna")).unwrap();
    service.destroy(&grant("anna"), &plan.token).unwrap();
    assert!(at_hand(&service, "port").is_empty());
}

#[test]
fn working_memory_is_bounded_and_its_oldest_goes_first() {
    let world = World::ram();
    let service = world.service();
    for number in 0..WORKING_ITEMS_MAX + 3 {
        service.take("anna", note(&format!("Parcel {number} is on the shelf."), "store")).unwrap();
    }
    let held = at_hand(&service, "store");
    assert_eq!((held.len(), held[0].as_str()), (WORKING_ITEMS_MAX, "Parcel 3 is on the shelf."));
    let large = "word ".repeat(WORKING_BYTES_MAX / 5 - 10);
    let draft = Draft { content_type: Some(ContentType::Transcript), ..note(&large, "store") };
    service.take("anna", draft).unwrap();
    assert!(at_hand(&service, "store").len() < 20, "bytes are bounded too");
}

#[test]
fn where_somebody_is_at_the_moment_is_kept_no_longer_than_the_session() {
    let world = World::sqlite();
    let service = world.service();
    let routine = "I am at the gym on Harbour Lane right now.";
    let refused = service.keep("anna", routine).unwrap_err();
    assert_eq!(refused.code(), "session_only");
    let appended = append(&service, "day", &[routine, "Have a good day."]);
    let first = appended.outcomes[0].clone().stored().unwrap();
    assert_eq!(first.tier, Tier::Working);
    assert_eq!(at_hand(&service, "day").len(), 1);
    assert_eq!(said(&service, "day"), [(2, "Have a good day.".to_owned())]);
    end(&service, "day");
    assert!(at_hand(&service, "day").is_empty());
    assert!(asked_in(&service, Some("day"), "Harbour Lane").iter().all(|text| !text.contains("Harbour")));
}

#[test]
fn what_is_for_a_session_only_is_erased_when_it_ends_unless_somebody_said_otherwise() {
    for idle in [false, true] {
        let world = World::sqlite();
        let service = world.service();
        let passing = |text: &str, session| Draft {
            tier: None,
            retention: Some(RetentionTier::Ephemeral),
            ..note(text, session)
        };
        let keep = |draft: Draft| service.take("anna", draft).unwrap().id;
        let gone = keep(passing("The kiln on the left is still hot.", "glaze"));
        let pinned = keep(Draft { pinned: true, ..passing("The blue glaze runs.", "glaze") });
        let until = world.clock.now() + SignedDuration::from_hours(48);
        let given = keep(Draft { expires_at: Some(until), ..passing("The studio is open late.", "glaze") });
        let elsewhere = keep(passing("The tram is late.", "tram"));
        append(&service, "glaze", &["Shall we fire the second batch?"]);
        match idle {
            false => drop(end(&service, "glaze")),
            true => {
                world.clock.advance(SignedDuration::from_hours(25));
                append(&service, "tram", &["Still waiting."]);
                assert_eq!(service.upkeep().end_idle_sessions(&scope("anna")).unwrap(), 1);
            }
        }
        let found = |id| service.get(&grant::<Recall>("anna"), id).map_err(|error| error.code());
        assert_eq!(found(gone).err().unwrap(), "not_found");
        for id in [pinned, given, elsewhere] {
            assert!(found(id).is_ok(), "{id} idle {idle}");
        }
        let receipts = service.receipts(&grant("anna"), 0).unwrap();
        assert_eq!(receipts.iter().map(|signed| signed.receipt.counts.direct).collect::<Vec<_>>(), [1]);
        service.verified("anna");
    }
}

/// Every step of an append, an end, an append and another end fails once, and so does everything after it, as if
/// the process had died. A new process ends the session, and every turn that was acknowledged is in one transcript.
#[test]
fn a_death_at_any_step_of_an_end_is_finished_by_the_next_end() {
    for when in [FaultTiming::Before, FaultTiming::After] {
        for n in 1.. {
            let world = World::ram();
            let (doomed, faults) = world.faulty();
            append(&doomed, "ship", &["The hold is full.", "Then we sail."]);

            faults.die(n, when);
            let first = doomed.end_session(&grant::<Remember>("anna"), &id("ship"));
            let later = first.as_ref().ok().map(|_| try_append(&doomed, "ship", &["Cast off."], Some(3)));
            let last = doomed.end_session(&grant::<Remember>("anna"), &id("ship"));
            let story_ended = last.is_ok();
            drop(doomed);

            let reborn = world.service();
            reborn.upkeep().recover(&scope("anna")).unwrap();
            // Whoever was not answered sends it again, and it is not doubled.
            if matches!(later, Some(Err(_))) {
                try_append(&reborn, "ship", &["Cast off."], Some(3)).unwrap();
            }
            let info = end(&reborn, "ship").info;
            assert_eq!(info.state, SessionState::Ended, "{when:?} {n}");
            let whole: String = info.transcripts.iter().map(|id| text_of(&reborn, *id)).collect();
            let turns = said(&reborn, "ship");
            assert!(turns.len() == 2 + usize::from(later.is_some()), "{when:?} {n}: {turns:?}");
            for (turn, text) in &turns {
                assert_eq!(whole.matches(text.as_str()).count(), 1, "{when:?} {n}: turn {turn} in\n{whole}");
            }
            assert_eq!(reborn.count(&grant("anna")).unwrap().1, 0, "{when:?} {n}: nothing is damaged");
            reborn.verified("anna");
            if story_ended {
                break;
            }
            assert!(n < 300, "the story has a bounded number of steps");
        }
    }
}
