//! Commands, and a server beside them, die at random moments on one data folder that lives on.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::story::{done, program, texts};
use crate::{Server, is_long};

const USER: &str = "anna";
/// Kills of each kind of work in a short and in a long run.
const SHORT_KILLS: usize = 2;
const LONG_KILLS: usize = 30;
/// Rounds of two processes of which one dies.
const SHORT_PAIRS: usize = 4;
const LONG_PAIRS: usize = 150;
/// Time for work that is not to be killed.
const PATIENCE: Duration = Duration::from_secs(60);
/// Texts in one import.
const TOGETHER: usize = 5;
const SESSION: &str = "ses_rounds";

/// The kinds of work that die.
const KINDS: [Kind; 9] = [
    Kind::Remember,
    Kind::Forget,
    Kind::Turns,
    Kind::Import,
    Kind::Export,
    Kind::Compact,
    Kind::Backup,
    Kind::RenewEpoch,
    Kind::Restore,
];

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Remember,
    Forget,
    Turns,
    Import,
    Export,
    Compact,
    Backup,
    RenewEpoch,
    Restore,
}

/// A number that looks random and comes again in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// The promises of a folder: texts that must be there, and texts that must not.
struct Promises {
    folder: tempfile::TempDir,
    kept: BTreeSet<String>,
    gone: BTreeSet<String>,
    number: usize,
}

impl Promises {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder, kept: BTreeSet::new(), gone: BTreeSet::new(), number: 0 }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn file(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn new_text(&mut self) -> String {
        self.number += 1;
        format!("note {} of these rounds", self.number)
    }

    fn remember(&mut self) {
        let text = self.new_text();
        done(&self.data(), USER, &["remember", &text]).unwrap();
        self.kept.insert(text);
    }

    /// Everything that was acknowledged holds.
    fn check(&self, after: &str) {
        let now = texts(&self.data(), USER).unwrap_or_else(|fault| panic!("after {after}: {fault}"));
        let lost: Vec<_> = self.kept.difference(&now).collect();
        assert!(lost.is_empty(), "after {after}, acknowledged and lost: {lost:?}");
        let back: Vec<_> = self.gone.intersection(&now).collect();
        assert!(back.is_empty(), "after {after}, forgotten and back: {back:?}");
        let audit = done(&self.data(), USER, &["audit", "verify"]);
        audit.unwrap_or_else(|fault| panic!("after {after}: {fault}"));
    }
}

/// One piece of work: its arguments, the texts that it brings, and the one that it takes.
struct Work {
    args: Vec<String>,
    brings: Vec<String>,
    takes: Option<String>,
}

fn work(promises: &mut Promises, kind: Kind) -> Work {
    let args = |args: &[&str]| args.iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>();
    let plain = |args| Work { args, brings: Vec::new(), takes: None };
    let file = promises.file("file");
    let _ = std::fs::remove_file(&file);
    match kind {
        Kind::Remember => {
            let text = promises.new_text();
            Work { args: args(&["remember", &text]), brings: vec![text], takes: None }
        }
        Kind::Turns => {
            let text = promises.new_text();
            Work { args: args(&["session", "append", SESSION, &text]), brings: vec![text], takes: None }
        }
        Kind::Forget => {
            promises.remember();
            let page = done(&promises.data(), USER, &["memory", "list", "--limit", "1"]).unwrap();
            let newest = &page["memories"][0];
            let text = newest["gist"].as_str().unwrap().to_owned();
            let id = newest["memory_id"].as_str().unwrap();
            Work { takes: Some(text), ..plain(args(&["memory", "delete", id, "--yes"])) }
        }
        Kind::Import => {
            let texts: Vec<_> = (0..TOGETHER).map(|_| promises.new_text()).collect();
            let records: Vec<_> = texts.iter().map(|text| serde_json::json!({ "memory": text })).collect();
            std::fs::write(&file, serde_json::json!({ "results": records }).to_string()).unwrap();
            Work { args: args(&["import", &file]), brings: texts, takes: None }
        }
        Kind::Export => plain(args(&["export", &file])),
        Kind::Compact => plain(args(&["compact", "--session", SESSION, "--force"])),
        Kind::Backup => plain(args(&["backup", "--full", &file])),
        Kind::RenewEpoch => plain(args(&["keys", "renew-epoch"])),
        Kind::Restore => {
            // A backup of this moment: whether the restore comes to its end or not, all of it must be there.
            done(&promises.data(), USER, &["backup", &file]).unwrap();
            plain(args(&["restore", &file]))
        }
    }
}

/// Kills a process after a part of the time that such work takes. Returns true if it was done before.
fn kill_after(mut child: Child, moment: Duration) -> (bool, bool) {
    let deadline = Instant::now() + moment;
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait().unwrap() {
            return (status.success(), false);
        }
        std::thread::sleep(Duration::from_micros(300));
    }
    child.kill().unwrap();
    (child.wait().unwrap().success(), true)
}

