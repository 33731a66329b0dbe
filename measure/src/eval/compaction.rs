//! `cargo xtask eval compaction`: long dialogues, the older half compacted, and what questions about that half
//! still find; and whether what was written says anything that its sources do not.
//!
//! The set is not ours to ship; without it there is nothing to measure, and that is said. The check of what was
//! written shares no code with the one that the library itself makes.

mod behind;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp, civil};
use lacuna_core::gate::Rulebook;
use lacuna_core::index::Filter;
use lacuna_core::keep::CompactRequest;
use lacuna_core::permit::{Forget, Recall, Remember};
use lacuna_core::read::{Cursor, Query, RECALL_RESULTS_MAX, TierLimits};
use lacuna_core::vault::Models;
use lacuna_core::write::Outcome;
use lacuna_core::{Lacuna, Parts};
use lacuna_seal::SystemEntropy;
use lacuna_store::blobs::Blobs;
use lacuna_store::keys::{LocalKms, RamKeys};
use lacuna_store::rows::RamStore;
use lacuna_types::*;
use serde::Deserialize;

use crate::Result;
use crate::bench::report::{Report, replace_part};
use crate::bench::service::grant;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/retrieval_locomo_dev.json");
const TITLE: &str = "Compaction";
/// Tokens that one answer may hold.
const TOKENS_MAX: usize = 4_000;
const PAGE: usize = 500;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The dialogues and questions.
    #[arg(long, default_value = DATA)]
    data: PathBuf,
    /// Search by the small model only, which is much faster.
    #[arg(long)]
    small: bool,
    /// Print what was written of the first dialogue.
    #[arg(long)]
    show: bool,
    /// Also write the figures into `bench/RESULTS.md`.
    #[arg(long)]
    write: bool,
}

#[derive(Deserialize)]
struct Data {
    spaces: Vec<Space>,
}

#[derive(Deserialize)]
struct Space {
    docs: Vec<Turn>,
    queries: Vec<Question>,
}

#[derive(Deserialize)]
struct Turn {
    id: String,
    text: String,
    time: String,
    session: String,
}

#[derive(Deserialize)]
struct Question {
    text: String,
    gold: Vec<String>,
}

/// Counts over some dialogues.
#[derive(Default, Clone, Copy)]
struct Counts {
    /// Questions that need a turn which was compacted, and those that find every such turn: as it stood
    /// before, and from what took its place after.
    questions: usize,
    found_before: usize,
    found_after: usize,
    /// The same where an answer also holds at most so many memories of each tier as a recall does by default.
    few_before: usize,
    few_after: usize,
    /// Of those turns, how many are found, and of how many a whole sentence stands in the answer.
    needed: usize,
    reached: usize,
    quoted: usize,
    /// Tokens in the answers to these questions.
    answered: usize,
    tokens_old: usize,
    tokens_new: usize,
    tokens_rest: usize,
    summaries: usize,
    facts: usize,
    turns: usize,
    /// Names, numbers and dates that no source says, and any words that none says.
    violations: usize,
    foreign_words: usize,
}

pub(crate) fn run(args: &Args) -> Result {
    let Ok(text) = fs::read_to_string(&args.data) else {
        println!("skipped: there is no {}", args.data.display());
        return Ok(());
    };
    let data: Data = serde_json::from_str(&text)?;
    let mut counts = Vec::new();
    for (number, space) in data.spaces.iter().enumerate() {
        let folder = tempfile::tempdir()?;
        let trial = Trial::new(folder.path(), space, args.small)?;
        counts.push(trial.run(args.show && number == 0)?);
    }
    let mut page = report(&counts);
    behind::report(&mut page, &data.spaces, args.small)?;
    if args.write { replace_part(TITLE, &page.into_text()) } else { Ok(()) }
}

/// One dialogue in a vault of its own.
struct Trial<'a> {
    service: Lacuna,
    space: &'a Space,
    /// The memory of each turn, in the order of the dialogue; the gate may have refused one.
    memories: Vec<Option<MemoryId>>,
    /// The moment at which the newer half begins.
    middle: Timestamp,
}

impl<'a> Trial<'a> {
    fn new(folder: &Path, space: &'a Space, small: bool) -> Result<Self> {
        let times = times(space)?;
        let end = times.last().copied().ok_or("a dialogue without turns")?;
        let service = service(folder, end + SignedDuration::from_hours(24), small)?;
        let memories = remember(&service, space, &times, |turn| &turn.session)?;
        settle(&service)?;
        Ok(Self { service, space, memories, middle: times[times.len() / 2] })
    }

