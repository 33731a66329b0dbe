//! Secrets in the forms in which leading scanners know them, and texts that only look like secrets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lacuna_language::secrets::{Scanner, SecretLevel};
use serde::Deserialize;

use super::{Sets, share};
use crate::Result;
use crate::bench::report::Report;

/// Ordinary text that is scanned to take the speed.
const PROSE_BYTES: usize = 32 << 20;

/// Shorter parts of a text stand in others by chance.
const PART_BYTES_MIN: usize = 12;

#[derive(Deserialize)]
struct Row {
    source: String,
    rule: String,
    is_secret: bool,
    text_b64: String,
}

/// Texts, and those that were found at each level.
#[derive(Default)]
struct Tally {
    texts: usize,
    found: usize,
    sure: usize,
}

impl Tally {
    fn add(&mut self, level: Option<SecretLevel>) {
        self.texts += 1;
        self.found += usize::from(level.is_some());
        self.sure += usize::from(level >= Some(SecretLevel::Probable));
    }
}

pub(super) fn write(sets: &Sets, report: &mut Report) -> Result {
    let (Some(rows), Some(turns)) = (sets.rows::<Row>("secrets_dev.jsonl")?, sets.turns()?) else {
        return Ok(());
    };
    report.heading("Secrets");
    overall(&rows, &turns, report)?;
    by_source(&rows, report)?;
    by_kind(&rows, report)?;
    by_family(&rows, report)?;
    if sets.failures {
        failures(&rows)?;
    }
    speed(&turns, report);
    Ok(())
}

/// Prints each text that is judged wrong, and the rules that struck.
fn failures(rows: &[Row]) -> Result {
    for row in rows {
        let text = row.text()?;
        let found = Scanner::builtin().scan(&text);
        let redacted = found.iter().any(|finding| finding.level > SecretLevel::Possible);
        if redacted == row.is_secret {
            continue;
        }
        let kind = if row.is_secret { "missed" } else { "look-alike" };
        let struck: Vec<String> = found
            .iter()
            .map(|finding| format!("{}: {}", finding.rule, &text[finding.span.clone()]))
            .collect();
        println!("{kind} {} {} {text:?} {struck:?}", row.source, row.rule);
    }
    Ok(())
}

fn overall(rows: &[Row], turns: &[String], report: &mut Report) -> Result {
    let mut secrets = Tally::default();
    let (mut tricky, mut one_way) = (Tally::default(), Tally::default());
    let labelled = Labelled::of(rows)?;
    for row in rows {
        let (text, level) = (row.text()?, highest(&row.text()?));
        if row.is_secret {
            secrets.add(level);
            continue;
        }
        tricky.add(level);
        if !labelled.both_ways(&text) {
            one_way.add(level);
        }
    }
    let mut ordinary = Tally::default();
    turns.iter().for_each(|turn| ordinary.add(highest(turn)));
    let line = |name: &str, tally: &Tally, target: &str| {
        let shares = [share(tally.found, tally.texts), share(tally.sure, tally.texts)];
        vec![name.to_owned(), shares[0].clone(), shares[1].clone(), target.to_owned()]
    };
    report.line(
        "A text counts when anything in it is found. Redacted without asking: definite and probable. Labelled both ways: \
         a look-alike that holds, word for word, a secret of another text of the set.\n",
    );
    report.table(
        &["texts", "found at any level", "redacted without asking", "target"],
        vec![
            line("with a secret", &secrets, "≥ 95%"),
            line("made to look like one", &tricky, "≤ 8%"),
            line("of these, labelled one way only", &one_way, "≤ 8%"),
            line("turns of dialogues", &ordinary, "≤ 0.1%"),
        ],
    );
    Ok(())
}

/// Each source by all rules, and left out: without the rules that find something in this source and in no other.
fn by_source(rows: &[Row], report: &mut Report) -> Result {
    let mut struck: BTreeMap<&str, BTreeSet<Arc<str>>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.is_secret) {
        struck.entry(&row.source).or_default().extend(Scanner::builtin().striking(&row.text()?));
    }
    let labelled = Labelled::of(rows)?;
    let mut lines = Vec::new();
    for (source, own) in &struck {
        let elsewhere: BTreeSet<&Arc<str>> =
            struck.iter().filter(|(other, _)| *other != source).flat_map(|(_, rules)| rules).collect();
        let left_out = Scanner::without(|rule| {
            own.iter().any(|name| &**name == rule) && !elsewhere.iter().any(|name| &***name == rule)
        });
        let mut tallies: [Tally; 6] = Default::default();
        for row in rows.iter().filter(|row| row.source == **source) {
            let text = row.text()?;
            let both_ways = !row.is_secret && labelled.both_ways(&text);
            for at in [Some(usize::from(!row.is_secret) * 2), (!row.is_secret && !both_ways).then_some(4)] {
                let Some(at) = at else { continue };
                tallies[at].add(highest(&text));
                tallies[at + 1].add(highest_of(&left_out, &text));
            }
        }
        let cells = tallies.iter().map(|tally| share(tally.sure, tally.texts));
        lines.push(std::iter::once((*source).to_owned()).chain(cells).collect());
    }
    report.line("\nRedacted without asking, by source; left out: without the rules that only this source calls for.\n");
    let head = [
        "source",
        "secrets",
        "secrets, left out",
        "look-alikes",
        "look-alikes, left out",
        "labelled one way only",
        "labelled one way only, left out",
    ];
    report.table(&head, lines);
    Ok(())
}

