use std::num::NonZero;
use std::thread;

use zeroize::Zeroize;

use super::NONE;
use super::kernels::{SIGN_ENTRY_MAX, SIGN_GROUP, SIGN_TABLE, dot, dot_rows, query_code_max, sign_sums};
use super::quant::{QuantVec, join, split, unit};
use super::top::Top;
use crate::embed::ModelId;
use crate::error::{Error, Result};

/// From this many rows on, sign bits are scanned before the codes.
const SIGNS_FROM_ROWS: usize = 20_000;
/// How many rows the sign bits hand on to the codes: a base, and one for so many rows.
const SIGN_CANDIDATES: usize = 1_024;
const ROWS_PER_SIGN_CANDIDATE: usize = 256;
/// A further thread is worth its start from this many rows on.
const ROWS_PER_THREAD: usize = 150_000;
const THREADS_MAX: usize = 4;
/// Rows that are scored between two looks at the threshold.
const CHUNK: usize = 64;
const LANES: usize = 16;

/// The vectors of one model, row after row. Rows move when others leave, so that the block has no holes.
pub(super) struct Block {
    model: ModelId,
    dimensions: usize,
    /// The upper bytes of the codes, which every search scans.
    high: Vec<i8>,
    /// The lower bytes, which only the last few candidates need.
    low: Vec<i8>,
    scales: Vec<f32>,
    /// The slot of each row, and the row of each slot.
    slots: Vec<u32>,
    rows: Vec<u32>,
    /// One bit per code, in groups of [`SIGN_GROUP`] rows; empty while the block is small.
    signs: Vec<u8>,
}

/// A query's vector in the forms in which the passes need it.
pub(super) struct Probe {
    unit: Vec<f32>,
    codes: Vec<i16>,
    scale: f32,
    tables: Vec<u8>,
}

impl Probe {
    pub(super) fn new(vector: &[f32]) -> Self {
        let unit = unit(vector);
        let largest = unit.iter().fold(f32::MIN_POSITIVE, |largest, x| largest.max(x.abs()));
        let scale = largest / query_code_max(unit.len()) as f32;
        let codes = unit.iter().map(|x| (x / scale) as i16).collect();
        Self { codes, scale, tables: sign_tables(&unit), unit }
    }
}

/// For each four dimensions and each pattern of their signs, the sum of the query's values where the sign is
/// positive, shifted and scaled into a byte. Rank is all that matters, so one scale serves all tables.
fn sign_tables(unit: &[f32]) -> Vec<u8> {
    let row_bytes = unit.len().div_ceil(8);
    let value = |dimension: usize| unit.get(dimension).copied().unwrap_or(0.0);
    let sums: Vec<f32> = (0..row_bytes * 2 * SIGN_TABLE)
        .map(|at| {
            let (four, pattern) = (at / SIGN_TABLE * 4, at % SIGN_TABLE);
            (0..4).map(|bit| if pattern >> bit & 1 == 1 { value(four + bit) } else { 0.0 }).sum()
        })
        .collect();
    let lowest: Vec<f32> =
        sums.chunks(SIGN_TABLE).map(|table| table.iter().copied().fold(f32::MAX, f32::min)).collect();
    let span = sums
        .iter()
        .enumerate()
        .fold(f32::MIN_POSITIVE, |span, (at, sum)| span.max(sum - lowest[at / SIGN_TABLE]));
    let entry = |(at, sum): (usize, &f32)| {
        ((sum - lowest[at / SIGN_TABLE]) / span * f32::from(SIGN_ENTRY_MAX)).round()
    };
    sums.iter().enumerate().map(entry).map(|entry| entry as u8).collect()
}

impl Block {
    pub(super) fn new(model: ModelId, dimensions: usize) -> Self {
        Self {
            model,
            dimensions,
            high: Vec::new(),
            low: Vec::new(),
            scales: Vec::new(),
            slots: Vec::new(),
            rows: Vec::new(),
            signs: Vec::new(),
        }
    }

    pub(super) fn model(&self) -> &ModelId {
        &self.model
    }

    pub(super) fn dimensions(&self) -> usize {
        self.dimensions
    }

    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    pub(super) fn holds(&self, slot: u32) -> bool {
        self.row(slot).is_some()
    }

