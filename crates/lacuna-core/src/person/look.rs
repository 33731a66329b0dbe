//! Looking for a person through every vault of the organisation, inside the service.

use std::collections::{BTreeMap, BTreeSet};

use lacuna_seal::Digest;

use super::Person;
use crate::domain::*;
use crate::error::Result;
use crate::forget::find::Finder;
use crate::forget::{About, Closeness, Wish};
use crate::lacuna::Lacuna;
use crate::store::VAULTS_PAGE_MAX;
use crate::vault::OpenVault;

const DIGEST_DOMAIN: &str = "lacuna/person-matches/v1";

/// How much of one kind of vault speaks of a person.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct KindCount {
    pub vaults: u64,
    pub memories: u64,
}

/// What every vault of an organisation says of a person: counts and ids, no content.
pub(super) struct Looked {
    pub(super) vaults: Vec<(Scope, Vec<MemoryId>)>,
}

impl Looked {
    /// By kind of vault. Whose they are is nobody's business.
    pub(super) fn by_kind(&self) -> BTreeMap<&'static str, KindCount> {
        let mut counts: BTreeMap<&'static str, KindCount> = BTreeMap::new();
        for (scope, ids) in &self.vaults {
            let count = counts.entry(scope.holder.kind()).or_default();
            count.vaults += 1;
            count.memories += ids.len() as u64;
        }
        counts
    }

    pub(super) fn memories(&self) -> u64 {
        self.vaults.iter().map(|(_, ids)| ids.len() as u64).sum()
    }

    pub(super) fn digest(&self) -> [u8; 32] {
        let mut lines: Vec<Vec<u8>> = Vec::new();
        for (scope, ids) in &self.vaults {
            let vault = scope.vault_id();
            lines.extend(ids.iter().map(|id| [vault.as_bytes().as_slice(), id.as_bytes()].concat()));
        }
        lines.sort_unstable();
        let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
        *Digest::of(DIGEST_DOMAIN, &lines).as_bytes()
    }
}

impl Lacuna {
    pub(super) fn look_everywhere(&self, org: &OrgId, person: &Person) -> Result<Looked> {
        let mut vaults = Vec::new();
        let mut after = None;
        loop {
            let page = self.store.vaults(after, VAULTS_PAGE_MAX)?;
            let Some(last) = page.last() else { return Ok(Looked { vaults }) };
            after = Some(last.id);
            for scope in page.into_iter().map(|header| header.scope).filter(|scope| scope.org == *org) {
                let found = self.read(&scope, |open| self.speaking_of(open, &scope, person))?;
                let found = found.transpose()?.unwrap_or_default();
                if !found.is_empty() {
                    vaults.push((scope, found));
                }
            }
        }
    }

    /// The memories of one vault that speak of a person. Only what says so: nobody sees the doubtful ones, so
    /// nobody could decide about them.
    pub(super) fn speaking_of(
        &self,
        open: &OpenVault,
        scope: &Scope,
        person: &Person,
    ) -> Result<Vec<MemoryId>> {
        let finder =
            Finder { open, sources: self.sources(), vectors: &[], now: self.clock.now(), deleted_too: true };
        let mut found = BTreeSet::new();
        for wish in wishes_in(scope, person) {
            let matches = finder.find(&wish)?.matches;
            let direct = matches.iter().filter(|found| found.closeness == Closeness::Direct);
            found.extend(direct.map(|found| found.id));
        }
        Ok(found.into_iter().collect())
    }
}

/// In their own vault everything is theirs.
pub(super) fn wishes_in(scope: &Scope, person: &Person) -> Vec<Wish> {
    match is_their_own(scope, person) {
        true => vec![Wish::about(About::Everything)],
        false => person.wishes(),
    }
}

pub(super) fn is_their_own(scope: &Scope, person: &Person) -> bool {
    matches!((&scope.holder, &person.user), (Holder::User(owner), Some(user)) if owner == user)
}
