//! Export: everything that a vault holds for its owner, written out as one document, a page at a time.
//!
//! The vault is walked in bounded RAM and may change meanwhile: what is forgotten while an export runs is not
//! in the pages that follow, and counts are of what was written. Counts therefore stand behind what they
//! count.

pub(crate) mod json;
pub(crate) mod link;
pub(crate) mod markdown;

use std::collections::HashSet;
use std::io::{self, Write};

use jiff::Timestamp;
use lacuna_store::rows::AuditRow;
use lacuna_types::policy::Policy;
use lacuna_types::request::Mode;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::{AuditAction, AuditEntry};
use crate::index::{Cursor, Stored};
use crate::permit::{Export, Grant};
use crate::transfer::export::json::JsonDocument;
use crate::transfer::export::markdown::MarkdownDocument;
use crate::vault::chain::each_entry;
use crate::vault::commit::Act;
use crate::vault::consents::Consent;
use crate::vault::open::{Held, OpenVault};
use crate::vault::owner_settings::Settings;
use crate::vault::purpose::{Closed, closed_to};
use crate::vault::receipt::{BRIEF_TOMBSTONE, SignedReceipt, receipt_records};
use crate::vault::service::Service;
use crate::vault::sessions::repeats_its_turns;
use crate::vault::stamp::settings_of;

/// The version of the document, as seed 000 names it. Fields may be added; none changes its meaning.
pub const EXPORT_VERSION: &str = "1.0";
/// Memories that are opened at a time.
const PAGE_MEMORIES: usize = 64;
/// Long texts that are opened at a time; each may be a transcript of megabytes.
const PAGE_BODIES: usize = 4;
/// Prefix of a receipt's number, in the audit entry that records it.
const RECEIPT_PREFIX: &str = "DEL-";

facet!(
    /** The format of an export. */
    Format, "format", {
    Json = 1 "json",
    Markdown = 2 "markdown",
});

/// The choices for an export.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// The format of the document.
    pub format: Format,
    /// Empty means all of them.
    pub categories: Vec<Category>,
    /// Facets, source, lineage and history of each memory, without which an import has to guess.
    pub include_metadata: bool,
    /// Health is held back until somebody has said yes to this as well.
    pub include_health: bool,
}

impl Wanted {
    /// Every category with its metadata, and without memories about health.
    pub fn everything_but_health(format: Format) -> Self {
        Self { format, categories: Vec::new(), include_metadata: true, include_health: false }
    }

    fn covers(&self, category: Category) -> bool {
        self.categories.is_empty() || self.categories.contains(&category)
    }
}

/// The result of an export.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Exported {
    /// By category, in the order of [`Category::ALL`].
    pub counts: [u64; Category::ALL.len()],
    /// Memories about health that were held back.
    pub health_left_out: u64,
    /// Memories that could not be opened.
    pub damaged: u64,
}

impl Exported {
    /// Memories in the export.
    pub fn record_count(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// The head of a document.
pub(crate) struct Head<'a> {
    pub(crate) user: &'a UserId,
    pub(crate) scope: &'a Scope,
    pub(crate) at: Timestamp,
}

/// The end of a document.
pub(crate) struct Tail<'a> {
    pub(crate) exported: Exported,
    pub(crate) policy: &'a Policy,
    pub(crate) frozen_at: Option<Timestamp>,
    /// The owner's retention settings.
    pub(crate) settings: Settings,
    /// The owner's consents.
    pub(crate) consents: Vec<Consent>,
}

/// One line of the history of deletions: what happened to how many memories, never to which words.
pub(crate) struct Deletion {
    pub(crate) action: AuditAction,
    pub(crate) at: Timestamp,
    pub(crate) count: usize,
    pub(crate) audit_seq: u64,
    /// The receipt that proves it.
    pub(crate) number: Option<String>,
}

/// The order in which a document wants the memories of a category.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemoryOrder {
    /// Sources stand before what was derived from them.
    OldestFirst,
    NewestFirst,
}

