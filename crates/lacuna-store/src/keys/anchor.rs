//! The anchor: lower bounds that no honest store falls behind, kept in the key folder and so outside both stores.
//!
//! It remembers the newest end of each vault's audit chain, the newest receipt of each organisation, a copy of
//! the erasure ledger, the current epoch, and which protections were once switched on. A database or keystore that
//! somebody put back is behind it. Every number only rises; several processes may write it at once.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row as Columns, params};

use super::anchor_work::AnchorWork;
use super::check::check_lines;
use super::home::{self, AnchorHome, HomeIndex, HomeShard};
use super::sqlite::ledger;
use super::{LedgerCursor, LedgerExtent, LedgerLine, ReceiptMark, fell_with_vault};
use crate::failure::SqlFailure;
use crate::rows::columns::number_u64;
use crate::rows::pool::Pool;
use crate::rows::sqlite::engine::{Database, SqliteOptions, SqliteSchema};
use crate::rows::sqlite::writer::{GroupWriter, Scrubbing};
use crate::rows::sqlite::{READERS_MAX, collect, in_snapshot};
use crate::rows::{ChainHead, Store, VAULTS_PAGE_MAX, each_vault};
use lacuna_types::Result;
use lacuna_types::{MemoryId, OrgId, Revision, VaultId, from_millis, millis};

/// The anchor's file in the key folder.
pub const ANCHOR_FILE: &str = "anchor.db";

static SCHEMA: SqliteSchema = SqliteSchema {
    application_id: i32::from_be_bytes(*b"LacA"),
    migrations: &[include_str!("ledger_sqlite.sql"), include_str!("anchor.sql")],
};

/// Room on the disk for the lines of an erasure, so that a full disk does not stop one.
const RESERVE_BYTES: u64 = 256 << 10;

/// Noted ends of chains that wait in RAM; one more and they are written.
const HEADS_NOTED_MAX: usize = 1_024;

const EPOCH: &str = "epoch";
/// The moment at which a keystore was last behind, in milliseconds.
const REPLAYED: &str = "replayed";
const ROWS_SEALED: &str = "rows_sealed";
/// The generation of the home that this copy follows; it stays here.
pub(super) const HOME_GENERATION: &str = "home_generation";

/// The end of a vault's audit chain, and the revision of the vault at which it stood there. The revision counts
/// on when a vault is destroyed and another begins in its place; `head.seq` is zero between the two.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AnchoredHead {
    /// The vault's revision.
    pub revision: Revision,
    /// The end of its chain.
    pub head: ChainHead,
}

/// The lines of one vault in the ledger's copy.
pub struct ErasedMemories {
    destroyed_at: Option<Timestamp>,
    memories: HashSet<MemoryId>,
}

impl ErasedMemories {
    /// Returns true for a memory that was erased, by itself or with its vault.
    pub fn contains(&self, memory: &MemoryId) -> bool {
        self.memories.contains(memory) || fell_with_vault(memory, self.destroyed_at)
    }
}

impl AnchoredHead {
    /// The ends of all chains that a store has, to be expected from now on.
    pub fn all_in(store: &dyn Store) -> Result<Vec<(VaultId, Self)>> {
        let mut heads = Vec::new();
        each_vault(store, |header| {
            heads.push((header.id, Self { revision: header.revision, head: header.audit }));
            Ok(())
        })?;
        Ok(heads)
    }
}

/// Lower bounds outside the stores. See the module.
pub struct Anchor {
    readers: Pool<Connection>,
    writer: GroupWriter<AnchorWork>,
    /// Erasures that a full disk kept out.
    unwritten: Mutex<Vec<(Vec<LedgerLine>, Vec<ReceiptMark>)>>,
    /// Ends of chains that are not written yet.
    noted: Mutex<HashMap<VaultId, AnchoredHead>>,
    /// Organisations whose flag was read or set: it never goes, so it is asked for once.
    token_required: Mutex<HashSet<OrgId>>,
    /// The place beyond this machine that all nodes share.
    home: Option<Box<dyn AnchorHome>>,
    rows_sealed: AtomicBool,
}

impl Anchor {
    /// Opens the anchor in a key folder, and makes or migrates its file where needed.
    pub fn open(folder: &Path) -> Result<Self> {
        let options = SqliteOptions { reserve_bytes: RESERVE_BYTES, ..SqliteOptions::default() };
        let database = Database::open(&folder.join(ANCHOR_FILE), &SCHEMA, options)?;
        let writer = GroupWriter::start(database.clone(), Scrubbing::Quietly)?;
        let readers = Pool::new(READERS_MAX, move || database.connect_reader());
        Ok(Self {
            readers,
            writer,
            unwritten: Mutex::default(),
            noted: Mutex::default(),
            token_required: Mutex::default(),
            home: None,
            rows_sealed: AtomicBool::new(false),
        })
    }

