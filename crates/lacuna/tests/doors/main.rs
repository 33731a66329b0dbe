//! The real binary, driven as people and programs drive it: commands, HTTP, and damage to its files.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod access;
mod audit;
mod backup;
mod bad_input;
mod batch;
mod commands;
mod compacting;
mod conditional;
mod configuration;
mod context;
mod crowd;
mod damage;
mod description;
mod docs;
mod exports;
mod forgetting;
mod gate;
mod hooks;
mod idempotency;
mod imports;
mod install;
mod limits;
mod matrix;
mod mcp;
mod mcp_clients;
mod memory_tool;
mod oidc;
mod operation;
mod person;
#[path = "../../../lacuna-core/tests/support/postgres_database.rs"]
mod postgres_database;
mod retention;
mod schemathesis;
mod scopes;
mod sdk;
mod sessions;
mod story;
mod strict;
mod support;
mod telemetry;
mod tls;
mod view;
mod volume;
