//! `cargo xtask eval context`: turns of a person, and the memories that a section for the prompt should and should not
//! bring. The set is the project's own (`measure/data/README.md`): two vaults of 500 memories. Each turn is asked
//! by itself, without a session, through the library, with the packed models.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lacuna_core::gate::Rulebook;
use lacuna_core::permit::{Recall, Remember};
use lacuna_core::read::Turn;
use lacuna_core::vault::Models;
use lacuna_core::write::Outcome;
use lacuna_core::{Lacuna, Parts};
use lacuna_seal::SystemEntropy;
use lacuna_store::blobs::Blobs;
use lacuna_store::keys::{LocalKms, RamKeys};
use lacuna_store::rows::RamStore;
use lacuna_types::{
    Category, ConsentBasis, ContentType, Draft, ManualClock, MemoryId, Source, SourceType, Trust,
};
use serde::Deserialize;

use crate::Result;
use crate::bench::report::{Report, replace_part};
use crate::bench::service::grant;

const OPEN: &str = include_str!("../../data/context_open.jsonl");
const CLOSED: &str = include_str!("../../data/context_closed.jsonl");
const TITLE: &str = "Context";
/// The moment of every turn, in seconds of the epoch; memories are so many days older.
const NOW_SECONDS: i64 = 1_790_000_000;
const HOURS_A_DAY: i64 = 24;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Also asks the closed half of the turns, on which nothing was tuned.
    #[arg(long)]
    closed: bool,
    /// Prints each turn with the memories that it brings.
    #[arg(long)]
    show: bool,
    /// Also writes the figures into `bench/RESULTS.md`.
    #[arg(long)]
    write: bool,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Line {
    Memory(StoredLine),
    Turn(AskedLine),
}

#[derive(Deserialize)]
struct StoredLine {
    id: String,
    persona: String,
    #[serde(rename = "type")]
    form: String,
    role: String,
    days_ago: i64,
    salience: f32,
    text: String,
}

#[derive(Deserialize)]
struct AskedLine {
    id: String,
    persona: String,
    text: String,
    should: Vec<String>,
    may: Vec<String>,
    should_not: Vec<String>,
}

/// Sums over turns.
#[derive(Default)]
struct Sums {
    turns: usize,
    with_answer: usize,
    shown: usize,
    precision: f64,
    answered: usize,
    first_right: usize,
    any_right: usize,
    found: f64,
    nothing: usize,
    rightly_nothing: usize,
    traps: usize,
    tokens: usize,
}

pub(crate) fn run(args: &Args) -> Result {
    let mut memories = Vec::new();
    let mut open = Vec::new();
    for line in lines(OPEN)? {
        match line {
            Line::Memory(memory) => memories.push(memory),
            Line::Turn(turn) => open.push(turn),
        }
    }
    let folder = tempfile::tempdir()?;
    let (service, names) = filled(folder.path(), &memories)?;
    println!("{} of {} memories are stored", names.len(), memories.len());
    let mut rows = vec![ask(&service, &names, &open, args.show)?.row("open half")];
    if args.closed {
        let closed: Vec<AskedLine> = lines(CLOSED)?
            .into_iter()
            .filter_map(|line| if let Line::Turn(turn) = line { Some(turn) } else { None })
            .collect();
        rows.push(ask(&service, &names, &closed, args.show)?.row("closed half"));
    }
    let page = report(rows);
    if args.write { replace_part(TITLE, &page.into_text()) } else { Ok(()) }
}

