//! Plan and confirm: what a request would do, shown before it is done, and bound to a token.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use lacuna_language::classify::entity_key;
use lacuna_language::names::mentions_name;
use lacuna_language::people::{Cluster, View, clusters};
use lacuna_language::request::{self as words, AskedBack, Reading};
use lacuna_language::topic::{Topic, subject_examples, without_frame};
use lacuna_seal::Digest;
use lacuna_types::request::{About, Closeness, Mode, PlanChoice, Reach, Reason, Target, Wish};
use lacuna_types::*;
use lacuna_types::{Error, Result};
use zeroize::Zeroizing;

use crate::audit::{AuditAction, AuditEntry};
use crate::erase::cascade::cascade;
use crate::forget::proposal::{ModelPart, propose};
use crate::forget::token::{ForgetClaims, PLAN_VALID};
use crate::forget::working::working_meant;
use crate::gate::shape::at_most;
use crate::index::search::QueryVector;
use crate::permit::{Forget, Grant, Recall, permit};
use crate::read::find::{Finder, Findings, WishMatch};
use crate::read::recall::QUERY_CHARS_MAX;
use crate::vault::commit::Act;
use crate::vault::open::OpenVault;
use crate::vault::purpose::{Closed, closed_to};
use crate::vault::reads::{Read, note_read};
use crate::vault::service::Service;

const DIGEST_DOMAIN: &str = "lacuna/plan/v1";
/// Memories that a request may name by id.
pub const FORGET_IDS_MAX: usize = 1_000;
/// Matches and derived memories that a plan shows; it counts all of them.
pub(crate) const PLAN_SHOWN_MAX: usize = 500;

/// The share of the bare topic in the vector of a message; the rest is the message as a whole.
const BARE_SHARE: f32 = 0.7;

/// A request to forget.
#[derive(Clone, Debug)]
pub struct Request {
    /// The words, or the memories, to forget.
    pub target: Target,
    /// The meaning of forgetting: hide or erase. `None` leaves it to the tenant's policy.
    pub mode: Option<Mode>,
    /// The chosen person among several of one name, counted from one, as an earlier answer listed them.
    pub who: Option<u32>,
    /// Cut a memory that also says something else, instead of erasing all of it.
    pub partial: bool,
    /// The caller's time zone, in which "yesterday" is read.
    pub zone: TimeZone,
}

impl Request {
    /// A request in the mode that the tenant's policy sets, in UTC, about whole memories.
    pub fn new(target: Target) -> Self {
        Self { target, mode: None, who: None, partial: false, zone: TimeZone::UTC }
    }
}

/// The answer to a request: a plan, or a question to the caller.
pub enum Planned {
    /// The words were not understood.
    Unclear(AskedBack),
    /// Several people bear the name: the request is made again and says which.
    WhichOne(Vec<Cluster>),
    Plan(Box<Plan>),
}

impl Planned {
    /// The memories whose text it shows.
    fn shown(&self) -> Vec<MemoryId> {
        let Self::Plan(plan) = self else { return Vec::new() };
        let matches = plan.matches.iter().chain(&plan.nearest).map(|found| found.memory.id);
        matches.chain(plan.derived.iter().map(|fall| fall.memory.id)).collect()
    }
}

/// A plan to forget: the effect that confirming it would have.
pub struct Plan {
    /// `None` when nothing matches, and there is nothing to confirm.
    pub token: Option<String>,
    /// The last moment at which the token is accepted.
    pub expires_at: Timestamp,
    /// The mode in which the matches would be forgotten.
    pub mode: Mode,
    /// The request as it was understood.
    pub wish: Wish,
    /// Memories that say it themselves.
    pub direct: usize,
    /// Memories that only seem to be about it.
    pub indirect: usize,
    /// Memories that may be meant, and that go only when the confirmation names them.
    pub offered: usize,
    /// The first of them.
    pub matches: Vec<PlannedMatch>,
    /// The nearest memories when no match is direct: a question, not a part of the plan. They are forgotten by their ids.
    pub nearest: Vec<PlannedMatch>,
    /// Memories that were made of those, and what becomes of them; the first of them.
    pub derived: Vec<PlannedFall>,
    /// Derived memories that would be erased.
    pub falls: usize,
    /// Derived memories that would be made anew from their remaining sources.
    pub rebuilt: usize,
    /// Matches that the caller may not erase, because somebody else wrote them.
    pub others: usize,
    /// Memories that only a session under way holds in RAM: they go as well.
    pub working: usize,
    /// Number of confirmations that the plan needs.
    pub confirmations: u8,
    /// The part that a language model had in it; `None` where none was asked.
    pub language_model: Option<ModelPart>,
}

