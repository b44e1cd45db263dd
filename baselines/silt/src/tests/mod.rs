//! Tests of the crate as a whole, through what it shows to others.

mod common;
mod conformance;
mod cuckoo;
mod damage;
mod equations;
mod forge;
mod full_disk;
mod killed;
mod memory;
mod model;
mod power;
mod records;
mod settings;
mod steady;
