//! The table of jobs, and running one by hand.

use clap::Subcommand;
use indicatif::ProgressBar;
use lacuna_core::govern::{Job, Ran};
use lacuna_core::permit::Caller;
use lacuna_seal::SystemEntropy;
use lacuna_types::Role;
use serde::Serialize;

use super::args::words;
use super::output::{Output, counted, minute, table};
use crate::assemble::{Installation, assemble};
use crate::background::jobs::node_name;
use crate::codes;
use crate::config::Config;
use crate::wire::failure::{Failure, Result};
use crate::wire::{self, JobList, JobView};

#[derive(Subcommand)]
pub(super) enum JobsCommand {
    /// Run a job now, unless it runs already.
    Run {
        #[arg(value_parser = words::<wire::Job, _>(wire::Job::all()))]
        job: wire::Job,
    },
}

#[derive(Serialize)]
struct JobRun {
    job: &'static str,
    /// Number of things that it did.
    done: u64,
}

pub(super) fn run(config: &Config, command: Option<JobsCommand>, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    match command {
        None => {
            let states = installation.service.jobs(&installation.admin_grant()?, &config.schedule)?;
            output.show(&JobList::of(states), people)
        }
        Some(JobsCommand::Run { job }) => run_now(config, &installation, job.0, output),
    }
}

fn run_now(config: &Config, installation: &Installation, job: Job, output: &Output) -> Result<()> {
    may_run(&installation.local)?;
    let bar = ProgressBar::new_spinner();
    bar.set_message(job.as_str());
    let node = node_name(&SystemEntropy);
    let ran = installation.service.upkeep().run_job(job, &node, true, &config.schedule, &|| false);
    bar.finish_and_clear();
    match ran? {
        Ran::Done(done) | Ran::Stopped(done) => {
            output.show(&JobRun { job: job.as_str(), done }, |run| format!("{}: {} done", run.job, run.done))
        }
        Ran::NotNow => Err(Failure::new(&codes::CONFLICT, format!("{job} is running elsewhere"))),
        Ran::Lost => Err(Failure::new(&codes::CONFLICT, format!("{job} was taken over by another node"))),
        Ran::Failed(error) => Err(error.into()),
    }
}

fn may_run(local: &Caller) -> Result<()> {
    match local.roles.contains(&Role::Admin) {
        true => Ok(()),
        false => Err(lacuna_types::Error::Denied("this needs the admin role").into()),
    }
}

fn people(list: &JobList) -> String {
    let rows = list.jobs.iter().map(|job| {
        let last = job.ended_at.map(minute).unwrap_or_default();
        [job.job.to_owned(), every(job), last, outcome(job), next(job)]
    });
    table(["job", "every", "last run", "outcome", "next"], rows)
}

fn every(job: &JobView) -> String {
    match job.every_hours {
        None => "on demand".to_owned(),
        Some(hours) if hours % 24 == 0 => format!("{} d", hours / 24),
        Some(hours) => format!("{hours} h"),
    }
}

fn outcome(job: &JobView) -> String {
    if let Some(node) = &job.running_on {
        return format!("running on {node}");
    }
    match (&job.outcome, job.failures) {
        (None, _) => "never ran".to_owned(),
        (Some(outcome), 0) => format!("{outcome}, {} done", job.done),
        (Some(outcome), failures) => {
            format!("{outcome}, failed {}", counted(failures as usize, "time", "times"))
        }
    }
}

fn next(job: &JobView) -> String {
    match (job.every_hours, job.due_at) {
        (None, _) => String::new(),
        (Some(_), None) => "when a server runs".to_owned(),
        (Some(_), Some(due)) => minute(due),
    }
}
