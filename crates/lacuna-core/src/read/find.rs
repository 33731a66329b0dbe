//! Find: which memories a wish to forget means, how closely, and why.

mod nearness;

use std::collections::{BTreeSet, HashMap, HashSet};

use jiff::Timestamp;
use lacuna_language::classify::entity_key;
use lacuna_language::clause::{self, Cut};
use lacuna_language::topic::{
    Fit, NearWords, Overlap, ReadTexts, Topic, full_names, has_clear_short_form, has_short_form, is_of_both,
    may_except,
};
use lacuna_types::Result;
use lacuna_types::request::{About, Closeness, Reach, Reason, Wish};
use lacuna_types::*;
use zeroize::Zeroizing;

use self::nearness::{Near, NearRanking, evidence_texts};
use crate::index::filter::Filter;
use crate::index::search::{QueryVector, RESULTS_MAX, Search};
use crate::index::{Session, Stored, Tag};
use crate::vault::open::{Held, OpenVault};
use crate::vault::record::{said_by, told};
use crate::vault::sessions::repeats_its_turns;
use crate::vault::stores::VaultStores;

/// From this similarity on a memory that says none of the words seems to mean the same.
const MEANING_MIN: f32 = 0.9;
/// Memories that are offered for their nearness.
const OFFERED_MAX: usize = 12;
/// Memories that a question names when no match is direct.
const NEAREST_SHOWN: usize = 3;
/// Memories beside a plan that are listed by their nearness.
const REST_MAX: usize = 60;
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
    /// False for a record, of which nothing can be cut out.
    has_clauses: bool,
}

impl Told {
    pub(crate) fn whole(&self) -> &str {
        &self.whole
    }

    fn text(&self) -> &str {
        &self.whole[..self.text_bytes]
    }

    /// The rest of the text without the part that a wish names.
    fn without(&self, surgery: &Surgery) -> Cut {
        if self.has_clauses { surgery.cut(self.text()) } else { Cut::Whole }
    }
}

/// The memories of a vault by their ids.
type ToldById<'a> = HashMap<MemoryId, &'a Told>;

fn by_id(told: &[Told]) -> ToldById<'_> {
    told.iter().map(|told| (told.id, told)).collect()
}

/// The memories that a wish means: direct matches by their age, then indirect ones, the best first.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) matches: Vec<WishMatch>,
    /// Others that may be meant: by a short form of a name, by an attribute, by words and meaning; the best first. They
    /// go only when somebody names them.
    pub(crate) offered: Vec<WishMatch>,
    /// The nearest of the rest, when no match is direct.
    pub(crate) nearest: Vec<MemoryId>,
    /// The rest, the nearest first.
    pub(crate) rest: Vec<MemoryId>,
}

/// Memories beside the matches of a subject.
#[derive(Default)]
struct Beside {
    /// Every memory, the nearest first.
    ranked: NearRanking,
    /// Memories that may be meant.
    offered: Vec<WishMatch>,
}

/// The open vault and the options of a search for a wish.
pub(crate) struct Finder<'a> {
    pub(crate) open: &'a OpenVault,
    pub(crate) sources: VaultStores<'a>,
    /// The vectors of the wish under each model of the vault, to search by meaning.
    pub(crate) vectors: &'a [QueryVector],
    /// The vectors of sentences that speak of the subject, where the wish names one in a general word.
    pub(crate) examples: &'a [QueryVector],
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
    examples: &[QueryVector],
    now: Timestamp,
) -> Result<Findings> {
    Finder { open, sources, vectors, examples, now, deleted_too: false }.find(wish)
}

