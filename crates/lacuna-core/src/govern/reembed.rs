//! The models that give memories their vectors, and the background work that replaces a provisional vector by a
//! better one.

use std::collections::HashMap;
use std::time::Duration;

use lacuna_types::embed::Purpose;
use lacuna_types::{MemoryId, Result, Scope};

use crate::audit::{AuditAction, AuditEntry};
use crate::index::quant::QuantVec;
use crate::permit::{Grant, Recall};
use crate::transfer::recover::recover_again;
use crate::vault::commit::Act;
use crate::vault::frame::{Frame, VECTORS_MAX};
use crate::vault::models::Progress;
use crate::vault::rewrite::Rewritten;
use crate::vault::service::Service;
use crate::vault::sessions::repeats_its_turns;

/// Memories that one background commit re-embeds.
const REEMBED_BATCH: usize = 64;
/// Memories that one look at the vault picks for re-embedding.
const REEMBED_SCAN: usize = 4_096;

/// Vaults with memories that wait for their vector of the main model, as far as is known.
pub(crate) fn backlog_len(service: &Service) -> usize {
    service.backlog.len()
}

/// Number of memories in the vault that wait for their vector of the main model.
pub(crate) fn waiting(service: &Service, grant: &Grant<Recall>) -> Result<usize> {
    let target = service.models.main.model();
    let waiting = service.read(grant.scope(), |vault| vault.index.without_model(target).count())?;
    Ok(waiting.unwrap_or(0))
}

/// Takes the next vault of the backlog, finishes what a crash may have left in it, and gives every
/// memory its vector of the main model; `progress` hears how many have it anew, and may break off.
/// Answers with their number, or `None` when no vault came within `patience`. A vault that failed or was
/// broken off goes back into the backlog.
pub(crate) fn work_backlog(
    service: &Service,
    patience: Duration,
    progress: &mut Progress<'_>,
) -> Option<Result<usize>> {
    let scope = service.backlog.pop(patience)?;
    let worked = recover_again(service, &scope).and_then(|()| reembed_all(service, &scope, progress));
    if worked.is_err() {
        service.backlog.push(&scope);
    }
    Some(worked)
}

/// Gives every memory of a vault its vector of the main model. Answers with how many got one.
pub(crate) fn reembed_all(service: &Service, scope: &Scope, progress: &mut Progress<'_>) -> Result<usize> {
    let target = service.models.main.model();
    let mut total = 0;
    loop {
        // Many at a time, because looking for them passes over the whole vault.
        let waiting = service.read(scope, |vault| -> Vec<MemoryId> {
            vault.index.without_model(target).take(REEMBED_SCAN).collect()
        })?;
        let waiting = waiting.unwrap_or_default();
        let before = total;
        for ids in waiting.chunks(REEMBED_BATCH) {
            total += reembed(service, scope, ids)?;
            if progress(total).is_break() {
                service.backlog.push(scope);
                return Ok(total);
            }
        }
        // What could not be embedded now was erased meanwhile, or is damaged.
        if total == before {
            return Ok(total);
        }
    }
}

/// Gives some memories of a vault their vector of the main model. Answers with how many it gave.
pub(crate) fn reembed(service: &Service, scope: &Scope, ids: &[MemoryId]) -> Result<usize> {
    let Some(texts) = service.read(scope, |vault| -> Result<_> {
        let is_own =
            |id: &&MemoryId| vault.index.get(id).is_some_and(|held| !repeats_its_turns(held.payload));
        let own: Vec<MemoryId> = ids.iter().filter(is_own).copied().collect();
        let mut bodies = vault.bodies(&own, service.sources())?;
        let mut text = |id: &MemoryId| {
            let held = vault.index.get(id)?.payload;
            match bodies.remove(id) {
                // A vector of its gist alone would pass for one of its text: it waits until the text is back.
                Some(body) => body.ok(),
                None if repeats_its_turns(held) => Some(held.gist.duplicate()),
                None => Some(held.full_text().duplicate()),
            }
        };
        Ok(ids.iter().filter_map(|id| Some((*id, text(id)?))).collect::<HashMap<_, _>>())
    })?
    else {
        return Ok(0);
    };
    let texts = texts?;
    if texts.is_empty() {
        return Ok(0);
    }
    let (ids, contents): (Vec<MemoryId>, Vec<&str>) =
        texts.iter().map(|(id, text)| (*id, text.expose())).unzip();
    let vectors = service.models.main.embed(&contents, Purpose::Passage)?;
    let vectors = ids
        .iter()
        .zip(vectors)
        .map(|(id, vector)| Ok((*id, QuantVec::from_f32(&vector)?)))
        .collect::<Result<_>>()?;
    replace_vectors(service, scope, &ids, vectors)
}

fn replace_vectors(
    service: &Service,
    scope: &Scope,
    ids: &[MemoryId],
    mut vectors: HashMap<MemoryId, QuantVec>,
) -> Result<usize> {
    let reader = service.reader(scope);
    let writer = reader.lock();
    let renewed = writer.rewrite(ids, |row, frame| {
        let vector = vectors.remove(&row.id);
        vector.inspect(|vector| put_vector(service, frame, vector)).is_some()
    })?;
    if renewed.is_empty() {
        return Ok(0);
    }
    let subjects = renewed.iter().map(|renewed| renewed.row.id.into()).collect();
    let entry = AuditEntry::new(AuditAction::MemoryReembed, "system", subjects);
    let mut act = Act::new(scope, service.clock.now(), entry);
    act.batch.puts = renewed.iter().map(|renewed| renewed.row.clone()).collect();
    let count = renewed.len();
    writer.commit(&act, |open| {
        for Rewritten { row, frame } in renewed {
            open.put(&row, frame);
        }
    })?;
    Ok(count)
}

/// The main model's vector in place of the others; the instant one stays if it must.
fn put_vector(service: &Service, frame: &mut Frame, vector: &QuantVec) {
    let main = service.models.main.model();
    let instant = service.models.instant.model();
    frame.vectors.retain(|(model, _)| service.models.keep_instant && model == instant && model != main);
    frame.vectors.truncate(VECTORS_MAX - 1);
    frame.vectors.push((main.clone(), vector.to_bytes()));
}
