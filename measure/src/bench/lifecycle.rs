//! Recall beside other users' vaults, the opening of a cold vault and what it takes in RAM, remember and delete.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lacuna_core::forget::{Confirmed, Planned, Request};
use lacuna_core::permit::{Forget, Recall, Remember};
use lacuna_core::read::Query;
use lacuna_core::vault::Models;
use lacuna_types::request::{PlanChoice, Target};
use lacuna_types::{ContentType, Contribution, Lineage};
use serde::{Deserialize, Serialize};

use super::corpus::Corpus;
use super::measure::{Latency, each, latency, per_second, resident_bytes};
use super::sentences;
use super::service::{By, Recorded, USER, Vault, drafts, grant, service, stored_ids};
use crate::Result;

const NEIGHBOUR_MEMORIES: usize = 20;
/// RAM is measured over several vaults: what opening one leaves behind, the next one uses again.
const RAM_USERS: [&str; 4] = [USER, "second", "third", "fourth"];
/// The longest wait for the backlog; a memory is in it before the call that stores it returns.
const BACKLOG_PATIENCE: Duration = Duration::from_millis(100);
pub(super) const REMEMBER_BATCH: usize = 100;
/// Plans that are timed for each kind of request.
const PLAN_RUNS: usize = 20;
/// Requests to forget, by what they name.
const PLAN_REQUESTS: [(&str, &str); 6] = [
    ("a name", "forget everything about Ravensworth"),
    ("an identifier", "forget the ticket HRN-90412"),
    ("an attribute", "forget my phone number"),
    ("a topic", "forget what I said about the garden"),
    ("a category", "clear all health information"),
    ("a message without a frame", "the harbour thing, you know, that can go now"),
];
/// Texts of the write measurements are others than those of the vaults.
const WRITE_SEED: u64 = 77;

/// Recall latency of one vault beside so many others, all of them open.
pub(super) fn neighbours(
    corpus: &Arc<Corpus>,
    others: &[usize],
    recalls: usize,
    folder: &Path,
) -> Result<Vec<(usize, Latency)>> {
    let vault = Vault::fill(folder, corpus.clone())?;
    let mut made = 0;
    let mut figures = Vec::with_capacity(others.len());
    for &count in others {
        while made < count {
            vault.remember(&format!("neighbour-{made}"), &corpus.texts[..NEIGHBOUR_MEMORIES])?;
            made += 1;
        }
        let ask = |run: usize| vault.ask(run % corpus.questions.len(), By::MeaningAndWords).map(drop);
        figures.push((count, latency(recalls, ask)?));
    }
    Ok(figures)
}

pub(super) struct Opening {
    pub(super) count: usize,
    /// Opening the files and making the service.
    pub(super) start: Latency,
    /// The first look into the vault.
    pub(super) open: Latency,
    pub(super) ram: Ram,
    pub(super) text_bytes: usize,
}

/// RAM of opened vaults, measured in a process that does nothing else.
#[derive(Serialize, Deserialize)]
pub(super) struct Ram {
    /// Per memory, as the cache of opened vaults counts it, and as the system does.
    pub(super) counted_bytes: usize,
    pub(super) resident_bytes: usize,
}

pub(super) fn opening(corpus: &Arc<Corpus>, runs: usize, folder: &Path) -> Result<Opening> {
    let vault = Vault::fill(folder, corpus.clone())?;
    for user in &RAM_USERS[1..] {
        vault.remember(user, &corpus.texts)?;
    }
    drop(vault);
    let grant = grant::<Recall>(USER)?;
    let (mut starts, mut opens) = (Vec::with_capacity(runs), Vec::with_capacity(runs));
    for _ in 0..runs {
        let started = Instant::now();
        let service = service(folder, recorded_models(corpus))?;
        starts.push(started.elapsed());
        let started = Instant::now();
        let (count, damaged) = service.count(&grant)?;
        opens.push(started.elapsed());
        if (count, damaged) != (corpus.texts.len(), 0) {
            return Err(format!("the vault opened with {count} memories, {damaged} damaged").into());
        }
    }
    Ok(Opening {
        count: corpus.texts.len(),
        start: Latency::of(starts),
        open: Latency::of(opens),
        ram: ram_in_own_process(folder)?,
        text_bytes: corpus.text_bytes(),
    })
}

fn recorded_models(corpus: &Arc<Corpus>) -> Models {
    Models::only(Arc::new(Recorded::of(corpus.clone())))
}

