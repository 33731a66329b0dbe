//! The receipt of an erasure: what was done, counted, probed and signed. It never says what was erased.
//!
//! It can be checked by anybody who has it and the installation's public key, without a server.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use lacuna_seal::{Digest, Signature, SigningKey, VerifyingKey};
use lacuna_store::cbor::{CborReader, CborWriter};
use lacuna_store::rows::{
    Batch, ChainHead, PendingErasure, RECORDS_PAGE_MAX, Record, RecordChange, RecordKind,
};
use lacuna_types::request::Mode;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::{AuditAction, AuditEntry};
use crate::permit::{Grant, ReadAudit};
use crate::vault::commit::Act;
use crate::vault::deliver::{Event, Notification};
use crate::vault::service::Service;

const SIGNING_DOMAIN: &str = "lacuna/receipt/v1";
const IDS_DOMAIN: &str = "lacuna/receipt/memories/v1";
/// The fields of a receipt, and of a record that holds a signed one.
const FIELDS: u64 = 14;
const SIGNED_FIELDS: u64 = 3;
/// Receipts of one vault that are handed out at least, if there are so many.
const RECEIPTS_PAGE: usize = 100;
/// Keyed hashes of what was named, in one receipt.
pub(crate) const SCOPE_HASHES_MAX: usize = 32;
/// Backups that one receipt names.
const BACKUPS_NAMED_MAX: usize = 64;

facet!(
    /** The cause of an erasure. */
    Cause, "cause", {
    Request = 1 "request",
    Purge = 2 "purge",
    Retention = 3 "retention",
    Person = 4 "person",
    Destruction = 5 "destruction",
    Correction = 6 "correction",
    /** Asked for while a legal hold stood, and carried out at its end. */ Deferred = 7 "deferred",
});

facet!(
    /** The way in which a request named its memories. */
    Named, "target", {
    Ids = 1 "ids",
    Subject = 2 "subject",
    Query = 3 "query",
    Session = 4 "session",
    Conversation = 5 "conversation",
    LastSaid = 6 "last_said",
    Tags = 7 "tags",
    Sensitivity = 8 "sensitivity",
    Tier = 9 "tier",
    Source = 10 "source",
    Everything = 11 "everything",
    Time = 12 "time",
});

/// The numbers of an erasure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Memories that said it.
    pub direct: u32,
    /// Memories that seemed to be about it.
    pub indirect: u32,
    /// Memories that were made of those and fell with them.
    pub fell: u32,
    /// Memories that live on without a part of what they said.
    pub cut: u32,
    /// Consolidated memories that were made anew from what was left of their sources.
    pub rebuilt: u32,
    /// Memories that are held back until somebody has looked at them.
    pub held_back: u32,
    /// Keys that were destroyed.
    pub keys_destroyed: u32,
}

/// A backup that still holds copies, sealed, and until when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BackupHold {
    /// The number of the backup.
    pub number: u64,
    /// The time until which the backup is kept.
    pub until: Timestamp,
}

/// The proof of an erasure.
#[derive(Clone, PartialEq, Debug)]
pub struct Receipt {
    /// Counts the tenant's receipts without a gap.
    pub number: u64,
    /// The organisation of the vault.
    pub org: OrgId,
    /// The vault that the memories were in.
    pub vault: VaultId,
    /// The time of the erasure.
    pub at: Timestamp,
    /// The mode of the erasure.
    pub mode: Mode,
    /// The cause of the erasure.
    pub cause: Cause,
    /// The way in which the memories were named.
    pub named: Named,
    /// Hashes of what was named, under a key of the vault: nobody else can test a guess.
    pub scope_hashes: Vec<[u8; 32]>,
    /// One hash over the ids of everything that went.
    pub memories_hash: [u8; 32],
    /// The numbers of the erasure.
    pub counts: Counts,
    /// The searches for the erased memories afterwards, and their findings.
    pub probes: Vec<Probed>,
    /// Backups that still hold copies.
    pub backups: Vec<BackupHold>,
    /// The audit chain, up to and with the entry that announced it.
    pub audit: ChainHead,
    /// The request of a person that it answers.
    pub request: Option<u64>,
}

impl Receipt {
    /// As people quote it: `DEL-2026-000123`.
    pub fn reference(&self) -> String {
        reference(self.number, self.at)
    }

