//! Compiles mimalloc 2, whose sources come with the crate that links mimalloc 3.
//!
//! Both define the same names. So mimalloc 2 is one object file here, of which all symbols but those of
//! `c/mimalloc2.c` become local.

use std::path::{Path, PathBuf};
use std::process::Command;

const WRAPPER: &str = "c/mimalloc2.c";
/// What stays visible.
const ENTRIES: &str = "mimalloc2_*";

fn main() {
    println!("cargo::rerun-if-changed={WRAPPER}");
    println!("cargo::rerun-if-changed=build.rs");
    let upstream = upstream();
    let object = compiled(&upstream);
    hide_all_but_entries(&object);
    cc::Build::new().object(&object).compile("mimalloc2");
}

/// The folder of mimalloc 2 beside that of the version that the crate compiles.
fn upstream() -> PathBuf {
    let include = std::env::var_os("DEP_MIMALLOC_INCLUDE_DIR").expect("libmimalloc-sys tells it");
    let versions = Path::new(&include).ancestors().nth(2).expect("VERSION/include");
    let upstream = versions.join("v2");
    assert!(upstream.join("src/static.c").exists(), "{} has no mimalloc 2", versions.display());
    upstream
}

/// The flags are those by which the crate compiles mimalloc 3 in a release; debug information of
/// the profile changes none of them.
fn compiled(upstream: &Path) -> PathBuf {
    let mut build = cc::Build::new();
    build
        .file(WRAPPER)
        .include(upstream.join("include"))
        .include(upstream.join("src"))
        .flag("-ftls-model=initial-exec")
        .flag("-Wno-error=date-time")
        .define("MI_DEBUG", "0")
        .define("MI_BUILD_RELEASE", None)
        .define("NDEBUG", None)
        .debug(false);
    build.compile_intermediates().pop().expect("one file, one object")
}

fn hide_all_but_entries(object: &Path) {
    let objcopy = std::env::var_os("OBJCOPY").unwrap_or_else(|| "objcopy".into());
    let mut command = Command::new(&objcopy);
    command.arg("--wildcard").arg(format!("--keep-global-symbol={ENTRIES}")).arg(object);
    let status = command.status();
    let done = status.as_ref().is_ok_and(std::process::ExitStatus::success);
    assert!(done, "{command:?}: {status:?}; objcopy is in Debian's package binutils");
}
