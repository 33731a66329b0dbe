//! Filling: every memory of every user goes through the gate and is sealed under that user's own keys; only its vector is not
//! made anew.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use jiff::SignedDuration;
use lacuna_core::Lacuna;
use lacuna_core::govern::{Job, Ran, Schedule, TokenRequest};
use lacuna_core::permit::{Caller, ManageTokens, permit};
use lacuna_core::vault::Models;
use lacuna_store::keys::PostgresKeys;
use lacuna_store::rows::{JobClaim, JobEnd, PostgresStore, Store};
use lacuna_types::embed::{Calibration, Embedder, ModelId, Purpose};
use lacuna_types::policy::Policy;
use lacuna_types::{Clock, Operation, OrgId, Role, SystemClock, UserId};

use super::super::corpus::SEED;
use super::super::measure::per_second;
use super::super::sentences;
use super::super::service::{ORG, drafts, grant, parts, stored_ids};
use super::database::Database;
use crate::Result;

/// Memories of one commit.
const BATCH: usize = 500;
/// Threads for each processor: while one waits for the database, another seals.
const THREADS_PER_PROCESSOR: usize = 2;
/// Full vaults are closed again.
const OPEN_BYTES_MAX: usize = 256 << 20;
/// Texts of the pool for each memory of a user: users take different parts of it.
const TEXTS_PER_MEMORY: usize = 2;
/// The distance between the parts of two users, a prime.
const STRIDE: usize = 7_919;
const EMBED_BATCH: usize = 500;
const NODE_NAME: &str = "filler";
/// The longest time for which jobs are kept from the nodes: longer than the loads of one size take.
const JOBS_HELD: SignedDuration = SignedDuration::from_hours(2);

/// The name of the `number`-th user.
pub(super) fn user_name(number: usize) -> String {
    format!("user-{number:06}")
}

/// Texts with the vectors that the static model gives them, made once for all users.
struct TextPool {
    model: Arc<dyn Embedder>,
    texts: Vec<String>,
    vectors: HashMap<String, Vec<f32>>,
}

impl TextPool {
    fn new(memories: usize) -> Result<Self> {
        let model = lacuna_models::static_embedder()?;
        let texts: Vec<String> =
            (0..memories * TEXTS_PER_MEMORY).map(|number| sentences::memory(SEED, number)).collect();
        let mut vectors = HashMap::with_capacity(texts.len());
        for batch in texts.chunks(EMBED_BATCH) {
            let asked: Vec<&str> = batch.iter().map(String::as_str).collect();
            vectors.extend(batch.iter().cloned().zip(model.embed(&asked, Purpose::Passage)?));
        }
        Ok(Self { model, texts, vectors })
    }

    /// The texts of one user.
    fn part(&self, user: usize, memories: usize) -> Vec<String> {
        part_numbers(user, memories, self.texts.len()).map(|number| self.texts[number].clone()).collect()
    }
}

/// Numbers of the texts of one user in a pool of `pool`: no text twice.
fn part_numbers(user: usize, memories: usize, pool: usize) -> impl Iterator<Item = usize> {
    let first = user * STRIDE % pool;
    (0..memories.min(pool)).map(move |number| (first + number) % pool)
}

/// Looks vectors up instead of making them. The model of a text that the gate changed is asked as usual.
impl Embedder for TextPool {
    fn model(&self) -> &ModelId {
        self.model.model()
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> lacuna_types::Result<Vec<Vec<f32>>> {
        let one = |text: &&str| match self.vectors.get(*text).filter(|_| purpose == Purpose::Passage) {
            Some(vector) => Ok(vector.clone()),
            None => Ok(self.model.embed(&[text], purpose)?.remove(0)),
        };
        texts.iter().map(one).collect()
    }

    fn calibration(&self, purpose: Purpose) -> Calibration {
        self.model.calibration(purpose)
    }
}

/// A service of the measurement's own, which writes and runs the jobs; the nodes are other processes.
pub(super) struct Filler {
    service: Lacuna,
    store: Arc<PostgresStore>,
    pool: Arc<TextPool>,
    memories: usize,
    users: usize,
}

/// Memories that were written, and the time it took.
#[derive(Clone, Copy)]
pub(super) struct Filled {
    pub(super) memories: usize,
    pub(super) took: Duration,
}

impl Filled {
    pub(super) fn per_second(self) -> f64 {
        per_second(self.memories, self.took)
    }
}

impl Filler {
    /// Its key files are in `folder`.
    pub(super) fn new(database: &Database, folder: &Path, memories: usize) -> Result<Self> {
        let pool = Arc::new(TextPool::new(memories)?);
        let store = Arc::new(PostgresStore::open(&database.data_url())?);
        let keys = Arc::new(PostgresKeys::open(&database.keys_url())?);
        let mut parts = parts(folder, store.clone(), keys, Models::only(pool.clone()), Policy::default())?;
        parts.open_bytes_max = OPEN_BYTES_MAX;
        let service = Lacuna::new(parts).counting(lacuna_models::token_counter());
        service.upkeep().start()?;
        service.upkeep().warm_up()?;
        Ok(Self { service, store, pool, memories, users: 0 })
    }

