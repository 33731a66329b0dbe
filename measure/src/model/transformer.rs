//! The packer of the sentence model: tensors of a safetensors file, and a list of words.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use lacuna_models::packed::ModelPacker;
use serde::Deserialize;

use crate::Result;

/// Longer inputs never reach the sentence model, so later positions are not packed.
const POSITIONS: usize = lacuna_models::SENTENCE_TOKENS_MAX;

pub(super) fn pack(weights: &Path, vocabulary: &Path) -> Result<Vec<u8>> {
    let weights = fs::read(weights)?;
    let weights = Weights::parse(&weights)?;
    let mut packer = ModelPacker::default();
    packer.text("vocabulary", &fs::read_to_string(vocabulary)?)?;
    // Sorted by name, so that the order of the source file does not matter.
    for name in weights.tensors.keys().filter(|name| is_needed(name)) {
        let (columns, values) = weights.matrix(name)?;
        match name.as_str() {
            "embeddings.position_embeddings.weight" => {
                packer.floats(name, columns, &values[..POSITIONS * columns])?;
            }
            "embeddings.token_type_embeddings.weight" => packer.floats(name, columns, &values[..columns])?,
            // Vectors are small and touch every value; only matrices are quantised.
            _ if values.len() == columns => packer.floats(name, columns, &values)?,
            _ => packer.int8_rows(name, columns, &values)?,
        }
    }
    Ok(packer.finish())
}

fn is_needed(name: &str) -> bool {
    let counting = name == "embeddings.position_ids";
    let for_pretraining = name.starts_with("pooler.");
    !counting && !for_pretraining
}

/// A safetensors file: the length of a JSON header, the header, the data.
struct Weights<'a> {
    tensors: BTreeMap<String, Tensor>,
    data: &'a [u8],
}

#[derive(Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

impl<'a> Weights<'a> {
    fn parse(bytes: &'a [u8]) -> Result<Self> {
        let (length, rest) = bytes.split_first_chunk().ok_or("no safetensors header")?;
        let length = usize::try_from(u64::from_le_bytes(*length))?;
        let (header, data) = rest.split_at_checked(length).ok_or("the safetensors header is cut short")?;
        let mut header: BTreeMap<String, serde_json::Value> = serde_json::from_slice(header)?;
        header.remove("__metadata__");
        let parsed = header.into_iter().map(|(name, value)| Ok((name, serde_json::from_value(value)?)));
        Ok(Self { tensors: parsed.collect::<Result<_>>()?, data })
    }

    /// The width of the last dimension, and all values.
    fn matrix(&self, name: &str) -> Result<(usize, Vec<f32>)> {
        let tensor = self.tensors.get(name).ok_or_else(|| format!("no tensor {name}"))?;
        let (start, end) = tensor.data_offsets;
        let bytes = self.data.get(start..end).ok_or_else(|| format!("{name} lies outside the file"))?;
        let (words, rest) = bytes.as_chunks();
        let expected: usize = tensor.shape.iter().product();
        if tensor.dtype != "F32" || words.len() != expected || !rest.is_empty() {
            return Err(format!("{name} is not a float tensor of its declared shape").into());
        }
        let columns = *tensor.shape.last().ok_or_else(|| format!("{name} has no shape"))?;
        Ok((columns, words.iter().map(|word| f32::from_le_bytes(*word)).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weights_file_that_lies_about_itself_is_refused() {
        let file = |header: &str, data: &[u8]| {
            [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
        };
        let good = file(r#"{"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}"#, &[0; 8]);
        assert_eq!(Weights::parse(&good).unwrap().matrix("a").unwrap(), (2, vec![0.0, 0.0]));
        let lies = [
            r#"{"a":{"dtype":"F16","shape":[1,2],"data_offsets":[0,8]}}"#,
            r#"{"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,8]}}"#,
            r#"{"a":{"dtype":"F32","shape":[1,2],"data_offsets":[8,16]}}"#,
            r#"{"a":{"dtype":"F32","shape":[1,2],"data_offsets":[8,0]}}"#,
            r#"{"a":{"dtype":"F32","shape":[],"data_offsets":[0,8]}}"#,
        ];
        for header in lies {
            assert!(Weights::parse(&file(header, &[0; 8])).unwrap().matrix("a").is_err(), "{header}");
        }
        assert!(Weights::parse(&good[..20]).is_err());
        assert!(Weights::parse(b"short").is_err());
    }
}
