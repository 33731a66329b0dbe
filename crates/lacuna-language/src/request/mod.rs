//! A wish in plain words, read by rules: the subject to forget, the time when it was said, and the exceptions to keep.
//!
//! Whatever the rules do not understand is asked about, never guessed: a wrong guess here costs a memory.

mod dates;
mod keep;
mod object;
mod order;
mod question;
mod tokens;

#[cfg(test)]
mod tests;

use jiff::Zoned;

pub use dates::{AskedTime, asked_time, tells_time};
pub use question::{AskedBack, Question};

use self::tokens::RequestText;
use crate::topic::{NearWords, asks_to_forget, speaks_of_own};
use lacuna_types::request::{About, Wish};

/// The longest request that is read, in bytes.
pub const REQUEST_BYTES_MAX: usize = 2_000;

/// The outcome of reading a request.
#[derive(Clone, PartialEq, Debug)]
pub enum Reading {
    Understood(Wish),
    Unclear(Question),
}

/// Reads a request. Days and hours are those of the time zone of `now`.
pub fn read(words: &str, now: &Zoned) -> Reading {
    match understand(words, now) {
        Ok(wish) => Reading::Understood(Wish { own: is_own(&wish, words), ..wish }),
        Err(question) => Reading::Unclear(question),
    }
}

/// Returns true when a wish speaks of the owner's own affairs: by "my" anywhere, or by "I" in what it names.
fn is_own(wish: &Wish, words: &str) -> bool {
    let named = if let About::Subject(subject) = &wish.about { subject.as_str() } else { "" };
    let is_looked_for = matches!(wish.about, About::Subject(_) | About::Loose(_) | About::Sensitivity(_));
    is_looked_for && speaks_of_own(words, named)
}

/// Unframed words of this number name a topic; more of them are a message, read as a whole.
const BARE_WORDS_MAX: usize = 5;

fn understand(words: &str, now: &Zoned) -> Result<Wish, Question> {
    if words.len() > REQUEST_BYTES_MAX {
        return Err(Question::TooLong);
    }
    let text = tokens::printable(words);
    let said = RequestText::new(&text);
    match in_one(&said, now) {
        Ok(Framed { wish, framed }) if framed || !is_bare(&wish) || !is_message(&said) => Ok(wish),
        Ok(_) => Ok(loose(&text)),
        Err(Question::OneAtATime) => in_sentences(&said, now),
        Err(question) => Err(question),
    }
}

/// A wish, and whether a frame was recognised around it.
struct Framed {
    wish: Wish,
    framed: bool,
}

/// Reads a request as one sentence.
fn in_one(said: &RequestText<'_>, now: &Zoned) -> Result<Framed, Question> {
    let order = order::read(said)?;
    let (object, kept) = keep::split(said, &order)?;
    if said.has_stop(object.clone()) {
        return Err(Question::OneAtATime);
    }
    let mut wish = object::read(said, order.rules, object, now)?;
    wish.keep = keep::read(said, order.rules, kept, now)?;
    keep::check(&wish)?;
    Ok(Framed { wish, framed: order.framed })
}

/// Reads several sentences: one that a frame reads is the request, and the others are its reason. Two such are read as a
/// whole.
fn in_sentences(said: &RequestText<'_>, now: &Zoned) -> Result<Wish, Question> {
    let mut orders = Vec::new();
    for sentence in said.sentences() {
        match in_one(&RequestText::new(sentence), now) {
            Ok(Framed { wish, framed: true }) => orders.push(wish),
            Err(Question::Remember) => return Err(Question::OneAtATime),
            _ => {}
        }
    }
    match orders.pop() {
        // "Forget it" points to the sentence before.
        Some(wish) if orders.is_empty() && wish.about != About::LastSaid => Ok(wish),
        _ => {
            // "Away with it" asks, and what it asks about stands before it.
            let asks = |sentence: &&str| asks_to_forget(sentence) && !NearWords::of(sentence).is_empty();
            let asking: Vec<&str> = said.sentences().into_iter().filter(asks).collect();
            Ok(loose(if let [one] = asking.as_slice() { one } else { said.text }))
        }
    }
}

/// Returns true for a wish that names a subject and nothing else, neither a time nor an exception.
fn is_bare(wish: &Wish) -> bool {
    matches!(wish.about, About::Subject(_)) && wish.when.is_none() && wish.keep.is_empty()
}

/// Returns true for words that are more than the bare name of a topic.
fn is_message(said: &RequestText<'_>) -> bool {
    let parted = said.all().skip(1).any(|at| said.is_divided(at));
    said.tokens.len() > BARE_WORDS_MAX || parted || asks_to_forget(said.text)
}

fn loose(text: &str) -> Wish {
    Wish::about(About::Loose(text.trim().to_owned()))
}
