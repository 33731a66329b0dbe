//! A trie over byte strings as one array of 32-bit units, searched where it lies: no table is built at the start.
//!
//! The units are those of the double arrays in SentencePiece's files, so that one reader serves its character map
//! and our vocabulary. From a node at `at`, its children begin at `at ^ offset`; the child of byte `b` stands at
//! that `^ b`, and bears `b` as its label. A node that ends a key has its value in the child of byte 0.
//!
//! ```text
//! node   = offset << 10 | offset is a multiple of 256 (bit 9) | ends a key (bit 8) | label
//! value  = 1 << 31 | value
//! ```

use std::collections::HashSet;

use lacuna_types::{Error, Result};

use super::damaged;

const UNIT_BYTES: usize = size_of::<u32>();
const ENDS_KEY: u32 = 1 << 8;
const WIDE_OFFSET: u32 = 1 << 9;
const OFFSET_SHIFT: u32 = 10;
const VALUE: u32 = 1 << 31;
/// A value is told from a node by bit 31, so it takes part in the comparison of labels.
const LABEL_MASK: u32 = VALUE | 0xFF;
/// Units up to which every offset fits beside the label without the wide form.
const BUILT_UNITS_MAX: usize = 1 << (31 - OFFSET_SHIFT);
/// Units at the end of the array that are searched for room. Earlier gaps stay: looking for them costs more time
/// than they cost room.
const SEARCHED_UNITS: usize = 4096;

/// A double array, borrowed from the bytes of a packed model.
pub struct DoubleArray<'a> {
    units: &'a [[u8; UNIT_BYTES]],
}

impl<'a> DoubleArray<'a> {
    /// Takes whole little-endian units. A unit that points outside ends a search and nothing worse.
    pub fn new(bytes: &'a [u8]) -> Result<Self> {
        let (units, rest) = bytes.as_chunks();
        if units.is_empty() || !rest.is_empty() {
            return Err(damaged("a double array is no whole number of units"));
        }
        Ok(Self { units })
    }

    /// The keys that `text` starts with, shortest first: length in bytes, and value.
    pub fn prefixes<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = (usize, u32)> + 't {
        let mut children = self.unit(0).map(|root| offset(root) as usize);
        text.iter()
            .enumerate()
            .map_while(move |(at, byte)| {
                let node = children? ^ usize::from(*byte);
                let unit = self.unit(node).filter(|unit| unit & LABEL_MASK == u32::from(*byte))?;
                let below = node ^ offset(unit) as usize;
                children = Some(below);
                let value = if unit & ENDS_KEY != 0 { self.unit(below) } else { None };
                Some(value.map(|value| (at + 1, value & !VALUE)))
            })
            .flatten()
    }

    fn unit(&self, at: usize) -> Option<u32> {
        self.units.get(at).map(|unit| u32::from_le_bytes(*unit))
    }
}

fn offset(unit: u32) -> u32 {
    let shift = if unit & WIDE_OFFSET != 0 { 8 } else { 0 };
    // The shift drops the bits of a value, which is never followed.
    (unit >> OFFSET_SHIFT) << shift
}

/// Builds the bytes of a [`DoubleArray`]. `keys` are sorted, differ, and hold neither an empty key nor a byte 0;
/// values are below 2³¹.
pub fn build(keys: &[(&[u8], u32)]) -> Result<Vec<u8>> {
    let ordered = keys.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let usable = keys.iter().all(|(key, value)| !key.is_empty() && !key.contains(&0) && value & VALUE == 0);
    if !ordered || !usable {
        return Err(Error::invalid("keys", "are not sorted, not different, or not usable in a double array"));
    }
    let mut builder = ArrayBuilder::default();
    builder.reserve(0);
    if !keys.is_empty() {
        builder.place(keys, 0, 0);
    }
    if builder.units.len() > BUILT_UNITS_MAX {
        return Err(Error::invalid("keys", "are too many for a double array"));
    }
    Ok(builder.units.iter().flat_map(|unit| unit.unwrap_or(0).to_le_bytes()).collect())
}

#[derive(Default)]
struct ArrayBuilder {
    units: Vec<Option<u32>>,
    /// Two nodes with the same first place would take each other's children for their own.
    starts: HashSet<usize>,
    /// No unit before this one is free, or looked at any more.
    first_free: usize,
}

