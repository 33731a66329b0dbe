//! After a command has stored memories: give them their vector of the main model before it ends. The texts
//! are safe by then, so that nothing here can fail the command.

use std::ops::ControlFlow;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::output::Output;
use crate::assemble::Installation;

/// Works off the backlog of the local vault.
pub(super) fn settle(installation: &Installation, output: &Output) {
    let bar = spinner();
    let mut progress = |done: usize| {
        bar.set_position(done as u64);
        ControlFlow::Continue(())
    };
    while let Some(worked) = installation.service.upkeep().work_backlog(Duration::ZERO, &mut progress) {
        if let Err(error) = worked {
            output.note(&format!(
                "note[{}]: everything is stored and can be found; the main model's vectors follow later: {error}",
                error.code()
            ));
            break;
        }
    }
    bar.finish_and_clear();
}

/// Shows itself on a terminal only.
fn spinner() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} embedding: {pos} done, {per_sec}");
    ProgressBar::new_spinner().with_style(style.expect("the template is correct"))
}