/// A memory that a plan would forget.
pub struct PlannedMatch {
    /// The memory, with its text.
    pub memory: Memory,
    /// The match, direct or indirect.
    pub closeness: Closeness,
    /// The reason why it matches.
    pub reason: Reason,
    /// True for a memory that is near, and goes only when the confirmation names it.
    pub offered: bool,
    /// The text that would be left when only a part of it is cut.
    pub leaves: Option<Zeroizing<String>>,
}

/// A derived memory that a plan would erase or make anew.
pub struct PlannedFall {
    /// The derived memory, with its text.
    pub memory: Memory,
    /// True when it is made anew from its remaining sources; otherwise it is erased.
    pub rebuilt: bool,
}

/// The matches of a wish in one vault, as far as the caller may erase them.
pub(crate) struct Resolved {
    pub(crate) matches: Vec<ResolvedMatch>,
    nearest: Vec<MemoryId>,
    /// Memories beside the matches, the nearest first.
    pub(crate) rest: Vec<MemoryId>,
    pub(crate) others: usize,
    people: Vec<Cluster>,
}

pub(crate) struct ResolvedMatch {
    pub(crate) id: MemoryId,
    pub(crate) closeness: Closeness,
    pub(crate) reason: Reason,
    /// It goes only when somebody names it.
    pub(crate) offered: bool,
    pub(crate) leaves: Option<Zeroizing<String>>,
}

/// A wish with all that is needed to look for it.
pub(crate) struct Look {
    pub(crate) wish: Wish,
    pub(crate) vectors: Vec<QueryVector>,
    pub(crate) examples: Vec<QueryVector>,
    pub(crate) who: Option<u32>,
    pub(crate) partial: bool,
    pub(crate) mode: Mode,
    /// Proposals of a language model, which are only offered.
    pub(crate) proposed: Vec<MemoryId>,
}

/// Plans a request to forget. Nothing changes until [`confirm_forget`].
pub(crate) fn plan_forget(service: &Service, grant: &Grant<Forget>, request: &Request) -> Result<Planned> {
    let scope = grant.scope();
    // A plan shows what it would erase: whoever may not read here erases by id.
    permit::<Recall>(grant.caller(), scope)?;
    let wish = match wish(service, scope, request)? {
        Reading::Understood(wish) => wish,
        Reading::Unclear(question) => {
            let words = if let Target::Words(words) = &request.target { words.as_str() } else { "" };
            return Ok(Planned::Unclear(AskedBack::new(question, words)));
        }
    };
    let mode = request.mode.unwrap_or(service.policy(&scope.org).forget_mode);
    if working_meant(service, scope, &wish) > 0 {
        ensure_vault(service, grant)?;
    }
    let mut look = look(service, scope, wish, request.who, request.partial, mode)?;
    // An administrator erases what others wrote about health and the like without reading it.
    let closed = closed_to(service, grant)?;
    let mut planned = plan_now(service, grant, &look, &closed)?;
    if matches!(planned, Planned::Plan(_))
        && let Some((part, proposed)) = propose(service, grant, request, &look, &closed)?
    {
        look.proposed = proposed;
        planned = plan_now(service, grant, &look, &closed)?;
        if let Planned::Plan(plan) = &mut planned {
            plan.language_model = Some(part);
        }
    }
    note_read(service, &Read::of(grant, "plan", planned.shown()))?;
    Ok(planned)
}

