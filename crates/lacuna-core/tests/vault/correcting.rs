//! Corrections: what is said now takes the place of what was said, and nothing else is touched.

use lacuna_core::Lacuna;
use lacuna_core::audit::{AuditAction, Subject};
use lacuna_core::govern::Decision;
use lacuna_core::permit::{ReadAudit, Recall, Remember, Review};
use lacuna_core::vault::{Cause, Named, ProbePath, SignedReceipt};
use lacuna_core::write::{Corrected, Correction};
use lacuna_store::rows::FaultTiming;
use lacuna_types::Error;
use lacuna_types::request::Mode;
use lacuna_types::*;

use crate::{Calls, World, draft, grant, scope};

fn correct(service: &Lacuna, about: &str, text: &str) -> Corrected {
    let what = Correction::Words(about.to_owned());
    service.correct(&grant::<Remember>("anna"), &what, draft(text)).unwrap()
}

/// Every text of the vault, in the order of the alphabet.
fn all(service: &Lacuna) -> Vec<String> {
    let page = service.list(&grant::<Recall>("anna"), &Default::default(), None, 100).unwrap();
    let mut texts: Vec<_> =
        page.memories.iter().map(|memory| memory.content.full_text().expose().to_owned()).collect();
    texts.sort();
    texts
}

#[test]
fn what_a_correction_is_about_is_found_and_replaced() {
    for (about, old, new) in [
        ("where I live", "I live in Ghent.", "I live in Tartu."),
        ("my employer", "I work at Fabrikam as a welder.", "I joined a bakery in spring."),
        ("my diet", "I have been vegan since school.", "I eat fish now and then."),
        ("marital status", "I am engaged to Pia.", "Pia and I got divorced in May."),
        ("invoice BX-2041", "Invoice BX-2041 is unpaid.", "Invoice bx 2041 was paid on Monday."),
    ] {
        let world = World::ram();
        let service = world.service();
        let bystander = "The ferry to the island leaves at noon.";
        service.keep("anna", bystander).unwrap();
        let old_id = service.keep("anna", old).unwrap();
        match correct(&service, about, new) {
            Corrected::Done { replaced, left_some, memory, .. } => {
                assert_eq!((replaced, left_some), (old_id, false), "{about}");
                assert_eq!(memory.supersedes, [old_id]);
            }
            other => panic!("{about}: {other:?}"),
        }
        let mut wanted = [bystander.to_owned(), new.to_owned()];
        wanted.sort();
        assert_eq!(all(&service), wanted, "{about}");
        let gone = service.get(&grant::<Recall>("anna"), old_id);
        assert!(matches!(gone, Err(Error::NotFound(_))), "{about}");
    }
}

#[test]
fn the_other_half_of_a_sentence_lives_on_under_a_new_id() {
    for world in [World::ram(), World::sqlite()] {
        let service = world.service();
        let old = service.keep("anna", "I live in Ghent and work at Fabrikam as a welder.").unwrap();
        let made = service.get(&grant::<Recall>("anna"), old).unwrap().created_at;
        world.clock.advance(jiff::SignedDuration::from_hours(2));
        let corrected = correct(&service, "my city of residence", "I moved to Tartu last month.");
        assert!(matches!(corrected, Corrected::Done { left_some: true, .. }), "{corrected:?}");
        for service in [&service, &world.service()] {
            assert_eq!(all(service), ["I moved to Tartu last month.", "I work at Fabrikam as a welder."]);
        }
        let page = service.list(&grant::<Recall>("anna"), &Default::default(), None, 100).unwrap();
        let rest =
            page.memories.iter().find(|memory| memory.content.gist.expose().contains("Fabrikam")).unwrap();
        assert_eq!((rest.created_at, rest.facets.history.supersedes.as_slice()), (made, &[old][..]));
        assert!(service.get(&grant::<Recall>("anna"), old).is_err());
    }
}

#[test]
fn a_correction_by_id_keeps_what_it_says_nothing_about() {
    let world = World::ram();
    let service = world.service();
    let compound = service.keep("anna", "I live in Ghent and work at Fabrikam.").unwrap();
    let plain = service.keep("anna", "The boiler is loud.").unwrap();
    let grant = grant::<Remember>("anna");
    let moved = service.correct(&grant, &Correction::Id(compound), draft("I live in Tartu."));
    assert!(matches!(moved.unwrap(), Corrected::Done { left_some: true, .. }));
    let quiet = service.correct(&grant, &Correction::Id(plain), draft("The boiler was replaced."));
    assert!(matches!(quiet.unwrap(), Corrected::Done { left_some: false, .. }));
    assert_eq!(all(&service), ["I live in Tartu.", "I work at Fabrikam.", "The boiler was replaced."]);
    let again = service.correct(&grant, &Correction::Id(plain), draft("The boiler is new."));
    assert!(matches!(again, Err(Error::NotFound(_))));
}

