//! `lacuna keys move`: all keys from one custody to another. Each is copied and read back before the first of the old ones
//! goes; a journal keeps everybody else out until the end, and the same command finishes what was interrupted.

use std::fs;

use lacuna_seal::SystemEntropy;
use lacuna_store::keys::Custody;
use serde::Serialize;

use super::output::{Output, counted};
use crate::assemble::{Layout, claim, open_custody, open_keys};
use crate::codes;
use crate::config::{Config, CustodyKind};
use crate::wire::failure::{Failure, Result};

#[derive(Serialize)]
struct MovedKeys {
    keys: usize,
    from: String,
    to: String,
}

pub(super) fn run(config: &Config, to: &str, output: &Output) -> Result<()> {
    let kind = CustodyKind::parse(to)
        .ok_or_else(|| Failure::new(&codes::USAGE, "--to must be local, openbao or aws"))?;
    if kind == config.custody.kind {
        let reason =
            format!("custody.kind is {to} already: leave it at the present custody until the move is done");
        return Err(Failure::new(&codes::USAGE, reason));
    }
    let layout = Layout::new(&config.data);
    let _folder = claim(&layout)?;
    let keys = open_keys(config, &layout)?;
    // The anchor of the present custody first, so that its file is there when the other one takes it over.
    let (from, anchor) = open_custody(config, config.custody.kind, &layout, &keys)?;
    drop(anchor);
    let (into, _anchor) = open_custody(config, kind, &layout, &keys)?;
    let _locks = (from.lock(true)?, into.lock(true)?);
    let moved = carry(&layout, &*from, &*into)?;
    let answer = MovedKeys { keys: moved, from: from.shown(), to: into.shown() };
    output.show(&answer, |answer| {
        let keys = counted(answer.keys, "key", "keys");
        format!(
            "moved {keys} from {} to {}; now set custody.kind to {to} on every node",
            answer.from, answer.to
        )
    })
}

fn carry(layout: &Layout, from: &dyn Custody, into: &dyn Custody) -> Result<usize> {
    let journal = layout.move_journal();
    let unwritable = |error: std::io::Error| {
        Failure::new(&codes::DATA_FOLDER_UNAVAILABLE, format!("{}: {error}", journal.display()))
    };
    let resumed = journal.exists();
    fs::write(&journal, "{\"moving\": true}\n")
        .and_then(|()| fs::File::open(&journal)?.sync_all())
        .map_err(unwritable)?;
    let mut names = from.names()?;
    names.sort();
    if names.is_empty() && !resumed {
        fs::remove_file(&journal).map_err(unwritable)?;
        return Err(Failure::new(&codes::MISSING_KEY, format!("there is no key in {}", from.shown())));
    }
    let mut placed = Vec::new();
    for name in &names {
        if let Err(failure) = copy(name, from, into, &mut placed) {
            take_back(&placed, into);
            if !resumed {
                fs::remove_file(&journal).map_err(unwritable)?;
            }
            return Err(failure);
        }
    }
    // Everything is there and was read back: from here on the move only goes forward.
    for name in &names {
        from.destroy(name)?;
    }
    fs::remove_file(&journal).map_err(unwritable)?;
    Ok(names.len())
}

fn copy(name: &str, from: &dyn Custody, into: &dyn Custody, placed: &mut Vec<String>) -> Result<()> {
    let gone = || Failure::new(&codes::MISSING_KEY, format!("{name} vanished from {}", from.shown()));
    let key = from.key(name)?.ok_or_else(gone)?;
    if !into.holds(name)? {
        placed.push(name.to_owned());
        into.place(name, &key, &SystemEntropy)?;
    }
    match into.key(name)? {
        Some(copied) if *copied == *key => Ok(()),
        _ => {
            let reason = format!("{} holds another key under the name {name}", into.shown());
            Err(Failure::new(&codes::WRONG_KEY, reason))
        }
    }
}

/// Leaves nothing behind of a move that did not succeed. Keys that were there before stay.
fn take_back(placed: &[String], into: &dyn Custody) {
    for name in placed {
        if let Err(error) = into.destroy(name) {
            tracing::warn!(code = error.code(), name, "a copy of a key stays in the other custody");
        }
    }
}
