//! Persona documents. A document whose structure or policy does not hold is refused as a whole, with the paths of its
//! faults: nothing of it is stored.

use std::io::Read;

use serde_json::Value;

use super::{Intake, unreadable};
use crate::codes;
use crate::persona::{Atom, into_record, validate};
use crate::wire::failure::{Failure, Result};

/// Bytes of one document.
const DOCUMENT_BYTES_MAX: u64 = 64 << 20;
/// Faults that an error names.
const FAULTS_NAMED: usize = 5;

pub(super) fn read(reader: impl Read, intake: &mut Intake<'_>) -> Result<()> {
    let mut bytes = Vec::new();
    reader.take(DOCUMENT_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > DOCUMENT_BYTES_MAX {
        let reason = format!("the document is larger than {DOCUMENT_BYTES_MAX} bytes");
        return Err(Failure::new(&codes::TOO_LARGE, reason));
    }
    let document: Value = crate::wire::json::read_json(&bytes)?;
    take(document, intake)
}

fn take(document: Value, intake: &mut Intake<'_>) -> Result<()> {
    let report = validate(&document, intake.now());
    if !report.valid {
        let faults = report.structure.iter().chain(&report.policy);
        let named: Vec<String> =
            faults.take(FAULTS_NAMED).map(|fault| format!("{}: {}", fault.path, fault.message)).collect();
        return Err(Failure::invalid("document", named.join("; ")));
    }
    let Value::Object(mut fields) = document else { return Ok(()) };
    let atoms = fields.remove("memory").unwrap_or_default();
    let atoms: Vec<Atom> = serde_json::from_value(atoms)
        .map_err(|error| Failure::invalid("memory", crate::wire::json::without_input(&error.to_string())))?;
    for atom in atoms {
        let number = intake.next_number();
        if let Some(record) = into_record(atom, number)? {
            intake.push(record)?;
        }
    }
    Ok(())
}