    fn run(&self, show: bool) -> Result<Counts> {
        let old: HashSet<MemoryId> =
            self.memories[..self.memories.len() / 2].iter().copied().flatten().collect();
        let by_label: HashMap<&str, MemoryId> = self
            .space
            .docs
            .iter()
            .zip(&self.memories)
            .filter_map(|(turn, id)| Some((turn.id.as_str(), (*id)?)))
            .collect();
        let needs = |question: &'a Question| -> BTreeSet<MemoryId> {
            question
                .gold
                .iter()
                .filter_map(|label| by_label.get(label.as_str()))
                .filter(|id| old.contains(id))
                .copied()
                .collect()
        };
        let asked: Vec<(&Question, BTreeSet<MemoryId>)> = self
            .space
            .queries
            .iter()
            .map(|one| (one, needs(one)))
            .filter(|(_, needs)| !needs.is_empty())
            .collect();
        let mut counts = Counts { questions: asked.len(), ..Counts::default() };
        for (question, needs) in &asked {
            let finds = |tiers| -> Result<usize> {
                let found: HashSet<MemoryId> =
                    self.answer(question, tiers)?.iter().map(|memory| memory.id).collect();
                Ok(usize::from(needs.iter().all(|id| found.contains(id))))
            };
            counts.found_before += finds(None)?;
            counts.few_before += finds(Some(TierLimits::default()))?;
        }
        self.compact(&old, &mut counts)?;
        for (question, needs) in &asked {
            self.ask_after(question, needs, &mut counts)?;
        }
        self.check(show, &mut counts)?;
        Ok(counts)
    }

    fn compact(&self, old: &HashSet<MemoryId>, counts: &mut Counts) -> Result {
        let request = CompactRequest { before: Some(self.middle), ..CompactRequest::default() };
        let done =
            self.service.compact(&grant::<Forget>("eval")?, &request, &mut |_| ControlFlow::Continue(()))?;
        settle(&self.service)?;
        (counts.turns, counts.summaries, counts.facts) = (done.turns, done.summaries.len(), done.facts.len());
        if done.turns < old.len() {
            println!("{} of {} turns stayed as they were", old.len() - done.turns, old.len());
        }
        for (turn, id) in self.space.docs.iter().zip(&self.memories) {
            let tokens = self.tokens(&turn.text);
            let is_old = id.is_some_and(|id| old.contains(&id));
            if is_old { counts.tokens_old += tokens } else { counts.tokens_rest += tokens }
        }
        let active: usize =
            self.active()?.iter().map(|memory| self.tokens(memory.content.full_text().expose())).sum();
        counts.tokens_new = active.saturating_sub(counts.tokens_rest);
        Ok(())
    }

    fn ask_after(&self, question: &Question, needs: &BTreeSet<MemoryId>, counts: &mut Counts) -> Result {
        let reached_in = |answer: &[Memory]| {
            let links = answer.iter().flat_map(|memory| &memory.facets.derived_from);
            let sources: HashSet<MemoryId> =
                links.map(|link| link.source).chain(answer.iter().map(|memory| memory.id)).collect();
            needs.iter().filter(|id| sources.contains(id)).count()
        };
        let few = self.answer(question, Some(TierLimits::default()))?;
        counts.few_after += usize::from(reached_in(&few) == needs.len());
        let answer = self.answer(question, None)?;
        let reached = reached_in(&answer);
        counts.needed += needs.len();
        counts.reached += reached;
        counts.found_after += usize::from(reached == needs.len());
        counts.answered +=
            answer.iter().map(|memory| self.tokens(memory.content.full_text().expose())).sum::<usize>();
        let told: String =
            answer.iter().map(|memory| memory.content.full_text().expose().to_owned() + "\n").collect();
        let says = |id: &&MemoryId| sentences(self.text(id)).iter().any(|sentence| told.contains(sentence));
        counts.quoted += needs.iter().filter(says).count();
        Ok(())
    }

    /// The memories of an answer within its limits, best first.
    fn answer(&self, question: &Question, tiers: Option<TierLimits>) -> Result<Vec<Memory>> {
        let limit = RECALL_RESULTS_MAX;
        let query = Query { limit, tiers, max_tokens: TOKENS_MAX, ..Query::new(&question.text) };
        let recalled = self.service.recall(&grant::<Recall>("eval")?, &query)?;
        Ok(recalled.hits.into_iter().map(|hit| hit.memory).collect())
    }

    fn tokens(&self, text: &str) -> usize {
        self.service.count_tokens(text)
    }

    fn active(&self) -> Result<Vec<Memory>> {
        let grant = grant::<Recall>("eval")?;
        let mut memories = Vec::new();
        let mut after: Option<Cursor> = None;
        loop {
            let page = self.service.list(&grant, &Filter::default(), after, PAGE)?;
            for memory in page.memories {
                memories.push(self.service.get(&grant, memory.id)?);
            }
            after = page.next;
            if after.is_none() {
                return Ok(memories);
            }
        }
    }

    fn text(&self, id: &MemoryId) -> &str {
        let found =
            self.space.docs.iter().zip(&self.memories).find(|(_, memory)| memory.as_ref() == Some(id));
        found.map_or("", |(turn, _)| &turn.text)
    }

    /// Looks for words of what was written in the turns that it names.
    fn check(&self, show: bool, counts: &mut Counts) -> Result {
        for memory in self.active()?.iter().filter(|memory| !memory.facets.derived_from.is_empty()) {
            let links = memory.facets.derived_from.iter();
            let source: String = links.map(|link| format!("{}\n", self.text(&link.source))).collect();
            let known: HashSet<String> = words(&source).map(str::to_lowercase).collect();
            let text = memory.content.full_text().expose();
            let foreign: Vec<&str> =
                words(text).filter(|word| !known.contains(&word.to_lowercase())).collect();
            counts.foreign_words += foreign.len();
            counts.violations += foreign.iter().filter(|word| tells(word)).count();
            if show {
                println!(
                    "{} {} of {}: {text}",
                    memory.facets.content_type,
                    memory.created_at,
                    memory.facets.derived_from.len()
                );
            }
        }
        Ok(())
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Returns true when a word looks like a name, a number or a date: in doubt it is one.
fn tells(word: &str) -> bool {
    const DATES: &[&str] = &[
        "yesterday",
        "today",
        "tomorrow",
        "tonight",
        "week",
        "weekend",
        "month",
        "year",
        "ago",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "dozen",
        "hundred",
        "thousand",
        "million",
    ];
    word.chars().any(|c| c.is_uppercase() || c.is_numeric()) || DATES.contains(&word)
}

/// The sentences of a turn that say more than a word or two.
fn sentences(turn: &str) -> Vec<&str> {
    let said = turn.split_once(": ").map_or(turn, |(_, said)| said);
    said.split_inclusive(['.', '!', '?'])
        .map(str::trim)
        .filter(|sentence| words(sentence).count() > 3)
        .collect()
}

/// The time of each turn: its session's time, and a second for each turn before it.
fn times(space: &Space) -> Result<Vec<Timestamp>> {
    let mut seen: HashMap<&str, i64> = HashMap::new();
    space
        .docs
        .iter()
        .map(|turn| {
            let number = seen.entry(&turn.session).and_modify(|number| *number += 1).or_insert(0);
            Ok(moment(&turn.time)? + SignedDuration::from_secs(*number))
        })
        .collect()
}

/// Reads "1:56 pm on 8 May, 2023".
fn moment(text: &str) -> Result<Timestamp> {
    const MONTHS: &[&str] =
        &["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let fault = || format!("no time: {text}");
    let parts: Vec<&str> = text.split([' ', ',', ':']).filter(|part| !part.is_empty()).collect();
    let [hour, minute, half, _, day, month, year] = parts[..] else { return Err(fault().into()) };
    let month = MONTHS.iter().position(|name| month.starts_with(name)).ok_or_else(fault)?;
    let hour = hour.parse::<i8>()? % 12 + if half == "pm" { 12 } else { 0 };
    let date = civil::date(year.parse()?, i8::try_from(month)? + 1, day.parse()?);
    Ok(date.at(hour, minute.parse()?, 0, 0).to_zoned(jiff::tz::TimeZone::UTC)?.timestamp())
}

fn service(folder: &Path, now: Timestamp, small: bool) -> Result<Lacuna> {
    let instant = lacuna_models::static_embedder()?;
    let models = match small {
        true => Models::only(instant),
        false => Models { instant, main: lacuna_models::sentence_embedder()?, others: Vec::new() },
    };
    Ok(Lacuna::new(Parts {
        store: Arc::new(RamStore::default()),
        keys: Arc::new(RamKeys::default()),
        kms: LocalKms::open(&folder.join("keys"), None)?,
        blobs: Blobs::open(folder.join("blobs"))?,
        models,
        rules: Rulebook::default(),
        clock: Arc::new(ManualClock::at(now)),
        entropy: Arc::new(SystemEntropy),
        open_bytes_max: usize::MAX,
    })
    .counting(lacuna_models::token_counter()))
}

/// Stores every turn as a message of a session; what the gate asks is answered with yes.
fn remember<'a>(
    service: &Lacuna,
    space: &'a Space,
    times: &[Timestamp],
    session_of: impl Fn(&'a Turn) -> &'a str,
) -> Result<Vec<Option<MemoryId>>> {
    let grant = grant::<Remember>("eval")?;
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut memories = Vec::with_capacity(space.docs.len());
    for (turn, at) in space.docs.iter().zip(times) {
        let session = session_of(turn);
        let number = numbers.entry(session).and_modify(|number| *number += 1).or_insert(1);
        let draft = |confirm| -> Result<Draft> {
            let mut source = Source::new(SourceType::UserMessage, Trust::High);
            source.session = Some(SessionId::new(session)?);
            source.turn = Some(*number);
            let category = Some(Category::Conversation);
            Ok(Draft {
                text: turn.text.as_str().into(),
                category,
                source: Some(source),
                created_at: Some(*at),
                confirm,
                ..Draft::default()
            })
        };
        let mut outcome = service.remember(&grant, vec![draft(None)?])?.remove(0);
        if let Outcome::Asked(asked) = outcome {
            outcome = service.remember(&grant, vec![draft(Some(asked.token))?])?.remove(0);
        }
        memories.push(match outcome {
            Outcome::Stored(memory) => Some(memory.id),
            _ => None,
        });
    }
    Ok(memories)
}

/// Lets the background work give every memory its vector.
fn settle(service: &Lacuna) -> Result {
    while let Some(worked) = service.upkeep().work_backlog(Duration::ZERO, &mut |_| ControlFlow::Continue(()))
    {
        worked?;
    }
    Ok(())
}

fn report(counts: &[Counts]) -> Report {
    let mut report = Report::part(TITLE, "cargo xtask eval compaction");
    report.line(super::DEVELOPMENT_NOTE);
    report.line("\nThe older half of each dialogue of LoCoMo's development part, compacted without an LLM. A question");
    report.line(
        "counts as found when every compacted turn that it needs can be reached from a returned summary or",
    );
    report.line(&format!(
        "fact by its provenance, in an answer of at most {TOKENS_MAX} tokens; in brackets, with the"
    ));
    report.line("limits that a recall has by default as well: 10 episodic and 20 semantic memories.\n");
    let total = counts.iter().fold(Counts::default(), |sum, one| sum.plus(one));
    let rows = (1..).zip(counts).map(|(number, one)| one.row(&format!("dialogue {number}")));
    let head = [
        "",
        "turns → summaries + facts",
        "questions",
        "found before",
        "found after",
        "turns reached",
        "quoted",
        "tokens per answer",
        "tokens",
        "less",
        "invented",
    ];
    report.table(&head, rows.chain([total.row("**all**")]).collect());
    report.line(&format!(
        "\nWords of any kind that no source says: {}. In the whole vault, the newer half included, {} tokens fall to {}.",
        total.foreign_words,
        total.tokens_old + total.tokens_rest,
        total.tokens_new + total.tokens_rest,
    ));
    report
}

impl Counts {
    fn plus(mut self, other: &Self) -> Self {
        self.questions += other.questions;
        self.found_before += other.found_before;
        self.found_after += other.found_after;
        self.few_before += other.few_before;
        self.few_after += other.few_after;
        self.needed += other.needed;
        self.reached += other.reached;
        self.quoted += other.quoted;
        self.answered += other.answered;
        self.tokens_old += other.tokens_old;
        self.tokens_new += other.tokens_new;
        self.tokens_rest += other.tokens_rest;
        self.summaries += other.summaries;
        self.facts += other.facts;
        self.turns += other.turns;
        self.violations += other.violations;
        self.foreign_words += other.foreign_words;
        self
    }

    fn row(&self, name: &str) -> Vec<String> {
        let share = |part: usize, whole: usize| format!("{:.1}%", 100.0 * part as f64 / whole.max(1) as f64);
        let both = |all: usize, few: usize| {
            format!("{} ({})", share(all, self.questions), share(few, self.questions))
        };
        vec![
            name.to_owned(),
            format!("{} → {} + {}", self.turns, self.summaries, self.facts),
            self.questions.to_string(),
            both(self.found_before, self.few_before),
            both(self.found_after, self.few_after),
            share(self.reached, self.needed),
            share(self.quoted, self.needed),
            (self.answered / self.questions.max(1)).to_string(),
            format!("{} → {}", self.tokens_old, self.tokens_new),
            share(self.tokens_old.saturating_sub(self.tokens_new), self.tokens_old),
            self.violations.to_string(),
        ]
    }
}
