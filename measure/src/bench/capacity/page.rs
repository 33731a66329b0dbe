//! The figures as a part of the page of results.

use std::time::Duration;

use super::super::report::{Report, thousands, time, times};
use super::database::SETTINGS_SHOWN;
use super::nodes::NODES;
use super::stage::{CLIENTS, LoadFigures, Stage};

pub(super) const TITLE: &str = "Capacity";

/// One figure at every size.
struct Line {
    name: String,
    value: fn(&Stage) -> f64,
    show: fn(f64) -> String,
}

fn line(name: impl Into<String>, value: fn(&Stage) -> f64, show: fn(f64) -> String) -> Line {
    Line { name: name.into(), value, show }
}

pub(super) fn write(
    command: &str,
    version: &str,
    memories: usize,
    load: Duration,
    stages: &[Stage],
) -> String {
    let mut page = Report::part(TITLE, command);
    page.line(&format!(
        "\nPostgreSQL {version} ({SETTINGS_SHOWN}), {NODES} processes of `lacuna serve` with the static model, and {CLIENTS} clients, all on this \
         machine. Each user has {} memories, sealed under keys of their own. Users come by Zipf's law, each to the same node. Each load lasts \
         {} s. Filling does not wait for the disk (`fsync = off`); everything after it does. Processor time and transactions are divided by answers, \
         with the audit of reads.\n",
        thousands(memories),
        load.as_secs()
    ));
    let mut head = vec![String::new()];
    head.extend(stages.iter().map(|stage| format!("{} users", thousands(stage.users))));
    head.push("growth".into());
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let rows = lines().iter().map(|line| row(line, stages)).collect();
    page.table(&head, rows);
    let loads: Vec<_> = stages.iter().map(|stage| stage.machine_load.as_str()).collect();
    let failed: usize = stages.iter().flat_map(loads_of).map(|load| load.failed).sum();
    page.line(&format!(
        "\nLoad of the machine after each size: {}. Requests that failed: {failed}. Growth is from the first size to the last.",
        loads.join(", ")
    ));
    if let Some(last) = stages.iter().rfind(|stage| !stage.jobs.is_empty()) {
        page.line(&jobs_line(last));
    }
    page.into_text()
}

/// The figure at each size, and how it grew from the first to the last.
fn row(line: &Line, stages: &[Stage]) -> Vec<String> {
    let values: Vec<f64> = stages.iter().map(line.value).collect();
    let growth = match values.as_slice() {
        [first, .., last] if *first > 0.0 && *last > 0.0 => times(last / first),
        _ => "–".into(),
    };
    let mut row = vec![line.name.clone()];
    row.extend(values.into_iter().map(line.show));
    row.push(growth);
    row
}

fn lines() -> Vec<Line> {
    let mut lines = lines_at_rest();
    lines.extend(opening_lines());
    lines.extend(recall_lines());
    lines.extend(write_lines());
    lines
}

fn lines_at_rest() -> Vec<Line> {
    vec![
        line("memories", |at| at.memories as f64, count),
        line("filled, memories per second", |at| at.filled.per_second(), count),
        line("on disk, data", |at| at.disk.data as f64, bytes),
        line("on disk, keys", |at| at.disk.keys as f64, bytes),
        line("on disk, per user", |at| at.disk.all() as f64 / at.users as f64, bytes),
        line("on disk, per memory", |at| at.disk.all() as f64 / at.memories as f64, bytes),
        line("all jobs once, in one process", |at| all_jobs(at).as_secs_f64(), seconds),
        line("all jobs once, per vault", |at| all_jobs(at).as_secs_f64() / at.users as f64, seconds),
        line("start of a node, slowest", |at| at.started_in.as_secs_f64(), seconds),
        line("RAM of all nodes at rest", |at| at.ram_at_rest as f64, bytes),
        line("RAM of all nodes after the loads", |at| at.ram as f64, bytes),
        line("vaults open in them", |at| at.open_vaults as f64, count),
        line("RAM per open vault, as the cache counts it", |at| share(at.open_bytes, at.open_vaults), bytes),
        line("RAM of PostgreSQL", |at| at.database_ram as f64, bytes),
    ]
}

