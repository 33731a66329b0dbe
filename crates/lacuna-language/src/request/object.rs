//! The object of a request: its subject, without the words around it.

use std::ops::Range;

use jiff::Zoned;

use super::dates;
use super::question::Question;
use super::tokens::RequestText;
use crate::languages::RequestRules;
use lacuna_types::request::{About, Reach, TimeSpan, Wish};
use lacuna_types::{MemoryId, SessionId};

/// Ids in one request.
const IDS_MAX: usize = 64;

/// Reads the object of a request.
pub(super) fn read(
    said: &RequestText<'_>,
    rules: &RequestRules,
    range: Range<usize>,
    now: &Zoned,
) -> Result<Wish, Question> {
    let mut reach = Reach::Mentions;
    let mut range = range;
    if let Some(start) = said.longest(range.clone(), rules.only) {
        (range.start, reach) = (start, Reach::Subject);
    }
    if let Some(end) = said.longest_end(range.clone(), rules.only) {
        (range.end, reach) = (end, Reach::Subject);
    }
    let timed = timed(said, rules, range, now)?;
    let about = about(said, rules, timed.rest, timed.when.is_some())?;
    Ok(Wish { about, when: timed.when, keep: Vec::new(), reach, own: false })
}

/// An object and the time that stands beside it.
struct Timed {
    rest: Range<usize>,
    when: Option<TimeSpan>,
}

/// Takes the times out of an object. What is left must stand in one piece.
fn timed(
    said: &RequestText<'_>,
    rules: &RequestRules,
    range: Range<usize>,
    now: &Zoned,
) -> Result<Timed, Question> {
    let bare = determined(said, rules, range.clone());
    let mut next = range.start;
    while next < range.end {
        let at = next;
        next += 1;
        let Some(clause) = dates::clause_at(said, rules.calendar, at..range.end, now) else { continue };
        // A time that is a part of something else is no time in its parts either.
        next = clause.end.max(next);
        let before = range.start..at;
        if at <= bare.start && clause.end == range.end && clause.is_name {
            return Err(Question::TimeOrName);
        }
        if !clause.is_bounding && !is_timely(said, rules, before.clone()) {
            continue;
        }
        let Some(rest) = rest_of(said, rules, before, clause.end..range.end, now) else { continue };
        let rest = rest?;
        let when = match rest.when {
            Some(other) => intersect(clause.when?, other)?,
            None => clause.when?,
        };
        if when.from.is_some_and(|from| from > now.timestamp()) {
            return Err(Question::Future);
        }
        return Ok(Timed { rest: rest.rest, when: Some(when) });
    }
    Ok(Timed { rest: range, when: None })
}

/// Returns the rest of an object beside a time: before it, after it ("from Monday about the roof"), or in a second time.
fn rest_of(
    said: &RequestText<'_>,
    rules: &RequestRules,
    before: Range<usize>,
    after: Range<usize>,
    now: &Zoned,
) -> Option<Result<Timed, Question>> {
    // German says the verb last: "was ich gestern gesagt habe".
    if after.is_empty() || said.is(after.clone(), rules.says) {
        return Some(Ok(Timed { rest: before, when: None }));
    }
    let next = said.longest(after.clone(), rules.and).unwrap_or(after.start);
    if let Some(second) = dates::clause_at(said, rules.calendar, next..after.end, now) {
        let inner = rest_of(said, rules, before, second.end..after.end, now)?;
        return Some(inner.and_then(|inner| {
            let when = match inner.when {
                Some(third) => intersect(second.when?, third)?,
                None => second.when?,
            };
            Ok(Timed { rest: inner.rest, when: Some(when) })
        }));
    }
    let wrapped = is_wrapping(said, rules, before.clone()) || before.is_empty();
    if wrapped && said.longest(after.clone(), rules.abouts).is_some() {
        return Some(Ok(Timed { rest: after, when: None }));
    }
    // "yesterday's conversation": the word for it follows the time.
    let talk = determined(said, rules, before).is_empty()
        && said.longest(after.clone(), rules.talk).or(said.longest(after.clone(), rules.talks)).is_some();
    talk.then_some(Ok(Timed { rest: after, when: None }))
}