    /// Opens the copy of an anchor whose home is elsewhere, and makes the two know the same.
    pub fn open_from(folder: &Path, home: Box<dyn AnchorHome>) -> Result<Self> {
        let mut anchor = Self::open(folder)?;
        anchor.home = Some(home);
        anchor.join_home()?;
        Ok(anchor)
    }

    /// Takes over what other nodes wrote into the home, and writes there what only this copy has: a node may have stopped
    /// before it could.
    fn join_home(&self) -> Result<()> {
        let Some(home) = &self.home else { return Ok(()) };
        let (index, shard) = home::load_all(&**home)?;
        let follows = self.mark(HOME_GENERATION)?.unwrap_or(0) == index.generation;
        if follows {
            home::raise_heads(&**home, &self.heads_unknown_to(&shard)?)?;
            home::raise_index(&**home, &index, &self.own_index()?)?;
        }
        home::enter_erasures(&**home, &self.lines_unknown_to(&shard)?, &[])?;
        self.writer.run(AnchorWork::Home { index, shard, follows }).map(drop)
    }

    /// Everything of this copy that belongs to no single vault.
    fn own_index(&self) -> Result<HomeIndex> {
        let numbers = |snapshot: &Connection, sql: &str| {
            collect(snapshot, sql, [], |row| Ok((row.get::<_, String>(0)?, number_u64(row.get(1)?)?)))
        };
        self.snapshot(|snapshot| {
            let by_org = |sql: &str| {
                let org = |(org, number): (String, u64)| Ok::<_, SqlFailure>((OrgId::new(&org)?, number));
                numbers(snapshot, sql)?.into_iter().map(org).collect::<Result<_, _>>()
            };
            let tokens = collect(snapshot, "SELECT org FROM token_required", [], |row| {
                Ok(OrgId::new(&row.get::<_, String>(0)?)?)
            })?;
            let marks = numbers(snapshot, "SELECT name, number FROM mark")?;
            Ok(HomeIndex {
                receipts: by_org("SELECT org, number FROM receipt")?,
                books: by_org("SELECT org, number FROM book")?,
                tokens: tokens.into_iter().collect(),
                marks: marks.into_iter().filter(|(name, _)| name != HOME_GENERATION).collect(),
                ..HomeIndex::default()
            })
        })
    }

    fn heads_unknown_to(&self, shard: &HomeShard) -> Result<Vec<(VaultId, AnchoredHead)>> {
        let (mut newer, mut after) = (Vec::new(), None);
        loop {
            let page = self.heads(after, VAULTS_PAGE_MAX)?;
            let Some((last, _)) = page.last() else { return Ok(newer) };
            after = Some(*last);
            let is_newer = |(vault, known): &(VaultId, AnchoredHead)| {
                shard.heads.get(vault).is_none_or(|stands| stands.revision < known.revision)
            };
            newer.extend(page.into_iter().filter(is_newer));
        }
    }

    fn lines_unknown_to(&self, shard: &HomeShard) -> Result<Vec<LedgerLine>> {
        let (mut unknown, mut after) = (Vec::new(), None);
        loop {
            let page = self.erasures(after, super::ERASURES_PAGE_MAX)?;
            let Some(last) = page.last() else { return Ok(unknown) };
            after = Some(last.cursor());
            unknown.extend(page.into_iter().filter(|line| !shard.lines.contains_key(&line.cursor())));
        }
    }

    /// The newest known end of the vault's chain, `None` for a vault that is not known. `seq` is zero after the
    /// vault's destruction.
    pub fn head(&self, vault: VaultId) -> Result<Option<AnchoredHead>> {
        let noted = self.noted().get(&vault).copied();
        let sql = "SELECT vault, revision, seq, hash FROM head WHERE vault = ?1";
        let written = self.snapshot(|snapshot| collect(snapshot, sql, [vault.as_bytes()], head_row))?.pop();
        Ok(noted.into_iter().chain(written.map(|(_, head)| head)).max_by_key(|known| known.revision))
    }

