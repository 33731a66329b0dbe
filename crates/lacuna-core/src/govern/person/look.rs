//! Looking for a person through every vault of the organisation, inside the service.

use std::collections::{BTreeMap, BTreeSet};

use lacuna_language::anonymise::mentions;
use lacuna_language::topic::Topic;
use lacuna_seal::Digest;
use lacuna_store::rows::VAULTS_PAGE_MAX;
use lacuna_types::Result;
use lacuna_types::request::{About, Closeness, Wish};
use lacuna_types::*;

use crate::erase::withhold::{Leaning, is_shown};
use crate::govern::person::Person;
use crate::read::find::Finder;
use crate::vault::open::OpenVault;
use crate::vault::secrets::PassedOver;
use crate::vault::service::Service;

const DIGEST_DOMAIN: &str = "lacuna/person-matches/v1";

/// Counts of the memories about a person in one kind of vault.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct KindCount {
    /// Vaults that hold such memories.
    pub vaults: u64,
    /// Memories that speak of the person.
    pub memories: u64,
}

/// The memories about a person in every vault of an organisation: counts and ids, no content.
pub(crate) struct PersonMatches {
    pub(crate) vaults: Vec<(Scope, Spoken)>,
    /// Vaults that nobody could look into, because they are locked.
    pub(crate) locked: u64,
}

/// The memories about a person in one vault.
#[derive(Default)]
pub(crate) struct Spoken {
    /// Memories that speak of the person; they are erased.
    pub(crate) direct: Vec<MemoryId>,
    /// Memories that only seem to speak of the person, or were made while such a memory was at hand: the owner
    /// of the vault decides about them.
    pub(crate) leaning: Vec<Leaning>,
}

impl PersonMatches {
    /// Counts by kind of vault. The owners stay unnamed.
    pub(crate) fn by_kind(&self) -> BTreeMap<&'static str, KindCount> {
        let mut counts: BTreeMap<&'static str, KindCount> = BTreeMap::new();
        for (scope, Spoken { direct: ids, .. }) in &self.vaults {
            if ids.is_empty() {
                continue;
            }
            let count = counts.entry(scope.holder.kind()).or_default();
            count.vaults += 1;
            count.memories += ids.len() as u64;
        }
        counts
    }

    pub(crate) fn memories(&self) -> u64 {
        self.vaults.iter().map(|(_, spoken)| spoken.direct.len() as u64).sum()
    }

    pub(crate) fn leaning(&self) -> u64 {
        self.vaults.iter().map(|(_, spoken)| spoken.leaning.len() as u64).sum()
    }

    pub(crate) fn digest(&self) -> [u8; 32] {
        let mut lines: Vec<Vec<u8>> = Vec::new();
        for (scope, spoken) in &self.vaults {
            let vault = scope.vault_id();
            lines
                .extend(spoken.direct.iter().map(|id| [vault.as_bytes().as_slice(), id.as_bytes()].concat()));
        }
        lines.sort_unstable();
        let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
        *Digest::of(DIGEST_DOMAIN, &lines).as_bytes()
    }
}

pub(crate) fn look_everywhere(service: &Service, org: &OrgId, person: &Person) -> Result<PersonMatches> {
    let (mut vaults, passed) = (Vec::new(), PassedOver::default());
    let mut after = None;
    loop {
        let page = service.store.vaults(after, VAULTS_PAGE_MAX)?;
        let Some(last) = page.last() else {
            return Ok(PersonMatches { vaults, locked: passed.count() });
        };
        after = Some(last.id);
        for scope in page.into_iter().map(|header| header.scope).filter(|scope| scope.org == *org) {
            let found = service.read(&scope, |open| speaking_of(service, open, &scope, person));
            let found = passed.unless_locked(found)?;
            let found = found.transpose()?.unwrap_or_default();
            if !found.direct.is_empty() || !found.leaning.is_empty() {
                vaults.push((scope, found));
            }
        }
    }
}

/// The memories of one vault that speak of a person. What says so goes. Nobody here sees the doubtful ones, so
/// whoever owns the vault decides about them.
pub(crate) fn speaking_of(
    service: &Service,
    open: &OpenVault,
    scope: &Scope,
    person: &Person,
) -> Result<Spoken> {
    let finder = Finder {
        open,
        sources: service.sources(),
        vectors: &[],
        examples: &[],
        now: service.clock.now(),
        deleted_too: true,
    };
    let (mut direct, mut doubtful) = (BTreeSet::new(), BTreeSet::new());
    for wish in wishes_in(scope, person) {
        for found in finder.find(&wish)?.matches {
            match found.closeness {
                Closeness::Direct => direct.insert(found.id),
                Closeness::Indirect => doubtful.insert(found.id),
            };
        }
    }
    for source in &direct {
        doubtful.extend(open.derivatives(*source).filter(|made| had_at_hand(open, made, source)));
    }
    doubtful.retain(|id| !direct.contains(id));
    let topics: Vec<Topic> = person.names.iter().map(|name| Topic::of(name)).collect();
    let leaning = doubtful.iter().filter_map(|id| open.index.get(id));
    let leaning = leaning
        .filter(|stored| is_shown(stored.attributes.state))
        .map(|stored| (stored.id, mentions(stored.payload.full_text().expose(), &topics)));
    Ok(Spoken { leaning: leaning.collect(), direct: direct.into_iter().collect() })
}

/// Returns true when a memory was made while another was at hand, without being made of it.
fn had_at_hand(open: &OpenVault, made: &MemoryId, source: &MemoryId) -> bool {
    let at_hand = |link: &Lineage| link.source == *source && link.contribution == Contribution::Context;
    open.index.get(made).is_some_and(|stored| stored.payload.facets.derived_from.iter().any(at_hand))
}

/// The wishes to look for in one vault; in the own vault of the person, everything is theirs.
pub(crate) fn wishes_in(scope: &Scope, person: &Person) -> Vec<Wish> {
    match is_their_own(scope, person) {
        true => vec![Wish::about(About::Everything)],
        false => person.wishes(),
    }
}

pub(crate) fn is_their_own(scope: &Scope, person: &Person) -> bool {
    matches!((&scope.holder, &person.user), (Holder::User(owner), Some(user)) if owner == user)
}
