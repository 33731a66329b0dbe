//! The vault: the one place where keys and plaintext meet, the parts of a running service, and the reader and
//! writer that every operation takes.

pub(crate) mod access;
pub(crate) mod activate;
pub(crate) mod anchored;
pub(crate) mod behind;
pub(crate) mod cache;
pub(crate) mod chain;
pub(crate) mod cleared;
pub(crate) mod codes;
pub(crate) mod commit;
pub(crate) mod cooldown;
pub(crate) mod deliver;
pub(crate) mod frame;
pub(crate) mod frozen;
pub(crate) mod handle;
pub(crate) mod keyring;
pub(crate) mod marks;
pub(crate) mod members;
pub(crate) mod models;
pub(crate) mod open;
pub(crate) mod owner_settings;
pub(crate) mod reads;
pub(crate) mod receipt;
pub(crate) mod rehearse;
pub(crate) mod relay;
pub(crate) mod rewrite;
pub(crate) mod seal;
pub(crate) mod service;
pub(crate) mod sessions;
pub(crate) mod settings;
pub(crate) mod stamp;
pub(crate) mod stores;
pub(crate) mod tampering;
pub(crate) mod term;
pub(crate) mod unlock;
pub(crate) mod working;

pub use activate::MOVES_MAX;
pub use deliver::{DELIVERY_ATTEMPTS_MAX, Delivery, Event, RECIPIENTS_MAX, Recipient};
pub use models::Models;
pub use owner_settings::{EntityRule, Settings, Span};
pub use reads::{READ_SUBJECTS_MAX, READS_QUEUED_MAX};
pub use receipt::{BackupHold, Cause, Counts, Named, ProbePath, Probed, Receipt, SignedReceipt};
pub use service::{OPEN_BYTES_MAX_DEFAULT, OpenLoad, Parts};
pub use sessions::{Piece, Speaker, TURNS_PER_APPEND_MAX, WORKING_BYTES_MAX, WORKING_ITEMS_MAX};
pub use term::Ground;
