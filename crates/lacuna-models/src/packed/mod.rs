//! The container of the packed models: named tensors one after the other, little-endian, read without trust.
//!
//! ```text
//! file   = magic(8) ‖ version u32 ‖ part count u32 ‖ part*
//! part   = name length u16 ‖ name ‖ kind u8 ‖ rows u32 ‖ columns u32 ‖ payload
//! floats : rows × columns f32
//! int8   : rows f32 scales, then rows × columns i8; value = scale of its row × i8
//! text   : columns bytes of UTF-8, rows = 1
//! bytes  : columns bytes that a reader of their own understands, rows = 1
//! ```

pub mod double_array;
pub mod narrow_rows;

use std::collections::BTreeMap;

use lacuna_types::{Error, Result};

const MAGIC: [u8; 8] = *b"LACUNA\0M";

/// The layout above. A file of another version is refused.
pub const FORMAT_VERSION: u32 = 1;

const PARTS_MAX: u32 = 1024;
const NAME_BYTES_MAX: usize = 128;
const INT8_MAX: f32 = 127.0;

const KIND_FLOATS: u8 = 0;
const KIND_INT8: u8 = 1;
const KIND_TEXT: u8 = 2;
const KIND_BYTES: u8 = 3;

/// A parsed container; the payloads stay where they are.
pub struct Packed<'a> {
    parts: BTreeMap<&'a str, PackedPart<'a>>,
}

struct PackedPart<'a> {
    kind: u8,
    rows: usize,
    columns: usize,
    payload: &'a [u8],
}

impl<'a> Packed<'a> {
    /// Reads the table of parts and checks every length.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let mut cursor = PackedReader { rest: bytes };
        if cursor.take(MAGIC.len())? != MAGIC {
            return Err(damaged("it does not start as a packed model does"));
        }
        let version = cursor.u32()?;
        if version != FORMAT_VERSION {
            return Err(damaged(format!("format version {version} is not {FORMAT_VERSION}")));
        }
        let count = cursor.u32()?;
        if count > PARTS_MAX {
            return Err(damaged(format!("{count} parts exceed the limit of {PARTS_MAX}")));
        }
        let mut parts = BTreeMap::new();
        for _ in 0..count {
            let (name, part) = cursor.part()?;
            if parts.insert(name, part).is_some() {
                return Err(damaged(format!("part {name} occurs twice")));
            }
        }
        if !cursor.rest.is_empty() {
            return Err(damaged("bytes follow the last part"));
        }
        Ok(Self { parts })
    }

    fn part(&self, name: &str, kind: u8) -> Result<&PackedPart<'a>> {
        let part = self.parts.get(name).ok_or_else(|| damaged(format!("part {name} is missing")))?;
        if part.kind != kind {
            return Err(damaged(format!("part {name} is of another kind")));
        }
        Ok(part)
    }

    fn shaped(&self, name: &str, kind: u8, rows: usize, columns: usize) -> Result<&PackedPart<'a>> {
        let part = self.part(name, kind)?;
        if (part.rows, part.columns) != (rows, columns) {
            return Err(damaged(format!(
                "part {name} is {}×{}, not {rows}×{columns}",
                part.rows, part.columns
            )));
        }
        Ok(part)
    }

    /// A float tensor of exactly this shape, row by row.
    pub fn floats(&self, name: &str, rows: usize, columns: usize) -> Result<Vec<f32>> {
        finite_floats(name, self.shaped(name, KIND_FLOATS, rows, columns)?.payload)
    }

    /// A quantised tensor of exactly this shape.
    pub fn int8_rows(&self, name: &str, rows: usize, columns: usize) -> Result<Int8Rows<'a>> {
        let part = self.shaped(name, KIND_INT8, rows, columns)?;
        let (scales, values) = part.payload.split_at(rows * size_of::<f32>());
        Ok(Int8Rows { scales: finite_floats(name, scales)?, values, columns })
    }

    /// A text part.
    pub fn text(&self, name: &str) -> Result<&'a str> {
        let part = self.part(name, KIND_TEXT)?;
        std::str::from_utf8(part.payload).map_err(|_| damaged(format!("part {name} is not UTF-8")))
    }

    /// A part of plain bytes, in place.
    pub fn bytes(&self, name: &str) -> Result<&'a [u8]> {
        Ok(self.part(name, KIND_BYTES)?.payload)
    }
}

