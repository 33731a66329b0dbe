//! The scheduler of a server: one thread for each job, and the store to agree with other servers.

use std::sync::Arc;
use std::time::Duration;

use lacuna_core::Lacuna;
use lacuna_core::govern::{Job, Ran, Schedule};

use crate::background::Stop;
use crate::wire::hex;

/// Delay after the start of a server before it runs jobs, so that it serves first.
const FIRST: Duration = Duration::from_secs(30);
/// Interval at which each thread checks whether its job is due.
const LOOK_EVERY: Duration = Duration::from_secs(20);

/// Runs `job` whenever it is due and no other server runs it, until the stop.
pub(crate) fn keep_running(service: &Lacuna, job: Job, node: &str, schedule: Schedule, stop: &Stop) {
    stop.wait(FIRST);
    while !stop.asked() {
        run_once(service, job, node, schedule, stop);
        stop.wait(LOOK_EVERY);
    }
}

fn run_once(service: &Lacuna, job: Job, node: &str, schedule: Schedule, stop: &Stop) {
    match service.upkeep().run_job(job, node, false, &schedule, &|| stop.asked()) {
        Ok(Ran::NotNow | Ran::Done(0) | Ran::Stopped(0)) => {}
        Ok(Ran::Done(done) | Ran::Stopped(done)) => tracing::info!(%job, done, "a job did its round"),
        Ok(Ran::Lost) => tracing::warn!(%job, "another node took a job over"),
        Ok(Ran::Failed(error)) | Err(error) => {
            tracing::warn!(%job, code = error.code(), "a job rests after a failure");
        }
    }
}

/// The jobs that run by themselves.
pub(crate) fn scheduled(schedule: &Schedule) -> impl Iterator<Item = Job> {
    Job::ALL.iter().copied().filter(|job| job.every(schedule).is_some())
}

/// A name for this process that no other has, and that says nothing about the machine.
pub(crate) fn node_name(entropy: &dyn lacuna_seal::Entropy) -> Arc<str> {
    let mut bytes = [0; 8];
    entropy.fill(&mut bytes);
    format!("node-{}", hex(&bytes)).into()
}
