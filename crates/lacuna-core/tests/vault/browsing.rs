//! Looking over a vault without a question, who read what, and the link that signs its owner in.

use jiff::SignedDuration;
use lacuna_core::audit::AuditAction;
use lacuna_core::govern::SIGN_IN_LINK_VALID;
use lacuna_core::permit::{Forget, ReadAudit, Recall, permit};
use lacuna_core::read::{NAMES_SHOWN_MAX, TimelineFilter};
use lacuna_core::write::Correction;
use lacuna_core::{Browse, Lacuna, SignIns};
use lacuna_types::*;

use crate::{Calls, World, caller, draft, grant};

fn about(text: &str, names: &[&str], tags: &[&str]) -> Draft {
    let entity = |name: &&str| Entity {
        kind: "person".to_owned(),
        name: (*name).to_owned(),
        primary: true,
        relation: None,
    };
    Draft {
        entities: names.iter().map(entity).collect(),
        tags: tags.iter().map(ToString::to_string).collect(),
        ..draft(text)
    }
}

fn gists(lacuna: &Lacuna, wanted: &TimelineFilter) -> Vec<String> {
    let page = Browse::of(lacuna).timeline(&grant::<Recall>("anna"), wanted, None, 50).unwrap();
    page.memories.iter().map(|memory| memory.content.gist.expose().to_owned()).collect()
}

#[test]
fn a_timeline_is_newest_first_in_pages_and_under_conditions() {
    let world = World::sqlite();
    let lacuna = world.service();
    let texts = ["Maria teaches physics.", "Tom repairs the barn roof.", "Maria met Tom in Graz."];
    let drafts = [
        about(texts[0], &["Maria"], &["family"]),
        about(texts[1], &["Tom"], &["work"]),
        about(texts[2], &["maria", "Tom"], &["family"]),
    ];
    let mut ids = Vec::new();
    for draft in drafts {
        world.clock.advance(SignedDuration::from_hours(1));
        ids.push(lacuna.take("anna", draft).unwrap().id);
    }
    assert_eq!(gists(&lacuna, &TimelineFilter::default()), [texts[2], texts[1], texts[0]]);
    let browse = Browse::of(&lacuna);
    let first = browse.timeline(&grant("anna"), &TimelineFilter::default(), None, 2).unwrap();
    let rest = browse.timeline(&grant("anna"), &TimelineFilter::default(), first.next, 2).unwrap();
    assert_eq!((first.memories.len(), rest.memories.len(), rest.next), (2, 1, None));

    let named = TimelineFilter { name: Some("MARIA".to_owned()), ..TimelineFilter::default() };
    assert_eq!(gists(&lacuna, &named), [texts[2], texts[0]]);
    let mut tagged = TimelineFilter::default();
    tagged.tagged("work");
    assert_eq!(gists(&lacuna, &tagged), [texts[1]]);
    let saved = TimelineFilter { source: Some(SourceType::ToolOutput), ..TimelineFilter::default() };
    assert!(gists(&lacuna, &saved).is_empty());

    lacuna.set_state(&grant::<Forget>("anna"), &[ids[1]], Lifecycle::Deleted).unwrap();
    assert_eq!(gists(&lacuna, &TimelineFilter::default()).len(), 2);
    let mut hidden = TimelineFilter::default();
    hidden.filter.states.push(Lifecycle::Deleted);
    assert_eq!(gists(&lacuna, &hidden), [texts[1]], "its owner sees it, to bring it back");
    let mut waiting = TimelineFilter::default();
    waiting.filter.states.push(Lifecycle::Candidate);
    assert!(browse.timeline(&grant("anna"), &waiting, None, 9).is_err(), "the review shows these");
    assert!(browse.timeline(&grant("ben"), &TimelineFilter::default(), None, 9).unwrap().memories.is_empty());
}

