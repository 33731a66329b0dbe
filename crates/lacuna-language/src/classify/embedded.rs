//! The example sentences, embedded ahead: a process that stores one memory would spend more time on them than on
//! everything else.
//!
//! ```text
//! file = name length u8 ‖ name of the model ‖ digest of the examples u64 ‖ columns u16 ‖ row*
//! row  = scale f32 ‖ columns × i8; value = scale × i8
//! ```
//!
//! All numbers are little-endian. `cargo xtask model examples` writes the file.

use lacuna_types::embed::{Embedder, ModelId, Purpose};
use lacuna_types::{Error, Result};

use super::prototypes::EXAMPLES;

static EMBEDDED: &[u8] = include_bytes!("lists/examples.bin");

const INT8_MAX: f32 = 127.0;

/// Embeds the example sentences, as bytes of the file above.
pub fn embed_examples(embedder: &dyn Embedder) -> Result<Vec<u8>> {
    let texts: Vec<&str> = super::prototypes::all_examples().collect();
    let vectors = embedder.embed(&texts, Purpose::Passage)?;
    let columns = vectors.first().map_or(0, Vec::len);
    let too_long = |_| Error::invalid("model", "has a name or vectors that are too long to store");
    let name = embedder.model().as_str();
    let mut bytes = vec![u8::try_from(name.len()).map_err(too_long)?];
    bytes.extend(name.as_bytes());
    bytes.extend(digest(EXAMPLES).to_le_bytes());
    bytes.extend(u16::try_from(columns).map_err(too_long)?.to_le_bytes());
    for vector in vectors {
        let scale = vector.iter().fold(0.0_f32, |largest, value| largest.max(value.abs())) / INT8_MAX;
        bytes.extend(scale.to_le_bytes());
        // The cast saturates, and the scale keeps every value within ±127 anyway.
        bytes.extend(vector.iter().map(|value| ((value / scale).round() as i8).cast_unsigned()));
    }
    Ok(bytes)
}

/// The vectors of all examples under the model, if they were embedded ahead by it and the examples are the same.
pub(super) fn stored_vectors(model: &ModelId) -> Option<Vec<Vec<f32>>> {
    parse(EMBEDDED, model)
}

fn parse(bytes: &[u8], model: &ModelId) -> Option<Vec<Vec<f32>>> {
    let (length, rest) = bytes.split_first()?;
    let (name, rest) = rest.split_at_checked(usize::from(*length))?;
    let (found, rest) = rest.split_first_chunk()?;
    let (columns, rows) = rest.split_first_chunk()?;
    if name != model.as_str().as_bytes() || u64::from_le_bytes(*found) != digest(EXAMPLES) {
        return None;
    }
    let columns = usize::from(u16::from_le_bytes(*columns));
    let row = |row: &[u8]| {
        let (scale, values) = row.split_first_chunk()?;
        let scale = f32::from_le_bytes(*scale);
        Some(values.iter().map(|value| scale * f32::from(value.cast_signed())).collect())
    };
    rows.chunks(size_of::<f32>() + columns).map(row).collect()
}

/// FNV-1a: tells an edited list from the one that was embedded; nobody gains by a collision.
fn digest(text: &str) -> u64 {
    const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const FNV_PRIME: u64 = 0x0100_0000_01b3;
    text.bytes().fold(FNV_OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME))
}
