//! The work on a vault: what is due is read, condensed, and stored topic by topic. Each topic is one commit,
//! so that whoever stops in between, on purpose or not, leaves a vault in which nothing is lost or
//! said twice; the next call goes on with what is still active.

use jiff::{SignedDuration, Timestamp};
use lacuna_language::condense::{Rarity, Turn, topics};
use lacuna_types::policy::Thresholds;
use lacuna_types::token_count::estimate;
use lacuna_types::*;
use lacuna_types::{Error, Result};
use zeroize::Zeroizing;

use crate::audit::AuditAction;
use crate::gate::consent::forbids_patterns;
use crate::index::Stored;
use crate::keep::compact::condense::condense;
use crate::keep::compact::plan::{
    CompactionCandidate, CompactionChoice, Fact, Kin, Portion, duplicates, portions,
};
use crate::keep::compact::store::{OpenedTurn, PlacedPortion, place_pieces};
use crate::permit::{Acting, Forget, Grant, Recall, permit};
use crate::vault::commit::{Act, retrying};
use crate::vault::frame::FRAME_TEXT_BYTES_MAX;
use crate::vault::models::Progress;
use crate::vault::open::{Held, OpenVault};
use crate::vault::rehearse::last_used;
use crate::vault::rewrite::Rewritten;
use crate::vault::service::Service;
use crate::vault::stamp::settings_of;

/// Memories that one commit archives because another says the same.
const DUPLICATES_BATCH: usize = 256;

/// A caller's request for a compaction.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct CompactRequest {
    /// Only turns of this session.
    pub session: Option<SessionId>,
    /// Only turns from before this moment.
    pub before: Option<Timestamp>,
    /// Whatever the thresholds say. A session or a moment means this as well.
    pub force: bool,
}

/// Counts of the memories that a compaction would touch.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct CompactionPlan {
    /// Turns that are due.
    pub turns: usize,
    /// The turns' size in tokens, about.
    pub tokens: usize,
    /// Sessions that the turns belong to.
    pub sessions: usize,
    /// Weeks, as ISO 8601 writes them.
    pub weeks: Vec<String>,
    /// Facts that another one repeats word for word.
    pub duplicates: usize,
    /// Facts that nobody has read for long: somebody may want to archive them.
    pub unread_facts: usize,
}

/// The result of a compaction.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Compacted {
    /// Turns that were archived.
    pub turns: usize,
    /// The archived turns' size in tokens, about.
    pub tokens_before: usize,
    /// Summaries that replace them.
    pub summaries: Vec<MemoryId>,
    /// Facts that replace them.
    pub facts: Vec<MemoryId>,
    /// Size of the summaries and facts in tokens, about.
    pub tokens_after: usize,
    /// Facts among them that wait for somebody's word.
    pub waiting: usize,
    /// Turns that stay as they are, because nothing that could take their place was let in.
    pub kept: usize,
    /// Facts that were archived because another repeats them.
    pub duplicates: usize,
    /// Facts that nobody has read for long: somebody may want to archive them.
    pub unread_facts: usize,
    /// True when the work was broken off: the next call goes on.
    pub cancelled: bool,
}

/// On whose behalf the work is done.
pub(crate) struct Work<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) actor: Acting<'a>,
    asked: CompactionChoice<'a>,
    grant: Option<&'a Grant<Forget>>,
}

impl Work<'_> {
    /// Members of a shared vault answer for their own writing.
    fn covers(&self, history: &History) -> bool {
        self.grant.is_none_or(|grant| grant.covers(history.author.as_ref()))
    }
}

/// The memories that are due in a vault.
#[derive(Default)]
struct Due {
    portions: Vec<Portion>,
    tokens: usize,
    duplicates: Vec<MemoryId>,
    unread_facts: usize,
}

/// Summarises and archives turns, as asked or as far as they are due. `progress` hears how many turns are
/// done, and may break off after each topic.
pub(crate) fn compact(
    service: &Service,
    grant: &Grant<Forget>,
    request: &CompactRequest,
    progress: &mut Progress<'_>,
) -> Result<Compacted> {
    work_off(service, &work_for(grant, request)?, progress)
}