/// Plans a wish against the vault as it is now.
fn plan_now(service: &Service, grant: &Grant<Forget>, look: &Look, closed: &Closed) -> Result<Planned> {
    let planned = service.serve(grant.scope(), |open| plan_in(service, open, grant, look, closed))?;
    planned.unwrap_or_else(|| Ok(Planned::Plan(Box::new(nothing(service, look)))))
}

/// Makes the vault if only a session under way knows it: a plan is bound to its key, and the first entry of its audit says
/// that working memory was read for one.
fn ensure_vault(service: &Service, grant: &Grant<Forget>) -> Result<()> {
    let scope = grant.scope();
    if service.read(scope, |_| ())?.is_some() {
        return Ok(());
    }
    let reader = service.reader(scope);
    let writer = reader.lock();
    writer.ensure()?;
    let entry = AuditEntry::new(AuditAction::MemoryRead, grant.caller().acting(), Vec::new());
    writer.commit(&Act::new(scope, service.clock.now(), entry), |_| {}).map(drop)
}

/// Reads the target of a request as a wish.
fn wish(service: &Service, scope: &Scope, request: &Request) -> Result<Reading> {
    let about = match &request.target {
        Target::Words(words) => {
            let now = service.clock.now().to_zoned(request.zone.clone());
            return Ok(words::read(words, &now));
        }
        Target::Ids(ids) => {
            at_most("memory_ids", ids.len(), FORGET_IDS_MAX)?;
            About::Ids(service.all_named(scope, ids)?)
        }
        Target::Session(session) => About::Session(session.clone()),
        Target::Query(text) => About::Query(checked("query", text)?),
        Target::Tags(tags) => {
            at_most("tags", tags.len(), TAGS_MAX)?;
            About::Tags(tags.clone())
        }
        Target::Entity { name, .. } => About::Subject(checked("entity", name)?),
        Target::Sensitivity(sensitivity) => About::Sensitivity(*sensitivity),
        Target::Tier(tier) => About::Tier(*tier),
        Target::Source(source) => About::Source(*source),
        Target::Within(_) | Target::Everything => About::Everything,
    };
    let mut wish = Wish::about(about);
    match &request.target {
        Target::Within(span) => wish.when = Some(*span),
        Target::Entity { reach: Reach::Subject, .. } => wish.reach = Reach::Subject,
        _ => {}
    }
    Ok(Reading::Understood(wish))
}

/// Embeds what a wish names, under the models that the vault has vectors of.
pub(crate) fn look(
    service: &Service,
    scope: &Scope,
    wish: Wish,
    who: Option<u32>,
    partial: bool,
    mode: Mode,
) -> Result<Look> {
    let vectors = vectors_for(service, scope, &wish)?;
    let examples = examples_for(service, scope, &wish)?;
    Ok(Look { wish, vectors, examples, who, partial, mode, proposed: Vec::new() })
}

/// The vectors of a wish, one for each model that the vault has vectors of.
pub(crate) fn vectors_for(service: &Service, scope: &Scope, wish: &Wish) -> Result<Vec<QueryVector>> {
    let (About::Subject(text) | About::Query(text) | About::Loose(text)) = &wish.about else {
        return Ok(Vec::new());
    };
    let models = service.serve(scope, |open| open.index.models())?.unwrap_or_default();
    let whole = service.models.embed_topic(text, &models);
    let bare = without_frame(text);
    if bare == *text {
        return Ok(whole);
    }
    let bare = service.models.embed_topic(&bare, &models);
    Ok(whole.into_iter().zip(bare).map(|(whole, bare)| blended(whole, &bare)).collect())
}

/// The vectors of sentences that speak of the subject of a wish, under the model of many languages.
pub(crate) fn examples_for(service: &Service, scope: &Scope, wish: &Wish) -> Result<Vec<QueryVector>> {
    let examples = match &wish.about {
        About::Subject(text) | About::Loose(text) => subject_examples(text),
        About::Sensitivity(category) => subject_examples(category.as_str()),
        _ => Vec::new(),
    };
    let models = service.serve(scope, |open| open.index.models())?.unwrap_or_default();
    let of_many = |vector: &QueryVector| !vector.english_only;
    let vectors = examples.iter().flat_map(|text| service.models.embed_instantly(text, &models));
    Ok(vectors.filter(of_many).collect())
}

