//! Retention: the settings of a vault, the effect of a change, and pins.

use clap::{Args, Subcommand};
use lacuna_core::permit::{Recall, Retain, permit};
use lacuna_core::vault::{EntityRule, Settings, Span};
use lacuna_types::{RetentionTier, Sensitivity};

use super::args::{ScopeArgs, words};
use super::output::{Output, counted, fields, table};
use super::short_id::{self, Care};
use crate::assemble::{Installation, assemble};
use crate::codes;
use crate::config::Config;
use crate::wire::failure::{Failure, Result};
use crate::wire::{self, PreviewView, RetentionView, RuleView};

#[derive(Subcommand)]
pub(super) enum RetentionCommand {
    /// The settings, and the rules beneath.
    Show {
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Change what is set. DAYS is a number, forever, or default to take a setting back.
    Set(Box<RetentionSetArgs>),
}

#[derive(Args)]
pub(super) struct RetentionSetArgs {
    /// Keep nothing longer than this.
    #[arg(long, value_name = "DAYS")]
    max_days: Option<String>,
    /// Days that a category of sensitivity is kept; may be given more than once.
    #[arg(long = "category", value_name = "CATEGORY=DAYS")]
    categories: Vec<String>,
    /// Days that a retention tier is kept; may be given more than once.
    #[arg(long = "tier", value_name = "TIER=DAYS")]
    tiers: Vec<String>,
    /// Days that memories about a person or thing are kept; may be given more than once.
    #[arg(long = "about", value_name = "NAME=DAYS")]
    entities: Vec<String>,
    /// Never show the content of this category in a review; may be given more than once.
    #[arg(long, value_name = "CATEGORY", value_parser = words::<wire::Sensitivity, _>(wire::Sensitivity::all()))]
    hide: Vec<wire::Sensitivity>,
    /// Show every category in a review again.
    #[arg(long, conflicts_with = "hide")]
    show_all: bool,
    /// Begin with nothing set.
    #[arg(long)]
    reset: bool,
    /// Only say what would go.
    #[arg(long)]
    preview: bool,
    /// Let go what goes by it without asking.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    scope: ScopeArgs,
}

pub(super) fn run(config: &Config, command: RetentionCommand, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    match command {
        RetentionCommand::Show { scope } => show(&installation, scope.as_deref(), output),
        RetentionCommand::Set(args) => set(&installation, *args, output),
    }
}

fn show(installation: &Installation, scope: Option<&str>, output: &Output) -> Result<()> {
    let grant = installation.grant::<Recall>(scope)?;
    let settings = installation.service.retention(&grant)?;
    let rules = &installation.service.policy(&grant.scope().org).retention;
    output.show(&RetentionView::of(&settings, rules, grant.scope()), people)
}

fn set(installation: &Installation, args: RetentionSetArgs, output: &Output) -> Result<()> {
    let grant = installation.grant::<Retain>(args.scope.as_deref())?;
    let readable = permit::<Recall>(&installation.local, grant.scope())?;
    let (preview_only, yes) = (args.preview, args.yes);
    let settings = args.over(installation.service.retention(&readable)?)?;
    let preview = installation.service.preview_retention(&grant, &settings)?;
    let goes = preview.goes_now;
    let view = PreviewView::of(preview, grant.scope());
    if preview_only {
        return output.show(&view, previewed);
    }
    if goes > 0 && !yes {
        output.note(&previewed(&view));
        agreed(output, goes)?;
    }
    installation.service.set_retention(&grant, settings, goes)?;
    output.show(&view, |view| format!("{}\nset", previewed(view)))
}

fn agreed(output: &Output, goes: usize) -> Result<()> {
    match output.ask(&format!("Set it, and let {} go?", counted(goes, "memory", "memories"))) {
        Some(true) => Ok(()),
        Some(false) => Err(Failure::new(&codes::DECLINED, "nothing was set")),
        None => Err(Failure::new(&codes::NEEDS_CONFIRMATION, "nothing was set; pass --yes to confirm")),
    }
}

pub(super) fn pin(
    installation: &Installation,
    memory_ids: &[String],
    pinned: bool,
    scope: Option<&str>,
    output: &Output,
) -> Result<()> {
    let ids = short_id::memory_ids(installation, scope, memory_ids, Care::Usual)?;
    installation.service.pin(&installation.grant(scope)?, &ids, pinned)?;
    let done = if pinned { "pinned" } else { "not pinned any more" };
    let whole: Vec<String> = ids.iter().map(ToString::to_string).collect();
    output.show(&serde_json::json!({"memory_ids": whole, "pinned": pinned}), |_| {
        format!("{} {done}", counted(ids.len(), "memory is", "memories are"))
    })
}

impl RetentionSetArgs {
    /// Merges the given settings over the earlier ones.
    fn over(self, mut settings: Settings) -> Result<Settings> {
        if self.reset {
            settings = Settings::default();
        }
        if let Some(days) = self.max_days {
            settings.max_days = read_span("max-days", &days)?.and_then(Span::days);
        }
        for rule in &self.categories {
            let (name, span) = read_rule("category", rule)?;
            change(&mut settings.categories, name.parse::<Sensitivity>()?, span);
        }
        for rule in &self.tiers {
            let (name, span) = read_rule("tier", rule)?;
            change(&mut settings.tiers, name.parse::<RetentionTier>()?, span);
        }
        for rule in &self.entities {
            let (name, span) = read_rule("about", rule)?;
            settings.entities.retain(|known| known.name != name);
            let rule = |keep| EntityRule { name: name.to_owned(), keep };
            settings.entities.extend(span.map(rule));
        }
        if !self.hide.is_empty() || self.show_all {
            settings.hidden = self.hide.iter().map(|category| category.0).collect();
        }
        Ok(settings)
    }
}

fn change<T: Ord>(spans: &mut std::collections::BTreeMap<T, Span>, key: T, span: Option<Span>) {
    match span {
        Some(span) => drop(spans.insert(key, span)),
        None => drop(spans.remove(&key)),
    }
}

/// `NAME=DAYS`, `NAME=forever` or `NAME=default`.
fn read_rule<'a>(option: &'static str, text: &'a str) -> Result<(&'a str, Option<Span>)> {
    let (name, days) = text.rsplit_once('=').ok_or_else(|| wrong(option))?;
    Ok((name.trim(), read_span(option, days)?))
}

