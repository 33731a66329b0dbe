//! Arithmetic on single vectors.

/// Scales to unit length. Returns `false`, and changes nothing, if the vector has no direction.
pub(crate) fn normalise(vector: &mut [f32]) -> bool {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if !length.is_finite() || length <= f32::MIN_POSITIVE {
        return false;
    }
    vector.iter_mut().for_each(|value| *value /= length);
    true
}

/// The cosine of two vectors of unit length.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