    /// Up to `limit` vaults (at most [`VAULTS_PAGE_MAX`]) with an id above `after` whose chain has a known end,
    /// in the order of id. Ends that are only noted are not among them: see [`Self::flush`].
    pub fn heads(&self, after: Option<VaultId>, limit: usize) -> Result<Vec<(VaultId, AnchoredHead)>> {
        let sql = "
            SELECT vault, revision, seq, hash FROM head
            WHERE seq > 0 AND (?1 IS NULL OR vault > ?1) ORDER BY vault LIMIT ?2";
        let parameters = params![after.map(|id| *id.as_bytes()), limit.min(VAULTS_PAGE_MAX) as i64];
        self.snapshot(|snapshot| collect(snapshot, sql, parameters, head_row))
    }

    /// Notes the end of a vault's chain at a revision. It stays in RAM until [`Self::flush`], so that a write
    /// costs nothing more; an end that a crash takes along was only the newest of several lower bounds.
    pub fn note_head(&self, vault: VaultId, revision: Revision, head: ChainHead) {
        let full = {
            let mut noted = self.noted();
            let known = noted.entry(vault).or_default();
            if revision > known.revision {
                *known = AnchoredHead { revision, head };
            }
            noted.len() > HEADS_NOTED_MAX
        };
        if full && let Err(error) = self.flush() {
            tracing::warn!(%error, "the anchor could not be written; trying again later");
        }
    }

    /// Writes the ends of chains that were noted so far.
    pub fn flush(&self) -> Result<()> {
        let mut unwritten = std::mem::take(&mut *self.unwritten());
        while let Some((lines, receipts)) = unwritten.pop() {
            let at_home = self.at_home(|home| home::enter_erasures(home, &lines, &receipts));
            if let Err(error) =
                at_home.and_then(|()| self.writer.run(AnchorWork::Erased(lines.clone(), receipts.clone())))
            {
                unwritten.push((lines, receipts));
                self.unwritten().extend(unwritten);
                return Err(error);
            }
        }
        let heads: Vec<_> = self.noted().iter().map(|(vault, head)| (*vault, *head)).collect();
        if heads.is_empty() {
            return Ok(());
        }
        self.at_home(|home| home::raise_heads(home, &heads))?;
        self.writer.run(AnchorWork::Raise(heads.clone()))?;
        // An end that was noted meanwhile stays for the next time.
        let mut noted = self.noted();
        for (vault, head) in heads {
            if noted.get(&vault) == Some(&head) {
                noted.remove(&vault);
            }
        }
        Ok(())
    }

    /// Notes that a vault was destroyed at its last revision: no end of its chain is expected any more.
    pub fn drop_vault(&self, vault: VaultId, revision: Revision) -> Result<()> {
        self.noted().remove(&vault);
        let ended = AnchoredHead { revision, head: ChainHead::default() };
        self.at_home(|home| home::raise_heads(home, &[(vault, ended)]))?;
        self.writer.run(AnchorWork::Raise(vec![(vault, ended)])).map(drop)
    }

    /// Replaces every known end, and expects no receipt in any book, after a restore or when an operator accepts stores
    /// that are behind.
    pub fn reset_heads(&self, heads: Vec<(VaultId, AnchoredHead)>) -> Result<()> {
        self.noted().clear();
        let mut generation = 0;
        self.at_home(|home| home::reset(home, &heads).map(|reached| generation = reached))?;
        self.writer.run(AnchorWork::Reset(heads))?;
        self.raise_mark(HOME_GENERATION, generation)
    }

    /// Enters erasures, and the receipt under which they happen, durably. A line for a whole vault ends what is
    /// known of its chain. A full disk does not stop an erasure: the lines wait in RAM for [`Self::flush`], and
    /// the keystore has them.
    pub fn record_erasures(&self, lines: &[LedgerLine], receipts: &[ReceiptMark]) -> Result<()> {
        check_lines(lines)?;
        if lines.is_empty() && receipts.is_empty() {
            return Ok(());
        }
        for line in lines.iter().filter(|line| line.memory.is_none()) {
            self.noted().remove(&line.vault);
        }
        let recorded = self.writer.run(AnchorWork::Erased(lines.to_vec(), receipts.to_vec()));
        match recorded.and_then(|_| self.at_home(|home| home::enter_erasures(home, lines, receipts))) {
            Err(error) if matches!(error.code(), "disk_full" | "kms_unavailable") => {
                tracing::warn!(%error, "the anchor does not have an erasure yet; trying again later");
                self.unwritten().push((lines.to_vec(), receipts.to_vec()));
                Ok(())
            }
            recorded => recorded,
        }
    }

