//! Lists the stores that register themselves.

mod stores;

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build");
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo names the crate"));
    let stores = stores::registered(&folder).unwrap_or_else(|error| panic!("{error}"));
    println!("cargo::rerun-if-changed=Cargo.toml");
    let list = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names a folder for output"))
        .join("stores.rs");
    fs::write(&list, stores::source(&stores))
        .unwrap_or_else(|error| panic!("{}: {error}", list.display()));
}
