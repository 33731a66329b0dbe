//! Persona documents on the command line.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use lacuna_core::permit::Import;
use lacuna_core::transfer::Duplicates;
use serde_json::{Value, json};

use super::output::{Output, counted};
use super::settle::settle;
use crate::assemble::assemble;
use crate::codes;
use crate::config::Config;
use crate::import::{How, Intake, Shape, open};
use crate::persona::{PersonaDocument, PersonaKey, PersonaReport, sign, validate, verify};
use crate::wire::ImportReport;
use crate::wire::failure::{Failure, Result};

/// Mode of a key file: its owner alone.
const KEY_MODE: u32 = 0o600;

#[derive(Subcommand)]
pub(super) enum PersonaCommand {
    /// Write your memories and the policy as a document.
    Export {
        file: PathBuf,
        /// Include what is about health, belief or biometrics.
        #[arg(long)]
        include_sensitive: bool,
        /// Sign it with this key.
        #[arg(long, value_name = "FILE")]
        key: Option<PathBuf>,
    },
    /// Check structure, policy and references; faults come with their paths.
    Validate { file: PathBuf },
    /// Make an Ed25519 key, readable by you alone, and show its did:key.
    Key { file: PathBuf },
    /// Sign a document in its file.
    Sign {
        file: PathBuf,
        #[arg(long, value_name = "FILE")]
        key: PathBuf,
        /// Sign under this did:web in place of the key's own DID.
        #[arg(long = "did", value_name = "DID")]
        did: Option<String>,
    },
    /// Check the signature of a document.
    Verify {
        file: PathBuf,
        /// The did.json that the web site of a did:web publishes; nothing is downloaded.
        #[arg(long, value_name = "FILE")]
        did_document: Option<PathBuf>,
    },
    /// Store the atoms of a valid document.
    Import {
        file: PathBuf,
        /// Tell what would happen, and store nothing.
        #[arg(long)]
        dry_run: bool,
    },
}

pub(super) fn run(config: &Config, command: PersonaCommand, output: &Output) -> Result<()> {
    match command {
        PersonaCommand::Export { file, include_sensitive, key } => {
            export(config, &file, include_sensitive, key.as_deref(), output)
        }
        PersonaCommand::Validate { file } => {
            let report = validate(&read(&file)?, assemble(config)?.service.clock().now());
            let valid = report.valid;
            output.show(&report, people)?;
            match valid {
                true => Ok(()),
                false => Err(Failure::invalid("document", "is not valid: see the faults above")),
            }
        }
        PersonaCommand::Key { file } => {
            let pkcs8 = PersonaKey::make()?;
            write_key(&file, &pkcs8)?;
            let did = PersonaKey::read(&pkcs8)?.did();
            output.show(&json!({ "did": did }), |_| format!("written to {}\n{did}", file.display()))
        }
        PersonaCommand::Sign { file, key, did } => {
            let mut document = read(&file)?;
            let key = read_key(&key)?;
            check_name(did.as_deref())?;
            sign(&mut document, &key, did.as_deref(), assemble(config)?.service.clock().now());
            write(&file, &document)?;
            let signer = did.unwrap_or_else(|| key.did());
            output.show(&json!({ "signed_by": signer }), |_| format!("signed by {signer}"))
        }
        PersonaCommand::Verify { file, did_document } => {
            let published = did_document.as_deref().map(read).transpose()?;
            let signer = verify(&read(&file)?, published.as_ref())?;
            output.show(&json!({ "signed_by": signer }), |_| format!("the signature of {signer} holds"))
        }
        PersonaCommand::Import { file, dry_run } => import(config, &file, dry_run, output),
    }
}

fn export(
    config: &Config,
    file: &Path,
    include_sensitive: bool,
    key: Option<&Path>,
    output: &Output,
) -> Result<()> {
    let installation = assemble(config)?;
    let core = &installation.service;
    let scope = installation.local.personal_scope();
    let document = PersonaDocument::of(core, &installation.local, &scope, include_sensitive)?;
    let mut document = serde_json::to_string(&document)
        .and_then(|text| serde_json::from_str::<Value>(&text))
        .map_err(|_| Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning))?;
    if let Some(key) = key {
        sign(&mut document, &read_key(key)?, None, core.clock().now());
    }
    core.upkeep().flush_reads()?;
    write(file, &document)?;
    let atoms = document["memory"].as_array().map_or(0, Vec::len);
    output.show(&json!({ "file": file, "atoms": atoms }), |_| {
        format!("wrote {} to {}", counted(atoms, "atom", "atoms"), file.display())
    })
}

