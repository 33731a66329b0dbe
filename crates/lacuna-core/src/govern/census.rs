//! The census of an organisation: numbers of what is kept, for those who answer for it. No text, no name and no vault of
//! a single person is in it.

use std::collections::BTreeMap;

use lacuna_store::rows::{RECORDS_PAGE_MAX, RecordKind, each_vault};
use lacuna_types::{Lifecycle, OrgId, Result};

use crate::permit::{ForgetPerson, Grant};
use crate::vault::holds::all_holds;
use crate::vault::receipt::SignedReceipt;
use crate::vault::secrets::PassedOver;
use crate::vault::service::Service;

/// Numbers of one organisation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Census {
    /// Vaults by kind of holder.
    pub vaults: BTreeMap<&'static str, u64>,
    /// Memories by kind of holder; hidden ones too.
    pub memories: BTreeMap<&'static str, u64>,
    /// Memories by sensitive category.
    pub sensitive: BTreeMap<&'static str, u64>,
    /// Memories by privacy class.
    pub classes: BTreeMap<&'static str, u64>,
    /// Memories by legal ground.
    pub grounds: BTreeMap<&'static str, u64>,
    /// Memories by state.
    pub states: BTreeMap<&'static str, u64>,
    /// Receipts by cause.
    pub receipts: BTreeMap<&'static str, u64>,
    /// Memories whose keys were destroyed, by those receipts.
    pub keys_destroyed: u64,
    /// Requests of people: all, open ones, and open ones past their deadline.
    pub requests: [u64; 3],
    /// Holds that stand now.
    pub holds: u64,
    /// Vaults that are locked: their memories are in none of the numbers.
    pub locked: u64,
}

/// Counts an organisation. Vaults are opened one after another, and nothing of them is shown.
pub(crate) fn census(service: &Service, grant: &Grant<ForgetPerson>) -> Result<Census> {
    let org = &grant.scope().org;
    let (mut counted, passed) = (Census::default(), PassedOver::default());
    let mut scopes = Vec::new();
    each_vault(&*service.store, |header| {
        scopes.extend((header.scope.org == *org).then(|| header.scope.clone()));
        Ok(())
    })?;
    for scope in scopes {
        let kind = scope.holder.kind();
        *counted.vaults.entry(kind).or_default() += 1;
        let read = service.read(&scope, |open| {
            for stored in open.index.each() {
                counted.add(kind, stored.attributes.state, &stored.payload.facets.privacy);
            }
        });
        passed.unless_locked(read)?;
    }
    counted.locked = passed.count();
    let now = service.clock.now();
    counted.holds = all_holds(service, org)?.iter().filter(|hold| hold.stands(now)).count() as u64;
    count_receipts(service, org, &mut counted)?;
    count_requests(service, org, &mut counted)?;
    Ok(counted)
}

impl Census {
    fn add(&mut self, kind: &'static str, state: Lifecycle, privacy: &lacuna_types::Privacy) {
        *self.memories.entry(kind).or_default() += 1;
        *self.states.entry(state.as_str()).or_default() += 1;
        *self.classes.entry(privacy.class.as_str()).or_default() += 1;
        *self.grounds.entry(privacy.basis.as_str()).or_default() += 1;
        for category in &privacy.sensitivity {
            *self.sensitive.entry(category.as_str()).or_default() += 1;
        }
    }
}

fn count_receipts(service: &Service, org: &OrgId, counted: &mut Census) -> Result<()> {
    let mut after = 0;
    loop {
        let page = service.store.records(org, RecordKind::Receipt, after, RECORDS_PAGE_MAX)?;
        let Some(last) = page.last() else { return Ok(()) };
        after = last.number;
        for record in page.iter().filter(|record| record.done_at.is_some()) {
            let receipt = SignedReceipt::decode(&record.doc)?.receipt;
            *counted.receipts.entry(receipt.cause.as_str()).or_default() += 1;
            counted.keys_destroyed += u64::from(receipt.counts.keys_destroyed);
        }
    }
}

fn count_requests(service: &Service, org: &OrgId, counted: &mut Census) -> Result<()> {
    let (now, mut after) = (service.clock.now(), 0);
    loop {
        let page = service.store.records(org, RecordKind::Request, after, RECORDS_PAGE_MAX)?;
        let Some(last) = page.last() else { return Ok(()) };
        after = last.number;
        for record in &page {
            let is_open = record.done_at.is_none();
            let is_late = is_open && record.due_at.is_some_and(|due| due < now);
            let [all, open, late] = &mut counted.requests;
            *all += 1;
            *open += u64::from(is_open);
            *late += u64::from(is_late);
        }
    }
}
