//! The search of one block for the nearest vectors: sign bits of all rows first, the codes of the promising rows then.

use std::num::NonZero;
use std::ops::Range;
use std::sync::LazyLock;
use std::thread;

use crate::index::block::Block;
use crate::index::kernels::{
    SIGN_ENTRY_MAX, SIGN_GROUP, SIGN_TABLE, dot_picked, dot_rows, query_code_max, sign_sums,
};
use crate::index::quant::unit;
use crate::index::top::{Top, TopSums};

/// The sign bits hand on this many rows to the codes for each unit of the square root of all rows, save the
/// first few. On clustered vectors, of 1,000 true nearest all but one are among the first 400 by signs of 5,000
/// rows, 1,700 of 50,000, 2,700 of 100,000 and 8,300 of 1,000,000: this is a third more, or better.
const SIGN_CANDIDATES_PER_ROOT: usize = 14;
const SIGN_ROOTS_SPARED: usize = 32;
/// One group in so many tells the scan of the signs where to begin: the sum that half more rows reach than are
/// handed on. If too few reach it after all, the scan begins anew at zero.
const SAMPLED_GROUPS: usize = 16;
/// The codes look at so many times the wanted rows first. Their cosines tell which of the other rows can still be
/// among the best.
const FIRST_LOOK: usize = 4;
/// The sum of a unit vector's magnitudes, as a share of the root of its dimensions: 0.8 for vectors without
/// structure. Lower is safer.
const MAGNITUDES_SHARE: f32 = 0.75;
/// The signs of a row may miss its cosine by so much, in the same unit as the sum of magnitudes: two and a half times
/// the deviation of vectors without structure.
const SIGNS_ERROR: f32 = 1.5;
/// The signs are scanned anew with the filter when it refuses more than one in so many of the best rows.
const REFUSED_SHARE: usize = 8;
/// A further thread is worth its start from this many rows on.
const ROWS_PER_THREAD: usize = 150_000;
const THREADS_MAX: usize = 4;
/// Asked once, because the system answers by reading files.
static THREADS: LazyLock<usize> =
    LazyLock::new(|| thread::available_parallelism().map_or(1, NonZero::get).min(THREADS_MAX));
/// Rows that are scored between two looks at the threshold.
const CHUNK: usize = 64;
/// A query's vector in the forms in which the passes need it.
pub(crate) struct Probe {
    pub(super) codes: Vec<i16>,
    pub(super) scale: f32,
    signs: Option<SignTables>,
}

/// The sums of a query's values by the signs of a row.
struct SignTables {
    /// One table of bytes for each four dimensions.
    entries: Vec<u8>,
    /// The sum of a row that is at right angles to the query, and the factor from values to sums.
    middle: f32,
    scale: f32,
}

impl Probe {
    fn new(vector: &[f32], with_signs: bool) -> Self {
        let unit = unit(vector);
        let largest = unit.iter().fold(f32::MIN_POSITIVE, |largest, x| largest.max(x.abs()));
        let scale = largest / query_code_max(unit.len()) as f32;
        // Half more away from zero, and then cut off, is rounded.
        let codes = unit.iter().map(|x| (x / scale + 0.5f32.copysign(*x)) as i16).collect();
        let signs = with_signs.then(|| SignTables::new(&unit));
        Self { codes, scale, signs }
    }
}

impl SignTables {
    /// For each four dimensions and each pattern of their signs, the sum of the query's values where the sign is
    /// positive, shifted and scaled into a byte. Rank is all that matters, so one scale serves all tables.
    fn new(unit: &[f32]) -> Self {
        let mut values = unit.to_vec();
        values.resize(unit.len().next_multiple_of(8), 0.0);
        let (fours, _) = values.as_chunks::<4>();
        let span = |four: &[f32; 4]| four.iter().map(|x| x.abs()).sum::<f32>();
        let widest = fours.iter().map(span).fold(f32::MIN_POSITIVE, f32::max);
        let scale = f32::from(SIGN_ENTRY_MAX) / widest;
        let mut entries = vec![0; fours.len() * SIGN_TABLE];
        for (table, four) in entries.chunks_exact_mut(SIGN_TABLE).zip(fours) {
            let mut sums = [0f32; SIGN_TABLE];
            sums[0] = -four.iter().map(|x| x.min(0.0)).sum::<f32>();
            for pattern in 1..SIGN_TABLE {
                sums[pattern] = sums[pattern & (pattern - 1)] + four[pattern.trailing_zeros() as usize];
            }
            for (entry, sum) in table.iter_mut().zip(sums) {
                // Half more, and then cut off, is rounded.
                *entry = ((sum * scale + 0.5) as u8).min(SIGN_ENTRY_MAX);
            }
        }
        let middle = fours.iter().map(span).sum::<f32>() / 2.0 * scale;
        Self { entries, middle, scale }
    }

    fn sum_max(&self) -> u16 {
        (self.entries.len() / SIGN_TABLE * usize::from(SIGN_ENTRY_MAX)) as u16
    }

