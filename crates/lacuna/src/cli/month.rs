//! The monthly review on the terminal: the statistics, a choice, and what came of it.

use clap::Args;
use jiff::Timestamp;
use lacuna_core::govern::{Answer, Part, REVIEW_PAGE_MAX};
use lacuna_core::permit::{Forget, Grant, Review, permit};
use lacuna_types::MemoryId;

use super::args::ScopeArgs;
use super::output::{Output, counted, day, fields, line, table};
use super::short_id::{self, Care, short};
use crate::assemble::{Installation, assemble};
use crate::config::Config;
use crate::wire::failure::Result;
use crate::wire::{AnsweredView, MonthPageView, MonthView, ReviewItemView};

const CHOICES: &str =
    "[k]eep all, [o]ne by one, by [c]ategory, apply [d]efaults, [a]rchive what has faded, or [l]ater? ";

#[derive(Args)]
pub(super) struct MonthArgs {
    /// List the memories that are worth a decision.
    #[arg(long)]
    list: bool,
    /// Keep all of them: their time begins anew.
    #[arg(long, group = "answer")]
    keep_all: bool,
    /// Erase what is older than your organisation's rules keep it.
    #[arg(long, group = "answer")]
    apply_defaults: bool,
    /// Set aside what has faded: it is kept and no longer recalled.
    #[arg(long, group = "answer")]
    archive_faded: bool,
    /// Keep those of one part: a category such as health, conversations or other.
    #[arg(long, value_name = "PART", group = "answer")]
    keep: Option<String>,
    /// Erase those of one part.
    #[arg(long, value_name = "PART", group = "answer")]
    erase: Option<String>,
    /// Keep these; may be given more than once.
    #[arg(long = "keep-id", value_name = "MEMORY_ID", group = "answer")]
    keep_ids: Vec<String>,
    /// Erase these; may be given more than once.
    #[arg(long = "erase-id", value_name = "MEMORY_ID", group = "answer")]
    erase_ids: Vec<String>,
    #[command(flatten)]
    scope: ScopeArgs,
}

pub(super) fn run(config: &Config, args: &MonthArgs, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let grant = installation.grant::<Review>(args.scope.as_deref())?;
    let month = MonthView::of(installation.service.review_month(&grant)?, grant.scope());
    let Some(answer) = args.answer(&installation)? else {
        return look(&installation, &grant, &month, args.list, output);
    };
    decide(&installation, &grant, &month.seen, &answer, output)
}

impl MonthArgs {
    fn answer(&self, installation: &Installation) -> Result<Option<Answer>> {
        let ids = |ids: &[String], care| short_id::memory_ids(installation, self.scope.as_deref(), ids, care);
        let part = |part: &Option<String>| part.as_deref().map(str::parse::<Part>).transpose();
        let answers = [
            self.keep_all.then_some(Answer::KeepAll),
            self.apply_defaults.then_some(Answer::ApplyDefaults),
            self.archive_faded.then_some(Answer::ArchiveFaded),
            part(&self.keep)?.map(Answer::KeepPart),
            part(&self.erase)?.map(Answer::ErasePart),
            (!self.keep_ids.is_empty())
                .then(|| ids(&self.keep_ids, Care::Usual))
                .transpose()?
                .map(Answer::Keep),
            (!self.erase_ids.is_empty())
                .then(|| ids(&self.erase_ids, Care::ForGood))
                .transpose()?
                .map(Answer::Erase),
        ];
        Ok(answers.into_iter().flatten().next())
    }
}

fn look(
    installation: &Installation,
    grant: &Grant<Review>,
    month: &MonthView,
    list: bool,
    output: &Output,
) -> Result<()> {
    if list {
        let page = items(installation, grant, None, None)?;
        return output.show(&page, listed);
    }
    output.show(month, people)?;
    if month.to_review == 0 || output.is_json() {
        return Ok(());
    }
    match output.choose(CHOICES).as_deref() {
        Some("k") => decide(installation, grant, &month.seen, &Answer::KeepAll, output),
        Some("d") => decide(installation, grant, &month.seen, &Answer::ApplyDefaults, output),
        Some("a") => decide(installation, grant, &month.seen, &Answer::ArchiveFaded, output),
        Some("c") => by_part(installation, grant, month, output),
        Some("o") => one_by_one(installation, grant, output),
        _ => Ok(()),
    }
}

fn items(
    installation: &Installation,
    grant: &Grant<Review>,
    part: Option<Part>,
    after: Option<MemoryId>,
) -> Result<MonthPageView> {
    let page = installation.service.review_items(grant, part, after, REVIEW_PAGE_MAX)?;
    installation.service.upkeep().flush_reads()?;
    Ok(MonthPageView::of(page, grant.scope()))
}

fn decide(
    installation: &Installation,
    grant: &Grant<Review>,
    seen: &str,
    answer: &Answer,
    output: &Output,
) -> Result<()> {
    let forget = permit::<Forget>(&installation.local, grant.scope())?;
    let answered = installation.service.answer_review(&forget, seen, answer)?;
    output.show(&AnsweredView::of(answered, grant.scope()), done)
}

