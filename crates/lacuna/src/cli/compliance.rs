//! The compliance report: from the running configuration and live counts. It holds numbers and no content.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use jiff::Timestamp;
use lacuna_core::govern::Census;
use lacuna_core::permit::ForgetPerson;
use lacuna_types::policy::Policy;
use lacuna_types::{RetentionTier, Sensitivity};
use serde_json::json;

use super::output::{Output, counted};
use crate::assemble::assemble;
use crate::codes;
use crate::config::{Config, EmbedderChoice, StoreChoice, outgoing};
use crate::wire::failure::{Failure, Result};

#[derive(Subcommand)]
pub(super) enum ComplianceCommand {
    /// Write the report: stored data, access, terms, recipients, flows, legal bases, erasures, DPIA and record of processing.
    Report {
        /// md, html, or pdf-ready: a page that any browser prints as a PDF, on A4 with a chapter on each page.
        #[arg(long, default_value = "md")]
        format: ReportFormat,
        /// The file to write [default: standard output].
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ReportFormat {
    Md,
    Html,
    PdfReady,
}

/// The look of a page on a screen.
const SCREEN_STYLE: &str = "body{font:16px/1.5 sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}\
    @media print{h2{break-after:avoid}table{break-inside:avoid}}";
/// The look of a page on paper: A4, a chapter on each page, numbered.
const PAPER_STYLE: &str = "@page{size:A4;margin:22mm 18mm;@bottom-right{content:counter(page)\" / \"counter(pages);font:9pt sans-serif}}\
    body{font:10.5pt/1.45 sans-serif;margin:0}h2{break-before:page;break-after:avoid}tr,pre{break-inside:avoid}\
    thead{display:table-header-group}";

pub(super) fn run(config: &Config, command: ComplianceCommand, output: &Output) -> Result<()> {
    let ComplianceCommand::Report { format, out } = command;
    let installation = assemble(config)?;
    let grant = installation.admin_grant::<ForgetPerson>()?;
    let census = installation.service.upkeep().census(&grant)?;
    let report = ComplianceReport {
        config,
        policy: installation.service.policy(&config.org),
        census: &census,
        now: installation.service.clock().now(),
    };
    let text = match format {
        ReportFormat::Md => report.markdown(),
        ReportFormat::Html => html(&report.markdown(), SCREEN_STYLE),
        ReportFormat::PdfReady => html(&report.markdown(), PAPER_STYLE),
    };
    match out {
        None => output.show(&json!({ "report": text }), |_| text.clone()),
        Some(file) => {
            let unwritable = |error: std::io::Error| {
                Failure::new(&codes::OUTPUT_FAILED, format!("{} cannot be written: {error}", file.display()))
            };
            std::fs::write(&file, &text).map_err(unwritable)?;
            output
                .show(&json!({ "file": file, "bytes": text.len() }), |_| format!("wrote {}", file.display()))
        }
    }
}

struct ComplianceReport<'a> {
    config: &'a Config,
    policy: &'a Policy,
    census: &'a Census,
    now: Timestamp,
}

impl ComplianceReport<'_> {
    fn markdown(&self) -> String {
        let mut text = format!(
            "# What {} keeps in Lacuna\n\nMade on {} by the installation itself. It holds numbers and settings, and no content.\n",
            self.config.org,
            self.now.strftime("%Y-%m-%d %H:%M UTC")
        );
        self.stored(&mut text);
        self.access(&mut text);
        self.terms(&mut text);
        self.recipients(&mut text);
        self.grounds(&mut text);
        self.erasures(&mut text);
        self.skeletons(&mut text);
        text
    }

    fn stored(&self, text: &mut String) {
        text.push_str("\n## What is stored\n\nTexts, gists, tags, names, sources, vectors and settings are sealed under a key of each memory (AES-256-GCM). Readable without a key: ids, times, states, sizes.\n\n");
        counts(text, ["kind of vault", "vaults"], &self.census.vaults);
        counts(text, ["kind of vault", "memories"], &self.census.memories);
        counts(text, ["state", "memories"], &self.census.states);
        counts(text, ["privacy class", "memories"], &self.census.classes);
        if self.census.locked > 0 {
            let _ = writeln!(
                text,
                "Not counted: the memories of {}, which only a passphrase of their person opens.\n",
                counted(self.census.locked as usize, "locked vault", "locked vaults")
            );
        }
        text.push_str("Sensitive records, counted without being opened to anybody:\n\n");
        counts(text, ["category", "memories"], &self.census.sensitive);
    }

