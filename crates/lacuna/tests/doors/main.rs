//! The real binary, driven as people and programs drive it: commands, HTTP, and damage to its files.

mod access;
mod bad_input;
mod batch;
mod damage;
mod description;
mod operation;
mod story;
mod support;