/// Counts the memories that [`compact`] would touch.
pub(crate) fn compaction_plan(
    service: &Service,
    grant: &Grant<Forget>,
    request: &CompactRequest,
) -> Result<CompactionPlan> {
    let due = compaction_due(service, &work_for(grant, request)?)?;
    let mut sessions: Vec<_> = due.portions.iter().map(|portion| &portion.session).collect();
    sessions.sort_unstable();
    sessions.dedup();
    let mut weeks: Vec<_> = due.portions.iter().map(|portion| portion.week.clone()).collect();
    weeks.dedup();
    Ok(CompactionPlan {
        turns: due.portions.iter().map(|portion| portion.turns.len()).sum(),
        tokens: due.tokens,
        sessions: sessions.len(),
        weeks,
        duplicates: due.duplicates.len(),
        unread_facts: due.unread_facts,
    })
}

/// Compacts what the policy's thresholds say. Answers with how many turns were archived. For the scheduler.
pub(crate) fn compact_due(service: &Service, scope: &Scope, progress: &mut Progress<'_>) -> Result<usize> {
    let work = Work { scope, actor: "policy".into(), asked: CompactionChoice::Due, grant: None };
    match work_off(service, &work, progress) {
        Ok(done) => Ok(done.turns),
        // Somebody stopped writes: it is due again when they go on.
        Err(Error::Refused { code: "frozen", .. }) => Ok(0),
        Err(error) => Err(error),
    }
}

fn work_for<'a>(grant: &'a Grant<Forget>, request: &'a CompactRequest) -> Result<Work<'a>> {
    // What is condensed is read; whoever governs a vault without belonging to it reads nothing.
    permit::<Recall>(grant.caller(), grant.scope())?;
    let CompactRequest { session, before, force } = request;
    let asked = match *force || session.is_some() || before.is_some() {
        true => CompactionChoice::All { session: session.as_ref(), before: *before },
        false => CompactionChoice::Due,
    };
    Ok(Work { scope: grant.scope(), actor: grant.caller().acting(), asked, grant: Some(grant) })
}

fn work_off(service: &Service, work: &Work<'_>, progress: &mut Progress<'_>) -> Result<Compacted> {
    let due = compaction_due(service, work)?;
    let mut done = Compacted { unread_facts: due.unread_facts, ..Compacted::default() };
    done.duplicates = archive_duplicates(service, work, &due.duplicates)?;
    let rarity = rarity(service, work, &due.portions)?;
    'work: for portion in &due.portions {
        for topic in topics_of(service, work, portion, &rarity)? {
            work_topic(service, work, &topic, &rarity, &mut done)?;
            if progress(done.turns).is_break() {
                done.cancelled = true;
                break 'work;
            }
        }
    }
    if done.turns > 0 {
        service.backlog.push(work.scope);
        service.vaults.make_room(work.scope.vault_id());
    }
    Ok(done)
}

fn compaction_due(service: &Service, work: &Work<'_>) -> Result<Due> {
    let thresholds = service.policy(&work.scope.org).compaction;
    let now = service.clock.now();
    let seen = service.serve(work.scope, |open| match open.header.frozen_at {
        Some(_) => Err(Error::frozen()),
        None => Ok(look(open, work, &thresholds, now)),
    })?;
    let Some(seen) = seen.transpose()? else { return Ok(Due::default()) };
    let sizes: std::collections::HashMap<MemoryId, usize> =
        seen.turns.iter().map(|turn| (turn.id, turn.tokens)).collect();
    let portions = portions(seen.turns, &work.asked, &thresholds, now);
    let ids = portions.iter().flat_map(|portion| &portion.turns);
    let tokens = ids.filter_map(|id| sizes.get(id)).sum();
    Ok(Due { portions, tokens, duplicates: seen.duplicates, unread_facts: seen.unread_facts })
}

