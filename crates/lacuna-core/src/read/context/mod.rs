//! Context: what a turn of a conversation brings to mind, as a section for a prompt and as data.
//!
//! Six steps, those of the persona schema § 06: candidates → rank → budget → reconstruct → section → rehearsal.

use lacuna_types::policy::Confabulation;

use crate::read::Mark;
use crate::read::context::rank::Score;
pub(crate) mod quote;
pub(crate) mod rank;
pub(crate) mod render;
pub(crate) mod worth;

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use lacuna_types::embed::ModelId;
use lacuna_types::policy::{ContextRules, check_cooldown, check_memories, check_tokens};
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::gate::shape::at_most;
use crate::index::filter::Filter;
use crate::index::search::{QueryVector, Search};
use crate::index::{Session, Tag};
use crate::permit::{Grant, Recall};
use crate::read::behind::search_behind;
use crate::read::context::rank::{Ask, Pick, Picked, best_first};
use crate::read::context::render::{Limits, Section, section};
use crate::read::intent::{Understood, understand};
use crate::read::recall::{QUERY_CHARS_MAX, models_in};
use crate::vault::purpose::closed_to;
use crate::vault::reads::{Read, note_read};
use crate::vault::rehearse::note_rehearsal;
use crate::vault::service::Service;
use crate::vault::working::working;

/// Characters of a turn. The search goes by the last `QUERY_CHARS_MAX` of them.
pub const TURN_CHARS_MAX: usize = 32_000;
/// Vaults that one call may ask.
pub(crate) const CONTEXT_VAULTS_MAX: usize = 8;
/// Memories that a caller may name as resting.
pub const RESTING_MAX: usize = 4_096;
/// Memories that a vault's search finds for a turn.
const FOUND_MAX: usize = 64;
/// Characters of a word that is searched by.
const WORD_CHARS_MAX: usize = 64;
/// Picks for every memory that may be shown, so that a long one can make room for a shorter one.
const PICKS_PER_MEMORY: usize = 3;

/// A turn of a conversation for which memories are wanted.
#[derive(Default)]
pub struct Turn {
    /// The words of the turn; empty at the start of a conversation.
    pub text: String,
    /// The conversation: with it, what was shown lately is not shown again, and what it has at hand comes first.
    pub session: Option<SessionId>,
    /// The topics of the conversation: memories with these tags rank higher.
    pub topics: Vec<String>,
    /// Conditions on the memories that may be shown. Only active ones are, whatever states it names.
    pub filter: Filter,
    /// The tokens of the section, in place of the policy's.
    pub max_tokens: Option<usize>,
    /// The number of memories in the section, in place of the policy's.
    pub max_memories: Option<usize>,
    /// The turns of the cooldown, in place of the policy's.
    pub cooldown_turns: Option<u32>,
    /// Lets the words of the turn narrow the lanes, unless the filter names some; as the policy says when absent.
    pub intent: Option<bool>,
    /// Memories that rest besides those in the cooldown: the caller knows that the conversation was told them.
    pub resting: Vec<MemoryId>,
    /// Leaves out active turns of the conversation itself, for a host that has them in its window.
    pub skips_own_turns: bool,
}

/// The memories that are shown for a turn, as a section for a prompt.
pub struct Context {
    /// The section, ready for a prompt; empty when nothing is shown.
    pub text: String,
    /// The memories in the section, best first.
    pub items: Vec<Item>,
    /// The word that marks both ends of the section.
    pub boundary: String,
    /// The tokens that the section takes.
    pub tokens: usize,
    /// The tokens that the section may take.
    pub max_tokens: usize,
    /// The policy's setting on details that have faded.
    pub confabulation: Confabulation,
    /// Memories that could have been shown.
    pub considered: usize,
    /// Of those, how many were shown so lately that they rest.
    pub cooling: usize,
    /// Of the best, how many found no room.
    pub left_out: usize,
    /// The interpretation of the turn's words.
    pub understood: Understood,
    /// The time that the answer took.
    pub took: Duration,
}

