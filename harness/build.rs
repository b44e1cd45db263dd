//! Tells the program what built it: compiler, profile and revision.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let compiler = output(&rustc, &["--version"]).unwrap_or_else(|| "unknown".to_owned());
    let revision = output("git", &["describe", "--always", "--dirty", "--abbrev=12"])
        .unwrap_or_else(|| "unknown (not a git checkout)".to_owned());
    // The profile's folder: target/PROFILE/build/harness-HASH/out.
    let profile = std::env::var("OUT_DIR")
        .ok()
        .and_then(|path| path.rsplit('/').nth(3).map(str::to_owned))
        .unwrap_or_default();
    println!("cargo::rustc-env=NIBBLE_BENCH_RUSTC={compiler}");
    println!("cargo::rustc-env=NIBBLE_BENCH_PROFILE={profile}");
    println!("cargo::rustc-env=NIBBLE_BENCH_REVISION={revision}");
    println!("cargo::rerun-if-changed=build.rs");
    for path in ["../.git/HEAD", "../.git/index"] {
        if std::path::Path::new(path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
