//! Ways to look over a vault without a question: a timeline with filters, a picture of the names in it, and the
//! relatives of one memory. None of them fetches a long text.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use lacuna_language::classify::entity_key;
use lacuna_seal::hex;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::index::filter::Filter;
use crate::index::{Stored, Tag};
use crate::permit::{Grant, Recall};
use crate::read::recall::{Cursor, Page, newest_first};
use crate::vault::open::{Held, OpenVault, shown};
use crate::vault::purpose::{Closed, closed_to};
use crate::vault::reads::{Read, note_read};
use crate::vault::service::Service;

/// Names that an overview shows; those with the most memories.
pub const NAMES_SHOWN_MAX: usize = 36;
/// Topics that an overview shows.
pub const TOPICS_SHOWN_MAX: usize = 24;
/// Relatives of each kind that are shown for one memory.
pub const RELATIVES_MAX: usize = 32;
/// Ids that part of one may stand for; more are not counted.
pub(crate) const MEANT_IDS_MAX: usize = 10;

/// Conditions on the memories of a timeline, besides those that a search has.
#[derive(Clone, Default)]
pub struct TimelineFilter {
    /// Conditions that a search has too.
    pub filter: Filter,
    /// The name of a person, place, organisation or thing, as a memory names it.
    pub name: Option<String>,
    /// A topic that needs special care.
    pub sensitivity: Option<Sensitivity>,
    /// The type of the origin.
    pub source: Option<SourceType>,
    /// The assistant that took part.
    pub assistant: Option<String>,
}

impl TimelineFilter {
    /// Adds the condition that a memory bears a tag.
    pub fn tagged(&mut self, tag: &str) {
        self.filter.any_tags.push(Tag::of(tag));
    }

    fn admits(&self, held: &Held) -> bool {
        let facets = &held.facets;
        self.name.as_deref().is_none_or(|name| names(facets, name))
            && self.sensitivity.is_none_or(|one| facets.privacy.sensitivity.contains(&one))
            && self.source.is_none_or(|source| facets.source.kind == source)
            && self.assistant.as_deref().is_none_or(|name| facets.source.deployment.as_deref() == Some(name))
    }
}

fn names(facets: &Facets, name: &str) -> bool {
    facets
        .entities
        .iter()
        .any(|entity| entity_key(&entity.kind, &entity.name) == entity_key(&entity.kind, name))
}

/// A name that memories mention.
pub struct KnownName {
    /// The name, as the first memory spells it.
    pub name: Plaintext,
    /// The kind: person, place, organisation, thing.
    pub kind: String,
    /// The relation to the vault's owner, where a memory states one.
    pub relation: Option<Plaintext>,
    /// Number of memories that mention it.
    pub memories: usize,
    /// The salience of the strongest of them now, from 0 to 1.
    pub salience: f32,
}

/// A tag, with the number of its memories.
pub struct KnownTopic {
    /// The tag.
    pub name: Plaintext,
    /// Number of memories that bear it.
    pub memories: usize,
    /// The salience of the strongest of them now, from 0 to 1.
    pub salience: f32,
}

/// Two names of an overview that the same memories mention.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NameLink {
    /// Positions of both in [`Overview::names`].
    pub ends: (usize, usize),
    /// Number of memories that mention both.
    pub memories: usize,
}

/// The names and topics of a vault, with their sizes and links.
#[derive(Default)]
pub struct Overview {
    /// Memories that are active.
    pub memories: usize,
    /// Names with the most memories, the largest first.
    pub names: Vec<KnownName>,
    /// Number of different names; more than are shown, perhaps.
    pub names_known: usize,
    /// Topics with the most memories, the largest first.
    pub topics: Vec<KnownTopic>,
    /// Pairs of names.
    pub links: Vec<NameLink>,
    /// Number of memories of each sensitive category.
    pub sensitive: BTreeMap<Sensitivity, usize>,
}

/// The memories that one memory was made of, and those that were made of it, without their full texts.
#[derive(Default)]
pub struct Relatives {
    /// The sources that are still there.
    pub sources: Vec<Memory>,
    /// The memories that were made of it.
    pub derived: Vec<Memory>,
    /// The memories that say nearly the same.
    pub alike: Vec<Memory>,
}

