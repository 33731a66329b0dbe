//! The console in a real browser, and its isolation over plain HTTP.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod browser;
mod deciding;
mod documents;
mod goodbye;
mod isolation;
mod locking;
mod operating;
mod pages;
mod sign_on;
mod story;
mod strangers;
#[path = "../doors/support.rs"]
#[allow(dead_code, reason = "another test binary uses the rest")]
mod support;
mod tasks;
mod visit;
