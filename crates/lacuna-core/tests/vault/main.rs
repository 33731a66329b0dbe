//! The operations of a vault, end to end over real stores: what is remembered is found, what is erased is
//! gone everywhere, and no failure in between leaves a lie behind.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop there")]

mod anchoring;
mod authenticity;
mod backup;
mod browsing;
mod chain;
mod compacting;
mod consent;
mod context;
mod correcting;
mod damage;
mod derived;
mod destroy;
mod epochs;
mod everywhere;
mod export;
mod faults;
mod finding;
mod forgetting;
mod gate;
mod holds;
mod importing;
mod jobs;
mod lifecycle;
mod limits;
mod locks;
mod managed;
mod models;
mod month;
mod nodes;
mod notes;
mod page;
mod person;
#[path = "../support/postgres_database.rs"]
mod postgres_database;
mod proposals;
mod purposes;
mod ranking;
mod reads;
mod records;
mod rehearsing;
mod residue;
mod retention;
mod review;
mod rotation;
mod scopes;
#[path = "../../../lacuna-models/tests/support/scripted_server.rs"]
mod scripted_server;
mod sessions;
mod tamper;
mod topics;
mod unread;
mod year;

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use lacuna_core::audit::AuditAction;
use lacuna_core::gate::Rulebook;
use lacuna_core::permit::{Action, Caller, Forget, Grant, ReadAudit, Recall, Remember, permit};
use lacuna_core::read::{Query, Recalled};
use lacuna_core::vault::Models;
use lacuna_core::write::Remembered;
use lacuna_core::{Lacuna, Parts};
use lacuna_seal::SeededEntropy;
use lacuna_store::blobs::Blobs;
use lacuna_store::keys::{FaultyKeys, KeyStore, LocalKms, PostgresKeys, RamKeys, SqliteKeys};
use lacuna_store::rows::{Faults, FaultyStore, PostgresStore, RamStore, SqliteStore, Store};
use lacuna_types::Result;
use lacuna_types::embed::Embedder;
use lacuna_types::policy::{Policies, Policy};
use lacuna_types::*;

use crate::postgres_database::Database;

/// A folder, its stores and a clock; services are opened over it as processes would be.
pub(crate) struct World {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) keys: Arc<dyn KeyStore>,
    pub(crate) clock: Arc<ManualClock>,
}

impl World {
    pub(crate) fn ram() -> Self {
        Self::over(Arc::new(RamStore::default()), Arc::new(RamKeys::default()), tempfile::tempdir().unwrap())
    }

    pub(crate) fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (store, keys) = sqlite_in(folder.path());
        Self::over(store, keys, folder)
    }

    /// `None` without a server; the database is dropped with the first of the two.
    pub(crate) fn postgres(test: &str) -> Option<(Database, Self)> {
        let database = Database::make(test)?;
        let store = Arc::new(PostgresStore::open(&database.url()).unwrap());
        let keys = Arc::new(PostgresKeys::open(&database.url()).unwrap());
        let world = Self::over(store, keys, tempfile::tempdir().unwrap());
        Some((database, world))
    }

    pub(crate) fn over(store: Arc<dyn Store>, keys: Arc<dyn KeyStore>, folder: tempfile::TempDir) -> Self {
        let start: Timestamp = "2026-04-12T09:15:00Z".parse().unwrap();
        Self { folder, store, keys, clock: Arc::new(ManualClock::at(start)) }
    }

    pub(crate) fn service(&self) -> Lacuna {
        self.service_with(Models::only(static_model()))
    }

    pub(crate) fn service_with(&self, models: Models) -> Lacuna {
        self.service_of(self.store.clone(), self.keys.clone(), models, usize::MAX)
    }

    /// A service whose tenants all live under `policy`.
    pub(crate) fn service_under(&self, policy: Policy) -> Lacuna {
        let rules =
            Rulebook { policies: Policies { everyone: policy, ..Policies::default() }, scanner: None };
        self.service_from(
            self.store.clone(),
            self.keys.clone(),
            Models::only(static_model()),
            usize::MAX,
            rules,
        )
    }

    pub(crate) fn service_of(
        &self,
        store: Arc<dyn Store>,
        keys: Arc<dyn KeyStore>,
        models: Models,
        open_bytes_max: usize,
    ) -> Lacuna {
        self.service_from(store, keys, models, open_bytes_max, Rulebook::default())
    }

    /// A service whose stores fail as the faults say: none of them yet.
    pub(crate) fn faulty(&self) -> (Lacuna, Arc<Faults>) {
        let faults = Faults::none();
        let store = Arc::new(FaultyStore::new(self.store.clone(), faults.clone()));
        let keys = Arc::new(FaultyKeys::new(self.keys.clone(), faults.clone()));
        (self.service_of(store, keys, Models::only(static_model()), usize::MAX), faults)
    }

    fn service_from(
        &self,
        store: Arc<dyn Store>,
        keys: Arc<dyn KeyStore>,
        models: Models,
        open_bytes_max: usize,
        rules: Rulebook,
    ) -> Lacuna {
        // Every service draws other randomness, as separate processes do.
        static SEED: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
        let seed = SEED.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.service_seeded(store, keys, models, open_bytes_max, rules, seed)
    }

    /// A service that draws the same randomness whenever it is made with the same seed.
    pub(crate) fn service_seeded(
        &self,
        store: Arc<dyn Store>,
        keys: Arc<dyn KeyStore>,
        models: Models,
        open_bytes_max: usize,
        rules: Rulebook,
        seed: u64,
    ) -> Lacuna {
        Lacuna::new(Parts {
            store,
            keys,
            kms: LocalKms::open(&self.folder.path().join("keys"), None).unwrap(),
            blobs: Blobs::open(self.folder.path().join("blobs")).unwrap(),
            models,
            rules,
            clock: self.clock.clone(),
            entropy: Arc::new(SeededEntropy::new(seed)),
            open_bytes_max,
        })
    }
}

