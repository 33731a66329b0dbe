//! Ten thousand ways to tamper with the audit in a database file, none of which goes unnoticed.

use jiff::SignedDuration;
use lacuna_core::audit::{AuditEntry, append};
use lacuna_seal::{Digest, Entropy, SigningKey};
use lacuna_store::rows::{AuditRow, ChainHead};
use rusqlite::{Connection, params};

use super::*;

const EDITS: usize = 10_000;
const KINDS: u64 = 19;

/// What the file holds of one chain.
#[derive(Clone, PartialEq)]
struct Stored {
    rows: Vec<AuditRow>,
    head: ChainHead,
    signature: Option<Vec<u8>>,
    /// The vault's revision and the codes of its header.
    revision: i64,
    codes: [Option<Vec<u8>>; 3],
}

pub(crate) struct Dice(SeededEntropy);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(SeededEntropy::new(seed))
    }

    pub(crate) fn below(&self, limit: usize) -> usize {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        (u64::from_be_bytes(bytes) % limit as u64) as usize
    }

    /// Changes one bit.
    fn flip(&self, bytes: &mut [u8]) {
        let at = self.below(bytes.len());
        bytes[at] ^= 1 << self.below(8);
    }
}

impl Stored {
    fn read(file: &Connection) -> Self {
        let sql =
            "SELECT audit_seq, audit_hash, audit_signature, revision, rows_code, access_code, header_code
                   FROM vault";
        let (head, signature, revision, codes) = file
            .query_row(sql, [], |row| {
                let head = ChainHead { seq: row.get::<_, i64>(0)? as u64, hash: row.get(1)? };
                Ok((head, row.get(2)?, row.get(3)?, [row.get(4)?, row.get(5)?, row.get(6)?]))
            })
            .unwrap();
        let mut statement =
            file.prepare("SELECT seq, at, hash, entry, code FROM audit ORDER BY seq").unwrap();
        let rows = statement
            .query_map([], |row| {
                let at = Timestamp::from_millisecond(row.get(1)?).unwrap();
                Ok(AuditRow {
                    seq: row.get::<_, i64>(0)? as u64,
                    at,
                    hash: row.get(2)?,
                    entry: row.get(3)?,
                    code: row.get(4)?,
                })
            })
            .unwrap();
        Self { rows: rows.map(|row| row.unwrap()).collect(), head, signature, revision, codes }
    }

    fn write(&self, file: &mut Connection) {
        let transaction = file.transaction().unwrap();
        let sql = "UPDATE vault SET audit_seq = ?1, audit_hash = ?2, audit_signature = ?3, revision = ?4,
                                    rows_code = ?5, access_code = ?6, header_code = ?7";
        let [rows, access, header] = &self.codes;
        let (seq, hash) = (self.head.seq as i64, self.head.hash);
        transaction
            .execute(sql, params![seq, hash, self.signature, self.revision, rows, access, header])
            .unwrap();
        transaction.execute("DELETE FROM audit", []).unwrap();
        {
            let sql = "INSERT INTO audit (vault, seq, at, hash, entry, code)
                       SELECT number, ?1, ?2, ?3, ?4, ?5 FROM vault";
            let mut insert = transaction.prepare_cached(sql).unwrap();
            for row in &self.rows {
                let at = row.at.as_millisecond();
                insert.execute(params![row.seq as i64, at, row.hash, row.entry, row.code]).unwrap();
            }
        }
        transaction.commit().unwrap();
    }

    fn before(&self, at: usize) -> ChainHead {
        at.checked_sub(1).map_or(ChainHead::default(), |at| head_of(&self.rows[at]))
    }

