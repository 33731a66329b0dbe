//! Recall: find by meaning and words, then show; and get or list without searching.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use lacuna_types::embed::ModelId;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::gate::shape::{at_most, score};
use crate::index::filter::Filter;
use crate::index::search::{Explanation, Search};
use crate::index::{Stored, Tag};
use crate::permit::{Grant, Recall};
use crate::read::behind::search_behind;
use crate::read::condition::{Condition, meeting, meets};
use crate::read::intent::{Understood, understand};
use crate::read::limits::{
    EPISODIC_RESULTS_DEFAULT, RECALL_TOKENS_DEFAULT, SEMANTIC_RESULTS_DEFAULT, TierLimits, check_tokens,
    within_tiers, within_tokens,
};
use crate::read::working::{add_working, get_working, note_working};
use crate::vault::handle::VaultReader;
use crate::vault::open::{FetchedMemory, Held, OpenVault, shown};
use crate::vault::purpose::closed_to;
use crate::vault::reads::{Read, note_read};
use crate::vault::rehearse::{ALL_DETAILS, note_reading, note_rehearsal};
use crate::vault::service::Service;
use crate::vault::stamp::{term_of, terms_in};

/// Results of one recall, by default.
pub(crate) const RECALL_RESULTS_DEFAULT: usize = EPISODIC_RESULTS_DEFAULT + SEMANTIC_RESULTS_DEFAULT;
/// Results of one recall, at most.
pub const RECALL_RESULTS_MAX: usize = 100;
/// The weight of recency, unless the caller names one.
pub const RECENCY_WEIGHT_DEFAULT: f32 = 0.3;
/// Characters of a query.
pub(crate) const QUERY_CHARS_MAX: usize = 4_000;
/// Memories on one page of a list, by default.
pub const LIST_PAGE_DEFAULT: usize = 50;
/// Memories on one page of a list, at most.
pub const LIST_PAGE_MAX: usize = 500;
/// Bytes of the texts on one page of a list with full texts.
pub const LIST_BYTES_MAX: usize = 8 << 20;
/// Full texts that are fetched at a time: each may be as long as a transcript.
const FETCHED_AT_ONCE: usize = 16;

/// A question to a vault.
pub struct Query {
    /// The words of the question.
    pub text: String,
    /// The number of results, at most.
    pub limit: usize,
    /// The number of memories of each tier; `None` where `limit` alone decides.
    pub tiers: Option<TierLimits>,
    /// Tokens of all texts together.
    pub max_tokens: usize,
    /// Conditions on the memories that may be found.
    pub filter: Filter,
    /// Tags that raise a memory which bears them; to require tags, use the filter.
    pub tags: Vec<String>,
    /// The moment from which "yesterday" and the like in the question count; now, when absent.
    pub as_of: Option<Timestamp>,
    /// Calibrated: 0.7 means the same under every model.
    pub min_similarity: f32,
    /// Leaves out weak hits; without it the best are always shown, however weak.
    pub strong_only: bool,
    /// From 0, where age does not matter, to 1.
    pub recency_weight: f32,
    /// Adds an explanation to each result.
    pub explain: bool,
    /// Counts the found memories as recalled, so that they fade later.
    pub rehearse: bool,
    /// Lets the words of the question narrow the lanes, unless the filter names some; as the policy says when absent.
    pub intent: Option<bool>,
    /// The session under way, whose working memory takes part.
    pub session: Option<SessionId>,
    /// A condition on the fields that programs gave to memories. `created_at`, `updated_at` and `expires_at` name those
    /// of the memory, unless the fields have such a name.
    pub condition: Option<Condition>,
}

impl Query {
    /// Makes a query with the defaults.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            limit: RECALL_RESULTS_DEFAULT,
            tiers: Some(TierLimits::default()),
            max_tokens: RECALL_TOKENS_DEFAULT,
            filter: Filter::default(),
            tags: Vec::new(),
            as_of: None,
            min_similarity: 0.0,
            strong_only: false,
            recency_weight: RECENCY_WEIGHT_DEFAULT,
            explain: false,
            rehearse: false,
            intent: None,
            session: None,
            condition: None,
        }
    }
}

