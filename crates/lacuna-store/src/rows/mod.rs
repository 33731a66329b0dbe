//! Stores of sealed bytes, which they cannot read.
//!
//! [`Store`] is small and dyn-safe; RAM, SQLite and PostgreSQL implement it, and one suite
//! (`conformance`) holds for all of them. Keys live elsewhere: see [`crate::keys`].

mod access;
pub(crate) mod check;
pub(crate) mod columns;
#[cfg(feature = "testing")]
mod faulty;
mod jobs;
mod keyed;
pub(crate) mod pool;
pub(crate) mod postgres;
mod ram;
mod records;
pub(crate) mod sqlite;

pub use access::AccessRows;
pub use check::{
    BATCH_BYTES_MAX, INTENT_NOTE_BYTES_MAX, LABEL_BYTES_MAX, ROLES_MAX, SEALED_BYTES_MAX, SETTINGS_BYTES_MAX,
};
#[cfg(feature = "testing")]
pub use faulty::{FaultTiming, Faults, FaultyStore};
pub use jobs::{JOB_WORD_BYTES_MAX, JobClaim, JobEnd, JobRow};
pub use keyed::{
    KEYED_ANSWER_BYTES_MAX, KEYED_ANSWERS_OF_CALLER_MAX, KEYED_OF_CALLER_MAX, KeyedClaim, KeyedEnd,
    KeyedOutcome, KeyedStanding,
};
pub use postgres::{LoginRole, PostgresStore};
pub use ram::RamStore;
pub use records::{RECORD_BYTES_MAX, RECORDS_PAGE_MAX, Record, RecordChange, RecordKind};
pub use sqlite::{SqliteOptions, SqliteStore};

use jiff::Timestamp;
use lacuna_seal::SIGNATURE_BYTES;

use lacuna_types::Result;
use lacuna_types::{Group, Lifecycle, MemoryId, OrgId, Revision, Scope, UserId, VaultId};

/// Rows in one batch, of all kinds together; also the memories that one pending erasure may name.
pub const BATCH_ROWS_MAX: usize = 10_000;
/// Audit entries handed out per call.
pub const AUDIT_PAGE_MAX: usize = 1_000;
/// Tokens handed out per call.
pub const TOKENS_PAGE_MAX: usize = 1_000;
/// Members of one group handed out per call.
pub const MEMBERS_PAGE_MAX: usize = 1_000;
/// Teams and deployments that one user may belong to.
pub const MEMBERSHIPS_MAX: usize = 256;
/// Vaults handed out per call.
pub const VAULTS_PAGE_MAX: usize = 1_000;
/// Tombstones handed out per call.
pub const TOMBSTONES_PAGE_MAX: usize = 10_000;

/// Sealed memories, tombstones, pending erasures and audit chains of every vault; token hashes, memberships
/// and the record book of every organisation; the table of jobs; requests under a key, where nodes share the store.
pub trait Store: Send + Sync {
    /// The vault's header, or `None` before its first commit.
    fn vault(&self, vault: VaultId) -> Result<Option<VaultHeader>>;

    /// The vault's revision, zero before its first commit. Every recall asks this, so it must be cheap.
    fn revision(&self, vault: VaultId) -> Result<Revision>;

    /// Visits everything that changed after `since`, in the order of revision, from one consistent
    /// snapshot, and answers with the header of that snapshot, `None` before the first commit. An error of
    /// `visit` ends the visit and is the answer. `visit` must not call the store: it runs while a connection is held.
    fn changes(
        &self,
        vault: VaultId,
        since: Revision,
        visit: &mut dyn FnMut(VaultChange) -> Result<()>,
    ) -> Result<Option<VaultHeader>>;

    /// The rows of `ids` with their bodies, in the order asked; `None` for what is not there.
    fn rows(&self, vault: VaultId, ids: &[MemoryId]) -> Result<Vec<Option<Row>>>;

    /// Applies a batch atomically and durably, or not at all, and answers with the new revision.
    /// [`lacuna_types::Error::Conflict`] when the vault is not at `batch.expected`. After [`lacuna_types::Error::Unavailable`] the
    /// batch is there whole or not at all; [`Store::revision`] tells which.
    fn commit(&self, batch: Batch) -> Result<Revision>;

