//! The cost of choosing memories for a turn of a conversation.

use std::path::Path;
use std::sync::Arc;

use super::corpus::Corpus;
use super::measure::{Latency, latency};
use super::service::Vault;
use crate::Result;

pub(super) struct Figures {
    pub(super) count: usize,
    /// A turn that says something, and the start of a conversation.
    pub(super) turn: Latency,
    pub(super) start: Latency,
    /// Tokens of the longest section, and of how many it was to be at most.
    pub(super) tokens_most: usize,
    pub(super) tokens_max: usize,
}

pub(super) fn measure(corpus: &Arc<Corpus>, runs: usize, folder: &Path) -> Result<Figures> {
    let vault = Vault::fill(folder, corpus.clone())?;
    let (mut tokens_most, mut tokens_max) = (0, 0);
    let mut ask = |question: Option<usize>| -> Result {
        let context = vault.bring_to_mind(question)?;
        tokens_most = tokens_most.max(context.tokens);
        tokens_max = context.max_tokens;
        if context.items.is_empty() { Err("a turn brought nothing to mind".into()) } else { Ok(()) }
    };
    let turn = latency(runs, |run| ask(Some(run % corpus.questions.len())))?;
    let start = latency(runs, |_| ask(None))?;
    Ok(Figures { count: corpus.texts.len(), turn, start, tokens_most, tokens_max })
}
