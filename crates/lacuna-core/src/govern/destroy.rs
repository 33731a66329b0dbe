//! Destroy: everything of one vault goes for good: every key, blob, vector and row, and its own audit chain.
//!
//! A record in the organisation's book and two entries in the organisation's chain remain, which say that it
//! happened and how much it was. The record is opened first and closed last: a process that dies in between
//! leaves it open, and the next one to start ends it.

use jiff::{SignedDuration, Timestamp};
use lacuna_seal::{Digest, SIGNATURE_BYTES, Signature};
use lacuna_store::cbor::{CborReader, CborWriter};
use lacuna_store::keys::{KeyBatch, ReceiptMark};
use lacuna_store::rows::{ChainHead, Record, RecordChange, RecordKind, VaultChange, VaultHeader};
use lacuna_types::hex::{hex, unhex};
use lacuna_types::request::Mode;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::{AuditAction, AuditEntry, Subject};
use crate::permit::{Acting, Caller, Destroy, Grant};
use crate::vault::cleared::{destroy_blobs, destroy_rows};
use crate::vault::commit::{Act, retrying};
use crate::vault::deliver::Notification;
use crate::vault::holds::holds_on;
use crate::vault::receipt::{
    Cause, Counts, Named, ProbePath, Probed, Receipt, SignedReceipt, backups_holding, memories_hash,
};
use crate::vault::service::Service;

/// Time within which a plan must be confirmed.
pub(crate) const DESTROY_PLAN_VALID: SignedDuration = SignedDuration::from_mins(15);
/// Destructions that one call ends.
const RECOVERED_MAX: usize = 1_000;
const TOKEN_PREFIX: &str = "dst_";
const TOKEN_DOMAIN: &str = "lacuna/destroy-plan/v1";
const CONTENTS_DOMAIN: &str = "lacuna/destroy-plan/contents/v1";
/// Expiry, signature.
const TOKEN_BYTES: usize = 8 + SIGNATURE_BYTES;
const DOC_FIELDS: u64 = 5;

/// Counts of a vault that would be destroyed, and the token that confirms it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DestroyPlan {
    /// The token that confirms the plan.
    pub token: String,
    /// The last moment at which the token is accepted.
    pub expires_at: Timestamp,
    /// Memories that would be destroyed.
    pub memories: u64,
    /// Blobs that would be destroyed.
    pub blobs: u64,
}

/// Counts of a destruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DestroyCounts {
    /// Rows of memories that were destroyed.
    pub records: u64,
    /// Vectors live in the index of an opened vault and, sealed, in its records.
    pub vectors: u64,
    /// Blobs that were destroyed.
    pub blobs: u64,
    /// Keys that were destroyed.
    pub keys: u64,
}

/// A destruction as the organisation's book has it.
#[derive(Clone, PartialEq, Debug)]
pub struct Destruction {
    /// Its number in the book.
    pub number: u64,
    /// The vault that was destroyed.
    pub vault: VaultId,
    /// The moment at which it began.
    pub began_at: Timestamp,
    /// `None` while it is under way.
    pub done_at: Option<Timestamp>,
    /// Counts of the destroyed data.
    pub counts: DestroyCounts,
    /// The proof, in the answer to the caller who ended it.
    pub receipt: Option<SignedReceipt>,
}

/// The document of a record. It names no holder.
#[derive(Clone, Copy)]
struct Doc {
    /// Tells the vault that was to go from one that began in its place.
    began_after: Revision,
    counts: DestroyCounts,
}

/// The contents that a plan is bound to.
struct PlannedContents {
    memories: u64,
    digest: Digest,
}