/// A matrix whose rows are stored as int8 with one scale each.
pub struct Int8Rows<'a> {
    scales: Vec<f32>,
    values: &'a [u8],
    columns: usize,
}

impl<'a> Int8Rows<'a> {
    /// The stored values, in place, row by row; each is an `i8`.
    pub fn values(&self) -> &'a [u8] {
        self.values
    }

    /// The scale of each row.
    pub fn scales(&self) -> &[f32] {
        &self.scales
    }

    /// Adds `share` of row `row` to `sum`, which is as wide as a row.
    pub fn add_row(&self, row: usize, share: f32, sum: &mut [f32]) {
        let scale = share * self.scales[row];
        let values = &self.values[row * self.columns..][..self.columns];
        for (sum, &value) in sum.iter_mut().zip(values) {
            *sum += scale * f32::from(value.cast_signed());
        }
    }

    /// All rows as floats, one after the other.
    pub fn to_floats(&self) -> Vec<f32> {
        let mut floats = Vec::with_capacity(self.values.len());
        for (values, scale) in self.values.chunks_exact(self.columns).zip(&self.scales) {
            floats.extend(values.iter().map(|value| scale * f32::from(value.cast_signed())));
        }
        floats
    }
}

/// Writer of the container that [`Packed`] reads. The same parts in the same order give the same bytes.
#[derive(Default)]
pub struct ModelPacker {
    parts: Vec<u8>,
    count: u32,
}

impl ModelPacker {
    /// Adds a float tensor, row by row.
    pub fn floats(&mut self, name: &str, columns: usize, values: &[f32]) -> Result<()> {
        self.header(name, KIND_FLOATS, values.len().checked_div(columns).unwrap_or(0), columns)?;
        self.extend(values);
        Ok(())
    }

    /// Adds a quantised tensor. Each row is scaled by its largest magnitude, so that a row of small values keeps
    /// its precision.
    pub fn int8_rows(&mut self, name: &str, columns: usize, values: &[f32]) -> Result<()> {
        let scales = values.chunks_exact(columns).map(int8_scale).collect();
        self.int8_rows_of(name, columns, values, scales)
    }

    /// Adds a tensor that its authors had quantised to int8 with one scale for all rows. Nothing is lost then.
    pub fn int8_tensor(&mut self, name: &str, columns: usize, values: &[f32]) -> Result<()> {
        let scales = vec![int8_scale(values); values.len() / columns];
        self.int8_rows_of(name, columns, values, scales)
    }

    fn int8_rows_of(&mut self, name: &str, columns: usize, values: &[f32], scales: Vec<f32>) -> Result<()> {
        self.header(name, KIND_INT8, scales.len(), columns)?;
        self.extend(&scales);
        for (row, scale) in values.chunks_exact(columns).zip(&scales) {
            self.parts.extend(row.iter().map(|value| quantise(*value, *scale).cast_unsigned()));
        }
        Ok(())
    }

    /// Adds a text part.
    pub fn text(&mut self, name: &str, text: &str) -> Result<()> {
        self.header(name, KIND_TEXT, 1, text.len())?;
        self.parts.extend_from_slice(text.as_bytes());
        Ok(())
    }

    /// Adds a part of plain bytes.
    pub fn bytes(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.header(name, KIND_BYTES, 1, bytes.len())?;
        self.parts.extend_from_slice(bytes);
        Ok(())
    }