    /// Erasures that began and have not ended, oldest first.
    fn intents(&self, vault: VaultId) -> Result<Vec<PendingErasure>>;

    /// Up to [`AUDIT_PAGE_MAX`] entries of the vault's chain with a sequence number above `after`.
    fn audit(&self, vault: VaultId, after: u64) -> Result<Vec<AuditRow>>;

    /// The token whose secret hashes to `hash`.
    fn token(&self, hash: &[u8; 32]) -> Result<Option<TokenRow>>;

    /// The tokens of an organisation, oldest first.
    fn tokens(&self, org: &OrgId) -> Result<Vec<TokenRow>>;

    /// The teams and deployments that a user belongs to, up to [`MEMBERSHIPS_MAX`], in order. Every call of a
    /// door asks this, so it must be cheap.
    fn memberships(&self, org: &OrgId, user: &UserId) -> Result<Vec<Group>>;

    /// Up to [`MEMBERS_PAGE_MAX`] members of a group in the order of their names, from the one after `after`.
    fn members(&self, org: &OrgId, group: &Group, after: Option<&UserId>) -> Result<Vec<MemberRow>>;

    /// Every token and membership of an organisation, from one snapshot.
    fn access(&self, org: &OrgId) -> Result<AccessRows>;

    /// Headers of up to `limit` vaults (at most [`VAULTS_PAGE_MAX`]) with an id above `after`, in the order
    /// of id.
    fn vaults(&self, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultHeader>>;

    /// Removes everything of a vault: rows, bodies, tombstones, pending erasures, audit chain and header, in one
    /// transaction. A vault that is not there is passed over. What begins anew in its place counts its
    /// revisions on from where this one ended, so that a copy in RAM is never taken for current.
    fn destroy(&self, vault: VaultId) -> Result<()>;

    /// Up to [`TOMBSTONES_PAGE_MAX`] tombstones of a vault with an id above `after`, in the order of id.
    fn tombstones(&self, vault: VaultId, after: Option<MemoryId>) -> Result<Vec<TombstoneRow>>;

    /// Up to `limit` vaults (at most [`VAULTS_PAGE_MAX`]) with an id above `after`, in the order of id, that
    /// hold a row in the state deleted which was last updated before a moment.
    fn soft_deleted(&self, before: Timestamp, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultId>>;

    /// Up to `limit` vaults (at most [`VAULTS_PAGE_MAX`]) with an id above `after`, in the order of id, that
    /// hold a row which expires before a moment and is not in the state deleted.
    fn expiring(&self, before: Timestamp, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultId>>;

    /// The settings of the vault's owner, sealed; `None` before the first time.
    fn settings(&self, vault: VaultId) -> Result<Option<SealedSettings>>;

    /// Every job that was ever claimed, in the order of name.
    fn jobs(&self) -> Result<Vec<JobRow>>;

    /// Takes a job that is due, or any if the claim is early, unless somebody holds a claim to it that has
    /// not run out. Of several that ask at once, one is told yes. A job without a row gets one.
    fn claim_job(&self, claim: &JobClaim) -> Result<bool>;

    /// Holds a claim until a later moment. No when it is not theirs any more.
    fn renew_job(&self, claim: &JobClaim) -> Result<bool>;

    /// Gives a job back with how its run ended. No, and nothing changes, when it is not theirs any more.
    fn end_job(&self, end: &JobEnd) -> Result<bool>;

    /// Returns true for a store that keeps requests under an `Idempotency-Key`, for nodes to share. In one that does not,
    /// every request is claimed.
    fn shares_keyed(&self) -> bool {
        false
    }

    /// Takes a request, unless it is under way, done, or another one of the same mark. Of several that ask at once, one gets
    /// it; a claim that has run out is nobody's.
    fn claim_keyed(&self, _claim: &KeyedClaim) -> Result<KeyedStanding> {
        Ok(KeyedStanding::Claimed)
    }

    /// Holds a claim to a request until a later moment. No when it is not theirs any more.
    fn renew_keyed(&self, _claim: &KeyedClaim) -> Result<bool> {
        Ok(true)
    }

    /// Ends a claim. No, and nothing changes, when it is not theirs any more. No answer is kept if something was erased in
    /// the organisation since the claim, and every kept one goes with the next erasure.
    fn end_keyed(&self, _end: &KeyedEnd) -> Result<bool> {
        Ok(true)
    }

    /// Forgets the requests that began before a moment, and answers with how many.
    fn forget_keyed(&self, _before: Timestamp) -> Result<u64> {
        Ok(0)
    }

    /// Up to `limit` records (at most [`RECORDS_PAGE_MAX`]) of one kind with a number above `after`, in order.
    fn records(&self, org: &OrgId, kind: RecordKind, after: u64, limit: usize) -> Result<Vec<Record>>;

    /// As [`Self::records`], only those that belong to one vault.
    fn vault_records(
        &self,
        org: &OrgId,
        kind: RecordKind,
        vault: VaultId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Record>>;

    /// The highest number of the kind in the organisation's book, zero in an empty one.
    fn last_record(&self, org: &OrgId, kind: RecordKind) -> Result<u64>;

    /// Up to `limit` records (at most [`RECORDS_PAGE_MAX`]) of one kind in all books that are due at a moment
    /// and not done, the longest overdue first.
    fn due_records(&self, kind: RecordKind, at: Timestamp, limit: usize) -> Result<Vec<Record>>;
}

/// Visits the header of every vault, page by page, in the order of id.
pub fn each_vault(store: &dyn Store, mut visit: impl FnMut(&VaultHeader) -> Result<()>) -> Result<()> {
    let mut after = None;
    loop {
        let page = store.vaults(after, VAULTS_PAGE_MAX)?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.id);
        page.iter().try_for_each(&mut visit)?;
    }
}

/// The part of a vault that is visible without a key.
#[derive(Clone, PartialEq, Debug)]
pub struct VaultHeader {
    /// The vault's id.
    pub id: VaultId,
    /// Organisation and holder.
    pub scope: Scope,
    /// The number of commits.
    pub revision: Revision,
    /// The last revision of the vault that was destroyed in this place; zero without one. A copy in RAM at
    /// this revision or below belongs to that one.
    pub began_after: Revision,
    /// The time of the first commit.
    pub created_at: Timestamp,
    /// The end of the audit chain.
    pub audit: ChainHead,
    /// The installation's signature of that head; an audit chain ends at it.
    pub audit_signature: Option<[u8; SIGNATURE_BYTES]>,
    /// The time since which the vault takes no writes.
    pub frozen_at: Option<Timestamp>,
    /// The revision of the sealed settings; zero without any.
    pub settings_revision: u32,
    /// The codes of the last commit; `None` where an older release made it.
    pub codes: Option<HeaderCodes>,
}

/// Authentication codes of a vault, which the store cannot make or check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeaderCodes {
    /// Over the columns of every row of the vault.
    pub rows: [u8; 32],
    /// Over the organisation's tokens and memberships; only in the header of the organisation's own vault.
    pub access: Option<[u8; 32]>,
    /// Over the rest of the header and the two codes above.
    pub header: [u8; 32],
}

/// The end of an audit chain: the last sequence number and its hash.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ChainHead {
    /// The number of the last entry; zero before the first.
    pub seq: u64,
    /// The hash of the last entry.
    pub hash: [u8; 32],
}

/// One memory at rest. Its columns are all that can be read without a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The memory.
    pub id: MemoryId,
    /// The stage of its life.
    pub state: Lifecycle,
    /// The time of the event or of writing.
    pub created_at: Timestamp,
    /// The time of the last change.
    pub updated_at: Timestamp,
    /// The time at which it is erased by itself.
    pub expires_at: Option<Timestamp>,
    /// The version of the master key above it.
    pub key_version: u32,
    /// Counts the sealings of the frame; part of what its seal authenticates.
    pub frame_revision: u32,
    /// The sealed gist, details and facets.
    pub frame: Vec<u8>,
    /// The sealed full text, or its place.
    pub body: SealedBody,
}