    pub(super) fn bytes(&self) -> usize {
        self.high.capacity()
            + self.low.capacity()
            + self.signs.capacity()
            + 4 * (self.scales.capacity() + self.slots.capacity() + self.rows.capacity())
    }

    pub(super) fn check(&self, vector: &QuantVec) -> Result<()> {
        if vector.dimensions() == self.dimensions {
            return Ok(());
        }
        let (model, expected) = (&self.model, self.dimensions);
        Err(Error::invalid("vector", format!("vectors of {model} have {expected} dimensions in this vault")))
    }

    /// Adds the vector of a slot that has none here yet.
    pub(super) fn push(&mut self, slot: u32, vector: &QuantVec) {
        let row = self.slots.len();
        for &code in vector.codes() {
            let (high, low) = split(code);
            push(&mut self.high, high);
            push(&mut self.low, low);
        }
        push(&mut self.scales, vector.scale());
        self.slots.push(slot);
        if self.rows.len() <= slot as usize {
            self.rows.resize(slot as usize + 1, NONE);
        }
        self.rows[slot as usize] = row as u32;
        if !self.signs.is_empty() {
            self.write_signs(row);
        } else if self.slots.len() >= SIGNS_FROM_ROWS {
            (0..self.slots.len()).for_each(|row| self.write_signs(row));
        }
    }

    /// Takes a slot's vector out: the last row takes its place, and the place that this one leaves is zeroed.
    pub(super) fn remove(&mut self, slot: u32) {
        let Some(row) = self.row(slot) else { return };
        let last = self.slots.len() - 1;
        let dimensions = self.dimensions;
        for plane in [&mut self.high, &mut self.low] {
            plane.copy_within(last * dimensions.., row * dimensions);
            plane[last * dimensions..].zeroize();
            plane.truncate(last * dimensions);
        }
        self.move_signs(last, row);
        self.scales.swap(row, last);
        self.scales[last] = 0.0;
        self.scales.truncate(last);
        self.slots.swap_remove(row);
        self.rows[slot as usize] = NONE;
        if let Some(&moved) = self.slots.get(row) {
            self.rows[moved as usize] = row as u32;
        }
    }

    /// The rows most like the probe among the slots that are allowed, with their approximate cosine.
    pub(super) fn nearest(
        &self,
        probe: &Probe,
        count: usize,
        allowed: &(impl Fn(u32) -> bool + Sync),
    ) -> Vec<(f32, u32)> {
        if self.signs.is_empty() {
            return self.scan_codes(probe, count, allowed).into_sorted();
        }
        let handed_on = count.max(SIGN_CANDIDATES + self.slots.len() / ROWS_PER_SIGN_CANDIDATE);
        let mut top = Top::new(count);
        for row in self.scan_signs(probe, handed_on, allowed).into_items() {
            let cosine = self.cosine_of_row(probe, row as usize);
            if top.wants(cosine) {
                top.push(cosine, self.slots[row as usize]);
            }
        }
        top.into_sorted()
    }

    /// The cosine by the upper bytes alone, off by less than a hundredth.
    pub(super) fn cosine(&self, probe: &Probe, slot: u32) -> Option<f32> {
        self.row(slot).map(|row| self.cosine_of_row(probe, row))
    }

    /// The cosine by both bytes, as good as by floats.
    pub(super) fn exact_cosine(&self, probe: &Probe, slot: u32) -> Option<f32> {
        let span = self.span(self.row(slot)?);
        let scale = self.scales[span.start / self.dimensions];
        // Partial sums side by side, so that the compiler may use vector registers.
        let mut lanes = [0f32; LANES];
        let planes = self.high[span.clone()].chunks(LANES).zip(self.low[span].chunks(LANES));
        for ((high, low), query) in planes.zip(probe.unit.chunks(LANES)) {
            for (lane, ((&high, &low), q)) in lanes.iter_mut().zip(high.iter().zip(low).zip(query)) {
                *lane += f32::from(join(high, low)) * q;
            }
        }
        Some(lanes.iter().sum::<f32>() * scale)
    }

    fn cosine_of_row(&self, probe: &Probe, row: usize) -> f32 {
        dot(&self.high[self.span(row)], &probe.codes) as f32 * self.scales[row] * self.unscale(probe)
    }