    /// The bytes of the container.
    pub fn finish(self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(FORMAT_VERSION.to_le_bytes());
        bytes.extend(self.count.to_le_bytes());
        bytes.extend(self.parts);
        bytes
    }

    fn header(&mut self, name: &str, kind: u8, rows: usize, columns: usize) -> Result<()> {
        let too_large = |_| Error::invalid("tensor", format!("{name} is too large to pack"));
        let name_length = u16::try_from(name.len()).map_err(too_large)?;
        let (rows, columns) =
            (u32::try_from(rows).map_err(too_large)?, u32::try_from(columns).map_err(too_large)?);
        self.count += 1;
        self.parts.extend(name_length.to_le_bytes());
        self.parts.extend(name.as_bytes());
        self.parts.push(kind);
        self.parts.extend(rows.to_le_bytes());
        self.parts.extend(columns.to_le_bytes());
        Ok(())
    }

    fn extend(&mut self, values: &[f32]) {
        self.parts.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    }
}

fn int8_scale(values: &[f32]) -> f32 {
    values.iter().fold(0.0_f32, |largest, value| largest.max(value.abs())) / INT8_MAX
}

fn quantise(value: f32, scale: f32) -> i8 {
    if scale == 0.0 {
        return 0;
    }
    // The cast saturates, and the scale keeps every value within ±127 anyway.
    (value / scale).round() as i8
}

/// Reads from the front of the remaining bytes, and fails when they are too short.
struct PackedReader<'a> {
    rest: &'a [u8],
}

impl<'a> PackedReader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let (head, rest) = self.rest.split_at_checked(length).ok_or_else(|| damaged("it ends too early"))?;
        self.rest = rest;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (head, rest) = self.rest.split_first_chunk().ok_or_else(|| damaged("it ends too early"))?;
        self.rest = rest;
        Ok(*head)
    }

    fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn size(&mut self) -> Result<usize> {
        usize::try_from(self.u32()?).map_err(|_| damaged("a size exceeds this machine"))
    }

    fn part(&mut self) -> Result<(&'a str, PackedPart<'a>)> {
        let name_length = usize::from(self.array().map(u16::from_le_bytes)?);
        if name_length > NAME_BYTES_MAX {
            return Err(damaged("a part's name is too long"));
        }
        let name = std::str::from_utf8(self.take(name_length)?)
            .map_err(|_| damaged("a part's name is not UTF-8"))?;
        let [kind] = self.array()?;
        let (rows, columns) = (self.size()?, self.size()?);
        let length = payload_length(kind, rows, columns)
            .ok_or_else(|| damaged(format!("part {name} has an impossible kind or size")))?;
        Ok((name, PackedPart { kind, rows, columns, payload: self.take(length)? }))
    }
}

fn payload_length(kind: u8, rows: usize, columns: usize) -> Option<usize> {
    let values = rows.checked_mul(columns)?;
    match kind {
        KIND_FLOATS => values.checked_mul(size_of::<f32>()),
        KIND_INT8 => rows.checked_mul(size_of::<f32>())?.checked_add(values),
        KIND_TEXT | KIND_BYTES if rows == 1 => Some(columns),
        _ => None,
    }
}

fn finite_floats(name: &str, bytes: &[u8]) -> Result<Vec<f32>> {
    let (words, _) = bytes.as_chunks();
    let floats: Vec<f32> = words.iter().map(|word| f32::from_le_bytes(*word)).collect();
    if floats.iter().any(|value| !value.is_finite()) {
        return Err(damaged(format!("part {name} holds a number that is not finite")));
    }
    Ok(floats)
}

