//! Find: which memories a wish to forget means, how closely, and why.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;
use lacuna_language::classify::entity_key;
use lacuna_language::clause::{self, Cut};
use lacuna_language::topic::{Fit, NamedAttributes, NearWords, Overlap, Topic, has_short_form, names_in};
use lacuna_types::Result;
use lacuna_types::request::{About, Closeness, Reach, Reason, Wish};
use lacuna_types::*;
use zeroize::Zeroizing;

use crate::index::filter::Filter;
use crate::index::search::{QueryVector, RESULTS_MAX, Search};
use crate::index::{Session, Stored, Tag};
use crate::vault::open::{Held, OpenVault};
use crate::vault::sessions::repeats_its_turns;
use crate::vault::stores::VaultStores;

/// From this similarity on a memory that says none of the words seems to mean the same.
const MEANING_MIN: f32 = 0.9;
/// The weight of a word in common, beside the cosine.
const WORD_SHARE: f32 = 0.2;
/// Nearness from which on a memory is offered as an indirect match, and its share of the nearness of the best one.
const NEAR_MIN: f32 = 0.45;
const NEAR_SHARE: f32 = 0.7;
/// Memories that are offered for their nearness alone.
const NEAR_MAX: usize = 6;
/// The weight of an attribute that a memory holds and a request names.
const ATTRIBUTE_WEIGHT: f32 = 0.25;
/// The nearest memories that are searched for identifiers, and memories that are offered for an attribute.
const IDENTIFIED_MAX: usize = 300;
const HOLDING_MAX: usize = 10;
/// Memories that a question names when no match is direct.
const NEAREST_SHOWN: usize = 3;
/// The share of a topic's words that the best match has at least, when none has all of them.
const PARTIAL_MIN: f32 = 0.6;
/// The share of the words that narrow a name, from which a memory of the name says them.
const NARROWED_MIN: f32 = 0.5;

/// A memory that a wish means. No `Debug`: it may hold a part of the text.
#[derive(Clone, PartialEq)]
pub(crate) struct WishMatch {
    pub(crate) id: MemoryId,
    pub(crate) closeness: Closeness,
    pub(crate) reason: Reason,
    /// The rest of its text without the part that the wish names; `None` when nothing would be left.
    pub(crate) leaves: Option<Zeroizing<String>>,
}

/// A memory with all that is said in it.
pub(crate) struct Told {
    pub(crate) id: MemoryId,
    /// The full text and, after it, the details.
    whole: Zeroizing<String>,
    text_bytes: usize,
}

impl Told {
    pub(crate) fn whole(&self) -> &str {
        &self.whole
    }

    fn text(&self) -> &str {
        &self.whole[..self.text_bytes]
    }
}

/// The memories that a wish means: direct matches by their age, then indirect ones, the best first.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) matches: Vec<WishMatch>,
    /// Others that may be meant: by a short form of a name, by an attribute, by words and meaning; the best first.
    pub(crate) offered: Vec<MemoryId>,
    /// The nearest of the rest, when no match is direct.
    pub(crate) nearest: Vec<MemoryId>,
}

/// Memories beside the matches of a subject.
#[derive(Default)]
struct Beside {
    /// Every memory, the nearest first.
    ranked: Vec<Near>,
    /// Memories that may be meant.
    offered: Vec<MemoryId>,
}

/// A memory and its nearness to a wish by words and meaning together.
struct Near {
    id: MemoryId,
    score: f32,
    /// It holds an attribute that the wish names.
    holds: bool,
}

/// The open vault and the options of a search for a wish.
pub(crate) struct Finder<'a> {
    pub(crate) open: &'a OpenVault,
    pub(crate) sources: VaultStores<'a>,
    /// The vectors of the wish under each model of the vault, to search by meaning.
    pub(crate) vectors: &'a [QueryVector],
    pub(crate) now: Timestamp,
    /// Includes memories that were forgotten softly.
    pub(crate) deleted_too: bool,
}

