//! Tests with real checkouts and programs.

mod about;
mod callgrind;
mod common;
mod repository;
mod revisions;
