//! Tests of what the crate publishes.

mod data_page;
mod schemas;