/// A memory in a section. No `Debug`: it holds words of the memory.
#[derive(PartialEq)]
pub struct Item {
    /// The id of the memory.
    pub id: MemoryId,
    /// The vault that it is from.
    pub scope: Scope,
    /// The short name of the memory in the section.
    pub label: String,
    /// The text of the memory in the section.
    pub text: String,
    /// Remarks on the memory, shown in its bracket.
    pub marks: Vec<Mark>,
    /// The label in the section for a source that is not fully trusted.
    pub source_label: Option<String>,
    /// The source of the memory.
    pub source: Source,
    /// The active summary that an archived turn stands behind.
    pub behind: Option<MemoryId>,
    /// True when it is in the session's working memory and stored nowhere.
    pub at_hand: bool,
    /// The parts of its rank.
    pub score: Score,
    /// The tokens that it takes in the section.
    pub tokens: usize,
    /// The time of creation.
    pub created_at: Timestamp,
}

/// The picks of one vault, and the secrets of that vault that the answer needs.
struct VaultPicks {
    picked: Picked,
    boundary_seed: [u8; 32],
    query_mark: [u8; 32],
}

/// The memories that `turn` brings to mind, of each vault in `grants` by itself; each is labelled with its
/// vault. The first grant is the conversation's own vault.
pub(crate) fn context(service: &Service, grants: &[Grant<Recall>], turn: &Turn) -> Result<Context> {
    let started = Instant::now();
    check(grants, turn)?;
    let own = &grants[0];
    let now = service.clock.now();
    let policy = service.policy(&own.scope().org);
    let rules = &policy.context;
    let mut understood = understand(service, own.caller(), &turn.text);
    let filter = narrowed(turn, rules, &mut understood);
    let talk = turn.session.clone().map(|session| (own.scope().vault_id(), session));
    let cooldown = turn.cooldown_turns.unwrap_or(rules.cooldown_turns);
    let mut cooling =
        talk.as_ref().map(|talk| service.cooldowns.begin(talk, cooldown, now)).unwrap_or_default();
    cooling.extend(&turn.resting);
    let mut limits = Limits {
        max_tokens: turn.max_tokens.unwrap_or(rules.max_tokens),
        max_memories: turn.max_memories.unwrap_or(rules.memories_per_turn),
    };
    let ask = Ask {
        rules,
        filter: &filter,
        topics: &turn.topics.iter().map(|topic| Tag::of(topic)).collect::<Vec<_>>(),
        said: !turn.text.trim().is_empty(),
        cooling: &cooling,
        own: turn.session.as_ref().filter(|_| turn.skips_own_turns).map(Session::key),
        now,
        count: limits.max_memories * PICKS_PER_MEMORY,
    };
    let looked = bring_to_mind(service, grants, turn, &ask)?;
    let seed = looked.iter().flatten().map(|looked| looked.boundary_seed).next().unwrap_or_default();
    let marks: Vec<_> = looked.iter().map(|looked| looked.as_ref().map(|one| one.query_mark)).collect();
    let Picked { picks, considered, cooling } = together(looked);
    let picks = with_working(service, own, turn, &ask, &mut limits, picks);
    let section = section(&picks, limits, rules.confabulation, &seed, &|text| service.count_tokens(text));
    note_shown(service, grants, &filter, &marks, &picks, &section)?;
    talk.inspect(|talk| service.cooldowns.note(talk, stored(&picks, &section)));
    let items = items(&picks, &section);
    understood.broaden(own, items.is_empty());
    let Section { text, boundary, tokens, left_out, .. } = section;
    let (max_tokens, confabulation) = (limits.max_tokens, rules.confabulation);
    let took = started.elapsed();
    Ok(Context {
        text,
        items,
        boundary,
        tokens,
        max_tokens,
        confabulation,
        considered,
        cooling,
        left_out,
        understood,
        took,
    })
}

