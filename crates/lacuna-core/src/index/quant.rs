use lacuna_types::{Error, Result};

/// The most dimensions that a vector may have.
pub(crate) const DIMENSIONS_MAX: usize = 4096;
/// The largest code: 127 × 256, so that its high byte rounds to at most 127.
pub(crate) const CODE_MAX: i16 = 127 * 256;

const SCALE_BYTES: usize = 4;
const CODE_BYTES: usize = 2;

/// A unit vector as 16-bit codes and one scale: half the bytes of floats at a precision of about 1e-5.
#[derive(Clone, PartialEq, Debug)]
pub struct QuantVec {
    scale: f32,
    codes: Box<[i16]>,
}

impl QuantVec {
    /// Brings a vector to unit length and quantises it. A zero vector stays zero and resembles nothing.
    pub fn from_f32(vector: &[f32]) -> Result<Self> {
        check_dimensions(vector.len())?;
        if vector.iter().any(|x| !x.is_finite()) {
            return Err(Error::invalid("vector", "must hold finite numbers only"));
        }
        let unit = unit(vector);
        let largest = unit.iter().fold(0f32, |largest, x| largest.max(x.abs()));
        let scale = largest / f32::from(CODE_MAX);
        let code = |x: &f32| if scale > 0.0 { (x / scale).round() as i16 } else { 0 };
        let codes = unit.iter().map(code).map(|code| code.clamp(-CODE_MAX, CODE_MAX)).collect();
        Ok(Self { scale, codes })
    }

    /// The number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.codes.len()
    }

    /// Returns the approximate original vector.
    #[cfg(test)]
    fn to_f32(&self) -> Vec<f32> {
        self.codes.iter().map(|&code| f32::from(code) * self.scale).collect()
    }

    /// Scale, then codes, little-endian: the bytes that are sealed.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(SCALE_BYTES + CODE_BYTES * self.codes.len());
        bytes.extend_from_slice(&self.scale.to_le_bytes());
        self.codes.iter().for_each(|code| bytes.extend_from_slice(&code.to_le_bytes()));
        bytes
    }

    /// Decodes a vector.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (scale, codes) =
            bytes.split_first_chunk().ok_or_else(|| Error::corrupt("a vector is too short"))?;
        let scale = f32::from_le_bytes(*scale);
        let (codes, rest) = codes.as_chunks::<CODE_BYTES>();
        let codes: Box<[i16]> = codes.iter().map(|code| i16::from_le_bytes(*code)).collect();
        let sound = rest.is_empty()
            && check_dimensions(codes.len()).is_ok()
            && (0.0..=1.0).contains(&scale)
            && codes.iter().all(|code| (-CODE_MAX..=CODE_MAX).contains(code));
        sound.then_some(Self { scale, codes }).ok_or_else(|| Error::corrupt("a vector has impossible values"))
    }

    pub(crate) fn scale(&self) -> f32 {
        self.scale
    }

    pub(crate) fn codes(&self) -> &[i16] {
        &self.codes
    }
}

fn check_dimensions(dimensions: usize) -> Result<()> {
    if (1..=DIMENSIONS_MAX).contains(&dimensions) {
        return Ok(());
    }
    Err(Error::invalid("vector", format!("must have 1 to {DIMENSIONS_MAX} dimensions")))
}

pub(crate) fn unit(vector: &[f32]) -> Vec<f32> {
    let norm = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    let factor = if norm > 0.0 { 1.0 / norm } else { 0.0 };
    vector.iter().map(|&x| (f64::from(x) * factor) as f32).collect()
}

/// Splits a code into its nearest multiple of 256 and the signed rest, each one byte.
pub(crate) fn split(code: i16) -> (i8, i8) {
    let high = (i32::from(code) + 128) >> 8;
    (high as i8, (i32::from(code) - (high << 8)) as i8)
}

pub(crate) fn join(high: i8, low: i8) -> i16 {
    (i16::from(high) << 8) + i16::from(low)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_code_splits_into_two_bytes_and_joins_again() {
        for code in -CODE_MAX..=CODE_MAX {
            let (high, low) = split(code);
            assert_eq!(join(high, low), code);
            assert!(high > i8::MIN);
        }
    }

    #[test]
    fn impossible_bytes_are_refused() {
        let sound = QuantVec::from_f32(&[0.6, 0.8]).unwrap().to_bytes();
        for bytes in
            [&sound[..3], &sound[..4], &sound[..7], &[0, 0, 192, 127, 0, 0], &[0, 0, 128, 63, 255, 127]]
        {
            assert!(matches!(QuantVec::from_bytes(bytes), Err(Error::Corrupt(_))), "{bytes:?}");
        }
        assert!(QuantVec::from_f32(&[]).is_err());
        assert!(QuantVec::from_f32(&[f32::NAN]).is_err());
        assert!(QuantVec::from_f32(&vec![1.0; DIMENSIONS_MAX + 1]).is_err());
    }

    proptest! {
        #[test]
        fn quantising_keeps_direction_and_round_trips(vector in vec(-1f32..1.0, 1..600)) {
            let quantised = QuantVec::from_f32(&vector).unwrap();
            for (exact, kept) in unit(&vector).iter().zip(quantised.to_f32()) {
                prop_assert!((exact - kept).abs() < 2e-5);
            }
            prop_assert_eq!(QuantVec::from_bytes(&quantised.to_bytes()).unwrap(), quantised);
        }

        #[test]
        fn no_bytes_panic(bytes in vec(any::<u8>(), 0..64)) {
            let _ = QuantVec::from_bytes(&bytes);
        }
    }
}