    /// Returns true when no probe found anything.
    pub fn is_clean(&self) -> bool {
        self.probes.iter().all(|probed| probed.found == 0 || !probed.path.is_residue())
    }

    /// Makes the notification that recipients get.
    pub(crate) fn notification(&self) -> Notification {
        Notification {
            org: self.org.clone(),
            event: match self.cause {
                Cause::Destruction => Event::Destruction,
                _ => Event::Erasure,
            },
            reference: self.reference(),
            memories: u64::from(self.counts.keys_destroyed),
            at: self.at,
        }
    }

    /// Encodes the receipt as it is signed.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut w = CborWriter(&mut bytes);
        w.array(FIELDS as usize);
        w.uint(self.number);
        w.text(self.org.as_str());
        w.bytes(self.vault.as_bytes());
        w.int(millis(self.at));
        w.uint(self.mode.code());
        w.uint(self.cause.code());
        w.uint(self.named.code());
        w.list(&self.scope_hashes, |w, hash| w.bytes(hash));
        w.bytes(&self.memories_hash);
        w.list(&self.counts.all(), |w, count| w.uint(*count));
        w.list(&self.probes, |w, probed| {
            w.array(3);
            w.uint(probed.path.code());
            w.uint(probed.looked_for);
            w.uint(probed.found);
        });
        w.list(&self.backups, |w, hold| {
            w.array(2);
            w.uint(hold.number);
            w.int(millis(hold.until));
        });
        w.array(2);
        w.uint(self.audit.seq);
        w.bytes(&self.audit.hash);
        w.optional(self.request, CborWriter::uint);
        bytes
    }

    /// Decodes a receipt.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        CborReader(bytes).record(FIELDS, read).ok_or_else(damaged)
    }

    /// Announces the receipt in the commit that announces the erasure: whoever ends it knows its number.
    pub(crate) fn open_in(self, batch: &mut Batch) {
        for intent in &mut batch.opens {
            intent.note = self.number.to_be_bytes().to_vec();
        }
        batch.records.push(RecordChange::Add(self.record(self.encode(), None)));
    }

    fn record(&self, doc: Vec<u8>, done_at: Option<Timestamp>) -> Record {
        Record {
            org: self.org.clone(),
            kind: RecordKind::Receipt,
            number: self.number,
            vault: Some(self.vault),
            at: self.at,
            due_at: None,
            done_at,
            doc,
        }
    }

    /// Signs the receipt.
    pub fn sign(self, key: &SigningKey) -> SignedReceipt {
        let signature = key.sign(SIGNING_DOMAIN, &[&self.encode()]);
        SignedReceipt { receipt: self, signature, key: key.verifying_key() }
    }
}

impl Counts {
    fn all(&self) -> [u32; 7] {
        let Self { direct, indirect, fell, cut, rebuilt, held_back, keys_destroyed } = *self;
        [direct, indirect, fell, cut, rebuilt, held_back, keys_destroyed]
    }

    fn from_all(all: &[u32]) -> Option<Self> {
        let [direct, indirect, fell, cut, rebuilt, held_back, keys_destroyed] = *all else { return None };
        Some(Self { direct, indirect, fell, cut, rebuilt, held_back, keys_destroyed })
    }
}

/// A receipt, and the proof that it comes from this installation.
#[derive(Clone, PartialEq, Debug)]
pub struct SignedReceipt {
    /// The receipt that was signed.
    pub receipt: Receipt,
    /// The signature over the encoded receipt.
    pub signature: Signature,
    /// The key that verifies the signature.
    pub key: VerifyingKey,
}

impl SignedReceipt {
    /// Checks the signature under `key`, which should come from elsewhere than the receipt itself.
    pub fn verify(&self, key: &VerifyingKey) -> Result<()> {
        let not_valid = |reason| Error::Refused { code: "receipt_not_valid", reason };
        let forged = |_| not_valid("the receipt does not bear this key's signature");
        if *key != self.key {
            return Err(not_valid("the receipt was signed by another key"));
        }
        key.verify(SIGNING_DOMAIN, &[&self.receipt.encode()], &self.signature).map_err(forged)
    }

    /// As the tenant's book keeps it.
    pub(crate) fn record(&self) -> Record {
        self.receipt.record(self.encode(), Some(self.receipt.at))
    }

