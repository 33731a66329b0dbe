//! all-MiniLM-L6-v2, learnt further on questions and the memories that answer them (`cargo xtask model tune`): the meaning of a
//! sentence, in milliseconds.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

use lacuna_types::embed::{Calibration, Embedder, ModelId, Purpose};
use lacuna_types::{Error, Result};

use crate::packed::Packed;
use crate::tokenizer::Tokenizer;
use crate::transformer::{POSITIONS, Transformer, WIDTH};
use crate::vector;

/// Length of the sentence model's vectors.
pub const SENTENCE_DIMENSIONS: usize = WIDTH;
/// Tokens that the sentence model reads at once, with the two control tokens.
pub const SENTENCE_TOKENS_MAX: usize = POSITIONS;

/// The tokens of one text that fit between the two control tokens.
const WINDOW_TOKENS: usize = SENTENCE_TOKENS_MAX - 2;
/// Windows per text at most: enough for 10,000 characters of English. A longer text is read in this many evenly
/// spread samples.
const WINDOWS_MAX: usize = 12;

/// One thread's share of a batch: bounds memory (some 20 MB of activations), and is large enough that
/// larger would not be faster.
const BATCH_TOKENS_MAX: usize = 1024;
/// Below this a second thread costs more than it saves.
const BATCH_TOKENS_MIN: usize = 64;
/// Embedding runs beside recalls; it shall not take the whole machine.
const THREADS_MAX: usize = 2;

/// Result of `calibration::fit` for this model.
const CALIBRATION: Calibration = Calibration { midpoint: 0.245_29, steepness: 7.1406 };

static PACKED: &[u8] = include_bytes!("../packed/minilm.bin");

pub(crate) struct SentenceModel {
    model: ModelId,
    packed: Packed<'static>,
    tokenizer: Tokenizer,
    start: u32,
    end: u32,
    /// Read at first use, which a process that never embeds does without.
    transformer: OnceLock<std::result::Result<Transformer, String>>,
}

impl SentenceModel {
    pub(crate) fn load() -> Result<Self> {
        let packed = Packed::parse(PACKED)?;
        let tokenizer = Tokenizer::new(packed.text("vocabulary")?)?;
        Ok(Self {
            model: ModelId::new("all-MiniLM-L6-v2-lacuna@1"),
            start: tokenizer.special("[CLS]")?,
            end: tokenizer.special("[SEP]")?,
            packed,
            tokenizer,
            transformer: OnceLock::new(),
        })
    }

    /// The layers, unpacked and checked once.
    fn transformer(&self) -> Result<&Transformer> {
        let unpacked = self.transformer.get_or_init(|| {
            let transformer = Transformer::unpack(&self.packed).map_err(|error| error.to_string())?;
            self.verify(&transformer)?;
            Ok(transformer)
        });
        unpacked.as_ref().map_err(|reason| Error::corrupt(reason.as_str()))
    }

    /// One sentence through the whole model must give the vector that it always gave: a wrong weight, a
    /// miscompiled kernel or a faulty machine shows here and not as memories that cannot be found.
    fn verify(&self, transformer: &Transformer) -> std::result::Result<(), String> {
        const SENTENCE: &str = "This is an example sentence";
        const FIRST_COMPONENTS: [f32; 6] = [0.070_955, 0.058_716, 0.018_777, 0.064_04, 0.017_227, 0.003_429];
        /// A change in the last bit of a sum moves what is rounded to fourteen bits after it, and a component by up to
        /// two ten-thousandths. A vault's vectors bear a thousandth; a fault moves far more.
        const TOLERANCE: f32 = 1e-3;
        let vectors = transformer.embed(&self.windows(SENTENCE));
        let agrees = FIRST_COMPONENTS.iter().zip(&vectors[0]).all(|(a, b)| (a - b).abs() < TOLERANCE);
        if agrees { Ok(()) } else { Err("the sentence model fails its self-test on this machine".into()) }
    }

