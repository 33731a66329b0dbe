//! Import: memories that were taken along elsewhere come in through the same gate as everything, a batch at a
//! time, and it is told of each what became of it.
//!
//! **Ids are new.** Each follows from the vault and from what the record was called where it came from, so a
//! file that is imported twice is recognised, and what was forgotten here is not brought back by it. Links
//! between memories are moved to the new ids; sources are stored before what was derived from them.
//!
//! **Nothing is raised.** Trust stays at or below what the record says and what its source deserves. A record
//! that this installation wrote and signed keeps the trust that its owner gave it, and stays confirmed. Any other of
//! our shape has medium trust at most and is labelled wherever it is shown, and the answer says so.
//! An import erases nothing: what contradicts a memory that was here before waits for a review.

use crate::transfer::Fate;
use crate::transfer::import::record::{Account, Duplicates, ImportRecord, Imported, Origin};
pub(crate) mod arrive;
pub(crate) mod record;

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use lacuna_seal::sha256;
use lacuna_store::rows::VaultChange;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use self::arrive::ImportAnswer;
use crate::gate::Admitted;
use crate::permit::{Grant, Import};
use crate::transfer::import::record::{refused, same_memory};
use crate::transfer::proof::is_proven;
use crate::vault::marks::text_mark;
use crate::vault::open::OpenVault;
use crate::vault::service::Service;
use crate::write::record::spelled;

/// Records in one batch.
pub const IMPORT_BATCH_MAX: usize = 500;
/// Records that may wait for the memories they were derived from, and the bytes of their texts.
const DEFERRED_MAX: usize = 10_000;
const DEFERRED_BYTES_MAX: usize = 32 << 20;

type Mark = [u8; 10];

/// An import under way. Dropping it ends it; what was stored stays stored.
pub struct Importing<'a> {
    core: &'a Service,
    grant: &'a Grant<Import>,
    duplicates: Duplicates,
    dry_run: bool,
    /// One moment for all of it, so that the new id of a record is known before the record arrives.
    started_at: Timestamp,
    /// Marks of the memories that were erased in this vault.
    gone: HashSet<Mark>,
    /// Every memory that is in the vault, by the mark of its origin.
    placed: HashMap<Mark, MemoryId>,
    /// Memories that this import brought.
    brought: HashSet<MemoryId>,
    /// Texts that are not in the index yet: of the batch at hand, and in a dry run of all before it.
    unseen: HashMap<[u8; 32], Vec<Unseen>>,
    deferred: Vec<ImportRecord>,
    deferred_bytes: usize,
    account: Account,
}

/// A memory on its way that the index does not know yet.
struct Unseen {
    id: MemoryId,
    facets: Facets,
    created_at: Timestamp,
    state: Lifecycle,
}

/// Begins an import. A dry run goes through everything and stores nothing.
pub(crate) fn import<'a>(
    service: &'a Service,
    grant: &'a Grant<Import>,
    duplicates: Duplicates,
    dry_run: bool,
) -> Result<Importing<'a>> {
    let scope = grant.scope();
    let mut gone = HashSet::new();
    service.store.changes(scope.vault_id(), Revision::ZERO, &mut |change| {
        if let VaultChange::Gone(id) = change {
            gone.insert(id.origin_mark());
        }
        Ok(())
    })?;
    let placed = service.serve(scope, |open| match open.header.frozen_at {
        Some(_) => Err(Error::frozen()),
        None => Ok(open.index.after(None).map(|stored| (stored.id.origin_mark(), stored.id)).collect()),
    })?;
    Ok(Importing {
        core: service,
        grant,
        duplicates,
        dry_run,
        started_at: service.clock.now(),
        gone,
        placed: placed.transpose()?.unwrap_or_default(),
        brought: HashSet::new(),
        unseen: HashMap::new(),
        deferred: Vec::new(),
        deferred_bytes: 0,
        account: Account::default(),
    })
}

