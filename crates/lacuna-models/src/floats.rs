//! Loops over floats, in lanes that the compiler can put into one register. Each lane adds up its own share, so the
//! order of the additions, and with it every bit of a result, is the same on every processor.
//!
//! All of it is inlined, so that [`crate::kernels::wide`] can compile it for wider registers.

use std::f32::consts::{FRAC_1_SQRT_2, LN_2, LOG2_E};

/// Values that are worked on together.
const LANES: usize = 8;

/// The sum of `of` over all values.
#[inline(always)]
pub(crate) fn total(values: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let (whole, rest) = values.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for values in whole {
        for lane in 0..LANES {
            sums[lane] += of(values[lane]);
        }
    }
    let mut sum = 0.0;
    for lane in sums {
        sum += lane;
    }
    for value in rest {
        sum += of(*value);
    }
    sum
}

/// The largest magnitude; zero of nothing.
#[inline(always)]
pub(crate) fn largest_magnitude(values: &[f32]) -> f32 {
    largest(values, 0.0, f32::abs)
}

#[inline(always)]
fn largest(values: &[f32], least: f32, of: impl Fn(f32) -> f32) -> f32 {
    let (whole, rest) = values.as_chunks::<LANES>();
    let mut lanes = [least; LANES];
    for values in whole {
        for lane in 0..LANES {
            let value = of(values[lane]);
            lanes[lane] = if value > lanes[lane] { value } else { lanes[lane] };
        }
    }
    let mut largest = least;
    for value in lanes {
        largest = if value > largest { value } else { largest };
    }
    for value in rest {
        largest = if of(*value) > largest { of(*value) } else { largest };
    }
    largest
}

/// Turns scores into shares of one.
#[inline(always)]
pub(crate) fn softmax(scores: &mut [f32]) {
    let largest = largest(scores, f32::NEG_INFINITY, |score| score);
    for score in scores.iter_mut() {
        *score = exp(*score - largest);
    }
    let factor = 1.0 / total(scores, |score| score);
    for score in scores.iter_mut() {
        *score *= factor;
    }
}

/// The exponential of a number that is not above zero, to within a hundred-thousandth of it: a power of two,
/// whose exponent is put in place, times a short series.
#[inline(always)]
fn exp(x: f32) -> f32 {
    /// Taylor's series of 2 to the power of a fraction between -0.5 and 0.5.
    const SERIES: [f32; 7] =
        [1.0, LN_2, 0.240_226_5, 0.055_504_11, 0.009_618_129, 0.001_333_356, 0.000_154_035_3];
    /// Below it the result is less than any float of full precision.
    const LEAST: f32 = -87.0;
    const EXPONENT_BIAS: i32 = 127;
    /// An addition that pushes the fraction out of a float.
    const SHIFT: f32 = 12_582_912.0;
    let power = (if x > LEAST { x } else { LEAST }) * LOG2_E;
    let shifted = power + SHIFT;
    let fraction = power - (shifted - SHIFT);
    let mut series = SERIES[6];
    for term in (0..6).rev() {
        series = series * fraction + SERIES[term];
    }
    // The lowest bits of the shifted float are the whole number.
    let whole = shifted.to_bits().wrapping_sub(SHIFT.to_bits()).cast_signed();
    series * f32::from_bits(((whole + EXPONENT_BIAS) << 23).cast_unsigned())
}

/// The activation between two linear layers, in place.
#[inline(always)]
pub(crate) fn gelu(values: &mut [f32]) {
    for value in values {
        *value = 0.5 * *value * (1.0 + erf(*value * FRAC_1_SQRT_2));
    }
}

/// The error function to within 1e-6, as a rational function that was fitted to it by reweighted least
/// squares. It needs no exponential, so that the compiler can work on several values at once.
#[inline(always)]
fn erf(x: f32) -> f32 {
    const NUMERATOR: [f32; 5] = [1.128_376_8, 0.347_422_48, 0.072_229_65, 0.010_097_102, 0.000_359_603_23];
    const DENOMINATOR: [f32; 6] =
        [1.0, 0.641_201_85, 0.177_841_26, 0.027_763_018, 0.002_567_396_3, 0.000_020_647_041];
    /// From here on erf is 1 to within the precision of the fit.
    const END: f32 = 3.95;
    let x = if x > END { END } else { x };
    let x = if x < -END { -END } else { x };
    let square = x * x;
    let (mut numerator, mut denominator) = (NUMERATOR[4], DENOMINATOR[5]);
    for term in (0..4).rev() {
        numerator = numerator * square + NUMERATOR[term];
    }
    for term in (0..5).rev() {
        denominator = denominator * square + DENOMINATOR[term];
    }
    x * numerator / denominator
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::wide;

    /// Values of the error function to seven places, from standard tables.
    #[test]
    fn erf_is_within_a_millionth() {
        let table = [
            (0.0, 0.0),
            (0.1, 0.112_462_9),
            (0.5, 0.520_499_9),
            (1.0, 0.842_700_8),
            (1.5, 0.966_105_1),
            (2.0, 0.995_322_3),
            (3.0, 0.999_977_9),
            (4.0, 1.0),
            (50.0, 1.0),
        ];
        for (x, expected) in table {
            assert!((erf(x) - expected).abs() <= 1e-6, "erf({x}) = {}", erf(x));
            assert_eq!(erf(-x), -erf(x));
        }
    }

    #[test]
    fn exponentials_are_those_of_the_library() {
        for x in (0..87_000).map(|at| at as f32 / -1000.0) {
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-5, "exp({x}) = {}", exp(x));
        }
        assert!(exp(-1000.0) < 1e-37 && exp(f32::NEG_INFINITY) < 1e-37 && exp(0.0) == 1.0);
    }

    #[test]
    fn wider_registers_give_the_same_bits() {
        for length in [1, 7, 8, 9, 31, 384] {
            let values: Vec<f32> = (0..length).map(|at| (at as f32 * 0.37).sin() * 9.0).collect();
            let (mut plain, mut fast) = (values.clone(), values.clone());
            softmax(&mut plain);
            wide(softmax, fast.as_mut_slice());
            assert_eq!(plain, fast);
            assert!((plain.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            gelu(&mut plain);
            wide(gelu, fast.as_mut_slice());
            assert_eq!(plain, fast);
            let square = |value: f32| value * value;
            assert_eq!(
                total(&values, square),
                wide(|values: &[f32]| total(values, square), values.as_slice())
            );
            let expected = values.iter().fold(0.0, |largest: f32, value| largest.max(value.abs()));
            assert_eq!(wide(largest_magnitude, values.as_slice()), expected);
        }
    }
}
