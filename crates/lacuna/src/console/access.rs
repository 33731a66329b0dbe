//! The audit in words: reads and acts, by day, person and program. It holds ids and counts, and so does this page.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Query as UrlQuery, State};
use axum::response::Html;
use jiff::Timestamp;
use lacuna_core::Browse;
use lacuna_core::audit::{AuditAction, AuditEntry, Subject};
use lacuna_core::permit::permit;
use lacuna_types::MemoryId;
use maud::{Markup, html};

use super::guard::Visitor;
use super::language::{PageLanguage, filled};
use super::layout::{Chapter, page};
use super::text::visible;
use crate::http::App;
use crate::wire::failure::Result;

/// Entries of the audit that one page puts into words.
const ENTRIES_SHOWN: u64 = 300;

/// Topics that one line names.
const TOPICS_TOLD_MAX: usize = 3;
/// The name by which the audit knows these pages.
const CONSOLE: &str = "console";
/// Assistants by the names that they give themselves over MCP, and as people know them.
const PRODUCTS: [(&str, &str); 8] = [
    ("claude-code", "Claude Code"),
    ("claude-ai", "Claude"),
    ("cursor-vscode", "Cursor"),
    ("cursor", "Cursor"),
    ("Visual-Studio-Code", "VS Code"),
    ("VisualStudioCode", "VS Code"),
    ("codex-mcp-client", "Codex"),
    ("ChatGPT", "ChatGPT"),
];

/// A place in the log.
#[derive(serde::Deserialize)]
pub(super) struct LogPlace {
    before: Option<u64>,
}

/// Acts of one kind, by one actor through one program on one day.
struct ActGroup<'a> {
    day: String,
    at: Timestamp,
    entry: &'a AuditEntry,
    times: usize,
    memories: usize,
    read: Vec<MemoryId>,
}

/// Tags of the memories that assistants read.
type Topics = BTreeMap<MemoryId, Vec<String>>;

pub(super) async fn show(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    UrlQuery(place): UrlQuery<LogPlace>,
) -> Result<Html<String>> {
    let (caller, scope) = (visitor.caller.clone(), visitor.caller.personal_scope());
    let (entries, topics) = app
        .call(move |core| {
            let browse = Browse::of(core);
            let entries = browse.recent_audit(&permit(&caller, &scope)?, place.before, ENTRIES_SHOWN)?;
            let read = entries.iter().filter(|(_, entry)| is_by_assistant(entry));
            let ids = read.flat_map(|(_, entry)| entry.subjects.iter().map(id_of)).collect();
            // Whoever may see who read, and not what, is told no topics.
            let topics = permit(&caller, &scope).and_then(|grant| browse.tags_of(&grant, &ids));
            Ok((entries, topics.unwrap_or_default()))
        })
        .await?;
    let language = visitor.language;
    let texts = language.texts();
    let oldest = entries.last().map(|(row, _)| row.seq).filter(|seq| *seq > 1);
    let told: Vec<_> = entries.iter().map(|(row, entry)| (row.at, entry)).collect();
    let groups = grouped(language, &told);
    let body = html! {
        p class="lead" { (texts.access_lead) }
        @for day in groups.chunk_by(|a, b| a.day == b.day) {
            section class="day" {
                h2 { (language.day(day[0].at)) }
                ul class="log" { @for group in day { li { (group_row(&visitor, group, &topics)) } } }
            }
        }
        @if entries.is_empty() { p class="empty" { (texts.nothing_here) } }
        @if let Some(oldest) = oldest {
            p class="more" { a class="button" rel="next" href={ "/console/access?before=" (oldest) } { (texts.older) } }
        }
    };
    Ok(page(&visitor, Chapter::Access, texts.nav_access, &body))
}

fn grouped<'a>(language: PageLanguage, entries: &[(Timestamp, &'a AuditEntry)]) -> Vec<ActGroup<'a>> {
    let mut groups: Vec<ActGroup<'a>> = Vec::new();
    for (at, entry) in entries {
        let (day, memories) = (language.plain_day(*at), memories_of(entry));
        let same = |group: &&mut ActGroup<'_>| {
            let other = group.entry;
            group.day == day
                && (other.action, &other.actor, client(other)) == (entry.action, &entry.actor, client(entry))
        };
        match groups.iter_mut().find(same) {
            Some(group) => {
                group.times += 1;
                group.memories += memories;
                group.read.extend(entry.subjects.iter().map(id_of));
            }
            None => {
                let read = entry.subjects.iter().map(id_of).collect();
                groups.push(ActGroup { day, at: *at, entry, times: 1, memories, read });
            }
        }
    }
    groups
}

fn memories_of(entry: &AuditEntry) -> usize {
    let counted = entry.notes.iter().find_map(|note| note.strip_prefix("count:")?.parse().ok());
    match entry.action {
        // A list that is too long for one entry says its whole count in each.
        AuditAction::MemoryRead if entry.subjects.is_empty() => counted.unwrap_or(0),
        // The id that stays and the memory behind it are one.
        AuditAction::MemoryReplace => 1,
        _ => entry.subjects.len(),
    }
}

