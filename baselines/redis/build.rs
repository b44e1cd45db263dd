//! Compiles the shim over hiredis if its headers are installed. Without them the crate is built
//! without the shim, and its stores report that hiredis is missing.

use std::path::Path;

/// Where Debian packages and manual installations put headers.
const INCLUDE_FOLDERS: [&str; 2] = ["/usr/include", "/usr/local/include"];

fn main() {
    println!("cargo:rustc-check-cfg=cfg(hiredis)");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/shim.c");
    let header = |folder: &&str| Path::new(folder).join("hiredis/hiredis.h").exists();
    let Some(folder) = INCLUDE_FOLDERS.into_iter().find(header) else {
        // Installing the package changes the folder. A file that does not exist yet would make
        // every build look outdated.
        for folder in INCLUDE_FOLDERS.into_iter().filter(|folder| Path::new(folder).exists()) {
            println!("cargo:rerun-if-changed={folder}");
        }
        println!(
            "cargo:warning=hiredis/hiredis.h is missing: the Redis and Valkey stores are skipped; \
             run scripts/setup to install libhiredis-dev, then rebuild"
        );
        return;
    };
    println!("cargo:rerun-if-changed={folder}/hiredis/hiredis.h");
    println!("cargo:rustc-cfg=hiredis");
    cc::Build::new().file("src/shim.c").include(folder).warnings(true).compile("nibble_hiredis");
    println!("cargo:rustc-link-lib=dylib=hiredis");
}
