//! Processor time and RAM of other processes, as Linux counts them.

use std::fs;
use std::time::Duration;

use super::super::report::field;
use crate::Result;

/// Linux counts processor time for programs in hundredths of a second.
const TICK: Duration = Duration::from_millis(10);
/// Places in `/proc/PID/stat` after the name of the program.
const PARENT: usize = 1;
const USER_TIME: usize = 11;
const SYSTEM_TIME: usize = 12;
const CHILDREN_USER_TIME: usize = 13;
const CHILDREN_SYSTEM_TIME: usize = 14;

#[derive(Clone, Copy)]
pub(super) struct Process(pub(super) u32);

impl Process {
    pub(super) fn processor_time(self) -> Result<Duration> {
        self.ticks([USER_TIME, SYSTEM_TIME])
    }

    /// Processor time of children that ended.
    pub(super) fn ended_children_time(self) -> Result<Duration> {
        self.ticks([CHILDREN_USER_TIME, CHILDREN_SYSTEM_TIME])
    }

    /// Bytes in RAM that belong to it alone, without pages of files.
    pub(super) fn own_ram(self) -> u64 {
        self.status_bytes("RssAnon")
    }

    /// Bytes in RAM that it shares with other processes, without pages of files.
    pub(super) fn shared_ram(self) -> u64 {
        self.status_bytes("RssShmem")
    }

    fn ticks(self, places: [usize; 2]) -> Result<Duration> {
        let numbers = self.stat()?;
        let ticks: u64 = places.iter().filter_map(|place| numbers.get(*place)).sum();
        Ok(TICK * u32::try_from(ticks)?)
    }

    fn stat(self) -> Result<Vec<u64>> {
        Ok(stat_numbers(&fs::read_to_string(format!("/proc/{}/stat", self.0))?))
    }

    fn status_bytes(self, name: &str) -> u64 {
        let text = field(&format!("/proc/{}/status", self.0), name);
        text.strip_suffix(" kB").and_then(|kib| kib.trim().parse::<u64>().ok()).unwrap_or(0) << 10
    }
}

/// The fields after the program's name, which may hold anything; what is no number counts as zero.
fn stat_numbers(stat: &str) -> Vec<u64> {
    let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    rest.split_whitespace().map(|word| word.parse().unwrap_or(0)).collect()
}

/// The processes that `parent` started.
pub(super) fn children(parent: Process) -> Result<Vec<Process>> {
    let numbers = fs::read_dir("/proc")?.flatten();
    let all = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok().map(Process));
    let is_child = |process: &Process| {
        process.stat().is_ok_and(|numbers| numbers.get(PARENT) == Some(&u64::from(parent.0)))
    };
    Ok(all.filter(is_child).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_behind_a_name_that_looks_like_more_fields() {
        let stat = "12 (a) 7 (b) S 3 12 12 0 -1 4 100 0 2 0 41 5 600 70 20 0 9";
        let numbers = stat_numbers(stat);
        assert_eq!(numbers[PARENT], 3);
        assert_eq!((numbers[USER_TIME], numbers[SYSTEM_TIME]), (41, 5));
        assert_eq!((numbers[CHILDREN_USER_TIME], numbers[CHILDREN_SYSTEM_TIME]), (600, 70));
    }

    #[test]
    fn this_process_has_ram_and_a_parent() {
        let own = Process(std::process::id());
        assert!(own.own_ram() > 0 && own.processor_time().is_ok());
        let parent = u32::try_from(own.stat().unwrap()[PARENT]).unwrap();
        assert!(children(Process(parent)).unwrap().iter().any(|child| child.0 == own.0));
    }
}
