//! A search through many texts answers as if each text were the only one, and as it did before words were read once.

use lacuna_language::topic::{EvidenceText, Inquiry, ReadTexts, Topic, full_names, names_in};

const TEXTS: &[&str] = &[
    "Olga Brandt has the key to the boat house.",
    "Olga came late; the boat-house was locked.",
    "Ольга Брандт звонила вчера.",
    "Dr. Brandt sees me on Thursdays at half past nine.",
    "A frank talk about boats, and about nothing else.",
    "Frank's boat lies beside the old bridge.",
    "My sister Ruth moved to Köln, and Ruth's phone is +44 20 7946 0018.",
    "Ruth and I keep the order HX-4471 in the drawer.",
    "王小明 lent me the ladder.",
    "Während der Fahrt lese ich Krimis.",
    "I read crime novels during the commute.",
    "The invoice 4711 is paid.",
    "",
    "…",
];
const TOPICS: &[&str] = &[
    "Olga Brandt",
    "Frank",
    "the boat house",
    "boats",
    "my sister's phone number",
    "where Ruth lives",
    "order HX-4471",
    "invoice 4711",
    "王小明",
    "what I read",
];

#[test]
fn one_search_through_many_texts_answers_as_one_for_each() {
    for subject in TOPICS {
        let topic = Topic::of(subject);
        let mut search = topic.search();
        // Twice: the second time every word is known already.
        for text in TEXTS.iter().chain(TEXTS) {
            assert_eq!(search.fit(text), topic.fit(text), "{subject}: {text}");
            assert_eq!(search.mention(text), topic.mention(text), "{subject}: {text}");
            let (exact, whole) = (search.fit_if_exact(text), topic.fit(text));
            assert_eq!((exact.exact, exact.part, exact.moment), (whole.exact, whole.part, whole.moment));
        }
    }
}

#[test]
fn texts_read_together_bear_the_names_that_each_bears_alone() {
    let read = ReadTexts::of(TEXTS.iter().map(|text| EvidenceText { text, people: Vec::new() }));
    assert!(read.len() == TEXTS.len() && !read.is_empty());
    for (at, text) in TEXTS.iter().enumerate() {
        assert_eq!(read.names_in(at).count(), names_in(text).len(), "{text}");
    }
    let bearing = read.with_a_part_of("Olga Brandt");
    assert_eq!(bearing, [0, 1, 3]);
    assert!(bearing.iter().any(|at| !full_names(TEXTS[*at]).is_empty()));
}

#[test]
fn evidence_of_a_text_does_not_depend_on_the_order_of_the_others() {
    let texts = |order: &[usize]| {
        ReadTexts::of(order.iter().map(|at| EvidenceText { text: TEXTS[*at], people: Vec::new() }))
    };
    let forward: Vec<usize> = (0..TEXTS.len()).collect();
    let backward: Vec<usize> = forward.iter().rev().copied().collect();
    for subject in TOPICS {
        let inquiry = Inquiry::of(subject, false);
        let mut turned = inquiry.compare(&texts(&backward));
        turned.reverse();
        assert_eq!(inquiry.compare(&texts(&forward)), turned, "{subject}");
    }
}
