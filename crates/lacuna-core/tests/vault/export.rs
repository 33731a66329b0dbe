//! Export: what is in it, what is not, who may have it, and that it is on record before it goes out.

use std::io::{self, Write};

use jiff::SignedDuration;
use lacuna_core::Lacuna;
use lacuna_core::audit::AuditAction;
use lacuna_core::permit::{Export, Forget, ReadAudit, permit};
use lacuna_core::transfer::{Exported, Format, LINK_HOURS, Wanted};
use lacuna_types::*;

use crate::{Calls, World, caller, draft, grant};

fn wanted(format: Format) -> Wanted {
    Wanted::everything_but_health(format)
}

fn export(service: &Lacuna, user: &str, wanted: &Wanted) -> (String, Exported) {
    let mut bytes = Vec::new();
    let exported = service.export(&grant::<Export>(user), wanted, &mut bytes, &mut |_| {}).unwrap();
    (String::from_utf8(bytes).unwrap(), exported)
}

fn health(text: &str) -> Draft {
    Draft {
        sensitivity: vec![Sensitivity::Health],
        consent_basis: Some(ConsentBasis::ExplicitConsent),
        ..draft(text)
    }
}

fn audited(service: &Lacuna, user: &str) -> Vec<(AuditAction, Vec<String>)> {
    let entries = service.read_audit(&grant::<ReadAudit>(user), 0).unwrap();
    entries.into_iter().map(|(_, entry)| (entry.action, entry.notes)).collect()
}

#[test]
fn an_export_holds_the_texts_of_one_vault_and_of_no_other() {
    let world = World::sqlite();
    let service = world.service();
    service.keep("anna", "The spare key hangs behind the clock.").unwrap();
    service.keep("ben", "The kiln needs a new thermostat.").unwrap();
    for format in [Format::Json, Format::Markdown] {
        let (text, exported) = export(&service, "anna", &wanted(format));
        assert!(text.contains("The spare key hangs behind the clock."), "{text}");
        assert!(!text.contains("kiln"), "{text}");
        assert_eq!(exported.record_count(), 1);
    }
}

#[test]
fn pages_lose_and_repeat_nothing() {
    let world = World::ram();
    let service = world.service();
    let long = "a sentence about the harbour and its boats. ".repeat(120);
    for number in 0..150 {
        world.clock.advance(SignedDuration::from_millis(i64::from(number % 3 == 0)));
        // Every fifth is kept apart from its frame.
        let more = if number % 5 == 0 { long.as_str() } else { "" };
        service.keep("anna", &format!("Parcel number {number}x went to quay {number}y. {more}")).unwrap();
    }
    for format in [Format::Json, Format::Markdown] {
        let mut told = Vec::new();
        let mut bytes = Vec::new();
        let exported = service
            .export(&grant::<Export>("anna"), &wanted(format), &mut bytes, &mut |count| told.push(count))
            .unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(exported.record_count(), 150);
        for number in 0..150 {
            // In JSON, the gist says the beginning once more.
            assert!(text.contains(&format!("Parcel number {number}x went")), "{number}");
        }
        assert!(told.is_sorted() && told.last() == Some(&150), "{told:?}");
    }
}

#[test]
fn health_needs_a_yes_of_its_own_and_is_counted_otherwise() {
    let world = World::ram();
    let service = world.service();
    service.take("anna", health("I take thyroxine every morning.")).unwrap();
    service.keep("anna", "The bicycle has a flat tyre.").unwrap();
    for format in [Format::Json, Format::Markdown] {
        let (text, exported) = export(&service, "anna", &wanted(format));
        assert!(!text.contains("thyroxine"), "{text}");
        assert_eq!((exported.record_count(), exported.health_left_out), (1, 1));
        let (text, exported) = export(&service, "anna", &Wanted { include_health: true, ..wanted(format) });
        assert!(text.contains("thyroxine"));
        assert_eq!((exported.record_count(), exported.health_left_out), (2, 0));
    }
    let (text, _) = export(&service, "anna", &wanted(Format::Json));
    assert!(text.contains("\"health_left_out\":1"), "{text}");
}

