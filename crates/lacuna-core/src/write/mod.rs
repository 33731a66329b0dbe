//! Writing: remember, correct, and the one commit that gives a new memory its place.

pub(crate) mod correct;
pub(crate) mod hold;
pub(crate) mod neighbours;
pub(crate) mod number;
pub(crate) mod outcome;
pub(crate) mod part;
pub(crate) mod place;
pub(crate) mod reconcile;
pub(crate) mod record;
pub(crate) mod record_shape;
pub(crate) mod remember;
pub(crate) mod replace;
pub(crate) mod verbatim;

pub use correct::{Corrected, Correction};
pub use outcome::{Asked, HeldDraft, Outcome, Refused, Remembered};
pub use remember::REMEMBER_BATCH_MAX;
pub use replace::Replacement;