impl Finder<'_> {
    pub(crate) fn find(&self, wish: &Wish) -> Result<Findings> {
        let (mut matches, beside) = match &wish.about {
            About::Subject(text) | About::Loose(text) => self.by_subject(text, wish)?,
            About::Query(query) => (self.by_query(query)?, Beside::default()),
            About::Sensitivity(category) if wish.own => self.by_category(*category, wish)?,
            about => (self.by_facet(about, wish), Beside::default()),
        };
        let meant = |id: &MemoryId| self.stored(id).is_some_and(|stored| within(wish, &stored));
        matches.retain(|found| meant(&found.id));
        if !wish.keep.is_empty() {
            matches = self.sparing(wish, matches)?;
        }
        let places: HashMap<MemoryId, usize> =
            beside.ranked.near.iter().enumerate().map(|(at, near)| (near.id, at)).collect();
        let order = |found: &WishMatch| {
            let place = match found.closeness {
                Closeness::Direct => 0,
                Closeness::Indirect => places.get(&found.id).map_or(0, |at| at + 1),
            };
            let age = self.stored(&found.id).map(|stored| (stored.attributes.created_at, stored.id));
            (found.closeness, place, age)
        };
        matches.sort_by_cached_key(order);
        let mut offered = beside.offered;
        offered.retain(|one| meant(&one.id) && !matches.iter().any(|found| found.id == one.id));
        let known: HashSet<MemoryId> = matches.iter().chain(&offered).map(|found| found.id).collect();
        let is_new = |id: &MemoryId| !known.contains(id) && meant(id);
        let others = beside.ranked.near.iter().map(|near| near.id).filter(is_new);
        let rest: Vec<MemoryId> = others.take(REST_MAX).collect();
        let nearest = nearest(&matches, &rest, &beside.ranked, is_new);
        Ok(Findings { matches, offered, nearest, rest })
    }

    /// Offers memories that somebody proposes for a wish, save those that it does not reach or that shall stay.
    pub(crate) fn proposals(&self, wish: &Wish, ids: &[MemoryId]) -> Result<Vec<WishMatch>> {
        let stored = ids.iter().filter_map(|id| self.stored(id)).filter(|stored| within(wish, stored));
        let offered = stored.map(|stored| indirect(stored.id, Reason::Proposed)).collect();
        if wish.keep.is_empty() { Ok(offered) } else { self.sparing(wish, offered) }
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
        let (topic_is_exact, is_narrowed) = (topic.is_exact(), topic.has_terms());
        let may_except = !wish.keep.is_empty() || may_except(subject);
        let is_loose = matches!(wish.about, About::Loose(_));
        let mut found = match () {
            _ if topic.is_exact() => exact(&topic, &told),
            // Capitals in a message that no frame reads are no evidence of a name.
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
        let known = by_id(&told);
        if topic_is_exact && !found.is_empty() {
            cut(wish, &known, &mut found);
            return Ok((found, Beside::default()));
        }
        let texts = ReadTexts::of(evidence_texts(self.open, &told));
        let ranked = self.ranked(subject, wish.own, &told, &texts);
        let mut offered = Vec::new();
        if !topic_is_exact && !self.vectors.is_empty() {
            offered = short_forms(&names, is_narrowed, &texts, &told, &mut found);
            sharpen(&ranked, may_except, &mut found, &mut offered);
            if wish.reach == Reach::Subject {
                only_about(&Topic::of(subject), &known, &mut found, &mut offered);
            }
            offered.extend(near_enough(&ranked, &found, &offered));
        }
        cut(wish, &known, &mut found);
        doubt_of_both(&names, wish, &known, &mut found);
        Ok((found, Beside { ranked, offered }))
    }

    /// Finds the owner's own memories of a category. They are indirect: a category is a guess about a text, and broader than
    /// what is asked for. What speaks of somebody else is offered.
    fn by_category(&self, category: Sensitivity, wish: &Wish) -> Result<(Vec<WishMatch>, Beside)> {
        let told = self.told()?;
        let texts = ReadTexts::of(evidence_texts(self.open, &told));
        let ranked = self.ranked(category.as_str(), wish.own, &told, &texts);
        let mut found = self.by_facet(&wish.about, wish);
        let mut offered = Vec::new();
        found.retain_mut(|one| {
            let is_other = !ranked.speaks_of_owner(&one.id);
            offered.extend(is_other.then(|| indirect(one.id, Reason::Category)));
            one.closeness = Closeness::Indirect;
            !is_other
        });
        offered.extend(near_enough(&ranked, &found, &offered));
        Ok((found, Beside { ranked, offered }))
    }

    /// Leaves alone what says nothing but what shall stay, and cuts what says both.
    fn sparing(&self, wish: &Wish, matches: Vec<WishMatch>) -> Result<Vec<WishMatch>> {
        let told = self.told()?;
        let told = by_id(&told);
        let surgery = Surgery::of(wish);
        let spare = |found: WishMatch| {
            let Some(told) = told.get(&found.id) else { return Some(found) };
            if !surgery.keeps(told.whole()) {
                return Some(found);
            }
            match told.without(&surgery) {
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
            let text = body.as_ref().unwrap_or(stored.payload.full_text());
            let record = stored.payload.facets.history.record.as_deref();
            let read = record.map(|record| told(record, text.expose()));
            let text = read.as_ref().unwrap_or(text).expose();
            let fields = stored.payload.facets.history.metadata.as_ref().map(|json| said_by(json.expose()));
            let details = || {
                let details = stored.payload.details.iter().map(|detail| detail.content.expose());
                details.chain(fields.as_ref().map(Plaintext::expose))
            };
            // Reserved at once: a text that grows leaves copies of what it held.
            let bytes = text.len() + details().map(|detail| detail.len() + 1).sum::<usize>();
            let mut whole = Zeroizing::new(String::with_capacity(bytes));
            whole.push_str(text);
            for detail in details() {
                whole.push('\n');
                whole.push_str(detail);
            }
            Told { id: stored.id, whole, text_bytes: text.len(), has_clauses: record.is_none() }
        };
        Ok(self.all().map(tell).collect())
    }

    /// Finds memories that mention somebody, narrowed to those that match the rest of the wish where some do.
    fn named(&self, topic: &Topic, told: &[Told], reach: Reach) -> Vec<WishMatch> {
        let mut found = Vec::new();
        let mut search = topic.search();
        let bare = |name: &str| entity_key("", name);
        let keys: HashSet<String> = topic.names().iter().map(|name| bare(&name.written)).collect();
        let has_entity = |id: &MemoryId| {
            let stored = self.stored(id);
            let named = |entity: &Entity| keys.contains(&bare(&entity.name));
            stored.is_some_and(|stored| stored.payload.facets.entities.iter().any(named))
        };
        for Told { id, whole, .. } in told {
            let mention = || has_entity(id).then_some(Closeness::Direct);
            let Some(closeness) = search.mention(whole).or_else(mention) else { continue };
            if reach == Reach::Subject && !is_about(whole, topic) {
                continue;
            }
            let reason = if reach == Reach::Subject { Reason::Subject } else { Reason::Mention };
            // What else it says is read only where there is something to narrow by.
            let covered = if topic.has_terms() { search.fit(whole).covered } else { 0.0 };
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

    /// Finds memories that contain the words of a topic, and memories that are close to it in meaning.
    fn spoken(&self, topic: &Topic, subject: &str, told: &[Told]) -> Vec<WishMatch> {
        let mut search = topic.search();
        let fits: HashMap<MemoryId, Fit> =
            told.iter().map(|told| (told.id, search.fit(told.whole()))).collect();
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
        let mut search = topic.search();
        let mut said: BTreeSet<MemoryId> = BTreeSet::new();
        for told in &told {
            if topic.has_terms() && search.fit(told.whole()).literal >= 1.0 {
                said.insert(told.id);
            }
        }
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
            filter: Filter { states, records: true, ..Filter::default() },
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

/// A wish that is carried out on texts, its words read once.
pub(crate) struct Surgery {
    /// The topic of a wish that names one in words.
    topic: Option<Topic>,
    kept: Vec<Topic>,
}

impl Surgery {
    pub(crate) fn of(wish: &Wish) -> Self {
        let topic = match &wish.about {
            About::Subject(subject) | About::Loose(subject) => Some(Topic::of(subject)),
            _ => None,
        };
        Self { topic, kept: wish.keep.iter().map(|keep| Topic::of(keep)).collect() }
    }

    /// Returns true when a text says what shall stay.
    fn keeps(&self, text: &str) -> bool {
        self.kept.iter().any(|keep| keep.says(text))
    }

    /// Returns the rest of a text after the wish is carried out on it. Clauses that the wish keeps stay, if they can be
    /// cut loose.
    pub(crate) fn cut(&self, text: &str) -> Cut {
        // Whatever is not named by words goes as a whole, save what is kept.
        let Some(topic) = &self.topic else { return clause::cut(text, |part| !self.keeps(part)) };
        match clause::cut(text, |part| topic.says(part) && !self.keeps(part)) {
            // Where the rest does not part from it, what is kept is all that stays.
            Cut::Whole if self.keeps(text) => clause::cut(text, |part| !self.keeps(part)),
            cut => cut,
        }
    }
}

/// Finds memories that contain an identifier. Other words only rank them.
fn exact(topic: &Topic, told: &[Told]) -> Vec<WishMatch> {
    let mut search = topic.search();
    let fits = told.iter().map(|told| (told.id, search.fit_if_exact(told.whole())));
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

/// Makes direct what has evidence of what and of whom, and only offers what speaks of somebody else.
fn sharpen(ranked: &NearRanking, may_except: bool, found: &mut Vec<WishMatch>, offered: &mut Vec<WishMatch>) {
    let known: HashSet<MemoryId> = found.iter().map(|one| one.id).collect();
    found.retain_mut(|one| {
        if one.reason == Reason::Words && ranked.has_another_sense(&one.id, &known) {
            one.closeness = Closeness::Indirect;
        }
        let is_other = one.reason == Reason::Words && ranked.speaks_against(&one.id);
        let only_means = one.reason == Reason::Meaning;
        offered.extend((is_other || only_means).then(|| indirect(one.id, Reason::Meaning)));
        !is_other && !only_means
    });
    // A part of what the message names may have to stay.
    if may_except {
        return;
    }
    for (id, holds) in ranked.direct() {
        match found.iter_mut().find(|one| one.id == id) {
            Some(one) if one.reason == Reason::Subject => one.closeness = Closeness::Direct,
            Some(_) => {}
            None => found.push(direct(id, if holds { Reason::Attribute } else { Reason::Words })),
        }
    }
    offered.retain(|one| !found.iter().any(|found| found.id == one.id));
}

/// Notes what would be left of each match without the part that the wish names.
fn cut(wish: &Wish, told: &ToldById<'_>, found: &mut [WishMatch]) {
    let surgery = Surgery::of(wish);
    for found in found {
        if let Some(Cut::Part { left, .. }) = told.get(&found.id).map(|told| told.without(&surgery)) {
            found.leaves = Some(Zeroizing::new(left));
        }
    }
}

/// Makes a match indirect that speaks of the named one and of the owner together: it is the owner's as well. A part of it
/// may go for certain, unless something is to stay.
fn doubt_of_both(names: &[String], wish: &Wish, told: &ToldById<'_>, found: &mut [WishMatch]) {
    let is_of_both = |id: &MemoryId| {
        told.get(id).is_some_and(|told| names.iter().any(|name| is_of_both(name, told.whole())))
    };
    for one in found {
        if (one.leaves.is_none() || !wish.keep.is_empty()) && is_of_both(&one.id) {
            one.closeness = Closeness::Indirect;
        }
    }
}

/// Only offers what merely mentions somebody, where a request means what is about them.
fn only_about(topic: &Topic, told: &ToldById<'_>, found: &mut Vec<WishMatch>, offered: &mut Vec<WishMatch>) {
    let merely_mentions = |one: &WishMatch| {
        let text = told.get(&one.id).map_or("", |told| told.whole());
        topic.is_named() && topic.mention(text).is_some() && !is_about(text, topic)
    };
    found.retain(|one| {
        let mentions = merely_mentions(one);
        offered.extend(mentions.then(|| indirect(one.id, Reason::Mention)));
        !mentions
    });
}

/// The memories that are near enough to be offered, though nothing names them.
fn near_enough(ranked: &NearRanking, found: &[WishMatch], offered: &[WishMatch]) -> Vec<WishMatch> {
    let mut seen: BTreeSet<MemoryId> = found.iter().chain(offered).map(|found| found.id).collect();
    let reason = |near: &Near| match () {
        _ if near.belongs => Reason::Category,
        _ if near.evidence.holds => Reason::Attribute,
        _ => Reason::Meaning,
    };
    let near = ranked.offered().take(OFFERED_MAX).filter(|near| seen.insert(near.id));
    near.map(|near| indirect(near.id, reason(near))).collect()
}

/// The memories that have a short form of a full name. Where nobody else bears it, it is a mention, unless other words
/// narrow the name.
fn short_forms(
    names: &[String],
    is_narrowed: bool,
    texts: &ReadTexts<'_>,
    told: &[Told],
    found: &mut Vec<WishMatch>,
) -> Vec<WishMatch> {
    if names.is_empty() || found.is_empty() {
        return Vec::new();
    }
    let known: BTreeSet<MemoryId> = found.iter().map(|found| found.id).collect();
    // Whoever else bears a part of a name is named in one of these texts as well.
    let bearing: BTreeSet<usize> = names.iter().flat_map(|name| texts.with_a_part_of(name)).collect();
    let bearing: Vec<&Told> = bearing.into_iter().map(|at| &told[at]).collect();
    let full: HashSet<Vec<String>> = bearing.iter().flat_map(|told| full_names(told.whole())).collect();
    let mut offered = Vec::new();
    for told in bearing.into_iter().filter(|told| !known.contains(&told.id)) {
        if !is_narrowed && names.iter().any(|name| has_clear_short_form(name, told.whole(), &full)) {
            found.push(direct(told.id, Reason::ShortForm));
        } else if names.iter().any(|name| has_short_form(name, told.whole())) {
            offered.push(indirect(told.id, Reason::ShortForm));
        }
    }
    offered
}

/// The memories that a question names: the nearest, and those that bear the name of whom the best one speaks. None where a
/// match is direct.
fn nearest(
    matches: &[WishMatch],
    rest: &[MemoryId],
    ranked: &NearRanking,
    is_new: impl Fn(&MemoryId) -> bool,
) -> Vec<MemoryId> {
    if matches.iter().any(|found| found.closeness == Closeness::Direct) {
        return Vec::new();
    }
    let mut nearest: Vec<MemoryId> = rest.iter().copied().take(NEAREST_SHOWN).collect();
    let namesakes = ranked.namesakes.iter().copied();
    let same = namesakes.filter(|id| is_new(id) && !nearest.contains(id)).take(NEAREST_SHOWN);
    let same: Vec<MemoryId> = same.collect();
    nearest.extend(same);
    nearest
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
