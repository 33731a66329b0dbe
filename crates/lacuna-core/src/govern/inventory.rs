//! The inventory of an organisation, from what is readable without opening a vault: vaults, chains, keys and receipts.

use std::collections::{BTreeMap, VecDeque};

use lacuna_store::rows::{ChainHead, RECORDS_PAGE_MAX, RecordKind, each_vault};
use lacuna_types::{OrgId, Result, VaultId};

use crate::govern::rotate::{KeyStatus, status_of};
use crate::permit::{Grant, ManageKeys};
use crate::vault::receipt::{Receipt, SignedReceipt};
use crate::vault::service::Service;

/// Receipts that an inventory lists, the newest.
pub const LISTED_RECEIPTS_MAX: usize = 12;
/// Ends of audit chains that an inventory lists, those with the most entries.
pub const LISTED_HEADS_MAX: usize = 12;

/// Numbers of one organisation. No text, no name and no holder of a vault is in it.
pub struct Inventory {
    /// Vaults by kind of holder.
    pub vaults: BTreeMap<&'static str, u64>,
    /// Vaults that take no writes.
    pub frozen: u64,
    /// Vaults that open only with the passphrase of their person.
    pub protected: u64,
    /// Entries of all audit chains.
    pub audit_entries: u64,
    /// The ends of the longest chains.
    pub heads: Vec<(VaultId, ChainHead)>,
    /// The master key, and how far the vaults follow it; `None` before the first vault.
    pub master: Option<KeyStatus>,
    /// Epoch keys in custody, oldest first. Older ones are destroyed when the epoch is renewed.
    pub epochs: Vec<u32>,
    /// Receipts in all.
    pub receipts: u64,
    /// The newest receipts, newest first.
    pub newest_receipts: Vec<Receipt>,
}

pub(crate) fn inventory(service: &Service, grant: &Grant<ManageKeys>) -> Result<Inventory> {
    let org = &grant.scope().org;
    let mut epochs = service.kms.epochs()?;
    epochs.sort_unstable();
    let mut found = Inventory {
        vaults: BTreeMap::new(),
        frozen: 0,
        protected: 0,
        audit_entries: 0,
        heads: Vec::new(),
        master: None,
        epochs,
        receipts: 0,
        newest_receipts: Vec::new(),
    };
    each_vault(&*service.store, |header| {
        if header.scope.org != *org {
            return Ok(());
        }
        *found.vaults.entry(header.scope.holder.kind()).or_default() += 1;
        found.frozen += u64::from(header.frozen_at.is_some());
        found.audit_entries += header.audit.seq;
        found.heads.push((header.id, header.audit));
        found.heads.sort_by_key(|(_, head)| std::cmp::Reverse(head.seq));
        found.heads.truncate(LISTED_HEADS_MAX);
        if let Some(root) = service.keys.vault_keys(header.id)?.map(|stored| stored.root) {
            found.protected += u64::from(root.holder != 0);
            let master = match &mut found.master {
                Some(master) => master,
                none => none.insert(status_of(service, org)?),
            };
            master.vaults += 1;
            master.outdated += u64::from(root.key_version < master.version);
        }
        Ok(())
    })?;
    list_receipts(service, org, &mut found)?;
    Ok(found)
}

fn list_receipts(service: &Service, org: &OrgId, found: &mut Inventory) -> Result<()> {
    let (mut newest, mut after) = (VecDeque::new(), 0);
    loop {
        let page = service.store.records(org, RecordKind::Receipt, after, RECORDS_PAGE_MAX)?;
        let Some(last) = page.last() else { break };
        after = last.number;
        for record in page.into_iter().filter(|record| record.done_at.is_some()) {
            found.receipts += 1;
            newest.push_front(record.doc);
            newest.truncate(LISTED_RECEIPTS_MAX);
        }
    }
    for doc in newest {
        found.newest_receipts.push(SignedReceipt::decode(&doc)?.receipt);
    }
    Ok(())
}