    /// The least sum that a row with at least this cosine is expected to have.
    fn least_sum(&self, cosine: f32, dimensions: usize) -> u16 {
        let agreement = cosine * MAGNITUDES_SHARE * (dimensions as f32).sqrt() - SIGNS_ERROR;
        // A sum has each value once where the signs agree, and the agreement has it twice: for and not against.
        (self.middle + agreement / 2.0 * self.scale).max(0.0) as u16
    }
}

impl Block {
    pub(crate) fn probe(&self, vector: &[f32]) -> Probe {
        Probe::new(vector, !self.signs.is_empty())
    }

    /// The slots most like the probe among those that are allowed, in rising order, with their cosines by the
    /// upper bytes.
    pub(crate) fn nearest(
        &self,
        probe: &Probe,
        count: usize,
        allowed: &(impl Fn(u32) -> bool + Sync),
    ) -> Vec<(f32, u32)> {
        let Some(signs) = &probe.signs else {
            return self.scan_codes(probe, count, allowed).into_items();
        };
        let roots = self.slots.len().isqrt().saturating_sub(SIGN_ROOTS_SPARED);
        let handed_on = count.max(SIGN_CANDIDATES_PER_ROOT * roots);
        // Without the filter first, which would look at far more rows than there are answers.
        let promising = self.scan_signs(signs, handed_on, &|_| true);
        let (found, refused) = self.score(probe, signs, &promising, count, allowed);
        if refused <= found.len() / REFUSED_SHARE {
            return found;
        }
        let promising = self.scan_signs(signs, handed_on, allowed);
        self.score(probe, signs, &promising, count, allowed).0
    }

    /// Scores rows that the signs handed on, the most promising first. Returns the best, and the number of rows
    /// good enough that were not allowed.
    fn score(
        &self,
        probe: &Probe,
        signs: &SignTables,
        promising: &TopSums,
        count: usize,
        allowed: &impl Fn(u32) -> bool,
    ) -> (Vec<(f32, u32)>, usize) {
        let parting = promising.sum_reached_by(FIRST_LOOK * count);
        let mut best = Top::new(count);
        let mut refused = self.score_rows(probe, &promising.between(parting..u16::MAX), &mut best, allowed);
        let least = best.least().map_or(0, |cosine| signs.least_sum(cosine, self.dimensions));
        let others = promising.between(least.max(promising.threshold())..parting);
        refused += self.score_rows(probe, &others, &mut best, allowed);
        (best.into_items(), refused)
    }

    fn score_rows(
        &self,
        probe: &Probe,
        rows: &[u32],
        best: &mut Top<f32>,
        allowed: &impl Fn(u32) -> bool,
    ) -> usize {
        let (mut dots, unscale, mut refused) = ([0; CHUNK], self.unscale(probe), 0);
        for rows in rows.chunks(CHUNK) {
            dot_picked(&self.high, rows, &probe.codes, &mut dots[..rows.len()]);
            for (&row, &dot) in rows.iter().zip(&dots) {
                let cosine = dot as f32 * self.scales[row as usize] * unscale;
                if best.wants(cosine) {
                    let slot = self.slots[row as usize];
                    if allowed(slot) { best.push(cosine, slot) } else { refused += 1 }
                }
            }
        }
        refused
    }

    fn scan_codes(&self, probe: &Probe, count: usize, allowed: &impl Fn(u32) -> bool) -> Top<f32> {
        let mut top = Top::new(count);
        let mut dots = [0; CHUNK];
        let unscale = self.unscale(probe);
        for (chunk, slots) in self.slots.chunks(CHUNK).enumerate() {
            let first = chunk * CHUNK;
            let rows = &self.high[first * self.dimensions..(first + slots.len()) * self.dimensions];
            dot_rows(rows, &probe.codes, &mut dots[..slots.len()]);
            for ((&dot, &scale), &slot) in dots.iter().zip(&self.scales[first..]).zip(slots) {
                let cosine = dot as f32 * scale * unscale;
                if top.wants(cosine) && allowed(slot) {
                    top.push(cosine, slot);
                }
            }
        }
        top
    }

    /// The rows whose signs agree best with the query.
    fn scan_signs(
        &self,
        signs: &SignTables,
        count: usize,
        allowed: &(impl Fn(u32) -> bool + Sync),
    ) -> TopSums {
        let groups = self.slots.len().div_ceil(SIGN_GROUP);
        let scan = |threshold: u16| {
            let found = self.in_shares(groups, |share| {
                let mut top = TopSums::new(count, signs.sum_max(), threshold);
                self.scan_sign_groups(signs, &mut top, allowed, share);
                top
            });
            found.into_iter().reduce(TopSums::merged)
        };
        let mut sample = TopSums::new(count * 3 / 2 / SAMPLED_GROUPS, signs.sum_max(), 0);
        self.scan_sign_groups(signs, &mut sample, allowed, (0..groups).step_by(SAMPLED_GROUPS));
        let enough = |top: &TopSums| top.threshold() == 0 || top.len() >= count / 4 * 3;
        let found = scan(sample.threshold()).filter(enough).or_else(|| scan(0));
        found.unwrap_or_else(|| TopSums::new(count, 0, 0))
    }

