//! The audit chain as a whole: signed at its end, checked in parts, and kept no longer than it should be.

use jiff::SignedDuration;
use lacuna_core::audit::{AuditEntry, CHECKPOINT_ENTRIES, ChainWalk, append};
use lacuna_core::govern::AuditKept;
use lacuna_seal::Signature;
use lacuna_store::rows::{AuditRow, Batch, ChainHead};
use lacuna_types::Error;
use lacuna_types::policy::AUDIT_DAYS;

use super::*;

const DAY: SignedDuration = SignedDuration::from_hours(24);

fn all_rows(world: &World) -> Vec<AuditRow> {
    let vault = scope("anna").vault_id();
    let mut rows: Vec<AuditRow> = Vec::new();
    loop {
        let page = world.store.audit(vault, rows.last().map_or(0, |row| row.seq)).unwrap();
        if page.is_empty() {
            return rows;
        }
        rows.extend(page);
    }
}

fn actions(world: &World) -> Vec<AuditAction> {
    all_rows(world).iter().map(|row| AuditEntry::decode(row).unwrap().action).collect()
}

fn signed_head(world: &World) -> (ChainHead, Signature) {
    let header = world.store.vault(scope("anna").vault_id()).unwrap().unwrap();
    (header.audit, Signature::from_bytes(header.audit_signature.unwrap()))
}

#[test]
fn every_commit_signs_where_the_chain_ends() {
    let (_database, postgres) = World::postgres("signed_heads").unzip();
    for world in [World::ram(), World::sqlite()].into_iter().chain(postgres) {
        let lacuna = world.service();
        let id = lacuna.keep("anna", "The orchid wants water on Tuesdays.").unwrap();
        let first = signed_head(&world);
        lacuna.erase("anna", id).unwrap();
        assert_ne!(signed_head(&world), first);
        let report = lacuna.verify_audit(&grant::<ReadAudit>("anna")).unwrap();
        assert_eq!((report.first, report.entries), (1, 4));
        assert_eq!(report.key, lacuna.audit_key().unwrap());

        // Another process of the same installation verifies with the same key.
        assert_eq!(world.service().verify_audit(&grant::<ReadAudit>("anna")).unwrap(), report);

        // A chain that somebody without the key carried on is not signed as it should be.
        let (mut head, _) = signed_head(&world);
        let entry = AuditEntry::new(AuditAction::MemoryWrite, "anna", vec![]);
        let audit = vec![append(&mut head, world.clock.now(), &entry)];
        let expected = world.store.revision(scope("anna").vault_id()).unwrap();
        let forged = Batch { audit, ..Batch::new(scope("anna"), world.clock.now(), expected) };
        for audit_signature in [None, Some(*first.1.as_bytes())] {
            let expected = world.store.revision(scope("anna").vault_id()).unwrap();
            let audit = if audit_signature.is_none() {
                forged.audit.clone()
            } else {
                vec![append(&mut head, world.clock.now(), &entry)]
            };
            world.store.commit(Batch { audit, audit_signature, expected, ..forged.clone() }).unwrap();
            let error = world.service().verify_audit(&grant::<ReadAudit>("anna")).unwrap_err();
            assert_eq!(error.code(), "tampered");
        }
    }
}

#[test]
fn a_vault_that_was_put_back_to_an_older_state_shows_against_a_head_written_down() {
    let world = World::ram();
    let lacuna = world.service();
    lacuna.keep("anna", "The orchid wants water on Tuesdays.").unwrap();
    let (known, _) = signed_head(&world);
    lacuna.keep("anna", "The fern wants shade.").unwrap();
    let through = |known| lacuna.verify_audit_through(&grant("anna"), Some(known));
    assert_eq!(through(known).unwrap().entries, 2);
    let later = ChainHead { seq: 3, hash: [7; 32] };
    assert!(through(later).unwrap_err().to_string().contains("cut off after entry 2"));
    let other = ChainHead { hash: [7; 32], ..known };
    assert!(matches!(through(other), Err(Error::Corrupt(_))));
}