    /// Up to `limit` lines of the ledger (at most [`super::ERASURES_PAGE_MAX`]) after a cursor, across all vaults.
    pub fn erasures(&self, after: Option<LedgerCursor>, limit: usize) -> Result<Vec<LedgerLine>> {
        self.snapshot(|snapshot| ledger::erasures(snapshot, after, limit))
    }

    /// The size of the ledger's copy.
    pub fn ledger_extent(&self) -> Result<LedgerExtent> {
        self.snapshot(ledger::extent)
    }

    /// Everything of one vault that is erased.
    pub fn erased_in(&self, vault: VaultId) -> Result<ErasedMemories> {
        let sql = "SELECT memory FROM erased WHERE vault = ?1 AND memory <> x''";
        self.snapshot(|snapshot| {
            let read = |row: &Columns<'_>| Ok(MemoryId::from_bytes(row.get(0)?));
            let memories = collect(snapshot, sql, [vault.as_bytes()], read)?.into_iter().collect();
            Ok(ErasedMemories { destroyed_at: ledger::destroyed_at(snapshot, vault)?, memories })
        })
    }

    /// The memories of `only` that are erased, by themselves or with their vault, in the order asked.
    pub fn erased(&self, vault: VaultId, only: &[MemoryId]) -> Result<Vec<MemoryId>> {
        self.snapshot(|snapshot| {
            let destroyed = ledger::destroyed_at(snapshot, vault)?;
            let mut erased = Vec::new();
            for id in only {
                if fell_with_vault(id, destroyed) || ledger::is_erased(snapshot, vault, *id)? {
                    erased.push(*id);
                }
            }
            Ok(erased)
        })
    }

    /// Drops the lines of before a moment, and answers with how many.
    pub fn forget_erasures(&self, before: Timestamp) -> Result<u64> {
        self.at_home(|home| home::forget_before(home, before))?;
        self.writer.run(AnchorWork::Forget { before })
    }

    /// The number of the organisation's newest receipt, zero before its first.
    pub fn receipt(&self, org: &OrgId) -> Result<u64> {
        self.snapshot(|snapshot| ledger::last_receipt(snapshot, org))
    }

    /// The number of the newest receipt that the organisation's book in the database must hold. It is lower than
    /// [`Self::receipt`] after older data were restored.
    pub fn booked_receipt(&self, org: &OrgId) -> Result<u64> {
        let sql = "SELECT number FROM book WHERE org = ?1";
        self.snapshot(|snapshot| {
            let number =
                snapshot.prepare_cached(sql)?.query_row([org.as_str()], |row| row.get(0)).optional()?;
            number.map_or(Ok(0), number_u64)
        })
    }

    /// Up to [`super::RECEIPTS_PAGE_MAX`] marks of all organisations, in the order of their names.
    pub fn receipts(&self, after: Option<&OrgId>) -> Result<Vec<ReceiptMark>> {
        self.snapshot(|snapshot| ledger::receipts_known(snapshot, after))
    }

    /// Returns true when the organisation once had a token: from then on nobody is answered without one.
    pub fn tokens_required(&self, org: &OrgId) -> Result<bool> {
        if self.known_to_require().contains(org) {
            return Ok(true);
        }
        let sql = "SELECT 1 FROM token_required WHERE org = ?1";
        let required =
            self.snapshot(|snapshot| Ok(snapshot.prepare_cached(sql)?.exists([org.as_str()])?))?;
        if required {
            self.known_to_require().insert(org.clone());
        }
        Ok(required)
    }

    /// Remembers, durably, that the organisation has a token.
    pub fn require_tokens(&self, org: &OrgId) -> Result<()> {
        if !self.tokens_required(org)? {
            self.at_home(|home| home::change_index(home, |index| index.tokens.extend([org.clone()])))?;
            self.writer.run(AnchorWork::RequireTokens(org.clone()))?;
        }
        Ok(())
    }

    /// The number of the current epoch, `None` before the first.
    pub fn epoch(&self) -> Result<Option<u32>> {
        Ok(self.mark(EPOCH)?.and_then(|number| u32::try_from(number).ok()))
    }

    /// Raises the number of the current epoch.
    pub fn note_epoch(&self, number: u32) -> Result<()> {
        self.raise_mark(EPOCH, u64::from(number))
    }

    /// The moment at which a keystore was last found behind and brought up to date, `None` if none ever was.
    pub fn replayed_at(&self) -> Result<Option<Timestamp>> {
        let at = self.mark(REPLAYED)?.and_then(|number| i64::try_from(number).ok());
        Ok(at.and_then(from_millis))
    }

