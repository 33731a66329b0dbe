//! An audit chain as a file of JSON lines: an opening, the entries, and an end that is signed twice, for the
//! chain and for the lines. The public key alone verifies it.
//!
//! Every line has one spelling. A line in any other spelling is refused, so that no change to the file goes
//! unnoticed, not even in parts that only people read.

use std::io::{BufRead, Read, Write};

use jiff::Timestamp;
use lacuna_core::Lacuna;
use lacuna_core::audit::{AuditEntry, AuditReport, ChainWalk};
use lacuna_core::govern::{AuditEnd, AuditPart, is_signed_file};
use lacuna_core::permit::{Grant, ReadAudit};
use lacuna_seal::{Digest, Signature, VerifyingKey};
use lacuna_store::rows::{AuditRow, ChainHead};
use lacuna_types::{Error, Holder, OrgId, Scope};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{hex, unhex};
use crate::codes;
use crate::wire::failure::{Failure, Result};

const FORMAT: u32 = 1;
const LINES_DOMAIN: &str = "lacuna/audit-lines/v1";
/// One line of the file. The longest entries name thousands of memories.
const LINE_BYTES_MAX: u64 = 4 << 20;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Opening {
    lacuna_audit: u32,
    org: String,
    scope: String,
    vault: String,
    /// The number and hash of the entry before the first line.
    after: u64,
    after_hash: String,
    key: String,
    exported_at: Timestamp,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryLine {
    seq: u64,
    at: Timestamp,
    action: String,
    actor: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    service: String,
    subjects: Vec<String>,
    bytes: u64,
    notes: Vec<String>,
    /// Bytes that the hash covers; the fields before it repeat them for people.
    entry: String,
    hash: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ending {
    /// The number and hash of the last entry.
    end: u64,
    hash: String,
    signature: String,
    /// True if the chain goes on.
    more: bool,
    file_signature: String,
}

impl EntryLine {
    fn of(row: &AuditRow, entry: &AuditEntry) -> Self {
        Self {
            seq: row.seq,
            at: row.at,
            action: entry.action.as_str().to_owned(),
            actor: entry.actor.clone(),
            service: entry.service.clone(),
            subjects: entry.subjects.iter().map(|subject| hex(&subject.0)).collect(),
            bytes: entry.bytes,
            notes: entry.notes.clone(),
            entry: hex(&row.entry),
            hash: hex(&row.hash),
        }
    }

    fn row(&self) -> Option<AuditRow> {
        let hash = unhex(&self.hash)?.try_into().ok()?;
        Some(AuditRow { seq: self.seq, at: self.at, entry: unhex(&self.entry)?, hash, code: None })
    }
}

/// Lines, and the digest of all so far.
struct AuditLines {
    digest: [u8; 32],
}

impl AuditLines {
    fn new() -> Self {
        Self { digest: *Digest::of(LINES_DOMAIN, &[]).as_bytes() }
    }

    fn add(&mut self, line: &str) {
        self.digest = *Digest::of(LINES_DOMAIN, &[&self.digest, line.as_bytes()]).as_bytes();
    }

    fn write(&mut self, out: &mut dyn Write, line: &impl Serialize) -> lacuna_types::Result<()> {
        let line = spelled(line);
        self.add(&line);
        writeln!(out, "{line}").map_err(|error| {
            let reason = "the audit could not be written out";
            Error::Unavailable {
                code: "output_failed",
                reason: reason.to_owned(),
                source: Some(error.into()),
            }
        })
    }
}

fn spelled(line: &impl Serialize) -> String {
    serde_json::to_string(line).expect("the lines of the file have no maps with other keys than text")
}

/// Writes up to `limit` entries after number `after`.
pub(crate) fn write_audit_file(
    service: &Lacuna,
    grant: &Grant<ReadAudit>,
    after: u64,
    limit: u64,
    out: &mut dyn Write,
) -> lacuna_types::Result<AuditEnd> {
    let key = service.audit_key()?;
    let exported_at = service.clock().now();
    let scope = grant.scope();
    let mut lines = AuditLines::new();
    let end = service.hand_out_audit(grant, after, limit, &mut |part| match part {
        AuditPart::After(head) => {
            let opening = Opening {
                lacuna_audit: FORMAT,
                org: scope.org.as_str().to_owned(),
                scope: scope.holder.to_string(),
                vault: hex(scope.vault_id().as_bytes()),
                after: head.seq,
                after_hash: hex(&head.hash),
                key: key.to_string(),
                exported_at,
            };
            lines.write(out, &opening)
        }
        AuditPart::Entry(row, entry) => lines.write(out, &EntryLine::of(row, entry)),
    })?;
    let mut ending = Ending {
        end: end.head.seq,
        hash: hex(&end.head.hash),
        signature: end.signature.to_string(),
        more: end.more,
        file_signature: String::new(),
    };
    // The signature covers the file with an empty place for the signature.
    lines.add(&spelled(&ending));
    ending.file_signature = service.sign_audit_file(&lines.digest)?.to_string();
    AuditLines::new().write(out, &ending)?;
    Ok(end)
}

/// Statement that an exported file proves.
pub(crate) struct VerifiedFile {
    pub(crate) scope: Scope,
    pub(crate) report: AuditReport,
    /// True if the chain went on when the file was made.
    pub(crate) more: bool,
    pub(crate) exported_at: Timestamp,
}

/// Verifies a file without the installation that wrote it. Without `key` it uses the one in the file: then the
/// reader has to compare that key with one that they trust.
pub(crate) fn verify_audit_file(input: impl BufRead, key: Option<VerifyingKey>) -> Result<VerifiedFile> {
    let mut file = AuditFile { input, number: 0, lines: AuditLines::new() };
    let opening_line = file.next()?.ok_or_else(|| broken(1, "the file is empty"))?;
    file.lines.add(&opening_line);
    let opening: Opening = file.read(&opening_line)?;
    let (scope, written_with, before) = opening.meaning().ok_or_else(|| file.broken("is not an opening"))?;
    if key.is_some_and(|key| key != written_with) {
        return Err(file.broken("names another key than the one given"));
    }
    let vault = scope.vault_id();
    let mut walk = match before.seq {
        0 => ChainWalk::new(vault, written_with),
        _ => ChainWalk::after(vault, written_with, before),
    };
    loop {
        let line = file.next()?.ok_or_else(|| file.broken("is where the file was cut off"))?;
        if let Ok(ending) = serde_json::from_str::<Ending>(&line) {
            let report = file.finish(walk, &line, ending, written_with)?;
            let VerifiedEnd { report, more } = report;
            return Ok(VerifiedFile { scope, report, more, exported_at: opening.exported_at });
        }
        file.lines.add(&line);
        let entry: EntryLine = file.read(&line)?;
        let row = entry.row().ok_or_else(|| file.broken("does not parse"))?;
        let found = walk.step(&row).map_err(|error| file.broken(&error.to_string()))?;
        if spelled(&EntryLine::of(&row, &found)) != line {
            return Err(file.broken("differs from its entry"));
        }
    }
}

impl Opening {
    fn meaning(&self) -> Option<(Scope, VerifyingKey, ChainHead)> {
        let (kind, name) = self.scope.split_once(':').unwrap_or((&self.scope, ""));
        let scope = Scope { org: OrgId::new(&self.org).ok()?, holder: Holder::from_words(kind, name)? };
        let is_ours = self.lacuna_audit == FORMAT && hex(scope.vault_id().as_bytes()) == self.vault;
        let hash = unhex(&self.after_hash)?.try_into().ok()?;
        let head = ChainHead { seq: self.after, hash };
        is_ours.then_some((scope, self.key.parse().ok()?, head))
    }
}

struct AuditFile<R> {
    input: R,
    number: usize,
    lines: AuditLines,
}

struct VerifiedEnd {
    report: AuditReport,
    more: bool,
}

impl<R: BufRead> AuditFile<R> {
    /// The next line, without its end.
    fn next(&mut self) -> Result<Option<String>> {
        self.number += 1;
        let mut bytes = Vec::new();
        let read = (&mut self.input).take(LINE_BYTES_MAX).read_until(b'\n', &mut bytes);
        read.map_err(|error| Failure::new(&codes::INPUT_UNREADABLE, error.to_string()))?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let line = bytes.strip_suffix(b"\n").ok_or_else(|| self.broken("is cut off"))?;
        let text = str::from_utf8(line).map_err(|_| self.broken("is not UTF-8"))?;
        Ok(Some(text.to_owned()))
    }

    /// Reads a line that has our spelling.
    fn read<T: DeserializeOwned + Serialize>(&self, line: &str) -> Result<T> {
        let read: T = serde_json::from_str(line).map_err(|_| self.broken("does not parse"))?;
        if spelled(&read) == line { Ok(read) } else { Err(self.broken("was not written by Lacuna")) }
    }

    fn finish(
        mut self,
        walk: ChainWalk,
        line: &str,
        ending: Ending,
        key: VerifyingKey,
    ) -> Result<VerifiedEnd> {
        let ending: Ending = self.read::<Ending>(line).map(|_| ending)?;
        let parse = |text: &str| text.parse::<Signature>().map_err(|_| self.broken("holds no signature"));
        let (signature, file_signature) = (parse(&ending.signature)?, parse(&ending.file_signature)?);
        let hash = unhex(&ending.hash).and_then(|hash| hash.try_into().ok());
        let head = ChainHead { seq: ending.end, hash: hash.ok_or_else(|| self.broken("holds no hash"))? };
        let more = ending.more;
        self.lines.add(&spelled(&Ending { file_signature: String::new(), ..ending }));
        if !is_signed_file(&self.lines.digest, &key, &file_signature) {
            return Err(self.broken("is not the signed end of these lines"));
        }
        let walked =
            if more { walk.finish_early(head, &signature) } else { walk.finish(head, Some(&signature)) };
        let report = walked.map_err(|error| self.broken(&error.to_string()))?;
        match self.next()? {
            Some(_) => Err(self.broken("stands after the end")),
            None => Ok(VerifiedEnd { report, more }),
        }
    }

    fn broken(&self, reason: &str) -> Failure {
        broken(self.number, reason)
    }
}

fn broken(line: usize, reason: &str) -> Failure {
    Failure::new(&codes::CORRUPT, format!("the audit file does not hold: line {line}: {reason}"))
}

#[cfg(test)]
mod tests;