impl ArrayBuilder {
    /// Places the children of the node at `node`, whose keys share their first `depth` bytes.
    fn place(&mut self, keys: &[(&[u8], u32)], depth: usize, node: usize) {
        let groups: Vec<&[(&[u8], u32)]> = keys.chunk_by(|a, b| a.0.get(depth) == b.0.get(depth)).collect();
        let labels: Vec<u8> = groups.iter().map(|group| label(group, depth)).collect();
        let start = self.find_start(&labels);
        self.starts.insert(start);
        for label in &labels {
            self.reserve(start ^ usize::from(*label));
        }
        let ends_key = if labels[0] == 0 { ENDS_KEY } else { 0 };
        let own_label = self.units[node].unwrap_or(0);
        self.units[node] = Some(own_label | ends_key | ((node ^ start) as u32) << OFFSET_SHIFT);
        for (group, label) in groups.into_iter().zip(labels) {
            let child = start ^ usize::from(label);
            if label == 0 {
                self.units[child] = Some(VALUE | group[0].1);
            } else {
                self.units[child] = Some(u32::from(label));
                self.place(group, depth + 1, child);
            }
        }
    }

    /// The first place from which every child finds a free unit.
    fn find_start(&mut self, labels: &[u8]) -> usize {
        self.first_free = self.first_free.max(self.units.len().saturating_sub(SEARCHED_UNITS));
        while self.units.get(self.first_free).is_some_and(Option::is_some) {
            self.first_free += 1;
        }
        let first = usize::from(labels[0]);
        let fits = |start: usize| {
            let free = |label: &u8| self.units.get(start ^ usize::from(*label)).is_none_or(Option::is_none);
            !self.starts.contains(&start) && labels.iter().all(free)
        };
        (self.first_free..).map(|unit| unit ^ first).find(|start| fits(*start)).expect("the array can grow")
    }

    fn reserve(&mut self, at: usize) {
        if self.units.len() <= at {
            // Whole blocks: a search may look at any of the 256 neighbours.
            self.units.resize((at | 0xFF) + 1, None);
        }
        self.units[at] = Some(0);
    }
}

fn label(group: &[(&[u8], u32)], depth: usize) -> u8 {
    group[0].0.get(depth).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn found(bytes: &[u8], text: &str) -> Vec<(usize, u32)> {
        DoubleArray::new(bytes).unwrap().prefixes(text.as_bytes()).collect()
    }

    #[test]
    fn every_key_that_starts_the_text_is_found() {
        let keys: [(&[u8], u32); 4] = [(b"a", 7), (b"abc", 0), (b"b", 5), ("\u{4E2D}".as_bytes(), 9)];
        let bytes = build(&keys).unwrap();
        assert_eq!(found(&bytes, "abcd"), [(1, 7), (3, 0)]);
        assert_eq!(found(&bytes, "ab"), [(1, 7)]);
        assert_eq!(found(&bytes, "\u{4E2D}a"), [(3, 9)]);
        assert_eq!(found(&bytes, "xyz"), []);
        assert_eq!(found(&build(&[]).unwrap(), "a"), []);
    }

    #[test]
    fn keys_out_of_order_and_keys_without_bytes_are_refused() {
        let (a, b, none, zero): (&[u8], &[u8], &[u8], &[u8]) = (b"a", b"b", b"", b"a\0");
        for keys in
            [vec![(b, 0), (a, 1)], vec![(a, 0), (a, 1)], vec![(none, 0)], vec![(zero, 0)], vec![(a, VALUE)]]
        {
            assert!(build(&keys).is_err(), "{keys:?}");
        }
        assert!(DoubleArray::new(&[]).is_err());
        assert!(DoubleArray::new(&[0; 7]).is_err());
    }

    proptest! {
        #[test]
        fn prefixes_are_those_of_a_list(
            keys in prop::collection::btree_map("[a-cä]{1,6}", 0..VALUE, 0..60),
            text in "[a-dä]{0,9}",
        ) {
            let listed: Vec<(&[u8], u32)> = keys.iter().map(|(key, value)| (key.as_bytes(), *value)).collect();
            let mut expected: Vec<(usize, u32)> = keys.iter()
                .filter(|(key, _)| text.starts_with(key.as_str())).map(|(key, value)| (key.len(), *value)).collect();
            expected.sort_unstable();
            prop_assert_eq!(found(&build(&listed).unwrap(), &text), expected);
        }

        #[test]
        fn any_bytes_are_searched_without_panic(bytes in prop::collection::vec(any::<u8>(), 4..400), text in any::<String>()) {
            let whole = bytes.len() / UNIT_BYTES * UNIT_BYTES;
            let _: BTreeMap<_, _> = DoubleArray::new(&bytes[..whole]).unwrap().prefixes(text.as_bytes()).collect();
        }
    }
}