fn opening_lines() -> Vec<Line> {
    vec![
        line("cold recall, one client, p50", |at| p50(&at.cold), seconds),
        line("cold recall, one client, p99", |at| p99(&at.cold), seconds),
        line("first visits timed for it", |at| at.cold.count as f64, count),
        line(format!("opens per second, {CLIENTS} clients"), |at| at.opens.per_second, per_second),
        line("an open, processor time of nodes", |at| at.opens.nodes_time.as_secs_f64(), seconds),
        line("an open, processor time of PostgreSQL", |at| at.opens.database_time.as_secs_f64(), seconds),
        line("an open, transactions", |at| at.opens.transactions, tenths),
    ]
}

fn recall_lines() -> Vec<Line> {
    vec![
        line("hot recall, one client, p50", |at| p50(&at.hot), seconds),
        line("hot recall, one client, p99", |at| p99(&at.hot), seconds),
        line("a hot recall, transactions", |at| at.hot.transactions, tenths),
        line(format!("recalls per second, {CLIENTS} clients"), |at| at.recalls.per_second, per_second),
        line("recalls, p50", |at| p50(&at.recalls), seconds),
        line("recalls, p99", |at| p99(&at.recalls), seconds),
        line("recalls, first visits in a hundred", |at| 100.0 * first_visits(&at.recalls), tenths),
        line("a recall, processor time of nodes", |at| at.recalls.nodes_time.as_secs_f64(), seconds),
        line("a recall, processor time of PostgreSQL", |at| at.recalls.database_time.as_secs_f64(), seconds),
    ]
}

fn write_lines() -> Vec<Line> {
    vec![
        line(format!("writes per second, {CLIENTS} clients"), |at| at.writes.per_second, per_second),
        line("writes, p50", |at| p50(&at.writes), seconds),
        line("writes, p99", |at| p99(&at.writes), seconds),
        line("a write, processor time of nodes", |at| at.writes.nodes_time.as_secs_f64(), seconds),
        line("a write, processor time of PostgreSQL", |at| at.writes.database_time.as_secs_f64(), seconds),
        line("a write, transactions", |at| at.writes.transactions, tenths),
    ]
}

fn loads_of(stage: &Stage) -> [&LoadFigures; 5] {
    [&stage.cold, &stage.opens, &stage.hot, &stage.recalls, &stage.writes]
}

fn jobs_line(stage: &Stage) -> String {
    let each = stage.jobs.iter().map(|(job, took)| format!("{job} {}", time(*took)));
    let each: Vec<_> = each.collect();
    format!("\nJobs once over {} vaults: {}.", thousands(stage.users), each.join(", "))
}

fn all_jobs(stage: &Stage) -> Duration {
    stage.jobs.iter().map(|(_, took)| *took).sum()
}

fn p50(load: &LoadFigures) -> f64 {
    load.latency.p50.as_secs_f64()
}

fn p99(load: &LoadFigures) -> f64 {
    load.latency.p99.as_secs_f64()
}

fn first_visits(load: &LoadFigures) -> f64 {
    load.first_visits as f64 / load.count.max(1) as f64
}

fn share(of: u64, among: u64) -> f64 {
    of as f64 / among.max(1) as f64
}

/// A time; none for what was not measured.
fn seconds(value: f64) -> String {
    if value > 0.0 { time(Duration::from_secs_f64(value)) } else { "–".into() }
}

fn count(value: f64) -> String {
    thousands(value as usize)
}

fn tenths(value: f64) -> String {
    format!("{value:.1}")
}

fn per_second(value: f64) -> String {
    if value < 100.0 { tenths(value) } else { count(value) }
}

/// Bytes in the unit in which they have one to four digits.
fn bytes(value: f64) -> String {
    const KIB: f64 = 1024.0;
    match value {
        ..1e4 => format!("{} B", count(value)),
        ..1e7 => format!("{} KiB", count(value / KIB)),
        ..1e10 => format!("{} MiB", count(value / KIB.powi(2))),
        _ => format!("{:.1} GiB", value / KIB.powi(3)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_in_a_unit_that_people_read() {
        assert_eq!(bytes(2_500.0), "2,500 B");
        assert_eq!(bytes(12_288.0), "12 KiB");
        assert_eq!(bytes(3.0 * 1024.0 * 1024.0 * 1024.0), "3,072 MiB");
        assert_eq!(bytes(32.5 * 1024.0 * 1024.0 * 1024.0), "32.5 GiB");
        assert_eq!((per_second(12.34), per_second(1_234.0)), ("12.3".into(), "1,234".into()));
    }
}