/// Memories newest first, without their full texts. Hidden ones are shown to the owner of a vault alone.
pub(crate) fn timeline(
    service: &Service,
    grant: &Grant<Recall>,
    wanted: &TimelineFilter,
    after: Option<Cursor>,
    limit: usize,
) -> Result<Page> {
    let is_shown = |state: &Lifecycle| match state {
        Lifecycle::Active | Lifecycle::Archived => true,
        Lifecycle::Deleted => !grant.scope().holder.is_shared(),
        Lifecycle::Candidate | Lifecycle::Approved => false,
    };
    if !wanted.filter.states.iter().all(is_shown) {
        return Err(Error::invalid("state", "memories in this state are not listed here"));
    }
    newest_first(
        service,
        grant,
        "timeline",
        (&wanted.filter, |stored: &Stored<'_, Held>| wanted.admits(stored.payload)),
        after,
        limit,
    )
}

/// The names and topics of the active memories.
pub(crate) fn overview(service: &Service, grant: &Grant<Recall>) -> Result<Overview> {
    let (now, closed) = (millis(service.clock.now()), closed_to(service, grant)?);
    let found = service.serve(grant.scope(), |vault| survey(vault, &closed, now))?.unwrap_or_default();
    note_read(service, &Read { counted: Some(found.memories), ..Read::of(grant, "overview", Vec::new()) })?;
    Ok(found)
}

/// A count that grows while a vault is walked.
struct NameTally<'a> {
    name: &'a str,
    kind: &'a str,
    relation: Option<&'a str>,
    memories: usize,
    salience: f32,
}

impl<'a> NameTally<'a> {
    fn of(name: &'a str, kind: &'a str) -> Self {
        Self { name, kind, relation: None, memories: 0, salience: 0.0 }
    }

    fn add(&mut self, salience: f32) {
        self.memories += 1;
        self.salience = self.salience.max(salience);
    }
}

/// The active memories that are open to the reader.
fn open_ones<'v>(vault: &'v OpenVault, closed: &Closed) -> impl Iterator<Item = Stored<'v, Held>> {
    vault.index.active().filter(|stored| !closed.hides(&stored.payload.facets))
}

fn survey(vault: &OpenVault, closed: &Closed, now: i64) -> Overview {
    let mut overview = Overview::default();
    let mut names: HashMap<String, NameTally<'_>> = HashMap::new();
    let mut topics: HashMap<&str, NameTally<'_>> = HashMap::new();
    for stored in open_ones(vault, closed) {
        overview.memories += 1;
        let (facets, salience) = (&stored.payload.facets, stored.attributes.fading.at(now));
        for (key, entity) in mentioned(facets) {
            let tally = names.entry(key).or_insert_with(|| NameTally::of(&entity.name, &entity.kind));
            tally.relation = tally.relation.or(entity.relation.as_deref());
            tally.add(salience);
        }
        for tag in &facets.tags {
            topics.entry(tag).or_insert_with(|| NameTally::of(tag, "topic")).add(salience);
        }
        for sensitivity in &facets.privacy.sensitivity {
            *overview.sensitive.entry(*sensitivity).or_default() += 1;
        }
    }
    overview.names_known = names.len();
    let names = largest(names, NAMES_SHOWN_MAX);
    overview.links = links(vault, closed, &names);
    overview.names = names.into_iter().map(|(_, tally)| tally.into_name()).collect();
    let topics = largest(topics, TOPICS_SHOWN_MAX);
    overview.topics = topics.into_iter().map(|(_, tally)| tally.into_topic()).collect();
    overview
}

impl NameTally<'_> {
    fn into_name(self) -> KnownName {
        KnownName {
            name: self.name.into(),
            kind: self.kind.to_owned(),
            relation: self.relation.map(Plaintext::from),
            memories: self.memories,
            salience: self.salience,
        }
    }

    fn into_topic(self) -> KnownTopic {
        KnownTopic { name: self.name.into(), memories: self.memories, salience: self.salience }
    }
}

/// The different entities of one memory, each with its key.
fn mentioned(facets: &Facets) -> BTreeMap<String, &Entity> {
    facets.entities.iter().map(|entity| (entity_key(&entity.kind, &entity.name), entity)).collect()
}

/// The tallies with the most memories, the largest first; those of one size by name.
fn largest<'a, K>(tallies: HashMap<K, NameTally<'a>>, max: usize) -> Vec<(K, NameTally<'a>)> {
    let mut tallies: Vec<_> = tallies.into_iter().collect();
    tallies.sort_by(|(_, a), (_, b)| b.memories.cmp(&a.memories).then_with(|| a.name.cmp(b.name)));
    tallies.truncate(max);
    tallies
}