    /// Makes the hashes from `at` on fit again, as somebody would who knows how they are made.
    fn rehash(&mut self, at: usize) {
        let mut head = self.before(at);
        for row in &mut self.rows[at..] {
            let digest = match row.entry.len() {
                34 => row.entry[2..].try_into().unwrap(),
                _ => *Digest::of("lacuna/audit-entry/v2", &[&row.entry]).as_bytes(),
            };
            row.seq = head.seq + 1;
            let (seq, time) = (row.seq.to_be_bytes(), row.at.as_millisecond().to_be_bytes());
            row.hash = *Digest::of("lacuna/audit/v2", &[&head.hash, &seq, &time, &digest]).as_bytes();
            head = head_of(row);
        }
        self.head = head;
    }

    /// As [`Self::rehash`], by the rule of the first release.
    fn rehash_by_the_first_rule(&mut self) {
        let mut head = ChainHead::default();
        for row in &mut self.rows {
            let (seq, time) = (row.seq.to_be_bytes(), row.at.as_millisecond().to_be_bytes());
            row.hash = *Digest::of("lacuna/audit/v1", &[&head.hash, &seq, &time, &row.entry]).as_bytes();
            head = head_of(row);
        }
        self.head = head;
    }

    fn sign_with_another_key(&mut self, seed: u8) {
        let vault = scope("anna").vault_id();
        let key = SigningKey::from_seed([seed; 32]);
        let parts: [&[u8]; 3] = [vault.as_bytes(), &self.head.seq.to_be_bytes(), &self.head.hash];
        self.signature = Some(key.sign("lacuna/audit-head/v1", &parts).as_bytes().to_vec());
    }

    fn wipe(&mut self, at: usize) {
        let digest = *Digest::of("lacuna/audit-entry/v2", &[&self.rows[at].entry]).as_bytes();
        self.rows[at].entry = [&[0x58, 0x20], digest.as_slice()].concat();
    }
}

fn head_of(row: &AuditRow) -> ChainHead {
    ChainHead { seq: row.seq, hash: row.hash }
}

/// Makes one edit; `earlier` is the same chain as it stood, signed, some entries ago.
fn tamper(kind: u64, stored: &mut Stored, earlier: &Stored, dice: &Dice) {
    let count = stored.rows.len();
    let at = dice.below(count);
    let forged = AuditEntry::new(AuditAction::MemoryDelete, "ben", vec![]);
    match kind {
        0 => dice.flip(&mut stored.rows[at].entry),
        1 => dice.flip(&mut stored.rows[at].hash),
        2 => {
            let shift = 1 + dice.below(100_000_000) as i64;
            stored.rows[at].at +=
                SignedDuration::from_millis(if dice.below(2) == 0 { shift } else { -shift });
        }
        3 => stored.rows[at].seq = (count + 1 + dice.below(1_000)) as u64,
        4 => drop(stored.rows.remove(at)),
        5 => {
            let copy = stored.rows[at].clone();
            stored.rows.push(AuditRow { seq: count as u64 + 1, ..copy });
        }
        6 => {
            // Moved with everything after it, so that the numbers have no gap.
            let copy = stored.rows[at].clone();
            stored.rows.insert(at, copy);
            stored.rehash(at);
        }
        7 => {
            let other = (at + 1 + dice.below(count - 1)) % count;
            let (first, second) = (stored.rows[at].clone(), stored.rows[other].clone());
            stored.rows[at] = AuditRow { seq: first.seq, ..second };
            stored.rows[other] = AuditRow { seq: stored.rows[other].seq, ..first };
        }
        8 => stored.rows.truncate(at),
        9 => {
            stored.rows.truncate(at.max(1));
            stored.head = head_of(stored.rows.last().unwrap());
        }
        10 => {
            stored.rows.remove(at);
            stored.rehash(at);
        }
        11 => {
            let row = append(&mut stored.before(at), stored.rows[at].at, &forged);
            stored.rows[at] = row;
            stored.rehash(at);
        }
        12 => {
            let row = append(&mut stored.before(at), stored.rows[at].at, &forged);
            stored.rows[at] = row;
            stored.rehash(at);
            stored.sign_with_another_key(dice.below(256) as u8);
        }
        13 => {
            stored.rows[at].at += SignedDuration::from_secs(1);
            stored.rehash_by_the_first_rule();
            stored.signature = None;
        }
        14 => {
            (stored.head, stored.signature) = (earlier.head, earlier.signature.clone());
        }
        15 => match dice.below(4) {
            0 => stored.signature = None,
            1 => dice.flip(stored.signature.as_mut().unwrap()),
            2 => dice.flip(&mut stored.head.hash),
            _ => stored.head.seq = stored.head.seq + 1 + dice.below(9) as u64,
        },
        16 => {
            // A wiped entry that the chain does not say was aged out.
            let whole: Vec<usize> = (0..count).filter(|row| stored.rows[*row].entry.len() != 34).collect();
            stored.wipe(whole[dice.below(whole.len())]);
        }
        17 => {
            // The same, announced by somebody without the key.
            let notes = vec!["count:1".into(), "in_all:3".into(), format!("digest:{}", "00".repeat(32))];
            let entry = AuditEntry { notes, ..AuditEntry::new(AuditAction::AuditAged, "system", vec![]) };
            stored.wipe(0);
            let row = append(&mut stored.head, stored.rows[count - 1].at, &entry);
            stored.rows.push(row);
        }
        _ => {
            let row = append(&mut stored.head, stored.rows[count - 1].at, &forged);
            stored.rows.push(row);
        }
    }
}