pub(crate) fn sqlite_in(folder: &Path) -> (Arc<dyn Store>, Arc<dyn KeyStore>) {
    let store = SqliteStore::open(folder.join("lacuna.db")).unwrap();
    let keys = SqliteKeys::open(folder.join("keys.db")).unwrap();
    (Arc::new(store), Arc::new(keys))
}

pub(crate) fn static_model() -> Arc<dyn Embedder> {
    static MODEL: std::sync::OnceLock<Arc<dyn Embedder>> = std::sync::OnceLock::new();
    MODEL.get_or_init(|| lacuna_models::static_embedder().unwrap()).clone()
}

pub(crate) fn caller(user: &str) -> Caller {
    Caller::new(OrgId::new("acme").unwrap(), UserId::new(user).unwrap(), vec![Role::User])
}

pub(crate) fn grant<A: Action>(user: &str) -> Grant<A> {
    let caller = caller(user);
    permit(&caller, &caller.personal_scope()).unwrap()
}

pub(crate) fn scope(user: &str) -> Scope {
    caller(user).personal_scope()
}

pub(crate) fn draft(text: &str) -> Draft {
    Draft { text: text.into(), ..Draft::default() }
}

/// Shorthands for one user's calls.
pub(crate) trait Calls {
    fn keep(&self, user: &str, text: &str) -> Result<MemoryId>;
    fn take(&self, user: &str, draft: Draft) -> Result<Remembered>;
    /// Recalls strong hits only, so that a test sees what answers and not what is left.
    fn ask(&self, user: &str, question: &str) -> Result<Recalled>;
    fn erase(&self, user: &str, id: MemoryId) -> Result<()>;
    fn texts(&self, user: &str, question: &str) -> Vec<String>;
    /// The acts in a chain that holds: its entries without the reads.
    fn verified(&self, user: &str) -> u64;
}

impl Calls for Lacuna {
    fn keep(&self, user: &str, text: &str) -> Result<MemoryId> {
        Ok(self.take(user, draft(text))?.id)
    }

    fn take(&self, user: &str, draft: Draft) -> Result<Remembered> {
        self.remember(&grant::<Remember>(user), vec![draft])?.remove(0).stored()
    }

    fn ask(&self, user: &str, question: &str) -> Result<Recalled> {
        self.recall(&grant::<Recall>(user), &Query { strong_only: true, ..Query::new(question) })
    }

    fn erase(&self, user: &str, id: MemoryId) -> Result<()> {
        self.delete(&grant::<Forget>(user), id).map(drop)
    }

    fn texts(&self, user: &str, question: &str) -> Vec<String> {
        let recalled = self.ask(user, question).unwrap();
        recalled.hits.iter().map(|hit| hit.memory.content.full_text().expose().to_owned()).collect()
    }

    fn verified(&self, user: &str) -> u64 {
        let entries = self.verify_audit(&grant::<ReadAudit>(user)).unwrap().entries;
        let (mut acts, mut after) = (0, 0);
        while after < entries {
            let page = self.read_audit(&grant(user), after).unwrap();
            after = page.last().unwrap().0.seq;
            acts += page.iter().filter(|(_, entry)| entry.action != AuditAction::MemoryRead).count() as u64;
        }
        acts
    }
}