/// The sealed full text, or its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SealedBody {
    /// The gist says it all.
    None,
    /// In the row.
    Inline {
        /// Counts the sealings of the body.
        revision: u32,
        /// The sealed bytes.
        sealed: Vec<u8>,
    },
    /// In the blob store, under the vault, the memory and this revision.
    Blob {
        /// Counts the sealings of the body.
        revision: u32,
        /// The size of the blob.
        bytes: u64,
    },
    /// In a [`VaultChange`], where bodies are not loaded; in a [`Batch`], the stored body stays as it is.
    Unchanged,
}

/// A change of one memory, as [`Store::changes`] shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum VaultChange {
    /// Inserted or replaced. The body is not loaded: it is [`SealedBody::Unchanged`].
    Put(Row),
    /// Erased; a content-free tombstone remains.
    Gone(MemoryId),
}

/// The rest of an erased memory: no content, and not for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TombstoneRow {
    /// The erased memory.
    pub id: MemoryId,
    /// The time of the erasure.
    pub at: Timestamp,
    /// True for one that is dropped long before the others.
    pub brief: bool,
}

/// The changes of one commit to one vault, all of them or none.
#[derive(Clone, PartialEq, Debug)]
pub struct Batch {
    /// The vault, which must be that of `scope`.
    pub vault: VaultId,
    /// Written when the vault is new; a header that differs from the stored one is refused as corrupt.
    pub scope: Scope,
    /// The time of the commit.
    pub at: Timestamp,
    /// The revision of the vault before the commit.
    pub expected: Revision,
    /// Inserted, or replacing the row of the same id. An id with a tombstone is refused as corrupt: what
    /// was forgotten never comes back.
    pub puts: Vec<Row>,
    /// Rows to erase; each leaves a tombstone. Ids that are not there leave one as well.
    pub removals: Vec<MemoryId>,
    /// True when [`Self::forget_brief_before`] drops the tombstones of `removals`.
    pub brief: bool,
    /// Erasures that begin.
    pub opens: Vec<PendingErasure>,
    /// Ids of pending erasures that have ended, after `opens`. Ids that are not open are passed over.
    pub closes: Vec<u64>,
    /// True for another step of an erasure, such as taking away links to what goes: it may use the room that is
    /// kept for erasing.
    pub makes_room: bool,
    /// Tokens of the organisation that the vault belongs to.
    pub tokens: Vec<TokenChange>,
    /// Memberships in the organisation that the vault belongs to.
    pub members: Vec<MemberChange>,
    /// Changes in the record book of the organisation that the vault belongs to.
    pub records: Vec<RecordChange>,
    /// Tombstones of the vault that were put up before this moment are taken away.
    pub forget_tombstones_before: Option<Timestamp>,
    /// Brief tombstones of the vault that were put up before this moment are taken away.
    pub forget_brief_before: Option<Timestamp>,
    /// Must continue the chain without a gap.
    pub audit: Vec<AuditRow>,
    /// The signature of the chain's new end.
    pub audit_signature: Option<[u8; SIGNATURE_BYTES]>,
    /// Audit entries whose bytes go. [`lacuna_types::Error::NotFound`] for one that is not there.
    pub aged: Vec<AgedEntry>,
    /// Stops writes, or ends the stop.
    pub freeze: Option<Freeze>,
    /// Replaces what the vault's owner has set.
    pub settings: Option<SealedSettings>,
    /// The vault's codes after the commit.
    pub codes: Option<HeaderCodes>,
}

