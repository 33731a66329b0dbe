//! The export for people: by category, the newest first, each memory's own words as a quotation, so that
//! nothing in them can pass for a heading.

use std::io::{self, Write};

use jiff::Timestamp;
use lacuna_types::*;

use crate::audit::AuditAction;
use crate::transfer::export::{Deletion, Document, EXPORT_VERSION, Head, MemoryOrder, Tail, is_inferred};
use crate::vault::consents::Consent;

pub(crate) struct MarkdownDocument<'a> {
    out: &'a mut dyn Write,
    include_metadata: bool,
    deletions: u64,
}

impl<'a> MarkdownDocument<'a> {
    pub(crate) fn new(out: &'a mut dyn Write, include_metadata: bool) -> Self {
        Self { out, include_metadata, deletions: 0 }
    }
}

impl Document for MarkdownDocument<'_> {
    fn order(&self) -> MemoryOrder {
        MemoryOrder::NewestFirst
    }

    fn begin(&mut self, head: &Head<'_>) -> io::Result<()> {
        let holder = on_one_line(&head.scope.holder.to_string());
        writeln!(self.out, "# Memories of {holder}\n")?;
        let (user, org) = (on_one_line(head.user.as_str()), on_one_line(head.scope.org.as_str()));
        writeln!(self.out, "Exported for {user} ({org}) on {}, version {EXPORT_VERSION}.", minute(head.at))
    }

    fn begin_category(&mut self, category: Category) -> io::Result<()> {
        let title = match category {
            Category::Conversation => "Conversations",
            Category::WorkPattern => "Work patterns",
            Category::Preference => "Preferences",
            Category::LearnedContext => "Learned context",
        };
        writeln!(self.out, "\n## {title}")
    }

    fn memory(&mut self, memory: &Memory) -> io::Result<()> {
        writeln!(self.out, "\n### {}{}\n", minute(memory.created_at), marks(memory))?;
        quote(self.out, memory.content.full_text().expose())?;
        if !memory.content.details.is_empty() {
            writeln!(self.out)?;
        }
        for detail in &memory.content.details {
            writeln!(self.out, "- {}", on_one_line(detail.content.expose()))?;
        }
        if self.include_metadata { write_metadata(self.out, memory) } else { Ok(()) }
    }

    fn end_category(&mut self, count: u64) -> io::Result<()> {
        match count {
            0 => writeln!(self.out, "\nNothing is remembered here."),
            1 => writeln!(self.out, "\n1 memory."),
            many => writeln!(self.out, "\n{many} memories."),
        }
    }

    fn begin_deletions(&mut self) -> io::Result<()> {
        writeln!(self.out, "\n## Deletion history\n")
    }

    fn deletion(&mut self, deletion: &Deletion) -> io::Result<()> {
        self.deletions += 1;
        let Deletion { action, at, count, audit_seq, number } = deletion;
        let what = match action {
            AuditAction::MemorySupersede => "replaced by newer ones and erased",
            AuditAction::MemoryCorrect => "corrected, and what was wrong erased",
            AuditAction::MemoryReject => "rejected in the review and erased",
            AuditAction::MemorySoftDelete => "hidden",
            AuditAction::MemoryRestore => "restored",
            AuditAction::MemoryCascade => "erased with what they were made of",
            AuditAction::MemoryCut => "lost a part",
            AuditAction::Receipt => "proved erased",
            _ => "erased",
        };
        let number = number.as_ref().map_or(String::new(), |number| format!(", receipt {number}"));
        writeln!(self.out, "- {}: {count} {what} (audit entry {audit_seq}{number})", minute(*at))
    }

    fn end(&mut self, tail: &Tail<'_>) -> io::Result<()> {
        if self.deletions == 0 {
            writeln!(self.out, "Nothing was deleted.")?;
        }
        let policy = tail.policy;
        writeln!(self.out, "\n## Retention settings\n")?;
        writeln!(self.out, "- preset: {}", policy.preset)?;
        writeln!(self.out, "- at most {} memories", policy.max_atoms)?;
        writeln!(self.out, "- least salience: {}", policy.min_salience)?;
        writeln!(
            self.out,
            "- sensitive personal data: {}",
            if policy.sensitive_allowed { "yes" } else { "no" }
        )?;
        writeln!(self.out, "- approval: {}, grace: {} hours", policy.approval, policy.grace.as_hours())?;
        if let Some(since) = tail.frozen_at {
            writeln!(self.out, "- frozen since {}", minute(since))?;
        }
        for Consent { topic, purpose, given_at } in &tail.consents {
            writeln!(
                self.out,
                "- consent to {topic} for {}, since {}",
                on_one_line(purpose),
                minute(*given_at)
            )?;
        }
        let exported = &tail.exported;
        writeln!(self.out, "\n---\n\n{} memories in all.", exported.record_count())?;
        if exported.health_left_out > 0 {
            let count = exported.health_left_out;
            writeln!(self.out, "{count} about health were left out: they need a separate yes.")?;
        }
        match exported.damaged {
            0 => Ok(()),
            count => writeln!(self.out, "{count} could not be opened: run lacuna doctor."),
        }
    }
}

/// Marks that a reader must see before the words themselves.
fn marks(memory: &Memory) -> String {
    let mut marks = Vec::new();
    if memory.state != Lifecycle::Active {
        marks.push(memory.state.as_str());
    }
    if is_inferred(&memory.facets) {
        marks.push("inferred");
    }
    if memory.facets.retention.pinned {
        marks.push("pinned");
    }
    if marks.is_empty() { String::new() } else { format!(" · {}", marks.join(" · ")) }
}

fn write_metadata(out: &mut dyn Write, memory: &Memory) -> io::Result<()> {
    let facets = &memory.facets;
    let mut line = vec![format!("{} ({} trust)", facets.source.kind, facets.source.trust)];
    line.extend(facets.source.channel.iter().map(|channel| format!("channel {}", on_one_line(channel))));
    line.extend(facets.source.session.iter().map(|session| format!("session {session}")));
    if !facets.tags.is_empty() {
        let tags: Vec<_> = facets.tags.iter().map(|tag| on_one_line(tag)).collect();
        line.push(format!("tags {}", tags.join(", ")));
    }
    let sensitivity: Vec<_> = facets.privacy.sensitivity.iter().map(|word| word.as_str()).collect();
    line.push(format!("{} ({})", facets.privacy.class, facets.privacy.basis));
    if !sensitivity.is_empty() {
        line.push(sensitivity.join(", "));
    }
    line.push(format!("kept {}", facets.retention.tier));
    line.extend(facets.retention.expires_at.map(|at| format!("until {}", minute(at))));
    writeln!(out, "\n{} · `{}`", line.join(" · "), memory.id)
}

/// To the minute, which is what people ask for.
fn minute(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

fn quote(out: &mut dyn Write, text: &str) -> io::Result<()> {
    text.lines().try_for_each(|line| match line {
        "" => writeln!(out, ">"),
        line => writeln!(out, "> {line}"),
    })
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