    /// Shares work out over as many threads as pay for a block of this size, and gathers what they found.
    fn in_shares<T: Send>(&self, items: usize, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
        let threads = (self.slots.len() / ROWS_PER_THREAD).clamp(1, *THREADS);
        if threads == 1 {
            return vec![work(0..items)];
        }
        let share = items.div_ceil(threads);
        let part = |thread: usize| work(items.min(thread * share)..items.min((thread + 1) * share));
        let part = &part;
        thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|thread| scope.spawn(move || part(thread))).collect();
            let join = |other: thread::ScopedJoinHandle<'_, T>| {
                other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            std::iter::once(part(0)).chain(others.into_iter().map(join)).collect()
        })
    }

    fn scan_sign_groups(
        &self,
        signs: &SignTables,
        top: &mut TopSums,
        allowed: &impl Fn(u32) -> bool,
        groups: impl Iterator<Item = usize>,
    ) {
        let mut sums = [0; SIGN_GROUP];
        let group_bytes = self.group_bytes();
        for group in groups {
            let bits = &self.signs[group * group_bytes..(group + 1) * group_bytes];
            // Bits and not branches: which rows reach is as good as random at first.
            let mut reaching = sign_sums(bits, &signs.entries, top.threshold(), &mut sums);
            let first = group * SIGN_GROUP;
            let slots = &self.slots[first..self.slots.len().min(first + SIGN_GROUP)];
            reaching &= u32::MAX >> (SIGN_GROUP - slots.len());
            while reaching != 0 {
                let row = reaching.trailing_zeros() as usize;
                reaching &= reaching - 1;
                if allowed(slots[row]) {
                    top.push(sums[row], (first + row) as u32);
                }
            }
            top.raise();
        }
    }
}

#[cfg(test)]
mod tests {
    use lacuna_types::embed::ModelId;

    use super::*;
    use crate::index::quant::QuantVec;

    const DIMENSIONS: usize = 96;
    /// Enough rows for sign bits.
    const ROWS: u32 = 9_000;
    const WANTED: usize = 20;

    /// A vector near one of some topics.
    fn vector(seed: u64, topic: u64) -> Vec<f32> {
        let number = |seed: u64, at: usize| {
            let mixed = (seed << 20 | at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            ((mixed ^ mixed >> 32) & 0xffff) as f32 / 32_768.0 - 1.0
        };
        (0..DIMENSIONS).map(|at| number(topic, at) + number(seed, at)).collect()
    }

    fn block() -> Block {
        let mut block = Block::new(ModelId::new("m"), DIMENSIONS);
        for slot in 0..ROWS {
            let seed = u64::from(slot);
            block.push(slot, &QuantVec::from_f32(&vector(1_000 + seed, seed % 40)).unwrap());
        }
        block
    }

    /// The share of the best by their full cosines that a search finds, over some questions.
    fn exactness(block: &Block, allowed: impl Fn(u32) -> bool + Sync) -> f32 {
        const QUESTIONS: u64 = 20;
        let mut found = 0;
        for question in 0..QUESTIONS {
            let probe = block.probe(&vector(900_000 + question, question));
            let slots: Vec<u32> = (0..ROWS).filter(|&slot| allowed(slot)).collect();
            let cosines = block.exact_cosines(&probe, &slots);
            let mut exact: Vec<(f32, u32)> = cosines.into_iter().flatten().zip(slots).collect();
            exact.sort_by(|a, b| b.0.total_cmp(&a.0));
            let nearest = block.nearest(&probe, 3 * WANTED, &allowed);
            assert!(nearest.len() == 3 * WANTED && nearest.is_sorted_by_key(|&(_, slot)| slot));
            assert!(nearest.iter().all(|&(_, slot)| allowed(slot)));
            let is_found = |slot: u32| nearest.iter().any(|&(_, other)| other == slot);
            found += exact[..WANTED].iter().filter(|&&(_, slot)| is_found(slot)).count();
        }
        found as f32 / (WANTED * QUESTIONS as usize) as f32
    }

    #[test]
    fn the_nearest_are_found_through_their_signs() {
        let block = block();
        assert!(block.probe(&[1.0; DIMENSIONS]).signs.is_some());
        let found = exactness(&block, |_| true);
        assert!(found >= 0.995, "{found}");
    }

    #[test]
    fn a_filter_that_refuses_most_still_gets_the_nearest_of_the_rest() {
        let block = block();
        for one_in in [2, 10, 60] {
            let found = exactness(&block, |slot| slot % one_in == 0);
            assert!(found >= 0.995, "{found} with one in {one_in}");
        }
        let probe = block.probe(&vector(7, 3));
        assert_eq!(block.nearest(&probe, WANTED, &|slot| slot == 5).len(), 1);
        assert!(block.nearest(&probe, WANTED, &|_| false).is_empty());
    }
}
