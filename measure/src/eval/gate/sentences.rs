//! Labelled sentences, ordinary ones and dialogues, as the readers of language judge them: no vault, so that it is quick.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use lacuna_language::classify::{ASKING_CONFIDENCE, Classified, Meaning, PERSON, Prototypes, SURE, classify};
use lacuna_language::identifiers::{cut_accounts, cut_addresses, routine_location};
use lacuna_language::secrets::{Scanner, SecretLevel, looks_like_credential};
use lacuna_types::embed::{Embedder, Purpose};
use lacuna_types::{Lane, PrivacyClass};
use serde::Deserialize;

use super::{Sets, share};
use crate::Result;
use crate::bench::report::Report;

/// The sets of our own.
const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data");
const DIALOGUES: &[(&str, &str)] = &[
    ("LoCoMo", "retrieval_locomo_dev.json"),
    ("REALTALK", "retrieval_realtalk_dev.json"),
    ("LongMemEval", "retrieval_longmemeval_dev.json"),
];
/// Texts of one file of dialogues that are read at most.
const TEXTS_MAX: usize = 3_000;

#[derive(Deserialize)]
struct Labelled {
    id: String,
    text: String,
    article9: bool,
    privacy: String,
    lane: String,
    people: Vec<String>,
    street_address: Option<String>,
}

#[derive(Deserialize)]
struct Ordinary {
    id: String,
    text: String,
    category: String,
}

/// A share that is counted up.
#[derive(Default, Clone, Copy)]
struct Count {
    part: usize,
    whole: usize,
}

impl Count {
    /// Counts one case, and says whether it was a hit.
    fn add(&mut self, hit: bool) -> bool {
        self.part += usize::from(hit);
        self.whole += 1;
        hit
    }

    fn cell(self) -> String {
        share(self.part, self.whole)
    }
}

/// Figures of one half of the labelled sentences.
#[derive(Default)]
struct Judgements {
    protected: Count,
    asked_wrongly: Count,
    consequential: Count,
    lanes: Count,
    people: Count,
    people_right: Count,
    streets: Count,
    streets_wrong: Count,
}

/// Reads sentences with the instant model beside the rules, as the gate does.
struct Reader {
    embedder: Arc<dyn Embedder>,
    prototypes: Prototypes,
}

impl Reader {
    fn new() -> Result<Self> {
        let embedder = lacuna_models::static_embedder()?;
        Ok(Self { prototypes: Prototypes::new(&*embedder)?, embedder })
    }

    fn read(&self, text: &str) -> Result<Classified> {
        let vector = self.embedder.embed(&[text], Purpose::Passage)?.remove(0);
        Ok(classify(text, Some(&Meaning { prototypes: &self.prototypes, vector: &vector })))
    }
}

pub(super) fn write(sets: &Sets, report: &mut Report) -> Result {
    let reader = Reader::new()?;
    labelled(sets, &reader, report)?;
    ordinary(sets, &reader, report)?;
    dialogues(sets, &reader, report)
}

fn labelled(sets: &Sets, reader: &Reader, report: &mut Report) -> Result {
    report.heading("Labelled sentences in eight languages");
    let open = judgements(reader, "gate_open.jsonl", sets.failures)?;
    let closed = sets.closed.then(|| judgements(reader, "gate_closed.jsonl", false)).transpose()?;
    let row = |name: &str, of: fn(&Judgements) -> Count, target: &str| {
        let closed = closed.as_ref().map_or("–".to_owned(), |figures| of(figures).cell());
        vec![name.to_owned(), of(&open).cell(), closed, target.to_owned()]
    };
    report.line("Consequential: protected data not asked about, a question without need, or a person's data taken for nobody's.\n");
    report.table(
        &["judgement", "open", "closed", "target"],
        vec![
            row("Article 9 found", |figures| figures.protected, "≥ 95%"),
            row("asked without need", |figures| figures.asked_wrongly, "≤ 3%"),
            row("consequential errors", |figures| figures.consequential, "≤ 8%"),
            row("lanes right", |figures| figures.lanes, "–"),
            row("names of people found", |figures| figures.people, "–"),
            row("names that are people's", |figures| figures.people_right, "–"),
            row("street addresses cut", |figures| figures.streets, "≥ 80%"),
            row("texts cut without need", |figures| figures.streets_wrong, "–"),
        ],
    );
    Ok(())
}

fn judgements(reader: &Reader, file: &str, failures: bool) -> Result<Judgements> {
    let mut figures = Judgements::default();
    for case in own_rows::<Labelled>(file)? {
        let wrong = figures.add(&case, &reader.read(&case.text)?);
        if failures && !wrong.is_empty() {
            println!("{}: {} [{}]", case.id, case.text, wrong.join(", "));
        }
    }
    Ok(figures)
}