    /// Undoes the quantisation of the query and the missing lower byte.
    fn unscale(&self, probe: &Probe) -> f32 {
        probe.scale * 256.0
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

    /// The rows whose signs agree best with the probe, over as many threads as pay.
    fn scan_signs(&self, probe: &Probe, count: usize, allowed: &(impl Fn(u32) -> bool + Sync)) -> Top<u16> {
        let groups = self.slots.len().div_ceil(SIGN_GROUP);
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        let threads = (self.slots.len() / ROWS_PER_THREAD).clamp(1, processors.min(THREADS_MAX));
        let share = groups.div_ceil(threads);
        let part = |thread: usize| {
            self.scan_sign_groups(probe, count, allowed, thread * share..groups.min((thread + 1) * share))
        };
        thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|thread| scope.spawn(move || part(thread))).collect();
            let mut top = part(0);
            for other in others {
                match other.join() {
                    Ok(found) => top.merge(found),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            top
        })
    }

    fn scan_sign_groups(
        &self,
        probe: &Probe,
        count: usize,
        allowed: &impl Fn(u32) -> bool,
        groups: std::ops::Range<usize>,
    ) -> Top<u16> {
        let mut top = Top::new(count);
        let mut sums = [0; SIGN_GROUP];
        let group_bytes = self.group_bytes();
        for group in groups {
            sign_sums(&self.signs[group * group_bytes..(group + 1) * group_bytes], &probe.tables, &mut sums);
            let threshold = top.threshold().unwrap_or(0);
            if sums.iter().all(|&sum| sum < threshold) {
                continue;
            }
            let first = group * SIGN_GROUP;
            for (row, &slot) in self.slots[first..].iter().take(SIGN_GROUP).enumerate() {
                if top.wants(sums[row]) && allowed(slot) {
                    top.push(sums[row], (first + row) as u32);
                }
            }
        }
        top
    }

    fn row(&self, slot: u32) -> Option<usize> {
        self.rows.get(slot as usize).filter(|&&row| row != NONE).map(|&row| row as usize)
    }

    fn span(&self, row: usize) -> std::ops::Range<usize> {
        row * self.dimensions..(row + 1) * self.dimensions
    }

    fn group_bytes(&self) -> usize {
        self.dimensions.div_ceil(8) * SIGN_GROUP
    }

    fn sign_place(&self, row: usize) -> usize {
        row / SIGN_GROUP * self.group_bytes() + row % SIGN_GROUP
    }

    fn write_signs(&mut self, row: usize) {
        let group_end = (row / SIGN_GROUP + 1) * self.group_bytes();
        while self.signs.len() < group_end {
            push(&mut self.signs, 0);
        }
        let place = self.sign_place(row);
        for byte in 0..self.dimensions.div_ceil(8) {
            let dimensions = byte * 8..self.dimensions.min(byte * 8 + 8);
            let positive = |d: usize| {
                join(self.high[row * self.dimensions + d], self.low[row * self.dimensions + d]) > 0
            };
            let bits = dimensions.enumerate().fold(0, |bits, (bit, d)| bits | u8::from(positive(d)) << bit);
            self.signs[place + byte * SIGN_GROUP] = bits;
        }
    }

    fn move_signs(&mut self, from: usize, to: usize) {
        if self.signs.is_empty() {
            return;
        }
        let (from_place, to_place) = (self.sign_place(from), self.sign_place(to));
        for byte in 0..self.dimensions.div_ceil(8) {
            self.signs[to_place + byte * SIGN_GROUP] = self.signs[from_place + byte * SIGN_GROUP];
            self.signs[from_place + byte * SIGN_GROUP] = 0;
        }
        let groups = from.div_ceil(SIGN_GROUP);
        self.signs.truncate(groups * self.group_bytes());
    }
}

/// Appends without leaving an old copy behind when the buffer grows.
pub(super) fn push<T: Zeroize + Clone>(buffer: &mut Vec<T>, item: T) {
    if buffer.len() == buffer.capacity() {
        let mut grown = Vec::with_capacity((2 * buffer.capacity()).max(64));
        grown.extend_from_slice(buffer);
        buffer.zeroize();
        *buffer = grown;
    }
    buffer.push(item);
}

impl Drop for Block {
    fn drop(&mut self) {
        self.high.zeroize();
        self.low.zeroize();
        self.scales.zeroize();
        self.signs.zeroize();
    }
}