    fn access(&self, text: &mut String) {
        text.push_str(
            "## Who can see it\n\n| who | their own vault | a shared vault they belong to | a vault of somebody else |\n|---|---|---|---|\n\
             | the person (user) | everything | all but what others wrote about health, belief or biometrics | nothing |\n\
             | an assistant (agent) or reader of the person | everything that the person has not closed | the same as the person | nothing |\n\
             | an administrator | nothing of others | erases, reviews and freezes by id, without reading | nothing |\n\
             | the operator of the machine | sealed bytes; the keys lie on the same machine unless a KMS holds them | the same | the same |\n\n\
             Every read is recorded with its reader, time and ids, never with its content; the person can list it (`lacuna audit list`).\n\n",
        );
    }

    fn terms(&self, text: &mut String) {
        text.push_str("## How long\n\n| tier or category | days | owner may extend to | asks first |\n|---|---|---|---|\n");
        let days = |days: Option<u32>| days.map_or_else(|| "no limit".to_owned(), |days| days.to_string());
        let rules = &self.policy.retention;
        let tiers = RetentionTier::ALL.iter().map(|tier| (tier.as_str(), rules.tier(*tier)));
        let kinds = Sensitivity::ALL.iter().filter_map(|kind| Some((kind.as_str(), rules.category(*kind)?)));
        for (name, rule) in tiers.chain(kinds) {
            let asks = if rule.asks { "yes" } else { "no" };
            let _ = writeln!(text, "| {name} | {} | {} | {asks} |", days(rule.days), days(rule.days_max));
        }
        let _ = writeln!(
            text,
            "\nHidden memories are erased after {} days, transcripts after {} days, tombstones after {} days, the audit's reads after {} days. \
             Requests of people: acknowledged within {} hours, done within {} hours.\n",
            self.policy.purge_days,
            self.policy.transcript_days,
            self.policy.tombstone_days,
            self.policy.audit_read_days,
            self.policy.acknowledge_hours,
            self.policy.complete_hours
        );
    }

    fn recipients(&self, text: &mut String) {
        let env: Vec<_> = std::env::vars_os().collect();
        let hosts = outgoing(self.config, &env);
        text.push_str("## Recipients, sub-processors and data flows\n\n");
        if hosts.is_empty() {
            text.push_str("This installation calls no other host.\n\n");
        } else {
            text.push_str("| setting | host | what it gets |\n|---|---|---|\n");
            for (setting, host) in &hosts {
                let _ = writeln!(text, "| {setting} | {host} | {} |", what_it_gets(setting));
            }
            text.push('\n');
        }
        let store = match &self.config.store {
            StoreChoice::Postgres { .. } => "PostgreSQL",
            _ => "SQLite",
        };
        let model = match &self.config.embedder {
            EmbedderChoice::Endpoint { .. } => "an endpoint",
            _ => "a model in the same process",
        };
        let _ = writeln!(
            text,
            "```text\nperson, assistant --> Lacuna: gate, seal --> {store} (sealed rows) and keystore (wrapped keys)\n                        |--> meaning by {model}; texts about health and biometrics stay in the process\n                        '--> erasure: keys first, then rows; receipt to recipients\n```\n"
        );
    }

    fn grounds(&self, text: &mut String) {
        text.push_str("## Legal bases\n\n");
        counts(text, ["ground", "memories"], &self.census.grounds);
        let special = match self.policy.sensitive_allowed {
            true => "are kept with the person's explicit consent only, and held sealed without it",
            false => "are refused",
        };
        let _ = writeln!(text, "Special categories (Article 9 GDPR) {special}.\n");
        let only = |needed: bool| {
            if needed { "only with the person's consent" } else { "without a consent of its own" }
        };
        let patterns = only(self.policy.pattern_consent);
        let long_term = only(self.policy.retention.long_term_consent);
        let _ = writeln!(
            text,
            "Patterns of behaviour are kept {patterns}; facts are kept for long {long_term}.\n"
        );
    }

    fn erasures(&self, text: &mut String) {
        text.push_str("## Erasures\n\n");
        counts(text, ["cause", "receipts"], &self.census.receipts);
        let [all, open, late] = self.census.requests;
        let _ = writeln!(
            text,
            "Keys destroyed: {}. Requests of people: {all}, of which {open} open and {late} past their deadline. Legal holds that stand: {}.\n",
            self.census.keys_destroyed, self.census.holds
        );
    }

