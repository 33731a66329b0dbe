//! The receipt of an erasure: what was done, counted, probed and signed. It never says what was erased.
//!
//! It can be checked by anybody who has it and the installation's public key, without a server.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use lacuna_seal::{Digest, Signature, SigningKey, VerifyingKey};

use super::probe::{Probed, ProbePath};
use super::request::Mode;
use crate::cbor::{Reader, Writer};
use crate::domain::*;
use crate::error::{Error, Result};
use crate::store::ChainHead;

const SIGNING_DOMAIN: &str = "lacuna/receipt/v1";
const IDS_DOMAIN: &str = "lacuna/receipt/memories/v1";
/// The fields of a receipt, and of a record that holds a signed one.
const FIELDS: u64 = 14;
const SIGNED_FIELDS: u64 = 3;
/// Keyed hashes of what was named, in one receipt.
pub const SCOPE_HASHES_MAX: usize = 32;
/// Backups that one receipt names.
pub const BACKUPS_NAMED_MAX: usize = 64;

facet!(
    /** Why something was erased. */
    Cause, "cause", {
    Request = 1 "request",
    Purge = 2 "purge",
    Retention = 3 "retention",
    Person = 4 "person",
    Destruction = 5 "destruction",
    Correction = 6 "correction",
});

facet!(
    /** How a request named what should go. */
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

/// What was done, in numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Memories that said it, and memories that seemed to be about it.
    pub direct: u32,
    pub indirect: u32,
    /// Memories that were made of those and fell with them.
    pub fell: u32,
    /// Memories that live on without a part of what they said.
    pub cut: u32,
    /// Consolidated memories that were made anew from what was left of their sources.
    pub rebuilt: u32,
    /// Memories that are held back until somebody has looked at them.
    pub held_back: u32,
    pub keys_destroyed: u32,
}

/// A backup that still holds copies, sealed, and until when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BackupHold {
    pub number: u64,
    pub until: Timestamp,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Receipt {
    /// Counts the tenant's receipts without a gap.
    pub number: u64,
    pub org: OrgId,
    pub vault: VaultId,
    pub at: Timestamp,
    pub mode: Mode,
    pub cause: Cause,
    pub named: Named,
    /// Hashes of what was named, under a key of the vault: nobody else can test a guess.
    pub scope_hashes: Vec<[u8; 32]>,
    /// One hash over the ids of everything that went.
    pub memories_hash: [u8; 32],
    pub counts: Counts,
    /// By which ways it was looked for afterwards, and what was found.
    pub probes: Vec<Probed>,
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

    /// Whether nothing was found by any way.
    pub fn is_clean(&self) -> bool {
        self.probes.iter().all(|probed| probed.found == 0)
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut w = Writer(&mut bytes);
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
        w.optional(self.request, Writer::uint);
        bytes
    }

    pub fn decode(bytes: &[u8]) -> Result<Self> {
        Reader(bytes).record(FIELDS, read).ok_or_else(damaged)
    }

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
    pub receipt: Receipt,
    pub signature: Signature,
    pub key: VerifyingKey,
}

impl SignedReceipt {
    /// Checks the signature under `key`, which should come from elsewhere than the receipt itself.
    pub fn verify(&self, key: &VerifyingKey) -> Result<()> {
        let forged = |_| Error::corrupt("the receipt does not bear this key's signature");
        if *key != self.key {
            return Err(Error::corrupt("the receipt was signed by another key"));
        }
        key.verify(SIGNING_DOMAIN, &[&self.receipt.encode()], &self.signature).map_err(forged)
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut w = Writer(&mut bytes);
        w.array(SIGNED_FIELDS as usize);
        w.bytes(&self.receipt.encode());
        w.bytes(self.signature.as_bytes());
        w.bytes(self.key.as_bytes());
        bytes
    }

    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let parts = Reader(bytes).record(SIGNED_FIELDS, |r| {
            let receipt = Receipt::decode(r.bytes()?).ok()?;
            let signature = Signature::from_bytes(r.array_of_bytes()?);
            Some(Self { receipt, signature, key: VerifyingKey::from_bytes(r.array_of_bytes()?) })
        });
        parts.ok_or_else(damaged)
    }
}

/// One hash over ids, whatever their order was.
pub(crate) fn memories_hash(ids: &[MemoryId]) -> [u8; 32] {
    let mut ids: Vec<&[u8]> = ids.iter().map(|id| id.as_bytes().as_slice()).collect();
    ids.sort_unstable();
    *Digest::of(IDS_DOMAIN, &ids).as_bytes()
}

/// A receipt's number as people quote it.
pub fn reference(number: u64, at: Timestamp) -> String {
    format!("DEL-{}-{number:06}", at.to_zoned(TimeZone::UTC).year())
}

fn read(r: &mut Reader<'_>) -> Option<Receipt> {
    Some(Receipt {
        number: r.uint()?,
        org: OrgId::new(r.text()?).ok()?,
        vault: VaultId::from_bytes(r.array_of_bytes()?),
        at: from_millis(r.int()?)?,
        mode: Mode::from_code(r.uint()?)?,
        cause: Cause::from_code(r.uint()?)?,
        named: Named::from_code(r.uint()?)?,
        scope_hashes: r.list(Reader::array_of_bytes)?,
        memories_hash: r.array_of_bytes()?,
        counts: Counts::from_all(&r.list(Reader::uint)?)?,
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
        request: r.optional(Reader::uint)?,
    })
}

fn damaged() -> Error {
    Error::corrupt("a receipt does not parse")
}
