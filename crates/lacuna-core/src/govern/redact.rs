//! Redact: today's rules for secrets and numbers, applied to what is already stored. Each memory that they change lives
//! on under a new id and a new key, and the old text goes with a receipt.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use lacuna_language::anonymise::Anonymous;
use lacuna_language::identifiers::{cut_accounts, cut_national_numbers};
use lacuna_language::secrets::{Finding, Scanner, SecretLevel, redact};
use lacuna_types::Result;
use lacuna_types::*;
use zeroize::Zeroizing;

use crate::audit::AuditAction;
use crate::erase::carry_out::{Task, erase_with_receipt};
use crate::erase::finish::finish_intents;
use crate::erase::prepare::ErasureRequest;
use crate::erase::probe::ProbeTargets;
use crate::permit::{Forget, Grant, Recall, permit};
use crate::vault::frozen::check_thawed;
use crate::vault::handle::VaultWriter;
use crate::vault::models::Progress;
use crate::vault::open::OpenVault;
use crate::vault::receipt::{Cause, SignedReceipt};
use crate::vault::service::Service;

/// Memories that are read, and changed under one receipt, at once.
const REDACT_CHUNK: usize = 256;
/// Rounds over the vault: a summary that was made anew of two turns is looked at again.
const ROUNDS_MAX: usize = 3;

/// The changes that today's rules would make to one memory; never its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredRedaction {
    /// The memory.
    pub id: MemoryId,
    /// The rules that strike, each once.
    pub rules: Vec<String>,
    /// True for a record: only its program puts it anew.
    pub stays: bool,
}

/// The changes that a redaction made.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct StoredRedactions {
    /// Memories that live on without the parts that went: the old id and the new one.
    pub redacted: Vec<(MemoryId, MemoryId)>,
    /// Memories made of them that were made anew.
    pub rebuilt: Vec<(MemoryId, MemoryId)>,
    /// Records that hold something, and stay as they are.
    pub stay: Vec<MemoryId>,
    /// The proofs, one for each part.
    pub receipts: Vec<SignedReceipt>,
    /// True when it was broken off before its end.
    pub unfinished: bool,
}

/// A memory without what today's rules take out.
struct RedactedForm {
    id: MemoryId,
    rules: Vec<String>,
    /// Absent for a record.
    form: Option<Anonymous>,
}

/// Says what [`redact_stored`] would change. `progress` hears how many memories have been read, and may break off.
pub(crate) fn plan_redaction(
    service: &Service,
    grant: &Grant<Forget>,
    progress: &mut Progress<'_>,
) -> Result<Vec<StoredRedaction>> {
    let scope = grant.scope();
    permit::<Recall>(grant.caller(), scope)?;
    let mut planned = Vec::new();
    let mut read = 0;
    for chunk in ids(service, grant)?.chunks(REDACT_CHUNK) {
        let forms = service.read(scope, |open| forms(service, open, grant, chunk))?.transpose()?;
        let shown = |form: RedactedForm| StoredRedaction {
            id: form.id,
            rules: form.rules,
            stays: form.form.is_none(),
        };
        planned.extend(forms.unwrap_or_default().into_iter().map(shown));
        read += chunk.len();
        if progress(read).is_break() {
            break;
        }
    }
    Ok(planned)
}

/// Takes out of every memory what today's rules would not let in. What is broken off has changed whole parts.
pub(crate) fn redact_stored(
    service: &Service,
    grant: &Grant<Forget>,
    progress: &mut Progress<'_>,
) -> Result<StoredRedactions> {
    let scope = grant.scope();
    permit::<Recall>(grant.caller(), scope)?;
    check_thawed(service, scope)?;
    let mut done = StoredRedactions::default();
    let mut read = 0;
    for _ in 0..ROUNDS_MAX {
        let before = done.redacted.len();
        for chunk in ids(service, grant)?.chunks(REDACT_CHUNK) {
            let reader = service.reader(scope);
            redact_chunk(&reader.lock(), grant, chunk, &mut done)?;
            read += chunk.len();
            if let ControlFlow::Break(()) = progress(read) {
                done.unfinished = true;
                return Ok(done);
            }
        }
        if done.redacted.len() == before {
            break;
        }
    }
    Ok(done)
}

