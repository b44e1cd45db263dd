//! Facts about the processor: model, caches, topology, what it can do, what guards it.

use std::collections::BTreeSet;

use worker::kernel::KernelFiles;

const CPUS: &str = "sys/devices/system/cpu";

/// Instructions and abilities that stores and allocators choose their code by, or that decide
/// what a clock and a page cost.
const FLAGS: [&str; 7] = ["avx2", "avx512f", "erms", "fsrm", "rdpid", "constant_tsc", "pdpe1gb"];

/// The facts by name.
pub(super) fn facts(files: &KernelFiles) -> Vec<(String, Option<String>)> {
    let mut facts = Vec::new();
    let mut note = |name: &str, value| facts.push((name.to_owned(), value));
    note("cpu", files.cpu_field("model name"));
    let family = files.cpu_field("cpu family").zip(files.cpu_field("model"));
    note("cpu-family-model", family.map(|(family, model)| format!("{family} / {model}")));
    note("cpu-mhz", files.cpu_field("cpu MHz"));
    note("microcode", files.cpu_field("microcode"));
    let flags = files.cpu_field("flags");
    note("cpu-flags", flags.as_deref().map(flags_that_matter));
    note("virtualised", flags.map(|flags| names_a_hypervisor(&flags).to_string()));
    for (name, value) in caches(files) {
        note(&name, Some(value));
    }
    note("threads-per-core", threads_per_core(files).map(|count| count.to_string()));
    note("sockets", sockets(files).map(|count| count.to_string()));
    note("governor", files.text(format!("{CPUS}/cpu0/cpufreq/scaling_governor")));
    note("boost", boost(files).map(|on| if on { "on" } else { "off" }.to_owned()));
    note("smt", files.text(format!("{CPUS}/smt/control")));
    for (name, value) in vulnerabilities(files) {
        note(name, Some(value));
    }
    facts
}

/// Whether this is a virtual machine.
pub(crate) fn is_virtualised(files: &KernelFiles) -> bool {
    files.cpu_field("flags").is_some_and(|flags| names_a_hypervisor(&flags))
}

fn names_a_hypervisor(flags: &str) -> bool {
    flags.split(' ').any(|flag| flag == "hypervisor")
}

fn flags_that_matter(flags: &str) -> String {
    let has: BTreeSet<&str> = flags.split_whitespace().collect();
    FLAGS.into_iter().filter(|flag| has.contains(flag)).collect::<Vec<_>>().join(" ")
}

/// Data and unified caches of the first core: `cache-l1d`, `cache-l2`, `cache-l3`.
fn caches(files: &KernelFiles) -> Vec<(String, String)> {
    let folder = format!("{CPUS}/cpu0/cache");
    let caches = files.names(&folder, "index").into_iter().filter_map(|index| {
        let read = |file: &str| files.text(format!("{folder}/{index}/{file}"));
        let (level, kind, size) = (read("level")?, read("type")?, read("size")?);
        match kind.as_str() {
            "Data" => Some((format!("cache-l{level}d"), size)),
            "Unified" => Some((format!("cache-l{level}"), size)),
            _ => None,
        }
    });
    caches.collect()
}

/// The largest cache of the first core: what a live set has to exceed by far, or throughput is that of
/// the cache.
pub(crate) fn last_level_cache_bytes(files: &KernelFiles) -> Option<u64> {
    let sizes = caches(files).into_iter().filter_map(|(_, size)| {
        let (number, shift) = match size.strip_suffix(['K', 'M', 'G'])? {
            number if size.ends_with('K') => (number, 10),
            number if size.ends_with('M') => (number, 20),
            number => (number, 30),
        };
        number.parse::<u64>().ok().map(|number| number << shift)
    });
    sizes.max()
}

/// Hardware threads of the first core.
pub(crate) fn threads_per_core(files: &KernelFiles) -> Option<usize> {
    let list = files.text(format!("{CPUS}/cpu0/topology/thread_siblings_list"))?;
    let count = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(last.parse::<usize>().ok()? + 1 - first.parse::<usize>().ok()?)
    };
    list.split(',').map(count).sum()
}