/// A form of the export. Calls come in the order of these methods, categories and what is in them in turn.
pub(crate) trait Document {
    fn order(&self) -> MemoryOrder;
    fn begin(&mut self, head: &Head<'_>) -> io::Result<()>;
    fn begin_category(&mut self, category: Category) -> io::Result<()>;
    fn memory(&mut self, memory: &Memory) -> io::Result<()>;
    fn end_category(&mut self, count: u64) -> io::Result<()>;
    fn begin_deletions(&mut self) -> io::Result<()>;
    fn deletion(&mut self, deletion: &Deletion) -> io::Result<()>;
    fn end(&mut self, tail: &Tail<'_>) -> io::Result<()>;
}

/// Writes the vault to `out`, after an audit entry that says so. `progress` is told how many memories
/// have been written, after each page.
pub(crate) fn export(
    service: &Service,
    grant: &Grant<Export>,
    wanted: &Wanted,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(u64),
) -> Result<Exported> {
    record_export(service, grant, wanted, "download")?;
    write_export(service, grant, wanted, out, progress)
}

/// Counts the contents of an export at this moment, without its texts.
pub(crate) fn survey_export(service: &Service, grant: &Grant<Export>, wanted: &Wanted) -> Result<Exported> {
    let now = millis(service.clock.now());
    let closed = closed_to(service, grant)?;
    let survey = service.serve(grant.scope(), |open| survey(open, wanted, &closed, now))?;
    Ok(survey.unwrap_or_default())
}

/// Measures an export at this moment: its size in bytes and its contents.
pub(crate) fn measure_export(
    service: &Service,
    grant: &Grant<Export>,
    wanted: &Wanted,
) -> Result<(u64, Exported)> {
    let mut counter = Counter(0);
    let exported = write_export(service, grant, wanted, &mut counter, &mut |_| {})?;
    Ok((counter.0, exported))
}

/// Before the first byte goes out: an export that cannot be recorded does not happen. A vault that was
/// never written to has no chain, and nothing to export.
fn record_export(service: &Service, grant: &Grant<Export>, wanted: &Wanted, way: &str) -> Result<()> {
    let scope = grant.scope();
    let survey = survey_export(service, grant, wanted)?;
    let reader = service.reader(scope);
    let writer = reader.lock();
    if writer.update(|_| Ok(()))?.is_none() {
        return Ok(());
    }
    let entry = AuditEntry::new(AuditAction::MemoryExport, grant.caller().acting(), Vec::new());
    let notes = vec![
        format!("{way} {}", wanted.format),
        format!("records {}", survey.record_count()),
        format!("health_left_out {}", survey.health_left_out),
    ];
    writer.commit(&Act::new(scope, service.clock.now(), AuditEntry { notes, ..entry }), |_| {})?;
    Ok(())
}

fn write_export(
    service: &Service,
    grant: &Grant<Export>,
    wanted: &Wanted,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(u64),
) -> Result<Exported> {
    match wanted.format {
        Format::Json => {
            let key =
                wanted.include_metadata.then(|| service.kms.signing_key(&*service.entropy)).transpose()?;
            let document = &mut JsonDocument::new(out, key.as_deref());
            write_document(service, grant, wanted, document, progress)
        }
        Format::Markdown => write_document(
            service,
            grant,
            wanted,
            &mut MarkdownDocument::new(out, wanted.include_metadata),
            progress,
        ),
    }
}

fn write_document(
    service: &Service,
    grant: &Grant<Export>,
    wanted: &Wanted,
    document: &mut dyn Document,
    progress: &mut dyn FnMut(u64),
) -> Result<Exported> {
    let scope = grant.scope();
    let now = service.clock.now();
    let survey = survey_export(service, grant, wanted)?;
    let mut exported = Exported { counts: Default::default(), ..survey };
    document.begin(&Head { user: &grant.caller().user, scope, at: now }).map_err(unwritable)?;
    for (number, &category) in Category::ALL.iter().enumerate().filter(|(_, kind)| wanted.covers(**kind)) {
        document.begin_category(category).map_err(unwritable)?;
        let written = exported.record_count();
        let mut progress = |count| progress(written + count);
        let part = write_category(service, grant, wanted, category, document, &mut progress)?;
        exported.counts[number] = part.count;
        exported.damaged += part.damaged;
        document.end_category(part.count).map_err(unwritable)?;
    }
    document.begin_deletions().map_err(unwritable)?;
    let mut untold = Untold { receipts: untold_receipts(service, scope, now)?, at: None };
    each_entry(service, scope.vault_id(), 0, |row| match deletion(row)? {
        Some(deletion) if untold.hides(&deletion) => Ok(()),
        Some(deletion) => document.deletion(&deletion).map_err(unwritable),
        None => Ok(()),
    })?;
    let frozen_at = service.store.vault(scope.vault_id())?.and_then(|header| header.frozen_at);
    let kept = settings_of(&service.reader(scope))?;
    let (settings, consents) = (kept.retention.clone(), kept.consents.clone());
    let tail = Tail { exported, policy: service.policy(&scope.org), frozen_at, settings, consents };
    document.end(&tail).map_err(unwritable)?;
    Ok(exported)
}

/// The receipts of what was deleted without a trace, once its tombstones may be gone.
fn untold_receipts(service: &Service, scope: &Scope, now: Timestamp) -> Result<HashSet<String>> {
    let (mut untold, mut after) = (HashSet::new(), 0);
    loop {
        let page = receipt_records(service, scope, after)?;
        let Some(last) = page.last() else { return Ok(untold) };
        after = last.number;
        for record in page.iter().filter(|record| record.done_at.is_some()) {
            let receipt = SignedReceipt::decode(&record.doc)?.receipt;
            if receipt.mode == Mode::Delete && receipt.at < now - BRIEF_TOMBSTONE {
                untold.insert(receipt.reference());
            }
        }
    }
}

fn write_category(
    service: &Service,
    grant: &Grant<Export>,
    wanted: &Wanted,
    category: Category,
    document: &mut dyn Document,
    progress: &mut dyn FnMut(u64),
) -> Result<Written> {
    let order = document.order();
    let (scope, now) = (grant.scope(), millis(service.clock.now()));
    let closed = closed_to(service, grant)?;
    let passes = |stored: &Stored<'_, Held>| {
        stored.attributes.category == category && is_exported(stored, wanted, &closed, now) == Some(true)
    };
    let mut written = Written::default();
    let mut last = None;
    loop {
        let opened = service.serve(scope, |open| {
            let places = page(open, order, last, passes);
            let ids: Vec<MemoryId> = places.iter().map(|(_, id)| *id).collect();
            open_page(service, open, &ids).map(|opened| (places.last().copied(), opened))
        })?;
        let Some((Some(end), (memories, damaged))) = opened.transpose()? else { return Ok(written) };
        last = Some(end);
        for memory in &memories {
            document.memory(memory).map_err(unwritable)?;
        }
        written.count += memories.len() as u64;
        written.damaged += damaged;
        progress(written.count);
    }
}

/// Memories with their texts, and how many could not be opened: one damaged text is no reason to keep
/// all the others from their owner.
fn open_page(service: &Service, open: &OpenVault, ids: &[MemoryId]) -> Result<(Vec<Memory>, u64)> {
    match open.whole(ids, service.sources()) {
        Ok(memories) => return Ok((memories.into_iter().flatten().collect(), 0)),
        Err(Error::Corrupt(_)) => {}
        Err(error) => return Err(error),
    }
    let (mut memories, mut damaged) = (Vec::new(), 0);
    for id in ids {
        match open.whole(&[*id], service.sources()) {
            Ok(found) => memories.extend(found.into_iter().flatten()),
            Err(Error::Corrupt(_)) => damaged += 1,
            Err(error) => return Err(error),
        }
    }
    Ok((memories, damaged))
}

/// Deletions that the history passes over: they were to leave no trace, and their time is over.
struct Untold {
    receipts: HashSet<String>,
    /// The moment of the last one that was announced: what went with it has no number of its own.
    at: Option<Timestamp>,
}

impl Untold {
    fn hides(&mut self, deletion: &Deletion) -> bool {
        if deletion.number.as_ref().is_some_and(|number| self.receipts.contains(number)) {
            self.at = Some(deletion.at);
            return true;
        }
        let goes_along = matches!(deletion.action, AuditAction::MemoryCascade | AuditAction::MemoryCut);
        goes_along && self.at == Some(deletion.at)
    }
}

/// Counts of one category that was written.
#[derive(Default)]
struct Written {
    count: u64,
    damaged: u64,
}

/// The places of the next page: at most as many as may be opened at a time.
fn page(
    open: &OpenVault,
    order: MemoryOrder,
    last: Option<Cursor>,
    passes: impl Fn(&Stored<'_, Held>) -> bool,
) -> Vec<Cursor> {
    let (mut places, mut bodies) = (Vec::new(), 0);
    let mut take = |stored: Stored<'_, Held>| {
        bodies += usize::from(stored.payload.has_body);
        places.push((stored.attributes.created_at, stored.id));
        places.len() < PAGE_MEMORIES && bodies < PAGE_BODIES
    };
    match order {
        MemoryOrder::OldestFirst => open.index.after(last).filter(passes).all(&mut take),
        MemoryOrder::NewestFirst => open.index.before(last).filter(passes).all(&mut take),
    };
    places
}

fn survey(open: &OpenVault, wanted: &Wanted, closed: &Closed, now: i64) -> Exported {
    let mut survey = Exported { damaged: open.damaged.len() as u64, ..Exported::default() };
    for stored in open.index.after(None) {
        let category = stored.attributes.category;
        match is_exported(&stored, wanted, closed, now) {
            Some(true) => {
                let number = Category::ALL.iter().position(|known| *known == category);
                number.into_iter().for_each(|number| survey.counts[number] += 1);
            }
            Some(false) => survey.health_left_out += 1,
            None => {}
        }
    }
    survey
}

/// Returns `Some(true)` when a memory is written, `Some(false)` when it is held back only because it is about
/// health, and `None` otherwise. Forgotten and expired memories are not exported.
fn is_exported(stored: &Stored<'_, Held>, wanted: &Wanted, closed: &Closed, now: i64) -> Option<bool> {
    let attributes = stored.attributes;
    let is_there =
        attributes.state != Lifecycle::Deleted && attributes.expires_at.is_none_or(|expiry| now < expiry);
    let healthy = !stored.payload.facets.privacy.sensitivity.contains(&Sensitivity::Health);
    // A transcript repeats its turns, which are exported themselves; an import makes it anew.
    let is_own = !repeats_its_turns(stored.payload) && !closed.hides(&stored.payload.facets);
    (is_there && is_own && wanted.covers(attributes.category)).then_some(wanted.include_health || healthy)
}

/// Returns true when somebody other than the owner concluded it.
pub(crate) fn is_inferred(facets: &Facets) -> bool {
    facets.source.kind == SourceType::AiInference || !facets.derived_from.is_empty()
}

fn deletion(row: &AuditRow) -> Result<Option<Deletion>> {
    let entry = AuditEntry::decode(row)?;
    let deletes = matches!(
        entry.action,
        AuditAction::MemoryDelete
            | AuditAction::MemorySupersede
            | AuditAction::MemoryCorrect
            | AuditAction::MemoryReject
            | AuditAction::MemorySoftDelete
            | AuditAction::MemoryRestore
            | AuditAction::MemoryForget
            | AuditAction::MemoryCascade
            | AuditAction::MemoryCut
            | AuditAction::MemoryPurge
            | AuditAction::MemoryExpire
            | AuditAction::Receipt
    );
    Ok(deletes.then_some(Deletion {
        action: entry.action,
        at: row.at,
        count: entry.subjects.len(),
        audit_seq: row.seq,
        number: entry.notes.into_iter().find(|note| note.starts_with(RECEIPT_PREFIX)),
    }))
}

fn unwritable(error: io::Error) -> Error {
    Error::unavailable("output_failed", "the export could not be written to its end", error)
}

/// Takes everything and keeps only its length.
struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