/// Finds the memories that a wish names, among those that are shown or wait to be.
pub(crate) fn find(
    open: &OpenVault,
    sources: VaultStores<'_>,
    wish: &Wish,
    vectors: &[QueryVector],
    now: Timestamp,
) -> Result<Findings> {
    Finder { open, sources, vectors, now, deleted_too: false }.find(wish)
}

impl Finder<'_> {
    pub(crate) fn find(&self, wish: &Wish) -> Result<Findings> {
        let (mut matches, beside) = match &wish.about {
            About::Subject(text) | About::Loose(text) => self.by_subject(text, wish)?,
            About::Query(query) => (self.by_query(query)?, Beside::default()),
            about => (self.by_facet(about, wish), Beside::default()),
        };
        let meant = |id: &MemoryId| self.stored(id).is_some_and(|stored| within(wish, &stored));
        matches.retain(|found| meant(&found.id));
        if !wish.keep.is_empty() {
            matches = self.sparing(wish, matches)?;
        }
        let places: HashMap<MemoryId, usize> =
            beside.ranked.iter().enumerate().map(|(at, near)| (near.id, at)).collect();
        let order = |found: &WishMatch| {
            let place = match found.closeness {
                Closeness::Direct => 0,
                Closeness::Indirect => places.get(&found.id).map_or(0, |at| at + 1),
            };
            let age = self.stored(&found.id).map(|stored| (stored.attributes.created_at, stored.id));
            (found.closeness, place, age)
        };
        matches.sort_by_key(order);
        let mut offered = beside.offered;
        offered.retain(|id| meant(id) && !matches.iter().any(|found| found.id == *id));
        let nearest = self.nearest(&matches, &offered, &beside.ranked, meant);
        Ok(Findings { matches, offered, nearest })
    }

    /// The memories that a question names: the nearest, and those that bear the name of whom the best one speaks. None
    /// where a match is direct.
    fn nearest(
        &self,
        matches: &[WishMatch],
        offered: &[MemoryId],
        ranked: &[Near],
        meant: impl Fn(&MemoryId) -> bool,
    ) -> Vec<MemoryId> {
        if matches.iter().any(|found| found.closeness == Closeness::Direct) {
            return Vec::new();
        }
        let is_new = |id: &MemoryId| {
            meant(id) && !offered.contains(id) && !matches.iter().any(|found| found.id == *id)
        };
        let others = ranked.iter().map(|near| near.id).filter(is_new);
        let places = NEAREST_SHOWN.saturating_sub(matches.len() + offered.len());
        let mut nearest: Vec<MemoryId> = others.take(places).collect();
        let Some(best) = ranked.first() else { return nearest };
        let names = |id: &MemoryId| {
            let stored = self.stored(id);
            stored.map(|stored| names_in(stored.payload.full_text().expose())).unwrap_or_default()
        };
        let own: BTreeSet<String> = names(&best.id).into_iter().collect();
        if own.is_empty() {
            return nearest;
        }
        let shares = |id: &MemoryId| names(id).iter().any(|name| own.contains(name));
        let same: Vec<MemoryId> = (ranked.iter().map(|near| near.id))
            .filter(|id| is_new(id) && !nearest.contains(id) && shares(id))
            .take(NEAREST_SHOWN)
            .collect();
        nearest.extend(same);
        nearest
    }

    fn stored(&self, id: &MemoryId) -> Option<Stored<'_, Held>> {
        self.open.index.get(id).filter(|stored| self.is_there(stored))
    }

    fn is_there(&self, stored: &Stored<'_, Held>) -> bool {
        stored.attributes.state != Lifecycle::Deleted || self.deleted_too
    }

    fn all(&self) -> impl Iterator<Item = Stored<'_, Held>> {
        // A transcript says what its turns say: it is made anew, or goes, with them.
        let own = |stored: &Stored<'_, Held>| !repeats_its_turns(stored.payload);
        self.open.index.after(None).filter(|stored| self.is_there(stored)).filter(own)
    }

    fn by_facet(&self, about: &About, wish: &Wish) -> Vec<WishMatch> {
        let found = |reason: Reason| move |stored: Stored<'_, Held>| direct(stored.id, reason);
        match about {
            About::Ids(ids) => {
                ids.iter().filter_map(|id| self.stored(id)).map(found(Reason::Named)).collect()
            }
            About::Session(session) => {
                let key = Session::key(session);
                let said =
                    |stored: &Stored<'_, Held>| stored.attributes.session.is_some_and(|own| own.key == key);
                self.all().filter(said).map(found(Reason::Session)).collect()
            }
            About::Conversation => {
                let reason = if wish.when.is_some() { Reason::Time } else { Reason::Session };
                self.all().filter(is_turn).map(found(reason)).collect()
            }
            About::LastSaid => self.last_said().into_iter().collect(),
            About::Tags(tags) => {
                let tags: Vec<Tag> = tags.iter().map(|tag| Tag::of(tag)).collect();
                let bears = |stored: &Stored<'_, Held>| tags.iter().any(|tag| stored.tags.contains(tag));
                self.all().filter(bears).map(found(Reason::Tag)).collect()
            }
            About::Sensitivity(category) => {
                let belongs =
                    |stored: &Stored<'_, Held>| stored.payload.facets.privacy.sensitivity.contains(category);
                self.all().filter(belongs).map(found(Reason::Category)).collect()
            }
            About::Tier(tier) => self
                .all()
                .filter(|stored| stored.attributes.tier == *tier)
                .map(found(Reason::Category))
                .collect(),
            About::Source(source) => {
                let came = |stored: &Stored<'_, Held>| stored.payload.facets.source.kind == *source;
                self.all().filter(came).map(found(Reason::Source)).collect()
            }
            About::Everything => {
                let reason = if wish.when.is_some() { Reason::Time } else { Reason::Everything };
                self.all().map(found(reason)).collect()
            }
            About::Subject(_) | About::Query(_) | About::Loose(_) => Vec::new(),
        }
    }

    /// The newest memory of the owner's own words.
    fn last_said(&self) -> Option<WishMatch> {
        let own = |stored: &Stored<'_, Held>| {
            matches!(stored.payload.facets.source.kind, SourceType::UserMessage | SourceType::ExplicitSave)
                && !repeats_its_turns(stored.payload)
        };
        let newest = self.open.index.before(None).filter(|stored| self.is_there(stored)).find(own)?;
        Some(direct(newest.id, Reason::Time))
    }

    /// Finds what a subject names, and ranks everything by its nearness to it.
    fn by_subject(&self, subject: &str, wish: &Wish) -> Result<(Vec<WishMatch>, Beside)> {
        let told = self.told()?;
        let topic = Topic::of(subject);
        let topic_is_exact = topic.is_exact();
        let is_loose = matches!(wish.about, About::Loose(_));
        let mut found = match () {
            _ if topic.is_exact() => exact(&topic, &told),
            // Capitals in a message that no frame reads are no evidence of a name. What it may mean is only asked: a
            // plan that somebody confirms unseen erases what it names.
            _ if is_loose => Vec::new(),
            _ if topic.is_named() => self.named(&topic, &told, wish.reach),
            _ => Vec::new(),
        };
        // A name that nothing mentions may be a word like others; an identifier is not.
        let names: Vec<String> = topic.names().iter().map(|name| name.written.clone()).collect();
        if found.is_empty() && !topic.is_exact() && !is_loose {
            let topic = if topic.is_named() { Topic::as_words(subject) } else { topic };
            found = self.spoken(&topic, subject, &told);
        }
        let ranked = self.ranked(subject, &told);
        let mut offered = Vec::new();
        if !topic_is_exact && !self.vectors.is_empty() {
            offered = short_forms(&names, &told, &found);
            offered.extend(near_enough(&ranked, &found, &offered));
        }
        let told: HashMap<MemoryId, &Told> = told.iter().map(|told| (told.id, told)).collect();
        for found in &mut found {
            if let Some(Cut::Part { left, .. }) = told.get(&found.id).map(|told| surgery(wish, told.text())) {
                found.leaves = Some(Zeroizing::new(left));
            }
        }
        Ok((found, Beside { ranked, offered }))
    }

    /// Every memory by its nearness to a text: the cosine, and the words in common by how rare they are. Nothing without
    /// a vector of the text.
    fn ranked(&self, text: &str, told: &[Told]) -> Vec<Near> {
        // A model of many languages compares a request with a fact of another language.
        let own = self.vectors.iter().find(|vector| !vector.english_only).or(self.vectors.first());
        let Some(own) = own else { return Vec::new() };
        let texts: Vec<&str> = told.iter().map(Told::whole).collect();
        let overlaps = NearWords::of(text).overlaps(&texts);
        let attributes = NamedAttributes::of(text);
        let mut ranked: Vec<Near> = told
            .iter()
            .zip(overlaps)
            .map(|(told, overlap)| {
                let vectors = self.open.index.vectors_of(&told.id);
                let vector = vectors.iter().find(|(model, _)| *model == own.model);
                let cosine = vector.map_or(0.0, |(_, vector)| dot(vector, &own.vector));
                Near { id: told.id, score: cosine + WORD_SHARE * overlap.weight, holds: false }
            })
            .collect();
        sort(&mut ranked);
        if !attributes.is_empty() {
            self.weigh_attributes(&attributes, told, &mut ranked);
        }
        ranked
    }

    /// Lifts the memories that hold an attribute which the request names.
    fn weigh_attributes(&self, attributes: &NamedAttributes, told: &[Told], ranked: &mut [Near]) {
        let texts: HashMap<MemoryId, &Told> = told.iter().map(|told| (told.id, told)).collect();
        for (place, near) in ranked.iter_mut().enumerate() {
            let category = self
                .stored(&near.id)
                .is_some_and(|stored| attributes.name_one_of(&stored.payload.facets.privacy.sensitivity));
            let held = place < IDENTIFIED_MAX
                && texts.get(&near.id).is_some_and(|told| attributes.are_held_by(told.whole()));
            near.holds = category || held;
            near.score += if near.holds { ATTRIBUTE_WEIGHT } else { 0.0 };
        }
        sort(ranked);
    }

    /// Leaves alone what says nothing but what shall stay, and cuts what says both.
    fn sparing(&self, wish: &Wish, matches: Vec<WishMatch>) -> Result<Vec<WishMatch>> {
        let told = self.told()?;
        let told: HashMap<MemoryId, &Told> = told.iter().map(|told| (told.id, told)).collect();
        let kept: Vec<Topic> = wish.keep.iter().map(|keep| Topic::of(keep)).collect();
        let spare = |found: WishMatch| {
            let Some(told) = told.get(&found.id) else { return Some(found) };
            if !kept.iter().any(|keep| keep.says(told.whole())) {
                return Some(found);
            }
            match surgery(wish, told.text()) {
                Cut::Part { left, .. } => Some(WishMatch { leaves: Some(Zeroizing::new(left)), ..found }),
                // It says what shall go as well, and the two cannot be told apart.
                Cut::Whole if matches!(wish.about, About::Subject(_)) => Some(found),
                Cut::Whole | Cut::Nothing => None,
            }
        };
        let mut spared: Vec<WishMatch> = matches.into_iter().filter_map(spare).collect();
        // A match that has every word of an exception, and does not state it, may be the one that stays.
        let text = |found: &WishMatch| told.get(&found.id).map_or("", |told| told.text());
        let texts: Vec<&str> = spared.iter().map(text).collect();
        let words = wish.keep.iter().map(|keep| NearWords::of(keep)).filter(|words| !words.is_empty());
        let held: Vec<Vec<Overlap>> = words.map(|words| words.overlaps(&texts)).collect();
        for (at, found) in spared.iter_mut().enumerate() {
            if found.leaves.is_none() && held.iter().any(|overlaps| overlaps[at].covered >= 1.0) {
                found.closeness = Closeness::Indirect;
            }
        }
        Ok(spared)
    }

    /// Every memory with its text, the oldest first.
    pub(crate) fn told(&self) -> Result<Vec<Told>> {
        let apart = self.all().filter(|stored| stored.payload.has_body).map(|stored| stored.id);
        let mut bodies = self.open.bodies(&apart.collect::<Vec<_>>(), self.sources)?;
        let tell = |stored: Stored<'_, Held>| {
            // A text that cannot be had is looked for by its gist, so that it can be forgotten all the same.
            let body = bodies.remove(&stored.id).and_then(Result::ok);
            let text = body.as_ref().unwrap_or(stored.payload.full_text()).expose();
            let details = || stored.payload.details.iter().map(|detail| detail.content.expose());
            // Reserved at once: a text that grows leaves copies of what it held.
            let bytes = text.len() + details().map(|detail| detail.len() + 1).sum::<usize>();
            let mut whole = Zeroizing::new(String::with_capacity(bytes));
            whole.push_str(text);
            for detail in details() {
                whole.push('\n');
                whole.push_str(detail);
            }
            Told { id: stored.id, whole, text_bytes: text.len() }
        };
        Ok(self.all().map(tell).collect())
    }

    /// Finds memories that mention somebody, narrowed to those that match the rest of the wish where some do.
    fn named(&self, topic: &Topic, told: &[Told], reach: Reach) -> Vec<WishMatch> {
        let mut found = Vec::new();
        for Told { id, whole, .. } in told {
            let mention = || self.has_entity(id, topic).then_some(Closeness::Direct);
            let Some(closeness) = topic.mention(whole).or_else(mention) else { continue };
            if reach == Reach::Subject && !is_about(whole, topic) {
                continue;
            }
            let reason = if reach == Reach::Subject { Reason::Subject } else { Reason::Mention };
            // What else it says is read only where there is something to narrow by.
            let covered = if topic.has_terms() { topic.fit(whole).covered } else { 0.0 };
            found.push((WishMatch { closeness, ..direct(*id, reason) }, covered));
        }
        if !topic.has_terms() {
            return found.into_iter().map(|(found, _)| found).collect();
        }
        if found.iter().any(|(_, covered)| *covered >= NARROWED_MIN) {
            found.retain(|(_, covered)| *covered >= NARROWED_MIN);
            return found.into_iter().map(|(found, _)| found).collect();
        }
        // Nothing says the rest in words, so it may be any of them.
        found.into_iter().map(|(found, _)| WishMatch { closeness: Closeness::Indirect, ..found }).collect()
    }

    /// Returns true when the memory was written with an entity of this name.
    fn has_entity(&self, id: &MemoryId, topic: &Topic) -> bool {
        let Some(stored) = self.stored(id) else { return false };
        let bare = |name: &str| entity_key("", name);
        let named =
            |entity: &Entity| topic.names().iter().any(|name| bare(&name.written) == bare(&entity.name));
        stored.payload.facets.entities.iter().any(named)
    }

    /// Finds memories that contain the words of a topic, and memories that are close to it in meaning.
    fn spoken(&self, topic: &Topic, subject: &str, told: &[Told]) -> Vec<WishMatch> {
        let fits: HashMap<MemoryId, Fit> =
            told.iter().map(|told| (told.id, topic.fit(told.whole()))).collect();
        let mut found = Vec::new();
        for Told { id, .. } in told {
            let fit = fits[id];
            if topic.has_terms() && fit.literal >= 1.0 {
                found.push(direct(*id, Reason::Words));
            } else if topic.has_terms() && fit.covered >= 1.0 {
                found.push(indirect(*id, Reason::Subject));
            }
        }
        // Some of the words and not the others: that is another thing of the same kind.
        let other_kind =
            |id: &MemoryId| fits.get(id).is_some_and(|fit| fit.literal > 0.0 && fit.literal < 1.0);
        if found.iter().any(|found| found.closeness == Closeness::Direct) {
            found.retain(|found| !other_kind(&found.id));
        }
        if found.is_empty() {
            found = best(&fits);
        }
        let known: BTreeSet<MemoryId> = found.iter().map(|found| found.id).collect();
        let close = self
            .meant(subject, MEANING_MIN)
            .into_iter()
            .filter(|(id, _)| !known.contains(id) && !other_kind(id));
        found.extend(close.map(|(id, _)| indirect(id, Reason::Meaning)));
        found
    }

    /// As a recall would find it: by words and meaning.
    fn by_query(&self, query: &str) -> Result<Vec<WishMatch>> {
        let topic = Topic::as_words(query);
        let told = self.told()?;
        let says = |told: &&Told| topic.has_terms() && topic.fit(told.whole()).literal >= 1.0;
        let said: BTreeSet<MemoryId> = told.iter().filter(says).map(|told| told.id).collect();
        let meant = self.meant(query, 0.0).into_iter().map(|(id, _)| id).filter(|id| !said.contains(id));
        let meant = meant.map(|id| indirect(id, Reason::Meaning));
        let said = said.iter().map(|id| direct(*id, Reason::Words));
        Ok(said.chain(meant).collect())
    }

    /// The memories that are at least this similar to a text, and how similar. Nothing is erased on a resemblance that
    /// unrelated texts have too.
    pub(crate) fn meant(&self, text: &str, min_similarity: f32) -> Vec<(MemoryId, f32)> {
        self.alike(text, min_similarity, true)
    }

    /// Every memory that a search compares with a text, and how similar it is: without a floor, at which two that are
    /// almost alike would be told apart.
    pub(crate) fn compared(&self, text: &str) -> Vec<(MemoryId, f32)> {
        self.alike(text, 0.0, false)
    }

    fn alike(&self, text: &str, min_similarity: f32, strong_only: bool) -> Vec<(MemoryId, f32)> {
        let states = [Lifecycle::Active, Lifecycle::Archived, Lifecycle::Candidate, Lifecycle::Approved];
        let mut states = states.to_vec();
        states.extend(self.deleted_too.then_some(Lifecycle::Deleted));
        let found = self.open.index.search(&Search {
            text,
            vectors: self.vectors,
            filter: Filter { states, ..Filter::default() },
            tags: Vec::new(),
            now: millis(self.now),
            as_of: millis(self.now),
            limit: RESULTS_MAX,
            min_similarity,
            strong_only,
            recency_weight: 0.0,
            explain: false,
        });
        let is_own =
            |id: &MemoryId| self.open.index.get(id).is_some_and(|stored| !repeats_its_turns(stored.payload));
        let hits = found.hits.into_iter().filter(|hit| is_own(&hit.id));
        hits.map(|hit| (hit.id, hit.similarity)).collect()
    }
}

