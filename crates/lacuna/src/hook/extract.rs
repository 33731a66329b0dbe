//! Results of a conversation: summaries and facts that replace its turns, and its sealed transcript.

use std::ops::ControlFlow;

use lacuna_core::keep::CompactRequest;
use lacuna_core::permit::Forget;
use lacuna_types::SessionId;

use super::{Deadline, Done};
use crate::assemble::Installation;
use crate::wire::failure::Result;

/// Condenses the turns of the session so far, portion by portion, until the time is over.
pub(crate) fn extract(
    installation: &Installation,
    session: &SessionId,
    deadline: Deadline,
    done: &mut Done,
) -> Result<()> {
    let service = &installation.service;
    let grant = installation.grant::<Forget>(None)?;
    let request = CompactRequest {
        session: Some(session.clone()),
        before: Some(service.clock().now()),
        ..CompactRequest::default()
    };
    let compacted = service.compact(&grant, &request, &mut |_| go_on(deadline))?;
    done.summaries += compacted.summaries.len();
    done.facts += compacted.facts.len();
    done.waiting += compacted.waiting;
    done.unfinished |= compacted.cancelled;
    Ok(())
}

/// Ends the session: its turns are archived as sealed transcripts. A session without turns has nothing to end.
pub(crate) fn end(installation: &Installation, session: &SessionId) -> Result<()> {
    match installation.service.end_session(&installation.grant(None)?, session) {
        Err(lacuna_types::Error::NotFound(_)) => Ok(()),
        ended => Ok(ended.map(drop)?),
    }
}

fn go_on(deadline: Deadline) -> ControlFlow<()> {
    if deadline.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}
