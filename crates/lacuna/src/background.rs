//! Work that nobody waits for: better vectors for what was just written, and sealing what nobody uses.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use jiff::SignedDuration;
use lacuna_core::store::{RECORDS_PAGE_MAX, RecordKind, Store, VaultHeader};
use lacuna_core::{Lacuna, Result};

use crate::webhook::{Webhook, deliver_due};

/// How long the worker waits for a vault before it looks whether it should stop.
const PATIENCE: Duration = Duration::from_millis(500);
/// The pause after a failure; it doubles with each further one.
const PAUSE_FIRST: Duration = Duration::from_secs(1);
const PAUSE_MAX: Duration = Duration::from_secs(300);
/// How often idle vaults are looked for.
const SEAL_EVERY: Duration = Duration::from_secs(30);
/// How often reads are written into the audit.
const READS_EVERY: Duration = Duration::from_secs(1);
/// How often due deliveries are looked for.
const DELIVER_EVERY: Duration = Duration::from_secs(2);
/// How long after its start, and then how often, a server takes care of the audit chains.
const AUDIT_FIRST: Duration = Duration::from_secs(60);
const AUDIT_EVERY: Duration = Duration::from_secs(24 * 60 * 60);
/// How long after its start, and then how often, a server erases what was hidden long enough.
const PURGE_FIRST: Duration = Duration::from_secs(30);
const PURGE_EVERY: Duration = Duration::from_secs(60 * 60);
/// Vaults that are read at a time when the work that an earlier process left is looked for.
const VAULTS_PAGE: usize = 256;

/// Threads that stop when this is dropped.
pub(crate) struct Background {
    stop: Arc<Stop>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Stop {
    asked: AtomicBool,
    gate: Mutex<()>,
    rung: Condvar,
}

impl Stop {
    fn asked(&self) -> bool {
        self.asked.load(Ordering::Acquire)
    }

    fn ask(&self) {
        self.asked.store(true, Ordering::Release);
        let _gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        self.rung.notify_all();
    }

    /// Waits for `pause`, or until the stop.
    fn wait(&self, pause: Duration) {
        let gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.rung.wait_timeout_while(gate, pause, |()| !self.asked());
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}

impl Background {
    pub(crate) fn start(
        service: &Arc<Lacuna>,
        store: &Arc<dyn Store>,
        webhooks: &Arc<[Webhook]>,
        idle: SignedDuration,
        each_round: impl Fn() + Send + 'static,
    ) -> std::io::Result<Self> {
        let stop = Arc::new(Stop::default());
        let mut background = Self { stop: stop.clone(), threads: Vec::new() };
        let (keeper, kept, audit_stop) = (service.clone(), store.clone(), stop.clone());
        background.spawn("audit", move || {
            audit_stop.wait(AUDIT_FIRST);
            while !audit_stop.asked() {
                if let Err(error) = keep_audits(&keeper, &*kept, &audit_stop) {
                    tracing::warn!(code = error.code(), "the care of the audit chains waits");
                }
                audit_stop.wait(AUDIT_EVERY);
            }
        })?;
        let (sweeper, sweep_stop) = (service.clone(), stop.clone());
        background.spawn("purge", move || {
            sweep_stop.wait(PURGE_FIRST);
            while !sweep_stop.asked() {
                match sweeper.purge() {
                    Ok(0) => {}
                    Ok(purged) => tracing::info!(purged, "what was hidden long enough was erased"),
                    Err(error) => tracing::warn!(code = error.code(), "the purge of hidden memories waits"),
                }
                sweep_stop.wait(PURGE_EVERY);
            }
        })?;
        let (worker, store) = (service.clone(), store.clone());
        let worker_stop = stop.clone();
        background.spawn("backlog", move || {
            if let Err(error) = finish_erasures(&worker, &*store) {
                tracing::warn!(code = error.code(), "erasures that an earlier process began wait");
            }
            work(&worker, &worker_stop);
        })?;
        let (reader, reads_stop) = (service.clone(), stop.clone());
        background.spawn("reads", move || {
            while !reads_stop.asked() {
                reads_stop.wait(READS_EVERY);
                if let Err(error) = reader.flush_reads() {
                    tracing::warn!(code = error.code(), "reads wait for the audit");
                }
                if let Err(error) = reader.flush_rehearsals() {
                    tracing::warn!(code = error.code(), "rehearsals wait");
                }
            }
        })?;
        let (teller, hooks, hooks_stop) = (service.clone(), webhooks.clone(), stop.clone());
        background.spawn("webhooks", move || {
            while !hooks_stop.asked() {
                if let Err(error) = deliver_due(&teller, &hooks) {
                    tracing::warn!(code = error.code(), "deliveries to webhooks wait");
                }
                hooks_stop.wait(DELIVER_EVERY);
            }
        })?;
        let sealer = service.clone();
        background.spawn("seal", move || {
            while !stop.asked() {
                sealer.seal_idle(idle);
                each_round();
                stop.wait(SEAL_EVERY);
            }
        })?;
        Ok(background)
    }

