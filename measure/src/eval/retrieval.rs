//! Turns of long dialogues, found by questions about them: words, context, meaning, and all together.
//!
//! The set is not ours to ship; without it there is nothing to measure, and that is said.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use lacuna_core::index::{Attributes, Entry, Filter, Index, Lanes, QuantVec, QueryVector, Search, Session};
use lacuna_language::words::TermList;
use lacuna_types::decay::Fading;
use lacuna_types::embed::{Embedder, Purpose};
use lacuna_types::{Category, Lane, Lifecycle, MemoryId, SessionId, Tier};
use serde::Deserialize;

use crate::Result;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/retrieval_locomo_dev.json");
const CUTOFF: usize = 10;
const SHORT_CUTOFF: usize = 5;
const BATCH: usize = 256;
/// A day after the last turn: recency has its say as it would in use.
const TURN_MILLIS: i64 = 60_000;
const DAY_MILLIS: i64 = 86_400_000;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The dialogues and questions.
    #[arg(long, default_value = DATA)]
    data: PathBuf,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
}

#[derive(Deserialize)]
struct Data {
    spaces: Vec<Space>,
}

#[derive(Deserialize)]
struct Space {
    docs: Vec<Turn>,
    queries: Vec<Question>,
}

#[derive(Deserialize)]
struct Turn {
    id: String,
    text: String,
    session: String,
}

#[derive(Deserialize)]
struct Question {
    text: String,
    gold: Vec<String>,
}

/// Which words a search may use; meaning takes part when there are vectors.
#[derive(Clone, Copy)]
struct Mode {
    words: bool,
    context: bool,
}

const WORDS: Mode = Mode { words: true, context: false };
const CONTEXT: Mode = Mode { words: true, context: true };
const MEANING: Mode = Mode { words: false, context: false };
const HYBRID: Mode = Mode { words: true, context: true };

/// Sums of the three measures over the questions.
#[derive(Default, Clone, Copy)]
struct Measures {
    recall_short: f64,
    recall: f64,
    ndcg: f64,
    questions: usize,
}

pub(crate) fn run(args: &Args) -> Result {
    let Ok(text) = std::fs::read_to_string(&args.data) else {
        println!("skipped: there is no {}", args.data.display());
        return Ok(());
    };
    let data: Data = serde_json::from_str(&text)?;
    let embedders = [lacuna_models::static_embedder()?, lacuna_models::sentence_embedder()?];
    let mut rows = vec![
        ("words".to_owned(), measure(&data, WORDS, None)?),
        ("words + context".to_owned(), measure(&data, CONTEXT, None)?),
    ];
    for embedder in &embedders {
        let vectors = Vectors::new(&data, embedder.as_ref())?;
        for (name, mode) in [("meaning", MEANING), ("hybrid", HYBRID)] {
            rows.push((format!("{name}, {}", embedder.model()), measure(&data, mode, Some(&vectors))?));
        }
    }
    print(&rows, args.json)
}

fn print(rows: &[(String, Measures)], json: bool) -> Result {
    let percent = |sum: f64, measures: &Measures| 100.0 * sum / measures.questions.max(1) as f64;
    let figures = |m: &Measures| [percent(m.recall_short, m), percent(m.recall, m), percent(m.ndcg, m)];
    if json {
        let object: BTreeMap<&str, [f64; 3]> =
            rows.iter().map(|(name, measures)| (name.as_str(), figures(measures))).collect();
        println!("{}", serde_json::to_string_pretty(&object)?);
        return Ok(());
    }
    println!("{}", super::DEVELOPMENT_NOTE);
    println!("{:<40} {:>6} {:>6} {:>8}", "", "R@5", "R@10", "nDCG@10");
    for (name, measures) in rows {
        let [short, recall, ndcg] = figures(measures);
        println!("{name:<40} {short:>6.1} {recall:>6.1} {ndcg:>8.1}");
    }
    Ok(())
}

/// The vectors of every text of the set under one model.
struct Vectors<'a> {
    embedder: &'a dyn Embedder,
    turns: HashMap<&'a str, Vec<f32>>,
    questions: HashMap<&'a str, Vec<f32>>,
}

