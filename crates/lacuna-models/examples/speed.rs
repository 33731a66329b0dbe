//! Times the packed models on one thread: `cargo run --release -p lacuna-models --example speed`.

#![allow(clippy::print_stdout, reason = "it prints its figures")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use lacuna_types::embed::{Embedder, Purpose};

const ROUNDS: usize = 300;
/// A question of a dozen words.
const QUESTION: &str = "What did my sister say she could not eat at the summer party?";
/// Questions that arrive together.
const TOGETHER: usize = 16;

fn main() -> lacuna_types::Result<()> {
    for (name, load) in [
        ("static", lacuna_models::static_embedder as fn() -> lacuna_types::Result<Arc<dyn Embedder>>),
        ("sentence", lacuna_models::sentence_embedder),
    ] {
        let begun = Instant::now();
        let embedder = load()?;
        let loaded = begun.elapsed();
        embedder.embed(&[QUESTION], Purpose::Query)?;
        println!("{name}: loaded in {loaded:?}, first vector after {:?}", begun.elapsed());
        println!("{name}: one question, median {:?}", median(&*embedder, 1)?);
        println!("{name}: {TOGETHER} questions, median {:?}", median(&*embedder, TOGETHER)?);
    }
    Ok(())
}

fn median(embedder: &dyn Embedder, count: usize) -> lacuna_types::Result<Duration> {
    let texts = vec![QUESTION; count];
    let mut times = Vec::with_capacity(ROUNDS / count + 1);
    for _ in 0..=ROUNDS / count {
        let begun = Instant::now();
        embedder.embed(&texts, Purpose::Query)?;
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}