/// The vector between a message and its topic: the words around a topic carry some of its meaning too.
fn blended(whole: QueryVector, bare: &QueryVector) -> QueryVector {
    if whole.model != bare.model || whole.vector.len() != bare.vector.len() {
        return whole;
    }
    let pairs = whole.vector.iter().zip(&bare.vector);
    let mut vector: Vec<f32> = pairs.map(|(whole, bare)| whole + (bare - whole) * BARE_SHARE).collect();
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
    QueryVector { vector, ..whole }
}

fn plan_in(
    service: &Service,
    open: &OpenVault,
    grant: &Grant<Forget>,
    look: &Look,
    closed: &Closed,
) -> Result<Planned> {
    let resolved = resolve(service, open, grant, look)?;
    if look.who.is_none() && resolved.people.len() > 1 {
        return Ok(Planned::WhichOne(resolved.people));
    }
    let mut plan = nothing(service, look);
    let ids: Vec<MemoryId> = resolved.matches.iter().map(|found| found.id).collect();
    let taken: Vec<&ResolvedMatch> = resolved.matches.iter().filter(|found| !found.offered).collect();
    let falls = fall(open, &taken);
    plan.falls = falls.iter().filter(|(_, rebuilt)| !rebuilt).count();
    plan.rebuilt = falls.len() - plan.falls;
    plan.others = resolved.others;
    plan.direct = count(&taken, Closeness::Direct);
    plan.indirect = count(&taken, Closeness::Indirect);
    plan.offered = ids.len() - taken.len();
    plan.working = working_meant(service, grant.scope(), &look.wish);
    plan.token = (!ids.is_empty() || plan.working > 0).then(|| {
        let bound = bound(service, grant, look, resolved.digest(open), 0);
        bound.to_token(|said| open.keyring.seal_plan(said, &*service.entropy))
    });
    let shown: Vec<_> = ids.iter().take(PLAN_SHOWN_MAX).copied().collect();
    // A text that cannot be had is shown by its gist: what is damaged can be forgotten too.
    let memories = open.fetched(&shown, service.sources())?;
    plan.matches = memories
        .into_iter()
        .zip(resolved.matches)
        .filter_map(|(fetched, ResolvedMatch { closeness, reason, offered, leaves, .. })| {
            Some(PlannedMatch { memory: fetched?.memory, closeness, reason, offered, leaves })
        })
        .collect();
    let nearest = open.fetched(&resolved.nearest, service.sources())?;
    plan.nearest = nearest
        .into_iter()
        .filter_map(|fetched| {
            let memory = fetched?.memory;
            Some(PlannedMatch {
                memory,
                closeness: Closeness::Indirect,
                reason: Reason::Meaning,
                offered: true,
                leaves: None,
            })
        })
        .collect();
    plan.derived = falls
        .into_iter()
        .take(PLAN_SHOWN_MAX)
        .filter_map(|(id, rebuilt)| {
            let memory = crate::vault::open::shown(&open.index.get(&id)?)?;
            Some(PlannedFall { memory, rebuilt })
        })
        .collect();
    plan.matches.retain(|found| !closed.hides(&found.memory.facets));
    plan.nearest.retain(|found| !closed.hides(&found.memory.facets));
    plan.derived.retain(|fall| !closed.hides(&fall.memory.facets));
    Ok(Planned::Plan(Box::new(plan)))
}