impl<'a> Vectors<'a> {
    fn new(data: &'a Data, embedder: &'a dyn Embedder) -> Result<Self> {
        let turns = data.spaces.iter().flat_map(|space| &space.docs).map(|turn| turn.text.as_str());
        let questions = data.spaces.iter().flat_map(|space| &space.queries).map(|query| query.text.as_str());
        Ok(Self {
            embedder,
            turns: embed(embedder, turns.collect(), Purpose::Passage)?,
            questions: embed(embedder, questions.collect(), Purpose::Query)?,
        })
    }

    fn query(&self, text: &str) -> QueryVector {
        QueryVector {
            model: self.embedder.model().clone(),
            vector: self.questions[text].clone(),
            calibration: self.embedder.calibration(),
        }
    }
}

fn embed<'a>(
    embedder: &dyn Embedder,
    texts: Vec<&'a str>,
    purpose: Purpose,
) -> Result<HashMap<&'a str, Vec<f32>>> {
    let mut vectors = HashMap::new();
    for batch in texts.chunks(BATCH) {
        vectors.extend(batch.iter().copied().zip(embedder.embed(batch, purpose)?));
    }
    Ok(vectors)
}

fn measure(data: &Data, mode: Mode, vectors: Option<&Vectors<'_>>) -> Result<Measures> {
    let mut measures = Measures::default();
    for space in &data.spaces {
        let index = index(space, mode, vectors)?;
        for question in &space.queries {
            let query: Vec<_> = vectors.iter().map(|vectors| vectors.query(&question.text)).collect();
            let found = index.search(&Search {
                text: if mode.words { &question.text } else { "" },
                vectors: &query,
                filter: Filter::default(),
                tags: Vec::new(),
                now: space.docs.len() as i64 * TURN_MILLIS + DAY_MILLIS,
                limit: CUTOFF,
                min_similarity: 0.0,
                recency_weight: 0.3,
                explain: false,
            });
            let found = found.hits.iter().filter_map(|hit| index.get(&hit.id)).map(|turn| *turn.payload);
            measures.add(&found.collect::<Vec<_>>(), &question.gold);
        }
    }
    Ok(measures)
}

/// The turns of one dialogue, as a vault would index them.
fn index<'a>(space: &'a Space, mode: Mode, vectors: Option<&Vectors<'_>>) -> Result<Index<&'a str>> {
    let mut index = Index::new();
    let mut turns: HashMap<&str, u32> = HashMap::new();
    for (n, turn) in space.docs.iter().enumerate() {
        let number = turns.entry(&turn.session).and_modify(|number| *number += 1).or_insert(1);
        let number = mode.context.then_some(*number);
        let vector = |vectors: &Vectors<'_>| -> lacuna_types::Result<_> {
            let quantised = QuantVec::from_f32(&vectors.turns[turn.text.as_str()])?;
            Ok((vectors.embedder.model().clone(), quantised))
        };
        index.insert(Entry {
            id: MemoryId::from_bytes((n as u128).to_be_bytes()),
            attributes: Attributes {
                created_at: n as i64 * TURN_MILLIS,
                expires_at: None,
                session: Some(Session::new(&SessionId::new(&turn.session)?, number)),
                fading: Fading::steady(0.5),
                state: Lifecycle::Active,
                category: Category::Conversation,
                tier: Tier::Episodic,
                lane: Lane::Profile,
                secondary_lanes: Lanes::default(),
            },
            tags: Vec::new(),
            terms: TermList::of(&turn.text, None),
            vectors: vectors.map(vector).transpose()?.into_iter().collect(),
            payload: turn.id.as_str(),
        })?;
    }
    Ok(index)
}

impl Measures {
    fn add(&mut self, found: &[&str], gold: &[String]) {
        if gold.is_empty() {
            return;
        }
        let right = |id: &&str| gold.iter().any(|gold| gold == id);
        let share = |cutoff: usize| {
            found.iter().take(cutoff).filter(|id| right(id)).count() as f64 / gold.len() as f64
        };
        let gain = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
        let gained: f64 =
            found.iter().enumerate().filter(|(_, id)| right(id)).map(|(rank, _)| gain(rank)).sum();
        let best: f64 = (0..gold.len().min(CUTOFF)).map(gain).sum();
        self.recall_short += share(SHORT_CUTOFF);
        self.recall += share(CUTOFF);
        self.ndcg += gained / best;
        self.questions += 1;
    }
}
