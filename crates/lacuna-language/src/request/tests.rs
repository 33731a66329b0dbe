use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use proptest::prelude::*;

use super::*;
use lacuna_types::request::{About, Reach, TimeSpan};

/// A Wednesday morning in Berlin, eleven days before the clocks go forward.
fn now() -> Zoned {
    let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
    "2026-03-18T09:30:00Z".parse::<Timestamp>().unwrap().to_zoned(zone)
}

/// A reading in one line: what, `@` when, `-` what stays, `!` if narrowed; `?` and the question otherwise.
fn shown(words: &str) -> String {
    let wish = match read(words, &now()) {
        Reading::Understood(wish) => wish,
        Reading::Unclear(question) => return format!("? {question:?}"),
    };
    let about = match &wish.about {
        About::Ids(ids) => format!("ids {}", ids.len()),
        About::Subject(subject) => format!("[{subject}]"),
        About::Tags(tags) => format!("tags {}", tags.join(" ")),
        About::Sensitivity(sensitivity) => format!("kind {sensitivity}"),
        About::Tier(tier) => format!("tier {tier}"),
        About::Source(source) => format!("source {source}"),
        About::Session(session) => format!("session {session}"),
        About::Conversation => "talk".into(),
        About::LastSaid => "last".into(),
        About::Everything => "all".into(),
        About::Loose(text) => format!("{{{text}}}"),
        other => format!("{other:?}"),
    };
    let when = wish.when.as_ref().map(shown_span).unwrap_or_default();
    let keep: String = wish.keep.iter().map(|kept| format!(" - {kept}")).collect();
    let only = if wish.reach == Reach::Subject { " !" } else { "" };
    format!("{about}{when}{keep}{only}")
}

fn shown_span(span: &TimeSpan) -> String {
    let zone = now().time_zone().clone();
    let shown = |at: Option<Timestamp>| {
        let at = at.map(|at| at.to_zoned(zone.clone()).datetime().to_string());
        at.map(|at| at.replace("T00:00:00", ""))
            .map(|at| at.strip_suffix(":00").map(str::to_owned).unwrap_or(at))
            .unwrap_or_default()
    };
    format!(" @ {}..{}", shown(span.from), shown(span.until))
}

