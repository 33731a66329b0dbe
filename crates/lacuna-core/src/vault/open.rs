//! A vault in RAM: its keys and its index, at one revision.

use std::collections::{BTreeSet, HashMap, HashSet};

use jiff::Timestamp;
use lacuna_language::words::TermList;
use lacuna_store::blobs::BlobName;
use lacuna_store::keys::{WrappedMemoryKey, keys_by_memory};
use lacuna_store::rows::{Row, SealedBody, Store, VaultChange, VaultHeader};
use lacuna_types::embed::ModelId;
use lacuna_types::*;
use lacuna_types::{Error, Result};
use zeroize::Zeroizing;

use crate::index::quant::QuantVec;
use crate::index::{Attributes, Entry, Index, Session, Stored, Tag, Utterance};
use crate::vault::anchored::check_head;
use crate::vault::behind::{place_behind, summarised};
use crate::vault::codes::{CodedHeader, Codes, RowTally, tampered};
use crate::vault::frame::Frame;
use crate::vault::keyring::{Keyring, Place, is_bound};
use crate::vault::marks::{Marks, sketch, text_mark};
use crate::vault::purpose::purpose_tags;
use crate::vault::relay::in_order;
use crate::vault::settings::HeldSettings;
use crate::vault::stores::VaultStores;
use crate::vault::unlock::Unlocker;

/// The number of memories that a commit may walk over, on average, to measure the vault's RAM.
const MEMORIES_WALKED_PER_COMMIT: usize = 256;

/// The payload of an index entry.
pub(crate) struct Held {
    pub(crate) gist: Plaintext,
    pub(crate) details: Vec<Detail>,
    pub(crate) facets: Facets,
    pub(crate) updated_at: Timestamp,
    /// The full text, when it says more than the gist and is short.
    pub(crate) text: Option<Plaintext>,
    /// True when the full text says more than the gist and must be fetched.
    pub(crate) has_body: bool,
    /// The beginning of the full text's keyed hash.
    pub(crate) text_mark: u64,
    /// A few of a fact's words.
    pub(crate) sketch: Box<[u64]>,
}

impl Held {
    /// The full text, or the gist of one that is kept apart.
    pub(crate) fn full_text(&self) -> &Plaintext {
        self.text.as_ref().unwrap_or(&self.gist)
    }

    /// Returns the bytes of its texts in RAM, besides its own size.
    fn text_bytes(&self) -> usize {
        let details: usize = self.details.iter().map(|detail| detail.content.heap_bytes()).sum();
        let tags: usize = self.facets.tags.iter().map(String::capacity).sum();
        let record = self.facets.history.record.as_deref().map_or(0, RecordFacet::text_bytes);
        let metadata = self.facets.history.metadata.as_ref().map_or(0, Plaintext::heap_bytes);
        let text = self.text.as_ref().map_or(0, Plaintext::heap_bytes);
        self.gist.heap_bytes() + text + details + tags + record + metadata
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        use zeroize::Zeroize;
        // The texts zero themselves.
        self.facets.tags.iter_mut().for_each(Zeroize::zeroize);
        for entity in &mut self.facets.entities {
            entity.name.zeroize();
            entity.relation.zeroize();
        }
    }
}

/// Full texts by memory, with an error in place of each that cannot be had.
pub(crate) type Bodies = HashMap<MemoryId, Result<Plaintext>>;

/// A memory with its full text, unless that cannot be had: then it has its gist alone.
pub(crate) struct FetchedMemory {
    pub(crate) memory: Memory,
    /// The reason why the full text is missing.
    pub(crate) trouble: Option<Error>,
}

pub(crate) struct OpenVault {
    pub(crate) keyring: Keyring,
    pub(crate) index: Index<Held>,
    pub(crate) marks: Marks,
    /// Memories that become active when their grace period is over.
    pub(crate) approved: BTreeSet<MemoryId>,
    pub(crate) header: CodedHeader,
    pub(crate) codes: Codes,
    pub(crate) tally: RowTally,
    /// Memories whose bytes or key are damaged: not searchable, and reported by id.
    pub(crate) damaged: BTreeSet<MemoryId>,
    /// Memories that nobody can read any more, because something that they were made of was erased, or because
    /// they were erased themselves and came back with an old copy of the data.
    pub(crate) orphans: BTreeSet<MemoryId>,
    /// Pairs of a source and a memory derived from it.
    pub(crate) lineage: BTreeSet<(MemoryId, MemoryId)>,
    pub(crate) settings: HeldSettings,
    pub(crate) weight: Weight,
}

