//! potion-base-8M: a text is the mean of its tokens' vectors. Microseconds, no network, no layers.

use lacuna_types::Result;
use lacuna_types::embed::{Calibration, Embedder, ModelId, Purpose};

use crate::packed::{Int8Rows, Packed};
use crate::tokenizer::Tokenizer;
use crate::vector;

/// Length of the static model's vectors.
pub const STATIC_DIMENSIONS: usize = 256;
/// Number of pieces in `packed/potion.bin`.
const VOCABULARY_SIZE: usize = 29_528;

/// Result of `calibration::fit` for this model.
const CALIBRATION: Calibration = Calibration { midpoint: 0.189_34, steepness: 11.99 };

static PACKED: &[u8] = include_bytes!("../packed/potion.bin");

pub(crate) struct StaticModel {
    model: ModelId,
    tokenizer: Tokenizer,
    vectors: Int8Rows<'static>,
}

impl StaticModel {
    pub(crate) fn load() -> Result<Self> {
        let packed = Packed::parse(PACKED)?;
        Ok(Self {
            model: ModelId::new("potion-base-8M@1"),
            tokenizer: Tokenizer::new(packed.text("vocabulary")?)?,
            vectors: packed.int8_rows("embeddings", VOCABULARY_SIZE, STATIC_DIMENSIONS)?,
        })
    }

    fn embed_one(&self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0; STATIC_DIMENSIONS];
        // The model was trained without unknown words.
        for id in self.tokenizer.encode(text).into_iter().filter(|id| *id != self.tokenizer.unknown) {
            self.vectors.add_row(id as usize, &mut sum);
        }
        if vector::normalise(&mut sum) { sum } else { direction_of_its_own(text) }
    }
}

impl Embedder for StaticModel {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn embed(&self, texts: &[&str], _purpose: Purpose) -> Result<Vec<Vec<f32>>> {
        Ok(texts.iter().map(|text| self.embed_one(text)).collect())
    }

    fn is_english_only(&self) -> bool {
        true
    }

    fn calibration(&self) -> Calibration {
        CALIBRATION
    }
}

/// Direction for a text without one known word: always the same for one text, and nearly perpendicular to any
/// other's, so that the text is like itself and like nothing else.
fn direction_of_its_own(text: &str) -> Vec<f32> {
    const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const FNV_PRIME: u64 = 0x0100_0000_01b3;
    const LCG_FACTOR: u64 = 6_364_136_223_846_793_005;
    let mut state =
        text.trim().bytes().fold(FNV_OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME));
    let component = 1.0 / (STATIC_DIMENSIONS as f32).sqrt();
    let mut sign = || {
        state = state.wrapping_mul(LCG_FACTOR).wrapping_add(FNV_OFFSET);
        if state >> 63 == 0 { component } else { -component }
    };
    (0..STATIC_DIMENSIONS).map(|_| sign()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference;

    #[test]
    fn vectors_agree_with_the_reference() {
        let model = StaticModel::load().unwrap();
        for case in reference::cases() {
            let cosine = vector::dot(&model.embed_one(&case.text), &case.potion());
            assert!(cosine > 0.999, "{cosine} for {:?}", case.text);
        }
    }

    #[test]
    fn a_text_of_unknown_words_is_like_itself_only() {
        let model = StaticModel::load().unwrap();
        let texts =
            ["", "\u{1F600}", "\u{1F44D}", "zxqj".repeat(40).as_str()].map(|text| model.embed_one(text));
        for (i, a) in texts.iter().enumerate() {
            for (j, b) in texts.iter().enumerate() {
                let cosine = vector::dot(a, b);
                let expected = if i == j { 0.999..1.001 } else { -0.3..0.3 };
                assert!(expected.contains(&cosine), "{i} {j}: {cosine}");
            }
        }
    }
}
