//! Lists the stores that register themselves.

mod stores;

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build");
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo names the crate"));
    println!("cargo::rerun-if-changed=Cargo.toml");
    let (stores, manifests) = stores::registered(&folder).unwrap_or_else(|error| panic!("{error}"));
    for manifest in manifests {
        println!("cargo::rerun-if-changed={}", manifest.display());
    }
    let list = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names a folder for output"))
        .join("stores.rs");
    fs::write(&list, stores::source(&stores))
        .unwrap_or_else(|error| panic!("{}: {error}", list.display()));
}
