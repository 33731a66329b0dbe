//! The sets that recall is measured on: conversations with their times, and facts that stand alone.

use std::collections::HashMap;
use std::path::Path;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Deserialize;

use crate::Result;

/// The forms in which the sets write a time.
const TIME_FORMS: [&str; 3] = ["%I:%M %p on %d %B, %Y", "%d.%m.%Y, %H:%M:%S", "%Y/%m/%d (%a) %H:%M"];

/// Questions to several vaults.
pub(super) struct RecallSet {
    pub(super) name: String,
    pub(super) spaces: Vec<AskedSpace>,
}

/// One vault and the questions to it.
pub(super) struct AskedSpace {
    pub(super) texts: Vec<StoredText>,
    pub(super) questions: Vec<AskedQuestion>,
}

/// A text that is stored.
pub(super) struct StoredText {
    pub(super) text: String,
    pub(super) at: Timestamp,
    /// The conversation and the number of the turn in it; `None` for a text that stands alone.
    pub(super) turn: Option<(String, u32)>,
}

/// A question and the places of the texts that answer it.
pub(super) struct AskedQuestion {
    pub(super) text: String,
    pub(super) gold: Vec<usize>,
}

#[derive(Deserialize)]
struct Conversations {
    spaces: Vec<RawSpace>,
}

#[derive(Deserialize)]
struct RawSpace {
    docs: Vec<RawText>,
    queries: Vec<RawQuestion>,
}

#[derive(Deserialize)]
struct RawText {
    id: String,
    text: String,
    time: String,
    session: Option<String>,
}

#[derive(Deserialize)]
struct RawQuestion {
    text: String,
    gold: Vec<String>,
}

/// One line of a set of facts.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum FactLine {
    Fact { id: String, text: String },
    Question { text: String, gold: Vec<String> },
}

/// Reads a set of conversations; `None` where there is none.
pub(super) fn conversations(name: &str, path: &Path) -> Result<Option<RecallSet>> {
    let Ok(text) = std::fs::read_to_string(path) else { return Ok(None) };
    let data: Conversations = serde_json::from_str(&text)?;
    let spaces = data.spaces.into_iter().map(space).collect::<Result<_>>()?;
    Ok(Some(RecallSet { name: name.to_owned(), spaces }))
}

/// Reads a set of facts; the questions of its closed half as well where `closed` names one.
pub(super) fn facts(name: &str, open: &Path, closed: Option<&Path>) -> Result<Option<RecallSet>> {
    let Ok(mut lines) = std::fs::read_to_string(open) else { return Ok(None) };
    if let Some(closed) = closed {
        lines = facts_alone(&lines)? + &std::fs::read_to_string(closed)?;
    }
    let (mut texts, mut places, mut asked) = (Vec::new(), HashMap::new(), Vec::new());
    for line in lines.lines() {
        match serde_json::from_str(line)? {
            FactLine::Fact { id, text } => {
                places.insert(id, texts.len());
                texts.push(StoredText { text, at: Timestamp::UNIX_EPOCH, turn: None });
            }
            FactLine::Question { text, gold } => asked.push((text, gold)),
        }
    }
    let questions = asked.into_iter().map(|(text, gold)| question(text, &gold, &places));
    let space = AskedSpace { questions: questions.collect::<Result<_>>()?, texts };
    Ok(Some(RecallSet { name: name.to_owned(), spaces: vec![space] }))
}

/// Keeps the facts of the open half, so that only questions of the closed half are asked.
fn facts_alone(lines: &str) -> Result<String> {
    let mut kept = String::new();
    for line in lines.lines() {
        if matches!(serde_json::from_str(line)?, FactLine::Fact { .. }) {
            kept += line;
            kept.push('\n');
        }
    }
    Ok(kept)
}

fn space(raw: RawSpace) -> Result<AskedSpace> {
    let mut turns: HashMap<String, u32> = HashMap::new();
    let (mut texts, mut places) = (Vec::new(), HashMap::new());
    for RawText { id, text, time, session } in raw.docs {
        let turn = session.map(|session| {
            let number = turns.entry(session.clone()).and_modify(|number| *number += 1).or_insert(1);
            (session, *number)
        });
        places.insert(id, texts.len());
        texts.push(StoredText { text, at: moment(&time)?, turn });
    }
    let questions = raw.queries.into_iter().map(|raw| known_question(raw, &places));
    Ok(AskedSpace { questions: questions.collect(), texts })
}

/// Some gold ids of the sources name turns that do not exist; those are passed over.
fn known_question(raw: RawQuestion, places: &HashMap<String, usize>) -> AskedQuestion {
    let gold = raw.gold.iter().filter_map(|id| places.get(id).copied()).collect();
    AskedQuestion { text: raw.text, gold }
}

fn question(text: String, gold: &[String], places: &HashMap<String, usize>) -> Result<AskedQuestion> {
    let place =
        |id: &String| places.get(id).copied().ok_or_else(|| format!("no fact has the id {id}").into());
    Ok(AskedQuestion { text, gold: gold.iter().map(place).collect::<Result<_>>()? })
}

fn moment(text: &str) -> Result<Timestamp> {
    let read = TIME_FORMS.iter().find_map(|form| DateTime::strptime(form, text).ok());
    let read = read.ok_or_else(|| format!("no time: {text}"))?;
    Ok(read.to_zoned(TimeZone::UTC)?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_of_every_set_are_read() {
        for (text, expected) in [
            ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00Z"),
            ("29.12.2023, 00:51:12", "2023-12-29T00:51:12Z"),
            ("2023/05/27 (Sat) 15:42", "2023-05-27T15:42:00Z"),
        ] {
            assert_eq!(moment(text).unwrap().to_string(), expected);
        }
        assert!(moment("some day").is_err());
    }

    #[test]
    fn the_closed_half_brings_its_questions_alone() {
        let folder = tempfile::tempdir().unwrap();
        let [open, closed] = ["open", "closed"].map(|name| folder.path().join(name));
        let fact =
            r#"{"kind":"fact","id":"f1","theme":"home","lang":"en","text":"The key hangs in the shed."}"#;
        let line = |text: &str| {
            format!(
                r#"{{"kind":"question","id":"q","theme":"home","lang":"en","text":"{text}","gold":["f1"]}}"#
            )
        };
        std::fs::write(&open, format!("{fact}\n{}\n", line("Open?"))).unwrap();
        std::fs::write(&closed, line("Closed?")).unwrap();
        let asked = |closed: Option<&Path>| {
            let set = facts("facts", &open, closed).unwrap().unwrap();
            assert_eq!((set.spaces[0].texts.len(), &set.spaces[0].questions[0].gold[..]), (1, &[0][..]));
            set.spaces[0].questions.iter().map(|question| question.text.clone()).collect::<Vec<_>>()
        };
        assert_eq!(asked(None), ["Open?"]);
        assert_eq!(asked(Some(&closed)), ["Closed?"]);
    }
}