fn import(config: &Config, file: &Path, dry_run: bool, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let grant = installation.grant::<Import>(None)?;
    let how = How { from: Some(Shape::Persona), duplicates: Duplicates::Merge, dry_run };
    let bytes = fs::read(file).map_err(|error| unreadable(file, &error))?;
    let mut told = |_| Ok(());
    let plain = || Err(Failure::invalid("document", "is not a plain JSON document"));
    let opened = open(bytes.as_slice(), how.from, plain)?;
    let mut intake = Intake::new(&installation.service, &grant, how, &mut told)?;
    let read = opened.read(&mut intake);
    let account = intake.finish(read)?;
    if !dry_run {
        settle(&installation, output);
    }
    let report = ImportReport::of(account, grant.scope(), Shape::Persona.as_str(), dry_run, Vec::new());
    output.show(&report, |report| {
        let done = if dry_run { "would store" } else { "stored" };
        let stored = counted(report.stored as usize, "memory", "memories");
        format!(
            "{done} {stored}; {} waiting, {} here already, {} not taken",
            report.waiting,
            report.repeated,
            report.refused + report.asked
        )
    })
}

fn people(report: &PersonaReport) -> String {
    let parts =
        [("structure", &report.structure), ("policy", &report.policy), ("reference", &report.references)];
    let lines = parts.iter().flat_map(|(part, faults)| {
        faults.iter().map(move |fault| format!("{part}: {}: {}", fault.path, fault.message))
    });
    let mut text = lines.collect::<Vec<_>>().join("\n");
    if report.valid {
        text.push_str(if text.is_empty() { "" } else { "\n" });
        text.push_str(&format!("valid: {}", counted(report.atoms, "atom", "atoms")));
    }
    text
}

/// Only a `did:web` can be named: a `did:key` follows from the key.
fn check_name(did: Option<&str>) -> Result<()> {
    match did {
        Some(name) if !name.starts_with("did:web:") || name.contains('#') => {
            Err(Failure::invalid("did", "must be a did:web, such as did:web:example.org"))
        }
        _ => Ok(()),
    }
}

fn unreadable(file: &Path, error: &std::io::Error) -> Failure {
    Failure::new(&codes::INPUT_UNREADABLE, format!("{} cannot be read: {error}", file.display()))
}

fn read(file: &Path) -> Result<Value> {
    let bytes = fs::read(file).map_err(|error| unreadable(file, &error))?;
    crate::wire::json::read_json(&bytes)
}

fn read_key(file: &Path) -> Result<PersonaKey> {
    let bytes = zeroize::Zeroizing::new(fs::read(file).map_err(|error| unreadable(file, &error))?);
    PersonaKey::read(&bytes)
}

/// Writes a document for its owner alone: it holds memories in the clear.
fn write(file: &Path, document: &Value) -> Result<()> {
    let text = serde_json::to_string_pretty(document).unwrap_or_default() + "\n";
    let unwritable = |error: std::io::Error| {
        Failure::new(&codes::OUTPUT_FAILED, format!("{} cannot be written: {error}", file.display()))
    };
    let mut out = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(KEY_MODE)
        .open(file)
        .map_err(unwritable)?;
    out.write_all(text.as_bytes()).map_err(unwritable)
}

fn write_key(file: &Path, pkcs8: &[u8]) -> Result<()> {
    let unwritable = |error: std::io::Error| {
        Failure::new(&codes::OUTPUT_FAILED, format!("{} cannot be written: {error}", file.display()))
    };
    let mut out =
        OpenOptions::new().write(true).create_new(true).mode(KEY_MODE).open(file).map_err(unwritable)?;
    out.write_all(pkcs8).map_err(unwritable)
}
