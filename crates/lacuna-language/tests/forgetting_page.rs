//! Every phrase of `docs/forgetting.md` is read as the page says: as a request, or as a reason to ask back.

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use lacuna_language::request::{Reading, read};

const PAGE: &str = include_str!("../../../docs/forgetting.md");
/// Requests that the two tables hold at least; fewer mean that the tables were not found.
const UNDERSTOOD_MIN: usize = 20;
const UNCLEAR_MIN: usize = 10;

/// The phrases in the first column of the table under a heading row.
fn phrases(heading: &str) -> Vec<String> {
    let rows = PAGE.lines().skip_while(|line| !line.starts_with(heading)).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    let first = rows.filter_map(|row| row.split('|').nth(1));
    let said = first.flat_map(|cell| cell.split('·')).map(str::trim);
    said.map(|said| said.replace("mem_…", "mem_01a1e30b298970edb42ead2f1d412e3e")).collect()
}

fn now() -> Zoned {
    "2026-11-16T06:43:43Z".parse::<Timestamp>().expect("a moment").to_zoned(TimeZone::UTC)
}

#[test]
fn every_request_of_the_page_is_understood() {
    let said = phrases("| said | understood as |");
    assert!(said.len() >= UNDERSTOOD_MIN, "{said:?}");
    for phrase in said {
        assert!(matches!(read(&phrase, &now()), Reading::Understood(_)), "{phrase}");
    }
}

#[test]
fn every_doubt_of_the_page_is_asked_about() {
    let said = phrases("| said | why Lacuna asks back |");
    assert!(said.len() >= UNCLEAR_MIN, "{said:?}");
    for phrase in said {
        assert!(matches!(read(&phrase, &now()), Reading::Unclear(_)), "{phrase}");
    }
}
