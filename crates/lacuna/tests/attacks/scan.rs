//! Looks for needles in every byte of a folder, however they might have been written.

use std::collections::HashMap;
use std::path::Path;

/// Long enough that a chance match in a few megabytes is out of the question together with the rest of the
/// needle, short enough for a table.
const KEY_BYTES: usize = 8;

pub(crate) struct Needles {
    /// True for the first two bytes of each needle, because most places are ruled out by them.
    begins: Vec<bool>,
    by_key: HashMap<[u8; KEY_BYTES], Vec<(String, Vec<u8>)>>,
    count: usize,
}

impl Default for Needles {
    fn default() -> Self {
        Self { begins: vec![false; 1 << 16], by_key: HashMap::new(), count: 0 }
    }
}

impl Needles {
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// A secret word, in each encoding that a program might leave behind.
    pub(crate) fn add_text(&mut self, word: &str) {
        let bytes = word.as_bytes();
        self.add(format!("{word} as UTF-8"), bytes.to_vec());
        let wide = |convert: fn(u16) -> [u8; 2]| word.encode_utf16().flat_map(convert).collect::<Vec<u8>>();
        self.add(format!("{word} as UTF-16LE"), wide(u16::to_le_bytes));
        self.add(format!("{word} as UTF-16BE"), wide(u16::to_be_bytes));
        self.add(format!("{word} as hex"), hex(bytes).into_bytes());
        self.add(format!("{word} as HEX"), hex(bytes).to_uppercase().into_bytes());
        // Where the word stands within its text shifts the sextets in one of three ways.
        for shift in 0..3 {
            let whole = &bytes[shift..];
            let whole = &whole[..whole.len() / 3 * 3];
            self.add(format!("{word} as base64 (shift {shift})"), base64(whole, b"+/"));
            self.add(format!("{word} as base64url (shift {shift})"), base64(whole, b"-_"));
        }
    }

    /// A secret vector, as runs of components in each number format that an index might use.
    pub(crate) fn add_vector(&mut self, name: &str, vector: &[f32]) {
        let largest = vector.iter().fold(0f32, |largest, x| largest.max(x.abs()));
        for start in [0, vector.len() / 2, vector.len() - 24] {
            let run = &vector[start..start + 24];
            let f32s = |run: &[f32]| run.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
            let f16s = |run: &[f32]| run.iter().flat_map(|x| half(*x).to_le_bytes()).collect::<Vec<u8>>();
            let scaled = |x: &f32, top: f32| (x / largest * top).round();
            let i8s: Vec<u8> = run.iter().map(|x| scaled(x, 127.0) as i8 as u8).collect();
            let i16s: Vec<u8> =
                run.iter().flat_map(|x| (scaled(x, 127.0 * 256.0) as i16).to_le_bytes()).collect();
            self.add(format!("{name} as f32"), f32s(&run[..8]));
            self.add(format!("{name} as f16"), f16s(&run[..12]));
            self.add(format!("{name} as i8"), i8s);
            // Rounding may differ in the last bit: three codes in a row still give a vector away.
            self.add(format!("{name} as i16"), i16s[..KEY_BYTES].to_vec());
        }
    }

    fn add(&mut self, name: String, bytes: Vec<u8>) {
        let key = bytes[..KEY_BYTES].try_into().unwrap();
        self.begins[usize::from(u16::from_be_bytes([bytes[0], bytes[1]]))] = true;
        self.by_key.entry(key).or_default().push((name, bytes));
        self.count += 1;
    }

    /// The needles that occur in `haystack`.
    pub(crate) fn found_in(&self, haystack: &[u8]) -> Vec<&str> {
        let mut found = Vec::new();
        for (at, window) in haystack.windows(KEY_BYTES).enumerate() {
            if !self.begins[usize::from(window[0]) << 8 | usize::from(window[1])] {
                continue;
            }
            let Some(candidates) = self.by_key.get(window) else { continue };
            let here = &haystack[at..];
            found.extend(
                candidates.iter().filter(|(_, bytes)| here.starts_with(bytes)).map(|(name, _)| &**name),
            );
        }
        found
    }

    /// Every file below `folder` with the needles found in it, and the number of bytes that were read.
    pub(crate) fn found_below(&self, folder: &Path) -> (Vec<String>, usize) {
        let (mut found, mut bytes) = (Vec::new(), 0);
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                let (more, read) = self.found_below(&path);
                found.extend(more);
                bytes += read;
            } else {
                let content = std::fs::read(&path).unwrap();
                bytes += content.len();
                let name = path.display();
                found.extend(self.found_in(&content).into_iter().map(|needle| format!("{name}: {needle}")));
            }
        }
        (found, bytes)
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn base64(bytes: &[u8], last_two: &[u8; 2]) -> Vec<u8> {
    let alphabet: Vec<u8> = (b'A'..=b'Z').chain(b'a'..=b'z').chain(b'0'..=b'9').chain(*last_two).collect();
    let sextets = |three: &[u8]| {
        let joined = u32::from(three[0]) << 16 | u32::from(three[1]) << 8 | u32::from(three[2]);
        [18, 12, 6, 0].map(|shift| alphabet[(joined >> shift & 63) as usize])
    };
    bytes.chunks_exact(3).flat_map(sextets).collect()
}

/// The nearest half-precision number, for components of a unit vector.
fn half(x: f32) -> u16 {
    let bits = x.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let exponent = (bits >> 23 & 0xff) as i32 - 127;
    let mantissa = bits & 0x007f_ffff;
    if exponent >= -14 {
        let rounded = (((exponent + 15) as u32) << 23 | mantissa) + 0x1000;
        return sign | (rounded >> 13) as u16;
    }
    let subnormal = (x.abs() * 16_777_216.0).round() as u16;
    sign | subnormal
}

#[test]
fn the_scanner_finds_what_it_looks_for() {
    let mut needles = Needles::default();
    needles.add_text("canary0123456789abcdef");
    let vector: Vec<f32> = (0..384).map(|n| ((n * 37 % 101) as f32 - 50.0) / 700.0).collect();
    needles.add_vector("v", &vector);
    let text = "The word is canary0123456789abcdef, and nothing else.";
    for padding in 0..3 {
        let padded = format!("{}{text}", "x".repeat(padding));
        let written: Vec<u8> = base64(&padded.as_bytes()[..padded.len() / 3 * 3], b"+/");
        assert!(!needles.found_in(&written).is_empty(), "base64 at {padding}");
    }
    let mut stored: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    stored.extend(vector.iter().flat_map(|x| x.to_le_bytes()));
    stored.extend(vector.iter().flat_map(|x| half(*x).to_le_bytes()));
    stored.extend(lacuna_core::index::QuantVec::from_f32(&vector).unwrap().to_bytes());
    let found = needles.found_in(&stored).join("; ");
    for form in ["UTF-16LE", "v as f32", "v as f16", "v as i16"] {
        assert!(found.contains(form), "{form} not among {found}");
    }
    assert!(needles.found_in(b"nothing of the kind is written here").is_empty());
    assert_eq!((half(1.0), half(-0.5), half(0.099_975_586)), (0x3c00, 0xb800, 0x2e66));
}