    fn spawn(&mut self, name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
        self.threads.push(thread::Builder::new().name(name.to_owned()).spawn(work)?);
        Ok(())
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.stop.ask();
        for thread in self.threads.drain(..) {
            // A thread that panicked has nothing more to say than its log line.
            let _ = thread.join();
        }
    }
}

/// An erasure that an earlier process announced and did not end must not wait until somebody asks for its
/// vault.
fn finish_erasures(service: &Lacuna, store: &dyn Store) -> Result<()> {
    service.recover_destructions()?;
    each_vault(store, |header| match store.intents(header.id)?.is_empty() {
        true => Ok(()),
        false => service.recover(&header.scope).map(drop),
    })
}

/// One chain that cannot be cared for does not keep the others waiting.
fn keep_audits(service: &Lacuna, store: &dyn Store, stop: &Stop) -> Result<()> {
    each_vault(store, |header| {
        if stop.asked() {
            return Ok(());
        }
        let kept = service.keep_audit(&header.scope).and_then(|kept| {
            let tombstones = service.forget_tombstones(&header.scope)?;
            Ok((kept.aged, tombstones))
        });
        match kept {
            Ok((0, 0)) => {}
            Ok((aged, tombstones)) => tracing::info!(aged, tombstones, "old entries and tombstones went"),
            Err(error) => tracing::warn!(code = error.code(), "the care of an audit chain waits"),
        }
        Ok(())
    })?;
    service.forget_old_erasures()?;
    let overdue = store.due_records(RecordKind::Request, service.clock().now(), RECORDS_PAGE_MAX)?.len();
    if overdue > 0 {
        tracing::warn!(overdue, "requests of people to be forgotten are overdue");
    }
    Ok(())
}

fn each_vault(store: &dyn Store, mut visit: impl FnMut(&VaultHeader) -> Result<()>) -> Result<()> {
    let mut after = None;
    loop {
        let page = store.vaults(after, VAULTS_PAGE)?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.id);
        page.iter().try_for_each(&mut visit)?;
    }
}

fn work(service: &Lacuna, stop: &Stop) {
    let mut pause = PAUSE_FIRST;
    while !stop.asked() {
        let mut unless_asked_to_stop =
            |_| if stop.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        match service.work_backlog(PATIENCE, &mut unless_asked_to_stop) {
            None => {}
            Some(Ok(embedded)) => {
                pause = PAUSE_FIRST;
                tracing::debug!(embedded, "a vault has its vectors");
            }
            Some(Err(error)) => {
                tracing::warn!(code = error.code(), pause_s = pause.as_secs(), "re-embedding rests");
                stop.wait(pause);
                pause = (pause * 2).min(PAUSE_MAX);
            }
        }
    }
}
