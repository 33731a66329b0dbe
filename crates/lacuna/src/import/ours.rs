//! Exports of Lacuna: JSON 1.0.

use std::fmt;
use std::io::Read;

use lacuna_core::domain::Category;
use lacuna_core::export::EXPORT_VERSION;
use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};

use super::Intake;
use super::parse::{Aside, Budget, Parser, Passed};
use crate::codes;
use crate::failure::{Failure, Result};
use crate::wire::{self, RecordBody};

pub(super) fn read(reader: impl Read, intake: &mut Intake<'_>) -> Result<()> {
    let parser = Parser::new(reader);
    let (budget, aside) = (parser.budget.clone(), parser.aside.clone());
    parser.whole(Part { level: Level::Document, reading: &mut Reading { intake, budget, aside } })
}

struct Reading<'a, 'i> {
    intake: &'a mut Intake<'i>,
    budget: Budget,
    aside: Aside,
}

/// How deep in the document the parser is.
#[derive(Clone, Copy)]
enum Level {
    Document,
    Categories,
    Category(Category),
    Records(Category),
}

struct Part<'r, 'a, 'i> {
    level: Level,
    reading: &'r mut Reading<'a, 'i>,
}

impl<'de> DeserializeSeed<'de> for Part<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.level {
            Level::Records(_) => deserializer.deserialize_seq(self),
            _ => deserializer.deserialize_map(self),
        }
    }
}

impl<'de> Visitor<'de> for Part<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.level {
            Level::Document => "an export of Lacuna",
            Level::Categories => "an object of categories",
            Level::Category(_) => "an object with records",
            Level::Records(_) => "a list of records",
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { level, reading } = self;
        while let Some(key) = map.next_key::<String>()? {
            reading.budget.renew();
            let inner = match (level, key.as_str()) {
                (Level::Document, "export_version") => {
                    check_version(&map.next_value::<String>()?)
                        .map_err(|failure| reading.aside.stop(failure))?;
                    continue;
                }
                (Level::Document, "categories") => Level::Categories,
                (Level::Categories, word) => {
                    Level::Category(word.parse::<wire::Category>().map_err(de::Error::custom)?.0)
                }
                (Level::Category(category), "records") => Level::Records(category),
                _ => {
                    map.next_value_seed(Passed(&reading.budget))?;
                    continue;
                }
            };
            map.next_value_seed(Part { level: inner, reading })?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Level::Records(category) = self.level else {
            return Err(de::Error::custom("expected an object"));
        };
        let reading = self.reading;
        while let Some(body) = list.next_element::<RecordBody>()? {
            let number = reading.intake.next_number();
            let record = body.into_record(number, category).map_err(|error| at_record(number, error.into()));
            let pushed = record.and_then(|record| reading.intake.push(record));
            pushed.map_err(|failure| reading.aside.stop::<A::Error>(failure))?;
            reading.budget.renew();
        }
        Ok(())
    }
}

fn at_record(number: u64, failure: Failure) -> Failure {
    Failure { detail: format!("record {number}: {}", failure.detail), ..failure }
}

/// Later releases may add to 1.0, and raise the first number when its meaning changes.
fn check_version(version: &str) -> Result<()> {
    let first = |version: &str| version.split('.').next().map(str::to_owned);
    if first(version) == first(EXPORT_VERSION) {
        return Ok(());
    }
    let reason = format!("the export has another version than {EXPORT_VERSION}: a newer release may read it");
    Err(Failure::new(&codes::UNKNOWN_FORMAT, reason))
}