fn links(vault: &OpenVault, closed: &Closed, names: &[(String, NameTally<'_>)]) -> Vec<NameLink> {
    let places: HashMap<&str, usize> =
        names.iter().enumerate().map(|(at, (key, _))| (key.as_str(), at)).collect();
    let mut pairs: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for stored in open_ones(vault, closed) {
        let keys = mentioned(&stored.payload.facets);
        let mut here: Vec<usize> = keys.keys().filter_map(|key| places.get(key.as_str()).copied()).collect();
        here.sort_unstable();
        for (at, first) in here.iter().enumerate() {
            for second in &here[at + 1..] {
                *pairs.entry((*first, *second)).or_default() += 1;
            }
        }
    }
    pairs.into_iter().map(|(ends, memories)| NameLink { ends, memories }).collect()
}

/// The tags of those of `ids` that are active or archived. The read is counted in the audit.
pub(crate) fn tags_of(
    service: &Service,
    grant: &Grant<Recall>,
    ids: &BTreeSet<MemoryId>,
) -> Result<BTreeMap<MemoryId, Vec<String>>> {
    let closed = closed_to(service, grant)?;
    let found = service.serve(grant.scope(), |vault| {
        let known = ids.iter().filter_map(|id| vault.index.get(id));
        let open = known.filter(|stored| {
            let is_shown = matches!(stored.attributes.state, Lifecycle::Active | Lifecycle::Archived);
            is_shown && !closed.hides(&stored.payload.facets)
        });
        open.map(|stored| (stored.id, stored.payload.facets.tags.clone())).collect::<BTreeMap<_, _>>()
    })?;
    let found = found.unwrap_or_default();
    if !found.is_empty() {
        note_read(service, &Read { counted: Some(found.len()), ..Read::of(grant, "topics", Vec::new()) })?;
    }
    Ok(found)
}

/// Ids, in any state and damaged ones too, whose hex digits begin or end with `digits`, up to [`MEANT_IDS_MAX`]. Nothing
/// of a memory is read but its id, so that the audit has no entry of it.
pub(crate) fn ids_like(service: &Service, grant: &Grant<Recall>, digits: &str) -> Result<Vec<MemoryId>> {
    let closed = closed_to(service, grant)?;
    let is_meant = |id: &MemoryId| {
        let whole = hex(id.as_bytes());
        whole.starts_with(digits) || whole.ends_with(digits)
    };
    let found = service.serve(grant.scope(), |vault| {
        let open = vault.index.before(None).filter(|stored| !closed.hides(&stored.payload.facets));
        let ids = open.map(|stored| stored.id).chain(vault.damaged.iter().copied());
        ids.filter(is_meant).take(MEANT_IDS_MAX).collect()
    })?;
    Ok(found.unwrap_or_default())
}

/// The relatives of one memory that are active or archived.
pub(crate) fn relatives(service: &Service, grant: &Grant<Recall>, id: MemoryId) -> Result<Relatives> {
    let closed = closed_to(service, grant)?;
    let found = service.serve(grant.scope(), |vault| {
        let stored = vault.index.get(&id).filter(|stored| !closed.hides(&stored.payload.facets));
        let Some(stored) = stored else { return Relatives::default() };
        let facets = &stored.payload.facets;
        Relatives {
            sources: seen(vault, &closed, facets.derived_from.iter().map(|link| link.source)),
            derived: seen(vault, &closed, vault.derivatives(id)),
            alike: seen(vault, &closed, facets.history.alike.iter().copied()),
        }
    })?;
    let found = found.unwrap_or_default();
    let all = found.sources.iter().chain(&found.derived).chain(&found.alike);
    let ids: HashSet<MemoryId> = all.map(|memory| memory.id).collect();
    note_read(service, &Read::of(grant, "relatives", ids.into_iter().collect()))?;
    Ok(found)
}

fn seen(vault: &OpenVault, closed: &Closed, ids: impl Iterator<Item = MemoryId>) -> Vec<Memory> {
    let stored =
        ids.filter_map(|id| vault.index.get(&id)).filter(|stored| !closed.hides(&stored.payload.facets));
    let visible =
        stored.filter(|stored| matches!(stored.attributes.state, Lifecycle::Active | Lifecycle::Archived));
    visible.take(RELATIVES_MAX).filter_map(|stored| shown(&stored)).collect()
}
