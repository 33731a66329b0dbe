//! Reading from the working memory of a session.

use lacuna_types::Result;
use lacuna_types::*;

use crate::index::search::{QueryVector, Search};
use crate::permit::{Grant, Recall};
use crate::read::limits::within_tokens;
use crate::read::recall::{Query, Recalled, RecalledMemory};
use crate::vault::reads::{Read, note_read};
use crate::vault::service::Service;
use crate::vault::working::{Working, fresh_working, whole, working};

/// Returns the working memory of a session, the oldest first.
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
    let is_open = service.open_sessions.peek(scope.vault_id(), session, |_| ()).is_some();
    let found = is_open.then(|| {
        service.open_sessions.use_session(scope, session, now, |open| {
            (search_working(&open.working, &search), open.working.order.len())
        })
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
    service.open_sessions.each_working(scope.vault_id(), |_, working| {
        let stored = working.index.get(&id);
        let stored = stored.filter(|stored| stored.attributes.state == Lifecycle::Active);
        found = found.take().or_else(|| whole(&stored?));
    });
    found
}

fn search_working(working: &Working, search: &Search<'_>) -> Vec<RecalledMemory> {
    let found = working.index.search(search);
    let recalled = |hit: crate::index::search::Hit| {
        Some(RecalledMemory {
            memory: whole(&working.index.get(&hit.id)?)?,
            score: hit.score,
            similarity: hit.similarity,
            weak: hit.weak,
            explanation: hit.explanation,
            behind: None,
            shortened: false,
        })
    };
    found.hits.into_iter().filter_map(recalled).collect()
}
