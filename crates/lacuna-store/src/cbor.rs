//! The part of CBOR (RFC 8949) that frames and audit entries are written in: definite lengths, shortest heads.
//!
//! Reading answers `None` for an item that is cut short, of another type or out of range, and never panics.

const UNSIGNED: u8 = 0;
const NEGATIVE: u8 = 1;
const BYTES: u8 = 2;
const TEXT: u8 = 3;
const ARRAY: u8 = 4;
const FALSE: u8 = 0xf4;
const TRUE: u8 = 0xf5;
const NULL: u8 = 0xf6;
const FLOAT: u8 = 0xfa;
/// The deepest nesting of an item that is passed over.
const DEPTH_MAX: usize = 16;

/// Writes items to the end of a buffer.
pub struct CborWriter<'a>(pub &'a mut Vec<u8>);

impl CborWriter<'_> {
    /// Writes the head of an array; `length` items follow.
    pub fn array(&mut self, length: usize) {
        self.head(ARRAY, length as u64);
    }

    /// Writes an array, item by item.
    pub fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.array(items.len());
        items.iter().for_each(|item| write(self, item));
    }

    /// Writes an unsigned number.
    pub fn uint(&mut self, number: impl Into<u64>) {
        self.head(UNSIGNED, number.into());
    }

    /// Writes a signed number.
    pub fn int(&mut self, number: i64) {
        match u64::try_from(number) {
            Ok(number) => self.head(UNSIGNED, number),
            Err(_) => self.head(NEGATIVE, !number as u64),
        }
    }

    /// Writes a number of 32 bits.
    pub fn float(&mut self, number: f32) {
        self.0.push(FLOAT);
        self.0.extend_from_slice(&number.to_be_bytes());
    }

    /// Writes a truth value.
    pub fn bool(&mut self, value: bool) {
        self.0.push(if value { TRUE } else { FALSE });
    }

    /// Writes a text.
    pub fn text(&mut self, text: &str) {
        self.head(TEXT, text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    /// Writes bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.head(BYTES, bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// Writes a value, or null for none.
    pub fn optional<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        match value {
            Some(value) => write(self, value),
            None => self.0.push(NULL),
        }
    }

    fn head(&mut self, major: u8, value: u64) {
        let major = major << 5;
        match value {
            0..=23 => self.0.push(major | value as u8),
            24..=0xff => self.0.extend_from_slice(&[major | 24, value as u8]),
            0x100..=0xffff => self.wide_head(major | 25, &(value as u16).to_be_bytes()),
            0x1_0000..=0xffff_ffff => self.wide_head(major | 26, &(value as u32).to_be_bytes()),
            _ => self.wide_head(major | 27, &value.to_be_bytes()),
        }
    }

    fn wide_head(&mut self, first: u8, rest: &[u8]) {
        self.0.push(first);
        self.0.extend_from_slice(rest);
    }
}

/// Reads items from the front of a slice.
pub struct CborReader<'a>(pub &'a [u8]);

impl<'a> CborReader<'a> {
    /// Reads an array that begins with `fields` items this release knows; what a newer one added after them
    /// is passed over.
    pub fn record<T>(&mut self, fields: u64, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let extra = self.head(ARRAY)?.checked_sub(fields)?;
        let record = read(self)?;
        for _ in 0..extra {
            self.skip(DEPTH_MAX)?;
        }
        Some(record)
    }

    /// As [`Self::record`], where an older release wrote only the first `least` of this release's `fields`.
    /// `read` hears whether the others are there.
    pub fn grown_record<T>(
        &mut self,
        least: u64,
        fields: u64,
        read: impl FnOnce(&mut Self, bool) -> Option<T>,
    ) -> Option<T> {
        let mut ahead = CborReader(self.0);
        let grown = ahead.head(ARRAY)? >= fields;
        self.record(if grown { fields } else { least }, |r| read(r, grown))
    }

    /// As [`Self::grown_record`], where several releases added fields one after the other. `read` hears how many
    /// of this release's `fields` are there.
    pub fn growing_record<T>(
        &mut self,
        least: u64,
        fields: u64,
        read: impl FnOnce(&mut Self, u64) -> Option<T>,
    ) -> Option<T> {
        let mut ahead = CborReader(self.0);
        let present = ahead.head(ARRAY)?.min(fields);
        if present < least {
            return None;
        }
        self.record(present, |r| read(r, present))
    }