/// Says what would go. The token is good for the same caller, for the vault as it is now, and for
/// [`DESTROY_PLAN_VALID`]; nothing is kept for it.
pub(crate) fn plan_destroy(service: &Service, grant: &Grant<Destroy>) -> Result<DestroyPlan> {
    let vault = grant.scope().vault_id();
    let header = service.store.vault(vault)?.ok_or(Error::NotFound("vault"))?;
    holds_on(service, grant.scope())?.check_none()?;
    let contents = contents(service, &header)?;
    let expires_at = service.clock.now() + DESTROY_PLAN_VALID;
    let expiry = millis(expires_at).to_be_bytes();
    let key = service.kms.signing_key(&*service.entropy)?;
    let signature = key.sign(TOKEN_DOMAIN, &token_parts(grant, &contents, &expiry));
    let token = format!("{TOKEN_PREFIX}{}{}", hex(&expiry), hex(signature.as_bytes()));
    let blobs = service.blobs.list(vault)?.len() as u64;
    Ok(DestroyPlan { token, expires_at, memories: contents.memories, blobs })
}

/// Destroys the vault that the token was made for. Its scope may begin anew, with new keys.
pub(crate) fn destroy(service: &Service, grant: &Grant<Destroy>, token: &str) -> Result<Destruction> {
    let vault = grant.scope().vault_id();
    let header = service.store.vault(vault)?.ok_or(Error::NotFound("vault"))?;
    check_token(service, grant, &header, token)?;
    destroy_vault(service, grant.caller(), &header)
}

/// Destroys a vault of the caller's organisation. The caller holds a grant for it.
pub(crate) fn destroy_vault(service: &Service, caller: &Caller, header: &VaultHeader) -> Result<Destruction> {
    holds_on(service, &header.scope)?.check_none()?;
    let vectors = service.read(&header.scope, |open| open.index.len() as u64).ok().flatten().unwrap_or(0);
    let contents = contents(service, header)?;
    let counts = DestroyCounts { records: contents.memories, vectors, ..DestroyCounts::default() };
    let doc = Doc { began_after: header.began_after, counts };
    let record = open_destruction(service, caller, header.id, doc)?;
    end_destruction(service, &record)
}

/// Ends every destruction that was begun and not ended. Answers with how many there were.
pub(crate) fn recover_destructions(service: &Service) -> Result<usize> {
    let open = service.store.due_records(RecordKind::Destruction, service.clock.now(), RECOVERED_MAX)?;
    open.iter().try_for_each(|record| end_destruction(service, record).map(drop))?;
    Ok(open.len())
}

fn contents(service: &Service, header: &VaultHeader) -> Result<PlannedContents> {
    let mut ids = Vec::new();
    service.store.changes(header.id, Revision::ZERO, &mut |change| {
        if let VaultChange::Put(row) = change {
            ids.push(*row.id.as_bytes());
        }
        Ok(())
    })?;
    ids.sort_unstable();
    let began_after = header.began_after.0.to_be_bytes();
    let parts: Vec<&[u8]> =
        std::iter::once(began_after.as_slice()).chain(ids.iter().map(<[u8; 16]>::as_slice)).collect();
    Ok(PlannedContents { memories: ids.len() as u64, digest: Digest::of(CONTENTS_DOMAIN, &parts) })
}

fn check_token(service: &Service, grant: &Grant<Destroy>, header: &VaultHeader, token: &str) -> Result<()> {
    let bytes = decode(token).ok_or_else(useless_token)?;
    let (expiry, signature) = bytes.split_first_chunk::<8>().ok_or_else(useless_token)?;
    let signature = signature.try_into().map(Signature::from_bytes).map_err(|_| useless_token())?;
    let contents = contents(service, header)?;
    let key = service.kms.signing_key(&*service.entropy)?.verifying_key();
    let genuine = key.verify(TOKEN_DOMAIN, &token_parts(grant, &contents, expiry), &signature).is_ok();
    if !genuine || i64::from_be_bytes(*expiry) <= millis(service.clock.now()) {
        return Err(useless_token());
    }
    Ok(())
}