/// Returns the rest of a text after a wish is carried out on it. Clauses that the wish keeps stay, if they can be
/// cut loose.
pub(crate) fn surgery(wish: &Wish, text: &str) -> Cut {
    let kept: Vec<Topic> = wish.keep.iter().map(|keep| Topic::of(keep)).collect();
    let is_kept = |part: &str| kept.iter().any(|keep| keep.says(part));
    // Whatever is not named by words goes as a whole, save what is kept.
    let (About::Subject(subject) | About::Loose(subject)) = &wish.about else {
        return clause::cut(text, |part| !is_kept(part));
    };
    let topic = Topic::of(subject);
    match clause::cut(text, |part| topic.says(part) && !is_kept(part)) {
        // Where the rest does not part from it, what is kept is all that stays.
        Cut::Whole if is_kept(text) => clause::cut(text, |part| !is_kept(part)),
        cut => cut,
    }
}

/// Finds memories that contain an identifier. Other words only rank them.
fn exact(topic: &Topic, told: &[Told]) -> Vec<WishMatch> {
    let fits = told.iter().map(|told| (told.id, topic.fit(told.whole())));
    let fits: Vec<(MemoryId, Fit)> = fits.collect();
    let holding: Vec<&(MemoryId, Fit)> = fits.iter().filter(|(_, fit)| fit.exact).collect();
    if holding.is_empty() && topic.is_described() {
        // Nothing bears the name, but something that is described in the same words bears a longer one.
        let longer = fits.iter().filter(|(_, fit)| fit.part && fit.literal >= 1.0);
        return longer.map(|(id, _)| indirect(*id, Reason::Words)).collect();
    }
    let said = holding.iter().any(|(_, fit)| fit.literal > 0.0);
    let timed = holding.iter().any(|(_, fit)| fit.moment);
    let close = |fit: &Fit| (fit.literal > 0.0 || !said) && (fit.moment || !timed);
    let found = |(id, fit): &&(MemoryId, Fit)| match close(fit) {
        true => direct(*id, Reason::Identifier),
        false => indirect(*id, Reason::Identifier),
    };
    holding.iter().map(found).collect()
}

