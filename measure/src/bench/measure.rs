//! The ways of measuring: a latency is the time of one call after some that warm up.

use std::fs;
use std::time::{Duration, Instant};

use crate::Result;

/// Calls before the clock starts.
const WARM_UP_RUNS: usize = 20;
/// Calls of one round. Machines are shared, and take time away for seconds on end: the quietest round says what the
/// code takes, all of them what a user saw.
const ROUND_RUNS: usize = 100;
const PAGE_BYTES: usize = 4096;

#[derive(Clone, Copy, Debug)]
pub(super) struct Latency {
    pub(super) p50: Duration,
    pub(super) p99: Duration,
    /// The p50 of the quietest round.
    pub(super) quiet_p50: Duration,
}

impl Latency {
    /// Of times in the order in which they were taken.
    pub(super) fn of(mut times: Vec<Duration>) -> Self {
        let rounds = times.chunks_mut(ROUND_RUNS).map(|round| percentile(round, 50));
        let quiet_p50 = rounds.min().unwrap_or_default();
        Self { p50: percentile(&mut times, 50), p99: percentile(&mut times, 99), quiet_p50 }
    }
}

fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    let place = (times.len() * percent / 100).min(times.len().saturating_sub(1));
    times.get(place).copied().unwrap_or_default()
}

/// Times `runs` calls of `once`, each of which is told its number.
pub(super) fn latency(runs: usize, mut once: impl FnMut(usize) -> Result) -> Result<Latency> {
    for run in 0..WARM_UP_RUNS.min(runs) {
        once(run)?;
    }
    each(runs, once)
}

/// The same for calls that cannot be repeated: every one counts.
pub(super) fn each(runs: usize, mut once: impl FnMut(usize) -> Result) -> Result<Latency> {
    let mut times = Vec::with_capacity(runs);
    for run in 0..runs {
        let started = Instant::now();
        once(run)?;
        times.push(started.elapsed());
    }
    Ok(Latency::of(times))
}

/// The memory of this process that is in RAM, as Linux counts it, without the pages of files that it looks into:
/// those are the system's cache, and are there for whoever reads the file next.
pub(super) fn resident_bytes() -> Result<usize> {
    let statm = fs::read_to_string("/proc/self/statm")?;
    let mut pages = statm.split_whitespace().skip(1).map(str::parse::<usize>);
    let mut next = || pages.next().ok_or("no resident size in /proc/self/statm");
    let (resident, of_files) = (next()??, next()??);
    Ok((resident - of_files) * PAGE_BYTES)
}

pub(super) fn per_second(count: usize, took: Duration) -> f64 {
    count as f64 / took.as_secs_f64().max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_sorted_times() {
        let times = (1..=200).rev().map(Duration::from_micros).collect();
        let latency = Latency::of(times);
        assert_eq!(latency.p50, Duration::from_micros(101));
        assert_eq!(latency.p99, Duration::from_micros(199));
        assert_eq!(latency.quiet_p50, Duration::from_micros(51), "the second hundred is the quicker one");
        assert_eq!(Latency::of(Vec::new()).p99, Duration::ZERO);
    }
}