    /// Encodes the receipt with its signature and key.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut w = CborWriter(&mut bytes);
        w.array(SIGNED_FIELDS as usize);
        w.bytes(&self.receipt.encode());
        w.bytes(self.signature.as_bytes());
        w.bytes(self.key.as_bytes());
        bytes
    }

    /// Decodes a signed receipt.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let parts = CborReader(bytes).record(SIGNED_FIELDS, |r| {
            let receipt = Receipt::decode(r.bytes()?).ok()?;
            let signature = Signature::from_bytes(r.array_of_bytes()?);
            Some(Self { receipt, signature, key: VerifyingKey::from_bytes(r.array_of_bytes()?) })
        });
        parts.ok_or_else(damaged)
    }
}

/// The receipt with the next number of its tenant, which the first entry quotes.
pub(crate) fn numbered(service: &Service, receipt: &Receipt, entries: &mut [AuditEntry]) -> Result<Receipt> {
    let number = service.store.last_record(&receipt.org, RecordKind::Receipt)? + 1;
    if let Some(first) = entries.first_mut() {
        first.notes.push(reference(number, receipt.at));
    }
    Ok(Receipt { number, ..receipt.clone() })
}

/// The receipt that an erasure under way was announced with.
pub(crate) fn announced_receipt(
    service: &Service,
    scope: &Scope,
    intent: &PendingErasure,
) -> Result<Option<Receipt>> {
    let Some((number, [])) = intent.note.split_first_chunk() else { return Ok(None) };
    let number = u64::from_be_bytes(*number);
    let record = service.store.records(&scope.org, RecordKind::Receipt, number - 1, 1)?.pop();
    let record = record.filter(|record| record.number == number && record.done_at.is_none());
    record.map(|record| Receipt::decode(&record.doc)).transpose()
}

/// Signs what was done, and lets the commit that ends the erasure issue it.
/// `since` is when the first of what went was written, if that can be told.
pub(crate) fn sign_into(
    service: &Service,
    receipt: Receipt,
    since: Option<Timestamp>,
    act: &mut Act,
) -> Result<SignedReceipt> {
    let now = service.clock.now();
    let backups = backups_holding(service, &receipt.org, now, since)?;
    let signed = Receipt { backups, ..receipt }.sign(&*service.kms.signing_key(&*service.entropy)?);
    let mut entry = AuditEntry::new(AuditAction::Receipt, "system", Vec::new());
    entry.notes.push(signed.receipt.reference());
    act.entries.push(entry);
    act.notification = Some(signed.receipt.notification());
    let record = signed.receipt.record(signed.encode(), Some(now));
    act.batch.records = vec![RecordChange::Update(record)];
    Ok(signed)
}

/// The full backups that have not expired: they may hold what was erased, sealed under their own passphrase. One
/// that was finished before the first of it was written cannot.
pub(crate) fn backups_holding(
    service: &Service,
    org: &OrgId,
    now: Timestamp,
    since: Option<Timestamp>,
) -> Result<Vec<BackupHold>> {
    let records = service.store.records(org, RecordKind::Backup, 0, RECORDS_PAGE_MAX)?;
    let is_older =
        |record: &Record| record.done_at.is_some_and(|done| since.is_some_and(|since| done < since));
    let records = records.into_iter().filter(|record| !is_older(record));
    let holding = records.filter_map(|record| {
        let until = record.due_at.filter(|until| *until > now)?;
        Some(BackupHold { number: record.number, until })
    });
    Ok(holding.take(BACKUPS_NAMED_MAX).collect())
}

/// The receipts of one vault above `after`, oldest first, a page at a time.
pub(crate) fn receipts(
    service: &Service,
    grant: &Grant<ReadAudit>,
    after: u64,
) -> Result<Vec<SignedReceipt>> {
    let mut found = Vec::new();
    let mut after = after;
    while found.len() < RECEIPTS_PAGE {
        let page = receipt_records(service, grant.scope(), after)?;
        let Some(last) = page.last() else { break };
        after = last.number;
        for record in page.iter().filter(|record| record.done_at.is_some()) {
            found.push(SignedReceipt::decode(&record.doc)?);
        }
    }
    Ok(found)
}

