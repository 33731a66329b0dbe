//! Working memory: what a session needs to have at hand and nothing keeps. It lives in RAM, is found only by who
//! names the session, and is gone with its end, after idle time, and by forgetting.

use std::collections::VecDeque;

use jiff::{SignedDuration, Timestamp};

use super::{WORKING_BYTES_MAX, WORKING_ITEMS_MAX};
use crate::admit::Admitted;
use crate::audit::Read;
use crate::audit::reads::note_read;
use crate::forget::find::surgery;
use crate::forget::{About, Choice, Wish};
use crate::freeze::check_thawed;
use crate::index::{Attributes, Entry, Index, QuantVec, QueryVector, Search, Session, Stored, Tag, TermList};
use crate::permit::{Forget, Grant, Recall, Remember};
use crate::place::answer;
use crate::place::indexed_text;
use crate::recall::limits::within_tokens;
use crate::recall::{Query, Recalled, RecalledMemory};
use crate::remember::Remembered;
use crate::service::Service;
use crate::vault::{Held, shown};
use lacuna_language::clause::Cut;
use lacuna_language::topic::Topic;
use lacuna_types::*;
use lacuna_types::{Error, Result};

/// The working memory of one session. What leaves it is zeroed.
#[derive(Default)]
pub(super) struct Working {
    index: Index<Held>,
    /// What it holds, the oldest first, with the bytes of its text.
    order: VecDeque<(MemoryId, usize)>,
    bytes: usize,
}

impl Working {
    pub(super) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    fn put(&mut self, entry: Entry<Held>) -> Result<()> {
        let (id, bytes) = (entry.id, entry.payload.full_text().len());
        if bytes > WORKING_BYTES_MAX {
            let reason = format!("working memory takes texts of at most {WORKING_BYTES_MAX} bytes");
            return Err(Error::invalid("text", reason));
        }
        while self.order.len() >= WORKING_ITEMS_MAX || self.bytes + bytes > WORKING_BYTES_MAX {
            let Some((oldest, _)) = self.order.front().copied() else { break };
            self.drop_one(oldest);
        }
        self.index.insert(entry)?;
        self.order.push_back((id, bytes));
        self.bytes += bytes;
        Ok(())
    }

    fn drop_one(&mut self, id: MemoryId) -> bool {
        let Some(at) = self.order.iter().position(|(held, _)| *held == id) else { return false };
        self.bytes -= self.order.remove(at).map_or(0, |(_, bytes)| bytes);
        self.index.remove(&id)
    }

    fn meant(&self, session: &SessionId, wish: &Wish) -> Vec<MemoryId> {
        let held = self.order.iter().filter_map(|(id, _)| self.index.get(id));
        held.filter(|stored| is_meant(session, stored, wish)).map(|stored| stored.id).collect()
    }

    fn search(&self, search: &Search<'_>) -> Vec<RecalledMemory> {
        let found = self.index.search(search);
        let recalled = |hit: crate::index::Hit| {
            Some(RecalledMemory {
                memory: whole(&self.index.get(&hit.id)?)?,
                score: hit.score,
                similarity: hit.similarity,
                explanation: hit.explanation,
                shortened: false,
            })
        };
        found.hits.into_iter().filter_map(recalled).collect()
    }
}

/// Takes what the gate let in into the working memory of its session. It is stored nowhere.
pub(crate) fn hold(
    service: &Service,
    grant: &Grant<Remember>,
    admitted: Vec<(usize, Admitted, QuantVec)>,
    now: Timestamp,
) -> Result<Vec<(usize, Remembered)>> {
    if admitted.is_empty() {
        return Ok(Vec::new());
    }
    check_thawed(service, grant.scope())?;
    admitted
        .into_iter()
        .map(|(number, admitted, vector)| Ok((number, hold_one(service, grant, admitted, vector, now)?)))
        .collect()
}