impl Judgements {
    /// Counts one sentence, and names what was judged wrong.
    fn add(&mut self, case: &Labelled, seen: &Classified) -> Vec<&'static str> {
        let asked = asks(seen);
        let taken_for_nobodys = case.privacy != "none" && is_nobodys(seen);
        let tally = if case.article9 { &mut self.protected } else { &mut self.asked_wrongly };
        tally.add(asked);
        self.consequential.add(asked != case.article9 || taken_for_nobodys);
        let lane = if seen.lane.is_sure() { seen.lane.value } else { Lane::Profile };
        self.lanes.add(lane.as_str() == case.lane);
        self.add_people(case, seen);
        let wrong = [
            ("not asked", case.article9 && !asked),
            ("asked", asked && !case.article9),
            ("nobody's", taken_for_nobodys),
            ("lane", lane.as_str() != case.lane),
            ("street", !self.add_street(case)),
        ];
        wrong.into_iter().filter(|(_, wrong)| *wrong).map(|(name, _)| name).collect()
    }

    fn add_people(&mut self, case: &Labelled, seen: &Classified) {
        let sure = |named: &&lacuna_language::classify::Named| {
            named.entity.kind == PERSON && named.confidence >= SURE
        };
        let found: Vec<&str> = seen.entities.iter().filter(sure).map(|named| &*named.entity.name).collect();
        let same = |one: &str, other: &str| one.contains(other) || other.contains(one);
        for name in &case.people {
            self.people.add(found.iter().any(|found| same(found, name)));
        }
        for name in found {
            self.people_right.add(case.people.iter().any(|person| same(person, name)));
        }
    }

    /// Counts the address of a sentence; true when it was treated right.
    fn add_street(&mut self, case: &Labelled) -> bool {
        let (changed, cuts) = cut_addresses(&case.text);
        match &case.street_address {
            Some(street) => self.streets.add(!cuts.is_empty() && !changed.contains(street)),
            None => !self.streets_wrong.add(!cuts.is_empty()),
        }
    }
}

/// Returns true when the gate would ask for consent.
fn asks(seen: &Classified) -> bool {
    seen.privacy.value == PrivacyClass::SensitivePii && seen.privacy.confidence >= ASKING_CONFIDENCE
}

fn is_nobodys(seen: &Classified) -> bool {
    matches!(seen.privacy.value, PrivacyClass::NonPii | PrivacyClass::Aggregate)
}

fn ordinary(sets: &Sets, reader: &Reader, report: &mut Report) -> Result {
    report.heading("Ordinary sentences");
    let [mut altered, mut refused, mut asked, mut protected] = [Count::default(); 4];
    for case in own_rows::<Ordinary>("ordinary.jsonl")? {
        let found = Scanner::builtin().scan(&case.text);
        let redacted = found.iter().any(|finding| finding.level > SecretLevel::Possible);
        let cut = !cut_addresses(&case.text).1.is_empty() || !cut_accounts(&case.text).1.is_empty();
        let changed = altered.add(redacted || cut);
        let denied = refused.add(looks_like_credential(&case.text) || routine_location(&case.text));
        let sensitive = asks(&reader.read(&case.text)?);
        let health = case.category == "health";
        let questioned =
            asked.add(found.iter().any(|f| f.level == SecretLevel::Possible) || (sensitive && !health));
        if health {
            protected.add(sensitive);
        }
        if sets.failures && (changed || denied || questioned) {
            println!("{}: {} [{changed} {denied} {questioned}]", case.id, case.text);
        }
    }
    report.table(
        &["judgement", "sentences", "target"],
        vec![
            vec!["altered".to_owned(), altered.cell(), "≤ 1%".to_owned()],
            vec!["refused".to_owned(), refused.cell(), "0".to_owned()],
            vec!["asked without need".to_owned(), asked.cell(), "0".to_owned()],
            vec!["health seen as health".to_owned(), protected.cell(), "–".to_owned()],
        ],
    );
    Ok(())
}

fn dialogues(sets: &Sets, reader: &Reader, report: &mut Report) -> Result {
    report.heading("Questions about dialogues");
    let mut lines = Vec::new();
    for (name, file) in DIALOGUES {
        let Some(turns) = sets.turns_of(file)? else { continue };
        let [mut asked, mut cut, mut redacted] = [Count::default(); 3];
        let step = turns.len() / TEXTS_MAX + 1;
        for turn in turns.iter().step_by(step) {
            asked.add(asks(&reader.read(turn)?));
            cut.add(!cut_addresses(turn).1.is_empty());
            redacted.add(!Scanner::builtin().scan(turn).is_empty());
        }
        lines.push(vec![(*name).to_owned(), asked.cell(), cut.cell(), redacted.cell()]);
    }
    report.line("Turns about which the gate asks for consent, true and false ones together.\n");
    report.table(&["dialogues", "asked", "address cut", "secret found"], lines);
    Ok(())
}

fn own_rows<T: for<'de> Deserialize<'de>>(file: &str) -> Result<Vec<T>> {
    let text = fs::read_to_string(Path::new(OWN).join(file))?;
    let rows = text.lines().filter(|line| !line.trim().is_empty()).map(serde_json::from_str);
    Ok(rows.collect::<Result<_, _>>()?)
}
