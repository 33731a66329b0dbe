//! Exports of Lacuna: JSON 1.0.

use std::fmt;
use std::io::Read;

use lacuna_core::transfer::EXPORT_VERSION;
use lacuna_types::Category;
use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};

use super::Intake;
use super::parse::{Budget, CarriedFailure, ItemParser, Passed};
use crate::codes;
use crate::wire::failure::{Failure, Result};
use crate::wire::{self, RecordBody};

pub(super) fn read(reader: impl Read, intake: &mut Intake<'_>) -> Result<()> {
    let parser = ItemParser::new(reader);
    let (budget, carried) = (parser.budget.clone(), parser.carried.clone());
    parser.whole(ExportPart {
        level: DocumentLevel::Document,
        reading: &mut ExportReading { intake, budget, carried },
    })
}

struct ExportReading<'a, 'i> {
    intake: &'a mut Intake<'i>,
    budget: Budget,
    carried: CarriedFailure,
}

/// Depth of the parser in the document.
#[derive(Clone, Copy)]
enum DocumentLevel {
    Document,
    Categories,
    Category(Category),
    Records(Category),
}

struct ExportPart<'r, 'a, 'i> {
    level: DocumentLevel,
    reading: &'r mut ExportReading<'a, 'i>,
}

impl<'de> DeserializeSeed<'de> for ExportPart<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.level {
            DocumentLevel::Records(_) => deserializer.deserialize_seq(self),
            _ => deserializer.deserialize_map(self),
        }
    }
}

impl<'de> Visitor<'de> for ExportPart<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.level {
            DocumentLevel::Document => "an export of Lacuna",
            DocumentLevel::Categories => "an object of categories",
            DocumentLevel::Category(_) => "an object with records",
            DocumentLevel::Records(_) => "a list of records",
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { level, reading } = self;
        while let Some(key) = map.next_key::<String>()? {
            reading.budget.renew();
            let inner = match (level, key.as_str()) {
                (DocumentLevel::Document, "export_version") => {
                    check_version(&map.next_value::<String>()?)
                        .map_err(|failure| reading.carried.stop(failure))?;
                    continue;
                }
                (DocumentLevel::Document, "categories") => DocumentLevel::Categories,
                (DocumentLevel::Categories, word) => {
                    DocumentLevel::Category(word.parse::<wire::Category>().map_err(de::Error::custom)?.0)
                }
                (DocumentLevel::Category(category), "records") => DocumentLevel::Records(category),
                _ => {
                    map.next_value_seed(Passed(&reading.budget))?;
                    continue;
                }
            };
            map.next_value_seed(ExportPart { level: inner, reading })?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let DocumentLevel::Records(category) = self.level else {
            return Err(de::Error::custom("expected an object"));
        };
        let reading = self.reading;
        while let Some(body) = list.next_element::<RecordBody>()? {
            let number = reading.intake.next_number();
            let record = body.into_record(number, category).map_err(|error| at_record(number, error.into()));
            let pushed = record.and_then(|record| reading.intake.push(record));
            pushed.map_err(|failure| reading.carried.stop::<A::Error>(failure))?;
            reading.budget.renew();
        }
        Ok(())
    }
}

fn at_record(number: u64, failure: Failure) -> Failure {
    Failure { detail: format!("record {number}: {}", failure.detail), ..failure }
}

/// Checks the version. Later releases may add to 1.0, and raise the first number when its meaning changes.
fn check_version(version: &str) -> Result<()> {
    let first = |version: &str| version.split('.').next().map(str::to_owned);
    if first(version) == first(EXPORT_VERSION) {
        return Ok(());
    }
    let reason = format!("the export has another version than {EXPORT_VERSION}: a newer release may read it");
    Err(Failure::new(&codes::UNKNOWN_FORMAT, reason))
}