fn ram_in_own_process(folder: &Path) -> Result<Ram> {
    let output = Command::new(std::env::current_exe()?).args(["bench", "--open"]).arg(folder).output()?;
    if !output.status.success() {
        return Err(format!("opening a vault failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Opens the vaults in `folder` and says what that took: the other side of [`ram_in_own_process`].
pub(super) fn print_ram(folder: &Path) -> Result {
    let service = service(folder, recorded_models(&Arc::new(Corpus::clustered(1, 1))))?;
    let before = resident_bytes()?;
    let mut memories = 0;
    for user in RAM_USERS {
        memories += service.count(&grant(user)?)?.0;
    }
    let grown = resident_bytes()?.saturating_sub(before);
    let ram = Ram { counted_bytes: service.open_load().bytes / memories, resident_bytes: grown / memories };
    println!("{}", serde_json::to_string(&ram)?);
    Ok(())
}

pub(super) struct Writing {
    pub(super) count: usize,
    pub(super) acknowledged_per_second: f64,
    pub(super) embedded_per_second: f64,
    pub(super) batch: Latency,
    /// Recall with the embedding of the question by the sentence model.
    pub(super) recall: Latency,
    pub(super) delete: Latency,
}

pub(super) fn write_texts(count: usize) -> Vec<String> {
    (0..count).map(|number| sentences::memory(WRITE_SEED, number)).collect()
}

pub(super) fn write_questions(count: usize) -> Vec<String> {
    (0..count).map(|number| sentences::question(WRITE_SEED, number)).collect()
}

/// Remembers with the packed models over SQLite, as the binary does.
pub(super) fn writing(count: usize, questions: usize, folder: &Path) -> Result<Writing> {
    let main = lacuna_models::sentence_embedder()?;
    // The layers are unpacked at first use, which is no part of any memory's cost.
    main.embed(&["warm"], lacuna_types::embed::Purpose::Passage)?;
    let models = Models { instant: lacuna_models::static_embedder()?, main, others: Vec::new() };
    let service = service(folder, models)?;
    let (texts, remember) = (write_texts(count), grant::<Remember>(USER)?);
    service.remember(&grant("somebody-else")?, drafts(&texts[..1]))?;
    service.upkeep().work_backlog(BACKLOG_PATIENCE, &mut |_| ControlFlow::Continue(())).transpose()?;

    let batches: Vec<&[String]> = texts.chunks(REMEMBER_BATCH).collect();
    let mut ids = Vec::with_capacity(count);
    let started = Instant::now();
    let batch = each(batches.len(), |run| {
        ids.extend(stored_ids(service.remember(&remember, drafts(batches[run]))?)?);
        Ok(())
    })?;
    let acknowledged = started.elapsed();
    let embedded: usize = std::iter::from_fn(|| {
        service.upkeep().work_backlog(BACKLOG_PATIENCE, &mut |_| ControlFlow::Continue(()))
    })
    .sum::<lacuna_types::Result<_>>()?;
    let complete = started.elapsed() - BACKLOG_PATIENCE;
    if embedded != count {
        return Err(format!("{embedded} of {count} memories got their sentence vector").into());
    }

    let (asked, recall) = (write_questions(questions), grant::<Recall>(USER)?);
    let ask = |run: usize| {
        service.recall(&recall, &Query::new(asked[run % asked.len()].as_str()))?;
        Ok(())
    };
    let recalled = latency(questions, ask)?;
    let forget = grant::<Forget>(USER)?;
    let delete = each(questions.min(count), |run| {
        service.delete(&forget, ids[run])?;
        Ok(())
    })?;
    Ok(Writing {
        count,
        acknowledged_per_second: per_second(count, acknowledged),
        embedded_per_second: per_second(count, complete),
        batch,
        recall: recalled,
        delete,
    })
}

pub(super) struct Forgetting {
    pub(super) memories: usize,
    /// One memory by its id: cascade, probe and receipt.
    pub(super) one: Latency,
    /// Plans for requests in plain words, by the kind of request; nothing is confirmed.
    pub(super) plans: Vec<(&'static str, Latency)>,
    pub(super) mentions: usize,
    /// Everything about an entity in plain words: the plan, and the confirmation with probe and receipt.
    pub(super) plan: Duration,
    pub(super) confirm: Duration,
}

/// Forgets in a vault of so many memories with the packed models over SQLite, as the binary does. Every tenth
/// memory that goes has a summary made of it.
pub(super) fn forgetting(memories: usize, runs: usize, mentions: usize, folder: &Path) -> Result<Forgetting> {
    let service = service(folder, Models::only(lacuna_models::static_embedder()?))?;
    let remember = grant::<Remember>(USER)?;
    let mut ids = Vec::with_capacity(memories);
    for batch in write_texts(memories).chunks(REMEMBER_BATCH) {
        ids.extend(stored_ids(service.remember(&remember, drafts(batch))?)?);
    }
    for pair in ids[..runs].chunks(10).filter(|pair| pair.len() > 1) {
        let derived_from =
            pair[..2].iter().map(|source| Lineage { source: *source, contribution: Contribution::Primary });
        let mut summary = drafts(&["In short: what was said before.".to_owned()]);
        summary[0].content_type = Some(ContentType::Summary);
        summary[0].derived_from = derived_from.collect();
        stored_ids(service.remember(&remember, summary)?)?;
    }
    let forget = grant::<Forget>(USER)?;
    let one = each(runs, |run| {
        service.delete(&forget, ids[run])?;
        Ok(())
    })?;
    let plans = PLAN_REQUESTS
        .iter()
        .map(|(kind, words)| {
            let request = Request::new(Target::Words((*words).to_owned()));
            let plan = |_| service.plan_forget(&forget, &request).map(drop).map_err(Into::into);
            Ok((*kind, latency(PLAN_RUNS, plan)?))
        })
        .collect::<Result<Vec<_>>>()?;
    let about = |number: usize| {
        format!("Ravensworth came by, note {number}: {}", sentences::memory(!WRITE_SEED, number))
    };
    let texts: Vec<String> = (0..mentions).map(about).collect();
    for batch in texts.chunks(REMEMBER_BATCH) {
        service.remember(&remember, drafts(batch))?;
    }
    let request = Request::new(Target::Words("forget everything about Ravensworth".to_owned()));
    let started = Instant::now();
    let Planned::Plan(planned) = service.plan_forget(&forget, &request)? else {
        return Err("the request was not understood".into());
    };
    let plan = started.elapsed();
    let token = planned.token.ok_or("nothing matches")?;
    let started = Instant::now();
    let Confirmed::Done(done) = service.confirm_forget(&forget, &token, &PlanChoice::All)? else {
        return Err("the plan wants a second yes".into());
    };
    let confirm = started.elapsed();
    if done.memories.len() < mentions || done.receipts.iter().any(|receipt| !receipt.receipt.is_clean()) {
        return Err(format!("{} of {mentions} mentions went", done.memories.len()).into());
    }
    Ok(Forgetting { memories, one, plans, mentions, plan, confirm })
}
