//! How recall grows with the vault: `cargo bench -p lacuna-core --bench scale -- 5000 50000 1000000`.
//!
//! Prints, for each size, the time of a whole search without embedding, how many of the ten nearest memories
//! by exact cosine of the original floats were found, and the bytes per memory.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod made;

use std::time::Instant;

use lacuna_core::index::{Filter, Index, Search};
use made::{DIMENSIONS, Dice, NOW, World, query};

const QUERIES: usize = 200;
/// Each question is asked this often, and its best time taken: what else the machine does is not ours.
const REPEATS: usize = 5;
const RECALL_AT: usize = 10;

fn main() {
    let sizes: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    println!("| memories | p50 µs | p95 µs | meaning only p50 µs | recall@10 | bytes each | insert µs |");
    println!("|---|---|---|---|---|---|---|");
    for &size in if sizes.is_empty() { &[5_000, 50_000][..] } else { &sizes } {
        measure(size);
    }
}

fn measure(size: usize) {
    let world = World::new(size);
    let mut floats = Vec::with_capacity(size * DIMENSIONS);
    let started = Instant::now();
    let index = world.index(size, |vector| floats.extend_from_slice(vector));
    let insert = started.elapsed().as_secs_f64() * 1e6 / size as f64;
    let mut dice = Dice::new(3);
    let questions: Vec<_> =
        (0..QUERIES).map(|_| (world.question(&mut dice), world.vector(&mut dice))).collect();
    let (mut whole, mut meaning, mut found) = (Vec::new(), Vec::new(), 0);
    for (text, vector) in &questions {
        let (micros, _) = timed(&index, text, vector);
        whole.push(micros);
        let (micros, ids) = timed(&index, "", vector);
        meaning.push(micros);
        let exact = nearest(&floats, vector);
        found += exact.iter().filter(|n| ids.contains(n)).count();
    }
    let recall = found as f64 / (RECALL_AT * questions.len()) as f64;
    println!(
        "| {size} | {:.0} | {:.0} | {:.0} | {recall:.4} | {} | {insert:.1} |",
        quantile(&mut whole, 0.5),
        quantile(&mut whole, 0.95),
        quantile(&mut meaning, 0.5),
        index.bytes() / size,
    );
}

fn timed(index: &Index<()>, text: &str, vector: &[f32]) -> (f64, Vec<u64>) {
    let vectors = [query(vector.to_vec())];
    let search = Search {
        text,
        vectors: &vectors,
        filter: Filter::default(),
        tags: Vec::new(),
        now: NOW,
        as_of: NOW,
        limit: RECALL_AT,
        min_similarity: 0.0,
        strong_only: false,
        recency_weight: 0.0,
        explain: false,
    };
    let found = index.search(&search);
    let micros = (0..REPEATS)
        .map(|_| {
            let started = Instant::now();
            index.search(&search);
            started.elapsed().as_secs_f64() * 1e6
        })
        .fold(f64::MAX, f64::min);
    let number = |id: &[u8; 16]| u64::from_be_bytes(id[..8].try_into().unwrap());
    (micros, found.hits.iter().map(|hit| number(hit.id.as_bytes())).collect())
}

/// The nearest by exact cosine of the original vectors.
fn nearest(floats: &[f32], query: &[f32]) -> Vec<u64> {
    let dot = |row: &[f32]| {
        let mut lanes = [0f32; 16];
        for (row, query) in row.chunks_exact(16).zip(query.chunks_exact(16)) {
            lanes.iter_mut().zip(row.iter().zip(query)).for_each(|(lane, (a, b))| *lane += a * b);
        }
        lanes.iter().sum::<f32>()
    };
    let mut scored: Vec<(f32, u64)> =
        floats.chunks_exact(DIMENSIONS).enumerate().map(|(n, row)| (dot(row), n as u64)).collect();
    scored.select_nth_unstable_by(RECALL_AT - 1, |a, b| b.0.total_cmp(&a.0));
    scored.truncate(RECALL_AT);
    scored.into_iter().map(|(_, n)| n).collect()
}

fn quantile(values: &mut [f64], q: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * q) as usize]
}