/// The answer to a query.
pub struct Recalled {
    /// The memories that were found, best first.
    pub hits: Vec<RecalledMemory>,
    /// The number of memories that were searched.
    pub total_searched: usize,
    /// The models whose vectors took part; empty when only words did.
    pub models: Vec<ModelId>,
    /// Memories that could not be searched because their bytes or keys are damaged.
    pub damaged: usize,
    /// The number of memories that were found and did not fit into the tokens.
    pub left_out: usize,
    /// The time that the answer took.
    pub took: Duration,
    /// A suggestion for the caller when nothing was found.
    pub hint: Option<&'static str>,
    /// The interpretation of the question's words, if the query asked for one.
    pub understood: Option<Understood>,
}

/// A memory that a query found.
pub struct RecalledMemory {
    /// The memory itself.
    pub memory: Memory,
    /// The rank, from 0 to 1, comparable within one answer.
    pub score: f32,
    /// The similarity, from 0 to 1, comparable across questions and models.
    pub similarity: f32,
    /// True when it is no closer to the question than some unrelated texts are.
    pub weak: bool,
    /// The active summary that an archived turn stands behind.
    pub behind: Option<MemoryId>,
    /// True when the gist replaces a text that did not fit, or that is damaged.
    pub shortened: bool,
    /// The parts of the score, when the query asked for them.
    pub explanation: Option<Explanation>,
}

impl RecalledMemory {
    /// The memory that a rehearsal keeps: for an archived turn its summary.
    fn kept_by(&self) -> MemoryId {
        self.behind.unwrap_or(self.memory.id)
    }
}

/// One page of a list, newest first.
pub struct Page {
    /// The memories on the page.
    pub memories: Vec<Memory>,
    /// The start of the next page; `None` on the last one.
    pub next: Option<Cursor>,
}

/// One page of a list with full texts, newest first.
pub struct WholePage {
    /// The memories on the page.
    pub memories: Vec<WholeMemory>,
    /// The start of the next page; `None` on the last one.
    pub next: Option<Cursor>,
}

/// A memory with its full text.
pub struct WholeMemory {
    /// The memory itself.
    pub memory: Memory,
    /// True when the gist replaces a text that is damaged.
    pub shortened: bool,
}

/// A place in a list: the last memory that was shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cursor {
    /// The time at which that memory was created.
    pub created_at: Timestamp,
    /// The id of that memory.
    pub id: MemoryId,
}

