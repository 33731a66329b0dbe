//! universal-sentence-encoder-multilingual, version 3: sixteen languages, a fraction of a millisecond a text.

use std::ops::Range;
use std::sync::OnceLock;

use lacuna_types::embed::{Calibration, Embedder, ModelId, Purpose};
use lacuna_types::{Error, Result};

use crate::ngram_encoder::{NgramEncoder, WIDTH};
use crate::packed::Packed;
use crate::pieces::PieceTokenizer;
use crate::questions::QuestionMap;

/// Length of the static model's vectors.
pub const STATIC_DIMENSIONS: usize = WIDTH;
/// Pieces of a text that the static model reads, with the two control tokens. Of a longer text it reads
/// evenly spread samples.
pub const STATIC_TOKENS_MAX: usize = 514;

/// Samples of a text that is too long, and the length of each in pieces.
const SAMPLES: usize = 4;
const SAMPLE_TOKENS: usize = (STATIC_TOKENS_MAX - 2) / SAMPLES;
/// Control tokens around a text.
const START: u32 = 1;
const END: u32 = 2;
/// Bounds the memory of a batch (some 3 MB of activations); more would not be faster.
const BATCH_TOKENS_MAX: usize = 384;

/// Result of `calibration::fit` for this model.
const CALIBRATION: Calibration = Calibration { midpoint: 0.223_56, steepness: 10.04 };
/// The same with the first text of each pair as a question.
const QUESTION_CALIBRATION: Calibration = Calibration { midpoint: 0.175_55, steepness: 8.180 };

static PACKED: &[u8] = include_bytes!("../packed/use-multilingual.bin");

pub(crate) struct StaticModel {
    model: ModelId,
    packed: Packed<'static>,
    tokenizer: PieceTokenizer<'static>,
    questions: QuestionMap,
    /// Read at first use, which a process that never embeds does without.
    encoder: OnceLock<std::result::Result<NgramEncoder, String>>,
}

impl StaticModel {
    pub(crate) fn load() -> Result<Self> {
        let packed = Packed::parse(PACKED)?;
        Ok(Self {
            model: ModelId::new("universal-sentence-encoder-multilingual-3@1"),
            tokenizer: PieceTokenizer::new(&packed)?,
            questions: QuestionMap::unpack(WIDTH)?,
            packed,
            encoder: OnceLock::new(),
        })
    }

    /// The layers, read and checked once.
    fn encoder(&self) -> Result<&NgramEncoder> {
        let unpacked = self.encoder.get_or_init(|| {
            let encoder = NgramEncoder::unpack(&self.packed, self.tokenizer.size())
                .map_err(|error| error.to_string())?;
            self.verify(&encoder)?;
            Ok(encoder)
        });
        unpacked.as_ref().map_err(|reason| Error::corrupt(reason.as_str()))
    }

    /// One sentence must give the vector that it always gave: a wrong weight or a faulty machine shows here and not
    /// as memories that cannot be found.
    fn verify(&self, encoder: &NgramEncoder) -> std::result::Result<(), String> {
        const SENTENCE: &str = "This is an example sentence";
        const FIRST_COMPONENTS: [f32; 6] =
            [0.034_955_12, -0.023_537_83, 0.016_909_85, 0.032_882_5, 0.036_512_02, 0.060_274_75];
        const TOLERANCE: f32 = 1e-4;
        let vectors = encoder.embed(&[framed(&self.tokenizer.encode(SENTENCE))]);
        let agrees = FIRST_COMPONENTS.iter().zip(&vectors[0]).all(|(a, b)| (a - b).abs() < TOLERANCE);
        if agrees { Ok(()) } else { Err("the static model fails its self-test on this machine".into()) }
    }
}

impl Embedder for StaticModel {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>> {
        let encoder = self.encoder()?;
        let ids: Vec<_> = texts.iter().map(|text| self.tokenizer.encode(text)).collect();
        let known: Vec<_> =
            ids.iter().filter(|ids| self.tokenizer.knows_any(ids)).map(|ids| framed(ids)).collect();
        let mut vectors = batches(&known).flat_map(|batch| encoder.embed(&known[batch]));
        let vector = |(text, ids): (&&str, &Vec<u32>)| {
            let embedded = if self.tokenizer.knows_any(ids) { vectors.next() } else { None };
            let mapped = embedded.map(|vector| self.questions.for_purpose(vector, purpose));
            mapped.unwrap_or_else(|| direction_of_its_own(text))
        };
        Ok(texts.iter().zip(&ids).map(vector).collect())
    }

    fn calibration(&self, purpose: Purpose) -> Calibration {
        match purpose {
            Purpose::Passage => CALIBRATION,
            Purpose::Query => QUESTION_CALIBRATION,
        }
    }
}

/// The pieces as the model reads them, between control tokens.
fn framed(ids: &[u32]) -> Vec<u32> {
    let spans: Vec<Range<usize>> = if ids.len() + 2 <= STATIC_TOKENS_MAX {
        std::iter::once(0..ids.len()).collect()
    } else {
        let start = |sample: usize| sample * (ids.len() - SAMPLE_TOKENS) / (SAMPLES - 1);
        (0..SAMPLES).map(|sample| start(sample)..start(sample) + SAMPLE_TOKENS).collect()
    };
    let read = spans.into_iter().flat_map(|span| &ids[span]);
    std::iter::once(START).chain(read.copied()).chain([END]).collect()
}