    /// The text as the model reads it. A long text becomes windows of equal length, evenly spread, which
    /// together cover it up to [`WINDOWS_MAX`].
    fn windows(&self, text: &str) -> Vec<Vec<u32>> {
        let ids = self.tokenizer.encode(text);
        window_spans(ids.len()).map(|span| [&[self.start], &ids[span], &[self.end]].concat()).collect()
    }

    fn embed_windows(&self, windows: &[Vec<u32>]) -> Result<Vec<Vec<f32>>> {
        let transformer = self.transformer()?;
        let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
        let batches = batches(windows, threads);
        if batches.len() <= 1 {
            return Ok(transformer.embed(windows));
        }
        let (next, vectors) = (AtomicUsize::new(0), Mutex::new(vec![Vec::new(); windows.len()]));
        let work = || {
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                let embedded = transformer.embed(&windows[batch.clone()]);
                let mut vectors = vectors.lock().unwrap_or_else(PoisonError::into_inner);
                vectors[batch.clone()].clone_from_slice(&embedded);
            }
        };
        thread::scope(|scope| {
            (1..threads).for_each(|_| drop(scope.spawn(work)));
            work();
        });
        Ok(vectors.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Embedder for SentenceModel {
    fn model(&self) -> &ModelId {
        &self.model
    }

    /// Questions and memories have the same vectors: the layers were learnt on both.
    fn embed(&self, texts: &[&str], _purpose: Purpose) -> Result<Vec<Vec<f32>>> {
        let windows: Vec<_> = texts.iter().map(|text| self.windows(text)).collect();
        let counts: Vec<_> = windows.iter().map(Vec::len).collect();
        let mut vectors = self.embed_windows(&windows.concat())?.into_iter();
        Ok(counts.into_iter().map(|count| mean(vectors.by_ref().take(count))).collect())
    }

    fn is_english_only(&self) -> bool {
        true
    }

    fn calibration(&self, _purpose: Purpose) -> Calibration {
        CALIBRATION
    }
}

/// At least one window, so that an empty text has a vector too.
fn window_spans(tokens: usize) -> impl Iterator<Item = Range<usize>> {
    let count = tokens.div_ceil(WINDOW_TOKENS).clamp(1, WINDOWS_MAX);
    let length = tokens.div_ceil(count).min(WINDOW_TOKENS);
    (0..count).map(move |window| {
        let start = (window * (tokens - length)).checked_div(count - 1).unwrap_or(0);
        start..start + length
    })
}

/// Divides the windows, in order, into batches of a bounded number of tokens that keep every thread busy.
fn batches(windows: &[Vec<u32>], threads: usize) -> Vec<Range<usize>> {
    let total: usize = windows.iter().map(Vec::len).sum();
    let budget = total.div_ceil(threads).clamp(BATCH_TOKENS_MIN, BATCH_TOKENS_MAX);
    let mut batches: Vec<Range<usize>> = Vec::new();
    let mut tokens = 0;
    for (at, window) in windows.iter().enumerate() {
        match batches.last_mut() {
            Some(batch) if tokens + window.len() <= budget => batch.end = at + 1,
            _ => {
                batches.push(at..at + 1);
                tokens = 0;
            }
        }
        tokens += window.len();
    }
    batches
}

fn mean(mut vectors: impl Iterator<Item = Vec<f32>>) -> Vec<f32> {
    let mut sum = vectors.next().unwrap_or_default();
    let mut count = 1;
    for vector in vectors {
        sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += value);
        count += 1;
    }
    if count > 1 {
        vector::normalise(&mut sum);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference;

    fn embed(model: &SentenceModel, texts: &[&str]) -> Vec<Vec<f32>> {
        model.embed(texts, Purpose::Passage).unwrap()
    }

    #[test]
    fn vectors_agree_with_the_reference() {
        let model = SentenceModel::load().unwrap();
        for case in reference::sentence_vectors() {
            let cosine = vector::dot(&embed(&model, &[&case.text])[0], &case.vector());
            assert!(cosine >= 0.995, "{cosine} for {:?}", case.text);
        }
    }

    /// Whole numbers in the layers stay so near to floats that no vault needs new vectors for them.
    #[test]
    fn components_are_within_a_thousandth_of_those_of_floats() {
        let model = SentenceModel::load().unwrap();
        for case in reference::sentence_packed_vectors() {
            let embedded = embed(&model, &[&case.text]);
            for (component, stored) in embedded[0].iter().zip(case.vector()) {
                assert!((component - stored).abs() < 1e-3, "{component} {stored} for {:?}", case.text);
            }
        }
    }

    #[test]
    fn a_text_has_the_same_vector_alone_and_in_any_batch() {
        let model = SentenceModel::load().unwrap();
        let cases = reference::sentence_vectors();
        let texts: Vec<&str> = cases.iter().map(|case| case.text.as_str()).collect();
        let alone: Vec<_> = texts.iter().flat_map(|text| embed(&model, &[text])).collect();
        // Large enough for several batches on several threads.
        for (at, vector) in embed(&model, &texts.repeat(4)).iter().enumerate() {
            assert_eq!(*vector, alone[at % alone.len()], "{:?}", texts[at % texts.len()]);
        }
    }

    #[test]
    fn a_long_text_is_read_to_its_end() {
        let model = SentenceModel::load().unwrap();
        let filler = "The meeting was moved to another room and nobody minded. ".repeat(160);
        let with_tail =
            format!("{filler}{}", "My daughter plays the violin in the school orchestra. ".repeat(12));
        let vectors = embed(&model, &[&filler, &with_tail, "Which instrument does my girl play?"]);
        assert!(vector::dot(&vectors[1], &vectors[2]) > vector::dot(&vectors[0], &vectors[2]) + 0.02);
        assert!((vector::dot(&vectors[1], &vectors[1]) - 1.0).abs() < 1e-5);
    }

    #[test]
    fn an_empty_text_and_no_text_are_answered() {
        let model = SentenceModel::load().unwrap();
        assert!(embed(&model, &[]).is_empty());
        assert_eq!(embed(&model, &[""])[0].len(), SENTENCE_DIMENSIONS);
    }

    #[test]
    fn a_model_that_answers_otherwise_fails_its_self_test() {
        let mut model = SentenceModel::load().unwrap();
        let transformer = Transformer::unpack(&model.packed).unwrap();
        model.verify(&transformer).unwrap();
        model.end = model.start;
        model.verify(&transformer).unwrap_err();
        model.embed(&["anything"], Purpose::Query).unwrap_err();
    }

    #[test]
    fn windows_cover_a_text_evenly() {
        for tokens in (0..WINDOW_TOKENS * WINDOWS_MAX).step_by(7).chain([254, 255, 3048]) {
            let spans: Vec<_> = window_spans(tokens).collect();
            assert_eq!((spans[0].start, spans[spans.len() - 1].end), (0, tokens));
            assert!(spans.windows(2).all(|pair| pair[1].start <= pair[0].end), "a gap at {tokens}");
            assert!(spans.iter().all(|span| span.len() <= WINDOW_TOKENS));
        }
        let beyond: Vec<_> = window_spans(100_000).collect();
        assert_eq!((beyond.len(), beyond[WINDOWS_MAX - 1].end), (WINDOWS_MAX, 100_000));
    }

    #[test]
    fn batches_hold_every_window_once_within_the_bound() {
        let windows: Vec<Vec<u32>> = (0..300).map(|at| vec![0; 2 + at % 255]).collect();
        for count in [0, 1, 2, 9, 300] {
            let batches = batches(&windows[..count], 2);
            let order: Vec<usize> = batches.iter().cloned().flatten().collect();
            assert_eq!(order, (0..count).collect::<Vec<_>>());
            for batch in batches {
                let tokens: usize = windows[batch].iter().map(Vec::len).sum();
                assert!(tokens <= BATCH_TOKENS_MAX);
            }
        }
    }
}