/// The size of a vault, as the last walk over it measured it.
#[derive(Default)]
pub(crate) struct Weight {
    bytes: usize,
    memories: usize,
    commits_since: usize,
}

/// The memories of a vault as they are loaded, apart from its keys.
struct LoadedMemories<'a> {
    index: &'a mut Index<Held>,
    marks: &'a mut Marks,
    approved: &'a mut BTreeSet<MemoryId>,
    damaged: &'a mut BTreeSet<MemoryId>,
    orphans: &'a mut BTreeSet<MemoryId>,
    lineage: &'a mut BTreeSet<(MemoryId, MemoryId)>,
}

impl LoadedMemories<'_> {
    fn insert(&mut self, id: MemoryId, opened: Result<Entry<Held>>) {
        self.drop_memory(&id);
        match opened.and_then(|entry| self.index.insert(entry)) {
            Ok(()) => {
                if let Some(stored) = self.index.get(&id) {
                    self.marks.add(id, stored.payload);
                    let sources = stored.payload.facets.derived_from.iter();
                    self.lineage.extend(sources.map(|link| (link.source, id)));
                    if stored.attributes.state == Lifecycle::Approved {
                        self.approved.insert(id);
                    }
                }
                place_behind(self.index, self.lineage, id);
                for turn in summarised(self.index, id) {
                    place_behind(self.index, self.lineage, turn);
                }
            }
            Err(error) => {
                tracing::error!(memory = %id, %error, "a stored memory cannot be opened");
                self.damaged.insert(id);
            }
        }
    }

    /// Leaves nothing of a memory in RAM.
    fn drop_memory(&mut self, id: &MemoryId) {
        let turns = summarised(self.index, *id);
        if let Some(stored) = self.index.get(id) {
            self.marks.remove(*id, stored.payload);
            for link in &stored.payload.facets.derived_from {
                self.lineage.remove(&(link.source, *id));
            }
        }
        self.index.remove(id);
        for turn in turns {
            place_behind(self.index, self.lineage, turn);
        }
        self.approved.remove(id);
        self.damaged.remove(id);
        self.orphans.remove(id);
    }
}

/// The changes committed since a revision.
struct Changes {
    rows: Vec<Row>,
    gone: Vec<MemoryId>,
    /// The header of the same snapshot; `None` for a vault that is gone.
    header: Option<VaultHeader>,
}

impl Changes {
    fn since(store: &dyn Store, vault: VaultId, since: Revision) -> Result<Self> {
        let (mut rows, mut gone) = (Vec::new(), Vec::new());
        let header = store.changes(vault, since, &mut |change| {
            match change {
                VaultChange::Put(row) => rows.push(row),
                VaultChange::Gone(memory) => gone.push(memory),
            }
            Ok(())
        })?;
        Ok(Self { rows, gone, header })
    }
}

/// The result of a refresh.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refreshed {
    Same,
    Changed,
    /// The vault was destroyed; another one may have begun in its place.
    Ended,
}

impl OpenVault {
    /// Opens a vault, or answers `None` before its first write.
    pub(crate) fn load(scope: &Scope, from: VaultStores<'_>) -> Result<Option<Self>> {
        check_head(from, scope.vault_id())?;
        let Some(keyring) = Keyring::of_vault(scope, from)? else {
            let gone = from.store.revision(scope.vault_id())? == Revision::ZERO
                || was_destroyed(from, scope.vault_id())?;
            return if gone { Ok(None) } else { Err(missing_keys()) };
        };
        let codes = Codes::of(from.kms, scope)?;
        let mut vault = Self::empty(keyring, codes);
        vault.refresh(scope, from)?;
        Ok(Some(vault))
    }

    pub(crate) fn empty(keyring: Keyring, codes: Codes) -> Self {
        Self {
            keyring,
            index: Index::new(),
            marks: Marks::default(),
            approved: BTreeSet::new(),
            header: CodedHeader::empty(),
            codes,
            tally: RowTally::default(),
            damaged: BTreeSet::new(),
            orphans: BTreeSet::new(),
            lineage: BTreeSet::new(),
            settings: HeldSettings::default(),
            weight: Weight::default(),
        }
    }

