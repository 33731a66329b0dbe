use jiff::Timestamp;
use lacuna_core::domain::Trust;

use super::args::{FilterArgs, RecallArgs};
use super::output::{Output, fields, plain, table};
use super::remember::read_stdin;
use crate::assemble::assemble;
use crate::config::Config;
use crate::failure::Result;
use crate::wire::{Filters, FoundMemory, SearchRequest, SearchResponse, TimeRange};

pub(super) fn run(config: &Config, args: RecallArgs, output: &Output) -> Result<()> {
    let query = if args.query == "-" { read_stdin()? } else { args.query };
    let installation = assemble(config)?;
    let filter = args.filter.into_filters(installation.service.clock().now());
    let request = SearchRequest {
        query,
        max_results: args.limit,
        min_similarity: args.min_similarity,
        recency_weight: args.recency_weight,
        category_filter: filter.categories,
        tier_filter: filter.tiers,
        lane_filter: filter.lanes,
        tag_filter: filter.tags,
        session_id: filter.session_id,
        time_range: filter.range,
        include_archived: filter.include_archived,
        explain: args.explain,
        ..SearchRequest::default()
    };
    let grant = installation.grant(args.scope.as_deref())?;
    let recalled = installation.service.recall(&grant, &request.into_query()?)?;
    installation.service.flush_reads()?;
    output.show(&SearchResponse::of(recalled, grant.scope()), people)
}

impl FilterArgs {
    pub(super) fn into_filters(self, now: Timestamp) -> Filters {
        Filters {
            categories: self.categories,
            tiers: self.tiers,
            lanes: self.lanes,
            tags: self.tags,
            session_id: self.session,
            range: TimeRange {
                after: self.since.map(|when| when.before(now)),
                before: self.until.map(|when| when.before(now)),
            },
            include_archived: self.archived,
        }
    }
}

fn people(answer: &SearchResponse) -> String {
    let mut parts = Vec::new();
    if answer.memories.is_empty() {
        parts.push(answer.hint.clone().unwrap_or_default());
    } else {
        let rows = answer.memories.iter().map(|found| {
            let similarity = format!("{:.2}", found.similarity_score);
            [
                similarity,
                labelled(found),
                found.created_at.strftime("%Y-%m-%d").to_string(),
                found.memory_id.clone(),
            ]
        });
        parts.push(table(["similar", "memory", "created", "id"], rows));
    }
    for found in &answer.memories {
        let Some(why) = &found.explanation else { continue };
        let meaning = why.meaning.as_ref().map_or("not compared".to_owned(), |meaning| {
            format!("cosine {:.3}, similarity {:.3} ({})", meaning.cosine, meaning.similarity, meaning.model)
        });
        parts.push(fields([
            ("why", found.memory_id.clone()),
            ("  score", format!("{:.3}", found.score)),
            ("  meaning", meaning),
            (
                "  words",
                format!("{:.3}, with context {:.3} ({})", why.words, why.context, why.matched.join(", ")),
            ),
            ("  relevance", format!("{:.3}", why.relevance)),
            ("  salience", format!("{:.2}", why.salience)),
            ("  recency", format!("{:.2}", why.recency)),
            ("  tags", format!("{:.2}", why.tags)),
        ]));
    }
    let models = if answer.models.is_empty() { "words only".to_owned() } else { answer.models.join(", ") };
    parts.push(format!(
        "{} of {} memories, {:.1} ms, {}",
        answer.memories.len(),
        answer.total_searched,
        answer.query_time_ms,
        plain(&models)
    ));
    if answer.damaged > 0 {
        parts.push(format!(
            "{} memories are damaged and were not searched: run lacuna doctor",
            answer.damaged
        ));
    }
    parts.join("\n\n")
}

/// The text, with a label unless it is the owner's own word.
fn labelled(found: &FoundMemory) -> String {
    let content = &found.content;
    match found.trust.0 {
        _ if found.from_external_content => format!("{content} [from outside, trust {}]", found.trust),
        Trust::High => content.clone(),
        _ => format!("{content} [trust {}]", found.trust),
    }
}