/// Divides the texts, in order, into batches of a bounded number of tokens, or of one text.
fn batches(texts: &[Vec<u32>]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let mut tokens = 0;
        let fits = |text: &&Vec<u32>| {
            tokens += text.len();
            tokens <= BATCH_TOKENS_MAX
        };
        let rest = &texts[start..];
        let batch = start..start + rest.iter().take_while(fits).count().max(1.min(rest.len()));
        start = batch.end;
        (!batch.is_empty()).then_some(batch)
    })
}

/// Direction for a text without one known piece: always the same for one text, and nearly perpendicular to any
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
    use crate::{reference, vector};

    fn embed(model: &StaticModel, texts: &[&str]) -> Vec<Vec<f32>> {
        model.embed(texts, Purpose::Passage).unwrap()
    }

    #[test]
    fn vectors_agree_with_the_reference() {
        let model = StaticModel::load().unwrap();
        for case in reference::static_vectors() {
            let cosine = vector::dot(&embed(&model, &[&case.text])[0], &case.vector());
            assert!(cosine > 0.999, "{cosine} for {:?}", case.text);
        }
    }

    #[test]
    fn a_text_has_the_same_vector_alone_and_in_any_batch() {
        let model = StaticModel::load().unwrap();
        let cases = reference::static_vectors();
        let mut texts: Vec<&str> = cases.iter().map(|case| case.text.as_str()).collect();
        texts.insert(1, "\u{1F44D}");
        let alone: Vec<_> = texts.iter().flat_map(|text| embed(&model, &[text])).collect();
        for (at, vector) in embed(&model, &texts.repeat(4)).iter().enumerate() {
            assert_eq!(*vector, alone[at % alone.len()], "{:?}", texts[at % texts.len()]);
        }
    }

    #[test]
    fn a_sentence_is_near_its_translation() {
        let model = StaticModel::load().unwrap();
        let sentence = "My sister is allergic to peanuts.";
        let other = "The train to Munich leaves at eight.";
        for translation in [
            "Meine Schwester ist gegen Erdnüsse allergisch.",
            "Ma sœur est allergique aux cacahuètes.",
            "Mi hermana es alérgica a los cacahuetes.",
            "Mia sorella è allergica alle arachidi.",
            "Моя сестра страдает аллергией на арахис.",
            "妹はピーナッツアレルギーです。",
        ] {
            let vectors = embed(&model, &[translation, sentence, other]);
            let near = vector::dot(&vectors[0], &vectors[1]);
            assert!(near > vector::dot(&vectors[0], &vectors[2]) + 0.3, "{near} for {translation:?}");
        }
    }

    #[test]
    fn a_text_of_unknown_pieces_is_like_itself_only() {
        let model = StaticModel::load().unwrap();
        let texts = embed(&model, &["", "\u{1F600}", "\u{1F44D}", "\u{1F600} \u{1F44D}", "peanuts"]);
        for (i, a) in texts.iter().enumerate() {
            for (j, b) in texts.iter().enumerate() {
                let cosine = vector::dot(a, b);
                let expected = if i == j { 0.999..1.001 } else { -0.3..0.3 };
                assert!(expected.contains(&cosine), "{i} {j}: {cosine}");
            }
        }
    }

    #[test]
    fn a_long_text_is_read_to_its_end() {
        let model = StaticModel::load().unwrap();
        let filler = "The meeting was moved to another room and nobody minded. ".repeat(160);
        let with_tail =
            format!("{filler}{}", "My daughter plays the violin in the school orchestra. ".repeat(20));
        let vectors = embed(&model, &[&filler, &with_tail, "Which instrument does my daughter play?"]);
        assert!(vector::dot(&vectors[1], &vectors[2]) > vector::dot(&vectors[0], &vectors[2]) + 0.02);
    }

    #[test]
    fn a_text_of_any_length_is_bounded() {
        for length in [1, 300, STATIC_TOKENS_MAX - 2, STATIC_TOKENS_MAX - 1, 100_000] {
            let ids: Vec<u32> = (10..).take(length).collect();
            let framed = framed(&ids);
            assert_eq!(framed.len(), (length + 2).min(STATIC_TOKENS_MAX));
            assert_eq!((framed[1], framed[framed.len() - 2]), (ids[0], ids[length - 1]));
            assert_eq!((framed[0], framed[framed.len() - 1]), (START, END));
        }
    }

    #[test]
    fn batches_hold_every_text_once_within_the_bound() {
        let texts: Vec<Vec<u32>> = (0..60).map(|at| vec![0; 3 + at * 29 % 500]).collect();
        for count in [0, 1, 2, 60] {
            let batches: Vec<_> = batches(&texts[..count]).collect();
            assert_eq!(batches.iter().cloned().flatten().collect::<Vec<_>>(), (0..count).collect::<Vec<_>>());
            for batch in batches {
                let tokens: usize = texts[batch.clone()].iter().map(Vec::len).sum();
                assert!(tokens <= BATCH_TOKENS_MAX || batch.len() == 1);
            }
        }
    }

    #[test]
    fn a_model_that_answers_otherwise_fails_its_self_test() {
        let mut model = StaticModel::load().unwrap();
        model.encoder().unwrap();
        let mut bytes = PACKED.to_vec();
        let name = b"last.weight";
        let at = bytes.windows(name.len()).rposition(|window| window == name).unwrap();
        // The last matrix of the file, without its first rows.
        bytes[at + 9_000..at + 19_000].fill(0);
        model.packed = Packed::parse(bytes.leak()).unwrap();
        model.encoder = OnceLock::new();
        assert!(model.encoder().is_err());
    }
}