    /// Applies what was committed since this vault's revision, here or by another node.
    pub(crate) fn refresh(&mut self, scope: &Scope, from: VaultStores<'_>) -> Result<Refreshed> {
        let vault = scope.vault_id();
        if from.store.revision(vault)? == self.header.revision {
            return Ok(Refreshed::Same);
        }
        let cold = self.header.revision == Revision::ZERO;
        let began_after = || Ok::<_, Error>(from.store.vault(vault)?.map(|header| header.began_after));
        if !cold && began_after()?.is_none_or(|ended| self.header.revision <= ended) {
            return Ok(Refreshed::Ended);
        }
        if !cold {
            check_head(from, vault)?;
            // Another node may have put the root under a secret of its person, or taken it away: then it opens anew.
            let stored = from.keys.vault_keys(vault)?;
            if stored.is_none_or(|stored| stored.root.generation != self.keyring.generation()) {
                return Ok(Refreshed::Ended);
            }
        }
        let (changes, keys) = std::thread::scope(|threads| {
            // A cold vault needs every key: they are read while the rows are.
            let keys = cold.then(|| threads.spawn(|| keys_by_memory(from.keys, vault, None)));
            let changes = Changes::since(from.store, vault, self.header.revision);
            let keys = keys.map(|keys| keys.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            (changes, keys)
        });
        let Changes { rows, gone, header } = changes?;
        let Some(header) = header else { return Ok(Refreshed::Ended) };
        let header = CodedHeader::checked(&self.codes, &header)?;
        gone.iter().for_each(|id| self.tally.remove(*id));
        rows.iter().for_each(|row| self.tally.put(&self.codes, row));
        if self.tally.code(&self.codes) != header.codes.rows {
            // A tombstone may have gone before this vault saw it: then the whole vault is read again.
            return if cold {
                Err(tampered(vault, "its rows are not those it had"))
            } else {
                Ok(Refreshed::Ended)
            };
        }
        for memory in gone {
            self.drop_memory(&memory);
        }
        self.open_rows(vault, rows, keys.transpose()?, from)?;
        from.kms.anchor().note_head(vault, header.revision, header.audit);
        self.settings.expire(header.settings_revision);
        self.header = header;
        Ok(Refreshed::Changed)
    }

    fn open_rows(
        &mut self,
        vault: VaultId,
        mut rows: Vec<Row>,
        all_keys: Option<HashMap<MemoryId, WrappedMemoryKey>>,
        from: VaultStores<'_>,
    ) -> Result<()> {
        let cold = all_keys.is_some();
        let mut keys = all_keys.unwrap_or_default();
        // Keys that came after the others were read, and all of them when only a few rows changed.
        let missing: Vec<_> = rows.iter().map(|row| row.id).filter(|id| !keys.contains_key(id)).collect();
        if !missing.is_empty() {
            keys.extend(keys_by_memory(from.keys, vault, Some(&missing))?);
        }
        // Another node may have begun a class since this vault was opened.
        if keys.values().any(|key| !self.keyring.has_class(&key.class)) {
            let stored = from.keys.vault_keys(vault)?.ok_or_else(missing_keys)?;
            self.keyring.open_classes(&stored.classes)?;
        }
        self.set_erased_aside(vault, &mut rows, &keys, cold, from)?;
        // A deleted row without a key is an erasure under way: its key went first.
        rows.retain(|row| row.state != Lifecycle::Deleted || keys.contains_key(&row.id));
        let bound_row = |row: &Row| keys.get(&row.id).is_some_and(is_bound);
        let (bound, free): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(bound_row);
        self.open_free(free, &keys);
        self.open_bound(&bound, keys, from)?;
        self.index.drop_empty_room();
        Ok(())
    }

    /// Takes out the rows that are erased by the ledger, by the anchor's copy of it or by a tombstone, whether or not
    /// there is a key. They are no damage; their bytes are cleared away with the next recovery.
    fn set_erased_aside(
        &mut self,
        vault: VaultId,
        rows: &mut Vec<Row>,
        keys: &HashMap<MemoryId, WrappedMemoryKey>,
        cold: bool,
        from: VaultStores<'_>,
    ) -> Result<()> {
        let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
        let keyless: Vec<_> = ids.iter().copied().filter(|id| !keys.contains_key(id)).collect();
        let mut erased: HashSet<MemoryId> = HashSet::new();
        if !keyless.is_empty() {
            erased.extend(from.keys.erased(vault, &keyless)?);
        }
        if cold {
            let (entered, stones) = (from.kms.anchor().erased_in(vault)?, tombstones(from.store, vault)?);
            erased.extend(ids.iter().filter(|id| entered.contains(id) || stones.contains(id)));
        } else {
            erased.extend(from.kms.anchor().erased(vault, &ids)?);
        }
        rows.retain(|row| !erased.contains(&row.id));
        for id in erased {
            self.drop_memory(&id);
            self.orphans.insert(id);
        }
        Ok(())
    }

    /// Opens rows whose keys depend on nothing else.
    fn open_free(&mut self, rows: Vec<Row>, keys: &HashMap<MemoryId, WrappedMemoryKey>) {
        let mut coming = rows.len();
        let (keyring, mut contents) = self.apart();
        let open = |rows: Vec<Row>| -> Vec<(MemoryId, Result<Entry<Held>>)> {
            let mut buffer = Zeroizing::new(Vec::new());
            rows.iter().map(|row| (row.id, open_row(keyring, row, keys.get(&row.id), &mut buffer))).collect()
        };
        in_order(rows, open, |opened| {
            if coming > 0 {
                contents.index.make_room(coming, opened.iter().filter_map(|(_, entry)| entry.as_ref().ok()));
                coming = 0;
            }
            for (id, opened) in opened {
                contents.insert(id, opened);
            }
        });
    }

    /// Opens what was derived, for which the keys of what it was derived from are needed.
    fn open_bound(
        &mut self,
        rows: &[Row],
        keys: HashMap<MemoryId, WrappedMemoryKey>,
        from: VaultStores<'_>,
    ) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut unlocker = Unlocker::new(&self.keyring, from.keys, keys);
        let mut buffer = Zeroizing::new(Vec::new());
        let open = |row: &Row| -> (MemoryId, Result<Option<Entry<Held>>>) {
            let opened = unlocker.key(row.id).and_then(|key| {
                let frame = key.map(|key| self.keyring.open_frame(&key, row, &mut buffer)).transpose()?;
                frame.map(|frame| entry(row, frame)).transpose()
            });
            (row.id, opened)
        };
        let opened: Vec<_> = rows.iter().map(open).collect();
        for (id, opened) in opened {
            match opened.transpose() {
                Some(opened) => self.insert(id, opened),
                // Something that it was made of is gone, and so is it: nobody can read it any more.
                None => {
                    self.drop_memory(&id);
                    self.orphans.insert(id);
                }
            }
        }
        Ok(())
    }

