use std::sync::Arc;

use jiff::SignedDuration;
use lacuna_core::Parts;
use lacuna_core::gate::Rulebook;
use lacuna_core::permit::{Action, Caller, permit};
use lacuna_core::read::Query;
use lacuna_core::vault::Models;
use lacuna_seal::{Entropy, SeededEntropy};
use lacuna_store::blobs::Blobs;
use lacuna_store::keys::{LocalKms, RamKeys};
use lacuna_store::rows::RamStore;
use lacuna_types::{Draft, ManualClock, Role, UserId};

use super::*;

const EDITS: usize = 10_000;

struct House {
    _folder: tempfile::TempDir,
    clock: Arc<ManualClock>,
    service: Lacuna,
}

impl House {
    fn new(seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::at("2026-04-12T09:15:00Z".parse().unwrap()));
        let service = Lacuna::new(Parts {
            store: Arc::new(RamStore::default()),
            keys: Arc::new(RamKeys::default()),
            kms: LocalKms::open(&folder.path().join("keys"), None).unwrap(),
            blobs: Blobs::open(folder.path().join("blobs")).unwrap(),
            models: Models::only(lacuna_models::static_embedder().unwrap()),
            rules: Rulebook::default(),
            clock: clock.clone(),
            entropy: Arc::new(SeededEntropy::new(seed)),
            open_bytes_max: usize::MAX,
        });
        Self { _folder: folder, clock, service }
    }

    fn keep(&self, text: &str) {
        let draft = Draft { text: text.into(), ..Draft::default() };
        self.service.remember(&grant(), vec![draft]).unwrap();
    }

    fn read(&self) {
        self.service.recall(&grant(), &Query::new("jars on the shelf")).unwrap();
        self.service.upkeep().flush_reads().unwrap();
    }

    /// Writes, reads, a checkpoint and entries that were aged out.
    fn lived_in(seed: u64) -> Self {
        let house = Self::new(seed);
        house.keep("Shelf one holds nine jars.");
        house.read();
        house.clock.advance(SignedDuration::from_hours(91 * 24));
        house.service.upkeep().keep_audit(grant::<ReadAudit>().scope()).unwrap();
        for shelf in 2..8 {
            house.keep(&format!("Shelf {shelf} holds {} jars.", shelf * 11));
        }
        house.read();
        house
    }

    fn file(&self, after: u64, limit: u64) -> Vec<u8> {
        let mut file = Vec::new();
        write_audit_file(&self.service, &grant(), after, limit, &mut file).unwrap();
        file
    }

    fn key(&self) -> VerifyingKey {
        self.service.audit_key().unwrap()
    }
}

fn grant<A: Action>() -> Grant<A> {
    let (org, user) = (OrgId::new("acme").unwrap(), UserId::new("anna").unwrap());
    let caller = Caller::new(org, user, vec![Role::User]);
    permit(&caller, &caller.personal_scope()).unwrap()
}

fn verify(file: &[u8], key: VerifyingKey) -> Result<VerifiedFile> {
    verify_audit_file(file, Some(key))
}

struct Dice(SeededEntropy);

impl Dice {
    fn below(&self, limit: usize) -> usize {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        (u64::from_be_bytes(bytes) % limit as u64) as usize
    }
}

#[test]
fn a_file_is_verified_with_the_public_key_alone_whole_or_in_parts() {
    let house = House::lived_in(1);
    let whole = verify(&house.file(0, u64::MAX), house.key()).unwrap();
    assert_eq!((whole.report.first, whole.report.aged, whole.more), (1, 1, false));
    assert_eq!(whole.report, house.service.verify_audit(&grant()).unwrap());
    assert_eq!(whole.scope, *grant::<ReadAudit>().scope());

    let last = whole.report.entries;
    for (after, limit) in [(0, 3), (2, 4), (last - 1, 9), (last, 9)] {
        let part = verify(&house.file(after, limit), house.key()).unwrap();
        assert_eq!(part.report.entries, (after + limit).min(last));
        assert_eq!(part.more, after + limit < last);
    }
    let beyond = write_audit_file(&house.service, &grant(), last + 1, 1, &mut Vec::new());
    assert_eq!(beyond.err().unwrap().code(), "invalid");
    let nothing = write_audit_file(&House::new(9).service, &grant(), 0, 9, &mut Vec::new());
    assert_eq!(nothing.err().unwrap().code(), "not_found");
}

#[test]
fn a_file_made_anew_under_another_key_is_refused_where_the_key_is_known() {
    let (house, forger) = (House::lived_in(1), House::lived_in(2));
    let forged = forger.file(0, u64::MAX);
    assert_eq!(verify(&forged, house.key()).err().unwrap().code.name, "corrupt");
    let believed = verify_audit_file(forged.as_slice(), None).unwrap();
    assert_eq!(believed.report.key, forger.key(), "without a key the reader is told whose it is");

    // The other house's entries under this house's opening and end.
    let genuine = house.file(0, u64::MAX);
    let lines =
        |file: &[u8]| -> Vec<Vec<u8>> { file.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect() };
    let (mut mixed, forged) = (lines(&genuine), lines(&forged));
    for at in 1..mixed.len() - 1 {
        mixed[at] = forged[at].clone();
        assert!(verify(&mixed.concat(), house.key()).is_err());
    }
}

#[test]
fn no_edit_of_a_file_goes_unnoticed() {
    let house = House::lived_in(1);
    let (file, part) = (house.file(0, u64::MAX), house.file(2, 4));
    assert!(verify(&file, house.key()).is_ok() && verify(&part, house.key()).is_ok());
    let dice = Dice(SeededEntropy::new(3));
    for edit in 0..EDITS {
        let genuine = if edit % 5 == 0 { &part } else { &file };
        let changed = tamper(edit % 8, genuine, &dice);
        assert_ne!(changed, *genuine, "edit {edit} changes nothing");
        let Err(failure) = verify(&changed, house.key()) else { panic!("edit {edit} went unnoticed") };
        assert_eq!(failure.code.name, "corrupt");
    }
}

fn tamper(kind: usize, file: &[u8], dice: &Dice) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = file.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let at = dice.below(lines.len());
    match kind {
        0 => {
            let mut changed = file.to_vec();
            let byte = dice.below(changed.len());
            changed[byte] ^= 1 << dice.below(8);
            return changed;
        }
        1 => drop(lines.remove(at)),
        2 => {
            let copy = lines[at].clone();
            lines.insert(dice.below(lines.len() + 1), copy);
        }
        3 => {
            let other = (at + 1 + dice.below(lines.len() - 1)) % lines.len();
            lines.swap(at, other);
        }
        4 => return file[..dice.below(file.len())].to_vec(),
        5 => {
            let place = dice.below(lines[at].len());
            lines[at].insert(place, b' ');
        }
        6 => {
            // A digit of a number, a time or a hash becomes another one, and the line still parses.
            let digits: Vec<usize> =
                (0..lines[at].len()).filter(|n| lines[at][*n].is_ascii_digit()).collect();
            let digit = digits[dice.below(digits.len())];
            lines[at][digit] = b'0' + (lines[at][digit] - b'0' + 1 + dice.below(9) as u8) % 10;
        }
        _ => {
            // Everything from one line to the end but the last goes.
            let end = lines.pop().unwrap();
            lines.truncate(1 + dice.below(lines.len() - 1));
            lines.push(end);
        }
    }
    lines.concat()
}