/// Rarity of words, learned from the turns that are due.
fn rarity(service: &Service, work: &Work<'_>, portions: &[Portion]) -> Result<Rarity> {
    let ids: Vec<MemoryId> = portions.iter().flat_map(|portion| portion.turns.iter().copied()).collect();
    let step = ids.len().div_ceil(Rarity::TURNS_MAX).max(1);
    let ids: Vec<MemoryId> = ids.into_iter().step_by(step).collect();
    let shown = service.read(work.scope, |open| -> Vec<(Zeroizing<String>, Source)> {
        ids.iter().filter_map(|id| Some(shown(&open.index.get(id)?))).collect()
    })?;
    let shown = shown.unwrap_or_default().into_iter();
    let turns: Vec<Turn> = shown.map(|(text, source)| Turn::new(text, &source)).collect();
    Ok(Rarity::of(turns.iter()))
}

/// The turns of a portion by topic, each as a portion of its own.
fn topics_of(service: &Service, work: &Work<'_>, portion: &Portion, rarity: &Rarity) -> Result<Vec<Portion>> {
    let sources = opened(service, work.scope, &portion.turns)?;
    let turns: Vec<Turn> = sources.iter().map(OpenedTurn::turn).collect();
    let of = |numbers: Vec<usize>| Portion {
        session: portion.session.clone(),
        week: portion.week.clone(),
        turns: numbers.into_iter().map(|number| sources[number].id()).collect(),
    };
    Ok(topics(&turns, rarity).into_iter().map(of).collect())
}

/// Condenses a topic and stores it. What was erased or changed by somebody else meanwhile is read again.
fn work_topic(
    service: &Service,
    work: &Work<'_>,
    portion: &Portion,
    rarity: &Rarity,
    done: &mut Compacted,
) -> Result<()> {
    retrying(|| {
        let sources = opened(service, work.scope, &portion.turns)?;
        if sources.is_empty() {
            return Ok(());
        }
        let turns: Vec<Turn> = sources.iter().map(OpenedTurn::turn).collect();
        // Turns about health or biometrics stay in this process: sentences of theirs are picked.
        let llm = service.llm.as_deref().filter(|_| !sources.iter().any(OpenedTurn::stays_local));
        let given = settings_of(&service.reader(work.scope))?.consented();
        let policy = service.policy(&work.scope.org);
        let patterns = !forbids_patterns(policy, &work.scope.holder, &given);
        let pieces = condense(&turns, rarity, llm, patterns);
        match place_pieces(service, work, portion, &sources, pieces)? {
            PlacedPortion::Stale => Err(Error::Conflict("the vault")),
            PlacedPortion::Done(placed) => {
                done.add(*placed);
                Ok(())
            }
        }
    })
}

/// The turns of a portion that are still active, with their full texts.
fn opened(service: &Service, scope: &Scope, ids: &[MemoryId]) -> Result<Vec<OpenedTurn>> {
    let opened = service.read(scope, |open| -> Result<Vec<OpenedTurn>> {
        let mut bodies = open.bodies(ids, service.sources())?;
        let active = ids.iter().filter_map(|id| open.index.get(id));
        let active = active.filter(|stored| stored.attributes.state == Lifecycle::Active);
        let opened = active.filter_map(|stored| {
            let text = match bodies.remove(&stored.id) {
                // A turn whose text cannot be had is not condensed: it stays as it is.
                Some(body) => body.ok()?,
                None => stored.payload.full_text().duplicate(),
            };
            let vector = open.index.vectors_of(&stored.id).pop().map(|(_, vector)| vector);
            Some(OpenedTurn::new(&stored, text, vector))
        });
        Ok(opened.collect())
    })?;
    opened.unwrap_or(Ok(Vec::new()))
}