    /// Reads an array, item by item.
    pub fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        // Every item takes a byte at least, so a length that lies ends with the bytes.
        (0..self.head(ARRAY)?).map(|_| read(self)).collect()
    }

    /// Reads an unsigned number that fits.
    pub fn uint<T: TryFrom<u64>>(&mut self) -> Option<T> {
        T::try_from(self.head(UNSIGNED)?).ok()
    }

    /// Reads a signed number.
    pub fn int(&mut self) -> Option<i64> {
        match self.0.first()? >> 5 {
            NEGATIVE => i64::try_from(self.head(NEGATIVE)?).ok().map(|number| !number),
            _ => self.uint(),
        }
    }

    /// Reads a number of 32 bits.
    pub fn float(&mut self) -> Option<f32> {
        self.expect(FLOAT)?;
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(f32::from_be_bytes(*number))
    }

    /// Reads a truth value.
    pub fn bool(&mut self) -> Option<bool> {
        let value = *self.0.first()?;
        self.expect(if value == TRUE { TRUE } else { FALSE })?;
        Some(value == TRUE)
    }

    /// Reads a text.
    pub fn text(&mut self) -> Option<&'a str> {
        let length = self.head(TEXT)?;
        str::from_utf8(self.take(length)?).ok()
    }

    /// Reads bytes.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.head(BYTES)?;
        self.take(length)
    }

    /// Reads exactly `N` bytes.
    pub fn array_of_bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes()?.try_into().ok()
    }

    /// `Some(None)` for a null.
    pub fn optional<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        match *self.0.first()? {
            NULL => self.expect(NULL).map(|()| None),
            _ => read(self).map(Some),
        }
    }

    fn skip(&mut self, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match self.0.first()? >> 5 {
            major @ (UNSIGNED | NEGATIVE) => self.head(major).map(drop),
            major @ (BYTES | TEXT) => {
                let length = self.head(major)?;
                self.take(length).map(drop)
            }
            ARRAY => (0..self.head(ARRAY)?).try_for_each(|_| self.skip(depth)),
            _ if self.0[0] == FLOAT => self.float().map(drop),
            _ if self.0[0] == NULL => self.expect(NULL),
            _ => self.bool().map(drop),
        }
    }

    fn head(&mut self, major: u8) -> Option<u64> {
        let (&first, rest) = self.0.split_first()?;
        if first >> 5 != major {
            return None;
        }
        let width = match first & 31 {
            small @ 0..=23 => {
                self.0 = rest;
                return Some(u64::from(small));
            }
            wide @ 24..=27 => 1usize << (wide - 24),
            _ => return None,
        };
        let (number, rest) = rest.split_at_checked(width)?;
        self.0 = rest;
        Some(number.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
    }

    fn take(&mut self, length: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        (first == byte).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(write: impl FnOnce(&mut CborWriter<'_>)) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(&mut CborWriter(&mut bytes));
        bytes
    }

    #[test]
    fn examples_of_the_standard_are_written_as_it_says() {
        let cases: [(&[u8], Vec<u8>); 9] = [
            (&[0x17], written(|w| w.uint(23u8))),
            (&[0x18, 0x18], written(|w| w.uint(24u8))),
            (&[0x19, 0x03, 0xe8], written(|w| w.uint(1_000u32))),
            (&[0x1a, 0x00, 0x0f, 0x42, 0x40], written(|w| w.uint(1_000_000u32))),
            (&[0x1b, 0, 0, 0, 0xe8, 0xd4, 0xa5, 0x10, 0], written(|w| w.uint(1_000_000_000_000u64))),
            (&[0x38, 0x63], written(|w| w.int(-100))),
            (&[0xfa, 0x47, 0xc3, 0x50, 0x00], written(|w| w.float(100_000.0))),
            (&[0x62, 0xc3, 0xbc], written(|w| w.text("ü"))),
            (
                &[0x83, 0x01, 0xf6, 0xf5],
                written(|w| {
                    w.array(3);
                    w.uint(1u8);
                    w.optional(None::<u8>, |w, n| w.uint(n));
                    w.bool(true);
                }),
            ),
        ];
        for (expected, actual) in cases {
            assert_eq!(actual, expected);
        }
    }

    proptest! {
        #[test]
        fn numbers_come_back(unsigned in any::<u64>(), signed in any::<i64>()) {
            prop_assert_eq!(CborReader(&written(|w| w.uint(unsigned))).uint(), Some(unsigned));
            prop_assert_eq!(CborReader(&written(|w| w.int(signed))).int(), Some(signed));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = CborReader(&bytes).skip(DEPTH_MAX);
            let _ = CborReader(&bytes).record(1, |r| r.list(|r| r.optional(CborReader::int)));
            let _ = (CborReader(&bytes).text(), CborReader(&bytes).bytes(), CborReader(&bytes).float(), CborReader(&bytes).bool());
        }
    }
}