/// `None` takes the setting back.
fn read_span(option: &'static str, days: &str) -> Result<Option<Span>> {
    match days.trim() {
        "default" => Ok(None),
        "forever" => Ok(Some(Span::Forever)),
        days => days.parse().map(|days| Some(Span::Days(days))).map_err(|_| wrong(option)),
    }
}

fn wrong(option: &'static str) -> Failure {
    Failure::invalid(option, "takes a number of days, forever, or default to take it back")
}

fn people(view: &RetentionView) -> String {
    let mut lines = vec![fields(vec![
        ("vault", view.scope.clone()),
        (
            "at most",
            view.max_days.map_or_else(|| "no limit of your own".to_owned(), |days| format!("{days} days")),
        ),
    ])];
    let rules = &view.rules;
    let tier = |rule: &RuleView| row("tier", rule, view.tiers.get(rule.name));
    let mut rows: Vec<_> = rules.tiers.iter().map(tier).collect();
    rows.extend(rules.categories.iter().map(|rule| row("category", rule, view.categories.get(rule.name))));
    let known = |name: &str| rules.categories.iter().any(|rule| rule.name == name);
    let others = view.categories.iter().filter(|(name, _)| !known(name));
    rows.extend(others.map(|(name, set)| {
        let own = days_word(*set);
        ["category".to_owned(), name.clone(), "forever".to_owned(), own, String::new(), String::new()]
    }));
    rows.extend(view.entities.iter().map(|rule| {
        let own = days_word(rule.days);
        ["about".to_owned(), rule.name.clone(), String::new(), own, String::new(), String::new()]
    }));
    lines.push(table(["what", "name", "rule", "yours", "at most", "asks first"], rows));
    lines.push(format!(
        "whoever does not answer within {} days: {}; a review every {} days",
        rules.grace_days, rules.unanswered, rules.review_days
    ));
    if !view.hidden.is_empty() {
        let hidden: Vec<_> = view.hidden.iter().map(ToString::to_string).collect();
        lines.push(format!("never shown in a review: {}", hidden.join(", ")));
    }
    lines.join("\n\n")
}

fn row(what: &str, rule: &RuleView, set: Option<&Option<u32>>) -> [String; 6] {
    let yes = if rule.asks { "yes" } else { "" };
    [
        what.to_owned(),
        rule.name.to_owned(),
        days_word(rule.days),
        set.map(|days| days_word(*days)).unwrap_or_default(),
        rule.days_max.map(|days| format!("{days} days")).unwrap_or_default(),
        yes.to_owned(),
    ]
}

fn days_word(days: Option<u32>) -> String {
    days.map_or_else(|| "forever".to_owned(), |days| format!("{days} days"))
}

fn previewed(view: &PreviewView) -> String {
    fields(vec![
        ("memories", view.memories.to_string()),
        ("go at once", view.goes_now.to_string()),
        ("go within 30 days", view.goes_soon.to_string()),
        ("go earlier than now", view.shortened.to_string()),
        ("stay longer than now", view.prolonged.to_string()),
    ])
}