impl Batch {
    /// Returns true for a step of an erasure.
    pub fn erases(&self) -> bool {
        self.makes_room || !(self.opens.is_empty() && self.removals.is_empty() && self.closes.is_empty())
    }

    /// A batch without changes.
    pub fn new(scope: Scope, at: Timestamp, expected: Revision) -> Self {
        Self {
            vault: scope.vault_id(),
            scope,
            at,
            expected,
            puts: Vec::new(),
            removals: Vec::new(),
            brief: false,
            opens: Vec::new(),
            closes: Vec::new(),
            makes_room: false,
            tokens: Vec::new(),
            members: Vec::new(),
            records: Vec::new(),
            forget_tombstones_before: None,
            forget_brief_before: None,
            audit: Vec::new(),
            audit_signature: None,
            aged: Vec::new(),
            freeze: None,
            settings: None,
            codes: None,
        }
    }

    /// The time since which the vault is frozen after this batch.
    pub fn frozen_after(&self, frozen_at: Option<Timestamp>) -> Option<Timestamp> {
        match self.freeze {
            Some(Freeze::Frozen) => frozen_at.or(Some(self.at)),
            Some(Freeze::Thawed) => None,
            None => frozen_at,
        }
    }
}

/// A stop of writes, or its end. The store only keeps the mark; the service heeds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Freeze {
    /// Writes stop.
    Frozen,
    /// Writes go on.
    Thawed,
}