fn intersect(a: TimeSpan, b: TimeSpan) -> Result<TimeSpan, Question> {
    let from = a.from.max(b.from);
    let until = match (a.until, b.until) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    match (from, until) {
        (Some(from), Some(until)) if until <= from => Err(Question::TwoTimes),
        _ => Ok(TimeSpan { from, until }),
    }
}

/// Returns true if a time after these words is when something was said: "what I said about Tom", "everything".
fn is_timely(said: &RequestText<'_>, rules: &RequestRules, before: Range<usize>) -> bool {
    let ends = |phrases| said.longest_end(before.clone(), phrases).is_some();
    // "everything about April": what follows is what it is about, unless we talked about it.
    if ends(rules.abouts) && !ends(rules.says) {
        return false;
    }
    let inner = undetermined(said, rules, before.clone());
    let talks =
        [rules.talk, rules.talks].iter().any(|phrases| said.longest(inner.clone(), phrases).is_some());
    let speaks = before.clone().any(|at| said.longest(at..before.end, rules.says).is_some());
    talks || speaks || is_wrapping(said, rules, before.clone()) || group(said, rules, before).is_some()
}

/// An object without "all" and "my" in front.
fn undetermined(said: &RequestText<'_>, rules: &RequestRules, range: Range<usize>) -> Range<usize> {
    let start = said.longest(range.clone(), rules.quantifiers).unwrap_or(range.start);
    determined(said, rules, start..range.end)
}

/// Returns true if a range is nothing but words that wrap a subject.
fn is_wrapping(said: &RequestText<'_>, rules: &RequestRules, range: Range<usize>) -> bool {
    let mut at = range.start;
    while at < range.end {
        match wrapping(said, rules, at..range.end).or(said.longest(at..range.end, rules.abouts)) {
            Some(next) => at = next,
            None => return false,
        }
    }
    true
}

/// The end of a word or phrase that wraps a subject.
fn wrapping(said: &RequestText<'_>, rules: &RequestRules, rest: Range<usize>) -> Option<usize> {
    [
        rules.quantifiers,
        rules.determiners,
        rules.records,
        rules.relatives,
        rules.talk,
        rules.talks,
        rules.talk_tails,
    ]
    .iter()
    .filter_map(|phrases| said.longest(rest.clone(), phrases))
    .max()
}

fn about(
    said: &RequestText<'_>,
    rules: &RequestRules,
    range: Range<usize>,
    timed: bool,
) -> Result<About, Question> {
    if timed && range.is_empty() {
        return Ok(About::Everything);
    }
    if said.is(range.clone(), rules.last_said) {
        return Ok(if timed { About::Everything } else { About::LastSaid });
    }
    if said.is(range.clone(), rules.everything) {
        return Ok(About::Everything);
    }
    if let Some(ids) = ids(said, rules, range.clone()) {
        return Ok(About::Ids(ids));
    }
    if let Some(session) = session(said, rules, range.clone()) {
        return Ok(About::Session(session));
    }
    if let Some(talk) = conversation(said, rules, range.clone(), timed) {
        return talk;
    }
    if let Some(grouped) = tags(said, rules, range.clone()).or_else(|| group(said, rules, range.clone())) {
        return Ok(grouped);
    }
    let whole = range.clone();
    let subject = unwrapped(said, rules, range);
    if subject.is_empty() || is_nothing(said, rules, &subject) || is_wrapping(said, rules, subject.clone()) {
        return wrapped_only(said, rules, whole, timed);
    }
    let talk = said.longest(subject.clone(), rules.talks).or(said.longest(subject.clone(), rules.talk));
    if is_unread_bound(said, rules, &(talk.unwrap_or(subject.start)..subject.end)) {
        return Err(Question::LooseTime);
    }
    // "everything in my account" has no subject.
    let all = said.longest(whole.clone(), rules.quantifiers) == Some(subject.start);
    if all && said.longest(subject.clone(), rules.calendar.on).is_some() {
        return Err(Question::What);
    }
    // "isn't about work" and "the last three things" name what nobody can look for.
    if [rules.not, rules.several].iter().any(|phrases| said.longest(subject.clone(), phrases).is_some()) {
        return Err(Question::What);
    }
    Ok(About::Subject(said.written(subject).to_owned()))
}

