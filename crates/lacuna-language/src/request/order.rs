//! Whether a request asks to forget at all, and which of its words say what.

use std::ops::Range;

use super::question::Question;
use super::tokens::Said;
use super::tongue::{TONGUES, Tongue};

/// A request without what wraps it.
pub(super) struct Order {
    pub tongue: &'static Tongue,
    pub object: Range<usize>,
    /// What was named first as something to keep: "keep my name but forget my address".
    pub kept: Range<usize>,
}

pub(super) fn read(said: &Said<'_>) -> Result<Order, Question> {
    if !said.text.chars().any(char::is_alphanumeric) {
        return Err(Question::What);
    }
    let stripped = TONGUES.map(|tongue| (tongue, strip(said, tongue)));
    for (tongue, range) in &stripped {
        if let Some(order) = reversed(said, tongue, range.clone()) {
            return checked(said, order);
        }
        if said.longest(range.clone(), tongue.remembers).is_some() {
            return Err(Question::Remember);
        }
        if said.longest(range.clone(), tongue.asks).is_some() {
            return Err(Question::NotARequest);
        }
        // "Just forget it" is as good as "forget it".
        let insisted = said.longest(range.clone(), tongue.only).unwrap_or(range.start)..range.end;
        if let Some(object) = framed(said, tongue, range.clone()).or_else(|| framed(said, tongue, insisted)) {
            return checked(said, Order { tongue, object, kept: 0..0 });
        }
    }
    if said.asks {
        return Err(Question::NotARequest);
    }
    let (tongue, object) = stripped
        .into_iter()
        .find(|(tongue, range)| speaks(said, tongue, range))
        .unwrap_or((TONGUES[0], strip(said, TONGUES[0])));
    let order = checked(said, Order { tongue, object, kept: 0..0 })?;
    if order.object.clone().any(|at| is_stray_verb(said, at)) { Err(Question::What) } else { Ok(order) }
}

/// "Tom should be forgotten": a request, but not one that the rules can read.
fn is_stray_verb(said: &Said<'_>, at: usize) -> bool {
    const VERBS: &str = "forget,forgot,forgotten,forgetting,delete,deleted,erase,erased,remember,remembers,vergessen,vergiss,\
        geloscht,oublier,oublie,olvidar,olvida,olvidado";
    let small = said.written(at..at + 1).starts_with(char::is_lowercase);
    small && said.longest(at..at + 1, VERBS).is_some()
}

/// Takes away what only makes a request polite.
fn strip(said: &Said<'_>, tongue: &Tongue) -> Range<usize> {
    let mut range = said.all();
    while let Some(start) = said.longest(range.clone(), tongue.polite) {
        range.start = start;
    }
    strip_closing(said, tongue, range)
}

fn strip_closing(said: &Said<'_>, tongue: &Tongue, mut range: Range<usize>) -> Range<usize> {
    while let Some(end) = said.longest_end(range.clone(), tongue.closing) {
        range.end = end;
    }
    range
}

/// The object of the longest frame that fits.
fn framed(said: &Said<'_>, tongue: &Tongue, range: Range<usize>) -> Option<Range<usize>> {
    let mut best: Option<Range<usize>> = None;
    for (before, after) in tongue.frames {
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
    best.map(|object| strip_closing(said, tongue, object))
}

/// "Keep my name, but forget my address."
fn reversed(said: &Said<'_>, tongue: &'static Tongue, range: Range<usize>) -> Option<Order> {
    let start = said.longest(range.clone(), tongue.remembers)?;
    let at = (start + 1..range.end).find(|at| said.longest(*at..range.end, tongue.again).is_some())?;
    let object = said.longest(at..range.end, tongue.again)?..range.end;
    Some(Order { tongue, object, kept: start..at })
}

/// A bare phrase belongs to the first language that knows how it begins.
fn speaks(said: &Said<'_>, tongue: &Tongue, range: &Range<usize>) -> bool {
    let Some(next) = said.longest(range.clone(), tongue.quantifiers) else { return false };
    next == range.end || (next..range.end).any(|at| said.longest(at..range.end, tongue.abouts).is_some())
}

fn checked(said: &Said<'_>, order: Order) -> Result<Order, Question> {
    let Order { tongue, object, .. } = &order;
    if object.is_empty() {
        return Err(Question::What);
    }
    let doubted = said.longest_end(object.clone(), tongue.doubts).filter(|at| {
        // "Maybe" with a capital is a title or a name, but for the first word.
        said.text[said.tokens[*at].span.clone()].starts_with(char::is_lowercase)
    });
    if doubted.is_some() || said.longest(object.clone(), tongue.doubts).is_some() {
        return Err(Question::Unsure);
    }
    let twice = (object.start + 1..object.end).any(|at| {
        let divided = said.is_divided(at) && framed(said, tongue, at..object.end).is_some();
        divided || said.longest(at..object.end, tongue.again).is_some()
    });
    if twice {
        Err(if has_exception(said, &order) { Question::Nested } else { Question::OneAtATime })
    } else {
        Ok(order)
    }
}

fn has_exception(said: &Said<'_>, order: &Order) -> bool {
    order.object.clone().any(|at| {
        let rest = at..order.object.end;
        said.longest(rest.clone(), order.tongue.keeps).or(said.longest(rest, order.tongue.excepts)).is_some()
    })
}
