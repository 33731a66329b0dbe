//! The edits of a page, and applying them: deleted lines are forgotten, changed ones corrected, new ones
//! remembered.

use lacuna_core::forget::{Confirmed, Planned, Request};
use lacuna_core::permit::{Forget, Remember};
use lacuna_core::transfer::Edit;
use lacuna_core::write::{Corrected, Correction, Outcome};
use lacuna_types::request::{PlanChoice, Target};
use lacuna_types::{Draft, Lifecycle, MemoryId, Plaintext};
use serde::Serialize;

use super::super::output::counted;
use crate::assemble::Installation;
use crate::wire::failure::Result;

/// Counts of the edits of a page. It holds no content: the page does.
#[derive(Default, Serialize)]
pub(super) struct PageEdits {
    forget: Vec<String>,
    correct: Vec<String>,
    remember: usize,
    /// Lines that had shown only the beginning of their memory, so that nothing can take its place.
    unclear: Vec<String>,
}

impl PageEdits {
    pub(super) fn of(edits: &[Edit]) -> Self {
        let mut wanted = Self::default();
        for edit in edits {
            match edit {
                Edit::Gone(id) => wanted.forget.push(id.to_string()),
                Edit::Changed(id, _) => wanted.correct.push(id.to_string()),
                Edit::Unclear(id) => wanted.unclear.push(id.to_string()),
                Edit::Added(_) => wanted.remember += 1,
            }
        }
        wanted
    }

    pub(super) fn is_empty(&self) -> bool {
        self.forget.is_empty() && self.correct.is_empty() && self.remember == 0 && self.unclear.is_empty()
    }

    pub(super) fn told(&self) -> String {
        let mut parts = Vec::new();
        let mut part = |verb: &str, count: usize| {
            if count > 0 {
                parts.push(format!("{verb} {}", counted(count, "memory", "memories")));
            }
        };
        part("forget", self.forget.len());
        part("correct", self.correct.len());
        part("remember", self.remember);
        let mut told = format!("the edited page asks to {}", parts.join(", "));
        if parts.is_empty() {
            "the edited page asks for nothing that can be done".clone_into(&mut told);
        }
        for id in &self.unclear {
            told += &format!("\n{id} had shown only its beginning: correct it with lacuna correct --id {id}");
        }
        told
    }

    pub(super) fn question(&self) -> String {
        format!("{}. Do it?", self.told())
    }
}

/// Edits that were applied.
#[derive(Default, Serialize)]
pub(super) struct AppliedEdits {
    forgotten: usize,
    corrected: usize,
    remembered: usize,
    /// Texts that wait for a review, were asked about or refused: the memories are as they were.
    held: usize,
    receipts: Vec<String>,
}

impl AppliedEdits {
    pub(super) fn told(&self) -> String {
        let counts = [
            (self.forgotten, "forgotten"),
            (self.corrected, "corrected"),
            (self.remembered, "remembered"),
            (self.held, "held back by the gate"),
        ];
        let counts =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        let receipts = self.receipts.iter().map(|number| format!("receipt {number}"));
        counts.chain(receipts).collect::<Vec<_>>().join(", ")
    }

    fn count(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Stored(memory) if memory.state == Lifecycle::Active => self.remembered += 1,
            _ => self.held += 1,
        }
    }
}

pub(super) fn apply(installation: &Installation, scope: &str, edits: Vec<Edit>) -> Result<AppliedEdits> {
    let mut applied = AppliedEdits::default();
    let mut gone = Vec::new();
    for edit in edits {
        match edit {
            Edit::Gone(id) => gone.push(id),
            Edit::Changed(id, text) => correct(installation, scope, id, text, &mut applied)?,
            Edit::Added(text) => {
                let grant = installation.grant::<Remember>(Some(scope))?;
                let drafts = vec![Draft { text, ..Draft::default() }];
                installation.service.remember(&grant, drafts)?.iter().for_each(|one| applied.count(one));
            }
            Edit::Unclear(_) => {}
        }
    }
    forget(installation, scope, gone, &mut applied)?;
    Ok(applied)
}

fn correct(
    installation: &Installation,
    scope: &str,
    id: MemoryId,
    text: Plaintext,
    applied: &mut AppliedEdits,
) -> Result<()> {
    let grant = installation.grant::<Remember>(Some(scope))?;
    let draft = Draft { text, ..Draft::default() };
    match installation.service.correct(&grant, &Correction::Id(id), draft) {
        Ok(Corrected::Done { receipt, .. }) => {
            applied.corrected += 1;
            applied.receipts.extend(receipt.map(|signed| signed.receipt.reference()));
        }
        Ok(Corrected::Held(_) | Corrected::Which(_)) => applied.held += 1,
        // It was forgotten meanwhile, and stays so.
        Err(error) if error.code() == "not_found" => {}
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

fn forget(
    installation: &Installation,
    scope: &str,
    gone: Vec<MemoryId>,
    applied: &mut AppliedEdits,
) -> Result<()> {
    if gone.is_empty() {
        return Ok(());
    }
    let grant = installation.grant::<Forget>(Some(scope))?;
    for ids in gone.chunks(lacuna_core::forget::FORGET_IDS_MAX) {
        let request = Request::new(Target::Ids(ids.to_vec()));
        let Planned::Plan(plan) = installation.service.plan_forget(&grant, &request)? else { continue };
        // What was forgotten meanwhile leaves nothing to confirm.
        let Some(token) = plan.token else { continue };
        if let Confirmed::Done(done) =
            installation.service.confirm_forget(&grant, &token, &PlanChoice::All)?
        {
            applied.forgotten += done.memories.len();
            applied.receipts.extend(done.receipts.iter().map(|signed| signed.receipt.reference()));
        }
    }
    Ok(())
}
