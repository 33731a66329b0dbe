//! The learnt classifier beside the rules: the same words said of somebody, of an animal, in a story and as a question.

use std::sync::Arc;

use lacuna_language::classify::{ASKING_CONFIDENCE, Classified, Meaning, Prototypes, classify};
use lacuna_types::PrivacyClass;
use lacuna_types::embed::{Embedder, Purpose};

/// Sentences of somebody's protected data; none of them is among those that were learnt from.
const PROTECTED: &[&str] = &[
    "My dermatologist wants to look at the mole again.",
    "Ich gehe jeden Freitag in die Moschee.",
    "Mon père est hospitalisé depuis dimanche.",
    "Mi hermana está embarazada de cinco meses.",
    "Sono iscritta al sindacato da dieci anni.",
    "O meu primo é homossexual e a família não aceita.",
    "Mijn vader heeft longkanker.",
    "Jestem w ciąży.",
];
/// The same matters, of nobody.
const NOBODYS: &[&str] = &[
    "Our dog has arthritis and limps.",
    "Der Papst spricht am Sonntag vom Balkon.",
    "Dans le film, le héros meurt d'un cancer.",
    "El hospital nuevo abre en otoño.",
    "Il duomo è chiuso per restauri.",
    "Qual é a capital da Noruega?",
    "De kat moet naar de dierenarts.",
    "Apteka przy dworcu jest dziś zamknięta.",
];

struct LearntReader {
    embedder: Arc<dyn Embedder>,
    prototypes: Prototypes,
}

impl LearntReader {
    fn new() -> Self {
        let embedder = lacuna_models::static_embedder().unwrap();
        Self { prototypes: Prototypes::new(&*embedder).unwrap(), embedder }
    }

    fn read(&self, text: &str) -> Classified {
        let vector = self.embedder.embed(&[text], Purpose::Passage).unwrap().remove(0);
        classify(text, Some(&Meaning { prototypes: &self.prototypes, vector: &vector }))
    }
}

fn asks(seen: &Classified) -> bool {
    seen.privacy.value == PrivacyClass::SensitivePii && seen.privacy.confidence >= ASKING_CONFIDENCE
}

#[test]
fn protected_data_is_told_from_the_same_matter_of_nobody() {
    let reader = LearntReader::new();
    let missed: Vec<_> = PROTECTED.iter().filter(|text| !asks(&reader.read(text))).collect();
    let false_questions: Vec<_> = NOBODYS.iter().filter(|text| asks(&reader.read(text))).collect();
    assert!(missed.is_empty(), "{missed:?}");
    assert!(false_questions.is_empty(), "{false_questions:?}");
}

/// A vector of another model has another length, or other weights: the rules judge alone, as without any vector.
#[test]
fn a_vector_of_another_length_leaves_the_rules_alone() {
    let reader = LearntReader::new();
    for text in PROTECTED.iter().chain(NOBODYS) {
        let foreign = Meaning { prototypes: &reader.prototypes, vector: &[1.0, 0.0, 0.0] };
        let (with, without) = (classify(text, Some(&foreign)), classify(text, None));
        assert_eq!(with.privacy, without.privacy, "{text}");
        assert_eq!(with.sensitivity, without.sensitivity, "{text}");
    }
}
