//! Fits a model's cosines to the 0..1 scale, so that a threshold means the same under every model.
//!
//! Cosines of unrelated texts differ between models: 0.4 is close for one and nothing for the next. The share of
//! unrelated texts that come that close is comparable. Forty pairs of related sentences, no two pairs on one
//! matter, give 40 related and 40 × 39 unrelated cosines; the fit puts similarity 0.5 where
//! [`UNRELATED_ABOVE_HALF`] of the unrelated lie above, and 0.7 where [`UNRELATED_ABOVE_SEVEN_TENTHS`] do. So
//! both thresholds have the same rate of false alarms under every model, by construction.

use lacuna_types::embed::Calibration;
use lacuna_types::{Error, Result};

use crate::vector;

const UNRELATED_ABOVE_HALF: f32 = 0.05;
const UNRELATED_ABOVE_SEVEN_TENTHS: f32 = 0.01;

/// The logit of 0.7: distance above the midpoint, in units of 1/steepness, at which similarity reaches 0.7.
const LOGIT_OF_SEVEN_TENTHS: f32 = 0.847_297_9;

/// A model that spreads unrelated texts less than this is constant for our purposes.
const COSINE_SPREAD_MIN: f32 = 1e-3;

/// Embeds the pairs in one call and fits.
pub(crate) fn fit(embed: impl FnOnce(&[&str]) -> Result<Vec<Vec<f32>>>) -> Result<Calibration> {
    let texts: Vec<&str> = RELATED.iter().flat_map(|(a, b)| [*a, *b]).collect();
    let (related, unrelated) = cosines(&embed(&texts)?);
    let midpoint = upper_quantile(&unrelated, UNRELATED_ABOVE_HALF);
    let spread = upper_quantile(&unrelated, UNRELATED_ABOVE_SEVEN_TENTHS) - midpoint;
    if spread < COSINE_SPREAD_MIN || upper_quantile(&related, 0.5) <= midpoint {
        return Err(Error::Misconfigured {
            code: "embedder_unusable",
            reason: "the embedding model does not tell related sentences from unrelated ones; choose another"
                .into(),
        });
    }
    Ok(Calibration { midpoint, steepness: LOGIT_OF_SEVEN_TENTHS / spread })
}

/// Cosines within pairs, and cosines across pairs; `vectors` stand in the order of the pairs, two and two.
fn cosines(vectors: &[Vec<f32>]) -> (Vec<f32>, Vec<f32>) {
    let (mut related, mut unrelated) = (Vec::new(), Vec::new());
    for (i, a) in vectors.iter().step_by(2).enumerate() {
        for (j, b) in vectors.iter().skip(1).step_by(2).enumerate() {
            let cosines = if i == j { &mut related } else { &mut unrelated };
            cosines.push(vector::dot(a, b));
        }
    }
    (related, unrelated)
}

/// The value that the given share of `values` exceeds.
fn upper_quantile(values: &[f32], share: f32) -> f32 {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let at = (share * sorted.len() as f32) as usize;
    sorted.get(at).copied().unwrap_or(0.0)
}