fn sockets(files: &KernelFiles) -> Option<usize> {
    let cores = files.names(CPUS, "cpu").into_iter();
    let packages: BTreeSet<String> = cores
        .filter_map(|core| files.text(format!("{CPUS}/{core}/topology/physical_package_id")))
        .collect();
    Some(packages.len()).filter(|&count| count > 0)
}

/// Whether cores may run above their nominal rate; `None` where no driver says.
pub(crate) fn boost(files: &KernelFiles) -> Option<bool> {
    let boost = files.number::<u8>(format!("{CPUS}/cpufreq/boost")).map(|on| on == 1);
    boost.or_else(|| Some(files.number::<u8>(format!("{CPUS}/intel_pstate/no_turbo"))? == 0))
}

/// What the kernel guards against at a price, and what it leaves open.
fn vulnerabilities(files: &KernelFiles) -> Vec<(&'static str, String)> {
    let folder = format!("{CPUS}/vulnerabilities");
    let (mut mitigated, mut vulnerable) = (Vec::new(), Vec::new());
    for name in files.names(&folder, "") {
        match files.text(format!("{folder}/{name}")) {
            Some(state) if state.starts_with("Mitigation") => mitigated.push(name),
            Some(state) if state.starts_with("Vulnerable") => vulnerable.push(name),
            _ => {}
        }
    }
    let kinds = [("mitigations", mitigated), ("vulnerable", vulnerable)];
    kinds.into_iter().map(|(kind, names)| (kind, names.join(" "))).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use worker::kernel::MadeUp;

    #[test]
    fn a_machine_is_described() {
        let cpus = |path: &str| format!("{CPUS}/{path}");
        let files = [
            (
                "proc/cpuinfo".to_owned(),
                "cpu family\t: 6\nmodel\t: 9\nmodel name\t: A CPU\n\
              flags\t: fpu avx2 avx512fx erms hypervisor\n",
            ),
            (cpus("cpu0/cache/index0/level"), "1"),
            (cpus("cpu0/cache/index0/type"), "Data"),
            (cpus("cpu0/cache/index0/size"), "48K"),
            (cpus("cpu0/cache/index1/level"), "1"),
            (cpus("cpu0/cache/index1/type"), "Instruction"),
            (cpus("cpu0/cache/index1/size"), "32K"),
            (cpus("cpu0/cache/index3/level"), "3"),
            (cpus("cpu0/cache/index3/type"), "Unified"),
            (cpus("cpu0/cache/index3/size"), "30M"),
            (cpus("cpu0/topology/thread_siblings_list"), "0,4-5"),
            (cpus("cpu0/topology/physical_package_id"), "0"),
            (cpus("cpu1/topology/physical_package_id"), "1"),
            (cpus("intel_pstate/no_turbo"), "0"),
            (cpus("vulnerabilities/meltdown"), "Mitigation: PTI"),
            (cpus("vulnerabilities/mds"), "Not affected"),
            (cpus("vulnerabilities/spectre_v1"), "Vulnerable"),
        ];
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        let made_up = MadeUp::new("processor", &files);
        let facts: BTreeMap<String, Option<String>> = facts(&made_up.files()).into_iter().collect();
        for (name, value) in [
            ("cpu", "A CPU"),
            ("cpu-family-model", "6 / 9"),
            ("cpu-flags", "avx2 erms"),
            ("virtualised", "true"),
            ("cache-l1d", "48K"),
            ("cache-l3", "30M"),
            ("threads-per-core", "3"),
            ("sockets", "2"),
            ("boost", "on"),
            ("mitigations", "meltdown"),
            ("vulnerable", "spectre_v1"),
        ] {
            assert_eq!(facts[name].as_deref(), Some(value), "{name}");
        }
        assert!(!facts.contains_key("cache-l1"), "instructions are not data");
        assert_eq!((&facts["governor"], &facts["microcode"]), (&None, &None));
    }
}
