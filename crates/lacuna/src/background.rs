//! Background work: the scheduled jobs, better vectors for new memories, deliveries, and locking vaults that
//! nobody uses.

pub(crate) mod jobs;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use jiff::SignedDuration;
use lacuna_core::Lacuna;
use lacuna_core::govern::Schedule;
use lacuna_seal::SystemEntropy;
use lacuna_store::rows::{Store, each_vault};
use lacuna_types::Result;

use crate::background::jobs::{keep_running, node_name, scheduled};
use crate::ram::scrub_stack;
use crate::webhook::{Webhook, deliver_due};

/// Wait for a vault before the worker checks for the stop.
const PATIENCE: Duration = Duration::from_millis(500);
/// Pause after a failure; it doubles with each further one.
const PAUSE_FIRST: Duration = Duration::from_secs(1);
const PAUSE_MAX: Duration = Duration::from_secs(300);
/// Interval between writes of reads into the audit.
const READS_EVERY: Duration = Duration::from_secs(1);
/// Interval between searches for due deliveries.
const DELIVER_EVERY: Duration = Duration::from_secs(2);

/// Threads that stop when this is dropped.
pub(crate) struct Background {
    stop: Arc<Stop>,
    threads: Vec<JoinHandle<()>>,
}

/// Tells every thread to stop, and wakes those that wait.
#[derive(Default)]
pub(crate) struct Stop {
    asked: AtomicBool,
    gate: Mutex<()>,
    rung: Condvar,
}

impl Stop {
    pub(crate) fn asked(&self) -> bool {
        self.asked.load(Ordering::Acquire)
    }

    pub(crate) fn ask(&self) {
        self.asked.store(true, Ordering::Release);
        let _gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        self.rung.notify_all();
    }

    /// Waits for `pause`, or until the stop.
    pub(crate) fn wait(&self, pause: Duration) {
        scrub_stack();
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
        close_every: Duration,
        schedule: Schedule,
        each_round: impl Fn() + Send + 'static,
    ) -> std::io::Result<Self> {
        let stop = Arc::new(Stop::default());
        let mut background = Self { stop: stop.clone(), threads: Vec::new() };
        let node = node_name(&SystemEntropy);
        for job in scheduled(&schedule) {
            let (service, stop, node) = (service.clone(), stop.clone(), node.clone());
            background.spawn(job.as_str(), move || keep_running(&service, job, &node, schedule, &stop))?;
        }
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
                if let Err(error) = reader.upkeep().flush_reads() {
                    tracing::warn!(code = error.code(), "reads wait for the audit");
                }
                if let Err(error) = reader.upkeep().flush_rehearsals() {
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
        let closer = service.clone();
        background.spawn("seal", move || {
            while !stop.asked() {
                closer.upkeep().close_idle(idle);
                each_round();
                stop.wait(close_every);
            }
        })?;
        Ok(background)
    }

    /// The signal that stops all threads before this is dropped.
    pub(crate) fn stop(&self) -> Arc<Stop> {
        self.stop.clone()
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
            // The log line of a thread that panicked says all there is to know.
            let _ = thread.join();
        }
    }
}

/// Finishes erasures that an earlier process announced and did not end, without waiting for a request to their
/// vault.
fn finish_erasures(service: &Lacuna, store: &dyn Store) -> Result<()> {
    service.upkeep().recover_destructions()?;
    each_vault(store, |header| match store.intents(header.id)?.is_empty() {
        true => Ok(()),
        false => service.upkeep().recover(&header.scope).map(drop),
    })
}

fn work(service: &Lacuna, stop: &Stop) {
    let mut pause = PAUSE_FIRST;
    while !stop.asked() {
        let mut unless_asked_to_stop =
            |_| if stop.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        match service.upkeep().work_backlog(PATIENCE, &mut unless_asked_to_stop) {
            None => scrub_stack(),
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
