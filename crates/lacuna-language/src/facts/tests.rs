use Verdict::{Same, Supersedes, SupersedesPart, Undecided, Unrelated};

use super::*;

/// An older text, a newer one, and what the newer one does to it.
const PAIRS: &[(&str, &str, Verdict)] = &[
    // Where somebody lives
    ("I live in Oslo.", "I live in Bergen.", Supersedes),
    ("I live in Oslo.", "I moved to Bergen last month.", Supersedes),
    ("I live in Oslo.", "I now live in Bergen.", Supersedes),
    ("User lives in Oslo.", "User relocated to Tampere.", Supersedes),
    ("The user lives in Oslo", "I live in Bergen", Supersedes),
    ("I'm based in Oslo.", "I've just moved to Bergen.", Supersedes),
    ("I live in Oslo.", "I no longer live in Oslo.", Supersedes),
    ("I live in Oslo.", "I don't live in Oslo anymore.", Supersedes),
    ("I live in Oslo.", "We moved from Oslo to Turin.", Supersedes),
    ("I live in Oslo.", "I live in Oslo, Norway.", Same),
    ("I live in Oslo.", "I still live in Oslo.", Same),
    ("I live in Oslo with two cats.", "I live in Oslo.", Same),
    ("I live in Norway.", "I live in Oslo.", Undecided),
    ("I live in Oslo.", "I live in Norway.", Undecided),
    ("I live in Norway.", "I live in Portugal.", Supersedes),
    ("I live in Oslo.", "I might move to Bergen.", Undecided),
    ("I live in Oslo.", "I am thinking of moving to Bergen.", Undecided),
    ("I live in Oslo.", "I would like to live in Bergen.", Undecided),
    ("I live in Oslo.", "I'm moving to Bergen in May.", Undecided),
    ("I live in Oslo.", "I will move to Bergen.", Undecided),
    ("I live in Oslo.", "I used to live in Bergen.", Unrelated),
    ("I live in Oslo.", "I used to live in Oslo.", Undecided),
    ("I live in Oslo.", "I lived in Bergen until 2019.", Unrelated),
    ("I live in Oslo.", "I grew up in Bergen.", Unrelated),
    ("I used to live in Bergen.", "I live in Oslo.", Unrelated),
    ("I lived in Rome.", "I live in Oslo.", Unrelated),
    ("I live in Oslo.", "Do I live in Bergen?", Unrelated),
    ("I live in Oslo.", "My sister lives in Bergen.", Unrelated),
    ("I live in Oslo.", "Ana lives in Bergen.", Unrelated),
    ("Ana lives in Oslo.", "Ana lives in Bergen.", Supersedes),
    ("Ana lives in Oslo.", "Tom lives in Bergen.", Unrelated),
    ("My sister lives in Oslo.", "My sister lives in Bergen.", Undecided),
    ("My mother lives in Oslo.", "My mother lives in Bergen.", Supersedes),
    ("My sister Ana lives in Oslo.", "My sister Ana moved to Bergen.", Supersedes),
    ("My sister lives in Oslo.", "My sister Ana lives in Bergen.", Undecided),
    ("Ana lives in Oslo.", "My sister Ana lives in Bergen.", Undecided),
    ("My sister Ana lives in Oslo.", "My sister Eva lives in Bergen.", Unrelated),
    ("My sister lives in Oslo.", "My brother lives in Bergen.", Unrelated),
    ("She lives in Oslo.", "She lives in Bergen.", Unrelated),
    ("I live in Oslo and work at Acme.", "I live in Bergen.", SupersedesPart),
    ("I live in Oslo and work at Acme.", "I live in Bergen and work at Bolt.", Undecided),
    ("I live in Oslo. The flat has a red door and a view.", "I moved to Bergen.", Undecided),
    ("I live in Oslo.", "I moved to a bigger flat.", Unrelated),
    ("I live in Oslo.", "I am living in Rome for the summer.", Undecided),
    ("Ich wohne in Köln.", "Ich wohne jetzt in Bonn.", Supersedes),
    ("Ich wohne in Köln.", "Ich bin nach Bonn gezogen.", Supersedes),
    ("Ich wohne in Köln.", "Ich wohne nicht mehr in Köln.", Supersedes),
    ("Ich wohne in Köln.", "Früher habe ich in Bonn gewohnt.", Unrelated),
    ("J'habite à Lyon.", "J'habite maintenant à Nantes.", Supersedes),
    ("J'habite à Lyon.", "J'ai déménagé à Nantes.", Supersedes),
    ("J'habite à Lyon.", "J'habite à Lyon.", Same),
    ("Ich wohne in Köln.", "Ich wohne in Deutschland.", Undecided),
    ("Ich wohne in Köln.", "Ich wohne in Angst.", Undecided),
    ("J'habite à Lyon.", "J'habite en France.", Undecided),
    ("J'habite à Lyon.", "J'habite en Belgique.", Undecided),
    ("Vivo en Sevilla.", "Vivo en Andalucía.", Undecided),
    ("Vivo en España.", "Vivo en Francia.", Supersedes),
    ("Vivo a Roma.", "Vivo in Piemonte.", Undecided),
    ("Vivo in Italia.", "Vivo in Spagna.", Supersedes),
    ("Vivo en Sevilla.", "Me mudé a Cádiz.", Supersedes),
    ("Vivo en Sevilla.", "Ahora vivo en Cádiz.", Supersedes),
    ("Vivo en Sevilla.", "I live in Cadiz.", Supersedes),
    // Work
    ("I work at Acme.", "I work at Bolt.", Undecided),
    ("I work at Acme.", "I now work for Bolt.", Supersedes),
    ("I work at Acme.", "I joined Bolt last week.", Undecided),
    ("I work at Acme.", "I got a new job at Bolt.", Supersedes),
    ("I work at Acme.", "I quit Acme.", Supersedes),
    ("I work at Acme.", "I left Acme.", Supersedes),
    ("I work at Acme.", "I work at Acme Corp.", Same),
    ("I work at Acme.", "I work as a nurse.", Unrelated),
    ("I work as a nurse.", "I work as a teacher.", Supersedes),
    ("I work as a nurse.", "I worked as a teacher.", Unrelated),
    ("I work as a nurse.", "I have been promoted to head nurse.", Same),
    ("I work at Acme.", "I worked at Bolt before.", Unrelated),
    ("I work at Acme.", "I may work for Bolt next year.", Undecided),
    ("I work at Acme.", "My wife works at Bolt.", Unrelated),
    ("My wife works at Acme.", "My wife works at Bolt.", Undecided),
    ("My employer is Acme.", "I work for Bolt.", Undecided),
    ("My job title is engineer.", "My job title is director.", Supersedes),
    ("Ich arbeite bei Acme.", "Ich arbeite jetzt bei Bolt.", Supersedes),
    ("Je travaille chez Acme.", "Je travaille chez Bolt.", Undecided),
    ("Trabajo en Acme.", "Ahora trabajo para Bolt.", Supersedes),
    ("I earn 50,000 a year.", "I earn 60,000 a year.", Supersedes),
    ("My salary is 50,000.", "My salary is 50000.", Same),
    ("My salary is $50,000.", "My salary is now $55,000.", Supersedes),
    ("I work at Acme.", "I work at the library on weekends.", Undecided),
    ("I work at Acme.", "I also work at Bolt.", Undecided),
    ("I work at Acme.", "I work at a bank.", Undecided),
    ("I work at Acme.", "I work for myself.", Undecided),
    ("I work at Acme.", "I left Acme early today.", Undecided),
    ("My job title is engineer.", "My job is stressful.", Undecided),
    ("I earn 50,000 a year.", "I make 5 cups of tea a day.", Unrelated),
    ("I earn 60,000 a year.", "I earn 5,000 a month.", Undecided),
    ("I live in Oslo.", "I live in a small flat.", Undecided),
    ("I live in Oslo.", "I live at 12 Elm Street.", Unrelated),
    ("I live in Oslo.", "We moved to Slack.", Unrelated),
    ("I live in Oslo.", "If I get the job, I move to Bergen.", Undecided),
    ("I live in Oslo.", "Ana said, I live in Bergen.", Undecided),
    ("i live in oslo", "i live in bergen", Supersedes),
    ("i live in oslo", "i live in peace", Undecided),
    // Favourites
    ("My favourite colour is blue.", "My favorite color is green.", Supersedes),
    ("My favourite colour is blue.", "My favourite colour is dark blue.", Same),
    ("My favourite colour is blue.", "My favourite film is Alien.", Unrelated),
    ("My favourite colour is blue.", "Green is my favourite colour.", Supersedes),
    ("My favourite colour is blue.", "My favourite colour is blue or green.", Same),
    ("My favourite colour is red.", "My favourite colour is blue or green.", Undecided),
    ("My favourite colour is blue.", "My favourite colour used to be red.", Unrelated),
    ("My favourite colour is blue.", "My favourite colour might be green.", Undecided),
    ("My favourite colour is blue.", "Ana's favourite colour is green.", Unrelated),
    ("Ana's favourite tea is green.", "Ana's favourite tea is black.", Supersedes),
    ("My favourite bands are Foo and Bar.", "My favourite bands are Baz and Qux.", Undecided),
    ("Meine Lieblingsfarbe ist Blau.", "Meine Lieblingsfarbe ist jetzt Grün.", Supersedes),
    ("Ma couleur préférée est le bleu.", "Ma couleur préférée est le vert.", Supersedes),
    ("Mi color favorito es el azul.", "Mi color favorito es el verde.", Supersedes),
    // Names, numbers, addresses
    ("My name is Tom.", "My name is Tim.", Supersedes),
    ("My name is Tom.", "My name is Tom Miller.", Same),
    ("Ich heiße Tom.", "Ich heiße jetzt Tim.", Supersedes),
    ("Je m'appelle Anne.", "Je m'appelle Zoé.", Supersedes),
    ("Me llamo Ana.", "Me llamo Eva.", Supersedes),
    ("My phone number is 555 0101.", "My phone number is 555 0199.", Supersedes),
    ("My mobile number is 555 0101.", "My phone number has changed to 555 0199.", Supersedes),
    ("My email is a@one.example.", "My e-mail address is now b@two.example.", Supersedes),
    ("My email is a@one.example.", "My email is a@one.example.", Same),
    ("My address is 12 Elm Street.", "My address is 14 Elm Street.", Supersedes),
    ("My address is 12 Elm Street.", "My sister's address is 14 Oak Lane.", Unrelated),
    ("My birthday is March 3.", "My birthday is on 3 March.", Same),
    ("My birthday is March 3.", "My birthday is May 5.", Supersedes),
    ("Ana's birthday is May 5.", "Ana's birthday is May 6.", Supersedes),
    ("Ana's birthday is May 5.", "Eva's birthday is May 6.", Unrelated),
    ("I am 34 years old.", "I am 35.", Supersedes),
    ("I am 35.", "I turned 36 today.", Supersedes),
    ("I am 35 years old.", "I am 34.", Undecided),
    ("My timezone is CET.", "My time zone is EST.", Supersedes),
    ("My height is 180 cm.", "My weight is 80 kg.", Unrelated),
    ("My name is Tom.", "My name is hard to spell.", Undecided),
    ("My email is a@one.example.", "My email is full.", Unrelated),
    ("My phone is 555 0101.", "My phone is broken.", Unrelated),
    ("My favourite team is Ajax.", "My favourite team is losing.", Undecided),
    ("My sister's name is Ana.", "My sister's name is Eva.", Undecided),
    ("My wife's name is Ana.", "My wife's name is Eva.", Supersedes),
    // State
    ("I am vegetarian.", "I'm vegan now.", Supersedes),
    ("I am vegan.", "I have been vegan since 2019.", Same),
    ("I am vegetarian.", "I am vegan.", Supersedes),
    ("I'm a vegetarian.", "I am no longer vegetarian.", Supersedes),
    ("I am vegetarian.", "I am not vegetarian.", Undecided),
    ("I am vegetarian.", "I might become vegan.", Undecided),
    ("I am single.", "I got married.", Supersedes),
    ("I am married.", "I am divorced.", Supersedes),
    ("I am single.", "Ana is married.", Unrelated),
    ("I drive a Volvo.", "I drive a Tesla.", Undecided),
    ("My boss is Anna.", "My boss is strict.", Unrelated),
    ("My boss is Anna.", "My boss is Peter.", Undecided),
    ("My car is red.", "My car is a Tesla.", Unrelated),
    ("My dog is sick.", "My dog is a beagle.", Unrelated),
    // Dates and meetings
    ("The deadline is Friday.", "The deadline is Monday.", Supersedes),
    ("The deadline is on Friday.", "The deadline has been moved to Monday.", Supersedes),
    ("The deadline is Friday.", "The deadline is tight.", Unrelated),
    ("The deadline is Friday.", "The deadline is on Friday.", Same),
    ("The deadline for Apollo is Friday.", "The deadline for Zeus is Monday.", Unrelated),
    ("We meet on Tuesdays.", "We now meet on Thursdays.", Supersedes),
    ("We meet on Tuesdays.", "We meet every Tuesday.", Same),
    ("We meet on Tuesdays.", "We meet at 5 pm.", Unrelated),
    ("The meeting is at 5 pm.", "The meeting is at 6 pm.", Supersedes),
    ("The meeting is at 5 pm.", "The meeting was moved to 6 pm.", Supersedes),
    ("The meeting is on Friday.", "The meeting was on Monday.", Unrelated),
    ("The meeting is on Friday.", "The meeting will probably be on Monday.", Undecided),
    ("The price is 40 euros.", "The price is 45 euros.", Supersedes),
    ("My rent is 900.", "My rent is now 950.", Supersedes),
    ("My appointment is on May 4.", "My appointment is on May 9.", Undecided),
    ("My appointment is on May 4.", "My appointment has been moved to May 9.", Supersedes),
    // Many values at a time
    ("I like tea.", "I like coffee.", Unrelated),
    ("I like tea.", "I like tea.", Same),
    ("I like tea.", "I no longer like tea.", Supersedes),
    ("I like tea.", "I hate tea.", Undecided),
    ("I like tea.", "I hate coffee.", Unrelated),
    ("I hate tea.", "I now like tea.", Supersedes),
    ("I am allergic to nuts.", "I am allergic to eggs.", Unrelated),
    ("I am allergic to nuts.", "I am not allergic to nuts.", Undecided),
    ("I am allergic to nuts.", "I am no longer allergic to nuts.", Supersedes),
    ("I speak French.", "I speak German.", Unrelated),
    ("I have two kids.", "I have three kids.", Undecided),
    ("I have a dog.", "I have a cat.", Unrelated),
    // Preferences and switches
    ("I prefer tea over coffee.", "I prefer coffee over tea.", Supersedes),
    ("I prefer tea over coffee.", "I prefer aisle seats over window seats.", Unrelated),
    ("I prefer tea over coffee.", "I prefer tea to coffee.", Same),
    ("I like tea.", "I switched from tea to coffee.", Supersedes),
    ("I like tea.", "I switched from cola to coffee.", Unrelated),
    ("I like tea.", "I might switch from tea to coffee.", Undecided),
    ("I use Vim as my editor.", "I use Emacs as my editor.", Undecided),
    // Dated facts
    ("I live in Oslo.", "Until 2024 I lived in Oslo, since then in Bergen.", Supersedes),
    ("I live in Oslo.", "I lived in Oslo until 2024, since then I have lived in Bergen.", Supersedes),
    ("I live in Oslo.", "Until 2024 I lived in Oslo. Since then I live in Bergen.", Supersedes),
    ("I work at Acme.", "Until 2024 I worked at Acme, since then at Bolt.", Supersedes),
    ("I work at Cog.", "Until 2024 I worked at Acme, since then at Bolt.", Supersedes),
    ("Ana works at Acme.", "Until May 2024 Ana worked at Acme, and since then at Bolt.", Supersedes),
    ("Until 2024 I lived in Oslo, since then in Bergen.", "I live in Bergen.", Same),
    ("Until 2024 I lived in Oslo, since then in Bergen.", "I moved to Turin.", SupersedesPart),
    ("Until 2024 I lived in Oslo, since then in Bergen.", "I live in Oslo.", SupersedesPart),
    ("Until 2024 I lived in Oslo.", "I live in Turin.", Unrelated),
    ("I live in Turin.", "Until 2024 I lived in Oslo.", Unrelated),
    ("I live in Oslo.", "Since 2019 I have lived in Oslo.", Same),
    ("I live in Oslo.", "Since 2024 I have lived in Bergen.", Supersedes),
    // Several of whom it is said
    ("Yuri and Zoe both live in Oslo.", "Zoe lives in Bergen now.", SupersedesPart),
    ("Yuri and Zoe both live in Oslo.", "Yuri and Zoe both live in Bergen.", Supersedes),
    ("Yuri and Zoe live in Oslo.", "Yuri moved to Bergen.", SupersedesPart),
    ("Both Yuri and Zoe live in Oslo.", "Ana lives in Bergen.", Unrelated),
    ("Yuri, Ana and Zoe each live in Oslo.", "Ana lives in Bergen.", SupersedesPart),
    ("Zoe lives in Oslo.", "Yuri and Zoe both live in Bergen.", Supersedes),
    ("Yuri and Zoe both like tea.", "Zoe no longer likes tea.", SupersedesPart),
    // Denials of what no pattern reads
    ("Zoe never wears glasses.", "Zoe wears glasses now.", Supersedes),
    ("Zoe wears glasses.", "Zoe no longer wears glasses.", Supersedes),
    ("Zoe wears glasses.", "Zoe never wears glasses.", Undecided),
    ("Zoe never wears glasses.", "Zoe wears glasses.", Undecided),
    ("Zoe doesn't wear glasses.", "Zoe wears glasses.", Undecided),
    ("Zoe never wears glasses.", "Yuri wears glasses now.", Unrelated),
    ("Zoe never wears glasses.", "Zoe never wears hats.", Unrelated),
    ("Zoe never wears glasses.", "Zoe might wear glasses.", Unrelated),
    ("Zoe never wears glasses.", "Zoe wore glasses as a child.", Unrelated),
    ("I keep bees.", "I don't keep bees anymore.", Supersedes),
    ("Ich trage eine Brille.", "Ich trage keine Brille mehr.", Supersedes),
    ("Ich trage eine Brille.", "Ich trage nie eine Brille.", Undecided),
    ("Zoe plays chess. Zoe never wears glasses.", "Zoe wears glasses now.", Undecided),
    // Nothing to compare
    ("It rained today.", "It snowed today.", Unrelated),
    ("", "I live in Oslo.", Unrelated),
    ("I live in Oslo.", "", Unrelated),
    ("I live in Oslo.", "Buy milk and bread.", Unrelated),
    ("I live for music.", "I live in Oslo.", Unrelated),
    ("I work hard.", "I work at Acme.", Unrelated),
];

