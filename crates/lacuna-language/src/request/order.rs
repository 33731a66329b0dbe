//! The order in a request: frames that ask to forget, and the object that they name.

use std::cmp::Reverse;
use std::ops::Range;

use super::question::Question;
use super::tokens::RequestText;
use crate::languages::{LANGUAGES, RequestRules};
use crate::topic::asks_to_forget;

/// A request without what wraps it.
pub(super) struct Order {
    /// The rules of the language that read it.
    pub rules: &'static RequestRules,
    /// The tokens of the object.
    pub object: Range<usize>,
    /// True when a frame was recognised; otherwise the object is all that was said.
    pub framed: bool,
    /// The exception that was named first: "keep my name but forget my address".
    pub kept: Range<usize>,
}

pub(super) fn read(said: &RequestText<'_>) -> Result<Order, Question> {
    if !said.text.chars().any(char::is_alphanumeric) {
        return Err(Question::What);
    }
    let languages = LANGUAGES.iter().map(|language| &language.request);
    let stripped: Vec<_> = languages.map(|rules| (rules, strip(said, rules))).collect();
    // "Elimina" is Spanish and Italian: the other words of the request decide.
    let mut likely: Vec<_> = stripped.iter().collect();
    likely.sort_by_key(|(rules, _)| Reverse(known_words(said, rules)));
    for (rules, range) in likely {
        if let Some(order) = reversed(said, rules, range.clone()) {
            return checked(said, order);
        }
        if said.longest(range.clone(), rules.remembers).is_some() {
            return Err(Question::Remember);
        }
        if said.longest(range.clone(), rules.asks).is_some() {
            return Err(Question::NotARequest);
        }
        // "Just forget it" is as good as "forget it".
        let insisted = said.longest(range.clone(), rules.only).unwrap_or(range.start)..range.end;
        if let Some(object) = framed(said, rules, range.clone()).or_else(|| framed(said, rules, insisted)) {
            return checked(said, Order { rules, object, framed: true, kept: 0..0 });
        }
    }
    if said.asks && !asks_to_forget(said.text) {
        return Err(Question::NotARequest);
    }
    let spoken = stripped.iter().position(|(rules, range)| speaks(said, rules, range)).unwrap_or(0);
    let (rules, object) = stripped[spoken].clone();
    let order = checked(said, Order { rules, object, framed: false, kept: 0..0 })?;
    Ok(order)
}

/// Counts the words of a request that a language knows.
fn known_words(said: &RequestText<'_>, rules: &RequestRules) -> usize {
    let lists =
        [rules.determiners, rules.quantifiers, rules.records, rules.relatives, rules.abouts, rules.nothing];
    let knows = |at: &usize| lists.iter().any(|list| said.longest(*at..*at + 1, list).is_some());
    said.all().filter(knows).count()
}

/// Takes away what only makes a request polite.
fn strip(said: &RequestText<'_>, rules: &RequestRules) -> Range<usize> {
    let mut range = said.all();
    while let Some(start) = said.longest(range.clone(), rules.polite) {
        range.start = start;
    }
    strip_closing(said, rules, range)
}

fn strip_closing(said: &RequestText<'_>, rules: &RequestRules, mut range: Range<usize>) -> Range<usize> {
    while let Some(end) = said.longest_end(range.clone(), rules.closing) {
        range.end = end;
    }
    range
}

/// The object of the longest frame that fits.
fn framed(said: &RequestText<'_>, rules: &RequestRules, range: Range<usize>) -> Option<Range<usize>> {
    let mut best: Option<Range<usize>> = None;
    for (before, after) in rules.frames {
        let start = if before.is_empty() { Some(range.start) } else { said.longest(range.clone(), before) };
        let Some(start) = start else { continue };
        let end = match *after {
            "" => Some(range.end),
            after => said.longest_end(start..range.end, after),
        };
        let Some(end) = end.filter(|end| *end >= start) else { continue };
        if best.as_ref().is_none_or(|best| end - start < best.len()) {
            best = Some(start..end);
        }
    }
    best.map(|object| strip_closing(said, rules, object))
}

/// "Keep my name, but forget my address."
fn reversed(said: &RequestText<'_>, rules: &'static RequestRules, range: Range<usize>) -> Option<Order> {
    let start = said.longest(range.clone(), rules.remembers)?;
    let at = (start + 1..range.end).find(|at| said.longest(*at..range.end, rules.again).is_some())?;
    let object = said.longest(at..range.end, rules.again)?..range.end;
    Some(Order { rules, object, framed: true, kept: start..at })
}

/// A bare phrase belongs to the first language that knows how it begins.
fn speaks(said: &RequestText<'_>, rules: &RequestRules, range: &Range<usize>) -> bool {
    let Some(next) = said.longest(range.clone(), rules.quantifiers) else { return false };
    next == range.end || (next..range.end).any(|at| said.longest(at..range.end, rules.abouts).is_some())
}

fn checked(said: &RequestText<'_>, order: Order) -> Result<Order, Question> {
    let Order { rules, object, .. } = &order;
    if object.is_empty() {
        return Err(Question::What);
    }
    let doubted = said.longest_end(object.clone(), rules.doubts).filter(|at| {
        // "Maybe" with a capital is a title or a name, but for the first word.
        said.text[said.tokens[*at].span.clone()].starts_with(char::is_lowercase)
    });
    if doubted.is_some() || said.longest(object.clone(), rules.doubts).is_some() {
        return Err(Question::Unsure);
    }
    let twice = (object.start + 1..object.end).any(|at| {
        let divided = said.is_divided(at) && framed(said, rules, at..object.end).is_some();
        divided || said.longest(at..object.end, rules.again).is_some()
    });
    if twice {
        Err(if has_exception(said, &order) { Question::Nested } else { Question::OneAtATime })
    } else {
        Ok(order)
    }
}

fn has_exception(said: &RequestText<'_>, order: &Order) -> bool {
    order.object.clone().any(|at| {
        let rest = at..order.object.end;
        said.longest(rest.clone(), order.rules.keeps).or(said.longest(rest, order.rules.excepts)).is_some()
    })
}
