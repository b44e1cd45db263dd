//! Checks of this program: how it was built, from what, and what it needs for reports.

use super::{Check, Severity, judged};

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "compiler-flags",
        why: "Generic code leaves instructions of this processor unused, in some engines more than \
              in others.",
        remedy: "env -u RUSTFLAGS cargo build --release, within the workspace",
        judge: |readings| {
            let cpu = readings.target_cpu.as_str();
            judged(cpu != "generic", format!("target-cpu {cpu}"))
        },
    },
    Check {
        name: "build-profile",
        why: "Only the profile `release` measures what the code can do.",
        remedy: "cargo build --release, and run target/release/nibble-bench",
        judge: |readings| judged(readings.profile == "release", readings.profile.as_str()),
    },
    Check {
        name: "sources",
        why: "Rows name a revision, and nobody can build what it does not hold.",
        remedy: "commit or stash the changes and build again: git status",
        judge: |readings| match readings.dirty {
            Some(dirty) => judged(!dirty, if dirty { "changed since the commit" } else { "clean" }),
            None => (Severity::Unknown, "not a git checkout".to_owned()),
        },
    },
    Check {
        name: "gnuplot",
        why: "Reports have tables but no drawings without it.",
        remedy: "sudo apt-get install gnuplot-nox",
        judge: |readings| {
            judged(readings.gnuplot, if readings.gnuplot { "there" } else { "missing" })
        },
    },
];