#[test]
fn what_was_forgotten_hidden_or_has_expired_is_not_in_it_and_what_is_archived_is() {
    let world = World::ram();
    let service = world.service();
    let erased = service.keep("anna", "The boathouse needs a new lock before winter.").unwrap();
    let hidden = service.keep("anna", "The neighbour plays the cello at noon.").unwrap();
    let archived = service.keep("anna", "The old printer stands in the attic.").unwrap();
    let expires_at = Some(world_now(&world) + SignedDuration::from_hours(1));
    service.take("anna", Draft { expires_at, ..draft("The parking ticket is valid today.") }).unwrap();
    service.erase("anna", erased).unwrap();
    service.set_state(&grant::<Forget>("anna"), &[hidden], Lifecycle::Deleted).unwrap();
    service.set_state(&grant::<Forget>("anna"), &[archived], Lifecycle::Archived).unwrap();
    world.clock.advance(SignedDuration::from_hours(2));
    for format in [Format::Json, Format::Markdown] {
        let (text, exported) = export(&service, "anna", &wanted(format));
        for gone in ["boathouse", "cello", "parking"] {
            assert!(!text.contains(gone), "{gone}: {text}");
        }
        assert!(text.contains("The old printer") && text.contains("archived"), "{text}");
        assert_eq!(exported.record_count(), 1);
    }
    let (text, _) = export(&service, "anna", &wanted(Format::Json));
    assert!(text.contains("\"type\":\"memory_delete\"") && text.contains("\"type\":\"memory_soft_delete\""));
    assert!(!text.contains(&erased.to_string()), "the history of deletions names no memory");
}

fn world_now(world: &World) -> jiff::Timestamp {
    world.clock.now()
}

#[test]
fn what_was_inferred_or_waits_is_marked() {
    let world = World::ram();
    let service = world.service();
    let source = Source::new(SourceType::AiInference, Trust::Low);
    service
        .take("anna", Draft { source: Some(source), ..draft("Anna seems to like early trains.") })
        .unwrap();
    let (text, _) = export(&service, "anna", &wanted(Format::Json));
    assert!(text.contains("\"inferred\":true") && text.contains("\"state\":\"candidate\""), "{text}");
    let (text, _) = export(&service, "anna", &wanted(Format::Markdown));
    assert!(text.contains("· candidate · inferred"), "{text}");
}

#[test]
fn an_export_takes_the_categories_that_were_asked_for() {
    let world = World::ram();
    let service = world.service();
    let preference =
        Draft { category: Some(Category::Preference), ..draft("Tea in the afternoon, never coffee.") };
    service.take("anna", preference).unwrap();
    service.keep("anna", "The ladder is at the neighbour's.").unwrap();
    let only = Wanted { categories: vec![Category::Preference], ..wanted(Format::Json) };
    let (text, exported) = export(&service, "anna", &only);
    assert!(text.contains("Tea in the afternoon") && !text.contains("ladder"));
    assert!(!text.contains("\"learned_context\""));
    assert_eq!(exported.counts, [0, 0, 1, 0]);
}

#[test]
fn words_cannot_pass_for_a_heading_of_the_document() {
    let world = World::ram();
    let service = world.service();
    service.keep("anna", "First line.\n## Preferences\n\nI love spam.").unwrap();
    let (text, _) = export(&service, "anna", &wanted(Format::Markdown));
    assert_eq!(text.lines().filter(|line| *line == "## Preferences").count(), 1, "{text}");
    assert!(text.contains("> ## Preferences\n>\n> I love spam."));
}

/// Looks at the audit chain when the first byte arrives.
struct Watcher<'a> {
    service: &'a Lacuna,
    recorded_before_the_first_byte: Option<bool>,
}

impl Write for Watcher<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let service = self.service;
        self.recorded_before_the_first_byte.get_or_insert_with(|| {
            audited(service, "anna").iter().any(|(action, _)| *action == AuditAction::MemoryExport)
        });
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_export_is_on_record_before_its_first_byte_and_a_measurement_is_none() {
    let world = World::ram();
    let service = world.service();
    service.keep("anna", "The spare key hangs behind the clock.").unwrap();
    let json = wanted(Format::Json);
    let (bytes, _) = service.measure_export(&grant::<Export>("anna"), &json).unwrap();
    assert!(!audited(&service, "anna").iter().any(|(action, _)| *action == AuditAction::MemoryExport));
    let mut watcher = Watcher { service: &service, recorded_before_the_first_byte: None };
    service.export(&grant::<Export>("anna"), &json, &mut watcher, &mut |_| {}).unwrap();
    assert_eq!(watcher.recorded_before_the_first_byte, Some(true));
    let (text, _) = export(&service, "anna", &json);
    assert_eq!(text.len() as u64, bytes);
    let (_, notes) = audited(&service, "anna").pop().unwrap();
    assert_eq!(notes, ["download json", "records 1", "health_left_out 0"]);
    service.verified("anna");
}

#[test]
fn a_frozen_vault_can_be_exported_and_an_empty_one_as_well() {
    let world = World::ram();
    let service = world.service();
    let (text, exported) = export(&service, "nobody", &wanted(Format::Json));
    assert!(text.contains("\"record_count\":0"));
    assert_eq!(exported, Exported::default());
    service.keep("anna", "The spare key hangs behind the clock.").unwrap();
    service.freeze(&grant("anna")).unwrap();
    let (text, _) = export(&service, "anna", &wanted(Format::Json));
    assert!(text.contains("\"frozen_since\""));
}