#[test]
fn pairs_are_judged_as_a_careful_reader_would() {
    assert!(PAIRS.len() >= 120);
    let mut wrong = Vec::new();
    for (old, new, expected) in PAIRS {
        let verdict = compare(old, new);
        if verdict != *expected {
            wrong.push(format!(
                "{old} → {new}: {verdict:?}, not {expected:?}\n  {:?}\n  {:?}",
                statements(old),
                statements(new)
            ));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn related_texts_share_a_key() {
    for (old, new, verdict) in PAIRS {
        if *verdict != Unrelated {
            let (old_keys, new_keys) = (attribute_keys(old), attribute_keys(new));
            assert!(
                old_keys.iter().any(|key| new_keys.contains(key)),
                "{old} | {new}: {old_keys:?} {new_keys:?}"
            );
        }
    }
}

#[test]
fn what_is_left_of_an_older_text_is_what_still_holds() {
    for (old, new, left) in [
        ("Yuri and Zoe both live in Oslo.", "Zoe lives in Bergen now.", Some("Yuri lives in Oslo.")),
        ("Yuri and Zoe both live in Oslo.", "Yuri moved to Bergen.", Some("Zoe lives in Oslo.")),
        (
            "Yuri, Ana and Zoe each live in Oslo.",
            "Ana lives in Bergen.",
            Some("Yuri lives in Oslo, and Zoe lives in Oslo."),
        ),
        ("Yuri and Zoe live in Oslo.", "Zoe lives in Bergen now.", Some("Yuri lives in Oslo.")),
        ("I live in Oslo and work at Acme.", "I live in Bergen.", Some("I work at Acme.")),
        (
            "Until 2024 I lived in Oslo, since then in Bergen.",
            "I moved to Turin.",
            Some("Until 2024 I lived in Oslo."),
        ),
        (
            "Until 2024 I lived in Oslo. Since then I have lived in Bergen.",
            "I moved to Turin.",
            Some("Until 2024 I lived in Oslo."),
        ),
        ("I live in Oslo.", "I moved to Turin.", None),
    ] {
        let rest = without(old, &claims(new), &[Supersedes]);
        assert_eq!(rest.as_deref(), left, "{old} | {new}");
    }
}

#[test]
fn every_pattern_compiles() {
    assert!(read::compiles());
}

#[test]
fn a_statement_is_normalised() {
    let read = statements("My sister Ana now lives in Kraków, Poland.");
    assert_eq!(read.len(), 1);
    assert_eq!((read[0].subject.as_str(), read[0].attribute.as_str()), ("sister ana", "residence"));
    assert_eq!(read[0].value, "krakow, poland");
    assert!(read[0].changed && !read[0].negated && read[0].mood == Mood::Fact);
}

proptest::proptest! {
    #[test]
    fn any_text_can_be_read(old in ".{0,200}", new in ".{0,200}") {
        let _ = compare(&old, &new);
        let _ = attribute_keys(&old);
    }

    #[test]
    fn a_text_never_supersedes_itself(place in "[A-Z][a-z]{2,8}", verb in "(live in|work at|moved to|no longer live in|might move to)") {
        let text = format!("I {verb} {place}.");
        proptest::prop_assert_ne!(compare(&text, &text), Supersedes);
    }
}
