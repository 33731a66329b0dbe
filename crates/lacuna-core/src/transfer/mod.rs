//! Moving memories: promote, export, import, backup, and a vault as a page of text.

pub(crate) mod backup;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod promote;
pub(crate) mod proof;
pub(crate) mod recover;
pub(crate) mod view;

pub use backup::container::unwritable_backup;
pub use backup::place::{RestoreSteps, finish_restore, is_restore_unfinished};
pub use backup::restore::{RestoreInto, Restored, restore};
pub use backup::save::{Saved, Saving};
pub use backup::{BACKUP_KEPT, Ledger};
pub use export::link::{ExportLink, LINK_HOURS};
pub use export::{EXPORT_VERSION, Exported, Format, Wanted};
pub use import::record::{Account, Carried, Duplicates, Fate, ImportRecord, Imported, Origin};
pub use import::{IMPORT_BATCH_MAX, Importing};
pub use promote::Moved;
pub use view::{Edit, Line, read_back, without};