/// Asks about each part in turn. What was seen changes with every answer, so it is read again.
fn by_part(
    installation: &Installation,
    grant: &Grant<Review>,
    month: &MonthView,
    output: &Output,
) -> Result<()> {
    let mut parts: Vec<&str> = month.recommended.iter().map(|one| one.part).collect();
    parts.dedup();
    for part in parts {
        let answer = match output.choose(&format!("{part}: [k]eep, [e]rase, or [l]ater? ")).as_deref() {
            Some("k") => Answer::KeepPart(part.parse()?),
            Some("e") => Answer::ErasePart(part.parse()?),
            _ => continue,
        };
        let seen = installation.service.review_month(grant)?.mark;
        decide(installation, grant, &seen, &answer, output)?;
    }
    Ok(())
}

/// Asks about each memory, then does it all in two strokes.
fn one_by_one(installation: &Installation, grant: &Grant<Review>, output: &Output) -> Result<()> {
    let (mut keep, mut erase, mut after) = (Vec::new(), Vec::new(), None);
    'pages: loop {
        let page = items(installation, grant, None, after)?;
        for item in &page.memories {
            let question = format!("{}\n[k]eep, [e]rase, [l]ater, or [q]uit? ", told(item));
            match output.choose(&question).as_deref() {
                Some("k") => keep.push(item.memory_id.parse()?),
                Some("e") => erase.push(item.memory_id.parse()?),
                Some("q") | None => break 'pages,
                _ => {}
            }
        }
        let Some(next) = page.next else { break };
        after = Some(next.parse()?);
    }
    for (ids, answer) in [(keep, Answer::Keep as fn(Vec<MemoryId>) -> Answer), (erase, Answer::Erase)] {
        if !ids.is_empty() {
            let seen = installation.service.review_month(grant)?.mark;
            decide(installation, grant, &seen, &answer(ids), output)?;
        }
    }
    Ok(())
}

fn told(item: &ReviewItemView) -> String {
    let gist = item.memory.as_ref().map_or_else(|| "(hidden)".to_owned(), |memory| line(&memory.gist));
    let goes = item.expires_at.map(|at| format!(", goes {}", day(at))).unwrap_or_default();
    format!(
        "\n{gist}\n{}, since {}: {}{goes}",
        item.parts.join(" and "),
        day(item.created_at),
        why(item.reason)
    )
}

fn why(reason: &str) -> &'static str {
    match reason {
        "asked" => "its time is over",
        "half_life" => "it is sensitive, and half of its half-life is over",
        "expiring" => "it goes soon",
        "faded" => "it has faded",
        _ => "it is kept longer than by default",
    }
}

fn people(month: &MonthView) -> String {
    let days = |oldest: Timestamp| month.at.duration_since(oldest).as_hours() / 24;
    let mut lines = vec![fields(vec![
        ("vault", month.scope.clone()),
        ("memories", month.memories.to_string()),
        ("expiring within 7 days", month.expiring_soon.to_string()),
        ("worth a decision", month.to_review.to_string()),
        ("last reviewed", month.reviewed_at.map_or_else(|| "never".to_owned(), day)),
    ])];
    if !month.parts.is_empty() {
        let rows = month.parts.iter().map(|part| {
            [part.part.to_owned(), part.memories.to_string(), format!("{} days ago", days(part.oldest))]
        });
        lines.push(table(["part", "memories", "oldest"], rows));
    }
    if !month.recommended.is_empty() {
        let rows = month.recommended.iter().map(|one| {
            let goes = one.goes_at.map(day).unwrap_or_default();
            [one.part.to_owned(), one.memories.to_string(), why(one.reason).to_owned(), goes]
        });
        lines.push(table(["to decide", "memories", "because", "first goes"], rows));
    }
    lines.join("\n\n")
}

fn listed(page: &MonthPageView) -> String {
    let rows = page.memories.iter().map(|item| {
        let gist = item.memory.as_ref().map_or_else(|| "(hidden)".to_owned(), |memory| memory.gist.clone());
        let goes = item.expires_at.map(day).unwrap_or_default();
        [item.parts.join(", "), gist, why(item.reason).to_owned(), goes, short(&item.memory_id)]
    });
    table(["part", "memory", "because", "goes", "id"], rows)
}

fn done(view: &AnsweredView) -> String {
    let (kept, archived, erased) = (view.kept.len(), view.archived.len(), view.erased.len());
    let mut lines = vec![format!("{kept} kept, {archived} set aside, {erased} erased")];
    if !view.fell.is_empty() {
        lines.push(counted(
            view.fell.len(),
            "was made of that and went too",
            "were made of that and went too",
        ));
    }
    lines.extend(view.receipts.iter().map(|receipt| format!("receipt {}", receipt.receipt)));
    lines.join("\n")
}
