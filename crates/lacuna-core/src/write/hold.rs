//! Admitted drafts that go to working memory instead of the store.

use jiff::Timestamp;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::gate::Admitted;
use crate::index::Entry;
use crate::index::quant::QuantVec;
use crate::permit::{Grant, Remember};
use crate::vault::frozen::check_thawed;
use crate::vault::service::Service;
use crate::vault::working::{entry, fresh_working};
use crate::write::outcome::Remembered;
use crate::write::place::answer;

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
    service.open_sessions.use_session(scope, &session, now, |open| open.working.put(entry))??;
    Ok(answer)
}