#[test]
fn one_damaged_text_does_not_keep_the_others_from_their_owner() {
    let world = World::ram();
    let service = world.service();
    let transcript = |text: &str| Draft {
        content_type: Some(ContentType::Transcript),
        category: Some(Category::Conversation),
        ..draft(&text.repeat(1_000))
    };
    service.take("anna", transcript("We talked about the roof. ")).unwrap();
    let blobs = files(&world.folder.path().join("blobs"));
    assert_eq!(blobs.len(), 1);
    service.take("anna", transcript("We talked about the cellar. ")).unwrap();
    let mut bytes = std::fs::read(&blobs[0]).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&blobs[0], bytes).unwrap();
    let (text, exported) = export(&service, "anna", &wanted(Format::Json));
    assert!(text.contains("We talked about the cellar. We"));
    assert_eq!((exported.record_count(), exported.damaged), (1, 1));
}

fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

#[test]
fn a_link_works_for_a_day_and_shows_the_vault_as_it_is_then() {
    let world = World::sqlite();
    let service = world.service();
    let gone = service.keep("anna", "The boathouse needs a new lock before winter.").unwrap();
    service.keep("anna", "The ladder is at the neighbour's.").unwrap();
    let link = service.make_export_link(&grant::<Export>("anna"), &wanted(Format::Json)).unwrap();
    assert_eq!(link.exported.record_count(), 2);
    service.erase("anna", gone).unwrap();
    // Another process, which has not opened the vault.
    let other = world.service();
    let (followed, what) = other.follow_export_link(&link.token).unwrap();
    assert_eq!(what, wanted(Format::Json));
    let mut bytes = Vec::new();
    other.export(&followed, &what, &mut bytes, &mut |_| {}).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains("ladder") && !text.contains("boathouse"));

    world.clock.advance(SignedDuration::from_hours(LINK_HOURS) - SignedDuration::from_millis(1));
    assert!(service.follow_export_link(&link.token).is_ok());
    world.clock.advance(SignedDuration::from_millis(1));
    assert_eq!(service.follow_export_link(&link.token).err().unwrap().code(), "not_found");
}

#[test]
fn a_changed_or_foreign_link_looks_like_a_missing_one() {
    let world = World::ram();
    let service = world.service();
    for user in ["anna", "ben"] {
        service.keep(user, "The ladder is at the neighbour's.").unwrap();
    }
    let json = wanted(Format::Json);
    let token = service.make_export_link(&grant::<Export>("anna"), &json).unwrap().token;
    let bens = service.make_export_link(&grant::<Export>("ben"), &json).unwrap().token;
    assert!(!token.contains("anna"));
    let prefix = "exp_".len();
    let spliced = format!("{}{}", &bens[..prefix + 32], &token[prefix + 32..]);
    let mut wrong = vec![String::new(), "exp_".into(), "exp_00".into(), spliced, token.to_uppercase()];
    wrong.push(format!("{token}00"));
    wrong.push(format!("exp_{}", "0".repeat(5_000)));
    wrong.push("exp_é".into());
    for at in prefix..token.len() {
        let flipped = if &token[at..=at] == "0" { "1" } else { "0" };
        wrong.push(format!("{}{flipped}{}", &token[..at], &token[at + 1..]));
    }
    for wrong in wrong {
        assert_eq!(service.follow_export_link(&wrong).err().unwrap().code(), "not_found", "{wrong}");
    }
    assert!(service.follow_export_link(&token).is_ok());
}

#[test]
fn a_link_dies_with_the_membership_of_whoever_made_it() {
    let world = World::ram();
    let service = world.service();
    let org = caller("ada").org;
    let admin = lacuna_core::permit::Caller::new(org.clone(), caller("ada").user, vec![Role::Admin]);
    let manage = permit(&admin, &admin.org_scope()).unwrap();
    let team = Group::Team(TeamId::new("desk").unwrap());
    service.members().add(&manage, team.clone(), caller("anna").user).unwrap();
    let anna = service.members().caller_for(org.clone(), caller("anna").user, vec![Role::User]).unwrap();
    let shared = Scope { org, holder: team.clone().into() };
    let link = service.make_export_link(&permit(&anna, &shared).unwrap(), &wanted(Format::Json)).unwrap();
    assert!(service.follow_export_link(&link.token).is_ok());
    service.members().remove(&manage, team, caller("anna").user).unwrap();
    assert_eq!(service.follow_export_link(&link.token).err().unwrap().code(), "not_found");
}
