//! Tells the program what built it: compiler, flags, profile and revision.

use std::path::Path;
use std::process::Command;

/// What `git describe --dirty` looks at beside its own files: with these the program is rebuilt
/// anyway.
const SOURCES: [&str; 6] =
    ["..", "../../nibble", "../../baselines", "../../workloads", "../../plots", "../../Cargo.toml"];

/// Sets what `environment::program` reads.
pub(crate) fn tell() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let compiler = output(&rustc, &["--version"]).unwrap_or_else(|| "unknown".to_owned());
    // Without locks git leaves its index alone: others may be using it.
    let describe = ["--no-optional-locks", "describe", "--always", "--dirty", "--abbrev=12"];
    let revision =
        output("git", &describe).unwrap_or_else(|| "unknown (not a git checkout)".to_owned());
    // The profile's folder: target/PROFILE/build/harness-HASH/out.
    let profile = std::env::var("OUT_DIR")
        .ok()
        .and_then(|path| path.rsplit('/').nth(3).map(str::to_owned))
        .unwrap_or_default();
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    // Flags are kept apart by a character that no flag holds.
    let flags = variable("CARGO_ENCODED_RUSTFLAGS").replace('\x1f', " ");
    println!("cargo::rustc-env=NIBBLE_BENCH_RUSTC={compiler}");
    println!("cargo::rustc-env=NIBBLE_BENCH_FLAGS={flags}");
    println!("cargo::rustc-env=NIBBLE_BENCH_OPT_LEVEL={}", variable("OPT_LEVEL"));
    let features = variable("CARGO_CFG_TARGET_FEATURE");
    println!("cargo::rustc-env=NIBBLE_BENCH_TARGET_FEATURES={features}");
    println!("cargo::rustc-env=NIBBLE_BENCH_PROFILE={profile}");
    println!("cargo::rustc-env=NIBBLE_BENCH_REVISION={revision}");
    // The log of HEAD gets a line with every commit and checkout. `git status` writes the index, too.
    let git = ["HEAD", "logs/HEAD"]
        .into_iter()
        .filter_map(|file| output("git", &["rev-parse", "--git-path", file]));
    for path in SOURCES.into_iter().map(str::to_owned).chain(git) {
        if Path::new(&path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
