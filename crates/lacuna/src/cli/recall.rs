use clap::Args;
use lacuna_core::permit::permit;
use lacuna_core::read::Query;

use super::args::{ScopeArgs, words};
use super::managed::condition;
use super::output::{Output, counted, day, dimmed, fields, plain, table};
use super::remember::read_stdin;
use super::short_id::{self, short};
use super::when::TimeArg;
use crate::assemble::{Installation, assemble};
use crate::config::Config;
use crate::wire::failure::Result;
use crate::wire::{
    self, Filters, FoundMemory, MeaningView, Meant, SearchRequest, SearchResponse, TimeRange, UnderstoodView,
    read_meant,
};

#[derive(Args)]
pub(super) struct FilterArgs {
    /// May be given more than once.
    #[arg(long = "category", value_name = "CATEGORY", value_parser = words::<wire::Category, _>(wire::Category::all()))]
    categories: Vec<wire::Category>,
    #[arg(long = "tier", value_name = "TIER", value_parser = words::<wire::Tier, _>(wire::Tier::all()))]
    tiers: Vec<wire::Tier>,
    #[arg(long = "lane", value_name = "LANE", value_parser = words::<wire::Lane, _>(wire::Lane::all()))]
    lanes: Vec<wire::Lane>,
    /// Find memories by their secondary lanes as well.
    #[arg(long, requires = "lanes")]
    secondary_lanes: bool,
    /// Only memories with this tag; given more than once, with all of them.
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Only memories of this conversation.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// A date, a time, or a span such as 7d.
    #[arg(long, value_name = "WHEN")]
    since: Option<TimeArg>,
    /// A date, a time, or a span such as 1d.
    #[arg(long, value_name = "WHEN")]
    until: Option<TimeArg>,
    /// Show archived memories as well.
    #[arg(long)]
    archived: bool,
}

#[derive(Args)]
pub(super) struct RecallArgs {
    /// Question in your own words; `-` reads it from standard input.
    query: String,
    /// Most memories to show [default: 10 memories of events and 20 of facts].
    #[arg(long, value_name = "COUNT")]
    limit: Option<usize>,
    /// Tokens of all texts together [default: 4000].
    #[arg(long, value_name = "COUNT")]
    max_tokens: Option<usize>,
    /// Let the words of the question ("my", "our", "the docs") narrow the lanes [default: as the policy says].
    #[arg(long, overrides_with = "no_intent")]
    intent: bool,
    /// Look in every lane, whatever the words.
    #[arg(long)]
    no_intent: bool,
    /// Count what is found as brought to mind, so that it fades later.
    #[arg(long)]
    rehearse: bool,
    /// Leave out what is less similar; the same value means the same under every model.
    #[arg(long, value_name = "0..1", allow_negative_numbers = true)]
    min_similarity: Option<f32>,
    /// Leave out weak memories; without this the best are always shown, however weak.
    #[arg(long)]
    strong_only: bool,
    /// Moment from which "yesterday" in the question counts: a date, a time, or a span such as 7d [default: now].
    #[arg(long, value_name = "WHEN")]
    as_of: Option<TimeArg>,
    /// Weight of recency [default: 0.3].
    #[arg(long, value_name = "0..1", allow_negative_numbers = true)]
    recency_weight: Option<f32>,
    /// Only memories whose metadata meets a condition, as JSON: '{"project": "halcyon"}'.
    #[arg(long = "where", value_name = "JSON")]
    condition: Option<String>,
    /// Tell why each memory has its score.
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    scope: ScopeArgs,
}

pub(super) fn run(config: &Config, args: RecallArgs, output: &Output) -> Result<()> {
    let query = if args.query == "-" { read_stdin()? } else { args.query };
    let installation = assemble(config)?;
    installation.unlock(true)?;
    let now = installation.service.clock().now();
    let filter = args.filter.into_filters(&installation, args.scope.as_deref())?;
    let request = SearchRequest {
        query,
        max_results: args.limit,
        max_tokens: args.max_tokens,
        intent: (args.intent || args.no_intent).then_some(args.intent),
        rehearse: args.rehearse,
        scope: args.scope.scope,
        min_similarity: args.min_similarity,
        strong_only: args.strong_only,
        as_of: args.as_of.map(|when| when.before(now)),
        recency_weight: args.recency_weight,
        category_filter: filter.categories,
        tier_filter: filter.tiers,
        lane_filter: filter.lanes,
        secondary_lanes: filter.secondary_lanes,
        tag_filter: filter.tags,
        session_id: filter.session_id,
        time_range: filter.range,
        include_archived: filter.include_archived,
        explain: args.explain,
        ..SearchRequest::default()
    };
    let (service, caller) = (&installation.service, &installation.local);
    let Meant { scope, why_own } = read_meant(service, request.scope.as_deref(), caller, &request.query)?;
    let condition = args.condition.as_deref().map(condition).transpose()?;
    let query = Query { condition, ..request.into_query()? };
    let recalled = service.recall(&permit(caller, &scope)?, &query)?;
    service.upkeep().flush_reads()?;
    service.upkeep().flush_rehearsals()?;
    output.show(&SearchResponse::of(recalled, &scope, why_own), people)
}

