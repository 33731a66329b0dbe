//! Every command dies, or meets a broken or a full disk, at each of its durable steps.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::is_long;
use crate::story::{Deed, Story};

/// Steps that a command can have; one more, and a loop does not end.
const STEPS_MAX: usize = 2_000;
/// In a short run, the next step to try is this many times the one before.
const SHORT_STRIDE: usize = 6;
/// Commands of a short run.
const SHORT_DEEDS: [&str; 4] = ["first remember", "forget", "restore", "keys renew-epoch"];
/// The disk is full at a write, and next at the one that comes this part of the way later.
const FULL_PART: usize = 4;
/// Commands wait for the disk most of the time.
const WORKERS_PER_CORE: usize = 3;
const SIGKILL: i32 = 9;

#[derive(Clone, Copy, PartialEq)]
enum Mishap {
    Kill,
    /// One step fails.
    Broken,
    /// From one write on, every write fails.
    Full,
}

impl Mishap {
    fn word(self) -> &'static str {
        match self {
            Mishap::Kill => "kill",
            Mishap::Broken => "eio",
            Mishap::Full => "full",
        }
    }
}

/// The compiled `steps.c`, or `None` where there is no compiler for it.
struct Steps {
    library: PathBuf,
}

impl Steps {
    fn build(folder: &Path) -> Option<Self> {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/attacks/steps.c");
        let library = folder.join("steps.so");
        let arguments = ["-shared", "-fPIC", "-O2", "-o", library.to_str().unwrap(), source, "-ldl"];
        match Command::new("cc").args(arguments).status() {
            Ok(status) => assert!(status.success(), "steps.c does not compile"),
            Err(_) => {
                eprintln!("skipped: crash points need a C compiler, and there is no `cc`");
                return None;
            }
        }
        Some(Self { library })
    }

    /// Runs a deed with a mishap at one of its steps, from its beginning. Returns its output, and whether the mishap
    /// came.
    fn run(&self, story: &Story, deed: &Deed, mishap: Mishap, at: usize) -> (Output, bool) {
        story.begin(deed);
        let mark = story.data().with_extension("mark");
        let output = story.run(deed, |command| {
            command.env("LD_PRELOAD", &self.library).env("STEP_FOLDER", story.work());
            command.env("STEP_DO", mishap.word()).env("STEP_AT", at.to_string()).env("STEP_MARK", &mark);
        });
        (output, mark.exists())
    }
}

/// Tries one mishap at the steps of each command, and prints how many there were.
fn explore(mishap: Mishap, title: &str) {
    let story = Story::make();
    let Some(steps) = Steps::build(&story.file("")) else { return };
    let names = Mutex::new(chosen(story.deeds().into_iter().map(|deed| deed.name).collect()));
    let (faults, tried) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
    let workers = std::thread::available_parallelism().unwrap().get() * WORKERS_PER_CORE;
    std::thread::scope(|scope| {
        for place in 0..workers {
            let (story, steps, names, faults, tried) = (story.at(place), &steps, &names, &faults, &tried);
            scope.spawn(move || {
                while let Some(name) = { names.lock().unwrap().pop() } {
                    let deed = story.deeds().into_iter().find(|deed| deed.name == name).unwrap();
                    let (points, found) = try_steps(&story, steps, &deed, mishap);
                    eprintln!("| {title} | {name} | {points} | {} |", found.len());
                    tried.fetch_add(points, Ordering::Relaxed);
                    faults.lock().unwrap().extend(found);
                }
            });
        }
    });
    let (faults, tried) = (faults.into_inner().unwrap(), tried.into_inner());
    eprintln!("| {title} | all of these | {tried} | {} |", faults.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(tried > 0);
}

/// The commands of this run: those that `LACUNA_TEST_DEEDS` lists, separated by commas, or else all of a long run.
fn chosen(mut names: Vec<&'static str>) -> Vec<&'static str> {
    let Ok(listed) = std::env::var("LACUNA_TEST_DEEDS") else {
        names.retain(|name| is_long() || SHORT_DEEDS.contains(name));
        return names;
    };
    let known = |listed| names.iter().copied().find(|&name| name == listed);
    listed.split(',').map(|listed| known(listed).unwrap_or_else(|| panic!("no command {listed:?}"))).collect()
}

/// Tries a mishap at the steps of one command until it comes to its end. Returns how many there were, and what each
/// that was not survived left behind.
fn try_steps(story: &Story, steps: &Steps, deed: &Deed, mishap: Mishap) -> (usize, Vec<String>) {
    let (mut at, mut points, mut faults) = (1, 0, Vec::new());
    loop {
        let (output, came) = steps.run(story, deed, mishap, at);
        if !came {
            assert!(output.status.success(), "{} fails by itself: {output:?}", deed.name);
            story.judge(deed, true).unwrap_or_else(|fault| panic!("{} without a mishap: {fault}", deed.name));
            return (points, faults);
        }
        assert!(at < STEPS_MAX, "{} does not end", deed.name);
        let killed = output.status.signal() == Some(SIGKILL);
        assert!(killed == (mishap == Mishap::Kill), "{} {at}: {:?}", deed.name, output.status);
        if let Err(fault) = story.judge(deed, output.status.success()) {
            faults.push(format!("{}, step {at}: {fault}", deed.name));
        }
        points += 1;
        at = next(at, mishap);
    }
}

/// The step to try next: each one in a long run. Writes are many and most of them alike, so that they are tried more
/// and more thinly, and so are steps in a short run.
fn next(at: usize, mishap: Mishap) -> usize {
    match (is_long(), mishap) {
        (false, _) => at * SHORT_STRIDE,
        (true, Mishap::Full) => at + at.div_ceil(FULL_PART),
        (true, _) => at + 1,
    }
}

#[test]
fn a_command_that_dies_at_any_step_loses_nothing_and_revives_nothing() {
    explore(Mishap::Kill, "killed at a step");
}

#[test]
fn a_step_that_fails_is_reported_and_loses_nothing() {
    explore(Mishap::Broken, "a step fails (EIO)");
}

#[test]
fn a_disk_that_is_full_stops_a_command_and_loses_nothing() {
    explore(Mishap::Full, "the disk is full (ENOSPC)");
}