#[test]
fn an_overview_counts_names_topics_and_links_and_is_recorded_as_one_read() {
    let world = World::ram();
    let lacuna = world.service();
    lacuna.take("anna", about("Maria teaches physics.", &["Maria"], &["family"])).unwrap();
    lacuna.take("anna", about("Maria met Tom in Graz.", &["Maria", "Tom"], &["family", "trips"])).unwrap();
    let found = Browse::of(&lacuna).overview(&grant("anna")).unwrap();
    let names: Vec<_> = found.names.iter().map(|one| (one.name.expose().to_owned(), one.memories)).collect();
    assert!(names.contains(&("Maria".to_owned(), 2)) && names.contains(&("Tom".to_owned(), 1)), "{names:?}");
    assert_eq!(names[0].0, "Maria", "the largest first");
    let place = |name: &str| names.iter().position(|(known, _)| known == name).unwrap();
    let link = found.links.iter().find(|link| link.ends == (place("Maria"), place("Tom"))).unwrap();
    assert_eq!(link.memories, 1);
    assert_eq!(found.topics[0].name.expose(), "family");
    assert_eq!(found.memories, 2);

    let audit = Browse::of(&lacuna).recent_audit(&grant::<ReadAudit>("anna"), None, 10).unwrap();
    let (_, newest) = &audit[0];
    assert_eq!((newest.action, newest.subjects.len()), (AuditAction::MemoryRead, 0));
    assert!(newest.notes.contains(&"by:overview".to_owned()) && newest.notes.contains(&"count:2".to_owned()));

    for number in 0..NAMES_SHOWN_MAX + 5 {
        lacuna
            .take("anna", about(&format!("Guest {number} came."), &[&format!("Guest{number}")], &[]))
            .unwrap();
    }
    let found = Browse::of(&lacuna).overview(&grant("anna")).unwrap();
    assert_eq!(found.names.len(), NAMES_SHOWN_MAX);
    assert!(found.names_known > NAMES_SHOWN_MAX);
    lacuna.verified("anna");
}

#[test]
fn the_log_says_who_read_a_memory_through_which_program_and_nothing_of_a_hostile_name() {
    let world = World::sqlite();
    let lacuna = world.service();
    let id = lacuna.keep("anna", "The orchid wants water on Tuesdays.").unwrap();
    let other = lacuna.keep("anna", "The barn roof is from 1970.").unwrap();
    let through = |client: &str| {
        let caller = caller("anna").through(client);
        permit::<Recall>(&caller, &caller.personal_scope()).unwrap()
    };
    lacuna.get(&through("claude-code"), id).unwrap();
    lacuna
        .get(&through("The orchid wants\nwater \u{202e}<b>, and then a very long story follows"), id)
        .unwrap();
    lacuna.get(&through("console"), other).unwrap();
    let trace = Browse::of(&lacuna).trace_memory(&grant::<ReadAudit>("anna"), id).unwrap();
    let clients: Vec<&str> = trace
        .iter()
        .flat_map(|(_, entry)| entry.notes.iter().filter_map(|note| note.strip_prefix("client:")))
        .collect();
    assert_eq!(clients, ["Theorchidwantswaterbandthenaverylongstor", "claude-code"], "the newest first");
    assert!(clients[0].len() == 40 && clients[0].bytes().all(|byte| byte.is_ascii_alphanumeric()));
    assert_eq!(trace.last().unwrap().1.action, AuditAction::MemoryWrite);

    let newest = Browse::of(&lacuna).recent_audit(&grant::<ReadAudit>("anna"), None, 2).unwrap();
    let before = newest.last().unwrap().0.seq;
    assert_eq!(newest[0].0.seq, before + 1);
    let older = Browse::of(&lacuna).recent_audit(&grant::<ReadAudit>("anna"), Some(before), 500).unwrap();
    assert_eq!(older[0].0.seq, before - 1);
    assert_eq!(older.last().unwrap().0.seq, 1);
    assert!(Browse::of(&lacuna).recent_audit(&grant::<ReadAudit>("ben"), None, 5).unwrap().is_empty());
}

#[test]
fn relatives_are_what_a_memory_was_made_of_and_what_was_made_of_it() {
    let world = World::ram();
    let lacuna = world.service();
    let source = lacuna.keep("anna", "The ferry leaves at half past noon.").unwrap();
    let derived_from = vec![Lineage { source, contribution: Contribution::Primary }];
    let summary =
        lacuna.take("anna", Draft { derived_from, ..draft("Anna takes the noon ferry.") }).unwrap().id;
    let of = |id| Browse::of(&lacuna).relatives(&grant("anna"), id).unwrap();
    let ids = |memories: &[Memory]| memories.iter().map(|memory| memory.id).collect::<Vec<_>>();
    assert_eq!(ids(&of(source).derived), [summary]);
    assert_eq!(ids(&of(summary).sources), [source]);
    let foreign = Browse::of(&lacuna).relatives(&grant("ben"), source).unwrap();
    assert!(foreign.derived.is_empty() && foreign.sources.is_empty());
}