    /// Puts a memory that was just written into the index, in place of an older state of it.
    pub(crate) fn put(&mut self, row: &Row, frame: Frame) {
        self.insert(row.id, entry(row, frame));
    }

    fn insert(&mut self, id: MemoryId, opened: Result<Entry<Held>>) {
        self.apart().1.insert(id, opened);
    }

    /// Leaves nothing of a memory in RAM.
    pub(crate) fn drop_memory(&mut self, id: &MemoryId) {
        self.apart().1.drop_memory(id);
    }

    /// The keys and what they open, so that rows are opened while others are taken in.
    fn apart(&mut self) -> (&Keyring, LoadedMemories<'_>) {
        let Self { keyring, index, marks, approved, damaged, orphans, lineage, .. } = self;
        (keyring, LoadedMemories { index, marks, approved, damaged, orphans, lineage })
    }

    /// The memories that were made of `source`.
    pub(crate) fn derivatives(&self, source: MemoryId) -> impl Iterator<Item = MemoryId> {
        let (first, last) = (MemoryId::from_bytes([0; 16]), MemoryId::from_bytes([0xff; 16]));
        self.lineage.range((source, first)..=(source, last)).map(|(_, made)| *made)
    }

    /// Memories as their owner sees them, each with its full text; `None` for those that are not there. A text that
    /// cannot be had is an error.
    pub(crate) fn whole(&self, ids: &[MemoryId], from: VaultStores<'_>) -> Result<Vec<Option<Memory>>> {
        let whole = |fetched: Option<FetchedMemory>| match fetched {
            Some(FetchedMemory { trouble: Some(trouble), .. }) => Err(trouble),
            fetched => Ok(fetched.map(|fetched| fetched.memory)),
        };
        self.fetched(ids, from)?.into_iter().map(whole).collect()
    }