#[test]
fn two_that_may_be_meant_are_asked_about_and_nothing_changes() {
    let world = World::ram();
    let service = world.service();
    let first = service.keep("anna", "Ruth drives a red van.").unwrap();
    let second = service.keep("anna", "Otto drives a blue van.").unwrap();
    match correct(&service, "the van", "The van was sold.") {
        Corrected::Which(mut candidates) => {
            candidates.sort_unstable();
            let mut both = [first, second];
            both.sort_unstable();
            assert_eq!(candidates, both);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(correct(&service, "shoe size", "Size 44 fits."), Corrected::Which(Vec::new()));
    assert_eq!(all(&service), ["Otto drives a blue van.", "Ruth drives a red van."]);
}

#[test]
fn what_the_gate_does_not_take_replaces_nothing() {
    let world = World::ram();
    let service = world.service();
    service.keep("anna", "I live in Ghent.").unwrap();
    let inferred =
        Draft { source: Some(Source::new(SourceType::AiInference, Trust::Low)), ..draft("I live in Tartu.") };
    let what = Correction::Words("where I live".to_owned());
    let held = service.correct(&grant::<Remember>("anna"), &what, inferred).unwrap();
    assert!(matches!(held, Corrected::Held(_)), "{held:?}");
    assert_eq!(all(&service), ["I live in Ghent."]);
}

#[test]
fn a_correction_is_proved_as_a_forget_is() {
    for (old, new, left_some) in [
        ("I live in Ghent.", "I live in Tartu.", false),
        ("I live in Ghent and work at Fabrikam as a welder.", "I live in Tartu.", true),
    ] {
        let world = World::sqlite();
        let service = world.service();
        let old = service.keep("anna", old).unwrap();
        let Corrected::Done { receipt: Some(signed), left_some: left, .. } =
            correct(&service, "where I live", new)
        else {
            panic!("no receipt")
        };
        assert_eq!(left, left_some);
        let receipt = &signed.receipt;
        assert_eq!((receipt.cause, receipt.named, receipt.mode), (Cause::Correction, Named::Ids, Mode::Hard));
        assert_eq!((receipt.counts.direct, receipt.counts.keys_destroyed), (1, 1));
        assert_eq!(receipt.counts.cut, u32::from(left_some));
        assert!(receipt.is_clean());
        let looked_for = |path| receipt.probes.iter().find(|probed| probed.path == path).unwrap().looked_for;
        for path in [ProbePath::Rows, ProbePath::Keys, ProbePath::Words, ProbePath::Meaning] {
            assert_eq!(looked_for(path), 1, "{path}");
        }
        signed.verify(&service.verifying_key().unwrap()).unwrap();
        let book = service.receipts(&grant::<ReadAudit>("anna"), 0).unwrap();
        assert_eq!(book, [*signed.clone()]);
        let entries = service.read_audit(&grant("anna"), 0).unwrap();
        let (_, entry) =
            entries.iter().find(|(_, entry)| entry.action == AuditAction::MemoryCorrect).unwrap();
        assert_eq!(entry.notes, [receipt.reference()]);
        assert_eq!(entry.subjects, [Subject::from(old)]);
    }
}

fn receipts(service: &Lacuna) -> Vec<SignedReceipt> {
    service.receipts(&grant::<ReadAudit>("anna"), 0).unwrap()
}

#[test]
fn a_newer_fact_that_replaces_an_older_one_leaves_a_receipt() {
    let world = World::sqlite();
    let service = world.service();
    let old = service.keep("anna", "I live in Ghent.").unwrap();
    service.keep("anna", "The ferry leaves at noon.").unwrap();
    assert_eq!(receipts(&service), [], "what replaces nothing needs no proof");
    service.keep("anna", "I live in Tartu now.").unwrap();
    assert!(service.get(&grant::<Recall>("anna"), old).is_err());
    for service in [&service, &world.service()] {
        let [signed] = &receipts(service)[..] else { panic!("one replacement, one receipt") };
        let receipt = &signed.receipt;
        assert_eq!((receipt.cause, receipt.named, receipt.mode), (Cause::Correction, Named::Ids, Mode::Hard));
        assert_eq!((receipt.counts.direct, receipt.counts.keys_destroyed), (1, 1));
        assert!(receipt.is_clean());
        signed.verify(&service.verifying_key().unwrap()).unwrap();
        let entries = service.read_audit(&grant("anna"), 0).unwrap();
        let mut replaced = entries.iter().filter(|(_, entry)| entry.action == AuditAction::MemorySupersede);
        assert_eq!(replaced.next().unwrap().1.notes, [receipt.reference()]);
    }
}

#[test]
fn a_chain_of_corrections_leaves_the_last_word_and_a_receipt_for_each() {
    let world = World::ram();
    let service = world.service();
    service.keep("anna", "I live in Ghent.").unwrap();
    let towns = ["Tartu", "Bergen", "Turin", "Porto"];
    for (at, town) in towns.iter().enumerate() {
        let text = format!("I live in {town}.");
        let corrected = correct(&service, "where I live", &text);
        assert!(matches!(corrected, Corrected::Done { left_some: false, .. }), "{corrected:?}");
        assert_eq!(all(&service), [text]);
        assert_eq!(receipts(&service).len(), at + 1);
    }
    for (newer, left) in [
        ("We moved from Porto to Oslo.", "We moved from Porto to Oslo."),
        ("I no longer live in Oslo.", "I no longer live in Oslo."),
        ("I live in Porto again.", "I live in Porto again."),
    ] {
        service.keep("anna", newer).unwrap();
        assert!(all(&service).contains(&left.to_owned()), "{newer}: {:?}", all(&service));
        for gone in towns.iter().filter(|town| !left.contains(*town)) {
            assert!(!all(&service).iter().any(|text| text == &format!("I live in {gone}.")), "{newer}");
        }
    }
}

#[test]
fn what_is_said_already_takes_the_place_of_what_contradicts_it() {
    let world = World::ram();
    let service = world.service();
    let new = service.keep("anna", "I live in Tartu.").unwrap();
    // A memory that was pinned is not replaced by a newer one, and keeps it waiting; then it is let go.
    let pinned = Draft { pinned: true, ..draft("I live in Ghent.") };
    let old = service.take("anna", pinned).unwrap();
    assert_eq!(old.supersedes, [new], "the newer one holds");
    let waiting = service.take("anna", draft("I live in Tartu.")).unwrap();
    assert_eq!(waiting.state, Lifecycle::Candidate);
    match correct(&service, "where I live", "I live in Tartu.") {
        Corrected::Done { replaced, memory, receipt, .. } => {
            assert_eq!((replaced, memory.id), (old.id, waiting.id));
            assert_eq!(memory.state, Lifecycle::Active, "a person said that it is right");
            assert!(receipt.unwrap().receipt.is_clean());
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(all(&service), ["I live in Tartu."]);
}

#[test]
fn every_older_text_that_the_correction_contradicts_goes() {
    let world = World::ram();
    let service = world.service();
    let turn = |text: &str, number| Draft {
        category: Some(Category::Conversation),
        source: Some(Source {
            session: Some(SessionId::new("s1").unwrap()),
            turn: Some(number),
            ..Source::new(SourceType::UserMessage, Trust::High)
        }),
        ..draft(text)
    };
    service.take("anna", turn("I live in Ghent.", 1)).unwrap();
    service.take("anna", turn("I live in Bruges.", 2)).unwrap();
    service.take("anna", turn("I live in Tartu.", 3)).unwrap();
    service.keep("anna", "My mother lives in Ghent.").unwrap();
    let corrected = correct(&service, "where I live", "I live in Tartu.");
    let Corrected::Done { memory, receipt, .. } = corrected else { panic!("{corrected:?}") };
    assert_eq!(memory.supersedes.len(), 2);
    assert_eq!(receipt.unwrap().receipt.counts.direct, 2);
    assert_eq!(all(&service), ["I live in Tartu.", "I live in Tartu.", "My mother lives in Ghent."]);
}

#[test]
fn a_fact_of_two_is_cut_and_the_other_keeps_it() {
    for by_word in [false, true] {
        let world = World::sqlite();
        let service = world.service();
        service.keep("anna", "Yuri and Zoe both live in Oslo.").unwrap();
        if by_word {
            let corrected = correct(&service, "where Zoe lives", "Zoe lives in Bergen.");
            assert!(matches!(corrected, Corrected::Done { left_some: true, .. }), "{corrected:?}");
        } else {
            service.keep("anna", "Zoe lives in Bergen.").unwrap();
        }
        for service in [&service, &world.service()] {
            assert_eq!(all(service), ["Yuri lives in Oslo.", "Zoe lives in Bergen."], "{by_word}");
            let [signed] = &receipts(service)[..] else { panic!("one receipt") };
            assert_eq!((signed.receipt.counts.cut, signed.receipt.counts.keys_destroyed), (1, 1));
            assert!(signed.receipt.is_clean());
        }
    }
}

#[test]
fn dated_and_denied_facts_come_out_as_a_careful_person_would_do_it() {
    for (told, left) in [
        (
            &["I live in Oslo.", "Until 2024 I lived in Oslo, since then in Bergen.", "I moved to Turin."][..],
            &["I moved to Turin.", "Until 2024 I lived in Oslo."][..],
        ),
        (&["Zoe never wears glasses.", "Zoe wears glasses now."], &["Zoe wears glasses now."]),
        (&["Zoe wears glasses.", "Zoe no longer wears glasses."], &["Zoe no longer wears glasses."]),
        (&["I work at Acme.", "I now work at Bolt."], &["I now work at Bolt."]),
        (
            &["I live in Oslo and work at Acme.", "I live in Bergen."],
            &["I live in Bergen.", "I work at Acme."],
        ),
    ] {
        let world = World::ram();
        let service = world.service();
        for text in told {
            service.keep("anna", text).unwrap();
        }
        assert_eq!(all(&service), left, "{told:?}");
        assert!(receipts(&service).iter().all(|signed| signed.receipt.is_clean()));
    }
}

#[test]
fn what_may_stand_beside_the_older_one_is_asked_about() {
    for (old, new, rest) in [
        ("I work at Acme.", "I work at Bolt.", None),
        ("Zoe wears glasses.", "Zoe never wears glasses.", None),
        ("Yuri and Zoe share a desk.", "Zoe no longer shares a desk.", Some("Yuri shares a desk.")),
    ] {
        for keep_both in [false, true] {
            let world = World::ram();
            let service = world.service();
            let old_id = service.keep("anna", old).unwrap();
            let asked = service.take("anna", draft(new)).unwrap();
            assert_eq!(
                (asked.state, asked.waits),
                (Lifecycle::Candidate, Some(Wait::Contradiction)),
                "{new}"
            );
            assert_eq!((all(&service), asked.alike), (vec![old.to_owned()], vec![old_id]), "{new}");
            // Saying it again decides nothing.
            assert_eq!(service.take("anna", draft(new)).unwrap().state, Lifecycle::Candidate, "{new}");
            let accept = vec![(asked.id, Decision::Accept { keep_both })];
            service.decide(&grant::<Review>("anna"), accept).unwrap();
            let older = if keep_both { Some(old) } else { rest };
            let mut wanted: Vec<String> = older.into_iter().chain([new]).map(str::to_owned).collect();
            wanted.sort();
            assert_eq!(all(&service), wanted, "{new}");
            assert_eq!(receipts(&service).len(), usize::from(!keep_both), "{new}");
            // Both were kept: what is said again stays beside the other.
            service.keep("anna", new).unwrap();
            assert_eq!(all(&service), wanted, "{new}");
        }
    }
}

/// The process dies at the N-th operation of a store, for every N: the old text holds or the new one, never both and
/// never neither, and what was acknowledged is proved.
#[test]
fn a_correction_that_dies_at_any_step_is_made_wholly_or_not_at_all() {
    for when in [FaultTiming::Before, FaultTiming::After] {
        for n in 1.. {
            let world = World::ram();
            let (doomed, faults) = world.faulty();
            let old = doomed.keep("anna", "I live in Ghent.").unwrap();
            faults.die(n, when);
            let what = Correction::Id(old);
            let corrected = doomed.correct(&grant::<Remember>("anna"), &what, draft("I live in Tartu."));
            drop(doomed);

            let reborn = world.service();
            reborn.upkeep().recover(&scope("anna")).unwrap();
            let texts = all(&reborn);
            let receipts = reborn.receipts(&grant::<ReadAudit>("anna"), 0).unwrap();
            match texts.as_slice() {
                [only] if only == "I live in Ghent." => assert!(corrected.is_err(), "{when:?} {n}"),
                [only] if only == "I live in Tartu." => {
                    assert_eq!(receipts.len(), 1, "{when:?} {n}: whoever ended it proved it");
                    assert!(receipts[0].receipt.is_clean());
                }
                other => panic!("{when:?} {n}: {other:?}"),
            }
            assert!(world.store.intents(scope("anna").vault_id()).unwrap().is_empty());
            reborn.verified("anna");
            if corrected.is_ok() {
                break;
            }
            assert!(n < 100, "a correction has a bounded number of steps");
        }
    }
}
