use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lacuna_core::govern::{Job, Ran, Schedule};
use lacuna_types::Error;
use lacuna_types::embed::{Calibration, ModelId, Purpose};

use super::*;

/// A real model under another name, which can be out of reach as an endpoint can.
pub(crate) struct Remote {
    model: ModelId,
    down: AtomicBool,
    last_text: Mutex<String>,
}

impl Remote {
    pub(crate) fn named(name: &str) -> Arc<Self> {
        Arc::new(Self {
            model: ModelId::new(name),
            down: AtomicBool::new(false),
            last_text: Mutex::default(),
        })
    }

    /// The text that it embedded last.
    pub(crate) fn last_text(&self) -> String {
        self.last_text.lock().unwrap().clone()
    }
}

impl Embedder for Remote {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>> {
        if self.down.load(Ordering::Relaxed) {
            return Err(Error::unavailable("embedder_unavailable", "the endpoint is down", "refused"));
        }
        *self.last_text.lock().unwrap() = texts.last().copied().unwrap_or_default().to_owned();
        static_model().embed(texts, purpose)
    }

    fn calibration(&self, purpose: Purpose) -> Calibration {
        static_model().calibration(purpose)
    }
}

fn with_main(main: &Arc<Remote>, others: Vec<Arc<dyn Embedder>>) -> Models {
    Models { instant: static_model(), main: main.clone(), others }
}

fn work(lacuna: &Lacuna) -> Option<Result<usize>> {
    lacuna.upkeep().work_backlog(Duration::ZERO, &mut |_| ControlFlow::Continue(()))
}

fn names(recalled: &Recalled) -> Vec<&str> {
    recalled.models.iter().map(ModelId::as_str).collect()
}

#[test]
fn a_memory_is_found_at_once_and_its_better_vector_follows() {
    let world = World::ram();
    let main = Remote::named("remote@1");
    let lacuna = world.service_with(with_main(&main, Vec::new()));
    for note in 0..150 {
        lacuna.keep("anna", &format!("note number {note} about gardening")).unwrap();
    }
    assert_eq!(names(&lacuna.ask("anna", "gardening").unwrap()), [static_model().model().as_str()]);
    let mut once = |_| ControlFlow::Break(());
    let first = lacuna.upkeep().work_backlog(Duration::ZERO, &mut once).unwrap().unwrap();
    assert!(first > 0 && first < 150, "broken off after {first}");
    assert_eq!(work(&lacuna).unwrap().unwrap(), 150 - first);
    assert!(work(&lacuna).is_none());
    for service in [lacuna, world.service_with(with_main(&main, Vec::new()))] {
        let both = ["remote@1", static_model().model().as_str()].map(str::to_owned);
        assert_eq!(names(&service.ask("anna", "gardening").unwrap()), both, "the instant vector stays");
        assert_eq!(service.count(&grant::<Recall>("anna")).unwrap(), (150, 0));
        service.verified("anna");
    }
}

#[test]
fn while_the_endpoint_is_down_words_and_the_instant_model_answer_and_the_rest_is_made_up_for() {
    let world = World::ram();
    let main = Remote::named("remote@1");
    let lacuna = world.service_with(with_main(&main, Vec::new()));
    lacuna.keep("anna", "My dentist is Doctor Weber.").unwrap();
    work(&lacuna).unwrap().unwrap();

    main.down.store(true, Ordering::Relaxed);
    lacuna.keep("anna", "My hairdresser is Ms Haddad.").unwrap();
    let answer = lacuna.ask("anna", "who is my dentist?").unwrap();
    assert!(answer.hits[0].memory.content.gist.expose().contains("Weber"));
    assert_eq!(names(&answer), [static_model().model().as_str()]);
    assert_eq!(work(&lacuna).unwrap().unwrap_err().code(), "embedder_unavailable");
    assert_eq!(lacuna.upkeep().backlog_len(), 1, "the vault waits for its turn");

    main.down.store(false, Ordering::Relaxed);
    assert_eq!(work(&lacuna).unwrap().unwrap(), 1);
    assert!(names(&lacuna.ask("anna", "hairdresser").unwrap()).contains(&"remote@1"));
}

#[test]
fn a_model_switch_searches_both_until_all_is_embedded_anew() {
    let world = World::ram();
    let (old, new) = (Remote::named("old@1"), Remote::named("new@1"));
    let first = world.service_with(with_main(&old, Vec::new()));
    for note in 0..70 {
        first.keep("anna", &format!("recipe {note} with lentils")).unwrap();
    }
    work(&first).unwrap().unwrap();

    let second = world.service_with(with_main(&new, vec![old]));
    let ids: Vec<MemoryId> =
        second.ask("anna", "lentils").unwrap().hits.iter().map(|hit| hit.memory.id).collect();
    assert_eq!(second.upkeep().reembed(&scope("anna"), &ids).unwrap(), ids.len());
    let instant = static_model();
    let instant = instant.model().as_str();
    assert_eq!(names(&second.ask("anna", "lentils").unwrap()), ["new@1", instant, "old@1"]);
    assert_eq!(work(&second).unwrap().unwrap(), 70 - ids.len());
    assert_eq!(names(&second.ask("anna", "lentils").unwrap()), ["new@1", instant]);
}