    /// Memories with their full texts, as far as these can be had; `None` for those that are not there.
    pub(crate) fn fetched(
        &self,
        ids: &[MemoryId],
        from: VaultStores<'_>,
    ) -> Result<Vec<Option<FetchedMemory>>> {
        let mut bodies = self.bodies(ids, from)?;
        let fetch = |id: &MemoryId| {
            let stored = self.index.get(id)?;
            let mut memory = shown(&stored)?;
            memory.content.text = stored.payload.text.as_ref().map(Plaintext::duplicate);
            let trouble = match bodies.remove(id) {
                None => None,
                Some(Ok(text)) => {
                    memory.content.text = Some(text);
                    None
                }
                Some(Err(Error::NotFound(_))) => return None,
                Some(Err(error)) => Some(error),
            };
            Some(FetchedMemory { memory, trouble })
        };
        Ok(ids.iter().map(fetch).collect())
    }

    /// About how many bytes of RAM the vault takes. Walking a large one takes long, so that most commits only
    /// scale what the last walk found.
    pub(crate) fn weigh(&mut self) -> usize {
        let memories = self.index.len();
        if self.weight.commits_since * MEMORIES_WALKED_PER_COMMIT >= memories || self.weight.memories == 0 {
            let texts: usize = self.index.payloads().map(Held::text_bytes).sum();
            self.weight = Weight { bytes: self.index.bytes() + texts, memories, commits_since: 0 };
        }
        self.weight.commits_since += 1;
        self.weight.bytes * memories / self.weight.memories.max(1)
    }

    /// Fetches and opens the full texts of `ids`; ids whose text is in RAM are passed over.
    pub(crate) fn bodies(&self, ids: &[MemoryId], from: VaultStores<'_>) -> Result<Bodies> {
        let wanted: Vec<MemoryId> = ids
            .iter()
            .filter(|id| self.index.get(id).is_some_and(|entry| entry.payload.has_body))
            .copied()
            .collect();
        if wanted.is_empty() {
            return Ok(HashMap::new());
        }
        let vault = self.keyring.vault();
        let mut keys = Unlocker::fetching(&self.keyring, from.keys, &wanted)?;
        let rows = from.store.rows(vault, &wanted)?;
        let mut bodies = HashMap::with_capacity(wanted.len());
        for (id, row) in wanted.into_iter().zip(rows) {
            // A row that is gone or deleted was erased since this vault was read.
            let row = row.filter(|row| row.state != Lifecycle::Deleted);
            let body = match row {
                Some(row) => self.body(&row, &mut keys, from),
                None => Err(Error::NotFound("memory")),
            };
            bodies.insert(id, body);
        }
        Ok(bodies)
    }

    fn body(&self, row: &Row, keys: &mut Unlocker<'_>, from: VaultStores<'_>) -> Result<Plaintext> {
        let missing =
            || Error::corrupt(format!("the text of {} or its key is missing; run lacuna doctor", row.id));
        let key = keys.key(row.id)?.ok_or_else(missing)?;
        let (revision, sealed) = match sealed_body(self.keyring.vault(), row, from) {
            Err(Error::NotFound(_)) | Ok(None) => return Err(missing()),
            Err(error) => return Err(error),
            Ok(Some(body)) => body,
        };
        self.keyring.open_body(&key, &Place::of(row, revision), &sealed)
    }
}

fn sealed_body(vault: VaultId, row: &Row, from: VaultStores<'_>) -> Result<Option<(u32, Vec<u8>)>> {
    match &row.body {
        SealedBody::None | SealedBody::Unchanged => Ok(None),
        SealedBody::Inline { revision, sealed } => Ok(Some((*revision, sealed.clone()))),
        SealedBody::Blob { revision, .. } => {
            let name = BlobName { memory: row.id, revision: *revision };
            Ok(Some((*revision, from.blobs.get(vault, name)?)))
        }
    }
}

