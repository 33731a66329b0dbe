use super::*;
use crate::classify::{PERSON, entity_key};

/// A memory of a story: its text, its conversation, the others it mentions.
type Told<'a> = (&'a str, &'a str, &'a [&'a str]);

/// The clusters of a story, each as its label and the numbers of its memories.
fn told(name: &str, story: &[Told<'_>]) -> Vec<(String, Vec<usize>)> {
    let sessions: Vec<Option<SessionId>> =
        story.iter().map(|(_, session, _)| SessionId::new(session).ok()).collect();
    let others: Vec<Vec<String>> = story
        .iter()
        .map(|(.., others)| others.iter().map(|other| entity_key(PERSON, other)).collect())
        .collect();
    let ids: Vec<MemoryId> =
        (0..story.len()).map(|at| MemoryId::from_bytes([u8::try_from(at).unwrap(); 16])).collect();
    let views: Vec<View<'_>> = (0..story.len())
        .map(|at| View {
            id: ids[at],
            text: story[at].0,
            entities: &[],
            session: sessions[at].as_ref(),
            others: &others[at],
        })
        .collect();
    clusters(name, &views)
        .into_iter()
        .map(|cluster| {
            assert_eq!(cluster.count, cluster.members.len());
            let members = cluster.members.iter().map(|id| ids.iter().position(|other| other == id).unwrap());
            (cluster.label, members.collect())
        })
        .collect()
}

fn expect(name: &str, story: &[Told<'_>], expected: &[(&str, &[usize])]) {
    let found = told(name, story);
    let found: Vec<(&str, &[usize])> =
        found.iter().map(|(label, members)| (label.as_str(), members.as_slice())).collect();
    assert_eq!(found, expected);
}

#[test]
fn surname_relation_and_role_tell_people_apart() {
    expect(
        "Oskar",
        &[
            ("My brother Oskar moved to Graz", "a", &[]),
            ("My brother Oskar has a new dog", "a", &[]),
            ("Oskar, my brother, is left-handed", "b", &[]),
            ("My colleague Oskar Lind reviewed the draft", "c", &[]),
            ("Oskar Lind likes tea", "c", &[]),
            ("Oskar, the contractor who fixed the fence, sent a bill", "d", &[]),
        ],
        &[
            ("Oskar (your brother)", &[0, 1, 2]),
            ("Oskar Lind (colleague)", &[3, 4]),
            ("Oskar (contractor)", &[5]),
        ],
    );
}

#[test]
fn one_person_is_no_question() {
    expect(
        "Oskar",
        &[("Oskar came by", "a", &[]), ("I owe Oskar ten euros", "b", &[])],
        &[("Oskar", &[0, 1])],
    );
    // Only one Oskar is known, and nothing speaks of another.
    expect(
        "Oskar",
        &[("My brother Oskar came by", "a", &[]), ("I owe Oskar ten euros", "b", &[])],
        &[("Oskar (your brother)", &[0, 1])],
    );
    expect(
        "Oskar",
        &[
            ("My brother Oskar Lind came by", "a", &[]),
            ("Oskar Lind called", "b", &[]),
            ("My brother Oskar sings", "b", &[]),
        ],
        &[("Oskar Lind (your brother)", &[0, 1, 2])],
    );
    expect("Oskar", &[], &[]);
}

#[test]
fn memories_without_a_sign_go_where_their_company_is() {
    expect(
        "Tilda",
        &[
            ("My sister Tilda had lunch with Marek", "a", &["Marek"]),
            ("Tilda, the dentist, is on Harbour Street", "b", &["Harbour"]),
            ("Tilda laughed about it", "a", &[]),
            ("Marek and Tilda went home", "c", &["Marek"]),
            ("Tilda moved my appointment", "b", &[]),
            ("Tilda was late", "d", &[]),
        ],
        &[("Tilda (your sister)", &[0, 2, 3]), ("Tilda (dentist)", &[1, 4]), ("Tilda (unclear)", &[5])],
    );
}

#[test]
fn a_tie_is_not_guessed() {
    expect(
        "Tilda",
        &[
            ("My sister Tilda knows Marek", "a", &["Marek"]),
            ("Tilda the dentist knows Marek", "b", &["Marek"]),
            ("Marek met Tilda", "c", &["Marek"]),
        ],
        &[("Tilda (dentist)", &[1]), ("Tilda (your sister)", &[0]), ("Tilda (unclear)", &[2])],
    );
}

#[test]
fn a_sign_that_two_bear_is_nobodys_own() {
    expect(
        "Oskar",
        &[
            ("My colleague Oskar Lind is on leave", "a", &[]),
            ("My colleague Oskar Brandt is back", "b", &[]),
            ("My colleague Oskar brought cake", "c", &[]),
        ],
        &[("Oskar (colleague)", &[2]), ("Oskar Brandt", &[1]), ("Oskar Lind", &[0])],
    );
}

#[test]
fn where_somebody_is_from_is_a_sign() {
    expect(
        "Ines",
        &[
            ("Ines from Heron called about the offer", "a", &[]),
            ("Ines at Heron is away", "b", &[]),
            ("Our plumber Ines repaired the tap", "c", &[]),
            ("The plumber, Ines, sent a bill", "d", &[]),
            ("Ines is our plumber", "e", &[]),
        ],
        &[("Ines (plumber)", &[2, 3, 4]), ("Ines (from Heron)", &[0, 1])],
    );
}

#[test]
fn a_memory_of_two_belongs_to_both() {
    expect(
        "Oskar",
        &[
            ("My brother Oskar met Oskar Lind", "a", &[]),
            ("My brother Oskar sings", "b", &[]),
            ("Oskar Lind sings too", "c", &[]),
        ],
        &[("Oskar (your brother)", &[0, 1]), ("Oskar Lind", &[0, 2])],
    );
}

#[test]
fn spellings_and_scripts_of_one_full_name_are_one() {
    expect(
        "Ivan",
        &[
            ("Ivan Petrov called", "a", &[]),
            ("Вчера звонил Иван Петров", "b", &[]),
            ("Ivan S. Petrov wrote", "c", &[]),
            ("My uncle Ivan fishes", "d", &[]),
        ],
        &[("Ivan Petrov", &[0, 1, 2]), ("Ivan (your uncle)", &[3])],
    );
}

#[test]
fn things_given_to_somebody_are_no_role() {
    expect(
        "Oskar",
        &[
            ("I gave Oskar the keys", "a", &[]),
            ("My brother Oskar sings", "b", &[]),
            ("I showed Oskar the garden", "c", &[]),
        ],
        &[("Oskar (your brother)", &[0, 1, 2])],
    );
}

#[test]
fn what_was_stored_with_a_memory_counts() {
    let entity = |name: &str, relation: Option<&str>| Entity {
        kind: PERSON.into(),
        name: name.into(),
        primary: true,
        relation: relation.map(str::to_owned),
    };
    let (uncle, boss) = ([entity("Oskar", Some("uncle"))], [entity("Oskar Lind", Some("boss"))]);
    let view = |byte, entities| View {
        id: MemoryId::from_bytes([byte; 16]),
        text: "Oskar came by",
        entities,
        session: None,
        others: &[],
    };
    let found = clusters("Oskar", &[view(1, &uncle), view(2, &boss), view(3, &boss)]);
    let labels: Vec<(&str, usize)> =
        found.iter().map(|cluster| (cluster.label.as_str(), cluster.count)).collect();
    assert_eq!(labels, [("Oskar Lind (boss)", 2), ("Oskar (your uncle)", 1)]);
}

#[test]
fn surnames_tell_people_apart_in_any_language() {
    for (name, story, expected) in [
        (
            "Rocío",
            ["Rocío Valdés, la del tercero, me riega las plantas", "Rocío Maldonado me hace la declaración"],
            ["Rocío Maldonado", "Rocío Valdés"],
        ),
        // A word of its own in Spanish, which no list of names has.
        (
            "Remedios",
            ["A Remedios Quiroga le debo una visita", "Remedios de Castro cobra 40 euros la hora"],
            ["Remedios Quiroga", "Remedios de Castro"],
        ),
        (
            "Benoît",
            ["Benoît Carlier répare ma chaudière depuis dix ans", "J'ai prêté ma perceuse à Benoît Ferrand"],
            ["Benoît Carlier", "Benoît Ferrand"],
        ),
        (
            "Chiara",
            ["Chiara Bellomo mi fa le pulizie il venerdì", "Devo cinquanta euro a Chiara Zanetti"],
            ["Chiara Bellomo", "Chiara Zanetti"],
        ),
        (
            "Marek",
            ["Marek Zieliński naprawia mój rower", "Pożyczyłam Marek Wrona sto złotych"],
            ["Marek Wrona", "Marek Zieliński"],
        ),
        (
            "Joost",
            ["Joost Verbeek heeft mijn reservesleutel", "Op dinsdag zwem ik met Joost Hofman"],
            ["Joost Hofman", "Joost Verbeek"],
        ),
        (
            "Jutta",
            ["Jutta Brandes gießt meine Blumen", "Dienstags turne ich mit Jutta Kolbe"],
            ["Jutta Brandes", "Jutta Kolbe"],
        ),
    ] {
        let story: Vec<Told<'_>> = story.iter().map(|text| (*text, "", &[][..])).collect();
        let labels: Vec<String> = told(name, &story).into_iter().map(|(label, _)| label).collect();
        let as_expected = labels.iter().zip(expected).all(|(label, expected)| label.starts_with(expected));
        assert!(labels.len() == expected.len() && as_expected, "{labels:?}");
    }
}