/// "after the wedding": a bound that no calendar knows. With a capital it is a title or a name.
fn is_unread_bound(said: &RequestText<'_>, rules: &RequestRules, subject: &Range<usize>) -> bool {
    let calendar = rules.calendar;
    let bounds = [calendar.before, calendar.after, calendar.since, calendar.until];
    let led = bounds.iter().any(|phrases| said.longest(subject.clone(), phrases).is_some());
    led && said.written(subject.clone()).starts_with(char::is_lowercase)
}

/// An object of wrapping words alone: everything that was said, if a time or a word such as "all" bounds it.
fn wrapped_only(
    said: &RequestText<'_>,
    rules: &RequestRules,
    range: Range<usize>,
    timed: bool,
) -> Result<About, Question> {
    let me = said.is(unwrapped(said, rules, range.clone()), rules.everything);
    let all =
        said.longest(range.clone(), rules.quantifiers).is_some() && is_wrapping(said, rules, range.clone());
    let told = is_wrapping(said, rules, range);
    if me || all || timed && told { Ok(About::Everything) } else { Err(Question::What) }
}

/// Memories by id: `mem_…`, with "memory" or "and" between them.
fn ids(said: &RequestText<'_>, rules: &RequestRules, range: Range<usize>) -> Option<Vec<MemoryId>> {
    let mut ids = Vec::new();
    for at in range {
        match said.word(at).parse::<MemoryId>() {
            Ok(id) => ids.push(id),
            Err(_) if wrapping(said, rules, at..at + 1).is_some() || said.is(at..at + 1, rules.and) => {}
            Err(_) => return None,
        }
    }
    (1..=IDS_MAX).contains(&ids.len()).then_some(ids)
}

/// "session 7f3a": a conversation by its id, which has a figure in it.
fn session(said: &RequestText<'_>, rules: &RequestRules, range: Range<usize>) -> Option<SessionId> {
    let inner = undetermined(said, rules, range);
    let at = said.longest(inner.clone(), rules.talk)?;
    let id = said.written(at..inner.end);
    let one = at + 1 == inner.end && id.contains(|c: char| c.is_ascii_digit());
    one.then(|| SessionId::new(id).ok()).flatten()
}

/// "our conversation", "all chats"; one of many needs a time.
fn conversation(
    said: &RequestText<'_>,
    rules: &RequestRules,
    range: Range<usize>,
    timed: bool,
) -> Option<Result<About, Question>> {
    let all = said.longest(range.clone(), rules.quantifiers);
    let start = undetermined(said, rules, range.clone()).start;
    let several = said.longest(start..range.end, rules.talks);
    let mut at = several.or(said.longest(start..range.end, rules.talk))?;
    while let Some(next) = said.longest(at..range.end, rules.talk_tails) {
        at = next;
    }
    if at < range.end {
        return None;
    }
    let bounded = timed || all.is_some() || several.is_some();
    Some(if bounded { Ok(About::Conversation) } else { Err(Question::WhichConversation) })
}

/// "everything tagged travel", "#travel".
fn tags(said: &RequestText<'_>, rules: &RequestRules, range: Range<usize>) -> Option<About> {
    let mut start = range.start;
    while let Some(next) = wrapping(said, rules, start..range.end) {
        start = next;
    }
    let tagged = said.longest(start..range.end, rules.tagged);
    let mut names = Vec::new();
    for at in tagged.unwrap_or(start)..range.end {
        let written = said.written(at..at + 1);
        match written.strip_prefix('#') {
            Some(tag) if !tag.is_empty() => names.push(tag.to_owned()),
            _ if said.is(at..at + 1, rules.and) && !names.is_empty() => {}
            _ if tagged.is_some() => names.push(written.to_owned()),
            _ => return None,
        }
    }
    (!names.is_empty()).then_some(About::Tags(names))
}

