use lacuna_types::embed::ModelId;
use lacuna_types::{Error, Result};
use zeroize::Zeroize;

use crate::index::NONE;
use crate::index::kernels::{SIGN_GROUP, dot_picked};
use crate::index::nearest::Probe;
use crate::index::quant::{QuantVec, join, split};

/// From this many rows on, sign bits are scanned before the codes.
const SIGNS_FROM_ROWS: usize = 4_096;
/// Items by which a buffer grows at least.
const GROWTH_MIN: usize = 4;

/// The vectors of one model, row after row. Rows move when others leave, so that the block has no holes.
pub(crate) struct Block {
    model: ModelId,
    pub(super) dimensions: usize,
    /// The upper bytes of the codes, which every search scans.
    pub(super) high: Vec<i8>,
    /// The lower bytes, which only the last few candidates need.
    low: Vec<i8>,
    pub(super) scales: Vec<f32>,
    /// The slot of each row, and the row of each slot.
    pub(super) slots: Vec<u32>,
    rows: Vec<u32>,
    /// One bit per code, in groups of [`SIGN_GROUP`] rows; empty while the block is small.
    pub(super) signs: Vec<u8>,
}

impl Block {
    pub(crate) fn new(model: ModelId, dimensions: usize) -> Self {
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

    pub(crate) fn model(&self) -> &ModelId {
        &self.model
    }

    pub(crate) fn dimensions(&self) -> usize {
        self.dimensions
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    pub(crate) fn holds(&self, slot: u32) -> bool {
        self.row(slot).is_some()
    }

    /// The vector of a slot, as precisely as it is kept.
    pub(crate) fn vector(&self, slot: u32) -> Option<Vec<f32>> {
        let row = self.row(slot)?;
        let codes = row * self.dimensions..(row + 1) * self.dimensions;
        let (high, low) = (&self.high[codes.clone()], &self.low[codes]);
        let scale = self.scales[row];
        Some(high.iter().zip(low).map(|(high, low)| f32::from(join(*high, *low)) * scale).collect())
    }

    pub(crate) fn bytes(&self) -> usize {
        self.high.capacity()
            + self.low.capacity()
            + self.signs.capacity()
            + 4 * (self.scales.capacity() + self.slots.capacity() + self.rows.capacity())
    }

    /// Makes room for so many more rows at once.
    pub(crate) fn reserve(&mut self, rows: usize) {
        make_room(&mut self.high, rows * self.dimensions);
        make_room(&mut self.low, rows * self.dimensions);
        make_room(&mut self.scales, rows);
    }

    pub(crate) fn check(&self, vector: &QuantVec) -> Result<()> {
        if vector.dimensions() == self.dimensions {
            return Ok(());
        }
        let (model, expected) = (&self.model, self.dimensions);
        Err(Error::invalid("vector", format!("vectors of {model} have {expected} dimensions in this vault")))
    }

    /// Adds the vector of a slot that has none here yet.
    pub(crate) fn push(&mut self, slot: u32, vector: &QuantVec) {
        let row = self.slots.len();
        make_room(&mut self.high, self.dimensions);
        make_room(&mut self.low, self.dimensions);
        self.high.extend(vector.codes().iter().map(|&code| split(code).0));
        self.low.extend(vector.codes().iter().map(|&code| split(code).1));
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
    pub(crate) fn remove(&mut self, slot: u32) {
        let Some(row) = self.row(slot) else { return };
        let last = self.slots.len() - 1;
        let dimensions = self.dimensions;
        for plane in [&mut self.high, &mut self.low] {
            move_last(plane, row, dimensions);
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

    /// The cosine of each slot that has a vector here, by the upper bytes alone: off by less than a hundredth.
    pub(crate) fn cosines(&self, probe: &Probe, slots: &[u32]) -> Vec<Option<f32>> {
        self.by_rows(slots, |rows| {
            let dots = dots(&self.high, rows, probe);
            let cosine = |(&row, dot)| dot as f32 * self.scales[row as usize] * self.unscale(probe);
            rows.iter().zip(dots).map(cosine).collect()
        })
    }

    /// The same by both bytes, as good as by floats.
    pub(crate) fn exact_cosines(&self, probe: &Probe, slots: &[u32]) -> Vec<Option<f32>> {
        self.by_rows(slots, |rows| {
            let dots = dots(&self.high, rows, probe).into_iter().zip(dots(&self.low, rows, probe));
            // In 64 bits: both bytes together have more digits than 32 hold.
            let both = |(high, low)| (i64::from(high) << 8) + i64::from(low);
            let cosine = |(&row, dots)| both(dots) as f32 * self.scales[row as usize] * probe.scale;
            rows.iter().zip(dots).map(cosine).collect()
        })
    }

    /// Asks about all rows of these slots at once, and puts the answers beside those slots that have one.
    fn by_rows(&self, slots: &[u32], ask: impl FnOnce(&[u32]) -> Vec<f32>) -> Vec<Option<f32>> {
        let rows: Vec<u32> = slots.iter().filter_map(|&slot| self.row(slot)).map(|row| row as u32).collect();
        let mut answers = ask(&rows).into_iter();
        slots.iter().map(|&slot| if self.holds(slot) { answers.next() } else { None }).collect()
    }

    /// Undoes the quantisation of the query and the missing lower byte.
    pub(super) fn unscale(&self, probe: &Probe) -> f32 {
        probe.scale * 256.0
    }

    fn row(&self, slot: u32) -> Option<usize> {
        self.rows.get(slot as usize).filter(|&&row| row != NONE).map(|&row| row as usize)
    }

    pub(super) fn group_bytes(&self) -> usize {
        self.dimensions.div_ceil(8) * SIGN_GROUP
    }

    fn sign_place(&self, row: usize) -> usize {
        row / SIGN_GROUP * self.group_bytes() + row % SIGN_GROUP
    }

    fn write_signs(&mut self, row: usize) {
        let group_end = (row / SIGN_GROUP + 1) * self.group_bytes();
        if self.signs.len() < group_end {
            let more = group_end - self.signs.len();
            make_room(&mut self.signs, more);
            self.signs.resize(group_end, 0);
        }
        let place = self.sign_place(row);
        let codes = row * self.dimensions..(row + 1) * self.dimensions;
        let eights = self.high[codes.clone()].chunks(8).zip(self.low[codes].chunks(8));
        for ((high, low), bits) in eights.zip(self.signs[place..].iter_mut().step_by(SIGN_GROUP)) {
            *bits = positive(high, low);
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

fn dots(plane: &[i8], rows: &[u32], probe: &Probe) -> Vec<i32> {
    let mut dots = vec![0; rows.len()];
    dot_picked(plane, rows, &probe.codes, &mut dots);
    dots
}

/// One bit for each of up to eight codes that is above zero.
fn positive(high: &[i8], low: &[i8]) -> u8 {
    let codes = high.iter().zip(low).map(|(&high, &low)| join(high, low));
    codes.enumerate().fold(0, |bits, (at, code)| bits | u8::from(code > 0) << at)
}

/// Overwrites a row with the last one, and the last one with zeros.
fn move_last(plane: &mut [i8], row: usize, dimensions: usize) {
    let last = plane.len() - dimensions;
    plane.copy_within(last.., row * dimensions);
    plane[last..].zeroize();
}

/// Appends without leaving an old copy behind when the buffer grows.
pub(crate) fn push<T: Zeroize + Clone>(buffer: &mut Vec<T>, item: T) {
    make_room(buffer, 1);
    buffer.push(item);
}

/// Makes room for so many more without leaving an old copy behind. The buffer grows by a quarter, because what
/// it holds in reserve counts against the vault.
fn make_room<T: Zeroize + Clone>(buffer: &mut Vec<T>, more: usize) {
    if buffer.capacity() - buffer.len() < more {
        grow(buffer, more.max(buffer.capacity() / 4).max(GROWTH_MIN));
    }
}

fn grow<T: Zeroize + Clone>(buffer: &mut Vec<T>, more: usize) {
    let mut grown = Vec::with_capacity(buffer.len() + more);
    grown.extend_from_slice(buffer);
    buffer.zeroize();
    *buffer = grown;
}

impl Drop for Block {
    fn drop(&mut self) {
        self.high.zeroize();
        self.low.zeroize();
        self.scales.zeroize();
        self.signs.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_leaves_is_overwritten_and_the_place_of_the_last_zeroed() {
        let mut plane = [1, 1, 2, 2, 3, 3];
        move_last(&mut plane, 0, 2);
        assert_eq!(plane, [3, 3, 2, 2, 0, 0]);
        move_last(&mut plane[..4], 1, 2);
        assert_eq!(plane, [3, 3, 0, 0, 0, 0]);
    }

    #[test]
    fn sign_bits_follow_their_rows() {
        let mut block = Block::new(ModelId::new("m"), 12);
        let vector = |n: usize| {
            let bits = (0..12).map(|d| if ((n * 37) >> (d % 7)) & 1 == 1 { 1.0 } else { -1.0 });
            QuantVec::from_f32(&bits.collect::<Vec<f32>>()).unwrap()
        };
        (0..70).for_each(|n| block.push(n as u32, &vector(n)));
        (0..70).for_each(|row| block.write_signs(row));
        for slot in [0, 69, 31, 32, 5] {
            block.remove(slot);
        }
        let kept = block.signs.clone();
        assert_eq!(kept.len(), 65usize.div_ceil(SIGN_GROUP) * block.group_bytes());
        block.signs.fill(0);
        (0..65).for_each(|row| block.write_signs(row));
        assert_eq!(kept, block.signs);
    }
}