/// Resolves a wish against the vault as it is now, as far as the caller may erase the matches.
pub(crate) fn resolve(
    service: &Service,
    open: &OpenVault,
    grant: &Grant<Forget>,
    look: &Look,
) -> Result<Resolved> {
    let finder = Finder {
        open,
        sources: service.sources(),
        vectors: &look.vectors,
        examples: &look.examples,
        now: service.clock.now(),
        // What is only hidden goes too when something is erased for good.
        deleted_too: matches!(look.mode, Mode::Hard | Mode::Delete),
    };
    let Findings { matches: mut found, mut offered, nearest, rest } = finder.find(&look.wish)?;
    let mut proposed = finder.proposals(&look.wish, &look.proposed)?;
    proposed.retain(|one| !found.iter().chain(&offered).any(|known| known.id == one.id));
    offered.extend(proposed);
    let people = namesakes(open, &look.wish, &found);
    if let Some(which) = look.who {
        let chosen = people.get((which as usize).wrapping_sub(1));
        let chosen = chosen.ok_or_else(|| Error::invalid("who", "there is no such person on the list"))?;
        found.retain(|found| chosen.members.contains(&found.id));
        let of_another = |id: &MemoryId| people.iter().any(|one| one.members.contains(id));
        offered.retain(|found| chosen.members.contains(&found.id) || !of_another(&found.id));
    }
    let author = |id: &MemoryId| open.index.get(id)?.payload.facets.history.author.clone();
    let is_open = |id: &MemoryId| grant.covers(author(id).as_ref()) && !look.proposed.contains(id);
    let [nearest, rest] = [nearest, rest].map(|ids| ids.into_iter().filter(&is_open).collect());
    let mut resolved = Resolved { matches: Vec::new(), nearest, rest, others: 0, people };
    let found = found.into_iter().map(|one| (one, false));
    for (one, offered) in found.chain(offered.into_iter().map(|one| (one, true))) {
        let Some(stored) = open.index.get(&one.id) else { continue };
        if !grant.covers(stored.payload.facets.history.author.as_ref()) {
            resolved.others += usize::from(!offered);
            continue;
        }
        let leaves = (look.partial || !look.wish.keep.is_empty()).then_some(one.leaves).flatten();
        resolved.matches.push(ResolvedMatch {
            id: one.id,
            closeness: one.closeness,
            reason: one.reason,
            offered,
            leaves,
        });
    }
    Ok(resolved)
}

pub(crate) fn bound(
    service: &Service,
    grant: &Grant<Forget>,
    look: &Look,
    digest: [u8; 32],
    confirmed: u8,
) -> ForgetClaims {
    ForgetClaims {
        user: grant.caller().user.clone(),
        expires_at: service.clock.now() + PLAN_VALID,
        mode: look.mode,
        who: look.who,
        confirmed,
        wish: look.wish.clone(),
        digest,
        partial: look.partial,
        proposed: look.proposed.clone(),
    }
}

fn nothing(service: &Service, look: &Look) -> Plan {
    Plan {
        token: None,
        expires_at: service.clock.now() + PLAN_VALID,
        mode: look.mode,
        wish: look.wish.clone(),
        direct: 0,
        indirect: 0,
        offered: 0,
        matches: Vec::new(),
        nearest: Vec::new(),
        derived: Vec::new(),
        falls: 0,
        rebuilt: 0,
        others: 0,
        working: 0,
        confirmations: confirmations(&look.wish),
        language_model: None,
    }
}

impl Resolved {
    /// Digest over the matches as the caller saw them: another text, another state, one match more or one less
    /// gives another plan. What is only offered is left out: it goes by its id, and a vector that arrives meanwhile may
    /// bring another one near.
    pub(crate) fn digest(&self, open: &OpenVault) -> [u8; 32] {
        let taken = self.matches.iter().filter(|found| !found.offered);
        let mut lines: Vec<Vec<u8>> = taken.map(|found| line(open, found)).collect();
        lines.sort_unstable();
        let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
        *Digest::of(DIGEST_DOMAIN, &lines).as_bytes()
    }