/// Puts the session's working memory before the other picks. It uses tokens, but takes no memory's place.
fn with_working(
    service: &Service,
    own: &Grant<Recall>,
    turn: &Turn,
    ask: &Ask<'_>,
    limits: &mut Limits,
    picks: Vec<Pick>,
) -> Vec<Pick> {
    let Some(session) = &turn.session else { return picks };
    let mut first = ask.at_hand(working(service, own.scope(), session), own.scope());
    first.truncate(limits.max_memories);
    limits.max_memories += first.len();
    first.extend(picks);
    first
}

/// Asks each vault by itself; `None` for one in which nothing is stored yet.
fn bring_to_mind(
    service: &Service,
    grants: &[Grant<Recall>],
    turn: &Turn,
    ask: &Ask<'_>,
) -> Result<Vec<Option<VaultPicks>>> {
    let text = asked(&turn.text);
    let text = text.as_str();
    let mut models: Vec<ModelId> = Vec::new();
    for grant in grants {
        models.extend(models_in(&service.reader(grant.scope()))?);
    }
    models.sort_unstable_by(|one, other| one.as_str().cmp(other.as_str()));
    models.dedup();
    let vectors = if ask.said { service.models.embed_query(text, &models) } else { Vec::new() };
    grants.iter().map(|grant| look_into(service, grant, text, &vectors, ask)).collect()
}

fn look_into(
    service: &Service,
    grant: &Grant<Recall>,
    text: &str,
    vectors: &[QueryVector],
    ask: &Ask<'_>,
) -> Result<Option<VaultPicks>> {
    let scope = grant.scope();
    let mut filter = ask.filter.clone();
    closed_to(service, grant)?.narrow(&mut filter);
    let ask = Ask { filter: &filter, ..*ask };
    let search = Search {
        text,
        vectors,
        filter: ask.filter.clone(),
        tags: Vec::new(),
        now: millis(ask.now),
        as_of: millis(ask.now),
        limit: FOUND_MAX,
        min_similarity: 0.0,
        strong_only: true,
        recency_weight: 0.0,
        explain: false,
    };
    service.read(scope, |vault| {
        let hits = if ask.said { search_behind(vault, &search).hits } else { Vec::new() };
        let relevance: HashMap<_, _> = hits.iter().map(|hit| (hit.id, hit.relevance)).collect();
        VaultPicks {
            picked: ask.pick(vault, scope, &relevance),
            boundary_seed: vault.keyring.boundary_seed(ask.now),
            query_mark: vault.keyring.query_mark(text),
        }
    })
}

/// Notes what is shown: for the audit, without which it may not be, and as a rehearsal.
fn note_shown(
    service: &Service,
    grants: &[Grant<Recall>],
    filter: &Filter,
    marks: &[Option<[u8; 32]>],
    picks: &[Pick],
    section: &Section,
) -> Result<()> {
    let of = |grant: &Grant<Recall>| -> Vec<(MemoryId, u32)> {
        let lines = section.lines.iter().filter(|line| picks[line.pick].scope == *grant.scope());
        lines.map(|line| (picks[line.pick].id, line.details)).collect()
    };
    for (grant, mark) in grants.iter().zip(marks) {
        let seen = of(grant).into_iter().map(|(id, _)| id).collect();
        note_read(service, &Read { lanes: &filter.lanes, query: *mark, ..Read::of(grant, "context", seen) })?;
    }
    let kept: HashSet<MemoryId> = stored(picks, section).collect();
    // A rehearsal of an archived turn keeps its summary.
    let behind: HashMap<MemoryId, MemoryId> =
        picks.iter().filter_map(|pick| Some((pick.id, pick.behind?))).collect();
    for grant in grants {
        let shown = of(grant).into_iter().filter(|(id, _)| kept.contains(id));
        let rehearsed = shown.map(|(id, details)| match behind.get(&id) {
            Some(summary) => (*summary, 0),
            None => (id, details),
        });
        note_rehearsal(service, grant, rehearsed);
    }
    Ok(())
}

