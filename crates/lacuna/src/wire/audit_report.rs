//! The report of a period: counts and receipt numbers, for people as Markdown and for programs as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jiff::Timestamp;
use lacuna_core::govern::AuditSummary;
use lacuna_types::Scope;
use serde::Serialize;
use utoipa::ToSchema;

use super::scope::shown;

/// Actions on a vault's memories in a period: counts by actor and kind, never content.
#[derive(Serialize, ToSchema)]
#[schema(as = AuditReport)]
pub(crate) struct AuditReportView {
    /// The vault that it is about.
    pub(crate) scope: String,
    pub(crate) from: Timestamp,
    /// Exclusive.
    pub(crate) to: Timestamp,
    pub(crate) entries: u64,
    /// By what they concern: writes, reads, erasures, refusals, redactions, candidates and so on.
    pub(crate) concerns: BTreeMap<&'static str, u64>,
    pub(crate) actions: BTreeMap<&'static str, u64>,
    pub(crate) actors: BTreeMap<String, u64>,
    /// By day of the calendar in UTC.
    pub(crate) days: BTreeMap<String, u64>,
    /// Memories shown by reads, each time counted.
    pub(crate) memories_read: u64,
    /// The numbers of erasure receipts, oldest first.
    pub(crate) receipts: Vec<String>,
}

impl AuditReportView {
    pub(crate) fn of(summary: AuditSummary, scope: &Scope) -> Self {
        Self {
            scope: shown(scope),
            from: summary.from,
            to: summary.to,
            entries: summary.entries,
            concerns: summary.by_concern.iter().map(|(concern, count)| (concern.as_str(), *count)).collect(),
            actions: summary.by_action.iter().map(|(action, count)| (action.as_str(), *count)).collect(),
            actors: summary.by_actor,
            days: summary.by_day.iter().map(|(day, count)| (day.to_string(), *count)).collect(),
            memories_read: summary.memories_read,
            receipts: summary.receipts,
        }
    }

    pub(crate) fn markdown(&self) -> String {
        let mut text = format!(
            "# Audit of {}\n\nFrom {} until before {}: {} entries. Counts and names only, no content.\n",
            cell(&self.scope),
            self.from,
            self.to,
            self.entries
        );
        counts(&mut text, "What it concerned", "concern", &self.concerns);
        counts(&mut text, "Actions", "action", &self.actions);
        counts(&mut text, "Who acted", "actor", &self.actors);
        counts(&mut text, "By day", "day (UTC)", &self.days);
        // Writing to a string cannot fail.
        let _ = write!(text, "\nMemories shown by reads: {}.\n", self.memories_read);
        if !self.receipts.is_empty() {
            text.push_str("\n## Erasure receipts\n\n");
            self.receipts.iter().for_each(|number| text.push_str(&format!("- {}\n", cell(number))));
        }
        text
    }
}

fn counts<K: AsRef<str>>(text: &mut String, title: &str, name: &str, counts: &BTreeMap<K, u64>) {
    if counts.is_empty() {
        return;
    }
    text.push_str(&format!("\n## {title}\n\n| {name} | entries |\n|---|---:|\n"));
    counts.iter().for_each(|(key, count)| text.push_str(&format!("| {} | {count} |\n", cell(key.as_ref()))));
}

/// Escapes a name for a Markdown table: nothing in it can act as markup.
fn cell(name: &str) -> String {
    let shown = |c: char| match c {
        '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '&' => format!("\\{c}"),
        c if c.is_control() => '\u{fffd}'.to_string(),
        c => c.to_string(),
    };
    name.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_act_as_markup() {
        let view = AuditReportView {
            scope: "team:a|b".into(),
            from: Timestamp::UNIX_EPOCH,
            to: "1970-02-01T00:00:00Z".parse().unwrap(),
            entries: 3,
            concerns: BTreeMap::from([("reads", 2), ("writes", 1)]),
            actions: BTreeMap::from([("memory_read", 2), ("memory_write", 1)]),
            actors: BTreeMap::from([("<b>anna</b>\n# x".to_owned(), 3)]),
            days: BTreeMap::from([("1970-01-01".to_owned(), 3)]),
            memories_read: 5,
            receipts: vec!["DEL-1970-000001".into()],
        };
        let text = view.markdown();
        assert!(text.starts_with("# Audit of team:a\\|b\n\nFrom 1970-01-01T00:00:00Z until"), "{text}");
        assert!(text.contains("| reads | 2 |\n") && text.contains("| memory\\_read | 2 |\n"), "{text}");
        assert!(text.contains("| \\<b\\>anna\\</b\\>\u{fffd}\\# x | 3 |\n"), "{text}");
        assert!(text.contains("- DEL-1970-000001\n") && text.contains("by reads: 5."), "{text}");
    }
}
