//! `cargo xtask eval forget`: facts, then corrections and requests to forget in plain words, then what still
//! comes back. Each case has a vault of its own.
//!
//! Two sets: ForgetEval, which is not ours to ship (without it that part is skipped, and that is said), and the
//! project's own requests (`own.rs`).

mod own;

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lacuna_core::forget::{Confirmed, Planned, Request};
use lacuna_core::gate::Rulebook;
use lacuna_core::permit::{Forget, Recall, Remember};
use lacuna_core::read::Query;
use lacuna_core::vault::Models;
use lacuna_core::write::{Corrected, Correction, Outcome};
use lacuna_core::{Lacuna, Parts};
use lacuna_seal::SystemEntropy;
use lacuna_store::blobs::Blobs;
use lacuna_store::keys::{LocalKms, RamKeys};
use lacuna_store::rows::RamStore;
use lacuna_types::request::{Mode, PlanChoice, Target};
use lacuna_types::{Draft, SystemClock};
use serde::Deserialize;

use self::own::RequestSet;
use crate::Result;
use crate::bench::report::{Report, replace_part};
use crate::bench::service::grant;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/forgeteval_dev.jsonl");
/// Results of one recall, as the set prescribes.
const TOP: usize = 5;
const TITLE: &str = "Forgetting";
/// Figures of others on the same cases, as published with them.
const PUBLISHED: &[(&str, &str)] = &[
    ("Mem0, without an LLM", "85 of 132"),
    ("LangGraph store with an LLM", "125 of 132"),
    ("a perfect store that cannot rewrite a sentence", "124 of 132"),
];
/// Of all published cases, of which these are a part.
const PUBLISHED_ALL: &str = "On all 385 published cases: Mem0 65.5%, LangGraph store 62.9%, Letta 33.0% \
    without an LLM; LangGraph store with an LLM 89.4%.";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The cases.
    #[arg(long, default_value = DATA)]
    data: PathBuf,
    /// Print every case that fails, and what happened in it.
    #[arg(long)]
    failures: bool,
    /// Only the project's own requests.
    #[arg(long)]
    own: bool,
    /// Only the requests of this file, in the form of `measure/data/FORGET_GATE.md`.
    #[arg(long, conflicts_with_all = ["own", "closed", "write"])]
    requests: Option<PathBuf>,
    /// Also the closed half of the project's own requests, on which nothing was tuned: its sums only.
    #[arg(long)]
    closed: bool,
    /// Without the sentence model, as in the first moment after a fact was stored.
    #[arg(long)]
    instant: bool,
    /// Also write the figures into `bench/RESULTS.md`.
    #[arg(long)]
    write: bool,
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

/// Cases of a category that pass, and all of them.
type Scores<'a> = BTreeMap<&'a str, (usize, usize)>;

pub(crate) fn run(args: &Args) -> Result {
    let mut page = Report::part(TITLE, "cargo xtask eval forget --closed");
    page.line(super::DEVELOPMENT_NOTE);
    if let Some(file) = &args.requests {
        let given = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        return requests(args, RequestSet::Given(&given), &mut page);
    }
    if !args.own {
        cases(args, &mut page)?;
    }
    requests(args, RequestSet::Open, &mut page)?;
    requests(args, RequestSet::Fresh, &mut page)?;
    if args.closed {
        requests(args, RequestSet::Closed, &mut page)?;
    }
    if args.write { replace_part(TITLE, &page.into_text()) } else { Ok(()) }
}

/// Measures one set of requests in a service of its own.
fn requests(args: &Args, set: RequestSet<'_>, page: &mut Report) -> Result {
    let folder = tempfile::tempdir()?;
    own::run(&service(folder.path(), args.instant)?, set, args.failures, page)
}

fn cases(args: &Args, page: &mut Report) -> Result {
    let Ok(text) = fs::read_to_string(&args.data) else {
        println!("skipped: there is no {}", args.data.display());
        return Ok(());
    };
    let cases: Vec<Case> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let folder = tempfile::tempdir()?;
    let service = service(folder.path(), args.instant)?;
    let mut scores = Scores::default();
    for case in &cases {
        let failed = Trial { service: &service, user: &case.id, log: Vec::new() }.run(case)?;
        let (passed, all) = scores.entry(&case.category).or_default();
        *all += 1;
        *passed += usize::from(failed.is_none());
        if let Some(log) = failed.filter(|_| args.failures) {
            println!("{}\n    {}", case.id, log.join("\n    "));
        }
    }
    report(&scores, page);
    Ok(())
}

fn report(scores: &Scores<'_>, report: &mut Report) {
    report
        .line("\nFacts, then corrections and requests to forget in plain words, then what still comes back:");
    report
        .line("the hand-made cases of ForgetEval-Adv, each in a vault of its own, through the library, with");
    report.line("the packed models and without an LLM.\n");
    let row = |name: &str, (passed, all): (usize, usize)| vec![name.to_owned(), format!("{passed} of {all}")];
    let mut rows: Vec<_> =
        scores.iter().map(|(category, score)| row(&category.replace('_', " "), *score)).collect();
    let total = scores.values().fold((0, 0), |sum, score| (sum.0 + score.0, sum.1 + score.1));
    rows.push(row("**all**", total));
    let published = |(name, passed): &(&str, &str)| vec![format!("published: {name}"), (*passed).to_owned()];
    rows.extend(PUBLISHED.iter().map(published));
    report.table(&["category", "passed"], rows);
    report.line(&format!("\n{PUBLISHED_ALL}"));
}