    fn skeletons(&self, text: &mut String) {
        let _ = writeln!(
            text,
            "## Record of processing (Article 30 GDPR)\n\n| entry | content |\n|---|---|\n\
             | controller | {} (to be completed: name, contact, data protection officer) |\n\
             | purpose | memory of an assistant for the person it works for |\n\
             | data subjects | users, and people whom they mention |\n\
             | categories of data | see \"What is stored\" |\n| recipients | see \"Recipients\" |\n\
             | transfers to third countries | to be completed from \"Recipients\" |\n| terms of erasure | see \"How long\" |\n\
             | security | sealing per memory, separate keystore, audit chain, receipts |\n\n\
             ## Data protection impact assessment (Article 35 GDPR)\n\n\
             1. Description: see the sections above.\n\
             2. Necessity and proportion: to be completed by the controller.\n\
             3. Risks to the persons: disclosure of private memory; wrong facts; facts that outlive their purpose.\n\
             4. Measures: no role opens another person's vault; unconfirmed facts wait; terms, reviews and proofs of erasure.\n\
             5. Opinion of the data protection officer and of the works council: to be completed.\n\n\
             ## For the works council\n\n\
             The organisation sees no content of personal memory and no evaluation of a person. Administrators see numbers by kind of vault. \
             The person lists, corrects, exports, freezes and destroys their memory without anybody's approval.",
            self.config.org
        );
    }
}

fn what_it_gets(setting: &str) -> &'static str {
    match setting {
        "store" | "keys" => "sealed rows, or wrapped keys",
        "endpoint.url" => "texts to embed, but none about health or biometrics, and questions",
        "llm.url" => {
            "turns of conversations to condense, but none about health or biometrics; with llm.forget_seconds also requests to \
             forget and short texts near them, sensitive ones only with the person's consent"
        }
        "oidc.jwks_url" => "nothing; its keys are read",
        "otlp.url" => "names and times of operations, no content",
        name if name.starts_with("webhook") => "notices of erasures: numbers and references",
        _ => "connections to the hosts above",
    }
}

/// A table of counts; "none" where there is nothing to count.
fn counts(text: &mut String, head: [&str; 2], rows: &BTreeMap<&'static str, u64>) {
    let _ = writeln!(text, "| {} | {} |\n|---|---|", head[0], head[1]);
    if rows.is_empty() {
        text.push_str("| none | 0 |\n");
    }
    for (name, count) in rows {
        let _ = writeln!(text, "| {name} | {count} |");
    }
    text.push('\n');
}

/// The report as one page without scripts and without anything from elsewhere; it prints well.
fn html(markdown: &str, style: &str) -> String {
    let mut body = String::new();
    let (mut table, mut code, mut list) = (false, false, false);
    for line in markdown.lines() {
        let safe = line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        if line.starts_with("```") {
            code = !code;
            body.push_str(if code { "<pre>" } else { "</pre>\n" });
            continue;
        }
        if code {
            body.push_str(&safe);
            body.push('\n');
            continue;
        }
        let is_row = line.starts_with('|');
        if table && !is_row {
            body.push_str("</table>\n");
        }
        let is_item = line.split_once(". ").is_some_and(|(number, _)| number.parse::<u8>().is_ok());
        if list && !is_item {
            body.push_str("</ol>\n");
        }
        match line {
            "" => {}
            row if row.starts_with("|--") => {}
            _ if is_row => {
                let (open, cell) = if table { ("", "td") } else { ("<table>\n", "th") };
                let cells = safe.trim_matches('|').split('|');
                let cells: String = cells.map(|text| format!("<{cell}>{}</{cell}>", text.trim())).collect();
                let _ = writeln!(body, "{open}<tr>{cells}</tr>");
            }
            _ if is_item => {
                let open = if list { "" } else { "<ol>\n" };
                let item = safe.split_once(". ").map_or(safe.as_str(), |(_, item)| item);
                let _ = writeln!(body, "{open}<li>{item}</li>");
            }
            _ if line.starts_with("## ") => drop(writeln!(body, "<h2>{}</h2>", &safe[3..])),
            _ if line.starts_with("# ") => drop(writeln!(body, "<h1>{}</h1>", &safe[2..])),
            _ => drop(writeln!(body, "<p>{safe}</p>")),
        }
        (table, list) = (is_row, is_item);
    }
    if list {
        body.push_str("</ol>\n");
    }
    if table {
        body.push_str("</table>\n");
    }
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Compliance report</title>\n<style>{style}table{{border-collapse:collapse;width:100%}}th,td{{border:1px solid #999;padding:.3rem .5rem;text-align:left}}pre{{background:#f4f4f4;padding:1rem;white-space:pre-wrap}}</style></head>\n<body>\n{body}</body></html>\n"
    )
}
