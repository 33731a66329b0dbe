//! The gate by itself on texts of 500 characters, in ASCII and beyond it, in one run.
//!
//! A frozen vault refuses a write after the gate has judged it, so that nothing but the gate and the embedding is
//! timed. The model notes its own time, which is taken off call by call.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use lacuna_core::Lacuna;
use lacuna_core::permit::{Freeze, Remember};
use lacuna_core::vault::Models;
use lacuna_types::embed::{Calibration, Embedder, ModelId, Purpose};
use lacuna_types::{Category, ConsentBasis, Draft, Error};

use super::measure::Latency;
use super::sentences;
use super::service::{USER, grant, service};
use crate::Result;

/// Characters of a text.
pub(super) const TEXT_CHARS: usize = 500;
const SEED: u64 = 500;
/// Texts before the clock starts: patterns are compiled when a text first calls for them.
const WARM_UP_RUNS: usize = 50;

/// Everyday sentences that take the patterns beyond ASCII: by a letter here and there, by every letter, and without
/// spaces between words.
const BEYOND_ASCII: [(&str, &[&str]); 5] = [
    (
        "English with typographic marks",
        &[
            "It’s “just” a garden – but we’ve planted twelve rows of beans this spring … ",
            "My sister’s flat is on the third floor — she pays 940 € a month, heating included. ",
            "Don’t forget: the café’s closed on Mondays, so we’ll meet at the bakery ☕. ",
        ],
    ),
    (
        "German",
        &[
            "Für die Küche brauchen wir noch drei Stühle, sagte meine Schwägerin am Frühstückstisch. ",
            "Die Prüfung über Straßenrecht ist auf den 14. März verschoben worden, natürlich ärgert mich das. ",
            "Übermorgen fährt mein Bruder mit dem Zug nach Zürich und nimmt die grünen Koffer mit. ",
        ],
    ),
    (
        "Polish",
        &[
            "Wczoraj późnym wieczorem zadzwoniła ciotka i zapytała, kiedy wreszcie przyjedziemy na wieś. ",
            "Mój współlokator gotuje żurek według przepisu swojej babci, która mieszkała w Łodzi. ",
            "Spotkanie w sprawie ogródka odbędzie się w środę o 17:30, proszę przynieść łopatę. ",
        ],
    ),
    (
        "Russian",
        &[
            "Вчера вечером мы долго говорили о саде и решили посадить ещё две яблони у забора. ",
            "Моя сестра переехала в другой город и теперь работает в небольшой пекарне у вокзала. ",
            "Встреча перенесена на среду, 14 марта, в половине шестого, возьмите с собой чертежи. ",
        ],
    ),
    (
        "Chinese",
        &[
            "昨天晚上我们在院子里聊了很久，决定明年春天再种两棵苹果树。",
            "我妹妹搬到了另一个城市，现在在车站旁边的一家小面包店工作。",
            "关于花园的会议改到三月十四日星期三下午五点半，请大家带上图纸。",
        ],
    ),
];

/// One kind of text.
pub(super) struct GateCost {
    pub(super) kind: &'static str,
    /// The gate, embedding aside.
    pub(super) gate: Latency,
    /// The embedding within the same calls.
    pub(super) embedding: Latency,
}

/// A model that adds up the time in which it embeds.
struct Stopwatch {
    model: Arc<dyn Embedder>,
    nanoseconds: AtomicU64,
}

