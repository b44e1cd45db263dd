//! Compiles oneTBB's map (`c/onetbb.cpp`) where its headers and a C++ compiler are. Without them the
//! crate is built without it, and the map says what is missing when it is opened.

use std::path::Path;

const WRAPPER: &str = "c/onetbb.cpp";
const HEADER: &str = "/usr/include/oneapi/tbb/concurrent_hash_map.h";

fn main() {
    println!("cargo::rustc-check-cfg=cfg(onetbb)");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={WRAPPER}");
    // Headers that are installed later change their folder; a file that is not there would make
    // every build begin anew.
    let looked_at = Path::new(HEADER).ancestors().find(|path| path.exists());
    println!("cargo::rerun-if-changed={}", looked_at.unwrap_or(Path::new("/")).display());
    println!("cargo::rerun-if-env-changed=CPLUS_INCLUDE_PATH");
    // Interpreted programs call no C++.
    if std::env::var_os("CARGO_CFG_MIRI").is_some() {
        return;
    }
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").file(WRAPPER).define("NDEBUG", None).debug(false);
    if !build.is_flag_supported("-std=c++17").unwrap_or(false) {
        return;
    }
    if std::env::var("CARGO_ENCODED_RUSTFLAGS")
        .is_ok_and(|flags| flags.contains("target-cpu=native"))
    {
        build.flag_if_supported("-march=native");
    }
    if !has_header(&build) {
        return;
    }
    build.compile("nibble_onetbb");
    println!("cargo::rustc-cfg=onetbb");
}

/// Whether the compiler finds the header, wherever it is.
fn has_header(build: &cc::Build) -> bool {
    let compiler = build.get_compiler();
    let mut command = compiler.to_command();
    command.args(["-fsyntax-only", "-include", "oneapi/tbb/version.h", "-x", "c++", "/dev/null"]);
    command.stderr(std::process::Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
