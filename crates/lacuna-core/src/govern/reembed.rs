//! The models that give memories their vectors, and the background work that replaces a provisional vector by a
//! better one.

use std::collections::HashMap;
use std::time::Duration;

use lacuna_types::embed::{ModelId, Purpose};
use lacuna_types::{MemoryId, Plaintext, Result, Scope};

use crate::audit::{AuditAction, AuditEntry};
use crate::index::quant::QuantVec;
use crate::permit::{Grant, Recall};
use crate::transfer::recover::recover_again;
use crate::vault::commit::Act;
use crate::vault::frame::Frame;
use crate::vault::models::Progress;
use crate::vault::open::OpenVault;
use crate::vault::purpose::stays_local;
use crate::vault::record::embedded_text;
use crate::vault::rewrite::Rewritten;
use crate::vault::secrets::is_locked;
use crate::vault::service::Service;
use crate::vault::sessions::repeats_its_turns;

/// Memories that one background commit re-embeds.
const REEMBED_BATCH: usize = 64;
/// Memories that one look at the vault picks for re-embedding.
const REEMBED_SCAN: usize = 4_096;

/// Vaults with memories that wait for a vector, as far as is known.
pub(crate) fn backlog_len(service: &Service) -> usize {
    service.backlog.len()
}

/// Number of memories in the vault that wait for a vector.
pub(crate) fn waiting(service: &Service, grant: &Grant<Recall>) -> Result<usize> {
    let waiting = service.read(grant.scope(), |vault| lacking(service, vault).count())?;
    Ok(waiting.unwrap_or(0))
}

/// The memories that have no vector of a model in use that may have their texts.
fn lacking<'a>(service: &'a Service, vault: &'a OpenVault) -> impl Iterator<Item = MemoryId> + 'a {
    let models = |local: bool| {
        let in_use = service.models.in_use().filter(move |embedder| !(local && embedder.is_remote()));
        in_use.map(|embedder| embedder.model()).collect::<Vec<_>>()
    };
    let (all, local) = (models(false), models(true));
    let lacks = move |id: &MemoryId| {
        let stays = vault.index.get(id).is_some_and(|held| stays_local(&held.payload.facets));
        !stays || local.iter().any(|model| !vault.index.has_vector(id, model))
    };
    vault.index.without_any(&all).filter(lacks).collect::<Vec<_>>().into_iter()
}

/// Takes the next vault of the backlog, finishes what a crash may have left in it, and gives every
/// memory its vectors of the main and the instant model; `progress` hears how many have it anew, and may break off.
/// Answers with their number, or `None` when no vault came within `patience`. A vault that failed or was
/// broken off goes back into the backlog.
pub(crate) fn work_backlog(
    service: &Service,
    patience: Duration,
    progress: &mut Progress<'_>,
) -> Option<Result<usize>> {
    let scope = service.backlog.pop(patience)?;
    let worked = recover_again(service, &scope).and_then(|()| reembed_all(service, &scope, progress));
    match worked {
        // It comes back by itself when it is unlocked.
        Err(error) if is_locked(&error) => Some(Ok(0)),
        Err(error) => {
            service.backlog.push(&scope);
            Some(Err(error))
        }
        worked => Some(worked),
    }
}

/// Gives every memory of a vault its vectors of the main and the instant model. Answers with how many got one.
pub(crate) fn reembed_all(service: &Service, scope: &Scope, progress: &mut Progress<'_>) -> Result<usize> {
    let mut total = 0;
    loop {
        // Many at a time, because looking for them passes over the whole vault.
        let waiting = service
            .read(scope, |vault| -> Vec<MemoryId> { lacking(service, vault).take(REEMBED_SCAN).collect() })?;
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

/// Gives some memories of a vault their vectors of the main and the instant model. Answers with how many it gave.
pub(crate) fn reembed(service: &Service, scope: &Scope, ids: &[MemoryId]) -> Result<usize> {
    let Some(texts) = service.read(scope, |vault| -> Result<_> {
        let is_own =
            |id: &&MemoryId| vault.index.get(id).is_some_and(|held| !repeats_its_turns(held.payload));
        let own: Vec<MemoryId> = ids.iter().filter(is_own).copied().collect();
        let mut bodies = vault.bodies(&own, service.sources())?;
        let mut text = |id: &MemoryId| {
            let held = vault.index.get(id)?.payload;
            let text = match bodies.remove(id) {
                // A vector of its gist alone would pass for one of its text: it waits until the text is back.
                Some(body) => body.ok(),
                None if repeats_its_turns(held) => Some(held.gist.duplicate()),
                None => Some(held.full_text().duplicate()),
            }?;
            let record = held.facets.history.record.as_deref();
            Some(record.map(|record| embedded_text(record, text.expose())).unwrap_or(text))
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
    let vectors = missing_vectors(service, scope, &texts)?;
    let ids: Vec<MemoryId> = vectors.keys().copied().collect();
    replace_vectors(service, scope, &ids, vectors)
}

type NewVectors = HashMap<MemoryId, Vec<(ModelId, QuantVec)>>;

/// Embeds texts under each model in use that their memories have no vector of.
fn missing_vectors(
    service: &Service,
    scope: &Scope,
    texts: &HashMap<MemoryId, Plaintext>,
) -> Result<NewVectors> {
    let mut vectors = NewVectors::new();
    for embedder in service.models.in_use() {
        let model = embedder.model();
        let lacking = service.read(scope, |vault| -> Vec<MemoryId> {
            let may_have = |id: &MemoryId| {
                let stays = || vault.index.get(id).is_some_and(|held| stays_local(&held.payload.facets));
                !embedder.is_remote() || !stays()
            };
            let lacks = |id: &MemoryId| !vault.index.has_vector(id, model) && may_have(id);
            texts.keys().copied().filter(lacks).collect()
        })?;
        let lacking = lacking.unwrap_or_default();
        if lacking.is_empty() {
            continue;
        }
        let contents: Vec<&str> = lacking.iter().map(|id| texts[id].expose()).collect();
        for (id, vector) in lacking.iter().zip(embedder.embed(&contents, Purpose::Passage)?) {
            vectors.entry(*id).or_default().push((model.clone(), QuantVec::from_f32(&vector)?));
        }
    }
    Ok(vectors)
}

fn replace_vectors(
    service: &Service,
    scope: &Scope,
    ids: &[MemoryId],
    mut vectors: NewVectors,
) -> Result<usize> {
    let reader = service.reader(scope);
    let writer = reader.lock();
    let renewed = writer.rewrite(ids, |row, frame| {
        let renewed = vectors.remove(&row.id);
        renewed.inspect(|renewed| put_vectors(service, frame, renewed)).is_some()
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

/// Puts vectors of the models in use in place of all others.
fn put_vectors(service: &Service, frame: &mut Frame, vectors: &[(ModelId, QuantVec)]) {
    let in_use = service.models.kept();
    let is_new = |model: &ModelId| vectors.iter().any(|(renewed, _)| renewed == model);
    frame.vectors.retain(|(model, _)| in_use.contains(&model) && !is_new(model));
    frame.vectors.extend(vectors.iter().map(|(model, vector)| (model.clone(), vector.to_bytes())));
}