fn archive_duplicates(service: &Service, work: &Work<'_>, ids: &[MemoryId]) -> Result<usize> {
    let reader = service.reader(work.scope);
    let writer = reader.lock();
    let now = service.clock.now();
    let mut archived = 0;
    for ids in ids.chunks(DUPLICATES_BATCH) {
        let moved = writer.rewrite(ids, |row, _| {
            let active = row.state == Lifecycle::Active;
            row.state = Lifecycle::Archived;
            row.updated_at = now;
            active
        })?;
        if moved.is_empty() {
            continue;
        }
        let ids: Vec<MemoryId> = moved.iter().map(|moved| moved.row.id).collect();
        let mut act = Act::silent(work.scope, now);
        act.record(AuditAction::MemoryArchive, work.actor, &ids);
        act.batch.puts = moved.iter().map(|moved| moved.row.clone()).collect();
        writer.commit(&act, |open| {
            for Rewritten { row, frame } in moved {
                open.put(&row, frame);
            }
        })?;
        archived += ids.len();
    }
    Ok(archived)
}

impl Compacted {
    fn add(&mut self, portion: Self) {
        self.turns += portion.turns;
        self.tokens_before += portion.tokens_before;
        self.summaries.extend(portion.summaries);
        self.facts.extend(portion.facts);
        self.tokens_after += portion.tokens_after;
        self.waiting += portion.waiting;
        self.kept += portion.kept;
    }
}

/// The memories of a vault that may be due.
struct Seen {
    turns: Vec<CompactionCandidate>,
    duplicates: Vec<MemoryId>,
    unread_facts: usize,
}

fn look(open: &OpenVault, work: &Work<'_>, thresholds: &Thresholds, now: Timestamp) -> Seen {
    let unread_since = now - SignedDuration::from_hours(24 * thresholds.unread_days);
    let mut seen = Seen { turns: Vec::new(), duplicates: Vec::new(), unread_facts: 0 };
    let mut facts = Vec::new();
    for stored in open.index.before(None) {
        let facets = &stored.payload.facets;
        let expired = stored.attributes.expires_at.is_some_and(|at| at <= millis(now));
        let movable = stored.attributes.state == Lifecycle::Active
            && !expired
            && !facets.retention.pinned
            && !facets.is_record()
            && facets.history.moving.is_none()
            && work.covers(&facets.history);
        if !movable {
            continue;
        }
        let created_at = from_millis(stored.attributes.created_at).unwrap_or(now);
        if facets.tier == Tier::Semantic {
            seen.unread_facts += usize::from(used_at(&stored, created_at) < unread_since);
            let is_derived = !facets.derived_from.is_empty();
            facts.push(Fact { text: stored.payload.text_mark, is_derived, created_at, id: stored.id });
        } else {
            seen.turns.extend(candidate(&stored, created_at));
        }
    }
    // A caller who names turns means turns.
    if matches!(work.asked, CompactionChoice::Due) {
        seen.duplicates = duplicates(facts.into_iter());
    }
    seen
}

/// A turn that may be compacted. What is kept for the moment only is left to vanish.
fn candidate(stored: &Stored<'_, Held>, created_at: Timestamp) -> Option<CompactionCandidate> {
    let facets = &stored.payload.facets;
    let (session, turn) = facets.source.session.clone().zip(facets.source.turn)?;
    if facets.content_type != ContentType::Transcript || facets.retention.tier == RetentionTier::Ephemeral {
        return None;
    }
    let apart = if stored.payload.has_body { FRAME_TEXT_BYTES_MAX } else { 0 };
    let kin = Kin {
        class: KeyClass::of(&facets.privacy.sensitivity),
        foreign: facets.source.kind == SourceType::ToolOutput || facets.source.from_external_content,
        author: facets.history.author.clone(),
    };
    Some(CompactionCandidate {
        id: stored.id,
        session,
        turn,
        created_at,
        used_at: used_at(stored, created_at),
        tokens: estimate(stored.payload.full_text().expose()) + apart / 4,
        kin,
    })
}

fn used_at(stored: &Stored<'_, Held>, created_at: Timestamp) -> Timestamp {
    last_used(stored.id, &stored.payload.facets, created_at, stored.payload.updated_at)
}

/// A turn as far as it is in RAM, to learn words from: nobody waits for the vault meanwhile.
fn shown(stored: &Stored<'_, Held>) -> (Zeroizing<String>, Source) {
    let held = stored.payload;
    (Zeroizing::new(held.full_text().expose().to_owned()), held.facets.source.clone())
}