fn client(entry: &AuditEntry) -> Option<&str> {
    entry.notes.iter().find_map(|note| note.strip_prefix("client:"))
}

/// Returns true for a read by an assistant that named itself, in its person's name.
fn is_by_assistant(entry: &AuditEntry) -> bool {
    entry.action == AuditAction::MemoryRead && client(entry).is_some_and(|name| name != CONSOLE)
}

fn id_of(subject: &Subject) -> MemoryId {
    MemoryId::from_bytes(subject.0)
}

/// The name of an assistant as people know it.
fn product(name: &str) -> String {
    let known = PRODUCTS.iter().find(|(client, _)| client.eq_ignore_ascii_case(name));
    known.map_or_else(|| visible(name), |(_, product)| (*product).to_owned())
}

/// The tags that most of the memories bear, the commonest first.
fn common_topics(read: &[MemoryId], topics: &Topics) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for tag in read.iter().filter_map(|id| topics.get(id)).flatten() {
        *counts.entry(tag).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.into_iter().take(TOPICS_TOLD_MAX).map(|(tag, _)| visible(tag)).collect()
}

fn group_row(visitor: &Visitor, group: &ActGroup<'_>, topics: &Topics) -> Markup {
    let language = visitor.language;
    let texts = language.texts();
    let is_own = group.entry.actor == visitor.caller.user.as_str();
    let assistant = client(group.entry).filter(|_| is_own && is_by_assistant(group.entry));
    let told = common_topics(&group.read, topics);
    html! {
        @if let Some(name) = assistant {
            strong { (product(name)) } " "
            (filled(texts.assistant_read, &[&language.counted(group.memories, texts.memories)]))
            @if !told.is_empty() { " " (filled(texts.about_topics, &[&told.join(", ")])) }
        } @else {
            (sentence(visitor, group.entry))
            @if group.memories > 0 { ": " (language.counted(group.memories, texts.memories)) }
        }
        @if group.times > 1 { span class="hint" { " (" (language.counted(group.times, texts.times)) ")" } }
    }
}

/// Acts on one memory: those of a kind told together, with the time of the last.
pub(super) fn acts(visitor: &Visitor, entries: &[(Timestamp, AuditEntry)]) -> Markup {
    let language = visitor.language;
    let entries: Vec<_> = entries.iter().map(|(at, entry)| (*at, entry)).collect();
    html! {
        ul class="log" {
            @for group in grouped(language, &entries) {
                li {
                    (sentence(visitor, group.entry))
                    span class="hint" {
                        " · " (language.moment(group.at))
                        @if group.times > 1 { " (" (language.counted(group.times, language.texts().times)) ")" }
                    }
                }
            }
        }
    }
}

/// "You, in this console: read", in the reader's language.
fn sentence(visitor: &Visitor, entry: &AuditEntry) -> Markup {
    let texts = visitor.language.texts();
    let actor = match entry.actor.as_str() {
        you if you == visitor.caller.user.as_str() => texts.you.to_owned(),
        "system" | "policy" | "" => "Lacuna".to_owned(),
        other => visible(other),
    };
    let through = match client(entry) {
        None => String::new(),
        Some(CONSOLE) => texts.in_console.to_owned(),
        Some(name) => filled(texts.through, &[&product(name)]),
    };
    let action = visitor.language.word("action", entry.action.as_str());
    html! { strong { (actor) } @if !through.is_empty() { " " (through) } " · " (action) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acts_of_a_day_are_told_together_by_actor_program_and_kind() {
        let at: Timestamp = "2026-11-16T10:00:00Z".parse().unwrap();
        let read = |client: &str, count: usize| AuditEntry {
            notes: vec!["by:recall".to_owned(), format!("count:{count}"), format!("client:{client}")],
            ..AuditEntry::new(AuditAction::MemoryRead, "anna", vec![Subject([7; 16]); count])
        };
        let (first, second, other) = (read("claude-code", 3), read("claude-code", 2), read("cursor", 1));
        let entries = [(at, &first), (at, &other), (at, &second)];
        let groups = grouped(PageLanguage::English, &entries);
        let told: Vec<_> =
            groups.iter().map(|group| (client(group.entry), group.times, group.memories)).collect();
        assert_eq!(told, [(Some("claude-code"), 2, 5), (Some("cursor"), 1, 1)]);
    }

    #[test]
    fn topics_are_those_of_what_was_read_and_products_go_by_their_names() {
        let ids = [1, 2, 3].map(|n| MemoryId::from_bytes([n; 16]));
        let tags = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
        let topics: Topics = [
            (ids[0], tags(&["food", "travel"])),
            (ids[1], tags(&["travel", "<b>"])),
            (ids[2], tags(&["work"])),
        ]
        .into();
        assert_eq!(common_topics(&ids[..2], &topics), ["travel", "<b>", "food"]);
        assert!(
            common_topics(&[MemoryId::from_bytes([9; 16])], &topics).is_empty(),
            "what is gone tells nothing"
        );
        assert_eq!(product("claude-code"), "Claude Code");
        assert_eq!(product("my-own-agent"), "my-own-agent");
    }
}