pub(crate) fn recall(service: &Service, grant: &Grant<Recall>, query: &Query) -> Result<Recalled> {
    let started = Instant::now();
    check(query)?;
    let scope = grant.scope();
    let reader = service.reader(scope);
    let models = models_in(&reader)?;
    let by_words = query.intent.unwrap_or(service.policy(&scope.org).context.intent);
    let mut understood = by_words.then(|| understand(service, grant.caller(), &query.text));
    let mut filter = query.filter.clone();
    closed_to(service, grant)?.narrow(&mut filter);
    if let Some(understood) = understood.as_mut().filter(|_| filter.lanes.is_empty()) {
        filter.lanes.extend(understood.narrow());
    }
    if let Some(condition) = &query.condition {
        let meeting = service.serve(scope, |vault| meeting(vault, condition))?;
        filter.ids = Some(Arc::new(meeting.unwrap_or_default()));
    }
    let lanes = filter.lanes.clone();
    let vectors = service.models.embed_query(&query.text, &models);
    let search = Search {
        text: &query.text,
        vectors: &vectors,
        filter,
        tags: query.tags.iter().map(|tag| Tag::of(tag)).collect(),
        now: millis(service.clock.now()),
        as_of: millis(query.as_of.unwrap_or_else(|| service.clock.now())),
        limit: query.search_limit(),
        min_similarity: query.min_similarity,
        strong_only: query.strong_only,
        recency_weight: query.recency_weight,
        explain: query.explain,
    };
    let answer = reader.read(|vault| {
        let mark = vault.keyring.query_mark(&query.text);
        find(service, vault, query, &search).map(|recalled| (recalled, mark))
    })?;
    let Some((mut recalled, mark)) = answer.transpose()? else {
        let mut recalled = nothing_stored();
        add_working(service, scope, query, &search, &mut recalled);
        return Ok(Recalled { took: started.elapsed(), understood, ..recalled });
    };
    add_working(service, scope, query, &search, &mut recalled);
    let seen = recalled.hits.iter().map(|hit| hit.memory.id).collect();
    note_read(service, &Read { lanes: &lanes, query: Some(mark), ..Read::of(grant, "recall", seen) })?;
    if query.rehearse {
        note_rehearsal(service, grant, recalled.hits.iter().map(|hit| (hit.kept_by(), ALL_DETAILS)));
    } else {
        note_reading(service, grant, recalled.hits.iter().map(|hit| &hit.memory));
    }
    understood.iter_mut().for_each(|understood| understood.broaden(grant, recalled.hits.is_empty()));
    Ok(Recalled { took: started.elapsed(), understood, ..recalled })
}

/// The models that a vault has vectors of, now that it is about to be searched.
///
/// An open vault names its models without a look at the store: the search itself takes that look, and
/// a model that came or went meanwhile only changes what it can compare.
pub(crate) fn models_in(reader: &VaultReader<'_>) -> Result<Vec<ModelId>> {
    match reader.peek(|vault| (vault.index.models(), vault.approved.is_empty())) {
        Some((models, true)) => Ok(models),
        _ => Ok(reader.service.serve(reader.scope(), |vault| vault.index.models())?.unwrap_or_default()),
    }
}

fn find(service: &Service, vault: &OpenVault, query: &Query, search: &Search<'_>) -> Result<Recalled> {
    let found = search_behind(vault, search);
    let best = within_tiers(vault, found.hits, query);
    let ids: Vec<MemoryId> = best.iter().map(|hit| hit.id).collect();
    let memories = vault.fetched(&ids, service.sources())?;
    // A memory is large: it is moved once, into room that is there.
    let mut hits = Vec::with_capacity(best.len());
    hits.extend(best.into_iter().zip(memories).filter_map(|(hit, fetched)| {
        let FetchedMemory { memory, trouble } = fetched?;
        Some(RecalledMemory {
            behind: vault.summary_of(memory.id),
            memory,
            score: hit.score,
            similarity: hit.similarity,
            weak: hit.weak,
            shortened: trouble.is_some(),
            explanation: hit.explanation,
        })
    }));
    let left_out = within_tokens(service, &mut hits, query.max_tokens);
    let hint = hits.is_empty().then(|| how_to_widen(query, !search.filter.lanes.is_empty(), left_out));
    Ok(Recalled {
        hits,
        total_searched: found.searched,
        models: found.models,
        damaged: vault.damaged.len(),
        left_out,
        took: Duration::ZERO,
        hint,
        understood: None,
    })
}

/// Names the bound that most likely left out everything.
fn how_to_widen(query: &Query, by_words: bool, left_out: usize) -> &'static str {
    if left_out > 0 {
        "nothing fits into so few tokens: allow more"
    } else if query.strong_only {
        "nothing is a strong match: ask for weak ones too"
    } else if query.min_similarity > 0.0 {
        "nothing is that similar: lower the minimum similarity"
    } else if !query.filter.is_default() || by_words {
        "nothing passed the filters: widen them, or leave them out"
    } else {
        "nothing here is active: archived memories are shown on request"
    }
}