/// Announces it: from here on it ends, whatever happens to us.
fn open_destruction(service: &Service, caller: &Caller, vault: VaultId, doc: Doc) -> Result<Record> {
    let org = caller.org_scope();
    let actor = caller.acting();
    // A conflict means that another destruction took the number.
    retrying(|| {
        let now = service.clock.now();
        let record = Record {
            org: org.org.clone(),
            kind: RecordKind::Destruction,
            number: service.store.last_record(&org.org, RecordKind::Destruction)? + 1,
            vault: Some(vault),
            at: now,
            due_at: Some(now),
            done_at: None,
            doc: doc.encode(),
        };
        let change = vec![RecordChange::Add(record.clone())];
        note(service, &org, AuditAction::VaultDestroy, actor, change, Vec::new(), None)?;
        Ok(record)
    })
}

/// Takes the steps that are left, and closes the record.
fn end_destruction(service: &Service, record: &Record) -> Result<Destruction> {
    let vault = record.vault.ok_or_else(damaged_record)?;
    let mut record = record.clone();
    let mut doc = Doc::decode(&record.doc)?;
    let stays = |header: &VaultHeader| header.began_after == doc.began_after;
    if let Some(header) = service.store.vault(vault)?.filter(stays) {
        let reader = service.reader(&header.scope);
        let writer = reader.lock();
        service.open_sessions.close_vault(header.id);
        service.secrets.lock(header.id);
        // Keys first: from here on nothing of it can be read, even if we crash.
        let keys = service.keys.destroy_vault(vault, service.clock.now(), None)?;
        writer.discard();
        doc.counts.keys = keys;
        doc.counts.blobs = destroy_blobs(service, vault)?;
        destroy_rows(service, vault)?;
        writer.discard();
        service.keys.settle()?;
    }
    record.done_at = Some(service.clock.now());
    record.doc = doc.encode();
    let receipt = close_destruction(service, &record, &doc)?;
    Ok(Destruction { receipt, ..destruction(&record)? })
}

/// Closes the record with the signed receipt; `None` when another process has closed it already.
fn close_destruction(service: &Service, record: &Record, doc: &Doc) -> Result<Option<SignedReceipt>> {
    let org = Scope { org: record.org.clone(), holder: Holder::Org };
    let vault = record.vault.ok_or_else(damaged_record)?;
    let DestroyCounts { records, vectors, blobs, keys } = doc.counts;
    let notes = [("records", records), ("vectors", vectors), ("blobs", blobs), ("keys", keys)]
        .map(|(what, count)| format!("{what}:{count}"));
    // A conflict means that another receipt took the number.
    retrying(|| {
        let closed = service.store.records(&record.org, record.kind, record.number - 1, 1)?.pop();
        if closed.is_some_and(|stored| stored.done_at.is_some()) {
            return Ok(None);
        }
        let receipt = receipt_of(service, &org, vault, doc)?;
        // The ledger first: a receipt that it does not know of would make it look outdated.
        service.keys.commit(KeyBatch {
            receipt: Some(ReceiptMark { org: record.org.clone(), number: receipt.number }),
            ..KeyBatch::new(vault, receipt.at)
        })?;
        let signed = receipt.sign(&*service.kms.signing_key(&*service.entropy)?);
        let changes = vec![RecordChange::Update(record.clone()), RecordChange::Add(signed.record())];
        let mut notes = notes.to_vec();
        notes.push(signed.receipt.reference());
        let told = Some(signed.receipt.notification());
        note(service, &org, AuditAction::VaultDestroyDone, "system".into(), changes, notes, told)?;
        Ok(Some(signed))
    })
}

