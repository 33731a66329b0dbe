//! The real binary, driven as people and programs drive it: commands, HTTP, and damage to its files.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod access;
mod audit;
mod backup;
mod bad_input;
mod batch;
mod commands;
mod compacting;
mod context;
mod damage;
mod description;
mod docs;
mod exports;
mod forgetting;
mod gate;
mod hooks;
mod imports;
mod install;
mod matrix;
mod operation;
mod person;
mod retention;
mod scopes;
mod sessions;
mod story;
mod support;
mod view;
mod volume;
