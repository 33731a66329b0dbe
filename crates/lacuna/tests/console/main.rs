//! The console in a real browser, and its isolation over plain HTTP.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod browser;
mod goodbye;
mod isolation;
mod pages;
mod story;
#[path = "../doors/support.rs"]
#[allow(dead_code, reason = "another test binary uses the rest")]
mod support;
mod visit;
