//! Traces of what was erased, as keyed hashes in its receipt: by them the vault knows a text again that was said before the
//! erasure and is handed over only afterwards. They say nothing without the vault's key.

use std::collections::BTreeSet;

use lacuna_language::classify::{ORGANISATION, PERSON};
use lacuna_language::facts::attribute_keys;
use lacuna_language::identifiers::identifiers;
use lacuna_language::topic::names_in;
use lacuna_types::MemoryId;
use lacuna_types::hex::hex;

use crate::vault::open::OpenVault;
use crate::vault::receipt::SCOPE_HASHES_MAX;

/// Memories whose traces one receipt has; more leave none, and then every text from before the erasure may speak of it.
const TRACED_MAX: usize = 8;
/// The form in a receipt that has the traces of all that went.
const TRACED: &str = "traced:all";

/// Adds the traces of `gone` to the hashes of what a request names, if there is room for all of them.
pub(crate) fn with_traces(open: &OpenVault, named: &[[u8; 32]], gone: &[MemoryId]) -> Vec<[u8; 32]> {
    let mut hashes = named.to_vec();
    if gone.len() <= TRACED_MAX {
        let mut forms = BTreeSet::from([TRACED.to_owned()]);
        for stored in gone.iter().filter_map(|id| open.index.get(id)) {
            let text = stored.payload.full_text().expose();
            let entities = stored.payload.facets.entities.iter();
            let bearers = entities.filter(|entity| entity.kind == PERSON || entity.kind == ORGANISATION);
            forms.extend(bearers.flat_map(|entity| names_in(&entity.name)).map(|name| name_form(&name)));
            forms.extend(forms_of(open, text));
        }
        if hashes.len() + forms.len() <= SCOPE_HASHES_MAX {
            hashes.extend(forms.iter().map(|form| open.keyring.scope_hash(form)));
        }
    }
    hashes.truncate(SCOPE_HASHES_MAX);
    hashes
}

/// Returns true when hashes of a receipt tell all that went by its traces.
pub(crate) fn is_traced(open: &OpenVault, hashes: &[[u8; 32]]) -> bool {
    hashes.contains(&open.keyring.scope_hash(TRACED))
}

/// The hashes by which a text is known to speak of what left traces: its names, its numbers, what it states, itself.
pub(crate) fn traces_of(open: &OpenVault, text: &str) -> Vec<[u8; 32]> {
    let names = names_in(text).into_iter().map(|name| name_form(&name));
    let forms = names.chain(forms_of(open, text));
    forms.map(|form| open.keyring.scope_hash(&form)).collect()
}

fn name_form(name: &str) -> String {
    format!("trace:name:{name}")
}

fn forms_of(open: &OpenVault, text: &str) -> Vec<String> {
    let numbers = identifiers(text).into_iter();
    let numbers = numbers.map(|found| format!("trace:number:{}:{}", found.kind.as_str(), found.canonical));
    let stated = attribute_keys(text).into_iter().filter(|key| key.contains('='));
    let stated = stated.map(|key| format!("trace:stated:{key}"));
    let itself = format!("trace:text:{}", hex(&open.keyring.text_hash(text)));
    numbers.chain(stated).chain([itself]).collect()
}