#[test]
fn a_checkpoint_comes_every_thousand_entries_and_a_part_can_be_checked_from_it() {
    let world = World::ram();
    let lacuna = world.service();
    let id = lacuna.keep("anna", "The orchid wants water on Tuesdays.").unwrap();
    for _ in 0..CHECKPOINT_ENTRIES + 200 {
        lacuna.get(&grant("anna"), id).unwrap();
        if lacuna.clock().now().as_second() % 2 == 0 {
            lacuna.upkeep().flush_reads().unwrap();
        }
        world.clock.advance(SignedDuration::from_secs(1));
    }
    let report = lacuna.verify_audit(&grant::<ReadAudit>("anna")).unwrap();
    assert_eq!((report.entries, report.checkpoints), (1 + CHECKPOINT_ENTRIES + 200 + 1, 1));

    let rows = all_rows(&world);
    let checkpoint = actions(&world).iter().position(|action| *action == AuditAction::Checkpoint).unwrap();
    let (head, signature) = signed_head(&world);
    let check = |rows: &[AuditRow], key| {
        let mut walk = ChainWalk::new(scope("anna").vault_id(), key);
        rows.iter().try_for_each(|row| walk.step(row).map(drop))?;
        walk.finish(head, Some(&signature))
    };
    let key = lacuna.audit_key().unwrap();
    assert_eq!(check(&rows[checkpoint..], key).unwrap().first, checkpoint as u64 + 1);
    assert!(check(&rows[checkpoint + 1..], key).is_err(), "a part that begins elsewhere vouches for nothing");
    assert!(check(&rows[checkpoint - 1..], key).is_err());
    let mut changed = rows[checkpoint..].to_vec();
    changed[3].entry[5] ^= 1;
    assert!(check(&changed, key).is_err());
    let other = World::ram().service().audit_key().unwrap();
    assert!(check(&rows[checkpoint..], other).is_err());
}

#[test]
fn once_a_day_a_checkpoint_is_signed_where_anything_happened() {
    let world = World::ram();
    let lacuna = world.service();
    assert_eq!(
        lacuna.upkeep().keep_audit(&scope("anna")).unwrap(),
        AuditKept::default(),
        "there is no vault yet"
    );
    lacuna.keep("anna", "The orchid wants water on Tuesdays.").unwrap();
    let mut signed = Vec::new();
    for hours in [0, 12, 12, 24] {
        world.clock.advance(SignedDuration::from_hours(hours));
        signed.push(lacuna.upkeep().keep_audit(&scope("anna")).unwrap().checkpoint);
        if signed.len() == 2 {
            lacuna.keep("anna", "The fern wants shade.").unwrap();
        }
    }
    assert_eq!(signed, [true, false, true, false]);
    assert_eq!(lacuna.verify_audit(&grant::<ReadAudit>("anna")).unwrap().checkpoints, 2);
}

#[test]
fn reads_are_kept_ninety_days_and_everything_else_six_years() {
    let (_database, postgres) = World::postgres("aged_audit").unzip();
    for world in [World::ram(), World::sqlite()].into_iter().chain(postgres) {
        let lacuna = world.service();
        let id = lacuna.keep("anna", "The orchid wants water on Tuesdays.").unwrap();
        lacuna.get(&grant("anna"), id).unwrap();
        lacuna.ask("anna", "orchid").unwrap();
        lacuna.upkeep().flush_reads().unwrap();
        world.clock.advance(DAY * 89);
        lacuna.get(&grant("anna"), id).unwrap();
        lacuna.upkeep().flush_reads().unwrap();
        assert_eq!(lacuna.upkeep().keep_audit(&scope("anna")).unwrap().aged, 0);
        world.clock.advance(DAY * 2);
        assert_eq!(lacuna.upkeep().keep_audit(&scope("anna")).unwrap().aged, 2);
        assert_eq!(lacuna.upkeep().keep_audit(&scope("anna")).unwrap().aged, 0);

        use AuditAction::{AgedOut, AuditAged, Checkpoint, MemoryRead, MemoryWrite};
        let expected = [MemoryWrite, AgedOut, AgedOut, MemoryRead, Checkpoint, AuditAged, Checkpoint];
        assert_eq!(actions(&world), expected);
        let report = lacuna.verify_audit(&grant::<ReadAudit>("anna")).unwrap();
        assert_eq!((report.entries, report.aged), (7, 2));

        world.clock.advance(DAY * i32::try_from(AUDIT_DAYS).unwrap() + SignedDuration::from_secs(1));
        assert_eq!(
            lacuna.upkeep().keep_audit(&scope("anna")).unwrap().aged,
            5,
            "all but the two that are gone"
        );
        let report = world.service().verify_audit(&grant::<ReadAudit>("anna")).unwrap();
        assert_eq!((report.entries, report.aged), (9, 7));
        assert_eq!(lacuna.texts("anna", "orchid").len(), 1, "the memory itself has its own retention");
    }
}

#[test]
fn the_policy_says_how_long_reads_are_kept_and_many_go_in_several_commits() {
    let world = World::ram();
    let lacuna = world.service_under(Policy { audit_read_days: 1, ..Policy::default() });
    let id = lacuna.keep("anna", "The orchid wants water on Tuesdays.").unwrap();
    for _ in 0..5_000 {
        lacuna.get(&grant("anna"), id).unwrap();
    }
    lacuna.upkeep().flush_reads().unwrap();
    world.clock.advance(DAY + SignedDuration::from_secs(1));
    assert_eq!(lacuna.upkeep().keep_audit(&scope("anna")).unwrap().aged, 5_000);
    assert_eq!(lacuna.verify_audit(&grant::<ReadAudit>("anna")).unwrap().aged, 5_000);
    let announced = actions(&world).iter().filter(|action| **action == AuditAction::AuditAged).count();
    assert_eq!(announced, 2);
}