/// The settings of a vault's owner, at rest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SealedSettings {
    /// Counts the sealings; part of what the seal authenticates.
    pub revision: u32,
    /// At most [`SETTINGS_BYTES_MAX`].
    pub sealed: Vec<u8>,
}

/// An erasure that has been decided and must end, whatever happens. Its id is the sequence number of the
/// audit entry that announced it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PendingErasure {
    /// The sequence number of the audit entry that announced it.
    pub id: u64,
    /// The memories to erase.
    pub memories: Vec<MemoryId>,
    /// The facts that are needed to end it, at most [`INTENT_NOTE_BYTES_MAX`] bytes. It holds no content, and
    /// the store does not read it.
    pub note: Vec<u8>,
}

impl PendingErasure {
    /// A pending erasure without a note. It gets its id when it is committed.
    pub fn to_erase(memories: Vec<MemoryId>) -> Self {
        Self { id: 0, memories, note: Vec::new() }
    }
}

/// One entry of an audit chain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AuditRow {
    /// The number in the chain, from one.
    pub seq: u64,
    /// The time of the entry.
    pub at: Timestamp,
    /// The bytes of the entry.
    pub entry: Vec<u8>,
    /// The hash over the entry and the chain before it.
    pub hash: [u8; 32],
    /// The code over place and hash; `None` for an entry of an older release.
    pub code: Option<[u8; 32]>,
}

/// An audit entry that is old enough to go. Its number, time and hash stay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgedEntry {
    /// The number in the chain.
    pub seq: u64,
    /// The bytes that take their place.
    pub digest: Vec<u8>,
}

/// An API token: the hash of its secret, and whom it speaks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TokenRow {
    /// The token's id.
    pub id: [u8; 16],
    /// The hash of its secret.
    pub hash: [u8; 32],
    /// The organisation.
    pub org: OrgId,
    /// The person for whom it speaks.
    pub user: String,
    /// The rights of its bearer.
    pub roles: Vec<String>,
    /// The label that its maker chose.
    pub label: String,
    /// The time of making.
    pub created_at: Timestamp,
    /// The time after which it is refused.
    pub expires_at: Option<Timestamp>,
    /// The time of its revocation.
    pub revoked_at: Option<Timestamp>,
}

/// A change of one token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TokenChange {
    /// [`lacuna_types::Error::Conflict`] when a token of this id or hash is already there.
    Add(TokenRow),
    /// [`lacuna_types::Error::NotFound`] without such a token; a second revocation changes nothing.
    Revoke {
        /// The token's id.
        id: [u8; 16],
        /// The time of the revocation.
        at: Timestamp,
    },
}

/// One person's place in a team or deployment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemberRow {
    /// The member.
    pub user: UserId,
    /// The time from which they are a member.
    pub added_at: Timestamp,
}

/// A change of one membership.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MemberChange {
    /// A member stays one, with the earlier time.
    Add {
        /// The team or deployment.
        group: Group,
        /// The new member.
        user: UserId,
        /// The time from which they are a member.
        at: Timestamp,
    },
    /// [`lacuna_types::Error::NotFound`] when they are no member.
    Remove {
        /// The team or deployment.
        group: Group,
        /// The member.
        user: UserId,
    },
}