    /// Remembers that a keystore is behind at this moment, and about to be brought up to date.
    pub fn note_replay(&self, at: Timestamp) -> Result<()> {
        self.raise_mark(REPLAYED, millis(at).unsigned_abs())
    }

    /// Returns true once every row of the installation carries an authentication code.
    pub fn rows_are_sealed(&self) -> Result<bool> {
        if !self.rows_sealed.load(Ordering::Relaxed) && self.mark(ROWS_SEALED)?.is_some() {
            self.rows_sealed.store(true, Ordering::Relaxed);
        }
        Ok(self.rows_sealed.load(Ordering::Relaxed))
    }

    /// Remembers, durably, that every row carries an authentication code.
    pub fn set_rows_sealed(&self) -> Result<()> {
        if self.rows_are_sealed()? { Ok(()) } else { self.raise_mark(ROWS_SEALED, 1) }
    }

    fn mark(&self, name: &str) -> Result<Option<u64>> {
        let sql = "SELECT number FROM mark WHERE name = ?1";
        self.snapshot(|snapshot| {
            let number = snapshot.prepare_cached(sql)?.query_row([name], |row| row.get(0)).optional()?;
            number.map(number_u64).transpose()
        })
    }

    fn raise_mark(&self, name: &'static str, number: u64) -> Result<()> {
        if name != HOME_GENERATION {
            self.at_home(|home| {
                home::change_index(home, |index| {
                    let stands = index.marks.entry(name.to_owned()).or_default();
                    *stands = (*stands).max(number);
                })
            })?;
        }
        self.writer.run(AnchorWork::Mark(name, number)).map(drop)
    }

    /// Tells the home of a change, if there is one.
    fn at_home(&self, tell: impl FnOnce(&dyn AnchorHome) -> Result<()>) -> Result<()> {
        self.home.as_deref().map_or(Ok(()), tell)
    }

    fn snapshot<T>(&self, act: impl FnOnce(&Connection) -> Result<T, SqlFailure>) -> Result<T> {
        Ok(in_snapshot(&mut *self.readers.get()?, act)?)
    }

    fn noted(&self) -> MutexGuard<'_, HashMap<VaultId, AnchoredHead>> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unwritten(&self) -> MutexGuard<'_, Vec<(Vec<LedgerLine>, Vec<ReceiptMark>)>> {
        self.unwritten.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known_to_require(&self) -> MutexGuard<'_, HashSet<OrgId>> {
        self.token_required.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Anchor {
    fn drop(&mut self) {
        if let Err(error) = self.flush() {
            tracing::warn!(%error, "the anchor could not be written; the newest ends of chains are not in it");
        }
    }
}

fn head_row(row: &Columns<'_>) -> Result<(VaultId, AnchoredHead), SqlFailure> {
    let head = ChainHead { seq: number_u64(row.get(2)?)?, hash: row.get(3)? };
    let known = AnchoredHead { revision: Revision(number_u64(row.get(1)?)?), head };
    Ok((VaultId::from_bytes(row.get(0)?), known))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    fn vault(byte: u8) -> VaultId {
        VaultId::from_bytes([byte; 16])
    }

    fn head(seq: u64) -> ChainHead {
        ChainHead { seq, hash: [u8::try_from(seq).unwrap(); 32] }
    }

    fn line(vault: VaultId, memory: Option<u8>, second: i64) -> LedgerLine {
        let memory = memory.map(|byte| MemoryId::from_bytes([byte; 16]));
        LedgerLine { vault, memory, at: Timestamp::from_second(second).unwrap() }
    }

    fn seq(anchor: &Anchor, vault: VaultId) -> Option<u64> {
        anchor.head(vault).unwrap().map(|known| known.head.seq)
    }

    #[test]
    fn ends_of_chains_only_rise_whoever_writes_them() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (Anchor::open(folder.path()).unwrap(), Anchor::open(folder.path()).unwrap());
        one.note_head(vault(1), Revision(5), head(9));
        one.note_head(vault(1), Revision(4), head(7));
        assert_eq!((seq(&one, vault(1)), seq(&other, vault(1))), (Some(9), None));
        other.note_head(vault(1), Revision(6), head(10));
        other.flush().unwrap();
        one.flush().unwrap();
        assert_eq!(seq(&one, vault(1)), Some(10));
        drop((one, other));
        let mode = std::fs::metadata(folder.path().join(ANCHOR_FILE)).unwrap().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(seq(&Anchor::open(folder.path()).unwrap(), vault(1)), Some(10));
    }

    #[test]
    fn what_was_noted_is_written_when_the_anchor_goes_or_the_buffer_is_full() {
        let folder = tempfile::tempdir().unwrap();
        let anchor = Anchor::open(folder.path()).unwrap();
        anchor.note_head(vault(1), Revision(1), head(1));
        drop(anchor);
        let anchor = Anchor::open(folder.path()).unwrap();
        assert_eq!(anchor.heads(None, 10).unwrap().len(), 1);
        for number in 0..=HEADS_NOTED_MAX {
            let mut id = [9; 16];
            id[..8].copy_from_slice(&(number as u64).to_be_bytes());
            anchor.note_head(VaultId::from_bytes(id), Revision(1), head(1));
        }
        assert_eq!(anchor.heads(None, VAULTS_PAGE_MAX).unwrap().len(), VAULTS_PAGE_MAX);
    }

    #[test]
    fn a_destroyed_vault_expects_no_chain_and_an_old_end_does_not_return() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (Anchor::open(folder.path()).unwrap(), Anchor::open(folder.path()).unwrap());
        one.note_head(vault(1), Revision(5), head(9));
        one.flush().unwrap();
        other.note_head(vault(1), Revision(6), head(10));
        one.record_erasures(&[line(vault(1), None, 100)], &[]).unwrap();
        one.drop_vault(vault(1), Revision(6)).unwrap();
        other.flush().unwrap();
        assert_eq!(seq(&one, vault(1)), Some(0));
        assert!(one.heads(None, 10).unwrap().is_empty());
        // The vault that begins in its place.
        one.note_head(vault(1), Revision(7), head(1));
        one.flush().unwrap();
        one.record_erasures(&[line(vault(1), None, 100)], &[]).unwrap();
        assert_eq!(seq(&other, vault(1)), Some(1));
    }