fn hold_one(
    service: &Service,
    grant: &Grant<Remember>,
    mut admitted: Admitted,
    vector: QuantVec,
    now: Timestamp,
) -> Result<Remembered> {
    let scope = grant.scope();
    let session = admitted.facets.source.session.clone();
    let session = session.ok_or(Error::invalid("tier", "working memory lives in a session"))?;
    if scope.holder.is_shared() {
        admitted.facets.history.author = Some(grant.caller().user.clone());
    }
    let id = MemoryId::make(&*service.clock, &*service.entropy);
    let answer = answer(service, id, &admitted.facets, &admitted, admitted.state);
    let model = service.models.instant.model().clone();
    let entry = Entry { vectors: vec![(model, vector)], ..entry(id, admitted, now) };
    fresh_working(service, scope);
    service.desk.use_session(scope, &session, now, |open| open.working.put(entry))??;
    Ok(answer)
}

/// What the working memory of a session holds, the oldest first.
pub(crate) fn at_hand(service: &Service, grant: &Grant<Recall>, session: &SessionId) -> Result<Vec<Memory>> {
    let held = working(service, grant.scope(), session);
    note_working(service, grant, "at_hand", held.iter().map(|memory| memory.id).collect())?;
    Ok(held)
}

/// Notes who saw what is in working memory. A vault that was never written to has no chain to note it in.
pub(crate) fn note_working(
    service: &Service,
    grant: &Grant<Recall>,
    by: &'static str,
    seen: Vec<MemoryId>,
) -> Result<()> {
    match service.store.revision(grant.scope().vault_id())? {
        Revision::ZERO => Ok(()),
        _ => note_read(service, &Read::of(grant, by, seen)),
    }
}

/// As [`at_hand`], for whoever notes the read.
pub(crate) fn working(service: &Service, scope: &Scope, session: &SessionId) -> Vec<Memory> {
    fresh_working(service, scope);
    let held = service.desk.peek(scope.vault_id(), session, |open| {
        let held = open.working.order.iter().filter_map(|(id, _)| open.working.index.get(id));
        held.filter(|stored| stored.attributes.state == Lifecycle::Active)
            .filter_map(|stored| whole(&stored))
            .collect()
    });
    held.unwrap_or_default()
}

/// Adds what the session's working memory has to a recall, by the same scores.
pub(crate) fn add_working(
    service: &Service,
    scope: &Scope,
    query: &Query,
    search: &Search<'_>,
    recalled: &mut Recalled,
) {
    let Some(session) = &query.session else { return };
    fresh_working(service, scope);
    let instant = service.models.instant.model();
    let own: Vec<QueryVector> = match search.vectors.iter().any(|vector| vector.model == *instant) {
        true => search.vectors.to_vec(),
        false => service.models.embed_query(&query.text, std::slice::from_ref(instant)),
    };
    let search =
        Search { vectors: &own, filter: search.filter.clone(), tags: search.tags.clone(), ..*search };
    let now = service.clock.now();
    let is_open = service.desk.peek(scope.vault_id(), session, |_| ()).is_some();
    let found = is_open.then(|| {
        service
            .desk
            .use_session(scope, session, now, |open| (open.working.search(&search), open.working.order.len()))
    });
    let Some(Ok((hits, searched))) = found else { return };
    recalled.total_searched += searched;
    recalled.hits.extend(hits);
    recalled.hits.sort_by(|one, other| other.score.total_cmp(&one.score));
    recalled.hits.truncate(query.limit);
    within_tokens(service, &mut recalled.hits, query.max_tokens);
    recalled.hint = recalled.hint.filter(|_| recalled.hits.is_empty());
}

pub(crate) fn get_working(service: &Service, scope: &Scope, id: MemoryId) -> Option<Memory> {
    fresh_working(service, scope);
    let mut found = None;
    service.desk.each_working(scope.vault_id(), |_, working| {
        let stored = working.index.get(&id);
        let stored = stored.filter(|stored| stored.attributes.state == Lifecycle::Active);
        found = found.take().or_else(|| whole(&stored?));
    });
    found
}

/// How many memories in working memory a wish to forget means.
pub(crate) fn working_meant(service: &Service, scope: &Scope, wish: &Wish) -> usize {
    let mut count = 0;
    service.desk.each_working(scope.vault_id(), |session, working| {
        count += working.meant(session, wish).len();
    });
    count
}

/// Drops from working memory what a wish means. It is not kept for a chosen part of a plan: a scrap too many
/// is nothing lost.
pub(crate) fn forget_working(service: &Service, scope: &Scope, wish: &Wish, choice: &Choice) {
    if matches!(choice, Choice::Only(_)) {
        return;
    }
    service.desk.each_working(scope.vault_id(), |session, working| {
        for id in working.meant(session, wish) {
            working.drop_one(id);
        }
    });
}

