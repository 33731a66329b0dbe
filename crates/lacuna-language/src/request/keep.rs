//! Exceptions, which stay although they belong to the object: "but keep that I work at Acme".

use std::ops::Range;

use jiff::Zoned;

use super::dates;
use super::object::{self, unwrapped};
use super::order::Order;
use super::question::Question;
use super::tokens::RequestText;
use crate::languages::RequestRules;
use lacuna_types::request::{About, Wish};

/// Exceptions in one request.
const KEPT_MAX: usize = 16;

/// Divides the part to forget from the part to keep.
pub(super) fn split(
    said: &RequestText<'_>,
    order: &Order,
) -> Result<(Range<usize>, Vec<Range<usize>>), Question> {
    let (rules, object) = (order.rules, order.object.clone());
    let mut kept = Vec::new();
    if !order.kept.is_empty() {
        kept.push(order.kept.clone());
    }
    let first = object.clone().find_map(|at| exception(said, rules, &object, at).map(|end| (at, end)));
    let Some((at, start)) = first else { return Ok((object, kept)) };
    let mut open = start;
    for next in start..object.end {
        let rest = next..object.end;
        if said.longest(rest.clone(), rules.excepts).is_some() || is_all_but(said, rules, &object, next) {
            return Err(Question::Nested);
        }
        if let Some(end) = keeping(said, rules, rest).filter(|_| next >= open) {
            kept.push(open..next);
            open = end;
        }
    }
    kept.push(open..object.end);
    Ok((object.start..at, kept))
}

/// The end of the words that begin an exception at a word.
fn exception(
    said: &RequestText<'_>,
    rules: &RequestRules,
    object: &Range<usize>,
    at: usize,
) -> Option<usize> {
    let rest = at..object.end;
    let excepted = said.longest(rest.clone(), rules.excepts);
    let all_but =
        is_all_but(said, rules, object, at).then(|| said.longest(rest.clone(), rules.but)).flatten();
    keeping(said, rules, rest).max(excepted).max(all_but)
}

/// "but keep"; or a plain "keep" or "not" after a comma.
fn keeping(said: &RequestText<'_>, rules: &RequestRules, rest: Range<usize>) -> Option<usize> {
    let plain = said.is_divided(rest.start);
    let plain =
        plain.then(|| said.longest(rest.clone(), rules.remembers).max(said.longest(rest.clone(), rules.not)));
    said.longest(rest, rules.keeps).max(plain.flatten())
}

/// "everything but", "all but".
fn is_all_but(said: &RequestText<'_>, rules: &RequestRules, object: &Range<usize>, at: usize) -> bool {
    at > object.start
        && said.longest(at..object.end, rules.but).is_some()
        && said.is(object.start..at, rules.everything)
}

/// The names of what stays, as they were written.
pub(super) fn read(
    said: &RequestText<'_>,
    rules: &RequestRules,
    kept: Vec<Range<usize>>,
    now: &Zoned,
) -> Result<Vec<String>, Question> {
    let mut names = Vec::new();
    for range in kept.into_iter().flat_map(|range| parts(said, rules, range)) {
        let range = unwrapped(said, rules, range);
        let timed = dates::clause_at(said, rules.calendar, range.clone(), now)
            .is_some_and(|clause| clause.end == range.end);
        if range.is_empty() || timed || object::is_nothing(said, rules, &range) || names.len() == KEPT_MAX {
            return Err(Question::KeepWhat);
        }
        names.push(said.written(range).to_owned());
    }
    Ok(names)
}

/// "my name, my age and that I row": divided at commas, and at an "and" before a word such as "my" or between small
/// words. "Tom and Jerry's shop" is one.
fn parts(said: &RequestText<'_>, rules: &RequestRules, range: Range<usize>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = range.start;
    let mut at = range.start;
    while at < range.end {
        let and = said.longest(at..range.end, rules.and);
        let listed = and.is_some_and(|next| {
            let small = |at: usize| said.written(at..at + 1).starts_with(char::is_lowercase);
            let plain = at > start && next < range.end && (start..at).all(small) && small(next);
            plain || said.longest(next..range.end, rules.determiners).is_some()
        });
        let next = match (listed, and) {
            (true, Some(next)) => next,
            _ if said.is_divided(at) && at > start => and.unwrap_or(at),
            _ => {
                at += 1;
                continue;
            }
        };
        if at > start {
            parts.push(start..at);
        }
        start = next;
        at = next.max(at + 1);
    }
    parts.push(start..range.end);
    parts
}

/// Refuses a wish that keeps the same thing that it forgets.
pub(super) fn check(wish: &Wish) -> Result<(), Question> {
    let About::Subject(subject) = &wish.about else { return Ok(()) };
    let same = wish.keep.iter().any(|kept| kept.to_lowercase() == subject.to_lowercase());
    if same { Err(Question::KeepsTheSame) } else { Ok(()) }
}