/// The receipt of a destruction, with the result of the search that follows it.
fn receipt_of(service: &Service, org: &Scope, vault: VaultId, doc: &Doc) -> Result<Receipt> {
    let count = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    let probed = |path, found: usize| Probed { path, looked_for: 1, found: count(found as u64) };
    let rows = usize::from(service.store.vault(vault)?.is_some());
    let keys = usize::from(service.keys.vault_keys(vault)?.is_some());
    Ok(Receipt {
        number: service.store.last_record(&org.org, RecordKind::Receipt)? + 1,
        org: org.org.clone(),
        vault,
        at: service.clock.now(),
        mode: Mode::Hard,
        cause: Cause::Destruction,
        named: Named::Everything,
        scope_hashes: Vec::new(),
        memories_hash: memories_hash(&[]),
        counts: Counts {
            direct: count(doc.counts.records),
            keys_destroyed: count(doc.counts.keys),
            ..Counts::default()
        },
        probes: vec![
            probed(ProbePath::Rows, rows),
            probed(ProbePath::Keys, keys),
            probed(ProbePath::Blobs, service.blobs.list(vault)?.len()),
        ],
        backups: backups_holding(service, &org.org, service.clock.now(), None)?,
        audit: service.store.vault(org.vault_id())?.map_or(ChainHead::default(), |header| header.audit),
        request: None,
    })
}

/// One entry in the organisation's own chain, with changes in its book.
fn note(
    service: &Service,
    org: &Scope,
    action: AuditAction,
    actor: Acting<'_>,
    changes: Vec<RecordChange>,
    notes: Vec<String>,
    notification: Option<Notification>,
) -> Result<()> {
    let record = match changes.first() {
        Some(RecordChange::Add(record) | RecordChange::Update(record)) => record.vault,
        Some(RecordChange::Drop { .. }) | None => None,
    };
    let subjects = record.iter().map(|vault| Subject(*vault.as_bytes())).collect();
    let entry = AuditEntry { notes, ..AuditEntry::new(action, actor, subjects) };
    let mut act = Act::new(org, service.clock.now(), entry);
    act.batch.records = changes;
    act.notification = notification;
    let reader = service.reader(org);
    let writer = reader.lock();
    writer.ensure()?;
    writer.commit(&act, |_| {}).map(drop)
}

fn token_parts<'a>(
    grant: &'a Grant<Destroy>,
    contents: &'a PlannedContents,
    expiry: &'a [u8; 8],
) -> [&'a [u8]; 5] {
    let scope = grant.scope();
    [
        expiry,
        grant.caller().user.as_str().as_bytes(),
        scope.holder.kind().as_bytes(),
        scope.holder.name().as_bytes(),
        contents.digest.as_bytes(),
    ]
}

/// Missing, foreign, outdated and expired tokens look the same.
fn useless_token() -> Error {
    Error::invalid("token", "is not a plan of yours for this vault as it is now, or has expired: plan again")
}

fn decode(token: &str) -> Option<[u8; TOKEN_BYTES]> {
    unhex(token.strip_prefix(TOKEN_PREFIX)?)?.try_into().ok()
}

impl Doc {
    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut w = CborWriter(&mut bytes);
        w.array(DOC_FIELDS as usize);
        w.uint(self.began_after.0);
        let DestroyCounts { records, vectors, blobs, keys } = self.counts;
        [records, vectors, blobs, keys].into_iter().for_each(|count| w.uint(count));
        bytes
    }

    fn decode(bytes: &[u8]) -> Result<Self> {
        let read = |r: &mut CborReader<'_>| {
            let began_after = Revision(r.uint()?);
            let counts =
                DestroyCounts { records: r.uint()?, vectors: r.uint()?, blobs: r.uint()?, keys: r.uint()? };
            Some(Self { began_after, counts })
        };
        CborReader(bytes).record(DOC_FIELDS, read).ok_or_else(damaged_record)
    }
}

fn destruction(record: &Record) -> Result<Destruction> {
    Ok(Destruction {
        number: record.number,
        vault: record.vault.ok_or_else(damaged_record)?,
        began_at: record.at,
        done_at: record.done_at,
        counts: Doc::decode(&record.doc)?.counts,
        receipt: None,
    })
}

fn damaged_record() -> Error {
    Error::corrupt("the record of a destruction does not parse")
}
