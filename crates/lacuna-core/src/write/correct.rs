//! Correct: a memory is named by its id or by what it is about, and what is said now takes its place.
//!
//! What was wrong is erased with a receipt, and not kept as history. Of a sentence that says two things and is
//! wrong about one, the other half lives on, as a new memory under a new key.

use std::sync::Arc;

use jiff::Timestamp;
use lacuna_language::clause::{self, Cut};
use lacuna_language::facts::{Statement, Verdict, claims, compare_with, statements};
use lacuna_language::topic::concept::Concepts;
use lacuna_language::topic::word::words;
use lacuna_language::topic::{Fit, Topic, speaks_of};
use lacuna_types::request::Closeness;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::index::search::QueryVector;
use crate::permit::{Grant, Remember};
use crate::read::find::{Finder, Told};
use crate::vault::open::OpenVault;
use crate::vault::receipt::SignedReceipt;
use crate::vault::service::Service;
use crate::write::outcome::{Outcome, Remembered};
use crate::write::place::Corrects;
use crate::write::remember::remember_as;

/// Characters of the words that say what is to be corrected.
pub(crate) const CORRECTION_CHARS_MAX: usize = 500;
/// Memories that are named when it is not clear which one is meant.
pub(crate) const CANDIDATES_MAX: usize = 5;

/// The worth of each sign that a memory is the one to be corrected. An identifier outweighs a name, a name
/// outweighs words, and words outweigh closeness in meaning.
const EXACT_WORTH: f32 = 3.0;
const NAME_WORTH: f32 = 1.5;
const WORDS_WORTH: f32 = 1.5;
const LITERAL_WORTH: f32 = 0.5;
const ATTRIBUTE_WORTH: f32 = 1.0;
const CONCEPT_WORTH: f32 = 0.5;
/// The memory calls the thing by its name and not only by a sign of it.
const CALLED_WORTH: f32 = 0.25;
const MEANING_WORTH: f32 = 1.0;
const NEW_MEANING_WORTH: f32 = 0.5;
/// A memory below this has too little to do with what was named.
const WORTH_MIN: f32 = 0.8;
/// The best is the one meant when it leads the next by this much.
const LEAD_MIN: f32 = 0.25;
/// A clause is meant when it has this share of the signs of the clause that has most.
const CLAUSE_SHARE: f32 = 0.6;

/// The memory that a correction is for.
#[derive(Clone, PartialEq)]
pub enum Correction {
    Id(MemoryId),
    /// Words for its topic: "where I live".
    Words(String),
}

/// The result of a correction.
#[derive(Clone, PartialEq, Debug)]
pub enum Corrected {
    /// The new text is stored, and the old one is gone, or cut down to the rest of it.
    Done {
        memory: Box<Remembered>,
        /// The memory that was meant. Others that the new text makes untrue are in `memory.supersedes`.
        replaced: MemoryId,
        left_some: bool,
        /// The proof that the old text is gone; none when the new one is the old one, word for word.
        receipt: Option<Box<SignedReceipt>>,
    },
    /// The gate took the new text without making it active, asked about it or refused it: nothing else changed.
    Held(Outcome),
    /// These may be meant, the likeliest first; none when nothing is.
    Which(Vec<MemoryId>),
}

/// Puts a new text in the place of what it corrects.
pub(crate) fn correct(
    service: &Service,
    grant: &Grant<Remember>,
    what: &Correction,
    draft: Draft,
) -> Result<Corrected> {
    let chosen = match chosen(service, grant, what, draft.text.expose())? {
        Ok(chosen) => chosen,
        Err(candidates) => return Ok(Corrected::Which(candidates)),
    };
    let Some(first) = chosen.first() else { return Ok(Corrected::Which(Vec::new())) };
    let (replaced, left_some) = (first.id, first.left.is_some());
    let (mut outcomes, receipt) = remember_as(service, grant, vec![draft], chosen)?;
    Ok(match outcomes.pop().ok_or(Error::NotFound("memory"))? {
        Outcome::Stored(memory) if memory.state != Lifecycle::Candidate => {
            Corrected::Done { memory, replaced, left_some, receipt: receipt.map(Box::new) }
        }
        held => Corrected::Held(held),
    })
}

/// The memory that a correction would replace, or those that may be meant. Nothing changes.
pub(crate) fn corrected_by(
    service: &Service,
    grant: &Grant<Remember>,
    what: &Correction,
    text: &str,
) -> Result<Result<MemoryId, Vec<MemoryId>>> {
    Ok(chosen(service, grant, what, text)?
        .and_then(|chosen| chosen.first().map(|first| first.id).ok_or_else(Vec::new)))
}