fn check(cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter(|(words, expected)| shown(words) != *expected)
        .map(|(words, expected)| format!("{words:?}\n    expected {expected}\n    read     {}", shown(words)))
        .collect();
    assert!(wrong.is_empty(), "{} of {} misread:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn subjects_lose_what_wraps_them_and_nothing_else() {
    check(&[
        ("forget everything about Tilda", "[Tilda]"),
        ("Forget everything about my asthma.", "[asthma]"),
        ("forget all about the Porto flat", "[Porto flat]"),
        ("forget about Marek", "[Marek]"),
        ("delete all memories mentioning Oskar", "[Oskar]"),
        ("Delete all memories that mention my ex-husband", "[ex-husband]"),
        ("erase every memory of the Porto flat", "[Porto flat]"),
        ("remove all records of invoice INV-77", "[invoice INV-77]"),
        ("wipe all information on Project Heron", "[Project Heron]"),
        ("purge anything related to Heron Ltd", "[Heron Ltd]"),
        ("delete all notes concerning the divorce", "[divorce]"),
        ("I don't want you to remember my address", "[address]"),
        ("I do not want you to remember where I live", "[where I live]"),
        ("I don’t want you to know about Marek's debts", "[Marek's debts]"),
        ("stop remembering my weight", "[weight]"),
        ("you don't need to remember my shoe size", "[shoe size]"),
        ("don't remember my birthday", "[birthday]"),
        ("get rid of whatever you know about Tilda", "[Tilda]"),
        ("forget everything you know about Tilda's thesis", "[Tilda's thesis]"),
        ("forget everything I told you about my landlord", "[landlord]"),
        ("forget what I said about Oskar", "[Oskar]"),
        ("forget that I live in Graz", "[I live in Graz]"),
        ("forget that I told you I was ill", "[I was ill]"),
        ("forget the fact that Oskar drinks", "[Oskar drinks]"),
        ("forget our conversation about the roof", "[roof]"),
        ("forget my salary", "[salary]"),
        ("delete my salary information", "[salary]"),
        ("delete my personal information", "[personal information]"),
        ("forget my contact details", "[contact details]"),
        ("forget “Sunday but keep smiling”", "[Sunday but keep smiling]"),
        ("forget everything about \"the last thing I said\"", "[the last thing I said]"),
        ("forget Tom (the plumber)", "[Tom (the plumber)]"),
        ("forget O'Brien", "[O'Brien]"),
        ("forget the song Call Me Maybe", "[song Call Me Maybe]"),
        ("forget the meeting on Friday", "[meeting on Friday]"),
        ("forget the March budget", "[March budget]"),
        ("forget everything about April", "[April]"),
        ("forget 张伟", "[张伟]"),
        ("forget everything about Иван Петров", "[Иван Петров]"),
    ]);
}

#[test]
fn bare_phrases_and_identifiers_are_subjects() {
    check(&[
        ("ines@heron.example", "[ines@heron.example]"),
        ("ticket HRN-9 record", "[ticket HRN-9]"),
        ("records of order 4711-B", "[order 4711-B]"),
        ("everything about Ines's research", "[Ines's research]"),
        ("the Porto flat", "[Porto flat]"),
        ("+43 660 1234567", "[+43 660 1234567]"),
        ("@ines_h", "[@ines_h]"),
        ("all memories about the choir", "[choir]"),
        ("Tilda", "[Tilda]"),
        ("forget 42", "[42]"),
        ("mem_0195a0000000700080000000000000aa", "ids 1"),
        (
            "delete memory mem_0195a0000000700080000000000000aa and mem_0195a0000000700080000000000000ab",
            "ids 2",
        ),
        ("everything tagged travel", "tags travel"),
        ("forget #travel and #food", "tags travel food"),
        ("delete all memories tagged with work", "tags work"),
    ]);
}

#[test]
fn polite_wrapping_changes_nothing() {
    check(&[
        ("please forget Tilda", "[Tilda]"),
        ("Could you please forget everything about Tilda?", "[Tilda]"),
        ("can you forget Tilda?", "[Tilda]"),
        ("I'd like you to forget Tilda, please.", "[Tilda]"),
        ("Hey, would you mind forgetting about Tilda?", "[Tilda]"),
        ("I want you to delete everything about the choir permanently", "[choir]"),
        ("ok so please just forget Tilda thanks", "[Tilda]"),
        ("I want my address deleted", "[address]"),
        ("please remove Tilda from your memory", "[Tilda]"),
        ("You can forget my shoe size now, thank you!", "[shoe size]"),
        ("go ahead and erase the Porto flat for good", "[Porto flat]"),
        ("I would like to delete all health information", "kind health"),
    ]);
}

#[test]
fn categories_tiers_and_sources_have_everyday_names() {
    check(&[
        ("clear all health information", "kind health"),
        ("forget everything about my health", "kind health"),
        ("delete my medical records", "kind health"),
        ("remove all medical data", "kind health"),
        ("forget my finances", "kind financial"),
        ("clear all financial data", "kind financial"),
        ("delete all information about my finances", "kind financial"),
        ("delete all biometric data", "kind biometric"),
        ("clear biometrics", "kind biometric"),
        ("clear my location history", "kind location"),
        ("forget where I've been", "kind location"),
        ("delete all location information", "kind location"),
        ("forget my political views", "kind political_religious"),
        ("clear all religious information", "kind political_religious"),
        ("forget my religious beliefs", "kind political_religious"),
        ("delete everything on politics and religion", "kind political_religious"),
        ("clear all relationship information", "kind relationships"),
        ("forget my relationships", "kind relationships"),
        ("delete all work information", "kind professional"),
        ("clear professional data", "kind professional"),
        ("forget my career", "kind professional"),
        ("clear all preferences", "kind preferences"),
        ("forget my likes and dislikes", "kind preferences"),
        ("forget my coffee preferences", "[coffee preferences]"),
        ("forget my work", "[work]"),
        ("clear episodic", "tier episodic"),
        ("delete all episodic memories", "tier episodic"),
        ("clear the working memory", "tier working"),
        ("wipe semantic memory", "tier semantic"),
        ("forget everything you inferred", "source ai_inference"),
        ("delete all your guesses", "source ai_inference"),
        ("forget everything that came from tools", "source tool_output"),
        ("delete everything I asked you to remember", "source explicit_save"),
    ]);
}

#[test]
fn everything_and_the_last_thing_said() {
    check(&[
        ("forget everything", "all"),
        ("clear all", "all"),
        ("Forget everything you know about me.", "all"),
        ("delete all my data", "all"),
        ("wipe your memory", "all"),
        ("delete all memories", "all"),
        ("forget me", "all"),
        ("forget everything I've ever told you", "all"),
        ("erase absolutely everything", "all"),
        ("forget that", "last"),
        ("forget the last thing I said", "last"),
        ("scratch that", "last"),
        ("forget what I just told you", "last"),
        ("please delete my last message", "last"),
        ("the last thing I said", "last"),
    ]);
}

#[test]
fn times_are_those_of_the_owners_calendar() {
    check(&[
        ("forget our conversation from yesterday", "talk @ 2026-03-17..2026-03-18"),
        ("forget yesterday's conversation", "talk @ 2026-03-17..2026-03-18"),
        ("forget our chat from last Tuesday", "talk @ 2026-03-17..2026-03-18"),
        ("forget our conversation on Friday", "talk @ 2026-03-13..2026-03-14"),
        ("forget last Wednesday's chat", "talk @ 2026-03-11..2026-03-12"),
        ("forget this Monday's session", "talk @ 2026-03-16..2026-03-17"),
        ("forget our talk from Tuesday last week", "talk @ 2026-03-10..2026-03-11"),
        ("forget our conversations from Monday to Wednesday", "talk @ 2026-03-16..2026-03-19"),
        ("forget our conversations from Thursday to Sunday", "talk @ 2026-03-12..2026-03-16"),
        ("delete our discussion of 3 March", "talk @ 2026-03-03..2026-03-04"),
        ("delete our discussion from 3 November", "talk @ 2025-11-03..2025-11-04"),
        ("forget our conversation from this morning", "talk @ 2026-03-18..2026-03-18T12:00"),
        ("forget our conversation from last night", "talk @ 2026-03-17T18:00..2026-03-18T06:00"),
        ("forget our conversation from yesterday evening", "talk @ 2026-03-17T18:00..2026-03-18"),
        ("forget our conversation from Monday afternoon", "talk @ 2026-03-16T12:00..2026-03-16T18:00"),
        ("forget our conversations from last week", "talk @ 2026-03-09..2026-03-16"),
        ("forget our conversation from two days ago", "talk @ 2026-03-16..2026-03-17"),
        ("forget the conversation we had a week ago", "talk @ 2026-03-09..2026-03-16"),
        ("forget the chat from the day before yesterday", "talk @ 2026-03-16..2026-03-17"),
        ("delete all conversations from last weekend", "talk @ 2026-03-14..2026-03-16"),
        ("delete all conversations", "talk"),
        ("forget yesterday", "all @ 2026-03-17..2026-03-18"),
        ("forget everything from today", "all @ 2026-03-18..2026-03-19"),
        ("forget everything I told you in January", "all @ 2026-01-01..2026-02-01"),
        ("forget everything I told you in October", "all @ 2025-10-01..2025-11-01"),
        ("forget everything I told you last March", "all @ 2025-03-01..2025-04-01"),
        ("forget what I said yesterday", "all @ 2026-03-17..2026-03-18"),
        ("forget what I said about Tilda yesterday", "[Tilda] @ 2026-03-17..2026-03-18"),
        ("forget what I told you yesterday about Tilda", "[Tilda] @ 2026-03-17..2026-03-18"),
        ("forget our conversation from Monday about the roof", "[roof] @ 2026-03-16..2026-03-17"),
        ("forget anything before 2024", "all @ ..2024-01-01"),
        ("delete everything before 1 March 2025", "all @ ..2025-03-01"),
        ("delete anything after 2026-02-10", "all @ 2026-02-11.."),
        ("delete everything since 10.02.2026", "all @ 2026-02-10.."),
        ("delete everything until the end of time", "? LooseTime"),
        ("delete everything up to December 2025", "all @ ..2026-01-01"),
        ("delete everything between 3 March and 5 March", "all @ 2026-03-03..2026-03-06"),
        ("delete everything from 3 to 5 March", "all @ 2026-03-03..2026-03-06"),
        ("delete everything from March 3-5, 2025", "all @ 2025-03-03..2025-03-06"),
        ("delete everything from 2025-12-30 to 2026-01-02", "all @ 2025-12-30..2026-01-03"),
        ("delete everything from March to May 2025", "all @ 2025-03-01..2025-06-01"),
        ("delete everything from 2024", "all @ 2024-01-01..2025-01-01"),
        ("delete everything in 2024-06", "all @ 2024-06-01..2024-07-01"),
        ("delete everything from Q3 2025", "all @ 2025-07-01..2025-10-01"),
        ("delete everything from last quarter", "all @ 2025-10-01..2026-01-01"),
        ("delete everything from last month", "all @ 2026-02-01..2026-03-01"),
        ("delete everything from this year", "all @ 2026-01-01..2027-01-01"),
        ("delete everything from the last three days", "all @ 2026-03-15T10:30..2026-03-18T10:30"),
        ("delete everything from the last hour", "all @ 2026-03-18T09:30..2026-03-18T10:30"),
        ("delete everything older than six months", "all @ ..2025-09-18T10:30"),
        ("delete everything after 1 March and before 5 March", "all @ 2026-03-02..2026-03-05"),
        ("forget everything about Tilda before 2025", "[Tilda] @ ..2025-01-01"),
        ("forget everything about the choir from last week", "[choir] @ 2026-03-09..2026-03-16"),
        ("clear all health information from last year", "kind health @ 2025-01-01..2026-01-01"),
        ("everything from March 3rd", "all @ 2026-03-03..2026-03-04"),
        ("everything from 29 February", "all @ 2024-02-29..2024-03-01"),
        ("everything from Monday, 2 March 2026", "all @ 2026-03-02..2026-03-03"),
        ("everything from 13/02/2026", "all @ 2026-02-13..2026-02-14"),
        // The night in which an hour is missing.
        ("everything from 29 March 2025", "all @ 2025-03-29..2025-03-30"),
    ]);
}

#[test]
fn exceptions_stay_in_their_own_words() {
    check(&[
        ("forget my salary, but you can remember I work at Heron Ltd", "[salary] - I work at Heron Ltd"),
        ("forget the move but keep my new address", "[move] - new address"),
        ("forget Tilda but remember her birthday", "[Tilda] - birthday"),
        ("forget everything but keep my name", "all - name"),
        ("forget everything except my allergies", "all - allergies"),
        ("forget everything but my name", "all - name"),
        ("delete all except for the Porto flat", "all - Porto flat"),
        ("forget everything about Oskar, except that he is my brother", "[Oskar] - he is my brother"),
        ("forget everything about Oskar, keep his phone number", "[Oskar] - phone number"),
        ("forget Oskar but keep my name and my age", "[Oskar] - name - age"),
        ("forget Oskar but keep my name, my age and that I row", "[Oskar] - name - age - I row"),
        ("forget Oskar but keep Tom and Jerry's shop", "[Oskar] - Tom and Jerry's shop"),
        ("forget Oskar but not his address", "[Oskar] - address"),
        ("forget Oskar but keep his address but keep his birthday", "[Oskar] - address - birthday"),
        ("keep my name but forget my address", "[address] - name"),
        ("forget everything from last week but keep the recipe", "all @ 2026-03-09..2026-03-16 - recipe"),
        ("clear all health information apart from my allergies", "kind health - allergies"),
        ("forget Oskar, keeping his address", "[Oskar] - address"),
        (
            "The pier burned down, so there's no sense keeping it in your notes.",
            "{The pier burned down, so there's no sense keeping it in your notes.}",
        ),
    ]);
}

#[test]
fn sentences_of_all_kinds() {
    check(&[
        ("I no longer want you to remember my PIN", "[PIN]"),
        ("forget what we talked about last Tuesday", "all @ 2026-03-17..2026-03-18"),
        ("forget what we discussed this morning", "all @ 2026-03-18..2026-03-18T12:00"),
        ("forget our last conversation", "? WhichConversation"),
        ("forget the last three things I said", "? What"),
        ("forget John Marsh, not John Marshall", "[John Marsh] - John Marshall"),
        ("purge session 7f3a-b", "session 7f3a-b"),
        ("forget them all", "? What"),
        ("delete old memories", "? What"),
        ("clear location data for last month", "kind location @ 2026-02-01..2026-03-01"),
        ("forget everything but keep my name and birthday", "all - name - birthday"),
        ("forget I ever mentioned Tilda", "[Tilda]"),
        ("forget my conversation with Tilda yesterday", "[Tilda] @ 2026-03-17..2026-03-18"),
        ("forget everything from Tilda", "[Tilda]"),
        ("forget everything that isn't about work", "? What"),
        ("Tilda should be forgotten", "{Tilda should be forgotten}"),
        ("I forgot my password", "{I forgot my password}"),
        ("never mind", "? Unsure"),
        ("forget June Carter", "[June Carter]"),
        ("forget the trip from Rome to Milan", "[trip from Rome to Milan]"),
        ("forget everything about the trip in January", "[trip in January]"),
        ("delete memories from 2024 about Tilda", "[Tilda] @ 2024-01-01..2025-01-01"),
        ("forget everything from before the move", "? LooseTime"),
        ("undo the last thing", "last"),
        ("forget our conversations before the wedding", "? LooseTime"),
        ("forget everything from 1st of March onwards", "all @ 2026-03-01.."),
        ("delete everything in my account", "? What"),
        ("delete my whole history", "all"),
        ("Forget my address. I moved.", "[address]"),
        ("Forget Oskar. Keep Tilda.", "[Oskar] - Tilda"),
        ("Forget Oskar but keep Dr. Marsh", "[Oskar] - Dr. Marsh"),
        ("Forget Mr. J. Marsh", "[Mr. J. Marsh]"),
        ("Forget Heron Inc. and its shares", "[Heron Inc. and its shares]"),
        ("forget \"Heron\", but keep \"the pier\"", "[Heron] - the pier"),
    ]);
}

#[test]
fn every_question_says_what_to_say_instead() {
    let questions = [
        "",
        "Tilda?",
        "keep Tilda",
        "never mind",
        "forget our chat",
        "forget May",
        "forget everything from 3/4/2025",
    ];
    for words in questions {
        let Reading::Unclear(question) = read(words, &now()) else { panic!("{words}") };
        assert!(question.sentence().ends_with('.'), "{question:?}");
        assert!(question.sentence().len() > 40, "{question:?}");
    }
}

#[test]
fn only_narrows_the_reach() {
    check(&[
        ("forget Tilda only", "[Tilda] !"),
        ("forget only Tilda", "[Tilda] !"),
        ("just Tilda", "[Tilda] !"),
        ("forget just my address", "[address] !"),
        ("forget Tilda, nothing else", "[Tilda] !"),
    ]);
}

#[test]
fn what_is_not_understood_is_asked_about() {
    check(&[
        ("", "? What"),
        ("   \n\t ", "? What"),
        ("?!", "? What"),
        ("forget", "? What"),
        ("please forget", "? What"),
        ("forget it", "? What"),
        ("forget the", "? What"),
        ("forget him", "? What"),
        ("delete the memory of it", "? What"),
        ("forget it maybe?", "? Unsure"),
        ("perhaps forget Tilda", "? Unsure"),
        ("forget Tilda or not", "? Unsure"),
        ("do you remember Tilda?", "? NotARequest"),
        ("What do you know about Tilda", "? NotARequest"),
        ("did you forget Tilda?", "? NotARequest"),
        ("can you remember Tilda?", "? Remember"),
        ("should I forget Tilda?", "? NotARequest"),
        ("Tilda?", "? NotARequest"),
        ("why did you forget my birthday", "? NotARequest"),
        ("don't forget Tilda", "? Remember"),
        ("never forget my birthday", "? Remember"),
        ("remember that I row", "? Remember"),
        ("please do not delete my notes", "? Remember"),
        ("forget our conversation", "? WhichConversation"),
        ("forget May", "? TimeOrName"),
        ("forget Friday", "? TimeOrName"),
        ("forget 2024", "? TimeOrName"),
        ("forget everything from 03/04/2025", "? DayOrMonth"),
        ("forget everything from 31 February", "? NoSuchDay"),
        ("forget everything from 2026-02-31", "? NoSuchDay"),
        ("forget everything from yesterday before 2020", "? TwoTimes"),
        ("forget our conversation from Monday from Tuesday", "? TwoTimes"),
        ("forget everything before 1 March and after 5 March", "? TwoTimes"),
        ("forget everything from tomorrow", "? Future"),
        ("forget everything from next week", "? Future"),
        ("forget everything after 2026-05-01", "? Future"),
        ("forget our conversation from two hours ago", "? LooseTime"),
        ("forget our conversation from a few days ago", "? LooseTime"),
        ("forget Oskar but keep his address except the street", "? Nested"),
        ("forget Oskar but keep Tilda but forget Marek", "? Nested"),
        ("forget Oskar but keep", "? KeepWhat"),
        ("forget everything but keep last week", "? KeepWhat"),
        ("forget Oskar but keep Oskar", "? KeepsTheSame"),
    ]);
    assert_eq!(shown(&"forget ".repeat(1_000)), "? TooLong");
    assert_eq!(shown(&format!("forget {}", "but keep ".repeat(100))), "? What");
    assert_eq!(shown(&format!("forget Oskar {}", "but keep ".repeat(100))), "? KeepWhat");
}

#[test]
fn a_message_that_no_frame_reads_is_looked_for_as_a_whole() {
    check(&[
        ("forget Oskar and delete Tilda", "{forget Oskar and delete Tilda}"),
        ("forget Oskar, forget Tilda", "{forget Oskar, forget Tilda}"),
        ("Tilda should be forgotten", "{Tilda should be forgotten}"),
        ("The lighthouse. Away with it, delete it.", "{The lighthouse. Away with it, delete it.}"),
        (
            "Das mit dem Leuchtturm hätte ich gern wieder draußen.",
            "{Das mit dem Leuchtturm hätte ich gern wieder draußen.}",
        ),
        ("Apaga o meu farol. Já não existe.", "{Apaga o meu farol}"),
        ("Forget the pier. It is long gone. Thank you!", "[pier]"),
        ("What happened at the pier that day?", "? NotARequest"),
        ("Forget Oskar. Never forget Tilda.", "[Oskar] - Tilda"),
    ]);
}

#[test]
fn control_characters_are_spaces() {
    check(&[
        ("forget\u{0}everything\u{7}about\u{1b}Tilda", "[Tilda]"),
        ("forget everything\r\nabout Tilda", "[Tilda]"),
        ("forget\u{a0}everything about Tilda\u{2028}", "[Tilda]"),
    ]);
}

#[test]
fn german_french_and_spanish() {
    check(&[
        ("vergiss alles über Tilda", "[Tilda]"),
        ("Bitte vergiss alles über meine Mutter", "[Mutter]"),
        ("Lösche alle Erinnerungen an Oskar", "[Oskar]"),
        ("Kannst du bitte meine Adresse vergessen?", "[Adresse]"),
        ("Ich möchte, dass du mein Gehalt vergisst", "[Gehalt]"),
        ("Ich will nicht, dass du dich an Tilda erinnerst", "[Tilda]"),
        ("vergiss alles", "all"),
        ("vergiss das", "last"),
        ("lösche alle Gesundheitsdaten", "kind health"),
        ("lösche alle finanziellen Informationen", "kind financial"),
        ("vergiss unser Gespräch von gestern", "talk @ 2026-03-17..2026-03-18"),
        ("vergiss unser Gespräch vom letzten Dienstag", "talk @ 2026-03-17..2026-03-18"),
        ("vergiss unsere Gespräche von letzter Woche", "talk @ 2026-03-09..2026-03-16"),
        ("vergiss unser Gespräch vom 3. März", "talk @ 2026-03-03..2026-03-04"),
        ("lösche alles vor 2024", "all @ ..2024-01-01"),
        ("vergiss unser Gespräch von vor zwei Tagen", "talk @ 2026-03-16..2026-03-17"),
        ("vergiss mein Gehalt, aber behalte meinen Arbeitgeber", "[Gehalt] - Arbeitgeber"),
        ("vergiss alles außer meinem Namen", "all - Namen"),
        ("Lösche bitte alles, was ich dir über Oskar erzählt habe", "[Oskar]"),
        ("vergiss alles, was ich gestern gesagt habe", "all @ 2026-03-17..2026-03-18"),
        ("vergiss mein Gespräch mit Oskar von gestern", "[Oskar] @ 2026-03-17..2026-03-18"),
        ("alte Adresse löschen", "[alte Adresse]"),
        ("ich habe Tilda vergessen", "? NotARequest"),
        ("Könntest du alles über Oskar löschen?", "[Oskar]"),
        ("oublie tout ce que je t'ai dit hier", "all @ 2026-03-17..2026-03-18"),
        ("olvida todo lo que te dije sobre Oskar", "[Oskar]"),
        ("borra todo desde enero", "all @ 2026-01-01.."),
        ("weißt du noch, wer Tilda ist?", "? NotARequest"),
        ("vergiss nicht Tilda", "? Remember"),
        ("vergiss vielleicht Tilda", "? Unsure"),
        ("oublie tout sur Tilda", "[Tilda]"),
        ("Peux-tu oublier mon adresse, s'il te plaît ?", "[adresse]"),
        ("oublie tout ce que tu sais sur Oskar", "[Oskar]"),
        ("Supprime tous les souvenirs qui mentionnent Oskar", "[Oskar]"),
        ("je ne veux pas que tu te souviennes de l'appartement", "[appartement]"),
        ("oublie tout", "all"),
        ("oublie ça", "last"),
        ("efface toutes les informations médicales", "kind health"),
        ("efface toutes mes préférences", "kind preferences"),
        ("oublie notre conversation d'hier", "talk @ 2026-03-17..2026-03-18"),
        ("oublie notre conversation de mardi dernier", "talk @ 2026-03-17..2026-03-18"),
        ("oublie notre conversation du 3 mars", "talk @ 2026-03-03..2026-03-04"),
        ("oublie nos conversations de la semaine dernière", "talk @ 2026-03-09..2026-03-16"),
        ("efface tout avant 2024", "all @ ..2024-01-01"),
        ("oublie mon salaire mais garde mon employeur", "[salaire] - employeur"),
        ("n'oublie pas Tilda", "? Remember"),
        ("te souviens-tu de Tilda ?", "? NotARequest"),
        ("olvida todo sobre Tilda", "[Tilda]"),
        ("Por favor, olvida mi dirección", "[dirección]"),
        ("¿Puedes borrar todo lo que sabes sobre Oskar?", "[Oskar]"),
        ("borra todos los recuerdos que mencionan a Oskar", "[Oskar]"),
        ("no quiero que recuerdes mi peso", "[peso]"),
        ("olvida todo", "all"),
        ("olvida eso", "last"),
        ("borra toda la información médica", "kind health"),
        ("borra mis finanzas", "kind financial"),
        ("olvida nuestra conversación de ayer", "talk @ 2026-03-17..2026-03-18"),
        ("olvida nuestra conversación del martes pasado", "talk @ 2026-03-17..2026-03-18"),
        ("olvida nuestra conversación del 3 de marzo", "talk @ 2026-03-03..2026-03-04"),
        ("borra todo antes de 2024", "all @ ..2024-01-01"),
        ("olvida nuestras conversaciones de hace dos días", "talk @ 2026-03-16..2026-03-17"),
        ("olvida mi salario pero recuerda mi empresa", "[salario] - empresa"),
        ("no olvides a Tilda", "? Remember"),
        ("alles über Tilda", "[Tilda]"),
        ("tout sur Tilda", "[Tilda]"),
        ("todo sobre Tilda", "[Tilda]"),
    ]);
}

#[test]
fn a_verb_of_two_languages_is_read_in_the_language_of_the_other_words() {
    check(&[
        ("elimina mi dirección", "[dirección]"),
        ("elimina todo lo que sabes sobre Oskar", "[Oskar]"),
        ("elimina la información médica", "kind health"),
        ("elimina mis finanzas", "kind financial"),
        ("elimina todo antes de 2024", "all @ ..2024-01-01"),
        ("elimina mi salario pero recuerda mi empresa", "[salario] - empresa"),
        ("elimina il mio indirizzo", "[indirizzo]"),
        ("elimina tutto quello che sai di Oskar", "[Oskar]"),
        ("elimina le informazioni mediche", "kind health"),
        ("elimina le mie finanze", "kind financial"),
        ("elimina tutto prima del 2024", "all @ ..2024-01-01"),
        ("elimina il mio stipendio ma conserva la mia azienda", "[stipendio] - azienda"),
    ]);
}

/// Words of which requests are made, and some that no request needs.
const PIECES: &[&str] = &[
    "forget",
    "everything",
    "about",
    "but",
    "keep",
    "except",
    "from",
    "to",
    "before",
    "after",
    "yesterday",
    "last",
    "Tuesday",
    "3",
    "March",
    "2024",
    "31",
    "February",
    "2026-02-30",
    "between",
    "and",
    "our",
    "conversation",
    "two",
    "days",
    "ago",
    "only",
    "Tilda",
    "\"",
    "“",
    "'",
    "l'",
    ",",
    "—",
    "\u{0}",
    "vergiss",
    "alles",
    "über",
    "oublie",
    "d'hier",
    "hace",
    "999",
    "years",
    "all",
    "health",
    "information",
    "#",
    "(",
    ")",
    "张伟",
    "é",
    "the",
    "q4",
    "3-5",
];

proptest! {
    #[test]
    fn no_request_breaks_the_reader_and_spans_are_ordered(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..24),
        noise in "\\PC{0,40}",
        spaced in any::<bool>(),
    ) {
        let text = format!("{} {noise}", pieces.join(if spaced { " " } else { "" }));
        for words in [text.as_str(), &noise, &format!("forget {noise}")] {
            if let Reading::Understood(wish) = read(words, &now()) {
                if let Some(TimeSpan { from: Some(from), until: Some(until) }) = wish.when {
                    prop_assert!(from < until, "{words:?}");
                }
                if let About::Subject(subject) = &wish.about {
                    prop_assert!(subject.chars().any(char::is_alphanumeric), "{words:?}");
                    prop_assert!(tokens::printable(words).contains(subject.as_str()), "{words:?}");
                }
                prop_assert!(wish.keep.iter().all(|kept| !kept.trim().is_empty()), "{words:?}");
            }
        }
    }
}

#[test]
fn a_question_comes_back_in_the_language_of_the_request() {
    for (request, begins) in [
        ("forget it", "What shall"),
        ("vergiss das alles von ihm", "Was soll"),
        ("oublie ce que tu sais", "Que dois-je"),
        ("olvida todo lo de eso", "¿Qué debo"),
        ("dimentica quello che sai di lui", "Che cosa"),
        ("esquece isso que te disse", "O que devo"),
        ("vergeet wat ik daarover heb gezegd", "Wat moet"),
        ("zapomnij o tym wszystkim", "Co mam"),
    ] {
        let sentence = AskedBack::new(Question::What, request).sentence();
        assert!(sentence.starts_with(begins), "{request}: {sentence}");
    }
    for question in [Question::What, Question::Nested, Question::TooLong] {
        assert!(AskedBack::new(question, "vergiss es bitte").sentence().ends_with('.'));
    }
}
