//! The loops that touch every memory, and whole searches: `cargo bench -p lacuna-core --bench kernels`.

#![allow(clippy::unwrap_used)]

mod made;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use lacuna_core::index::kernels::portable;
use lacuna_core::index::{
    Filter, SIGN_ENTRY_MAX, SIGN_GROUP, SIGN_TABLE, Search, dot_rows, query_code_max, sign_sums,
};
use made::{DIMENSIONS, Dice, NOW, World, query};

const ROWS: usize = 1_024;
/// A sum that about half of the rows reach.
const THRESHOLD: u16 = 3_024;

fn dots(criterion: &mut Criterion) {
    let mut dice = Dice::new(5);
    let rows: Vec<i8> = (0..ROWS * DIMENSIONS).map(|_| (dice.below(255) as i16 - 127) as i8).collect();
    let top = query_code_max(DIMENSIONS) as usize;
    let query: Vec<i16> = (0..DIMENSIONS).map(|_| (dice.below(2 * top) as i32 - top as i32) as i16).collect();
    let mut out = vec![0; ROWS];
    let mut group = criterion.benchmark_group("dot i8×i16, 384-d");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.bench_function("dispatched", |b| b.iter(|| dot_rows(black_box(&rows), &query, &mut out)));
    group.bench_function("portable", |b| b.iter(|| portable::dot_rows(black_box(&rows), &query, &mut out)));
}

fn signs(criterion: &mut Criterion) {
    let mut dice = Dice::new(6);
    let bytes = DIMENSIONS / 8;
    let rows: Vec<u8> = (0..bytes * SIGN_GROUP).map(|_| dice.below(256) as u8).collect();
    let tables: Vec<u8> =
        (0..bytes * 2 * SIGN_TABLE).map(|_| dice.below(usize::from(SIGN_ENTRY_MAX) + 1) as u8).collect();
    let mut out = [0; SIGN_GROUP];
    let mut group = criterion.benchmark_group("sign sums, 384-d");
    group.throughput(Throughput::Elements(SIGN_GROUP as u64));
    group.bench_function("dispatched", |b| {
        b.iter(|| sign_sums(black_box(&rows), &tables, THRESHOLD, &mut out))
    });
    group.bench_function("portable", |b| {
        b.iter(|| portable::sign_sums(black_box(&rows), &tables, THRESHOLD, &mut out))
    });
}

fn searches(criterion: &mut Criterion) {
    for size in [1_000, 10_000, 100_000] {
        let world = World::new(size);
        let index = world.index(size, |_| {});
        let mut dice = Dice::new(7);
        let questions: Vec<_> =
            (0..64).map(|_| (world.question(&mut dice), [query(world.vector(&mut dice))])).collect();
        let mut group = criterion.benchmark_group(format!("search {size}"));
        for (name, words, meaning) in [("words", true, false), ("meaning", false, true), ("both", true, true)]
        {
            let mut turn = questions.iter().cycle();
            group.bench_function(name, |b| {
                b.iter(|| {
                    let (text, vectors) = turn.next().unwrap();
                    index.search(&Search {
                        text: if words { text } else { "" },
                        vectors: if meaning { vectors } else { &[] },
                        filter: Filter::default(),
                        tags: Vec::new(),
                        now: NOW,
                        as_of: NOW,
                        limit: 10,
                        min_similarity: 0.0,
                        strong_only: false,
                        recency_weight: 0.3,
                        explain: false,
                    })
                });
            });
        }
    }
}

criterion_group!(benches, dots, signs, searches);
criterion_main!(benches);