/// A category, a tier or a source by its everyday name.
fn group(said: &RequestText<'_>, rules: &RequestRules, range: Range<usize>) -> Option<About> {
    let informed = said.longest_end(range.clone(), rules.records);
    let subject = unwrapped(said, rules, range.clone());
    let shorter = informed.map_or(subject.clone(), |end| subject.start..end.max(subject.start));
    let said_so = informed.is_some() || has_records(said, rules, range.start..subject.start);
    for (category, names, with_records) in rules.categories {
        let named = said.is(subject.clone(), names) || said.is(shorter.clone(), names);
        if named || said_so && said.is(shorter.clone(), with_records) {
            return Some(About::Sensitivity(*category));
        }
    }
    let all = said.longest(range.clone(), rules.quantifiers).unwrap_or(range.start)..range.end;
    let bare = determined(said, rules, all.clone());
    let is = |names: &str| {
        [&subject, &shorter, &bare, &all].into_iter().any(|range| said.is(range.clone(), names))
    };
    let tier = rules.tiers.iter().find(|(_, names)| is(names)).map(|(tier, _)| About::Tier(*tier));
    let source = rules.sources.iter().find(|(_, names)| is(names));
    tier.or_else(|| source.map(|(source, _)| About::Source(*source)))
}

fn has_records(said: &RequestText<'_>, rules: &RequestRules, range: Range<usize>) -> bool {
    range.clone().any(|at| said.longest(at..range.end, rules.records).is_some())
}

/// Returns true if a range names nothing that could be looked for.
pub(super) fn is_nothing(said: &RequestText<'_>, rules: &RequestRules, range: &Range<usize>) -> bool {
    let named = said.written(range.clone()).chars().any(char::is_alphanumeric);
    !named || range.clone().all(|at| said.is(at..at + 1, rules.nothing))
}

/// The subject without the words that only wrap it.
pub(super) fn unwrapped(said: &RequestText<'_>, rules: &RequestRules, range: Range<usize>) -> Range<usize> {
    let inner = after_about(said, rules, &range).unwrap_or_else(|| {
        let start = said.longest(range.clone(), rules.quantifiers).unwrap_or(range.start);
        start..range.end
    });
    let inner = determined(said, rules, inner);
    let told = said.longest(inner.clone(), rules.says).filter(|next| *next < inner.end);
    let inner = told.map_or(inner.clone(), |start| determined(said, rules, start..inner.end));
    let end =
        said.longest_end(inner.clone(), rules.says).filter(|end| *end > inner.start).unwrap_or(inner.end);
    let inner = inner.start..end;
    without_record(said, rules, inner)
}

/// Returns the words after the first "about" that has nothing but wrapping words before it.
fn after_about(said: &RequestText<'_>, rules: &RequestRules, range: &Range<usize>) -> Option<Range<usize>> {
    let mut at = range.start;
    loop {
        if let Some(next) = said.longest(at..range.end, rules.abouts) {
            return Some(next..range.end);
        }
        at = wrapping(said, rules, at..range.end)?;
    }
}

/// Without "my", "the", "that" in front; one word always stays.
fn determined(said: &RequestText<'_>, rules: &RequestRules, mut range: Range<usize>) -> Range<usize> {
    while let Some(next) = said.longest(range.clone(), rules.determiners) {
        range.start = next;
    }
    range
}

/// "ticket TKT-9 record", "salary information": without the last word, where something is left that names.
fn without_record(said: &RequestText<'_>, rules: &RequestRules, range: Range<usize>) -> Range<usize> {
    let Some(end) = said.longest_end(range.clone(), rules.records).filter(|end| *end > range.start) else {
        return range;
    };
    let rest = range.start..end;
    if said.is(rest.clone(), rules.bound) { range } else { rest }
}