    /// A token of a service that recalls and remembers for every user.
    pub(super) fn token(&self) -> Result<String> {
        let admin = Caller::new(OrgId::new(ORG)?, UserId::new("operator")?, vec![Role::Admin]);
        let request = TokenRequest {
            user: UserId::new("assistant")?,
            roles: vec![Role::Service],
            operations: vec![Operation::Recall, Operation::Remember, Operation::Confirm],
            without: Vec::new(),
            label: String::new(),
            expires_at: None,
        };
        let grant = permit::<ManageTokens>(&admin, &admin.org_scope())?;
        Ok(self.service.tokens().create(&grant, request)?.1.to_string())
    }

    /// Makes users until there are `users`, each with all memories.
    pub(super) fn fill_up_to(&mut self, users: usize) -> Result<Filled> {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let (started, first) = (Instant::now(), self.users);
        let next = AtomicUsize::new(first);
        let work = || -> Result<(), String> {
            loop {
                let user = next.fetch_add(1, Ordering::Relaxed);
                if user >= users {
                    return Ok(());
                }
                self.fill(user).map_err(|error| format!("{}: {error}", user_name(user)))?;
            }
        };
        thread::scope(|scope| {
            let threads: Vec<_> =
                (0..processors * THREADS_PER_PROCESSOR).map(|_| scope.spawn(work)).collect();
            threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| "filling broke off")?)
        })?;
        self.users = users.max(first);
        self.service.upkeep().flush_reads()?;
        self.service.upkeep().close_all();
        Ok(Filled { memories: (self.users - first) * self.memories, took: started.elapsed() })
    }

    fn fill(&self, user: usize) -> Result {
        let grant = grant(&user_name(user))?;
        for batch in self.pool.part(user, self.memories).chunks(BATCH) {
            stored_ids(self.service.remember(&grant, drafts(batch))?)?;
        }
        Ok(())
    }

    /// Runs every job that comes round by itself, once, over all vaults.
    pub(super) fn run_jobs(&self) -> Result<Vec<(Job, Duration)>> {
        let mut times = Vec::new();
        for job in scheduled() {
            let started = Instant::now();
            let schedule = Schedule::default();
            match self.service.upkeep().run_job(job, NODE_NAME, true, &schedule, &|| false)? {
                Ran::Done(_) => times.push((job, started.elapsed())),
                other => return Err(format!("the job {job} did not end: {other:?}").into()),
            }
        }
        self.service.upkeep().close_all();
        Ok(times)
    }

    /// Claims every job, so that none runs on a node during the loads.
    pub(super) fn hold_jobs(&self) -> Result {
        let at = SystemClock.now();
        for job in scheduled() {
            let (name, node) = (job.to_string(), NODE_NAME.to_owned());
            let claim = JobClaim { name, node, at, until: at + JOBS_HELD, early: true };
            if !self.store.claim_job(&claim)? {
                return Err(format!("the job {job} runs elsewhere").into());
            }
        }
        Ok(())
    }

    /// Gives the jobs back.
    pub(super) fn release_jobs(&self) -> Result {
        let now = SystemClock.now();
        for job in scheduled() {
            let (name, node, outcome) = (job.to_string(), NODE_NAME.to_owned(), "stopped".to_owned());
            let end = JobEnd { name, node, ended_at: now, due_at: now, outcome, done: 0, failures: 0 };
            self.store.end_job(&end)?;
        }
        Ok(())
    }
}

/// The jobs that come round by themselves.
fn scheduled() -> impl Iterator<Item = Job> {
    Job::ALL.iter().copied().filter(|job| job.every(&Schedule::default()).is_some())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_user_has_no_text_twice_and_others_have_other_parts() {
        let part = |user| part_numbers(user, 500, 1_000).collect::<Vec<_>>();
        for user in 0..50 {
            let numbers: HashSet<usize> = part(user).into_iter().collect();
            assert!(numbers.len() == 500 && numbers.iter().all(|number| *number < 1_000));
        }
        let firsts: HashSet<usize> = (0..200).map(|user| part(user)[0]).collect();
        assert_eq!(firsts.len(), 200);
    }
}
