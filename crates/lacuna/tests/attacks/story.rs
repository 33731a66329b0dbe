//! A data folder with a small story in it, the commands that change it, and the questions that tell whether a crash
//! left it whole.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

const USER: &str = "anna";
const OTHER_USER: &str = "ben";
const PASSPHRASE: &str = "correct horse battery staple";
const HERON: &str = "The heron nests in the mill.";
const OTTER: &str = "The otter sleeps by the weir.";
/// Said after the backups were made.
const WEASEL: &str = "The weasel came after the backup.";
/// Forgotten, with a receipt, before any command is tried.
const BADGER: &str = "The badger digs under the barn.";
/// Of the other user, whom no command concerns.
const STORK: &str = "The stork stands on the roof.";
const CRANE: &str = "The crane came afterwards.";
const IMPORTED: [&str; 3] =
    ["The lark sings at dawn.", "The wren hides in the hedge.", "The kite hangs over the field."];
const SESSION: &str = "ses_story";
/// Turns of the session: enough that a part of them can be compacted.
const TURNS: usize = 12;
/// Longer than a row takes, so that it becomes a blob. Only a transcript may be so long.
const LONG_SENTENCES: usize = 2_000;

/// The program, as a user calls it.
pub(crate) fn program(data: &Path, user: &str) -> Command {
    let mut command = crate::attacked();
    command.arg("--data").arg(data).args(["--as", user, "--json"]);
    command.env("LACUNA_EMBEDDER", "static").env("LACUNA_LOG", "error");
    command.env("LACUNA_BACKUP_PASSPHRASE", PASSPHRASE).stdin(Stdio::null());
    command
}

/// Runs a command that must succeed. Returns its answer.
pub(crate) fn done(data: &Path, user: &str, args: &[&str]) -> Result<serde_json::Value, String> {
    let output = program(data, user).args(args).output().unwrap();
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("`{}`: {}: {told}", args.join(" "), output.status));
    }
    Ok(serde_json::from_slice(&output.stdout).unwrap_or_default())
}

/// The whole texts of all memories of a user, in whatever state.
pub(crate) fn texts(data: &Path, user: &str) -> Result<BTreeSet<String>, String> {
    let export = done(data, user, &["export", "-"])?;
    let categories = export["categories"].as_object().ok_or("the export has no categories")?;
    let records = categories.values().filter_map(|category| category["records"].as_array()).flatten();
    Ok(records.map(|record| record["content"].as_str().unwrap_or_default().to_owned()).collect())
}

/// The base that every try starts from, and the files that commands read.
#[derive(Clone)]
pub(crate) struct Story {
    folder: Arc<tempfile::TempDir>,
    /// The number of the one who tries: each has a place of its own.
    place: usize,
    /// The user's texts in the base.
    told: BTreeSet<String>,
}

/// A command, and the change that it makes to the user's memories.
pub(crate) struct Deed {
    pub(crate) name: &'static str,
    args: Vec<String>,
    brings: Vec<String>,
    takes: Vec<String>,
    /// It adds memories whose words the program finds.
    adds_others: bool,
    /// It comes in several commits, so that a crash may leave a part of it.
    in_parts: bool,
    /// It begins with no folder at all.
    on_nothing: bool,
    /// It touches the vaults of other users, too.
    concerns_all: bool,
    /// A backup that it writes.
    writes: Option<PathBuf>,
}

