//! The vocabulary of Lacuna: ids, time, and the facets of one memory.
//!
//! Nothing here is serialisable. Doors own their wire forms, and [`crate::frame`] owns the bytes at rest.

mod facets;
mod ids;
mod memory;
mod time;

pub(crate) use facets::facet;
pub use facets::*;
pub use ids::*;
pub use memory::*;
pub use time::*;
