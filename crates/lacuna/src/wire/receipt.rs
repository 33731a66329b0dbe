//! Receipts on the wire: the proof of an erasure, and the reader that checks one.

use jiff::Timestamp;
use lacuna_core::vault::{BackupHold, Counts, Probed, Receipt, SignedReceipt};
use lacuna_seal::{Signature, VerifyingKey};
use lacuna_store::rows::ChainHead;
use lacuna_types::{OrgId, Scope, VaultId, from_millis, millis};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::scope::shown;
use super::{hex, unhex, words};
use crate::wire::failure::{Failure, Result};

/// The proof of an erasure. It records the act and never the erased content; `signature` is Ed25519 over all the
/// rest, under `key`.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Receipt)]
pub(crate) struct ReceiptView {
    /// As people quote it: `DEL-2026-000123`.
    pub(crate) receipt: String,
    pub(crate) number: u64,
    pub(crate) org: String,
    /// The vault, as 32 hex digits.
    pub(crate) vault: String,
    pub(crate) at: Timestamp,
    pub(crate) mode: words::Mode,
    pub(crate) cause: words::Cause,
    /// Kind of target: ids, subject, session and so on.
    pub(crate) target: words::Named,
    /// Hashes of the target, under a key that only the vault has.
    pub(crate) scope_hashes: Vec<String>,
    /// One hash over the ids of all erased memories.
    pub(crate) memories_hash: String,
    pub(crate) counts: CountsBody,
    /// Method that made it unreadable.
    pub(crate) method: String,
    /// Searches made afterwards, and their results.
    pub(crate) probes: Vec<ProbeBody>,
    /// Full backups that still hold copies, and until when.
    pub(crate) backups: Vec<BackupBody>,
    /// Position of the audit chain after the commit that announced it.
    pub(crate) audit_seq: u64,
    pub(crate) audit_hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    pub(crate) request: Option<u64>,
    pub(crate) key: String,
    pub(crate) signature: String,
}

#[derive(Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ReceiptCounts)]
pub(crate) struct CountsBody {
    pub(crate) direct: u32,
    pub(crate) indirect: u32,
    pub(crate) fell: u32,
    pub(crate) cut: u32,
    pub(crate) rebuilt: u32,
    pub(crate) held_back: u32,
    pub(crate) keys_destroyed: u32,
}

#[derive(Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ReceiptProbe)]
pub(crate) struct ProbeBody {
    pub(crate) path: words::ProbePath,
    pub(crate) looked_for: u32,
    pub(crate) found: u32,
}

#[derive(Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ReceiptBackup)]
pub(crate) struct BackupBody {
    pub(crate) number: u64,
    pub(crate) until: Timestamp,
}

/// Method of every erasure; part of every receipt, and the same for all.
const METHOD: &str = "destroyed the AES-256-GCM key of each memory, then its rows, vectors, words and blobs";

impl From<SignedReceipt> for ReceiptView {
    fn from(signed: SignedReceipt) -> Self {
        let SignedReceipt { receipt, signature, key } = signed;
        let Counts { direct, indirect, fell, cut, rebuilt, held_back, keys_destroyed } = receipt.counts;
        let probe = |probed: &Probed| ProbeBody {
            path: words::ProbePath(probed.path),
            looked_for: probed.looked_for,
            found: probed.found,
        };
        Self {
            receipt: receipt.reference(),
            number: receipt.number,
            org: receipt.org.to_string(),
            vault: hex(receipt.vault.as_bytes()),
            at: receipt.at,
            mode: words::Mode(receipt.mode),
            cause: words::Cause(receipt.cause),
            target: words::Named(receipt.named),
            scope_hashes: receipt.scope_hashes.iter().map(|hash| hex(hash)).collect(),
            memories_hash: hex(&receipt.memories_hash),
            counts: CountsBody { direct, indirect, fell, cut, rebuilt, held_back, keys_destroyed },
            method: METHOD.to_owned(),
            probes: receipt.probes.iter().map(probe).collect(),
            backups: receipt
                .backups
                .iter()
                .map(|hold| BackupBody { number: hold.number, until: hold.until })
                .collect(),
            audit_seq: receipt.audit.seq,
            audit_hash: hex(&receipt.audit.hash),
            request: receipt.request,
            key: key.to_string(),
            signature: hex(signature.as_bytes()),
        }
    }
}

impl ReceiptView {
    /// Traces of what was erased, over all probes. Memories that may still speak of it are none.
    pub(crate) fn residue(&self) -> u32 {
        let residue = self.probes.iter().filter(|probe| probe.path.0.is_residue());
        residue.map(|probe| probe.found).sum()
    }

    /// The receipt as it was signed. Fields that the signature does not cover must follow from those that it
    /// does.
    pub(crate) fn into_core(self) -> Result<SignedReceipt> {
        let damaged = |field: &'static str| move || Failure::invalid(field, "does not parse");
        let CountsBody { direct, indirect, fell, cut, rebuilt, held_back, keys_destroyed } = self.counts;
        let receipt = Receipt {
            number: self.number,
            org: OrgId::new(&self.org)?,
            vault: VaultId::from_bytes(sized(&self.vault).ok_or_else(damaged("vault"))?),
            // The signature covers milliseconds.
            at: from_millis(millis(self.at)).ok_or_else(damaged("at"))?,
            mode: self.mode.0,
            cause: self.cause.0,
            named: self.target.0,
            scope_hashes: sized_all(&self.scope_hashes).ok_or_else(damaged("scope_hashes"))?,
            memories_hash: sized(&self.memories_hash).ok_or_else(damaged("memories_hash"))?,
            counts: Counts { direct, indirect, fell, cut, rebuilt, held_back, keys_destroyed },
            probes: self
                .probes
                .iter()
                .map(|body| Probed { path: body.path.0, looked_for: body.looked_for, found: body.found })
                .collect(),
            backups: self
                .backups
                .iter()
                .map(|body| BackupHold { number: body.number, until: body.until })
                .collect(),
            audit: ChainHead {
                seq: self.audit_seq,
                hash: sized(&self.audit_hash).ok_or_else(damaged("audit_hash"))?,
            },
            request: self.request,
        };
        let key: VerifyingKey = self.key.parse().map_err(|_| damaged("key")())?;
        let signature = Signature::from_bytes(sized(&self.signature).ok_or_else(damaged("signature"))?);
        let signed = SignedReceipt { receipt, signature, key };
        if self.receipt != signed.receipt.reference() || self.method != METHOD || self.at != signed.receipt.at
        {
            return Err(Failure::invalid("receipt", "says something that its signature does not cover"));
        }
        Ok(signed)
    }
}

/// Reads exactly so many bytes, in the one spelling that is signed.
fn sized<const N: usize>(text: &str) -> Option<[u8; N]> {
    unhex(text)?.try_into().ok()
}

fn sized_all(texts: &[String]) -> Option<Vec<[u8; 32]>> {
    texts.iter().map(|text| sized(text)).collect()
}

/// Receipts, oldest first.
#[derive(Serialize, ToSchema)]
#[schema(as = ReceiptList)]
pub(crate) struct ReceiptList {
    pub(crate) scope: String,
    /// The key that signs this installation's receipts. Keep it apart from them.
    pub(crate) key: String,
    pub(crate) receipts: Vec<ReceiptView>,
}

impl ReceiptList {
    pub(crate) fn of(receipts: Vec<SignedReceipt>, key: VerifyingKey, scope: &Scope) -> Self {
        let receipts = receipts.into_iter().map(ReceiptView::from).collect();
        Self { scope: shown(scope), key: key.to_string(), receipts }
    }
}