    /// Keeps what was chosen. Naming what does not match is an error: it was not in the plan. So is a yes to a plan that
    /// only offers something, unless working memory goes by it.
    pub(crate) fn choose(&mut self, choice: &PlanChoice, takes_working: bool) -> Result<()> {
        match choice {
            PlanChoice::All => {
                let offers = self.matches.iter().any(|found| found.offered);
                self.matches.retain(|found| !found.offered);
                if offers && self.matches.is_empty() && !takes_working {
                    return Err(Error::invalid(
                        "only",
                        "must name the memories that are meant: the plan only offers some",
                    ));
                }
            }
            PlanChoice::Direct => self.matches.retain(|found| found.closeness == Closeness::Direct),
            PlanChoice::Only(ids) => {
                let known: BTreeSet<MemoryId> = self.matches.iter().map(|found| found.id).collect();
                if !ids.iter().all(|id| known.contains(id)) {
                    return Err(Error::invalid("only", "names a memory that is not in the plan"));
                }
                self.matches.retain(|found| ids.contains(&found.id));
            }
        }
        Ok(())
    }
}

/// Number of confirmations that a wish needs: two for everything, one for the rest.
pub(crate) fn confirmations(wish: &Wish) -> u8 {
    let everything = wish.about == About::Everything && wish.when.is_none();
    if everything { 2 } else { 1 }
}

fn line(open: &OpenVault, found: &ResolvedMatch) -> Vec<u8> {
    let (mark, state) = match open.index.get(&found.id) {
        Some(stored) => (stored.payload.text_mark, stored.attributes.state.code()),
        None => (0, 0),
    };
    let leaves = found.leaves.as_ref().map_or(&[][..], |leaves| leaves.as_bytes());
    let direct = u8::from(found.closeness == Closeness::Direct);
    [found.id.as_bytes(), &mark.to_be_bytes()[..], &[state, direct], leaves].concat()
}

/// The people who share the name that a wish names, when it names one.
fn namesakes(open: &OpenVault, wish: &Wish, found: &[WishMatch]) -> Vec<Cluster> {
    let (About::Subject(subject) | About::Loose(subject)) = &wish.about else { return Vec::new() };
    let topic = Topic::of(subject);
    let [name] = topic.names() else { return Vec::new() };
    let stored: Vec<_> = found
        .iter()
        .filter(|found| matches!(found.reason, Reason::Mention | Reason::Subject))
        .filter_map(|found| open.index.get(&found.id))
        .collect();
    let others: Vec<Vec<String>> = stored
        .iter()
        .map(|stored| {
            let others = stored.payload.facets.entities.iter();
            let others = others.filter(|entity| mentions_name(&entity.name, &name.written).is_none());
            others.map(|entity| entity_key(&entity.kind, &entity.name)).collect()
        })
        .collect();
    let views: Vec<View<'_>> = stored
        .iter()
        .zip(&others)
        .map(|(stored, others)| View {
            id: stored.id,
            text: stored.payload.full_text().expose(),
            entities: &stored.payload.facets.entities,
            session: stored.payload.facets.source.session.as_ref(),
            others,
        })
        .collect();
    clusters(&name.written, &views)
}

/// Derivatives of the matches; `true` for those that are made anew.
fn fall(open: &OpenVault, matches: &[&ResolvedMatch]) -> Vec<(MemoryId, bool)> {
    let whole = |found: &&&ResolvedMatch| found.leaves.is_none();
    let going = matches.iter().filter(whole).map(|found| found.id).collect();
    let cuts = matches.iter().filter(|found| !whole(found)).map(|found| found.id).collect();
    let cascade = cascade(open, &going, &cuts);
    let falls = cascade.falls.into_iter().map(|id| (id, false));
    falls.chain(cascade.rebuilt.into_iter().map(|rebuild| (rebuild.id, true))).collect()
}

fn count(matches: &[&ResolvedMatch], closeness: Closeness) -> usize {
    matches.iter().filter(|found| found.closeness == closeness).count()
}

fn checked(field: &'static str, text: &str) -> Result<String> {
    let text = text.trim();
    if text.is_empty() || text.contains('\0') || text.chars().count() > QUERY_CHARS_MAX {
        return Err(Error::invalid(field, format!("must be 1 to {QUERY_CHARS_MAX} characters without NUL")));
    }
    Ok(text.to_owned())
}
