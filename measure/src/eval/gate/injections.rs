//! Texts that give orders to an assistant, and ordinary ones that use the same words.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use lacuna_language::orders::{instructions, instructions_without, striking};
use serde::Deserialize;

use super::{Sets, share};
use crate::Result;
use crate::bench::report::{Report, time};

/// Ordinary text that is read to take the speed.
const PROSE_BYTES: usize = 1 << 20;
/// A page of about the size of the longest memory.
const PAGE_BYTES: usize = 10_000;

#[derive(Deserialize)]
struct Row {
    text: String,
    is_injection: bool,
    source: String,
}

/// Texts, and those that were taken for orders.
#[derive(Default, Clone, Copy)]
struct Tally {
    texts: usize,
    flagged: usize,
}

impl Tally {
    fn add(&mut self, text: &str) {
        self.add_if(instructions(text).is_instruction());
    }

    fn add_if(&mut self, flagged: bool) {
        self.texts += 1;
        self.flagged += usize::from(flagged);
    }

    fn share(self) -> String {
        share(self.flagged, self.texts)
    }
}

pub(super) fn write(sets: &Sets, report: &mut Report) -> Result {
    let (Some(rows), Some(turns)) = (sets.rows::<Row>("injections_dev.jsonl")?, sets.turns()?) else {
        return Ok(());
    };
    report.heading("Orders to the assistant");
    let started = Instant::now();
    instructions("The first text pays for the patterns.");
    let first = started.elapsed();
    by_source(&rows, &turns, report);
    left_out(&rows, report);
    speed(&turns, report);
    report.line(&format!("The patterns are compiled once, in {}.", time(first)));
    Ok(())
}

fn by_source(rows: &[Row], turns: &[String], report: &mut Report) {
    // Ordinary texts first, then orders.
    let mut sources: BTreeMap<&str, [Tally; 2]> = BTreeMap::new();
    let mut all = [Tally::default(); 2];
    for row in rows {
        sources.entry(&row.source).or_default()[usize::from(row.is_injection)].add(&row.text);
    }
    for tallies in sources.values() {
        for (all, one) in all.iter_mut().zip(tallies) {
            all.texts += one.texts;
            all.flagged += one.flagged;
        }
    }
    let mut dialogues = [Tally::default(); 2];
    turns.iter().for_each(|turn| dialogues[0].add(turn));
    let line = |name: &str, [ordinary, orders]: &[Tally; 2]| {
        let flagged = ordinary.flagged + orders.flagged;
        vec![name.to_owned(), orders.share(), ordinary.share(), share(orders.flagged, flagged)]
    };
    let mut lines: Vec<_> = sources.iter().map(|(source, tallies)| line(source, tallies)).collect();
    lines.push(line("all", &all));
    lines.push(line("turns of dialogues", &dialogues));
    report.line("Ordinary texts of low trust may be held back in at most 2% of all cases.\n");
    report.table(&["source", "orders found", "ordinary texts flagged", "precision"], lines);
}

/// Each source without the rules that match an order of this source and of no other.
fn left_out(rows: &[Row], report: &mut Report) {
    let mut struck: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.is_injection) {
        struck.entry(&row.source).or_default().extend(striking(&row.text));
    }
    let mut lines = Vec::new();
    for (source, own) in &struck {
        let elsewhere: BTreeSet<&str> = struck
            .iter()
            .filter(|(other, _)| *other != source)
            .flat_map(|(_, rules)| rules)
            .copied()
            .collect();
        let is_own = |rule: &str| own.contains(rule) && !elsewhere.contains(rule);
        let mut found = Tally::default();
        for row in rows.iter().filter(|row| row.is_injection && row.source == **source) {
            found.add_if(instructions_without(&row.text, &is_own).is_instruction());
        }
        let rules = own.iter().filter(|rule| is_own(rule)).count();
        lines.push(vec![(*source).to_owned(), found.share(), rules.to_string()]);
    }
    report.line("\nOrders found without the rules that only their source calls for. A rule that two sources call for may still have been written for one of them.\n");
    report.table(&["source", "orders found, left out", "rules left out"], lines);
}

fn speed(turns: &[String], report: &mut Report) {
    let page = turns.join("\n");
    let page = page.repeat(PAGE_BYTES / page.len().max(1) + 1);
    let page = &page[..page.floor_char_boundary(PAGE_BYTES)];
    let rounds = PROSE_BYTES / PAGE_BYTES;
    let started = Instant::now();
    (0..rounds).for_each(|_| drop(instructions(page)));
    let took = started.elapsed() / u32::try_from(rounds).unwrap_or(u32::MAX);
    report.line(&format!("\nA page of {PAGE_BYTES} bytes of dialogue is read in {}.", time(took)));
}
