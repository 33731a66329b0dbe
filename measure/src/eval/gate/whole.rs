//! The gate as a whole, in front of a real vault: what becomes active, what is disturbed, and what it costs.

use std::time::{Duration, Instant};

use lacuna_core::Lacuna;
use lacuna_core::permit::{Freeze, Remember};
use lacuna_core::vault::Models;
use lacuna_core::write::Outcome;
use lacuna_types::Error;
use lacuna_types::embed::Purpose;
use lacuna_types::*;
use serde::Deserialize;

use super::{Sets, share};
use crate::Result;
use crate::bench::report::{Report, time};
use crate::bench::service::{grant, service};

/// Drafts in one call.
const BATCH: usize = 500;
/// Memories beside which a write is timed, and how often.
const BESIDE: usize = 5_000;
const TIMED: usize = 400;
const TEXT_CHARS: usize = 500;

#[derive(Deserialize)]
struct Row {
    text: String,
    is_injection: bool,
}

/// Outcomes of some writes.
#[derive(Default)]
struct Fates {
    active: usize,
    waiting: usize,
    asked: usize,
    refused: usize,
    /// Stored with something taken out or changed.
    changed: usize,
}

impl Fates {
    fn all(&self) -> usize {
        self.active + self.waiting + self.asked + self.refused
    }

    fn row(&self, name: &str) -> Vec<String> {
        let of_all = |part| share(part, self.all());
        let parts = [self.active, self.waiting, self.asked, self.refused, self.changed];
        std::iter::once(name.to_owned()).chain(parts.map(of_all)).collect()
    }
}

pub(super) fn write(sets: &Sets, report: &mut Report) -> Result {
    let (Some(rows), Some(turns)) = (sets.rows::<Row>("injections_dev.jsonl")?, sets.turns()?) else {
        return Ok(());
    };
    report.heading("What becomes of writes");
    let folder = tempfile::tempdir()?;
    let service = service(folder.path(), Models::only(lacuna_models::static_embedder()?))?;
    let texts = |injected| -> Vec<&str> {
        rows.iter().filter(|row| row.is_injection == injected).map(|row| &*row.text).collect()
    };
    let page = Source { tool: Some("web_fetch".into()), ..Source::new(SourceType::ToolOutput, Trust::Low) };
    let from_page = |tier| Draft { source: Some(page.clone()), tier: Some(tier), ..Draft::default() };
    let said = || Draft { category: Some(Category::Conversation), ..Draft::default() };
    let turns: Vec<&str> = turns.iter().map(String::as_str).collect();
    let cases = [
        ("orders from a page, as facts", fates(&service, "a", &texts(true), || from_page(Tier::Semantic))?),
        ("orders from a page, as turns", fates(&service, "b", &texts(true), || from_page(Tier::Episodic))?),
        (
            "ordinary texts from a page, as turns",
            fates(&service, "c", &texts(false), || from_page(Tier::Episodic))?,
        ),
        ("turns of dialogues, as the user's own", fates(&service, "d", &turns, said)?),
    ];
    report.line("Through the library, under personal authority, no basis of consent named.\n");
    let head = ["writes", "active", "waiting", "asked first", "refused", "changed"];
    report.table(&head, cases.iter().map(|(name, fates)| fates.row(name)).collect());
    cost(&turns, report)
}

fn fates(service: &Lacuna, user: &str, texts: &[&str], draft: impl Fn() -> Draft) -> Result<Fates> {
    let grant = grant::<Remember>(user)?;
    let mut fates = Fates::default();
    for texts in texts.chunks(BATCH) {
        let drafts = texts.iter().map(|text| Draft { text: (*text).into(), ..draft() }).collect();
        for outcome in service.remember(&grant, drafts)? {
            match outcome {
                Outcome::Asked(_) => fates.asked += 1,
                Outcome::Refused(_) => fates.refused += 1,
                Outcome::Stored(memory) => {
                    fates.changed += usize::from(
                        !memory.report.redactions.is_empty() || !memory.report.changes.is_empty(),
                    );
                    match memory.state {
                        Lifecycle::Active => fates.active += 1,
                        _ => fates.waiting += 1,
                    }
                }
            }
        }
    }
    Ok(fates)
}

/// The time that the gate adds to a write. A frozen vault refuses after the gate, so that the gate is timed alone.
fn cost(turns: &[&str], report: &mut Report) -> Result {
    report.heading("What the gate costs");
    let folder = tempfile::tempdir()?;
    let embedder = lacuna_models::static_embedder()?;
    let service = service(folder.path(), Models::only(embedder.clone()))?;
    let texts = pages(turns);
    let beside: Vec<&str> = turns.iter().cycle().take(BESIDE).copied().collect();
    fates(&service, "writer", &beside, || Draft {
        category: Some(Category::Conversation),
        ..Draft::default()
    })?;

    let write = |text: &str, category| -> Result<()> {
        let basis = Some(ConsentBasis::ExplicitConsent);
        let draft =
            Draft { text: text.into(), category: Some(category), consent_basis: basis, ..Draft::default() };
        match service.remember(&grant("writer")?, vec![draft]) {
            Ok(_) | Err(Error::Refused { code: "frozen", .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    };
    // By turns, so that whatever changes while the vault grows changes both.
    let (mut turns, mut facts) = (Vec::new(), Vec::new());
    for text in &texts {
        turns.push(timed(|| write(&format!("{text} one"), Category::Conversation))?);
        facts.push(timed(|| write(&format!("{text} two"), Category::LearnedContext))?);
    }
    let (as_turn, as_fact) = (middle(turns), middle(facts));
    let embedding = median(&texts, |text| Ok(embedder.embed(&[text], Purpose::Passage).map(drop)?))?;
    service.freeze(&grant::<Freeze>("writer")?)?;
    let gate = median(&texts, |text| write(&format!("{text} three"), Category::LearnedContext))?;
    let reconciling = as_fact.saturating_sub(as_turn);
    let added = gate.saturating_sub(embedding) + reconciling;
    report.line(&format!(
        "Texts of {TEXT_CHARS} characters, one by one, beside {BESIDE} memories; medians of {TIMED}.\n"
    ));
    let rows = [
        ("the gate, embedding aside", gate.saturating_sub(embedding)),
        ("finding repeats and contradictions of a fact", reconciling),
        ("**both: what the gate adds** (target: ≤ 1 ms)", added),
        ("embedding by the instant model", embedding),
        ("the whole write of a fact, durable", as_fact),
    ];
    report.table(&["step", "median"], rows.map(|(step, took)| vec![step.to_owned(), time(took)]).to_vec());
    Ok(())
}

/// Ordinary text, cut into pieces of equal length.
fn pages(turns: &[&str]) -> Vec<String> {
    let characters: Vec<char> = turns.join(" ").chars().collect();
    characters.chunks_exact(TEXT_CHARS).take(TIMED).map(|piece| piece.iter().collect()).collect()
}

fn median(texts: &[String], mut work: impl FnMut(&str) -> Result<()>) -> Result<Duration> {
    Ok(middle(texts.iter().map(|text| timed(|| work(text))).collect::<Result<_>>()?))
}

fn timed(work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let started = Instant::now();
    work()?;
    Ok(started.elapsed())
}

fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