fn check(grants: &[Grant<Recall>], turn: &Turn) -> Result<()> {
    if turn.text.contains('\0') {
        return Err(Error::invalid("turn", "must not hold NUL"));
    }
    if turn.text.chars().count() > TURN_CHARS_MAX {
        return Err(Error::invalid("turn", format!("must be at most {TURN_CHARS_MAX} characters")));
    }
    at_most("topics", turn.topics.len(), TAGS_MAX)?;
    at_most("resting", turn.resting.len(), RESTING_MAX)?;
    turn.max_tokens.map_or(Ok(()), check_tokens)?;
    turn.max_memories.map_or(Ok(()), |memories| check_memories("max_memories", memories))?;
    turn.cooldown_turns.map_or(Ok(()), check_cooldown)?;
    at_most("scopes", grants.len(), CONTEXT_VAULTS_MAX)?;
    let vaults: HashSet<VaultId> = grants.iter().map(|grant| grant.scope().vault_id()).collect();
    if vaults.len() != grants.len() || vaults.is_empty() {
        return Err(Error::invalid("scopes", "must name every vault once"));
    }
    Ok(())
}

/// The filter of the turn, with the lane that its words mean if that is wanted and left open.
fn narrowed(turn: &Turn, rules: &ContextRules, understood: &mut Understood) -> Filter {
    let mut filter = Filter { states: Vec::new(), ..turn.filter.clone() };
    if turn.intent.unwrap_or(rules.intent) && filter.lanes.is_empty() {
        filter.lanes.extend(understood.narrow());
    }
    filter
}

/// Merges the picks of all vaults, best first.
fn together(looked: Vec<Option<VaultPicks>>) -> Picked {
    let mut all = Picked::default();
    for VaultPicks { picked, .. } in looked.into_iter().flatten() {
        all.considered += picked.considered;
        all.cooling += picked.cooling;
        all.picks.extend(picked.picks);
    }
    all.picks.sort_by(|one, other| best_first(&(one.score, one.id), &(other.score, other.id)));
    all
}

/// Returns the shown memories that are also stored: they go into the cooldown and are rehearsed.
fn stored(picks: &[Pick], section: &Section) -> impl Iterator<Item = MemoryId> {
    section.lines.iter().map(|line| &picks[line.pick]).filter(|pick| !pick.at_hand).map(|pick| pick.id)
}

fn items(picks: &[Pick], section: &Section) -> Vec<Item> {
    let item = |line: &render::SectionLine| {
        let pick = &picks[line.pick];
        Item {
            id: pick.id,
            scope: pick.scope.clone(),
            label: line.label.clone(),
            text: line.text.clone(),
            marks: pick.marks.clone(),
            source_label: pick.source_label.clone(),
            source: pick.source.clone(),
            behind: pick.behind,
            at_hand: pick.at_hand,
            score: pick.score,
            tokens: line.tokens,
            created_at: pick.created_at,
        }
    };
    section.lines.iter().map(item).collect()
}

/// The end of a turn, without what is no word of any language: pasted keys, codes and addresses would drown the
/// question beside them.
fn asked(turn: &str) -> String {
    let end = tail(turn, QUERY_CHARS_MAX);
    let is_word = |word: &&str| word.chars().nth(WORD_CHARS_MAX).is_none();
    let words: Vec<&str> = end.split_whitespace().filter(is_word).collect();
    if words.is_empty() { end.to_owned() } else { words.join(" ") }
}

/// The last `count` characters.
fn tail(text: &str, count: usize) -> &str {
    let start = text.char_indices().rev().nth(count.saturating_sub(1)).map_or(0, |(at, _)| at);
    &text[start..]
}
