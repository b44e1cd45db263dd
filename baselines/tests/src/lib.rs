//! Tests of the small baselines and of the kit, in one program: to link one for each of these
//! crates would take longer than all their tests. A test's path begins with its crate's name, so
//! `cargo test -p baseline-tests hashmap` runs those of one.
#![cfg(test)]

mod btree;
mod hashmap;
mod heapstore;
mod kit;
mod null;
mod roofline;