impl FilterArgs {
    pub(super) fn into_filters(self, installation: &Installation, scope: Option<&str>) -> Result<Filters> {
        let now = installation.service.clock().now();
        let session =
            self.session.map(|text| short_id::session_id(installation, scope, &text)).transpose()?;
        Ok(Filters {
            categories: self.categories,
            tiers: self.tiers,
            lanes: self.lanes,
            secondary_lanes: self.secondary_lanes,
            tags: self.tags,
            session_id: session.map(|id| id.as_str().to_owned()),
            range: TimeRange {
                after: self.since.map(|when| when.before(now)),
                before: self.until.map(|when| when.before(now)),
            },
            include_archived: self.archived,
            ..Filters::default()
        })
    }
}

fn people(answer: &SearchResponse) -> String {
    let mut parts = Vec::new();
    if answer.memories.is_empty() {
        parts.push(answer.hint.clone().unwrap_or_default());
    }
    let (weak, strong): (Vec<_>, Vec<_>) = answer.memories.iter().partition(|found| found.weak);
    if !strong.is_empty() {
        parts.push(listed(&strong));
    }
    if !weak.is_empty() {
        parts.push(dimmed(format!("Weak, and perhaps about something else:\n{}", listed(&weak))));
    }
    for found in &answer.memories {
        let Some(why) = &found.explanation else { continue };
        let compared: Vec<String> =
            [&why.meaning, &why.second_meaning].into_iter().flatten().map(shown).collect();
        let meaning = if compared.is_empty() { "not compared".to_owned() } else { compared.join("; ") };
        let features = why.features.iter().filter(|feature| feature.contribution != 0.0);
        let features: Vec<String> =
            features.map(|feature| format!("{} {:+.2}", feature.name, feature.contribution)).collect();
        parts.push(fields([
            ("why", short(&found.memory_id)),
            ("  score", format!("{:.3}", found.score)),
            ("  meaning", meaning),
            (
                "  words",
                format!("{:.3}, with context {:.3} ({})", why.words, why.context, why.matched.join(", ")),
            ),
            ("  features", features.join(", ")),
            ("  relevance", format!("{:.3}", why.relevance)),
            ("  salience", format!("{:.2}", why.salience)),
            ("  recency", format!("{:.2}", why.recency)),
            ("  tags", format!("{:.2}", why.tags)),
        ]));
    }
    let models = if answer.models.is_empty() { "words only".to_owned() } else { answer.models.join(", ") };
    parts.push(format!(
        "{} of {}, {:.1} ms, {}",
        answer.memories.len(),
        counted(answer.total_searched, "memory", "memories"),
        answer.query_time_ms,
        plain(&models)
    ));
    if answer.left_out > 0 {
        parts.push(format!("{} more did not fit: allow more, such as --max-tokens 8000", answer.left_out));
    }
    if let Some(understood) = &answer.understood {
        parts.push(meant(understood));
    }
    if answer.damaged > 0 {
        parts.push(format!(
            "{} damaged and not searched: run lacuna doctor",
            counted(answer.damaged, "memory is", "memories are")
        ));
    }
    parts.join("\n\n")
}

fn shown(meaning: &MeaningView) -> String {
    format!("cosine {:.3}, similarity {:.3} ({})", meaning.cosine, meaning.similarity, meaning.model)
}

fn listed(memories: &[&FoundMemory]) -> String {
    let rows = memories.iter().map(|found| {
        [
            format!("{:.2}", found.similarity_score),
            labelled(found),
            day(found.created_at),
            short(&found.memory_id),
        ]
    });
    table(["similar", "memory", "created", "id"], rows)
}

fn meant(understood: &UnderstoodView) -> String {
    let UnderstoodView { lane, scope, because, broaden, .. } = understood;
    let words = [lane.map(|lane| format!("lane {lane}")), scope.map(|scope| format!("scope {scope}"))];
    let words: Vec<String> = words.into_iter().flatten().collect();
    let mut lines = match words.is_empty() {
        true => vec!["understood: no rule spoke".to_owned()],
        false => vec![format!("understood: {} (because of: {})", words.join(", "), because.join(", "))],
    };
    lines.extend(broaden.iter().map(|hint| format!("to look further: {hint}")));
    lines.join("\n")
}

/// The text, with a label unless it is the owner's own word, and one for a turn behind its summary.
fn labelled(found: &FoundMemory) -> String {
    let content = match found.behind {
        Some(_) => format!("{} [behind its summary]", found.content),
        None => found.content.clone(),
    };
    match &found.source_label {
        Some(label) => format!("{content} [{label}]"),
        None => content,
    }
}
