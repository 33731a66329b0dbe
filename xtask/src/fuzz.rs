//! The fuzz targets, on the stable toolchain: built with counters for libFuzzer, run for a while, and counted.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::Result;
use xtask::process::{cargo, step};

/// Seconds for each target, unless the caller says otherwise.
pub(crate) const SECONDS_DEFAULT: u32 = 120;
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz");
const BUILD_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target");
/// RAM of one target; a reader that takes more is a finding.
const RAM_MIB_MAX: u32 = 2_048;
/// Seconds for one input; a reader that takes longer is a finding. The clock runs on while others have the processor, so
/// that there is room for a busy machine.
const INPUT_SECONDS_MAX: u32 = 60;
/// Bytes of one input: room for nesting and repetition, and small enough for many executions.
const INPUT_BYTES_MAX: u32 = 16 << 10;

/// The account of one target.
struct Fuzzed {
    target: String,
    executions: u64,
    seeds: usize,
    seconds: u32,
    /// Inputs that a reader did not survive.
    findings: Vec<PathBuf>,
}

/// Builds and runs every target, and fails if one of them found anything.
pub(crate) fn run(seconds: u32) -> Result<()> {
    let manifest = Path::new(FOLDER).join("Cargo.toml");
    let built =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from(BUILD_FOLDER), PathBuf::from);
    let built = built.join("fuzz");
    let wrapper = Path::new(FOLDER).join("instrument.sh").canonicalize()?;
    let mut build = cargo();
    build.args(["build", "--bins", "--manifest-path"]).arg(manifest).arg("--target-dir").arg(&built);
    step(build.env("RUSTC_WRAPPER", wrapper))?;
    let queue = Mutex::new(targets()?);
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let workers = std::thread::available_parallelism()?.get();
    let accounts = std::thread::scope(|scope| {
        let work = || {
            let mut accounts = Vec::new();
            while let Some(target) = next() {
                accounts.push(fuzz(&built, target, seconds).map_err(|error| error.to_string())?);
            }
            Ok::<_, String>(accounts)
        };
        let running: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let joined =
            running.into_iter().map(|thread| thread.join().map_err(|_| "a worker died".to_owned())?);
        joined.collect::<Result<Vec<_>, _>>()
    })?;
    report(accounts.into_iter().flatten().collect())
}

fn targets() -> Result<VecDeque<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(Path::new(FOLDER).join("fuzz_targets"))? {
        names.extend(entry?.path().file_stem().map(|stem| stem.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names.into())
}

fn fuzz(built: &Path, target: String, seconds: u32) -> Result<Fuzzed> {
    // What the fuzzer finds interesting goes to the first folder; the seeds stay as they are.
    let (grown, found) = (built.join("corpus").join(&target), built.join("found").join(&target));
    let seeds = Path::new(FOLDER).join("corpus").join(&target);
    let scratch = built.join("scratch").join(&target);
    let _ = fs::remove_dir_all(&found);
    for folder in [&grown, &found, &scratch] {
        fs::create_dir_all(folder)?;
    }
    let mut command = Command::new(built.join("debug").join(&target));
    command.args([&grown, &seeds]).arg(format!("-artifact_prefix={}/", found.display()));
    command.args([
        format!("-max_total_time={seconds}"),
        format!("-rss_limit_mb={RAM_MIB_MAX}"),
        format!("-timeout={INPUT_SECONDS_MAX}"),
        format!("-report_slow_units={INPUT_SECONDS_MAX}"),
        format!("-max_len={INPUT_BYTES_MAX}"),
        "-print_final_stats=1".to_owned(),
    ]);
    eprintln!("xtask: fuzzing {target} for {seconds} s");
    // A target may make an installation, and ends without a chance to remove it.
    let output = command.env("TMPDIR", &scratch).stdout(Stdio::null()).output()?;
    fs::remove_dir_all(scratch)?;
    let told = String::from_utf8_lossy(&output.stderr);
    let findings = fs::read_dir(&found)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let executions = statistic(&told, "stat::number_of_executed_units:");
    if !output.status.success() || !findings.is_empty() {
        eprintln!("xtask: {target}:\n{told}");
    }
    let executions = executions.ok_or_else(|| format!("{target} did not run to its end: {}", output.status));
    let executions = if findings.is_empty() { executions? } else { executions.unwrap_or(0) };
    Ok(Fuzzed { seeds: fs::read_dir(&seeds)?.count(), target, executions, seconds, findings })
}

fn statistic(told: &str, name: &str) -> Option<u64> {
    told.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
}

/// Prints the table for `bench/RESULTS.md`.
fn report(mut accounts: Vec<Fuzzed>) -> Result<()> {
    accounts.sort_by(|one, other| one.target.cmp(&other.target));
    println!("| fuzz target | seeds | seconds | executions | findings |\n|---|---|---|---|---|");
    for Fuzzed { target, executions, seeds, seconds, findings } in &accounts {
        println!("| {target} | {seeds} | {seconds} | {executions} | {} |", findings.len());
    }
    let executions: u64 = accounts.iter().map(|account| account.executions).sum();
    let findings: Vec<_> = accounts.iter().flat_map(|account| &account.findings).collect();
    println!("| {} targets | | | {executions} | {} |", accounts.len(), findings.len());
    match findings.as_slice() {
        [] => Ok(()),
        [first, ..] => {
            Err(format!("{} inputs were not survived, such as {}", findings.len(), first.display()).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_of_executions_is_found_in_the_statistics() {
        let told = "Done 7 runs\nstat::number_of_executed_units: 1234\nstat::peak_rss_mb: 40\n";
        assert_eq!(statistic(told, "stat::number_of_executed_units:"), Some(1_234));
        assert_eq!(statistic("", "stat::number_of_executed_units:"), None);
    }

    #[test]
    fn the_targets_know_every_dependency_of_the_program() {
        let read = |path: &str| fs::read_to_string(Path::new(FOLDER).join(path)).unwrap();
        let (program, ours) = (read("../crates/lacuna/Cargo.toml"), read("Cargo.toml"));
        let (_, dependencies) = program.split_once("[dependencies]\n").unwrap();
        let lines = dependencies.lines().take_while(|line| !line.starts_with('['));
        let names: Vec<&str> = lines.filter_map(|line| line.split(['.', ' ', '=']).next()).collect();
        assert!(names.len() > 10);
        for name in names.into_iter().filter(|name| !name.is_empty() && !name.starts_with('#')) {
            let is_named = |line: &str| line.split([' ', '=', '.']).next() == Some(name);
            assert!(ours.lines().any(is_named), "fuzz/Cargo.toml lacks {name}");
        }
    }

    #[test]
    fn every_target_has_seeds_and_a_binary() {
        let manifest = fs::read_to_string(Path::new(FOLDER).join("Cargo.toml")).unwrap();
        let targets = targets().unwrap();
        assert!(targets.len() >= 10);
        for target in targets {
            assert!(manifest.contains(&format!("name = \"{target}\"\n")), "{target} is not built");
            let seeds = fs::read_dir(Path::new(FOLDER).join("corpus").join(&target));
            assert!(seeds.is_ok_and(|mut seeds| seeds.next().is_some()), "{target} has no seeds");
        }
    }
}