pub(crate) fn damaged(what: impl std::fmt::Display) -> Error {
    Error::corrupt(format!("packed model: {what}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample() -> Vec<u8> {
        let mut packer = ModelPacker::default();
        packer.text("words", "one\ntwo\n").unwrap();
        packer.floats("bias", 3, &[0.5, -1.0, 2.0]).unwrap();
        packer.int8_rows("weight", 2, &[1.27, -0.01, 0.0, 0.0, -254.0, 127.0]).unwrap();
        packer.bytes("table", &[0, 255, 7]).unwrap();
        packer.int8_tensor("even", 1, &[12.7, 0.1]).unwrap();
        packer.finish()
    }

    #[test]
    fn what_was_packed_is_read_back() {
        let bytes = sample();
        let packed = Packed::parse(&bytes).unwrap();
        assert_eq!(packed.text("words").unwrap(), "one\ntwo\n");
        assert_eq!(packed.floats("bias", 1, 3).unwrap(), [0.5, -1.0, 2.0]);
        let weight = packed.int8_rows("weight", 3, 2).unwrap();
        for (read, written) in weight.to_floats().iter().zip([1.27, -0.01, 0.0, 0.0, -254.0, 128.0]) {
            assert!((read - written).abs() < 1e-4, "{read} {written}");
        }
        let mut sum = [1.0, 1.0];
        weight.add_row(2, 1.0, &mut sum);
        assert_eq!(sum, [-253.0, 129.0]);
        assert_eq!(packed.bytes("table").unwrap(), [0, 255, 7]);
        let even = packed.int8_rows("even", 2, 1).unwrap();
        assert_eq!((even.scales()[0], even.values()), (even.scales()[1], [127, 1].as_slice()));
    }

    #[test]
    fn the_layout_is_frozen() {
        let mut packer = ModelPacker::default();
        packer.int8_rows("w", 2, &[127.0, -63.5]).unwrap();
        let expected = b"LACUNA\0M\x01\0\0\0\x01\0\0\0\x01\0w\x01\x01\0\0\0\x02\0\0\0\0\0\x80\x3f\x7f\xc0";
        assert_eq!(packer.finish(), expected);
    }

    #[test]
    fn a_wrong_question_is_an_error() {
        let bytes = sample();
        let packed = Packed::parse(&bytes).unwrap();
        assert!(packed.text("absent").is_err());
        assert!(packed.text("bias").is_err());
        assert!(packed.floats("bias", 3, 1).is_err());
        assert!(packed.int8_rows("weight", 2, 3).is_err());
    }

    #[test]
    fn every_truncation_and_any_addition_is_refused() {
        let bytes = sample();
        for length in 0..bytes.len() {
            assert!(Packed::parse(&bytes[..length]).is_err(), "{length}");
        }
        assert!(Packed::parse(&[bytes.as_slice(), &[0]].concat()).is_err());
    }

    #[test]
    fn a_repeated_part_and_a_number_that_is_none_are_refused() {
        let mut twice = ModelPacker::default();
        twice.text("a", "").unwrap();
        twice.text("a", "").unwrap();
        assert!(Packed::parse(&twice.finish()).is_err());

        let mut infinite = ModelPacker::default();
        infinite.floats("a", 1, &[f32::INFINITY]).unwrap();
        let bytes = infinite.finish();
        assert!(Packed::parse(&bytes).unwrap().floats("a", 1, 1).is_err());
    }

    proptest! {
        #[test]
        fn damaged_bytes_never_panic(changes in prop::collection::vec((0..100_usize, any::<u8>()), 1..8)) {
            let mut bytes = sample();
            let length = bytes.len();
            for (at, value) in changes {
                bytes[at % length] = value;
            }
            if let Ok(packed) = Packed::parse(&bytes) {
                let _ = packed.text("words");
                let _ = packed.floats("bias", 1, 3);
                let _ = packed.int8_rows("weight", 3, 2).map(|rows| rows.to_floats());
            }
        }

        #[test]
        fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Packed::parse(&bytes);
            let _ = Packed::parse(&[MAGIC.as_slice(), &FORMAT_VERSION.to_le_bytes(), &bytes].concat());
        }
    }
}