fn redact_chunk(
    writer: &VaultWriter<'_>,
    grant: &Grant<Forget>,
    chunk: &[MemoryId],
    done: &mut StoredRedactions,
) -> Result<()> {
    let service = writer.service;
    finish_intents(writer)?;
    let forms = writer.update(|open| forms(service, open, grant, chunk))?.unwrap_or_default();
    let mut wanted = ErasureRequest::default();
    for RedactedForm { id, form, .. } in forms {
        match form {
            Some(form) => wanted.anonymous.push((id, form)),
            None if done.stay.contains(&id) => {}
            None => done.stay.push(id),
        }
    }
    if wanted.is_empty() {
        return Ok(());
    }
    let (actor, count) = (grant.caller().acting(), wanted.anonymous.len());
    let task = Task::by_ids(actor, AuditAction::MemoryCorrect, Cause::Correction, count);
    let changed = erase_with_receipt(writer, &wanted, &task, ProbeTargets::default())?;
    done.redacted.extend(changed.cut);
    done.rebuilt.extend(changed.rebuilt);
    done.receipts.extend(changed.receipts);
    Ok(())
}

fn ids(service: &Service, grant: &Grant<Forget>) -> Result<Vec<MemoryId>> {
    let ids = service.serve(grant.scope(), |open| -> Vec<MemoryId> {
        open.index.before(None).map(|stored| stored.id).collect()
    })?;
    Ok(ids.unwrap_or_default())
}

/// The memories of a chunk that change, as they would be. A transcript follows its turns, and what is hidden waits for
/// its purge.
fn forms(
    service: &Service,
    open: &OpenVault,
    grant: &Grant<Forget>,
    chunk: &[MemoryId],
) -> Result<Vec<RedactedForm>> {
    let is_meant = |id: &&MemoryId| {
        open.index.get(id).is_some_and(|stored| {
            let history = &stored.payload.facets.history;
            stored.attributes.state != Lifecycle::Deleted
                && history.segment.is_none()
                && grant.covers(history.author.as_ref())
        })
    };
    let meant: Vec<MemoryId> = chunk.iter().filter(is_meant).copied().collect();
    let memories = open.whole(&meant, service.sources())?.into_iter().flatten();
    Ok(memories.filter_map(|memory| redacted(service.rules.scanner(), &memory)).collect())
}

fn redacted(scanner: &Scanner, memory: &Memory) -> Option<RedactedForm> {
    let (content, facets) = (&memory.content, &memory.facets);
    let mut texts = vec![content.full_text().expose()];
    texts.extend(content.details.iter().map(|detail| detail.content.expose()));
    texts.extend(facets.tags.iter().map(String::as_str));
    let found = scanner.scan_all(&texts);
    let mut rules = BTreeSet::new();
    let numbers_allowed = facets.privacy.basis == ConsentBasis::ExplicitConsent;
    let mut forms =
        texts.iter().zip(found).map(|(text, found)| without(text, found, numbers_allowed, &mut rules));
    let text = forms.next()?;
    let details: Vec<Zeroizing<String>> = forms.by_ref().take(content.details.len()).collect();
    let tags: Vec<String> = forms.map(|tag| tag.to_string()).collect();
    if rules.is_empty() {
        return None;
    }
    let detail = |(new, old): (&Zeroizing<String>, &Detail)| Detail {
        content: new.as_str().into(),
        brightness: old.brightness,
    };
    let details = details.iter().zip(&content.details).map(detail).collect();
    let form = (!facets.is_record()).then_some(Anonymous { text, details, tags });
    Some(RedactedForm { id: memory.id, rules: rules.into_iter().collect(), form })
}

/// A text without its secrets, and with its numbers cut. A possible secret that was stored was confirmed.
fn without(
    text: &str,
    found: Vec<Finding>,
    numbers_allowed: bool,
    rules: &mut BTreeSet<String>,
) -> Zeroizing<String> {
    let sure: Vec<Finding> = found.into_iter().filter(|one| one.level > SecretLevel::Possible).collect();
    rules.extend(sure.iter().map(|finding| finding.rule.to_string()));
    let mut left = Zeroizing::new(redact(text, &sure));
    let cuts: &[fn(&str) -> _] =
        if numbers_allowed { &[cut_accounts] } else { &[cut_accounts, cut_national_numbers] };
    for cut in cuts {
        let (changed, cuts) = cut(&left);
        rules.extend(cuts.iter().map(|cut| cut.kind.as_str().to_owned()));
        left = Zeroizing::new(changed);
    }
    left
}