/// The memories that are near enough to be offered, though nothing names them.
fn near_enough(ranked: &[Near], found: &[WishMatch], offered: &[MemoryId]) -> Vec<MemoryId> {
    let mut seen: BTreeSet<MemoryId> = found.iter().map(|found| found.id).collect();
    seen.extend(offered);
    let best = ranked.first().map_or(0.0, |near| near.score);
    let close = |near: &&Near| near.score >= NEAR_MIN && near.score >= NEAR_SHARE * best;
    let near = ranked.iter().take_while(close).take(NEAR_MAX);
    let holding = ranked.iter().filter(|near| near.holds).take(HOLDING_MAX);
    near.chain(holding).map(|near| near.id).filter(|id| seen.insert(*id)).collect()
}

/// The memories that have a short form of a full name.
fn short_forms(names: &[String], told: &[Told], found: &[WishMatch]) -> Vec<MemoryId> {
    let known: BTreeSet<MemoryId> = found.iter().map(|found| found.id).collect();
    let short = |told: &&Told| names.iter().any(|name| has_short_form(name, told.whole()));
    told.iter().filter(|told| !known.contains(&told.id)).filter(short).map(|told| told.id).collect()
}

fn sort(ranked: &mut [Near]) {
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn indirect(id: MemoryId, reason: Reason) -> WishMatch {
    WishMatch { closeness: Closeness::Indirect, ..direct(id, reason) }
}

fn direct(id: MemoryId, reason: Reason) -> WishMatch {
    WishMatch { id, closeness: Closeness::Direct, reason, leaves: None }
}

fn within(wish: &Wish, stored: &Stored<'_, Held>) -> bool {
    wish.when.is_none_or(|span| from_millis(stored.attributes.created_at).is_some_and(|at| span.contains(at)))
}

fn is_turn(stored: &Stored<'_, Held>) -> bool {
    stored.attributes.session.is_some() || stored.attributes.category == Category::Conversation
}

/// Returns true when the text speaks about somebody, and does not merely mention them.
fn is_about(text: &str, topic: &Topic) -> bool {
    clause::subjects(text).iter().any(|subject| topic.mention(subject).is_some())
}

/// The memories that say most of a topic, when none says all of it.
fn best(fits: &HashMap<MemoryId, Fit>) -> Vec<WishMatch> {
    let most = fits.values().map(|fit| fit.covered).fold(0.0, f32::max);
    if most < PARTIAL_MIN {
        return Vec::new();
    }
    let chosen = fits.iter().filter(|(_, fit)| fit.covered >= most && fit.literal > 0.0);
    chosen.map(|(id, _)| indirect(*id, Reason::Words)).collect()
}