/// The kinds of secrets, as the set names them, of which some are missed; all others are found whole.
fn by_kind(rows: &[Row], report: &mut Report) -> Result {
    let mut kinds: BTreeMap<(&str, &str), [Tally; 2]> = BTreeMap::new();
    for row in rows {
        let tallies = kinds.entry((&row.source, &row.rule)).or_default();
        tallies[usize::from(row.is_secret)].add(highest(&row.text()?));
    }
    let missed = kinds.iter().filter(|(_, [_, secrets])| secrets.found < secrets.texts);
    let rows: Vec<Vec<String>> = missed
        .map(|((source, rule), [tricky, secrets])| {
            let found = share(secrets.found, secrets.texts);
            vec![format!("{rule} ({source})"), found, share(tricky.found, tricky.texts)]
        })
        .collect();
    report.line(&format!(
        "\nOf {} kinds, these are not found every time; beside them, the texts made to look like them:\n",
        kinds.len()
    ));
    report.table(&["kind", "secrets found", "look-alikes found"], rows);
    Ok(())
}

/// Counts of the secrets that each family of rules finds, and of the look-alikes that it finds. Some look-alikes
/// of one kind are true secrets of another, so that the share says less than it seems to.
fn by_family(rows: &[Row], report: &mut Report) -> Result {
    let mut families: BTreeMap<Arc<str>, [usize; 2]> = BTreeMap::new();
    for row in rows {
        let found = Scanner::builtin().scan(&row.text()?);
        let struck: BTreeSet<Arc<str>> = found.into_iter().map(|finding| finding.family).collect();
        for family in struck {
            families.entry(family).or_default()[usize::from(row.is_secret)] += 1;
        }
    }
    let lines = families.iter().map(|(family, [tricky, secrets])| {
        let precision = share(*secrets, secrets + tricky);
        vec![family.to_string(), secrets.to_string(), tricky.to_string(), precision]
    });
    report.line("\nBy family of rules:\n");
    report.table(&["family", "secrets", "look-alikes", "precision"], lines.collect());
    Ok(())
}

/// Every turn is a text of its own, as it would be when it is remembered.
fn speed(turns: &[String], report: &mut Report) {
    let bytes: usize = turns.iter().map(String::len).sum();
    let rounds = PROSE_BYTES / bytes.max(1) + 1;
    let scan = || turns.iter().for_each(|turn| drop(Scanner::builtin().scan(turn)));
    scan();
    let started = Instant::now();
    (0..rounds).for_each(|_| scan());
    let took = started.elapsed().as_secs_f64().max(f64::MIN_POSITIVE);
    let rate = (bytes * rounds) as f64 / took / 1e6;
    report.line(&format!("\nTurns of dialogues are scanned at {rate:.0} MB/s (target: ≥ 100)."));
}

/// The texts that the set says hold a secret. No rule can be right about one that it also calls a look-alike.
struct Labelled(Vec<String>);

impl Labelled {
    fn of(rows: &[Row]) -> Result<Self> {
        Ok(Self(rows.iter().filter(|row| row.is_secret).map(Row::text).collect::<Result<_>>()?))
    }

    /// Returns true when the look-alike, or a secret that is redacted in it, stands in a text with a secret.
    fn both_ways(&self, text: &str) -> bool {
        let found = Scanner::builtin().scan(text);
        let sure = found.iter().filter(|finding| finding.level > SecretLevel::Possible);
        let mut parts =
            sure.map(|finding| &text[finding.span.clone()]).filter(|part| part.len() >= PART_BYTES_MIN);
        let stands = |part: &str| self.0.iter().any(|secret| secret.contains(part));
        self.0.iter().any(|secret| secret == text) || parts.any(stands)
    }
}

fn highest(text: &str) -> Option<SecretLevel> {
    highest_of(Scanner::builtin(), text)
}

fn highest_of(scanner: &Scanner, text: &str) -> Option<SecretLevel> {
    scanner.scan(text).into_iter().map(|finding| finding.level).max()
}

impl Row {
    fn text(&self) -> Result<String> {
        Ok(String::from_utf8_lossy(&STANDARD.decode(&self.text_b64)?).into_owned())
    }
}