impl Embedder for Stopwatch {
    fn model(&self) -> &ModelId {
        self.model.model()
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> lacuna_types::Result<Vec<Vec<f32>>> {
        let started = Instant::now();
        let vectors = self.model.embed(texts, purpose);
        self.nanoseconds.fetch_add(started.elapsed().as_nanos() as u64, Ordering::Relaxed);
        vectors
    }

    fn calibration(&self, purpose: Purpose) -> Calibration {
        self.model.calibration(purpose)
    }
}

/// Times the gate on every kind of text, by turns, so that whatever else the machine does meets all of them.
pub(super) fn measure(runs: usize, folder: &Path) -> Result<Vec<GateCost>> {
    let model = lacuna_models::static_embedder()?;
    let embedder = Arc::new(Stopwatch { model, nanoseconds: AtomicU64::new(0) });
    let service = service(folder, Models::only(embedder.clone()))?;
    let remember = grant::<Remember>(USER)?;
    let first = Draft { text: "The vault has to be there before it is frozen.".into(), ..Draft::default() };
    service.remember(&remember, vec![first])?;
    service.freeze(&grant::<Freeze>(USER)?)?;
    let kinds: Vec<&str> =
        std::iter::once("English, ASCII").chain(BEYOND_ASCII.map(|(kind, _)| kind)).collect();
    let mut times: Vec<[Vec<Duration>; 2]> = kinds.iter().map(|_| Default::default()).collect();
    for run in 0..runs + WARM_UP_RUNS {
        for (kind, times) in times.iter_mut().enumerate() {
            let text = text(kind, run);
            embedder.nanoseconds.store(0, Ordering::Relaxed);
            let started = Instant::now();
            judge(&service, &text)?;
            let whole = started.elapsed();
            let embedding = Duration::from_nanos(embedder.nanoseconds.load(Ordering::Relaxed));
            if run >= WARM_UP_RUNS {
                times[0].push(whole.saturating_sub(embedding));
                times[1].push(embedding);
            }
        }
    }
    let costs = kinds.into_iter().zip(times).map(|(kind, [gate, embedding])| GateCost {
        kind,
        gate: Latency::of(gate),
        embedding: Latency::of(embedding),
    });
    Ok(costs.collect())
}

/// Takes a text through the gate, up to the refusal of the frozen vault.
fn judge(service: &Lacuna, text: &str) -> Result {
    let draft = Draft {
        text: text.into(),
        category: Some(Category::LearnedContext),
        consent_basis: Some(ConsentBasis::ExplicitConsent),
        ..Draft::default()
    };
    match service.remember(&grant(USER)?, vec![draft]) {
        Err(Error::Refused { code: "frozen", .. }) => Ok(()),
        Err(error) => Err(error.into()),
        Ok(_) => Err("the gate let a text into a frozen vault".into()),
    }
}

/// The text of a run: sentences in another order each time, and a number that no other run has.
fn text(kind: usize, run: usize) -> String {
    let sentence = |at: usize| match kind.checked_sub(1) {
        None => format!("{} ", sentences::memory(SEED, run * TEXT_CHARS + at)),
        Some(kind) => {
            let sentences = BEYOND_ASCII[kind].1;
            sentences[(run + at) % sentences.len()].to_owned()
        }
    };
    let numbered = std::iter::once(format!("{run}. ")).chain((0..).map(sentence));
    let mut text = String::new();
    let mut left = TEXT_CHARS;
    for piece in numbered {
        let piece: String = piece.chars().take(left).collect();
        left -= piece.chars().count();
        text += &piece;
        if left == 0 {
            break;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_their_length_and_only_the_first_kind_is_ascii() {
        for kind in 0..=BEYOND_ASCII.len() {
            let (one, other) = (text(kind, 1), text(kind, 2));
            assert_eq!(one.chars().count(), TEXT_CHARS);
            assert_eq!(one.is_ascii(), kind == 0, "{one}");
            assert_ne!(one, other);
        }
    }

    #[test]
    fn the_gate_is_timed_on_every_kind() {
        let folder = tempfile::tempdir().unwrap();
        let costs = measure(2, folder.path()).unwrap();
        assert_eq!(costs.len(), BEYOND_ASCII.len() + 1);
        assert!(
            costs.iter().all(|cost| cost.gate.p50 > Duration::ZERO && cost.embedding.p50 > Duration::ZERO)
        );
    }
}
