//! Bytes that Lacuna keeps and cannot read: sealed rows, wrapped keys, blobs.

pub mod cbor;
pub mod rows;

pub mod blobs;
mod failure;
pub mod keys;