impl Importing<'_> {
    /// Takes a batch. What is answered may be fewer than were given: those that wait for their sources are
    /// answered when these have come, or at the end.
    pub fn take(&mut self, records: Vec<ImportRecord>) -> Result<Vec<Imported>> {
        if records.len() > IMPORT_BATCH_MAX {
            return Err(Error::invalid("records", format!("one batch takes at most {IMPORT_BATCH_MAX}")));
        }
        let mut answers = Vec::new();
        let mut ready = Vec::new();
        for record in records {
            if let Some(fate) = self.known_fate(&record)? {
                answers.push(self.settled(&record, fate));
            } else if self.is_ready(&record) {
                ready.push(record);
            } else {
                answers.extend(self.defer(record));
            }
        }
        answers.extend(self.store(ready)?);
        // Sources may have come with this batch.
        answers.extend(self.store_ready()?);
        Ok(answers)
    }

    /// Ends the import: what still waits for a source that never came is stored without that link.
    pub fn finish(mut self) -> Result<(Vec<Imported>, Account)> {
        let mut answers = self.store_ready()?;
        while !self.deferred.is_empty() {
            let released = self.release();
            answers.extend(self.store_in_batches(released)?);
            answers.extend(self.store_ready()?);
        }
        Ok((answers, self.account))
    }

    /// Returns true when this installation wrote the record, whose JSON is given as it stands in the file.
    pub fn is_proven(&self, record: &str, category: Category) -> Result<bool> {
        let key = self.core.kms.signing_key(&*self.core.entropy)?.verifying_key();
        Ok(is_proven(record, category, &key))
    }

    /// The counts so far.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// The fate of a record that its id alone decides.
    fn known_fate(&self, record: &ImportRecord) -> Result<Option<Fate>> {
        let marks: Vec<Mark> = record.origin.as_ref().map_or(Vec::new(), |origin| self.marks(origin));
        if marks.iter().any(|mark| self.gone.contains(mark)) {
            return Ok(Some(refused("forgotten", "it was forgotten here, and is not brought back")));
        }
        match marks.iter().find_map(|mark| self.placed.get(mark)) {
            Some(id) => self.repeated(*id).map(Some),
            None => Ok(None),
        }
    }

    fn repeated(&self, id: MemoryId) -> Result<Fate> {
        match self.duplicates {
            Duplicates::Merge => Ok(Fate::Repeated { id }),
            // What came with this very import is no reason to refuse it.
            Duplicates::Refuse if self.brought.contains(&id) => Ok(Fate::Repeated { id }),
            Duplicates::Refuse => Err(Error::Refused {
                code: "already_there",
                reason: "the vault already holds one of these memories",
            }),
        }
    }

    /// Under which marks a record may be known here: as it was called, when it comes back to its own vault,
    /// and as an import calls it.
    fn marks(&self, origin: &Origin) -> Vec<Mark> {
        let own = match origin {
            Origin::Memory(id) => Some(id.origin_mark()),
            Origin::Foreign(_) => None,
        };
        own.into_iter().chain([self.new_id(origin).origin_mark()]).collect()
    }

    fn new_id(&self, origin: &Origin) -> MemoryId {
        let vault = self.grant.scope().vault_id();
        let (kind, name): (&[u8], &[u8]) = match origin {
            Origin::Memory(id) => (b"memory", id.as_bytes()),
            Origin::Foreign(name) => (b"foreign", name.as_bytes()),
        };
        MemoryId::derive(self.started_at, &[b"import", vault.as_bytes(), kind, name])
    }

    /// The present id of a source.
    fn place_of(&self, source: MemoryId) -> Option<MemoryId> {
        self.marks(&Origin::Memory(source)).iter().find_map(|mark| self.placed.get(mark)).copied()
    }

    fn is_ready(&self, record: &ImportRecord) -> bool {
        record.draft.derived_from.iter().all(|link| self.place_of(link.source).is_some())
    }

    /// Sets a record aside until its sources are there; one too many is refused, and comes in with a second
    /// import of the same file, when its sources are.
    fn defer(&mut self, record: ImportRecord) -> Option<Imported> {
        let bytes = record.draft.text.expose().len();
        if self.deferred.len() >= DEFERRED_MAX || self.deferred_bytes + bytes > DEFERRED_BYTES_MAX {
            let reason = "the memories that it was derived from come after it: import the file once more";
            return Some(self.settled(&record, refused("source_missing", reason)));
        }
        self.deferred_bytes += bytes;
        self.deferred.push(record);
        None
    }

    /// Stores those of the deferred whose sources have come, and then those that were derived from them.
    fn store_ready(&mut self) -> Result<Vec<Imported>> {
        let mut answers = Vec::new();
        loop {
            let ready: Vec<ImportRecord>;
            (ready, self.deferred) =
                std::mem::take(&mut self.deferred).into_iter().partition(|record| self.is_ready(record));
            if ready.is_empty() {
                return Ok(answers);
            }
            answers.extend(self.store_in_batches(ready)?);
        }
    }

    /// Of those that wait for what is not in the file, the ones that wait for nothing else; of a circle, the
    /// first one.
    fn release(&mut self) -> Vec<ImportRecord> {
        let deferred = std::mem::take(&mut self.deferred);
        let waiting: HashSet<Mark> = deferred
            .iter()
            .filter_map(|record| record.origin.as_ref())
            .flat_map(|origin| self.marks(origin))
            .collect();
        let waits_for_another = |record: &ImportRecord| {
            let sources = record.draft.derived_from.iter().map(|link| Origin::Memory(link.source));
            sources.flat_map(|source| self.marks(&source)).any(|mark| waiting.contains(&mark))
        };
        let (released, kept): (Vec<_>, Vec<_>) =
            deferred.into_iter().partition(|record| !waits_for_another(record));
        self.deferred = kept;
        if released.is_empty() { vec![self.deferred.remove(0)] } else { released }
    }

    fn store_in_batches(&mut self, mut records: Vec<ImportRecord>) -> Result<Vec<Imported>> {
        let mut answers = Vec::new();
        while !records.is_empty() {
            let rest = records.split_off(records.len().min(IMPORT_BATCH_MAX));
            self.deferred_bytes -=
                records.iter().map(|record| record.draft.text.expose().len()).sum::<usize>();
            answers.extend(self.store(std::mem::replace(&mut records, rest))?);
        }
        Ok(answers)
    }

    /// Counts what became of a record, and remembers where its memory is.
    fn settled(&mut self, record: &ImportRecord, fate: Fate) -> Imported {
        self.answer(ImportAnswer::of(record.number, record.origin.clone(), fate))
    }

    fn answer(&mut self, answer: ImportAnswer) -> Imported {
        let ImportAnswer { number, origin, fate, changed, links_dropped, unproven } = answer;
        if let (Fate::Stored { id, .. } | Fate::Repeated { id }, Some(origin)) = (&fate, &origin) {
            self.placed.insert(self.new_id(origin).origin_mark(), *id);
        }
        if let Fate::Stored { id, .. } = &fate {
            self.brought.insert(*id);
        }
        let imported = Imported { number, fate, changed, links_dropped, unproven };
        self.account.count(&imported);
        imported
    }

    /// A memory that is here already and is the same as the one that arrives.
    fn twin(&self, open: Option<&OpenVault>, arriving: &Admitted) -> Option<MemoryId> {
        let Admitted { content, facets, created_at, state, .. } = arriving;
        let new = (facets, *created_at, *state);
        let mut unseen = self.unseen.get(&unseen_key(arriving)).into_iter().flatten();
        if let Some(record) = &facets.history.record {
            // The value that stands at a place stays.
            let standing = || open?.record_at(&record.place).map(|(stored, _)| stored.id);
            return unseen.next().map(|one| one.id).or_else(standing);
        }
        let mut same = unseen.filter(|one| same_memory(new, (&one.facets, one.created_at, one.state)));
        if let Some(one) = same.next() {
            return Some(one.id);
        }
        let open = open?;
        let mark = text_mark(&open.keyring.text_hash(content.full_text().expose()));
        let is_same = |id: &MemoryId| {
            open.index.get(id).filter(|stored| !stored.attributes.is_record).is_some_and(|stored| {
                let at = from_millis(stored.attributes.created_at).unwrap_or(*created_at);
                same_memory(new, (&stored.payload.facets, at, stored.attributes.state))
            })
        };
        open.marks.bearers(mark).find(is_same)
    }
}

/// The key of a memory on its way: its text, or the place of a record.
fn unseen_key(arriving: &Admitted) -> [u8; 32] {
    match &arriving.facets.history.record {
        Some(record) => {
            let parts = spelled(&record.place).into_iter().flat_map(|part| sha256(part.as_bytes()));
            sha256(&parts.collect::<Vec<u8>>())
        }
        None => sha256(arriving.content.full_text().expose().as_bytes()),
    }
}
