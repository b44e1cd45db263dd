//! The record of the machine that goes with every run.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use serde::{Deserialize, Serialize};

/// What the machine was, as found in `/proc` and `/sys`. Unknown facts are absent, not guessed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct MachineRecord {
    /// Facts by name, in a fixed order.
    pub facts: BTreeMap<String, String>,
}

/// Records the machine now.
#[must_use]
pub fn capture() -> MachineRecord {
    let mut facts = BTreeMap::new();
    let mut note = |name: &str, value: Option<String>| {
        if let Some(value) =
            value.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
        {
            facts.insert(name.to_owned(), value);
        }
    };
    let read = |path: &str| fs::read_to_string(path).ok();
    let cpuinfo = read("/proc/cpuinfo").unwrap_or_default();
    let cpu_field = |field: &str| {
        let line = cpuinfo.lines().find(|line| line.starts_with(field))?;
        Some(line.split_once(':')?.1.to_owned())
    };
    note("cpu", cpu_field("model name"));
    note("cpu-family-model", {
        let family = cpu_field("cpu family").unwrap_or_default();
        let model = cpu_field("model\t").unwrap_or_default();
        Some(format!("{} / {}", family.trim(), model.trim()))
    });
    note("cpu-mhz", cpu_field("cpu MHz"));
    note("virtualised", Some(cpuinfo.contains(" hypervisor ").to_string()));
    note("microcode", cpu_field("microcode"));
    let cores = platform::cpu::allowed_cores();
    note("cores", Some(cores.len().to_string()));
    for (name, path) in [
        ("kernel", "/proc/sys/kernel/osrelease"),
        ("kernel-version", "/proc/sys/kernel/version"),
        ("governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        ("boost", "/sys/devices/system/cpu/cpufreq/boost"),
        ("smt", "/sys/devices/system/cpu/smt/control"),
        ("transparent-huge-pages", "/sys/kernel/mm/transparent_hugepage/enabled"),
        ("huge-page-defrag", "/sys/kernel/mm/transparent_hugepage/defrag"),
        ("huge-page-pool", "/proc/sys/vm/nr_hugepages"),
        ("overcommit", "/proc/sys/vm/overcommit_memory"),
        ("aslr", "/proc/sys/kernel/randomize_va_space"),
        ("clock-source", "/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        ("memory-nodes", "/sys/devices/system/node/online"),
        ("load-average", "/proc/loadavg"),
    ] {
        note(name, read(path));
    }
    note("memory-mib", Some((super::total_memory_bytes() >> 20).to_string()));
    note("memory-available-mib", Some((super::available_memory_bytes() >> 20).to_string()));
    let swaps = read("/proc/swaps").map(|text| text.lines().count().saturating_sub(1).to_string());
    note("swap-areas", swaps);
    note("steal-ticks", read("/proc/stat").and_then(|text| steal_ticks(&text)));
    note("operating-system", read("/etc/os-release").and_then(|text| pretty_name(&text)));
    note("c-library", output("getconf", &["GNU_LIBC_VERSION"]));
    note("gnuplot", output("gnuplot", &["--version"]));
    note("program-version", Some(env!("CARGO_PKG_VERSION").to_owned()));
    note("compiler", Some(env!("NIBBLE_BENCH_RUSTC").to_owned()));
    note("build-profile", Some(env!("NIBBLE_BENCH_PROFILE").to_owned()));
    note("revision", Some(env!("NIBBLE_BENCH_REVISION").to_owned()));
    MachineRecord { facts }
}

/// Time the host gave to others, in ticks since boot.
fn steal_ticks(stat: &str) -> Option<String> {
    Some(stat.lines().next()?.split_whitespace().nth(8)?.to_owned())
}

fn pretty_name(os_release: &str) -> Option<String> {
    let line = os_release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(line.trim_matches('"').to_owned())
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_names_what_every_linux_has() {
        let facts = capture().facts;
        for name in ["kernel", "cores", "memory-mib", "compiler", "revision"] {
            assert!(facts.contains_key(name), "{name} in {facts:?}");
        }
    }
}
