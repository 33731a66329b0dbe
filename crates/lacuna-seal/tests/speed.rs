//! What opening a vault costs. It measures and asserts nothing about time:
//! `cargo test -p lacuna-seal --release --test speed -- --ignored --nocapture`

use std::time::{Duration, Instant};

use lacuna_seal::{Binding, ClassKey, Field, MemoryKey, SealContext, SystemEntropy, Zeroizing};

const MEMORIES: usize = 5_000;
const FRAME_BYTES: usize = 1_200;
const ROUNDS: usize = 20;

fn context(index: usize, field: Field) -> SealContext<'static> {
    SealContext {
        org: "acme",
        user: "00112233-4455-6677-8899-aabbccddeeff",
        vault: [9; 16],
        memory: (index as u128).to_be_bytes(),
        field,
        class: 3,
        revision: 1,
        created_at_millis: 1_800_000_000_000,
        key_version: 1,
    }
}

fn seal_vault(class: &ClassKey) -> Vec<(Vec<u8>, Vec<u8>)> {
    let seal = |index| {
        let key = MemoryKey::make(&SystemEntropy);
        let wrapped =
            class.wrap_memory(&key, Binding::Alone, &context(index, Field::MemoryKey), &SystemEntropy);
        (wrapped, key.seal(&context(index, Field::Frame), &[index as u8; FRAME_BYTES], &SystemEntropy))
    };
    (0..MEMORIES).map(seal).collect()
}

#[test]
#[ignore = "a measurement, for release builds"]
fn opening_a_vault() {
    let class = ClassKey::make(&SystemEntropy);
    let sealing = Instant::now();
    let vault = seal_vault(&class);
    println!("make, wrap and seal {MEMORIES}: {:?}", sealing.elapsed());

    let mut best = [Duration::MAX; 3];
    let mut buffer = Zeroizing::new(Vec::new());
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let unwrap = |(index, (wrapped, _)): (usize, &(Vec<u8>, Vec<u8>))| {
            class.unwrap_memory(Binding::Alone, &context(index, Field::MemoryKey), wrapped).unwrap()
        };
        let keys: Vec<MemoryKey> = vault.iter().enumerate().map(unwrap).collect();
        let unwrapped = Instant::now();
        for (index, (key, (_, frame))) in keys.iter().zip(&vault).enumerate() {
            key.open_into(&context(index, Field::Frame), frame, &mut buffer).unwrap();
            assert_eq!(buffer[FRAME_BYTES - 1], index as u8);
        }
        let reused = Instant::now();
        for (index, (key, (_, frame))) in keys.iter().zip(&vault).enumerate() {
            assert_eq!(key.open(&context(index, Field::Frame), frame).unwrap()[0], index as u8);
        }
        let laps = [unwrapped - start, reused - unwrapped, reused.elapsed()];
        best.iter_mut().zip(laps).for_each(|(best, lap)| *best = lap.min(*best));
    }
    println!(
        "best of {ROUNDS}, {MEMORIES} each: unwrap {:?}, open_into {:?}, open {:?}",
        best[0], best[1], best[2]
    );
}
