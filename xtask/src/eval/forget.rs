//! `cargo xtask eval forget`: facts, then corrections and requests to forget in plain words, then what still
//! comes back. Each case has a vault of its own.
//!
//! The set is not ours to ship; without it there is nothing to measure, and that is said.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lacuna_core::admit::Rulebook;
use lacuna_core::blobs::Blobs;
use lacuna_core::correct::{Corrected, Correction};
use lacuna_core::domain::{Draft, SystemClock};
use lacuna_core::keys::{LocalKms, RamKeys};
use lacuna_core::meaning::Models;
use lacuna_core::permit::{Forget, Recall, Remember};
use lacuna_core::recall::Query;
use lacuna_core::remember::Outcome;
use lacuna_core::store::RamStore;
use lacuna_core::{Lacuna, Parts};
use lacuna_seal::SystemEntropy;
use serde::Deserialize;

use crate::Result;
use crate::bench::service::grant;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/forgeteval_dev.jsonl");
/// Results of one recall, as the set prescribes.
const TOP: usize = 5;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The cases.
    #[arg(long, default_value = DATA)]
    data: PathBuf,
    /// Print every case that fails, and why.
    #[arg(long)]
    failures: bool,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    category: String,
    setup_facts: Vec<String>,
    mutations: Vec<Vec<String>>,
    final_query: String,
    must_contain: Vec<String>,
    must_not_contain: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result {
    let Ok(text) = fs::read_to_string(&args.data) else {
        println!("skipped: there is no {}", args.data.display());
        return Ok(());
    };
    let cases: Vec<Case> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let folder = tempfile::tempdir()?;
    let service = service(folder.path())?;
    let mut scores: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for case in &cases {
        let told = Trial { service: &service, user: &case.id, log: Vec::new() }.run(case)?;
        let score = scores.entry(&case.category).or_default();
        score.1 += 1;
        score.0 += usize::from(told.is_none());
        if let Some(log) = told.filter(|_| args.failures) {
            println!("{}\n    {}", case.id, log.join("\n    "));
        }
    }
    for (category, (passed, all)) in &scores {
        println!("{category:<28} {passed:>3} of {all}");
    }
    println!("{:<28} {:>3} of {}", "all", scores.values().map(|s| s.0).sum::<usize>(), cases.len());
    Ok(())
}

fn service(folder: &Path) -> Result<Lacuna> {
    let instant = lacuna_models::static_embedder()?;
    let main = lacuna_models::sentence_embedder()?;
    Ok(Lacuna::new(Parts {
        store: Arc::new(RamStore::default()),
        keys: Arc::new(RamKeys::default()),
        kms: LocalKms::open(&folder.join("keys"), None)?,
        blobs: Blobs::open(folder.join("blobs"))?,
        models: Models { instant, main, others: Vec::new(), keep_instant: false },
        rules: Rulebook::default(),
        clock: Arc::new(SystemClock),
        entropy: Arc::new(SystemEntropy),
        open_bytes_max: usize::MAX,
    }))
}

/// One case on its way.
struct Trial<'a> {
    service: &'a Lacuna,
    user: &'a str,
    log: Vec<String>,
}

impl Trial<'_> {
    /// `None` when the case passes, else what happened.
    fn run(mut self, case: &Case) -> Result<Option<Vec<String>>> {
        for fact in &case.setup_facts {
            self.remember(fact)?;
        }
        for mutation in &case.mutations {
            match mutation.as_slice() {
                [kind, about, text] if kind == "supersede" => self.correct(about, text)?,
                [_, request] => self.forget(request)?,
                _ => return Err(format!("{}: an unknown mutation", case.id).into()),
            }
            self.settle()?;
        }
        let last = self.recall(&case.final_query)?;
        self.log.push(format!("? {} -> {last}", case.final_query));
        let mut failed = false;
        for wanted in &case.must_contain {
            if !last.contains(&wanted.to_lowercase()) {
                failed = true;
                self.log.push(format!("MISSING {wanted}"));
            }
        }
        for unwanted in &case.must_not_contain {
            let own = self.recall(unwanted)?;
            if [&last, &own].iter().any(|found| found.contains(&unwanted.to_lowercase())) {
                failed = true;
                self.log.push(format!("STILL THERE {unwanted}"));
            }
        }
        Ok(failed.then_some(self.log))
    }

    fn remember(&mut self, text: &str) -> Result {
        let grant = grant::<Remember>(self.user)?;
        let outcome = self.service.remember(&grant, vec![draft(text, None)])?.remove(0);
        let outcome = match outcome {
            Outcome::Asked(asked) => {
                self.service.remember(&grant, vec![draft(text, Some(asked.token))])?.remove(0)
            }
            outcome => outcome,
        };
        let said = match &outcome {
            Outcome::Stored(memory) => format!(
                "{} {:?} {}",
                memory.state,
                memory.waits,
                if memory.report.changes.is_empty() && memory.report.redactions.is_empty() {
                    ""
                } else {
                    "CHANGED"
                }
            ),
            Outcome::Asked(_) => "ASKED".to_owned(),
            Outcome::Refused(refused) => format!("REFUSED {}", refused.why.code()),
        };
        self.log.push(format!("+ {text} [{said}]"));
        self.settle()
    }

    fn correct(&mut self, about: &str, text: &str) -> Result {
        let grant = grant::<Remember>(self.user)?;
        let what = Correction::Words(about.to_owned());
        let mut done = self.service.correct(&grant, &what, draft(text, None))?;
        if let Corrected::Held(Outcome::Asked(asked)) = done {
            done = self.service.correct(&grant, &what, draft(text, Some(asked.token)))?;
        }
        let said = match &done {
            Corrected::Done { left_some, .. } => format!("done, left {left_some}"),
            Corrected::Held(Outcome::Stored(memory)) => format!("HELD {} {:?}", memory.state, memory.waits),
            Corrected::Held(Outcome::Refused(refused)) => format!("HELD refused {}", refused.why.code()),
            Corrected::Held(_) => "HELD asked".to_owned(),
            Corrected::Which(ids) => format!("WHICH of {}", ids.len()),
        };
        self.log.push(format!("! {about} := {text} [{said}]"));
        Ok(())
    }

    fn forget(&mut self, request: &str) -> Result {
        let said = self.service.forget_now(&grant::<Forget>(self.user)?, request)?;
        self.log.push(format!("- {request} [{said}]"));
        Ok(())
    }

    /// Lets the background work give every memory its vector.
    fn settle(&self) -> Result {
        while let Some(worked) = self.service.work_backlog(Duration::ZERO, &mut |_| ControlFlow::Continue(()))
        {
            worked?;
        }
        Ok(())
    }

    fn recall(&self, query: &str) -> Result<String> {
        let query = Query { limit: TOP, ..Query::new(query) };
        let recalled = self.service.recall(&grant::<Recall>(self.user)?, &query)?;
        let texts: Vec<&str> = recalled.hits.iter().map(|hit| hit.memory.content.full_text()).collect();
        Ok(texts.join("\n").to_lowercase())
    }
}

/// A fact, and the person's yes to what was asked about it.
fn draft(text: &str, confirm: Option<String>) -> Draft {
    Draft { text: text.to_owned(), confirm, ..Draft::default() }
}
