//! A table of small whole numbers whose rows are stored each in as few bits as its own range needs, and read where
//! they lie.
//!
//! ```text
//! table = row count × entry u32, then the rows
//! entry = place of the row in blocks << 12 | lowest value << 4 | bits per value
//! row   = (value − lowest) in that many bits, first value in the lowest bits; columns / 8 bytes per bit
//! ```

use lacuna_types::{Error, Result};

use super::damaged;

const ENTRY_BYTES: usize = size_of::<u32>();
const PLACE_SHIFT: u32 = 12;
const LOWEST_SHIFT: u32 = 4;
const WIDTH_MASK: u32 = 0xF;
/// Values are bytes, so no row needs more bits than this per value.
const WIDTH_MAX: usize = 8;
/// Values that are read at once: as many as there are bits in a byte, so that they end at a byte's end.
const GROUP: usize = 8;

/// Rows of `columns` values each, borrowed from the bytes of a packed model.
pub struct NarrowRows<'a> {
    entries: &'a [[u8; ENTRY_BYTES]],
    rows: &'a [u8],
    columns: usize,
}

impl<'a> NarrowRows<'a> {
    /// Checks that every row lies within `bytes`.
    pub fn new(bytes: &'a [u8], row_count: usize, columns: usize) -> Result<Self> {
        let split = row_count.checked_mul(ENTRY_BYTES).and_then(|length| bytes.split_at_checked(length));
        let (entries, rows) = split.ok_or_else(|| damaged("a table of narrow rows ends too early"))?;
        let table = Self { entries: entries.as_chunks().0, rows, columns };
        // Rows stand one after the other, so the last one's end is the end of all.
        let end = row_count.checked_sub(1).map_or(0, |last| table.span(last).1);
        if !columns.is_multiple_of(GROUP) || end != rows.len() {
            return Err(damaged("a table of narrow rows is not as long as its entries say"));
        }
        Ok(table)
    }

    /// The number of rows.
    pub fn row_count(&self) -> usize {
        self.entries.len()
    }

    /// Copies the values of one row to `out`, which is as wide as a row.
    ///
    /// # Panics
    /// Panics unless the row exists.
    pub fn read_row(&self, row: usize, out: &mut [u8]) {
        let entry = self.entry(row);
        let (width, lowest) = (entry_width(entry), (entry >> LOWEST_SHIFT) as u8);
        // A row of one value alone has no bytes at all.
        out.fill(lowest);
        if width == 0 {
            return;
        }
        let (start, end) = self.span(row);
        let stored = self.rows.get(start..end).unwrap_or_default();
        for (group, out) in stored.chunks_exact(width).zip(out.as_chunks_mut::<GROUP>().0) {
            let mut bits = [0; WIDTH_MAX];
            bits[..width].copy_from_slice(group);
            let bits = u64::from_le_bytes(bits);
            for (at, out) in out.iter_mut().enumerate() {
                *out = lowest.wrapping_add((bits >> (at * width)) as u8 & (u8::MAX >> (WIDTH_MAX - width)));
            }
        }
    }

    fn entry(&self, row: usize) -> u32 {
        u32::from_le_bytes(self.entries[row])
    }

    fn span(&self, row: usize) -> (usize, usize) {
        let entry = self.entry(row);
        let block = self.columns / GROUP;
        let start = (entry >> PLACE_SHIFT) as usize * block;
        (start, start + entry_width(entry) * block)
    }
}

fn entry_width(entry: u32) -> usize {
    ((entry & WIDTH_MASK) as usize).min(WIDTH_MAX)
}

/// Packs rows of `columns` values, a multiple of eight, into the bytes of [`NarrowRows`].
pub fn pack(columns: usize, values: &[u8]) -> Result<Vec<u8>> {
    let (mut entries, mut rows) = (Vec::new(), Vec::new());
    for row in values.chunks_exact(columns) {
        let lowest = row.iter().copied().min().unwrap_or(0);
        let range = row.iter().copied().max().unwrap_or(0) - lowest;
        let width = (u8::BITS - range.leading_zeros()) as usize;
        let place = u32::try_from(rows.len() / (columns / GROUP))
            .ok()
            .filter(|place| *place < 1 << (32 - PLACE_SHIFT));
        let place = place.ok_or_else(|| Error::invalid("table", "is too large to pack"))?;
        entries
            .extend((place << PLACE_SHIFT | u32::from(lowest) << LOWEST_SHIFT | width as u32).to_le_bytes());
        for group in row.chunks_exact(GROUP) {
            let place_bits =
                |bits, (at, value): (usize, &u8)| bits | u64::from(value - lowest) << (at * width);
            let bits = group.iter().enumerate().fold(0_u64, place_bits);
            rows.extend_from_slice(&bits.to_le_bytes()[..width]);
        }
    }
    Ok([entries, rows].concat())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const COLUMNS: usize = 16;

    #[test]
    fn a_row_takes_the_bits_of_its_range() {
        let mut values = [9; 2 * COLUMNS];
        values[COLUMNS] = 12;
        let bytes = pack(COLUMNS, &values).unwrap();
        assert_eq!(bytes.len(), 2 * ENTRY_BYTES + 2 * COLUMNS / GROUP);
    }

    #[test]
    fn a_table_of_another_length_is_refused() {
        let bytes = pack(COLUMNS, &[1, 2, 3, 4].repeat(COLUMNS)).unwrap();
        assert!(NarrowRows::new(&bytes, 4, COLUMNS).is_ok());
        for (end, rows) in [(bytes.len() - 1, 4), (bytes.len(), 3), (3, 1), (0, usize::MAX)] {
            assert!(NarrowRows::new(&bytes[..end], rows, COLUMNS).is_err(), "{end} {rows}");
        }
    }

    proptest! {
        #[test]
        fn packed_values_are_read_back(rows in prop::collection::vec((any::<u8>(), any::<u8>(), prop::array::uniform16(any::<u8>())), 0..9)) {
            let narrowed = |(low, range, row): (u8, u8, [u8; COLUMNS])| {
                row.map(|value| low.saturating_add(value.checked_rem(range).unwrap_or(0)))
            };
            let rows: Vec<_> = rows.into_iter().map(narrowed).collect();
            let bytes = pack(COLUMNS, &rows.concat()).unwrap();
            let table = NarrowRows::new(&bytes, rows.len(), COLUMNS).unwrap();
            prop_assert_eq!(table.row_count(), rows.len());
            for (at, row) in rows.iter().enumerate() {
                let mut read = [0; COLUMNS];
                table.read_row(at, &mut read);
                prop_assert_eq!(&read, row);
            }
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), rows in 0..20_usize) {
            if let Ok(table) = NarrowRows::new(&bytes, rows, COLUMNS) {
                for row in 0..table.row_count() {
                    table.read_row(row, &mut [0; COLUMNS]);
                }
            }
        }
    }
}