/// A service as it is by default, over stores in RAM.
fn service(folder: &Path, instant_only: bool) -> Result<Lacuna> {
    let instant = lacuna_models::static_embedder()?;
    let main = if instant_only { instant.clone() } else { lacuna_models::sentence_embedder()? };
    Ok(Lacuna::new(Parts {
        store: Arc::new(RamStore::default()),
        keys: Arc::new(RamKeys::default()),
        kms: LocalKms::open(&folder.join("keys"), None)?,
        blobs: Blobs::open(folder.join("blobs"))?,
        models: Models { instant, main, others: Vec::new() },
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
                [kind, request] => self.forget(kind, request)?,
                _ => return Err(format!("{}: an unknown mutation", case.id).into()),
            }
            settle(self.service)?;
        }
        let last = self.recall(&case.final_query)?;
        self.log.push(format!("? {} {last:?}", case.final_query));
        let missing = case.must_contain.iter().filter(|wanted| !holds(&last, wanted));
        let mut faults: Vec<String> = missing.map(|wanted| format!("missing: {wanted}")).collect();
        for unwanted in &case.must_not_contain {
            if holds(&last, unwanted) || holds(&self.recall(unwanted)?, unwanted) {
                faults.push(format!("still there: {unwanted}"));
            }
        }
        let failed = !faults.is_empty();
        self.log.extend(faults);
        Ok(failed.then_some(self.log))
    }

    /// Stores a fact; what the gate asks is answered with yes.
    fn remember(&mut self, text: &str) -> Result {
        let grant = grant::<Remember>(self.user)?;
        let mut outcome = self.service.remember(&grant, vec![draft(text, None)])?.remove(0);
        if let Outcome::Asked(asked) = outcome {
            outcome = self.service.remember(&grant, vec![draft(text, Some(asked.token))])?.remove(0);
        }
        self.log.push(format!("+ {text} [{}]", fate(&outcome)));
        settle(self.service)
    }

    fn correct(&mut self, about: &str, text: &str) -> Result {
        let grant = grant::<Remember>(self.user)?;
        let what = Correction::Words(about.to_owned());
        let mut corrected = self.service.correct(&grant, &what, draft(text, None))?;
        if let Corrected::Held(Outcome::Asked(asked)) = corrected {
            corrected = self.service.correct(&grant, &what, draft(text, Some(asked.token)))?;
        }
        let said = match &corrected {
            Corrected::Done { left_some: true, .. } => "done, the rest stays".to_owned(),
            Corrected::Done { .. } => "done".to_owned(),
            Corrected::Held(outcome) => format!("held: {}", fate(outcome)),
            Corrected::Which(ids) => format!("which of {}", ids.len()),
        };
        self.log.push(format!("! {about} := {text} [{said}]"));
        Ok(())
    }

    /// Plans, and confirms all of it but what is only offered, which nobody is here to choose from. A second question
    /// about the same is answered with yes as well.
    fn forget(&mut self, kind: &str, words: &str) -> Result {
        let grant = grant::<Forget>(self.user)?;
        let mode = (kind == "purge").then_some(Mode::Hard);
        let request = Request { mode, ..Request::new(Target::Words(words.to_owned())) };
        let said = match self.service.plan_forget(&grant, &request)? {
            Planned::Unclear(question) => format!("unclear: {question:?}"),
            Planned::WhichOne(people) => format!("which of {}", people.len()),
            Planned::Plan(plan) if plan.direct + plan.indirect == 0 => "only offered, or nothing".to_owned(),
            Planned::Plan(plan) => {
                let mut next = plan.token;
                while let Some(token) = next.take() {
                    next = match self.service.confirm_forget(&grant, &token, &PlanChoice::All)? {
                        Confirmed::Again { token, .. } => Some(token),
                        Confirmed::Done(_) => None,
                    };
                }
                format!("{} direct, {} indirect", plan.direct, plan.indirect)
            }
        };
        self.log.push(format!("- {words} [{said}]"));
        Ok(())
    }

    fn recall(&self, query: &str) -> Result<String> {
        let query = Query { limit: TOP, ..Query::new(query) };
        let recalled = self.service.recall(&grant::<Recall>(self.user)?, &query)?;
        let texts: Vec<&str> =
            recalled.hits.iter().map(|hit| hit.memory.content.full_text().expose()).collect();
        Ok(texts.join("\n"))
    }
}

/// Lets the background work give every memory its vector.
fn settle(service: &Lacuna) -> Result {
    let mut go_on = |_: usize| ControlFlow::Continue(());
    while let Some(worked) = service.upkeep().work_backlog(Duration::ZERO, &mut go_on) {
        worked?;
    }
    Ok(())
}

/// A fact, and the person's yes to what was asked about it.
fn draft(text: &str, confirm: Option<String>) -> Draft {
    Draft { text: text.into(), confirm, ..Draft::default() }
}

fn fate(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Stored(memory) => memory.state.to_string(),
        Outcome::Asked(_) => "asked again".to_owned(),
        Outcome::Refused(refused) => refused.why.code().to_owned(),
    }
}

fn holds(found: &str, part: &str) -> bool {
    found.to_lowercase().contains(&part.to_lowercase())
}
