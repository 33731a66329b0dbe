//! JSON of any length, read item by item: a list at the top, or lists under known names. Every item is bounded,
//! so that no file can fill the RAM, and every fault is reported with its position.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::io::{self, BufReader, Read};
use std::marker::PhantomData;
use std::rc::Rc;

use serde::de::{self, DeserializeOwned, DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::unreadable;
use crate::codes;
use crate::wire::failure::{Failure, Result};
use crate::wire::json::without_input;

/// Bytes of JSON of one record or one conversation.
pub(super) const ITEM_BYTES_MAX: u64 = 64 << 20;
const BUFFER_BYTES: usize = 64 << 10;

/// Bytes that may still be read before the next item must begin.
#[derive(Clone)]
pub(super) struct Budget(Rc<Cell<u64>>);

impl Budget {
    /// Starts the next item. Bytes read ahead into the buffer belong to it already.
    pub(super) fn renew(&self) {
        self.0.set(ITEM_BYTES_MAX + BUFFER_BYTES as u64);
    }
}

/// A reader that stops when an item is too large.
struct Metered<R> {
    inner: R,
    budget: Budget,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = self.budget.0.get();
        if left == 0 {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, TOO_LARGE));
        }
        let read = self.inner.read(into)?;
        self.budget.0.set(left.saturating_sub(read as u64));
        Ok(read)
    }
}

const TOO_LARGE: &str = "one record is larger than 64 MiB";

/// Failure that is carried past the parser, because its own errors are only texts.
#[derive(Clone, Default)]
pub(super) struct CarriedFailure(Rc<RefCell<Option<Failure>>>);

impl CarriedFailure {
    /// Ends the parsing with a failure of ours.
    pub(super) fn stop<E: de::Error>(&self, failure: Failure) -> E {
        *self.0.borrow_mut() = Some(failure);
        E::custom("stopped")
    }
}

/// A parser over a file, and what goes with it.
pub(super) struct ItemParser<'r> {
    json: serde_json::Deserializer<serde_json::de::IoRead<BufReader<Box<dyn Read + 'r>>>>,
    pub(super) budget: Budget,
    pub(super) carried: CarriedFailure,
}

impl<'r> ItemParser<'r> {
    pub(super) fn new(reader: impl Read + 'r) -> Self {
        let budget = Budget(Rc::default());
        budget.renew();
        let metered: Box<dyn Read + 'r> = Box::new(Metered { inner: reader, budget: budget.clone() });
        let json = serde_json::Deserializer::from_reader(BufReader::with_capacity(BUFFER_BYTES, metered));
        Self { json, budget, carried: CarriedFailure::default() }
    }

    /// Reads the one value of the file.
    pub(super) fn whole<S: for<'de> DeserializeSeed<'de, Value = ()>>(mut self, seed: S) -> Result<()> {
        let mut track = serde_path_to_error::Track::new();
        let tracked = serde_path_to_error::Deserializer::new(&mut self.json, &mut track);
        let read = seed.deserialize(tracked);
        let path = track.path().to_string();
        let read = read.and_then(|()| self.json.end());
        read.map_err(|error| explain(&self.carried, &path, error))
    }

    /// Reads values one after another, as in JSON lines.
    pub(super) fn each<T: DeserializeOwned>(self, mut visit: impl FnMut(T) -> Result<()>) -> Result<()> {
        let Self { json, budget, carried } = self;
        for value in json.into_iter::<T>() {
            visit(value.map_err(|error| explain(&carried, "", error))?)?;
            budget.renew();
        }
        Ok(())
    }
}

/// Error text of the parser with its position, and without the input at that position.
fn explain(carried: &CarriedFailure, path: &str, error: serde_json::Error) -> Failure {
    let place = match path {
        "" | "." | "?" => format!("line {} column {}", error.line(), error.column()),
        path => format!("{path}, line {} column {}", error.line(), error.column()),
    };
    if let Some(failure) = carried.0.borrow_mut().take() {
        let detail =
            if failure.field.is_some() { format!("{place}: {}", failure.detail) } else { failure.detail };
        return Failure { public: detail.clone(), detail, ..failure };
    }
    let message = without_input(&error.to_string());
    if error.is_io() {
        let error = io::Error::from(error);
        if error.kind() == io::ErrorKind::FileTooLarge {
            return Failure::new(&codes::TOO_LARGE, format!("{place}: {TOO_LARGE}"));
        }
        return unreadable(error);
    }
    let code = if error.is_data() { &codes::INVALID } else { &codes::MALFORMED_JSON };
    Failure::new(code, format!("{place}: {message}"))
}

/// A list at the top, or lists under one of `names`; everything else is skipped.
pub(super) struct ItemLists<'a, T, F> {
    names: &'a [&'a str],
    budget: Budget,
    carried: CarriedFailure,
    visit: F,
    item: PhantomData<T>,
}

impl<'a, T: DeserializeOwned, F: FnMut(T) -> Result<()>> ItemLists<'a, T, F> {
    pub(super) fn new(names: &'a [&'a str], parser: &ItemParser<'_>, visit: F) -> Self {
        let (budget, carried) = (parser.budget.clone(), parser.carried.clone());
        Self { names, budget, carried, visit, item: PhantomData }
    }
}

impl<'de, T: DeserializeOwned, F: FnMut(T) -> Result<()>> DeserializeSeed<'de> for ItemLists<'_, T, F> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(mut self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(TopVisitor(&mut self))
    }
}

struct TopVisitor<'s, 'a, T, F>(&'s mut ItemLists<'a, T, F>);

impl<'de, T: DeserializeOwned, F: FnMut(T) -> Result<()>> Visitor<'de> for TopVisitor<'_, '_, T, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list, or an object with {}", self.0.names.join(" or "))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(item) = list.next_element::<T>()? {
            (self.0.visit)(item).map_err(|failure| self.0.carried.stop::<A::Error>(failure))?;
            self.0.budget.renew();
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            self.0.budget.renew();
            if self.0.names.contains(&key.as_str()) {
                map.next_value_seed(ListSeed(self.0))?;
            } else {
                map.next_value_seed(Passed(&self.0.budget))?;
            }
        }
        Ok(())
    }
}

struct ListSeed<'s, 'a, T, F>(&'s mut ItemLists<'a, T, F>);

impl<'de, T: DeserializeOwned, F: FnMut(T) -> Result<()>> DeserializeSeed<'de> for ListSeed<'_, '_, T, F> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(TopVisitor(self.0))
    }
}

/// A skipped value; in a list, each item has the bound of an item.
pub(super) struct Passed<'b>(pub(super) &'b Budget);

impl<'de> DeserializeSeed<'de> for Passed<'_> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Passed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {
            self.0.renew();
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            self.0.renew();
        }
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
}
