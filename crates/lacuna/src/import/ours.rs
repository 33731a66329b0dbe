//! Exports of Lacuna: JSON 1.0.

use std::fmt;
use std::io::Read;

use lacuna_core::transfer::EXPORT_VERSION;
use lacuna_types::Category;
use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::Intake;
use super::parse::{Budget, CarriedFailure, ItemParser, Passed};
use crate::codes;
use crate::wire::failure::{Failure, Result};
use crate::wire::json::without_input;
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

impl ExportReading<'_, '_> {
    /// Takes one record, whose text is needed whole: its proof covers every letter of it.
    fn take(&mut self, raw: &str, category: Category, place: usize) -> Result<()> {
        let mut json = serde_json::Deserializer::from_str(raw);
        let body: RecordBody = serde_path_to_error::deserialize(&mut json).map_err(|error| {
            let (path, message) = (error.path().to_string(), without_input(&error.inner().to_string()));
            let place = format!("categories.{category}.records[{place}].{path}");
            Failure::new(&codes::INVALID, format!("{place}: {message}"))
        })?;
        let number = self.intake.next_number();
        let mut record =
            body.into_record(number, category).map_err(|error| at_record(number, error.into()))?;
        if let Some(carried) = &mut record.carried {
            carried.proven = self.intake.importing.is_proven(raw, category)?;
        }
        self.intake.push(record)
    }
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
        let mut place = 0;
        while let Some(raw) = list.next_element::<Box<RawValue>>()? {
            let taken = reading.take(raw.get(), category, place);
            taken.map_err(|failure| reading.carried.stop::<A::Error>(failure))?;
            reading.budget.renew();
            place += 1;
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