/// The memories that a correction means, or those that it may mean.
fn chosen(
    service: &Service,
    grant: &Grant<Remember>,
    what: &Correction,
    text: &str,
) -> Result<Result<Vec<Corrects>, Vec<MemoryId>>> {
    match what {
        Correction::Id(id) => by_id(service, grant, *id, text).map(|meant| Ok(vec![meant])),
        Correction::Words(about) => by_words(service, grant, about, text),
    }
}

fn by_id(service: &Service, grant: &Grant<Remember>, id: MemoryId, text: &str) -> Result<Corrects> {
    let newer = statements(text);
    let found = service.serve(grant.scope(), |open| -> Result<Corrects> {
        let old = old_text(service, grant, open, id)?;
        let states =
            |part: &str| statements(part).iter().any(|one| newer.iter().any(|new| same_attribute(one, new)));
        Ok(Corrects { id, left: rest(old.expose(), states).map(Arc::new) })
    })?;
    found.unwrap_or(Err(Error::NotFound("memory")))
}

/// The memories that are meant, or those that may be. Several are meant when the new text makes each of them untrue.
fn by_words(
    service: &Service,
    grant: &Grant<Remember>,
    about: &str,
    text: &str,
) -> Result<Result<Vec<Corrects>, Vec<MemoryId>>> {
    if about.trim().is_empty() || about.chars().count() > CORRECTION_CHARS_MAX {
        return Err(Error::invalid("correct", format!("must be 1 to {CORRECTION_CHARS_MAX} characters")));
    }
    let models = service.serve(grant.scope(), |open| open.index.models())?.unwrap_or_default();
    let (asked, said) =
        (service.models.embed_topic(about, &models), service.models.embed_topic(text, &models));
    let now = service.clock.now();
    let chosen = service.read(grant.scope(), |open| -> Result<_> {
        let ranked = Ranking { service, open, now }.rank(about, &asked, text, &said)?;
        let leaders = leaders(&ranked);
        let mut chosen = Vec::with_capacity(leaders.len());
        for one in leaders {
            let old = old_text(service, grant, open, one.id)?;
            let left = rest_about(old.expose(), &Topic::of(about)).map(Arc::new);
            chosen.push(Corrects { id: one.id, left });
        }
        if chosen.is_empty() {
            let likely = ranked.iter().filter(|one| one.worth >= WORTH_MIN);
            return Ok(Err(likely.take(CANDIDATES_MAX).map(|one| one.id).collect()));
        }
        Ok(Ok(chosen))
    })?;
    chosen.unwrap_or(Ok(Err(Vec::new())))
}

/// The full text of a memory that the caller may replace.
fn old_text(service: &Service, grant: &Grant<Remember>, open: &OpenVault, id: MemoryId) -> Result<Plaintext> {
    let stored = open.index.get(&id).filter(|stored| stored.attributes.state != Lifecycle::Deleted);
    // The value of a record is put anew by its program.
    let stored = stored.filter(|stored| !stored.attributes.is_record).ok_or(Error::NotFound("memory"))?;
    if !grant.covers(stored.payload.facets.history.author.as_ref()) {
        return Err(Error::Denied("only its author or an administrator may correct it"));
    }
    let body = open.bodies(&[id], service.sources())?.remove(&id).transpose()?;
    Ok(body.unwrap_or_else(|| stored.payload.full_text().duplicate()))
}

/// A memory and how much speaks for its being meant.
struct Ranked {
    id: MemoryId,
    worth: f32,
    /// The new text makes it untrue.
    is_outdated: bool,
}

struct Ranking<'a> {
    service: &'a Service,
    open: &'a OpenVault,
    now: Timestamp,
}