/// One memory with its full text. Missing, foreign and erased look the same.
pub(crate) fn get(service: &Service, grant: &Grant<Recall>, id: MemoryId) -> Result<Memory> {
    let scope = grant.scope();
    if let Some(memory) = get_working(service, scope, id) {
        note_working(service, grant, "get", vec![id])?;
        return Ok(memory);
    }
    let closed = closed_to(service, grant)?;
    let found = service.serve(scope, |vault| {
        let id = vault.named(id).unwrap_or(id);
        if vault.damaged.contains(&id) {
            return Err(Error::corrupt(format!("{id} or its key cannot be opened; run lacuna doctor")));
        }
        // Before its text is fetched: of an erasure under way, some of it may be gone. What is closed to the caller
        // looks like what is not there.
        let is_open = |stored: &Stored<'_, Held>| {
            is_shown(stored.attributes.state) && !closed.hides(&stored.payload.facets)
        };
        if !vault.index.get(&id).is_some_and(|stored| is_open(&stored)) {
            return Err(Error::NotFound("memory"));
        }
        vault.whole(&[id], service.sources())?.pop().flatten().ok_or(Error::NotFound("memory"))
    })?;
    let mut memory = found.unwrap_or(Err(Error::NotFound("memory")))?;
    say_why(service, scope, std::slice::from_mut(&mut memory))?;
    note_read(service, &Read::of(grant, "get", vec![memory.id]))?;
    note_reading(service, grant, [&memory]);
    Ok(memory)
}

/// Tells of memories that expire why they do.
fn say_why(service: &Service, scope: &Scope, memories: &mut [Memory]) -> Result<()> {
    if memories.iter().all(|memory| memory.facets.retention.expires_at.is_none()) {
        return Ok(());
    }
    service.reader(scope).update(|open| {
        terms_in(service, open, scope, |open, terms| {
            for memory in memories.iter_mut().filter(|one| one.facets.retention.expires_at.is_some()) {
                let stored = open.index.get(&memory.id);
                memory.kept_because =
                    stored.map(|stored| term_of(terms, &stored).because(&stored.payload.facets));
            }
            Ok(())
        })
    })?;
    Ok(())
}