/// Drops one memory from working memory, if it is there.
pub(crate) fn drop_working(service: &Service, grant: &Grant<Forget>, id: MemoryId) -> Result<bool> {
    let mut dropped = Ok(false);
    service.desk.each_working(grant.scope().vault_id(), |_, working| {
        let Some(stored) = working.index.get(&id) else { return };
        match grant.covers(stored.payload.facets.history.author.as_ref()) {
            true => dropped = Ok(working.drop_one(id)),
            false => dropped = Err(Error::Denied("only its author or an administrator may erase it")),
        }
    });
    dropped
}

/// The moment since when a session that nobody used has rested too long.
pub(crate) fn resting_since(service: &Service, org: &OrgId) -> Timestamp {
    service.clock.now() - SignedDuration::from_hours(service.policy(org).session_idle_hours)
}

/// Working memory that has rested too long is gone, whether or not anybody has come by to drop it.
fn fresh_working(service: &Service, scope: &Scope) {
    let limit = resting_since(service, &scope.org);
    let vault = scope.vault_id();
    for (session, _, used_at) in service.desk.sessions(vault) {
        if used_at < limit {
            service.desk.clear_working(vault, &session);
        }
    }
}

/// What an admitted memory puts into the working memory; its vector is added by the caller.
fn entry(id: MemoryId, admitted: Admitted, now: Timestamp) -> Entry<Held> {
    let terms = TermList::of(&indexed_text(&admitted.content), None);
    let Admitted { content, facets, created_at, state, .. } = admitted;
    let attributes = Attributes {
        created_at: millis(created_at),
        expires_at: facets.retention.expires_at.map(millis),
        // Its order among the turns means nothing here.
        session: facets.source.session.as_ref().map(|session| Session::new(session, None)),
        fading: facets.vitality.fading(),
        state,
        category: facets.category,
        tier: facets.tier,
        lane: facets.lane,
        secondary_lanes: facets.secondary_lanes.iter().copied().collect(),
    };
    let tags = facets.tags.iter().map(|tag| Tag::of(tag)).collect();
    let payload = Held {
        gist: content.gist,
        details: content.details,
        facets,
        updated_at: now,
        text: content.text,
        has_body: false,
        text_mark: 0,
        sketch: Box::default(),
    };
    Entry { id, attributes, tags, terms, vectors: Vec::new(), payload }
}

fn whole(stored: &Stored<'_, Held>) -> Option<Memory> {
    let mut memory = shown(stored)?;
    memory.content.text.clone_from(&stored.payload.text);
    Some(memory)
}

/// Whether a wish to forget means what is held. In doubt it does: nothing here was to be kept.
fn is_meant(session: &SessionId, stored: &Stored<'_, Held>, wish: &Wish) -> bool {
    let facets = &stored.payload.facets;
    let text = stored.payload.full_text();
    let at = from_millis(stored.attributes.created_at);
    if wish.when.is_some_and(|span| at.is_none_or(|at| !span.contains(at))) {
        return false;
    }
    if !wish.keep.is_empty() && matches!(surgery(wish, text), Cut::Nothing) {
        return false;
    }
    match &wish.about {
        About::Ids(ids) => ids.contains(&stored.id),
        About::Subject(subject) => says(&Topic::of(subject), text) || names(facets, subject),
        About::Query(query) => says(&Topic::as_words(query), text),
        About::Session(named) => named == session,
        About::Tags(tags) => tags.iter().any(|tag| stored.tags.contains(&Tag::of(tag))),
        About::Sensitivity(category) => facets.privacy.sensitivity.contains(category),
        About::Tier(tier) => *tier == Tier::Working,
        About::Source(source) => facets.source.kind == *source,
        About::Conversation | About::LastSaid | About::Everything => true,
    }
}

fn says(topic: &Topic, text: &str) -> bool {
    let fit = topic.fit(text);
    fit.exact || fit.named.is_some() || fit.literal > 0.0 || fit.covered >= 1.0
}

fn names(facets: &Facets, subject: &str) -> bool {
    let topic = Topic::of(subject);
    facets.entities.iter().any(|entity| topic.mention(&entity.name).is_some())
}
