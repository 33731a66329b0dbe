//! Moves the static model's vector of a question towards the memories that would answer it.
//!
//! The model puts a question beside texts that are worded like it, and a question is seldom worded like its answer. The map is
//! learnt by `cargo xtask model questions` from pairs of our own. Vectors of memories are not mapped, so that a new
//! map needs no new vectors.

use lacuna_types::Result;
use lacuna_types::embed::Purpose;

use crate::packed::{Int8Rows, Packed};
use crate::vector;

static PACKED: &[u8] = include_bytes!("../packed/questions.bin");

/// An affine map of vectors.
pub(crate) struct QuestionMap {
    /// Amounts that each component adds to all components, one row for each.
    turn: Int8Rows<'static>,
    shift: Vec<f32>,
}

impl QuestionMap {
    /// Reads the map of vectors that are `width` long.
    pub(crate) fn unpack(width: usize) -> Result<Self> {
        let packed = Packed::parse(PACKED)?;
        Ok(Self {
            turn: packed.int8_rows("static.turn", width, width)?,
            shift: packed.floats("static.shift", 1, width)?,
        })
    }

    /// The vector of a text for its side of a search: that of a passage as it is, that of a question mapped, of unit length.
    pub(crate) fn for_purpose(&self, vector: Vec<f32>, purpose: Purpose) -> Vec<f32> {
        match purpose {
            Purpose::Passage => vector,
            Purpose::Query => self.map(vector),
        }
    }

    fn map(&self, vector: Vec<f32>) -> Vec<f32> {
        let mut mapped: Vec<f32> =
            vector.iter().zip(&self.shift).map(|(value, shift)| value + shift).collect();
        for (row, value) in vector.iter().enumerate() {
            self.turn.add_row(row, *value, &mut mapped);
        }
        if vector::normalise(&mut mapped) { mapped } else { vector }
    }
}

#[cfg(test)]
mod tests {
    use lacuna_types::embed::Embedder;

    use super::*;

    /// Memories, each with a question that it answers.
    const PAIRS: [(&str, &str); 6] = [
        ("The vet wants to see Momo again on the ninth.", "when is the cat's next appointment?"),
        ("Rent goes up to 940 from March.", "How much will the flat cost me?"),
        ("I handed in my notice at the bakery.", "Do I still have a job?"),
        ("Our neighbour Irina keeps a spare key.", "Who can let me in if I lock myself out?"),
        ("The charger for the drill is in the blue crate.", "my tools have no power"),
        ("Uncle Ben only drinks decaf.", "What do I offer him after dinner?"),
    ];

    /// Mean distance by which the answer of a question is nearer than the other memories.
    fn lead(embedder: &dyn Embedder, purpose: Purpose) -> f32 {
        let memories = embedder.embed(&PAIRS.map(|(memory, _)| memory), Purpose::Passage).unwrap();
        let questions = embedder.embed(&PAIRS.map(|(_, question)| question), purpose).unwrap();
        let leads = questions.iter().enumerate().map(|(place, question)| {
            let cosines: Vec<f32> = memories.iter().map(|memory| vector::dot(question, memory)).collect();
            let mean = cosines.iter().sum::<f32>() / cosines.len() as f32;
            cosines[place] - mean
        });
        leads.sum::<f32>() / PAIRS.len() as f32
    }

    #[test]
    fn a_question_comes_nearer_to_its_answer_than_to_the_others() {
        let embedder = crate::static_embedder().unwrap();
        let (before, after) = (lead(&*embedder, Purpose::Passage), lead(&*embedder, Purpose::Query));
        assert!(after > before, "{before} {after}");
    }

    /// The sentence model needs no map: it is learnt on such pairs, and tells answers apart better than the mapped one.
    #[test]
    fn the_sentence_model_finds_answers_as_it_is() {
        let [mapped, learnt] = [crate::static_embedder().unwrap(), crate::sentence_embedder().unwrap()];
        let (mapped, learnt) = (lead(&*mapped, Purpose::Query), lead(&*learnt, Purpose::Query));
        assert!(learnt > mapped, "{mapped} {learnt}");
    }

    #[test]
    fn vectors_of_questions_have_unit_length_and_those_of_passages_stay() {
        let map = QuestionMap::unpack(512).unwrap();
        let vector: Vec<f32> = (0..512).map(|place| if place == 7 { 1.0 } else { 0.0 }).collect();
        assert_eq!(map.for_purpose(vector.clone(), Purpose::Passage), vector);
        let mapped = map.for_purpose(vector.clone(), Purpose::Query);
        assert!((vector::dot(&mapped, &mapped) - 1.0).abs() < 1e-5);
        assert_ne!(mapped, vector);
    }

    #[test]
    fn a_map_of_another_width_is_refused() {
        assert!(QuestionMap::unpack(384).is_err());
    }
}