fn open_row(
    keyring: &Keyring,
    row: &Row,
    key: Option<&WrappedMemoryKey>,
    buffer: &mut Zeroizing<Vec<u8>>,
) -> Result<Entry<Held>> {
    let key = key.ok_or_else(|| Error::corrupt(format!("the key of {} is missing", row.id)))?;
    let frame = keyring.open_frame(&keyring.open_memory_key(key, &[])?, row, buffer)?;
    entry(row, frame)
}

/// Makes the index entry of a row and its opened frame.
fn entry(row: &Row, frame: Frame) -> Result<Entry<Held>> {
    let damaged = |_| Error::corrupt(format!("the index data of {} does not parse", row.id));
    let vectors = frame
        .vectors
        .iter()
        .map(|(model, bytes)| Ok((model.clone(), QuantVec::from_bytes(bytes).map_err(damaged)?)))
        .collect::<Result<Vec<(ModelId, QuantVec)>>>()?;
    let terms = TermList::from_bytes(&frame.terms).map_err(damaged)?;
    let Frame { gist, details, facets, text, has_body, text_hash, .. } = frame;
    let utterance = Utterance::of(text.as_ref().unwrap_or(&gist).expose(), &terms);
    let source = &facets.source;
    let attributes = Attributes {
        created_at: millis(row.created_at),
        expires_at: row.expires_at.map(millis),
        session: source.session.as_ref().map(|session| Session::new(session, source.turn)),
        fading: facets.vitality.fading(),
        state: state(row, &facets.history),
        category: facets.category,
        tier: facets.tier,
        lane: facets.lane,
        secondary_lanes: facets.secondary_lanes.iter().copied().collect(),
        is_record: facets.is_record(),
    };
    let mut tags: Vec<Tag> = facets.tags.iter().map(|tag| Tag::of(tag)).collect();
    tags.extend(purpose_tags(&facets));
    let text_mark = text_mark(&text_hash);
    let sketch = if facets.is_record() { Box::default() } else { sketch(&terms, facets.tier) };
    let updated_at = row.updated_at;
    let payload = Held { gist, details, facets, updated_at, text, has_body, text_mark, sketch };
    Ok(Entry { id: row.id, attributes, tags, terms, utterance, vectors, payload })
}

/// The state of a memory. A row's state can be changed by whoever can write to the database; what a candidate
/// waits for is sealed, and holds it back whatever the row says.
fn state(row: &Row, history: &History) -> Lifecycle {
    match history.waits {
        Some(_) if row.state != Lifecycle::Deleted => Lifecycle::Candidate,
        _ => row.state,
    }
}

/// A memory as its owner sees it in a list: without its full text.
pub(crate) fn shown(stored: &Stored<'_, Held>) -> Option<Memory> {
    let Held { gist, details, facets, updated_at, .. } = stored.payload;
    let mut facets = facets.duplicate();
    // What was asked for may be cut by rules and settings; the row has what came of it.
    facets.retention.expires_at = stored.attributes.expires_at.and_then(from_millis);
    Some(Memory {
        id: stored.id,
        state: stored.attributes.state,
        created_at: from_millis(stored.attributes.created_at)?,
        updated_at: *updated_at,
        content: Content {
            gist: gist.duplicate(),
            details: details.iter().map(Detail::duplicate).collect(),
            text: None,
        },
        facets,
        kept_because: None,
    })
}

/// The memories of a vault that have a tombstone.
fn tombstones(store: &dyn Store, vault: VaultId) -> Result<HashSet<MemoryId>> {
    let (mut stones, mut after) = (HashSet::new(), None);
    loop {
        let page = store.tombstones(vault, after)?;
        let Some(last) = page.last() else { return Ok(stones) };
        after = Some(last.id);
        stones.extend(page.iter().map(|stone| stone.id));
    }
}

/// Returns true when the vault's keys were destroyed after the state that the store has of it.
pub(crate) fn was_destroyed(from: VaultStores<'_>, vault: VaultId) -> Result<bool> {
    let Some(header) = from.store.vault(vault)? else { return Ok(false) };
    Ok(from.keys.destroyed_at(vault)?.is_some_and(|at| header.created_at < at))
}

pub(crate) fn missing_keys() -> Error {
    Error::Misconfigured {
        code: "missing_key",
        reason: "the vault's keys are missing from the keystore: restore the keystore that belongs to it"
            .into(),
    }
}
