//! Texts that were said before something was erased, and are handed over only afterwards: those that speak of it stay out.

use std::ops::ControlFlow;

use jiff::Timestamp;
use lacuna_language::classify::entity_key;
use lacuna_language::identifiers::identifiers;
use lacuna_types::{Result, SessionId};

use crate::erase::trace::{is_traced, traces_of};
use crate::forget::purge::last_hidden;
use crate::permit::{Grant, ReadAudit, Recall};
use crate::vault::open::OpenVault;
use crate::vault::receipt::{Cause, Named, Receipt, receipts};
use crate::vault::service::Service;

/// Words of a text that are compared with the words of a request; a longer text may speak of anything.
const COMPARED_WORDS_MAX: usize = 2_000;
/// Words of a subject that is looked for.
const SUBJECT_WORDS_MAX: usize = 8;

/// A text that a vault was not given yet.
pub struct UnreadText<'t> {
    /// The text.
    pub text: &'t str,
    /// The time at which it was said.
    pub at: Timestamp,
    /// The session in which it was said.
    pub session: &'t SessionId,
}

/// The erasures of a vault that somebody asked for, as far as their receipts tell of them.
pub struct ErasedBefore<'s> {
    service: &'s Service,
    grant: Grant<Recall>,
    erased: Vec<Receipt>,
    /// The latest hiding that can still be undone.
    hidden_at: Option<Timestamp>,
}

/// Reads what was erased in a vault on request. What reached its age was not forgotten on purpose.
pub(crate) fn erased_before<'s>(
    service: &'s Service,
    grant: Grant<Recall>,
    audit: &Grant<ReadAudit>,
) -> Result<ErasedBefore<'s>> {
    let (mut erased, mut after) = (Vec::new(), 0);
    loop {
        let page = receipts(service, audit, after)?;
        let Some(last) = page.last() else { break };
        after = last.receipt.number;
        let asked = page.into_iter().map(|signed| signed.receipt);
        erased.extend(asked.filter(|one| !matches!(one.cause, Cause::Retention | Cause::Purge)));
    }
    let hidden_at = last_hidden(service, &grant)?;
    Ok(ErasedBefore { service, grant, erased, hidden_at })
}

impl ErasedBefore<'_> {
    /// Returns true when a text was said before an erasure and speaks of what went, or may: by the words of the request, by
    /// its names, numbers and statements. Where a receipt does not tell, every text from before it may.
    pub fn may_hold(&self, unread: &UnreadText<'_>) -> Result<bool> {
        if self.hidden_at.is_some_and(|hidden_at| unread.at < hidden_at) {
            return Ok(true);
        }
        let later: Vec<&Receipt> = self.erased.iter().filter(|one| unread.at < one.at).collect();
        if later.is_empty() {
            return Ok(false);
        }
        let told = self.service.read(self.grant.scope(), |open| speaks_of_one(open, unread, &later))?;
        Ok(told.unwrap_or(true))
    }
}

fn speaks_of_one(open: &OpenVault, unread: &UnreadText<'_>, erased: &[&Receipt]) -> bool {
    let tells = |receipt: &&&Receipt| {
        let by_itself = matches!(receipt.named, Named::Ids | Named::Subject | Named::Query | Named::Session);
        by_itself && is_traced(open, &receipt.scope_hashes)
    };
    if !erased.iter().all(|receipt| tells(&receipt)) {
        return true;
    }
    let is_gone = |hash: &[u8; 32]| erased.iter().any(|receipt| receipt.scope_hashes.contains(hash));
    let session = open.keyring.scope_hash(&format!("session:{}", unread.session));
    if is_gone(&session) || traces_of(open, unread.text).iter().any(is_gone) {
        return true;
    }
    let numbers = identifiers(unread.text).into_iter();
    let mut numbers = numbers.map(|found| format!("{}:{}", found.kind.as_str(), found.canonical));
    numbers.any(|form| is_gone(&open.keyring.scope_hash(&form))) || says_one(open, unread.text, is_gone)
}

/// Returns true when words of a text, in a row, are the subject of a request.
fn says_one(open: &OpenVault, text: &str, is_gone: impl Fn(&[u8; 32]) -> bool) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() > COMPARED_WORDS_MAX {
        return true;
    }
    let mut starts = 0..words.len();
    let found = starts.try_for_each(|from| {
        let ends = from + 1..=words.len().min(from + SUBJECT_WORDS_MAX);
        let mut forms = ends.map(|to| entity_key("", &words[from..to].join(" ")));
        match forms.any(|form| is_gone(&open.keyring.scope_hash(&form))) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    found.is_break()
}