impl Story {
    pub(crate) fn make() -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        let mut story = Self { folder, place: 0, told: BTreeSet::new() };
        let base = story.base();
        std::fs::create_dir_all(story.work().join("out")).unwrap();
        let tell = |user: &str, args: &[&str]| done(&base, user, args).unwrap();
        tell(USER, &["remember", HERON]);
        tell(USER, &["remember", OTTER]);
        tell(USER, &["remember", &long_text(), "--content-type", "transcript"]);
        tell(USER, &["remember", BADGER]);
        tell(OTHER_USER, &["remember", STORK]);
        for turn in 0..TURNS {
            tell(USER, &["session", "append", SESSION, &turn_text(turn)]);
        }
        tell(USER, &["forget", "the badger", "--yes"]);
        tell(USER, &["backup", story.file("data.backup").to_str().unwrap()]);
        tell(USER, &["backup", "--full", story.file("full.backup").to_str().unwrap()]);
        tell(USER, &["remember", WEASEL]);
        let records: Vec<_> = IMPORTED.iter().map(|text| serde_json::json!({ "memory": text })).collect();
        let records = serde_json::json!({ "results": records });
        std::fs::write(story.file("mem0.json"), records.to_string()).unwrap();
        story.told = texts(&base, USER).unwrap();
        assert!([HERON, OTTER, WEASEL].iter().all(|text| story.told.contains(*text)), "{:?}", story.told);
        assert!(!story.told.contains(BADGER));
        story
    }

    /// The same story, in a place of its own.
    pub(crate) fn at(&self, place: usize) -> Self {
        Self { place, ..self.clone() }
    }

    fn base(&self) -> PathBuf {
        self.folder.path().join("base")
    }

    /// The folder whose steps are counted: the data folder, and a place for files that commands write.
    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(format!("work-{}", self.place))
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.work().join("data")
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The state before a deed, afresh.
    pub(crate) fn begin(&self, deed: &Deed) {
        let work = self.work();
        let _ = std::fs::remove_dir_all(&work);
        std::fs::create_dir_all(work.join("out")).unwrap();
        if !deed.on_nothing {
            copy(&self.base(), &self.data());
        }
    }

    pub(crate) fn run(&self, deed: &Deed, prepare: impl FnOnce(&mut Command)) -> Output {
        let mut command = program(&self.data(), USER);
        prepare(command.args(&deed.args));
        command.output().unwrap()
    }

    /// Every command that changes anything durable.
    pub(crate) fn deeds(&self) -> Vec<Deed> {
        let of = |name, args: &[&str]| Deed {
            name,
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            brings: Vec::new(),
            takes: Vec::new(),
            adds_others: false,
            in_parts: false,
            on_nothing: false,
            concerns_all: false,
            writes: None,
        };
        let given = |name: &str| self.file(name).to_str().unwrap().to_owned();
        let out = |name: &str| self.work().join("out").join(name);
        let (made, full) = (out("data.backup"), out("full.backup"));
        let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let (adder, mole) = ("The adder suns itself on the wall.", long_text().replace("lynx", "mole"));
        vec![
            Deed { brings: texts(&[adder]), on_nothing: true, ..of("first remember", &["remember", adder]) },
            Deed { brings: texts(&[adder]), ..of("remember", &["remember", adder]) },
            Deed {
                brings: vec![mole.clone()],
                ..of("remember a blob", &["remember", &mole, "--content-type", "transcript"])
            },
            Deed { brings: texts(&[adder]), ..of("session append", &["session", "append", SESSION, adder]) },
            Deed { adds_others: true, in_parts: true, ..of("session end", &["session", "end", SESSION]) },
            Deed { takes: texts(&[HERON]), ..of("forget", &["forget", "the heron", "--yes"]) },
            Deed {
                brings: texts(&["The heron moved to the barn."]),
                takes: texts(&[HERON]),
                in_parts: true,
                ..of("correct", &["correct", "the heron", "The heron moved to the barn.", "--yes"])
            },
            Deed {
                adds_others: true,
                in_parts: true,
                ..of("compact", &["compact", "--session", SESSION, "--force"])
            },
            Deed {
                in_parts: true,
                brings: texts(&IMPORTED),
                ..of("import", &["import", &given("mem0.json")])
            },
            of("export", &["export", out("export.json").to_str().unwrap()]),
            Deed { writes: Some(made.clone()), ..of("backup", &["backup", made.to_str().unwrap()]) },
            Deed {
                writes: Some(full.clone()),
                ..of("backup --full", &["backup", "--full", full.to_str().unwrap()])
            },
            Deed {
                takes: texts(&[WEASEL]),
                concerns_all: true,
                ..of("restore", &["restore", &given("data.backup")])
            },
            Deed {
                takes: texts(&[WEASEL]),
                concerns_all: true,
                ..of("restore of a full backup", &["restore", &given("full.backup")])
            },
            Deed { concerns_all: true, ..of("keys renew-epoch", &["keys", "renew-epoch"]) },
            of("retention set", &["retention", "set", "--max-days", "3000", "--yes"]),
            of("token create", &["token", "create", "--user", OTHER_USER, "--role", "user"]),
            of("freeze", &["freeze"]),
            Deed {
                concerns_all: true,
                takes: self.told.iter().cloned().collect(),
                ..of("destroy", &["destroy", "--yes"])
            },
        ]
    }

    /// Looks at what a deed left behind, and says what is wrong. `ended` is true if the program said that it did it.
    pub(crate) fn judge(&self, deed: &Deed, ended: bool) -> Result<(), String> {
        let data = self.data();
        // The next write finds the vault whole, or ends what was begun.
        if deed.name == "freeze" {
            done(&data, USER, &["thaw"])?;
        }
        done(&data, USER, &["remember", CRANE])?;
        let mut now = texts(&data, USER)?;
        if !now.remove(CRANE) {
            return Err("a memory that was kept afterwards is not there".to_owned());
        }
        self.compare(deed, ended, &now)?;
        done(&data, USER, &["doctor"])?;
        if deed.concerns_all && !texts(&data, OTHER_USER)?.contains(STORK) {
            return Err("the other user's memory is gone".to_owned());
        }
        match &deed.writes {
            Some(backup) if backup.exists() => self.opens(backup),
            _ => Ok(()),
        }
    }

    fn compare(&self, deed: &Deed, ended: bool, now: &BTreeSet<String>) -> Result<(), String> {
        let before = if deed.on_nothing { BTreeSet::new() } else { self.told.clone() };
        let mut after = before.clone();
        after.retain(|text| !deed.takes.contains(text));
        after.extend(deed.brings.iter().cloned());
        let known = |text: &&String| before.contains(*text) || after.contains(*text);
        let (known, others): (BTreeSet<_>, BTreeSet<_>) = now.iter().partition(known);
        let (before, after): (BTreeSet<_>, BTreeSet<_>) = (before.iter().collect(), after.iter().collect());
        let lost: Vec<_> = before.intersection(&after).filter(|text| !known.contains(**text)).collect();
        if !lost.is_empty() {
            return Err(format!("lost: {lost:?}"));
        }
        if others.iter().any(|text| *text == BADGER) || (!others.is_empty() && !deed.adds_others) {
            return Err(format!("came from nowhere: {others:?}"));
        }
        if ended && known != after {
            return Err(format!("acknowledged, and not so: {known:?}"));
        }
        if !deed.in_parts && known != after && known != before {
            return Err(format!("neither as before nor as after: {known:?}"));
        }
        Ok(())
    }

    /// A backup under its own name is a whole one, whenever its writer died.
    fn opens(&self, backup: &Path) -> Result<(), String> {
        let elsewhere = self.file(&format!("elsewhere-{}", self.place));
        let _ = std::fs::remove_dir_all(&elsewhere);
        copy(&self.base(), &elsewhere);
        done(&elsewhere, USER, &["restore", backup.to_str().unwrap()]).map(drop)
    }
}

fn long_text() -> String {
    format!("The tale of the lynx.{}", " It went on and on.".repeat(LONG_SENTENCES))
}

fn turn_text(turn: usize) -> String {
    format!("In year {turn} we counted {} swans on the lake.", turn * 7 + 3)
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    std::fs::set_permissions(to, from.metadata().unwrap().permissions()).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
