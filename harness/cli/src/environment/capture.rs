//! The record of the machine that goes with every run.

use std::process::Command;

use record::MachineRecord;
use worker::kernel;

use super::{processor, program, variables};
use worker::kernel::KernelFiles;

/// Records the machine now. No allocator is opened for it.
#[must_use]
pub fn capture() -> MachineRecord {
    let files = KernelFiles::here();
    let mut found = processor::facts(&files);
    found.extend(kernel_facts(&files));
    found.extend(memory_facts(&files));
    found.extend(program::facts());
    found.extend(variables::facts());
    let known = found.into_iter().filter_map(|(name, value)| {
        let value = value?.trim().to_owned();
        (!value.is_empty()).then_some((name, value))
    });
    MachineRecord { facts: known.collect() }
}

/// The kernel, its settings and its load, and the system around it.
fn kernel_facts(files: &KernelFiles) -> Vec<(String, Option<String>)> {
    let files_by_name = [
        ("kernel", "proc/sys/kernel/osrelease"),
        ("kernel-version", "proc/sys/kernel/version"),
        ("aslr", "proc/sys/kernel/randomize_va_space"),
        ("clock-source", "sys/devices/system/clocksource/clocksource0/current_clocksource"),
        ("load-average", "proc/loadavg"),
        ("perf-event-paranoid", "proc/sys/kernel/perf_event_paranoid"),
        ("product", "sys/class/dmi/id/product_name"),
        ("vendor", "sys/class/dmi/id/sys_vendor"),
    ];
    let read = |(name, path): (&str, &str)| (name.to_owned(), files.text(path));
    let mut facts: Vec<(String, Option<String>)> = files_by_name.map(read).into();
    let cores = platform::cpu::allowed_cores().len();
    let cpu_limit = kernel::quota_cores(files).map(|cores| format!("{cores:.2} cores"));
    let cpu_limit = cpu_limit.or_else(|| no_limit(files));
    facts.extend(
        [
            ("cores", Some(cores.to_string())),
            ("cpu-limit", cpu_limit),
            ("kernel-command-line", files.text("proc/cmdline").map(|text| kernel_part(&text))),
            ("hypervisor", platform::cpu::hypervisor_vendor()),
            ("uptime-s", files.text("proc/uptime").and_then(|text| first_word(&text))),
            ("steal-ticks", files.text("proc/stat").and_then(|text| steal_ticks(&text))),
            ("operating-system", files.text("etc/os-release").and_then(|text| pretty_name(&text))),
            ("c-library", output("getconf", &["GNU_LIBC_VERSION"])),
            ("gnuplot", output("gnuplot", &["--version"])),
        ]
        .map(|(name, value)| (name.to_owned(), value)),
    );
    facts
}

/// Memory, its pages, its limits and what may push it out.
fn memory_facts(files: &KernelFiles) -> Vec<(String, Option<String>)> {
    let files_by_name = [
        ("transparent-huge-pages", "sys/kernel/mm/transparent_hugepage/enabled"),
        ("huge-page-defrag", "sys/kernel/mm/transparent_hugepage/defrag"),
        ("huge-page-pool", "proc/sys/vm/nr_hugepages"),
        ("overcommit", "proc/sys/vm/overcommit_memory"),
        ("swappiness", "proc/sys/vm/swappiness"),
        ("memory-nodes", "sys/devices/system/node/online"),
        ("numa-balancing", "proc/sys/kernel/numa_balancing"),
    ];
    let read = |(name, path): (&str, &str)| (name.to_owned(), files.text(path));
    let mut facts: Vec<(String, Option<String>)> = files_by_name.map(read).into();
    let mib = |bytes: u64| (bytes >> 20).to_string();
    let limit = kernel::memory_limits(files).into_iter().map(|(limit, _)| limit).min();
    let swap = kernel::swap_bytes(files);
    let areas = files.text("proc/swaps").map(|text| text.lines().count().saturating_sub(1));
    facts.extend(
        [
            ("memory-mib", Some(mib(kernel::total_memory_bytes()))),
            ("memory-available-mib", Some(mib(kernel::available_memory_bytes()))),
            ("memory-limit-mib", limit.map(mib).or_else(|| no_limit(files))),
            ("memory-of-nodes", kernel::nodes(files)),
            ("memory-speed", output("dmidecode", &["-t", "17"]).and_then(|text| speed(&text))),
            ("swap-areas", areas.map(|areas| areas.to_string())),
            ("swap-mib", swap.map(|(total, _)| mib(total))),
            ("swap-used-mib", swap.map(|(_, used)| mib(used))),
        ]
        .map(|(name, value)| (name.to_owned(), value)),
    );
    facts
}