#[test]
fn a_memory_without_its_instant_vector_gets_it_in_the_background() {
    let world = World::ram();
    let main = Remote::named("remote@1");
    let alone = world.service_with(Models::only(main.clone()));
    alone.keep("anna", "recipe with lentils").unwrap();
    let both = world.service_with(with_main(&main, Vec::new()));
    assert_eq!(names(&both.ask("anna", "lentils").unwrap()), ["remote@1"]);
    assert_eq!(work(&both).unwrap().unwrap(), 1);
    assert_eq!(names(&both.ask("anna", "lentils").unwrap()), ["remote@1", static_model().model().as_str()]);
    let why = Query { explain: true, ..Query::new("lentils") };
    let hit = both.recall(&grant::<Recall>("anna"), &why).unwrap().hits.remove(0);
    let explanation = hit.explanation.unwrap();
    assert!(explanation.meaning.is_some() && explanation.second_meaning.is_some(), "both are compared");
}

/// An instant model of an earlier release: another name, and vectors of another length.
struct Earlier(ModelId);

impl Embedder for Earlier {
    fn model(&self) -> &ModelId {
        &self.0
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>> {
        let mut vectors = static_model().embed(texts, purpose)?;
        vectors.iter_mut().for_each(|vector| vector.truncate(256));
        Ok(vectors)
    }

    fn calibration(&self, purpose: Purpose) -> Calibration {
        static_model().calibration(purpose)
    }
}

#[test]
fn a_vault_of_an_earlier_instant_model_is_found_by_words_until_it_has_new_vectors() {
    let world = World::ram();
    let first = world.service_with(Models::only(Arc::new(Earlier(ModelId::new("potion-base-8M@1")))));
    for note in 0..70 {
        first.keep("anna", &format!("recipe {note} with lentils")).unwrap();
    }
    let second = world.service();
    let meanwhile = second.ask("anna", "lentils").unwrap();
    assert!(!meanwhile.hits.is_empty() && names(&meanwhile).is_empty());
    second.keep("anna", "recipe 70 with lentils").unwrap();
    let current = static_model().model().as_str().to_owned();
    assert_eq!(names(&second.ask("anna", "lentils").unwrap()), [&*current]);

    assert_eq!(work(&second).unwrap().unwrap(), 70);
    let after = second.ask("anna", "Rezepte mit Linsen").unwrap();
    assert_eq!(names(&after), [&*current]);
    assert!(!after.hits.is_empty(), "the new model reads German too");
    assert!(work(&second).is_none());
    second.verified("anna");
}

#[test]
fn the_job_gives_vectors_to_vaults_that_nobody_opens() {
    let world = World::ram();
    for user in ["anna", "bela"] {
        world.service().keep(user, "recipe with lentils").unwrap();
    }
    let main = Remote::named("remote@1");
    let service = world.service_with(with_main(&main, Vec::new()));
    let run =
        || service.upkeep().run_job(Job::Embed, "node-a", true, &Schedule::default(), &|| false).unwrap();
    assert!(matches!(run(), Ran::Done(2)));
    assert!(matches!(run(), Ran::Done(0)));
    for user in ["anna", "bela"] {
        assert!(names(&service.ask(user, "lentils").unwrap()).contains(&"remote@1"));
    }
}

#[test]
fn a_memory_that_is_erased_while_it_is_embedded_stays_erased() {
    struct Slow(Arc<Remote>, Box<dyn Fn() + Send + Sync>);
    impl Embedder for Slow {
        fn model(&self) -> &ModelId {
            self.0.model()
        }
        fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>> {
            (self.1)();
            self.0.embed(texts, purpose)
        }
        fn calibration(&self, purpose: Purpose) -> Calibration {
            self.0.calibration(purpose)
        }
    }
    let world = World::ram();
    let id = world.service().keep("anna", "A fact that will not last.").unwrap();
    let eraser = world.service();
    let slow = Slow(Remote::named("slow@1"), Box::new(move || drop(eraser.erase("anna", id))));
    let models = Models { instant: static_model(), main: Arc::new(slow), others: Vec::new() };
    let lacuna = world.service_with(models);
    assert_eq!(lacuna.upkeep().reembed(&scope("anna"), &[id]).unwrap(), 0);
    assert_eq!(lacuna.count(&grant::<Recall>("anna")).unwrap(), (0, 0));
}
