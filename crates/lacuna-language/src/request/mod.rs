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
pub use question::Question;

use self::tokens::RequestText;
use lacuna_types::request::Wish;

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
        Ok(wish) => Reading::Understood(wish),
        Err(question) => Reading::Unclear(question),
    }
}

fn understand(words: &str, now: &Zoned) -> Result<Wish, Question> {
    if words.len() > REQUEST_BYTES_MAX {
        return Err(Question::TooLong);
    }
    let text = tokens::printable(words);
    let said = RequestText::new(&text);
    let order = order::read(&said)?;
    let (object, kept) = keep::split(&said, &order)?;
    if said.has_stop(object.clone()) {
        return Err(Question::OneAtATime);
    }
    let mut wish = object::read(&said, order.rules, object, now)?;
    wish.keep = keep::read(&said, order.rules, kept, now)?;
    keep::check(&wish)?;
    Ok(wish)
}