fn spawn(data: &Path, args: &[String]) -> Child {
    let mut command: Command = program(data, USER);
    command.args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn commands_that_die_at_a_random_moment_lose_nothing_acknowledged() {
    let kills_wanted = if is_long() { LONG_KILLS } else { SHORT_KILLS };
    let (mut promises, mut dice) = (Promises::new(), Dice(0x9e37_79b9_7f4a_7c15));
    promises.remember();
    for kind in KINDS {
        let (mut kills, mut ends) = (0, 0);
        // The time that such work takes. The first one is not killed, so that it is known.
        let mut time = None;
        while kills < kills_wanted {
            let work = work(&mut promises, kind);
            if let Some(text) = &work.takes {
                promises.kept.remove(text);
            }
            let part = dice.below(1_000) as f64 / 1_000.0;
            let moment = time.map_or(PATIENCE, |time: Duration| time.mul_f64(part));
            let begun = Instant::now();
            let (acknowledged, killed) = kill_after(spawn(&promises.data(), &work.args), moment);
            if killed {
                kills += 1;
            } else {
                assert!(acknowledged, "{kind:?} failed without being killed");
                ends += 1;
                time = Some(begun.elapsed());
            }
            if acknowledged {
                promises.kept.extend(work.brings);
                promises.gone.extend(work.takes);
            }
            promises.check(&format!("{kind:?} {kills}"));
        }
        eprintln!("| {kind:?} | {kills} | {ends} others came to their end |");
    }
    done(&promises.data(), USER, &["doctor"]).unwrap();
    let (kept, gone) = (promises.kept.len(), promises.gone.len());
    eprintln!("| all of these | {} | {kept} texts kept, {gone} forgotten |", kills_wanted * KINDS.len());
    assert!(kept > 0, "the work was real");
}

/// A server and commands share a data folder. One of the two dies, and the promises of both hold in the other.
#[test]
fn of_two_processes_on_one_folder_either_may_die() {
    let rounds = if is_long() { LONG_PAIRS } else { SHORT_PAIRS };
    let (mut promises, mut dice) = (Promises::new(), Dice(0x2545_f491_4f6c_dd1d));
    promises.remember();
    let mut server = start(&promises);
    let mut deaths = [0, 0];
    for round in 0..rounds {
        let texts = [promises.new_text(), promises.new_text()];
        let command = spawn(&promises.data(), &["remember".to_owned(), texts[0].clone()]);
        let moment = Duration::from_millis(dice.below(120));
        let written = AtomicBool::new(false);
        let server_dies = round % 2 == 0;
        let acknowledged = std::thread::scope(|scope| {
            let (base, text, written) = (&server.base, &texts[1], &written);
            scope.spawn(move || {
                let draft = serde_json::json!({ "content": text });
                let answer = ureq::post(format!("{base}/v1/memories")).send_json(draft);
                let whole = answer.is_ok_and(|mut answer| answer.body_mut().read_to_vec().is_ok());
                written.store(whole, Ordering::SeqCst);
            });
            if server_dies {
                std::thread::sleep(moment);
                // Through the system: the other thread still holds the address.
                let id = server.child.id().to_string();
                Command::new("kill").args(["-KILL", &id]).status().unwrap();
                let mut command = command;
                command.wait().unwrap().success()
            } else {
                kill_after(command, moment).0
            }
        });
        deaths[usize::from(server_dies)] += 1;
        assert!(acknowledged || !server_dies, "round {round}: the command lives on without the server");
        assert!(written.load(Ordering::SeqCst) || server_dies, "round {round}: the server lives on");
        let [by_command, by_server] = texts;
        promises.kept.extend(acknowledged.then_some(by_command));
        promises.kept.extend(written.into_inner().then_some(by_server));
        if server_dies {
            promises.check(&format!("the death of the server in round {round}"));
            server = start(&promises);
        }
        let heard = all_texts(&server.base);
        let lost: Vec<_> = promises.kept.difference(&heard).collect();
        assert!(lost.is_empty(), "round {round}: the server does not have {lost:?}");
    }
    promises.check("all rounds");
    eprintln!("| a command beside a server | {} | |", deaths[0]);
    eprintln!("| a server beside a command | {} | {} texts kept |", deaths[1], promises.kept.len());
}

fn start(promises: &Promises) -> Server {
    Server::start(&promises.data(), &["--embedder", "static"])
}

fn all_texts(base: &str) -> BTreeSet<String> {
    let page: serde_json::Value =
        ureq::get(format!("{base}/v1/memories?limit=500")).call().unwrap().body_mut().read_json().unwrap();
    let memories = page["memories"].as_array().unwrap();
    memories.iter().map(|memory| memory["gist"].as_str().unwrap_or_default().to_owned()).collect()
}