    #[test]
    fn the_ledger_its_receipts_and_the_marks_are_there_for_the_next_process() {
        let folder = tempfile::tempdir().unwrap();
        let org = OrgId::new("acme").unwrap();
        let anchor = Anchor::open(folder.path()).unwrap();
        let lines = [line(vault(1), Some(1), 10), line(vault(1), Some(2), 20), line(vault(2), None, 30)];
        let mark = |number| ReceiptMark { org: org.clone(), number };
        anchor.record_erasures(&lines, &[mark(4)]).unwrap();
        anchor.record_erasures(&[], &[mark(3)]).unwrap();
        assert!(!anchor.tokens_required(&org).unwrap() && !anchor.rows_are_sealed().unwrap());
        anchor.require_tokens(&org).unwrap();
        anchor.set_rows_sealed().unwrap();
        anchor.note_epoch(3).unwrap();
        anchor.note_epoch(2).unwrap();
        drop(anchor);

        let anchor = Anchor::open(folder.path()).unwrap();
        assert_eq!(anchor.erasures(None, 10).unwrap(), lines);
        assert_eq!((anchor.receipt(&org).unwrap(), anchor.receipts(None).unwrap()), (4, vec![mark(4)]));
        assert!(anchor.tokens_required(&org).unwrap() && anchor.rows_are_sealed().unwrap());
        assert!(!anchor.tokens_required(&OrgId::new("other").unwrap()).unwrap());
        assert_eq!(anchor.epoch().unwrap(), Some(3));
        let ids = [MemoryId::from_bytes([1; 16]), MemoryId::from_bytes([3; 16])];
        assert_eq!(anchor.erased(vault(1), &ids).unwrap(), ids[..1]);
        assert_eq!(anchor.forget_erasures(Timestamp::from_second(20).unwrap()).unwrap(), 1);
        assert_eq!(anchor.erasures(None, 10).unwrap(), lines[1..]);
    }

    #[test]
    fn an_operator_resets_what_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let anchor = Anchor::open(folder.path()).unwrap();
        anchor.note_head(vault(1), Revision(5), head(9));
        anchor.note_head(vault(2), Revision(5), head(9));
        anchor.flush().unwrap();
        anchor.note_head(vault(3), Revision(5), head(9));
        let accepted = AnchoredHead { revision: Revision(2), head: head(3) };
        anchor.reset_heads(vec![(vault(1), accepted)]).unwrap();
        assert_eq!(anchor.heads(None, 10).unwrap(), [(vault(1), accepted)]);
        assert_eq!((seq(&anchor, vault(2)), seq(&anchor, vault(3))), (None, None));
    }
}
