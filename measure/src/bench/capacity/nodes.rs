//! Nodes: processes of the real program that share two databases and the key files, each with a folder and an anchor of its own.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use lacuna_store::keys::ANCHOR_FILE;

use super::super::http::Connection;
use super::super::program::Running;
use super::super::service::{KEYS_FOLDER, ORG};
use super::database::Database;
use super::processes::Process;
use crate::Result;

pub(super) const NODES: usize = 3;
const FOLDER_MODE: u32 = 0o700;

/// The settings that all nodes are started with.
pub(super) struct Fleet {
    pub(super) program: PathBuf,
    /// The folder whose keys they share.
    pub(super) keys_of: PathBuf,
    /// RAM of opened vaults on each node.
    pub(super) open_bytes_max: u64,
}

pub(super) struct Node {
    process: Running,
    pub(super) authority: String,
    /// From its start until it listens.
    pub(super) started_in: Duration,
}

impl Fleet {
    /// Starts all nodes, one after the other, in new folders under `folder`.
    pub(super) fn start(&self, database: &Database, folder: &Path) -> Result<Vec<Node>> {
        (0..NODES).map(|number| self.start_one(database, &folder.join(format!("node-{number}")))).collect()
    }

    fn start_one(&self, database: &Database, data: &Path) -> Result<Node> {
        copy_keys(&self.keys_of.join(KEYS_FOLDER), &data.join(KEYS_FOLDER))?;
        let mut command = Command::new(&self.program);
        command.args(["serve", "--listen", "127.0.0.1:0", "--json"]);
        command.env("LACUNA_DATA", data).env("LACUNA_ORG", ORG);
        command.env("LACUNA_STORE", database.data_url()).env("LACUNA_KEYS", database.keys_url());
        command.env("LACUNA_EMBEDDER", "static").env("LACUNA_LOG", "error");
        command.env("LACUNA_OPEN_BYTES_MAX", self.open_bytes_max.to_string());
        let started = Instant::now();
        let mut process = Running(command.stdout(Stdio::piped()).spawn()?);
        let authority = process.authority()?;
        Ok(Node { process, authority, started_in: started.elapsed() })
    }
}

/// Copies key files and no anchor: each node's anchor is its own.
fn copy_keys(from: &Path, to: &Path) -> Result {
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(to)?;
    for file in fs::read_dir(from)? {
        let file = file?;
        let name = file.file_name();
        if file.file_type()?.is_file() && !name.to_string_lossy().starts_with(ANCHOR_FILE) {
            fs::copy(file.path(), to.join(name))?;
        }
    }
    Ok(())
}

impl Node {
    pub(super) fn process(&self) -> Process {
        Process(self.process.0.id())
    }

    /// A figure of `/metrics`.
    pub(super) fn metric(&self, name: &str) -> Result<u64> {
        let request = format!("GET /metrics HTTP/1.1\r\nHost: {}\r\n\r\n", self.authority);
        let body = Connection::open(&self.authority)?.exchange(&request)?.body;
        let text = String::from_utf8(body)?;
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<f64>().ok());
        Ok(value.ok_or_else(|| format!("no figure {name}"))? as u64)
    }
}