fn lines(text: &str) -> Result<Vec<Line>> {
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

fn report(rows: Vec<Vec<String>>) -> Report {
    let mut report = Report::part(TITLE, "cargo xtask eval context --closed");
    report.line(
        "\nA set of the project's own, labelled strictly: a memory that is in neither list counts as wrong.",
    );
    report.line(
        "Precision is over shown memories, each turn with the same weight; the open half was looked at.\n",
    );
    let head = [
        "turns",
        "asked",
        "precision",
        "first is right",
        "one is right",
        "of what should come",
        "nothing where nothing fits",
        "named traps shown",
        "memories a turn",
        "tokens a turn",
    ];
    report.table(&head, rows);
    report
}

/// A service in RAM with the vault of each persona, and the name of each stored memory.
fn filled(folder: &Path, memories: &[StoredLine]) -> Result<(Lacuna, HashMap<MemoryId, String>)> {
    let now = Timestamp::from_second(NOW_SECONDS)?;
    let service = Lacuna::new(Parts {
        store: Arc::new(RamStore::default()),
        keys: Arc::new(RamKeys::default()),
        kms: LocalKms::open(&folder.join("keys"), None)?,
        blobs: Blobs::open(folder.join("blobs"))?,
        models: Models {
            instant: lacuna_models::static_embedder()?,
            main: lacuna_models::sentence_embedder()?,
            others: Vec::new(),
        },
        rules: Rulebook::default(),
        clock: Arc::new(ManualClock::at(now)),
        entropy: Arc::new(SystemEntropy),
        open_bytes_max: usize::MAX,
    })
    .counting(lacuna_models::token_counter());
    let mut names = HashMap::new();
    for memory in memories {
        let grant = grant::<Remember>(&memory.persona)?;
        let mut outcome = service.remember(&grant, vec![memory.draft(now, None)])?.remove(0);
        if let Outcome::Asked(asked) = outcome {
            outcome = service.remember(&grant, vec![memory.draft(now, Some(asked.token))])?.remove(0);
        }
        if let Outcome::Stored(stored) = outcome {
            names.insert(stored.id, memory.id.clone());
        }
    }
    while let Some(worked) = service.upkeep().work_backlog(Duration::ZERO, &mut |_| ControlFlow::Continue(()))
    {
        worked?;
    }
    Ok((service, names))
}

impl StoredLine {
    fn draft(&self, now: Timestamp, confirm: Option<String>) -> Draft {
        let (category, content_type) = match self.form.as_str() {
            "fact" => (Category::LearnedContext, ContentType::Fact),
            "preference" => (Category::Preference, ContentType::Preference),
            "summary" => (Category::Conversation, ContentType::Summary),
            _ => (Category::Conversation, ContentType::Transcript),
        };
        let source = match self.role.as_str() {
            "tool" => Source::new(SourceType::ToolOutput, Trust::Medium),
            "assistant" => Source::new(SourceType::AiInference, Trust::Medium),
            _ => Source::new(SourceType::UserMessage, Trust::High),
        };
        Draft {
            text: self.text.as_str().into(),
            category: Some(category),
            content_type: Some(content_type),
            source: Some(source),
            consent_basis: Some(ConsentBasis::ExplicitConsent),
            salience: Some(self.salience),
            created_at: Some(now - SignedDuration::from_hours(HOURS_A_DAY * self.days_ago)),
            confirm,
            ..Draft::default()
        }
    }
}

fn ask(service: &Lacuna, names: &HashMap<MemoryId, String>, turns: &[AskedLine], show: bool) -> Result<Sums> {
    let mut sums = Sums::default();
    for turn in turns {
        let grant = grant::<Recall>(&turn.persona)?;
        let context = service.context(&[grant], &Turn { text: turn.text.clone(), ..Turn::default() })?;
        let shown: Vec<&str> =
            context.items.iter().filter_map(|item| names.get(&item.id)).map(String::as_str).collect();
        sums.add(turn, &shown, context.tokens);
        if show {
            println!("{} {}\n    should {:?}", turn.id, turn.text, turn.should);
            for item in &context.items {
                println!("    {:?} {:.2} {}", names.get(&item.id), item.score.relevance, item.text);
            }
        }
    }
    Ok(sums)
}

impl Sums {
    fn add(&mut self, turn: &AskedLine, shown: &[&str], tokens: usize) {
        let is_in = |list: &[String], name: &str| list.iter().any(|one| one == name);
        self.turns += 1;
        self.shown += shown.len();
        self.tokens += tokens;
        self.traps += shown.iter().filter(|name| is_in(&turn.should_not, name)).count();
        let fitting = shown.iter().filter(|name| is_in(&turn.should, name) || is_in(&turn.may, name)).count();
        if turn.should.is_empty() {
            self.nothing += 1;
            self.rightly_nothing += usize::from(fitting == shown.len());
            return;
        }
        self.with_answer += 1;
        if !shown.is_empty() {
            self.answered += 1;
            self.precision += fitting as f64 / shown.len() as f64;
        }
        let right: HashSet<&&str> = shown.iter().filter(|name| is_in(&turn.should, name)).collect();
        self.first_right += usize::from(shown.first().is_some_and(|name| right.contains(name)));
        self.any_right += usize::from(!right.is_empty());
        self.found += right.len() as f64 / turn.should.len() as f64;
    }

    fn row(&self, name: &str) -> Vec<String> {
        let percent = |part: f64, of: usize| format!("{:.1}%", 100.0 * part / of.max(1) as f64);
        let mean = |sum: usize| format!("{:.1}", sum as f64 / self.turns.max(1) as f64);
        vec![
            name.to_owned(),
            self.turns.to_string(),
            percent(self.precision, self.answered),
            percent(self.first_right as f64, self.with_answer),
            percent(self.any_right as f64, self.with_answer),
            percent(self.found, self.with_answer),
            format!("{} of {}", self.rightly_nothing, self.nothing),
            self.traps.to_string(),
            mean(self.shown),
            mean(self.tokens),
        ]
    }
}
