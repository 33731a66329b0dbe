//! Limits of the house. Those above their goal hold today's number, so that nothing grows while the debt is paid;
//! lower them as it shrinks.

/// Lines from `fn` to the closing brace. A function that fits on one screen is read in one go.
pub(super) const FUNCTION_LINES_MAX: usize = 70;

/// Methods of the service type: what a door calls, and nothing that a function could do.
pub(super) const SERVICE_METHODS_MAX: usize = 83;

/// Names of types with more than one definition: arguments of a command and of a tool, and the like.
pub(super) const SHARED_TYPE_NAMES_MAX: usize = 7;

/// Doc comments that open with a question word.
pub(super) const ASKING_DOCS_MAX: usize = 0;

/// Percentage of public items with a doc comment in a library crate.
pub(super) const DOCUMENTED_PERCENT_MIN: usize = 90;

/// Modules of one crate that stand in cycles.
pub(super) const CYCLE_MODULES_MAX: usize = 0;