impl Ranking<'_> {
    /// The memories, the likeliest first. `asked` and `said` are what it is about and what is said now.
    fn rank(
        &self,
        about: &str,
        asked: &[QueryVector],
        text: &str,
        said: &[QueryVector],
    ) -> Result<Vec<Ranked>> {
        let by = |vectors| Finder {
            open: self.open,
            sources: self.service.sources(),
            vectors,
            examples: &[],
            now: self.now,
            deleted_too: false,
        };
        let told = by(asked).told()?;
        let topic = known(about, told.iter().map(|told| told.whole()));
        let (asked, said) = (by(asked).compared(about), by(said).compared(text));
        let similar = |found: &[(MemoryId, f32)], id: &MemoryId| {
            found.iter().find(|(other, _)| other == id).map_or(0.0, |(_, similarity)| *similarity)
        };
        let (newer, claimed) = (statements(text), claims(text));
        let is_record =
            |told: &&Told| self.open.index.get(&told.id).is_some_and(|one| one.attributes.is_record);
        // The new text may be there already: it is not what it corrects.
        let says_it = |told: &&Told| told.whole().trim() == text.trim();
        let mut ranked: Vec<Ranked> = told
            .iter()
            .filter(|told| !is_record(told) && !says_it(told))
            .map(|told| {
                let (id, old) = (&told.id, told.whole());
                let meaning = MEANING_WORTH * similar(&asked, id) + NEW_MEANING_WORTH * similar(&said, id);
                let is_outdated = compare_with(old, &claimed) == Verdict::Supersedes;
                Ranked { id: *id, worth: worth(&topic, old, text, &newer) + meaning, is_outdated }
            })
            .collect();
        ranked.sort_by(|one, other| other.worth.total_cmp(&one.worth).then(other.id.cmp(&one.id)));
        Ok(ranked)
    }
}

/// The topic; names that nothing mentions are words like others.
fn known<'t>(about: &str, mut texts: impl Iterator<Item = &'t str>) -> Topic {
    let topic = Topic::of(about);
    let mentioned = !topic.is_named() || texts.any(|text| topic.mention(text).is_some());
    if mentioned || topic.is_exact() { topic } else { Topic::as_words(about) }
}

fn worth(topic: &Topic, old: &str, text: &str, newer: &[Statement]) -> f32 {
    let fit = topic.fit(old);
    let same = statements(old).iter().any(|one| newer.iter().any(|new| same_attribute(one, new)));
    let shared = spoken(old).and(spoken(text)).meets(topic.concepts());
    let sign = |holds: bool, worth: f32| if holds { worth } else { 0.0 };
    let called = words(old).iter().any(|word| word.calls.meets(topic.concepts()));
    signs(topic, &fit)
        + sign(same, ATTRIBUTE_WORTH)
        + sign(shared, CONCEPT_WORTH)
        + sign(called, CALLED_WORTH)
}

/// Returns the worth of a request's words on a text.
fn signs(topic: &Topic, fit: &Fit) -> f32 {
    let exact = if topic.is_exact() && fit.exact { EXACT_WORTH } else { 0.0 };
    let named = match fit.named {
        Some(Closeness::Direct) => NAME_WORTH,
        Some(Closeness::Indirect) => NAME_WORTH / 2.0,
        None => 0.0,
    };
    exact + named + WORDS_WORTH * fit.covered + LITERAL_WORTH * fit.literal
}

fn spoken(text: &str) -> Concepts {
    speaks_of(&words(text))
}

fn same_attribute(one: &Statement, other: &Statement) -> bool {
    one.attribute == other.attribute && one.subject == other.subject
}

/// The memory that clearly leads the rest, or those that lead together and that the new text all makes untrue.
fn leaders(ranked: &[Ranked]) -> &[Ranked] {
    let Some(best) = ranked.first().filter(|best| best.worth >= WORTH_MIN) else { return &[] };
    let near = ranked.iter().take_while(|one| best.worth - one.worth < LEAD_MIN).count();
    let leaders = &ranked[..near];
    if near == 1 || leaders.iter().all(|one| one.is_outdated) { leaders } else { &[] }
}

/// Returns the rest of a text without the clauses about the topic.
fn rest_about(old: &str, topic: &Topic) -> Option<Plaintext> {
    let parts = clause::parts(old);
    if parts.len() < 2 {
        return None;
    }
    // A name that every clause mentions is whom they are about, and tells none of them apart.
    let everywhere =
        topic.names().iter().all(|name| parts.iter().all(|part| name.mentioned_in(part).is_some()));
    let value = |part: &str| {
        let fit = topic.fit(part);
        signs(topic, &if everywhere { Fit { named: None, ..fit } } else { fit })
    };
    let most = parts.iter().map(|part| value(part)).fold(0.0, f32::max);
    if most <= 0.0 {
        return None;
    }
    rest(old, |part| value(part) >= CLAUSE_SHARE * most)
}

/// Returns the rest of a text, if it is worth a memory of its own.
fn rest(old: &str, says: impl Fn(&str) -> bool) -> Option<Plaintext> {
    match clause::cut(old, says) {
        Cut::Part { left, .. } => Some(left.into()),
        Cut::Whole | Cut::Nothing => None,
    }
}
