//! The audit of a vault: read, verified, handed out, summed up, cared for.

pub(crate) mod care;
pub(crate) mod hand_out;
pub(crate) mod recent;
pub(crate) mod summary;
pub(crate) mod verify;