/// A chain with writes, reads, erasures, a checkpoint and entries that were aged out.
fn make_chain(world: &World, lacuna: &Lacuna) {
    let id = lacuna.keep("anna", "The orchid wants water on Tuesdays.").unwrap();
    lacuna.get(&grant("anna"), id).unwrap();
    lacuna.ask("anna", "orchid").unwrap();
    lacuna.upkeep().flush_reads().unwrap();
    world.clock.advance(SignedDuration::from_hours(91 * 24));
    assert_eq!(lacuna.upkeep().keep_audit(&scope("anna")).unwrap().aged, 2);
    for note in 0..6 {
        lacuna.keep("anna", &format!("Shelf {note} holds {} jars.", note * 7)).unwrap();
    }
    lacuna.erase("anna", id).unwrap();
    lacuna.ask("anna", "jars").unwrap();
    lacuna.upkeep().flush_reads().unwrap();
}

#[test]
fn no_edit_of_the_file_goes_unnoticed() {
    let world = World::sqlite();
    let lacuna = world.service();
    make_chain(&world, &lacuna);
    let mut file = Connection::open(world.folder.path().join("lacuna.db")).unwrap();
    file.pragma_update(None, "synchronous", "OFF").unwrap();
    let earlier = Stored::read(&file);
    lacuna.keep("anna", "The fern wants shade.").unwrap();
    let whole = Stored::read(&file);
    let verify = || lacuna.verify_audit(&grant::<ReadAudit>("anna"));
    assert_eq!(verify().unwrap().entries, whole.rows.len() as u64);

    let dice = Dice::new(7);
    for edit in 0..EDITS {
        let kind = edit as u64 % KINDS;
        let mut stored = whole.clone();
        tamper(kind, &mut stored, &earlier, &dice);
        assert!(stored != whole, "edit {edit} of kind {kind} changes nothing");
        stored.write(&mut file);
        let found = verify();
        assert!(found.is_err(), "edit {edit} of kind {kind} went unnoticed");
        assert!(["corrupt", "tampered"].contains(&found.unwrap_err().code()));
    }
    whole.write(&mut file);
    assert_eq!(verify().unwrap().entries, whole.rows.len() as u64);

    // What one installation signed and kept can be put back as a whole; a head written down elsewhere shows it.
    earlier.write(&mut file);
    assert!(verify().is_ok());
    let through = lacuna.verify_audit_through(&grant("anna"), Some(whole.head));
    assert!(through.unwrap_err().to_string().contains("cut off"));
}
