//! Turns behind their summaries: the recall of gold turns among the first ten results, without compaction and
//! after all of it, for dialogues under their real dates and for the same dialogues as one long chat.

use std::collections::HashMap;
use std::ops::ControlFlow;

use jiff::SignedDuration;
use lacuna_core::Lacuna;
use lacuna_core::keep::CompactRequest;
use lacuna_core::permit::{Forget, Recall};
use lacuna_core::read::Query;
use lacuna_types::*;

use super::{Space, Turn, remember, service, settle, times};
use crate::Result;
use crate::bench::report::Report;
use crate::bench::service::grant;

/// Results that are looked at.
const RESULTS: usize = 10;

/// An arrangement of a dialogue in sessions, and the way in which it is compacted.
#[derive(Clone, Copy)]
enum Arrangement {
    /// The sessions of the dialogue; every turn is compacted.
    Dated,
    /// All turns in one session; the thresholds of the policy decide.
    OneChat,
}

impl Arrangement {
    fn name(self) -> &'static str {
        match self {
            Self::Dated => "real dates, every turn compacted",
            Self::OneChat => "one chat, over the threshold of messages",
        }
    }

    fn session(self, turn: &Turn) -> &str {
        match self {
            Self::Dated => &turn.session,
            Self::OneChat => "chat",
        }
    }
}

#[derive(Default)]
struct BehindFigures {
    questions: usize,
    before: f64,
    after: f64,
    turns: usize,
    summaries: usize,
    /// The most summaries that one week of one session has.
    in_one_week: usize,
}

/// Adds the figures of both arrangements to the report.
pub(super) fn report(report: &mut Report, spaces: &[Space], small: bool) -> Result {
    report
        .line("\nGold turns among the first ten results, archived turns behind their summaries included:\n");
    let mut rows = Vec::new();
    for arrangement in [Arrangement::Dated, Arrangement::OneChat] {
        let mut figures = BehindFigures::default();
        for space in spaces {
            measure(space, arrangement, small, &mut figures)?;
        }
        let share = |sum: f64| format!("{:.1}%", 100.0 * sum / figures.questions.max(1) as f64);
        rows.push(vec![
            arrangement.name().to_owned(),
            figures.questions.to_string(),
            share(figures.before),
            share(figures.after),
            format!("{} → {}", figures.turns, figures.summaries),
            figures.in_one_week.to_string(),
        ]);
    }
    let head = ["", "questions", "R@10 before", "R@10 after", "turns → summaries", "most in one week"];
    report.table(&head, rows);
    Ok(())
}

fn measure(space: &Space, arrangement: Arrangement, small: bool, figures: &mut BehindFigures) -> Result {
    let folder = tempfile::tempdir()?;
    let times = times(space)?;
    let end = times.last().copied().ok_or("a dialogue without turns")?;
    let service = service(folder.path(), end + SignedDuration::from_hours(24), small)?;
    let memories = remember(&service, space, &times, |turn| arrangement.session(turn))?;
    settle(&service)?;
    let labels = space.docs.iter().zip(&memories);
    let by_label: HashMap<&str, MemoryId> =
        labels.filter_map(|(turn, id)| Some((turn.id.as_str(), (*id)?))).collect();
    let before = recall(&service, space, &by_label)?;
    let request = match arrangement {
        Arrangement::Dated => {
            CompactRequest { before: Some(service.clock().now()), ..CompactRequest::default() }
        }
        Arrangement::OneChat => CompactRequest::default(),
    };
    let done = service.compact(&grant::<Forget>("eval")?, &request, &mut |_| ControlFlow::Continue(()))?;
    settle(&service)?;
    let mut weeks: HashMap<(Option<SessionId>, Vec<String>), usize> = HashMap::new();
    for id in &done.summaries {
        let summary = service.get(&grant::<Recall>("eval")?, *id)?;
        *weeks.entry((summary.facets.source.session, summary.facets.tags)).or_default() += 1;
    }
    figures.questions += space.queries.len();
    figures.before += before;
    figures.after += recall(&service, space, &by_label)?;
    figures.turns += done.turns;
    figures.summaries += done.summaries.len();
    figures.in_one_week = figures.in_one_week.max(weeks.into_values().max().unwrap_or(0));
    Ok(())
}

/// The sum over the questions of the share of their gold turns that is found.
fn recall(service: &Lacuna, space: &Space, by_label: &HashMap<&str, MemoryId>) -> Result<f64> {
    let mut sum = 0.0;
    for question in &space.queries {
        let query = Query { limit: RESULTS, tiers: None, ..Query::new(&question.text) };
        let found = service.recall(&grant::<Recall>("eval")?, &query)?;
        let found: Vec<MemoryId> = found.hits.iter().map(|hit| hit.memory.id).collect();
        let gold = question.gold.iter().filter_map(|label| by_label.get(label.as_str()));
        let hits = gold.filter(|id| found.contains(id)).count();
        sum += hits as f64 / question.gold.len().max(1) as f64;
    }
    Ok(sum)
}