/// The records of a vault's receipts above `after`, a page at a time; those of erasures under way too.
pub(crate) fn receipt_records(service: &Service, scope: &Scope, after: u64) -> Result<Vec<Record>> {
    let vault = scope.vault_id();
    service.store.vault_records(&scope.org, RecordKind::Receipt, vault, after, RECORDS_PAGE_MAX)
}

/// One receipt of a vault, by its number.
pub(crate) fn receipt(service: &Service, grant: &Grant<ReadAudit>, number: u64) -> Result<SignedReceipt> {
    let before = number.checked_sub(1).ok_or(Error::NotFound("receipt"))?;
    let record = service.store.records(&grant.scope().org, RecordKind::Receipt, before, 1)?.pop();
    let own = record.filter(|record| record.number == number && is_issued_for(record, grant.scope()));
    SignedReceipt::decode(&own.ok_or(Error::NotFound("receipt"))?.doc)
}

/// The key under which this installation's receipts and audit heads are signed.
pub(crate) fn verifying_key(service: &Service) -> Result<VerifyingKey> {
    Ok(service.kms.signing_key(&*service.entropy)?.verifying_key())
}

fn is_issued_for(record: &Record, scope: &Scope) -> bool {
    record.vault == Some(scope.vault_id()) && record.done_at.is_some()
}

/// One hash over ids, whatever their order was.
pub(crate) fn memories_hash(ids: &[MemoryId]) -> [u8; 32] {
    let mut ids: Vec<&[u8]> = ids.iter().map(|id| id.as_bytes().as_slice()).collect();
    ids.sort_unstable();
    *Digest::of(IDS_DOMAIN, &ids).as_bytes()
}

/// A receipt's number as people quote it.
pub(crate) fn reference(number: u64, at: Timestamp) -> String {
    format!("DEL-{}-{number:06}", at.to_zoned(TimeZone::UTC).year())
}

fn read(r: &mut CborReader<'_>) -> Option<Receipt> {
    Some(Receipt {
        number: r.uint()?,
        org: OrgId::new(r.text()?).ok()?,
        vault: VaultId::from_bytes(r.array_of_bytes()?),
        at: from_millis(r.int()?)?,
        mode: Mode::from_code(r.uint()?)?,
        cause: Cause::from_code(r.uint()?)?,
        named: Named::from_code(r.uint()?)?,
        scope_hashes: r.list(CborReader::array_of_bytes)?,
        memories_hash: r.array_of_bytes()?,
        counts: Counts::from_all(&r.list(CborReader::uint)?)?,
        probes: r.list(|r| {
            r.record(3, |r| {
                let path = ProbePath::from_code(r.uint()?)?;
                Some(Probed { path, looked_for: r.uint()?, found: r.uint()? })
            })
        })?,
        backups: r.list(|r| {
            r.record(2, |r| Some(BackupHold { number: r.uint()?, until: from_millis(r.int()?)? }))
        })?,
        audit: r.record(2, |r| Some(ChainHead { seq: r.uint()?, hash: r.array_of_bytes()? }))?,
        request: r.optional(CborReader::uint)?,
    })
}

fn damaged() -> Error {
    Error::corrupt("a receipt does not parse")
}

facet!(
    /** A way that could lead to what was erased. */
    ProbePath, "probe", {
    Rows = 1 "rows",
    Keys = 2 "keys",
    Blobs = 3 "blobs",
    Index = 4 "open index",
    Words = 5 "words",
    Meaning = 6 "meaning",
    Names = 7 "names and identifiers",
    Lineage = 8 "lineage",
    Exports = 9 "kept exports",
    Near = 10 "short forms and near meaning",
    SameText = 11 "the same text",
});

impl ProbePath {
    /// Returns true when something found on this way is a trace of what was erased. On the other ways it is a memory of
    /// its own that may still speak of it.
    pub fn is_residue(self) -> bool {
        !matches!(self, Self::Near | Self::SameText)
    }
}

/// The result of one probe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Probed {
    /// The path by which the probe looked.
    pub path: ProbePath,
    /// The number of things it looked for.
    pub looked_for: u32,
    /// The number of things it found.
    pub found: u32,
}

/// The lifetime of a tombstone for an erasure that shall leave none: until every node has heard of the erasure.
pub(crate) const BRIEF_TOMBSTONE: SignedDuration = SignedDuration::from_hours(24);
