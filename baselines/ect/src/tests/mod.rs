//! Tests of the crate: each step is verified by decoding what it wrote.

mod codes;
mod common;
mod index;
mod merge;
mod sizes;