/// Pairs of sentences on one matter; no two pairs share a matter.
const RELATED: [(&str, &str); 40] = [
    ("My sister cannot eat peanuts.", "Anna has a nut allergy."),
    ("What time does the train to Vienna leave?", "The express to Vienna departs at 7:40."),
    ("I switched my editor to a dark theme.", "He prefers dark mode when programming."),
    ("Our landlord raised the rent again.", "The flat costs 120 euros more per month now."),
    ("The dog needs his heartworm pill.", "Give Rex his monthly medicine from the vet."),
    ("She is training for a marathon.", "Maria runs thirty kilometres every Sunday to prepare for the race."),
    ("Which piano teacher did we like?", "Mrs. Kowalska gives good lessons on the keyboard."),
    ("The server went down during the night.", "There was an outage of production at 3 a.m."),
    ("Buy oat milk, not cow's milk.", "He avoids dairy and drinks oat drinks instead."),
    ("My passport expires in May.", "The travel document must be renewed before summer."),
    ("They named the baby Theodor.", "Our friends' newborn son is called Theo."),
    ("I got promoted to team lead.", "She now manages a group of five engineers."),
    ("The basement flooded after the storm.", "Heavy rain left water in our cellar."),
    ("He quit smoking two years ago.", "Grandpa has not touched a cigarette since 2022."),
    ("Where do we keep the spare key?", "A second key hangs behind the shed door."),
    ("The quarterly figures are due on Friday.", "Send the finance report by the end of the week."),
    ("Can you recommend a novel about the sea?", "My favourite book tells of a sailor and a whale."),
    ("The brakes of the bike squeal.", "My bicycle makes a noise when I stop."),
    ("I take a pill against high blood pressure.", "He is treated for hypertension every morning."),
    ("We celebrate our anniversary on 9 June.", "They got married on the ninth of June."),
    ("The tomatoes on the balcony are ripe.", "I picked the first vegetables from our pots."),
    ("She votes for the Greens.", "Her party in the election is the environmental one."),
    ("Tom broke his arm on the slide.", "The boy came home from the playground with a fracture."),
    ("My password manager is locked.", "I forgot the master passphrase of the vault."),
    ("It snowed so much that school closed.", "Classes were cancelled because of the winter weather."),
    ("I want to learn Portuguese before we move.", "She studies the language for the time in Lisbon."),
    ("The washing machine leaks.", "There is a puddle under the laundry appliance."),
    ("His flight was delayed by five hours.", "Due to late departure he waited at the airport all day."),
    ("We adopted a cat from the shelter.", "A grey kitten lives with us since March."),
    ("The concert tickets are sold out.", "No seats are left for the band's show."),
    ("I pay off the mortgage until 2040.", "The house loan runs for another fifteen years."),
    ("Her parents come from Korea.", "Mother and father emigrated from Seoul."),
    ("Please call me by my middle name.", "He goes by James rather than by his first name."),
    ("The chess club meets on Tuesdays.", "I play board games with others every Tuesday evening."),
    ("My knee hurts when I climb stairs.", "The doctor found worn cartilage in the leg."),
    ("Rotate the API key every quarter.", "The access token is replaced each three months."),
    ("We painted the nursery yellow.", "The walls of the child's room have a sunny colour."),
    ("He donates blood twice a year.", "Giving plasma is a habit of his."),
    ("The tax office wants more receipts.", "I must hand in proofs for my deductions."),
    ("She collects stamps from Africa.", "Her hobby is philately, mostly from Kenya and Ghana."),
];

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lacuna_types::embed::{Embedder, Purpose};

    use super::*;

    fn embedders() -> [Arc<dyn Embedder>; 2] {
        [crate::static_embedder().unwrap(), crate::sentence_embedder().unwrap()]
    }

    fn both_purposes() -> impl Iterator<Item = (Arc<dyn Embedder>, Purpose)> {
        embedders().into_iter().flat_map(|one| [(one.clone(), Purpose::Passage), (one, Purpose::Query)])
    }

    /// The vectors of pairs, the first text of each embedded for `purpose`.
    fn as_searched(embedder: &dyn Embedder, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>> {
        let mut vectors = embedder.embed(texts, Purpose::Passage)?;
        let searching: Vec<&str> = texts.iter().copied().step_by(2).collect();
        for (place, vector) in embedder.embed(&searching, purpose)?.into_iter().enumerate() {
            vectors[2 * place] = vector;
        }
        Ok(vectors)
    }

    fn share_above(threshold: f32, calibration: Calibration, cosines: &[f32]) -> f32 {
        let above = cosines.iter().filter(|cosine| calibration.similarity(**cosine) > threshold);
        above.count() as f32 / cosines.len() as f32
    }

    #[test]
    fn the_packed_models_carry_what_the_fit_gives() {
        for (embedder, purpose) in both_purposes() {
            let fitted = fit(|texts| as_searched(embedder.as_ref(), texts, purpose)).unwrap();
            let carried = embedder.calibration(purpose);
            assert!((fitted.midpoint - carried.midpoint).abs() < 1e-3, "{} {fitted:?}", embedder.model());
            assert!(
                (fitted.steepness / carried.steepness - 1.0).abs() < 0.01,
                "{} {fitted:?}",
                embedder.model()
            );
        }
    }

    #[test]
    fn a_threshold_means_the_same_under_both_models() {
        let texts: Vec<&str> = RELATED.iter().flat_map(|(a, b)| [*a, *b]).collect();
        for (embedder, purpose) in both_purposes() {
            let (related, unrelated) = cosines(&as_searched(embedder.as_ref(), &texts, purpose).unwrap());
            let calibration = embedder.calibration(purpose);
            assert!((share_above(0.5, calibration, &unrelated) - 0.05).abs() < 0.005);
            assert!((share_above(0.7, calibration, &unrelated) - 0.01).abs() < 0.003);
            assert!(share_above(0.5, calibration, &related) >= 0.9);
        }
    }

    #[test]
    fn a_model_that_says_the_same_of_everything_is_refused() {
        let error = fit(|texts| Ok(vec![vec![1.0, 0.0]; texts.len()])).unwrap_err();
        assert_eq!(error.code(), "embedder_unusable");
    }
}
