use super::*;

fn fit(request: &str, text: &str) -> Fit {
    Topic::of(request).fit(text)
}

#[test]
fn an_identifier_decides_and_the_words_beside_it_do_not() {
    let topic = Topic::of("invoice BX-2040 payment");
    assert!(
        topic.is_exact()
            && topic.says("bx 2040 was sent back")
            && !topic.says("the payment of BX-20400 is late")
    );
}

#[test]
fn names_are_read_with_the_words_that_narrow_them() {
    for (request, names, narrows) in [
        ("Olga", &["Olga"][..], 0),
        ("Olga's car", &["Olga"], 1),
        ("Olga the plumber", &["Olga"], 0),
        ("Olga on the night shift", &["Olga"], 0),
        ("Olga who is on the night shift", &["Olga"], 0),
        ("Olga was in hospital", &["Olga"], 1),
        ("Olga is a compulsive gambler", &["Olga"], 2),
        ("Olga hasn't been to the dentist", &["Olga"], 1),
        ("Olga está en el paro", &["Olga"], 1),
        ("Olga était en prison", &["Olga"], 1),
        ("student Olga Brandt", &["Olga Brandt"], 0),
        ("Customer Olga Brandt", &["Olga Brandt"], 0),
        ("Olga Brandt / patient record", &["Olga Brandt"], 0),
        ("Olga Brandt / Olly Brandt", &["Olga Brandt", "Olly Brandt"], 0),
        ("Brandt / GmbH", &["Brandt"], 0),
        ("trip to Ghent", &["Ghent"], 1),
        ("Ludwig van Aken", &["Ludwig van Aken"], 0),
        ("where I live", &[], 1),
        ("the broken boiler", &[], 2),
    ] {
        let topic = Topic::of(request);
        let read: Vec<&str> = topic.names().iter().map(|name| name.written.as_str()).collect();
        assert_eq!(read, names, "{request}");
        assert_eq!(topic.terms.len(), narrows, "{request}: {:?}", topic.terms);
    }
}

#[test]
fn a_name_is_not_an_ordinary_word() {
    assert!(fit("Frank", "Frank repairs clocks").named.is_some());
    assert!(fit("Frank", "It was a frank talk").named.is_none());
    assert!(
        fit("Olga", "Olgas are rare").named.is_none() || fit("Olga", "Olgarth is a hill").named.is_none()
    );
}

#[test]
fn a_name_is_known_in_other_spellings_and_scripts() {
    assert_eq!(fit("Olga Brandt", "Ольга Брандт rang").named, Some(Closeness::Direct));
    assert_eq!(fit("Project Heron", "Project Heron 2 is late").named, None);
    assert_eq!(fit("Project Heron", "Project Heron is late").named, Some(Closeness::Direct));
    assert_eq!(fit("Head of Sales", "She is head of sales").named, None);
    assert_eq!(fit("Head Sales", "She is Head of Sales").named, Some(Closeness::Direct));
}

#[test]
fn a_topic_is_said_literally_or_by_another_word_for_it() {
    assert_eq!(fit("my broken boiler", "The boiler has broken again").literal, 1.0);
    assert_eq!(fit("where I live", "I moved to Ghent in May").covered, 1.0);
    assert_eq!(fit("where I live", "The moon is far away").covered, 0.0);
    assert_eq!(fit("user marital status", "She got divorced").covered, 1.0);
    assert_eq!(fit("sales reports", "sales-team reports").literal, 0.5);
}

#[test]
fn general_words_count_only_when_there_is_nothing_else() {
    assert_eq!(fit("account information", "The account was closed").literal, 0.5);
    assert_eq!(fit("boiler information", "The boiler is loud").literal, 1.0);
}