/// Memories newest first, without their full texts.
pub(crate) fn list(
    service: &Service,
    grant: &Grant<Recall>,
    filter: &Filter,
    after: Option<Cursor>,
    limit: usize,
) -> Result<Page> {
    newest_first(service, grant, "list", (filter, |_: &Stored<'_, Held>| true), after, limit)
}

/// Memories newest first that meet a condition on their fields, without their full texts.
pub(crate) fn list_meeting(
    service: &Service,
    grant: &Grant<Recall>,
    (filter, condition): (&Filter, Option<&Condition>),
    after: Option<Cursor>,
    limit: usize,
) -> Result<Page> {
    let admits = |stored: &Stored<'_, Held>| condition.is_none_or(|condition| meets(stored, condition));
    newest_first(service, grant, "list", (filter, admits), after, limit)
}

/// The same page with the full texts, as many as fit on it; the rest begins the next one.
pub(crate) fn list_whole(
    service: &Service,
    grant: &Grant<Recall>,
    filter: (&Filter, Option<&Condition>),
    after: Option<Cursor>,
    limit: usize,
) -> Result<WholePage> {
    let page = list_meeting(service, grant, filter, after, limit)?;
    let ids: Vec<MemoryId> = page.memories.iter().map(|memory| memory.id).collect();
    let whole = service.serve(grant.scope(), |vault| within_page(service, vault, &ids))?;
    let memories = whole.unwrap_or(Ok(Vec::new()))?;
    let last = memories.last().map(|one| &one.memory);
    let is_all = last.map(|memory| memory.id) == ids.last().copied();
    let here = last.map(|memory| Cursor { created_at: memory.created_at, id: memory.id });
    Ok(WholePage { next: if is_all { page.next } else { here }, memories })
}

fn within_page(service: &Service, vault: &OpenVault, ids: &[MemoryId]) -> Result<Vec<WholeMemory>> {
    let (mut page, mut bytes) = (Vec::with_capacity(ids.len()), 0);
    for ids in ids.chunks(FETCHED_AT_ONCE) {
        for FetchedMemory { memory, trouble } in vault.fetched(ids, service.sources())?.into_iter().flatten()
        {
            bytes += memory.content.full_text().expose().len();
            if bytes > LIST_BYTES_MAX && !page.is_empty() {
                return Ok(page);
            }
            page.push(WholeMemory { memory, shortened: trouble.is_some() });
        }
    }
    Ok(page)
}

/// A page of memories that pass a filter and a test of their own, without what is closed to the reader. The read is
/// recorded as one `by` this name.
pub(super) fn newest_first(
    service: &Service,
    grant: &Grant<Recall>,
    by: &'static str,
    (filter, admits): (&Filter, impl Fn(&Stored<'_, Held>) -> bool),
    after: Option<Cursor>,
    limit: usize,
) -> Result<Page> {
    if limit == 0 || limit > LIST_PAGE_MAX {
        return Err(Error::invalid("limit", format!("must be from 1 to {LIST_PAGE_MAX}")));
    }
    let now = millis(service.clock.now());
    let mut open = filter.clone();
    closed_to(service, grant)?.narrow(&mut open);
    let page = service.serve(grant.scope(), |vault| {
        let after = after.map(|cursor| (millis(cursor.created_at), cursor.id));
        let admitted = |stored: &Stored<'_, Held>| stored.passes(&open, now) && admits(stored);
        let mut matching = vault.index.before(after).filter(admitted);
        let memories: Vec<_> = matching.by_ref().take(limit).filter_map(|stored| shown(&stored)).collect();
        let last = memories.last().map(|memory| Cursor { created_at: memory.created_at, id: memory.id });
        Page { next: last.filter(|_| matching.next().is_some()), memories }
    })?;
    let mut page = page.unwrap_or(Page { memories: Vec::new(), next: None });
    say_why(service, grant.scope(), &mut page.memories)?;
    let seen = page.memories.iter().map(|memory| memory.id).collect();
    note_read(service, &Read { lanes: &filter.lanes, ..Read::of(grant, by, seen) })?;
    Ok(page)
}

/// Counts the memories in the vault, and those of them that cannot be opened.
pub(crate) fn count(service: &Service, grant: &Grant<Recall>) -> Result<(usize, usize)> {
    let counts = service.serve(grant.scope(), |vault| (vault.index.len(), vault.damaged.len()))?;
    Ok(counts.unwrap_or_default())
}

fn is_shown(state: Lifecycle) -> bool {
    matches!(state, Lifecycle::Active | Lifecycle::Archived)
}

fn check(query: &Query) -> Result<()> {
    if query.text.trim().is_empty() {
        return Err(Error::invalid("query", "must not be empty"));
    }
    if query.text.contains('\0') {
        return Err(Error::invalid("query", "must not hold NUL"));
    }
    if query.text.chars().count() > QUERY_CHARS_MAX {
        return Err(Error::invalid("query", format!("must be at most {QUERY_CHARS_MAX} characters")));
    }
    if query.limit == 0 || query.limit > RECALL_RESULTS_MAX {
        return Err(Error::invalid("max_results", format!("must be from 1 to {RECALL_RESULTS_MAX}")));
    }
    check_tokens(query.max_tokens)?;
    at_most("tags", query.tags.len(), TAGS_MAX)?;
    score("min_similarity", query.min_similarity, 0.0)?;
    score("recency_weight", query.recency_weight, 0.0)?;
    Ok(())
}

fn nothing_stored() -> Recalled {
    Recalled {
        hits: Vec::new(),
        total_searched: 0,
        models: Vec::new(),
        damaged: 0,
        left_out: 0,
        took: Duration::ZERO,
        hint: Some("nothing is remembered yet"),
        understood: None,
    }
}