/// The word for a limit that no control group sets; nothing is known where there are no groups.
fn no_limit(files: &KernelFiles) -> Option<String> {
    files.text("proc/self/cgroup").map(|_| "none".to_owned())
}

/// A command line without what follows `--`: those words are for the first process, and may hold
/// what is nobody's business.
fn kernel_part(command_line: &str) -> String {
    let words = command_line.split_whitespace().take_while(|word| *word != "--");
    words.collect::<Vec<_>>().join(" ")
}

fn first_word(text: &str) -> Option<String> {
    text.split_whitespace().next().map(str::to_owned)
}

/// Time the host gave to others, in ticks since boot.
fn steal_ticks(stat: &str) -> Option<String> {
    Some(stat.lines().next()?.split_whitespace().nth(8)?.to_owned())
}

fn pretty_name(os_release: &str) -> Option<String> {
    let line = os_release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(line.trim_matches('"').to_owned())
}

/// The rate that memory runs at, where the firmware tells it to this user.
fn speed(dmidecode: &str) -> Option<String> {
    let mut speeds = dmidecode.lines().filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == "Configured Memory Speed" && value.trim() != "Unknown")
            .then(|| value.trim())
    });
    speeds.next().map(str::to_owned)
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use worker::kernel::MadeUp;

    use super::*;

    #[test]
    fn the_record_names_what_every_linux_has() {
        let facts = capture().facts;
        for name in [
            "kernel",
            "kernel-command-line",
            "uptime-s",
            "load-average",
            "cores",
            "memory-mib",
            "swap-mib",
            "compiler",
            "compiler-flags",
            "opt-level",
            "revision",
            "heap-version-mimalloc",
        ] {
            assert!(facts.contains_key(name), "{name} in {facts:?}");
        }
        assert!(!facts.contains_key("heap-version-gperftools"), "a library to be loaded first");
        assert!(facts.values().all(|value| !value.trim().is_empty()));
    }

    #[test]
    fn facts_that_the_kernel_does_not_show_are_none() {
        let nothing = MadeUp::new("nothing", &[]);
        let unknown: BTreeMap<String, Option<String>> = kernel_facts(&nothing.files())
            .into_iter()
            .chain(memory_facts(&nothing.files()))
            .collect();
        for name in
            ["kernel", "cpu-limit", "uptime-s", "memory-of-nodes", "swap-mib", "steal-ticks"]
        {
            assert_eq!(unknown[name], None, "{name}");
        }
    }

    #[test]
    fn a_limit_that_is_not_set_differs_from_one_that_is_not_known() {
        let groups = MadeUp::new("no-limits", &[("proc/self/cgroup", "0::/\n")]);
        let facts: BTreeMap<String, Option<String>> = kernel_facts(&groups.files())
            .into_iter()
            .chain(memory_facts(&groups.files()))
            .collect();
        assert_eq!(facts["cpu-limit"].as_deref(), Some("none"));
        assert_eq!(facts["memory-limit-mib"].as_deref(), Some("none"));
    }

    #[test]
    fn the_command_line_ends_where_the_first_process_begins() {
        assert_eq!(kernel_part("quiet mitigations=off -- --token x"), "quiet mitigations=off");
        assert_eq!(kernel_part("quiet init=/a--b\n"), "quiet init=/a--b");
    }

    #[test]
    fn memory_speed_is_read_where_it_is_known() {
        let text = "Memory Device\n\tSpeed: 5600 MT/s\n\tConfigured Memory Speed: Unknown\n\
                    Memory Device\n\tConfigured Memory Speed: 4800 MT/s\n";
        assert_eq!(speed(text).as_deref(), Some("4800 MT/s"));
        assert_eq!(speed("no firmware here"), None);
    }
}