#[test]
fn a_sign_in_link_opens_only_unchanged_in_time_and_for_whom_it_was_made() {
    let world = World::sqlite();
    let lacuna = world.service();
    let token = SignIns::of(&lacuna).make(&caller("anna")).unwrap();
    let signed = SignIns::of(&world.service()).follow(&token).unwrap();
    assert_eq!(signed.caller.user, caller("anna").user);
    assert_eq!(signed.caller.roles, caller("anna").roles);
    assert!(!token.contains("anna"));

    let refused = |token: &str| SignIns::of(&lacuna).follow(token).is_err();
    let other = SignIns::of(&lacuna).make(&caller("ben")).unwrap();
    let mixed = format!("{}{}", &token[..35], &other[35..]);
    assert!(refused(&mixed), "the claims of one under the vault of another");
    for at in (3..token.len()).step_by(7) {
        let digit = if token.as_bytes()[at] == b'0' { '1' } else { '0' };
        let mut changed = token.clone();
        changed.replace_range(at..=at, &digit.to_string());
        assert!(refused(&changed), "digit {at}");
    }
    let export = lacuna.make_export_link(
        &grant("anna"),
        &lacuna_core::transfer::Wanted::everything_but_health(lacuna_core::transfer::Format::Json),
    );
    let export = export.unwrap().token.replacen("exp_", "in_", 1);
    assert!(refused(&export), "a link to an export signs nobody in");

    world.clock.advance(SIGN_IN_LINK_VALID - SignedDuration::from_secs(1));
    assert!(!refused(&token));
    world.clock.advance(SignedDuration::from_secs(1));
    assert!(refused(&token));
    let early = World::sqlite();
    assert!(SignIns::of(&early.service()).follow(&token).is_err(), "another installation");
}

#[test]
fn part_of_an_id_and_the_topics_of_ids_tell_nothing_of_another_vault() {
    let world = World::sqlite();
    let lacuna = world.service();
    let id = lacuna.take("anna", about("The orchid wants water.", &[], &["plants"])).unwrap().id;
    let whole = id.to_string();
    let digits = whole.strip_prefix("mem_").unwrap();
    let like = |user: &str, digits: &str| Browse::of(&lacuna).ids_like(&grant(user), digits).unwrap();
    assert_eq!(like("anna", &digits[..8]), [id]);
    assert_eq!(like("anna", &digits[20..]), [id]);
    assert!(like("anna", &digits[4..20]).is_empty(), "the middle of an id is no id");
    assert!(like("ben", digits).is_empty());
    lacuna.set_state(&grant("anna"), &[id], Lifecycle::Deleted).unwrap();
    assert_eq!(like("anna", digits), [id], "a hidden one can be named, to restore it");
    let tags = |user: &str| Browse::of(&lacuna).tags_of(&grant(user), &[id].into()).unwrap();
    assert!(tags("anna").is_empty(), "what is hidden tells no topics");
    lacuna.set_state(&grant("anna"), &[id], Lifecycle::Active).unwrap();
    assert_eq!(tags("anna")[&id], ["plants"]);
    assert!(tags("ben").is_empty());
    lacuna.delete(&grant("anna"), id).unwrap();
    assert!(like("anna", digits).is_empty() && tags("anna").is_empty());
}

#[test]
fn a_correction_can_be_looked_at_before_it_is_made() {
    let world = World::ram();
    let lacuna = world.service();
    let id = lacuna.keep("anna", "The ferry leaves at noon.").unwrap();
    let asked = |user: &str, what: &Correction| {
        Browse::of(&lacuna).corrected_by(&grant(user), what, "The ferry leaves at one.")
    };
    assert_eq!(asked("anna", &Correction::Words("the ferry".into())).unwrap(), Ok(id));
    assert_eq!(asked("anna", &Correction::Id(id)).unwrap(), Ok(id));
    assert_eq!(asked("ben", &Correction::Words("the ferry".into())).unwrap(), Err(Vec::new()));
    assert!(asked("ben", &Correction::Id(id)).is_err());
    assert_eq!(lacuna.get(&grant("anna"), id).unwrap().content.gist.expose(), "The ferry leaves at noon.");
}
