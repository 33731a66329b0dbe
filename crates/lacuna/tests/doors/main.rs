//! The real binary, driven as people and programs drive it: commands, HTTP, and damage to its files.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod access;
mod adapters;
mod audit;
mod backup;
mod bad_input;
mod bao;
mod batch;
mod buckets;
mod bypass;
mod cluster;
mod cluster_faults;
mod cluster_kills;
mod cluster_rounds;
mod cluster_story;
mod cluster_upgrade;
mod commands;
mod compacting;
mod conditional;
mod configuration;
mod context;
mod crowd;
mod custody;
mod damage;
mod deploy;
mod description;
mod docs;
mod exports;
mod failover;
mod foreign;
mod forgetting;
mod gate;
mod generated;
mod holding;
mod hooks;
mod hosts;
mod idempotency;
mod imports;
mod install;
mod limits;
mod managed;
mod matrix;
mod mcp;
mod mcp_clients;
mod mem0;
mod memory_tool;
mod oidc;
mod operation;
mod ordinary;
mod other_nodes;
#[path = "../../../lacuna-core/tests/support/own_postgres.rs"]
#[allow(dead_code, reason = "each crate of tests uses a part")]
mod own_postgres;
mod packages;
mod person;
mod personas;
mod plain_words;
#[path = "../../../lacuna-core/tests/support/postgres_database.rs"]
mod postgres_database;
mod protection;
mod real_hosts;
mod real_model;
mod records;
mod retention;
mod schemathesis;
mod scopes;
mod sdk;
#[path = "../../../lacuna-core/tests/support/seaweed.rs"]
mod seaweed;
mod seed_examples;
mod service;
mod sessions;
mod shared_keys;
mod story;
mod strict;
mod support;
mod telemetry;
mod tls;
mod view;
mod views;
mod volume;
