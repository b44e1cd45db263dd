//! Every check against a reading that is good and one that is not.

use platform::persist::Calibration;

use super::*;
use crate::doctor::readings::{Busy, FirstTouch, Overlap};

/// A machine with nothing to complain about.
fn healthy() -> Readings {
    Readings {
        governor: Some("performance".to_owned()),
        boost: Some(false),
        frequency_mhz: Some(2300),
        cache_bytes: Some(32 << 20),
        threads_per_core: Some(1),
        cores: 8,
        cpu_limit_cores: None,
        pinning_refused: None,
        load_average: Some(0.1),
        busy: Some(Busy { cores: 0.02, steal_percent: 0.0, processes: Vec::new() }),
        clock_source: Some("tsc".to_owned()),
        hypervisor: None,
        counters_missing: None,
        transparent_huge_pages: Some("madvise".to_owned()),
        huge_page_pool: Some(0),
        swap_bytes: Some((0, 0)),
        memory_available_bytes: 64 << 30,
        memory_limit_bytes: None,
        first_touch: Some(FirstTouch { cold_ns: 300.0, warm_ns: 250.0 }),
        overlap: overlap(2.0, 1.8),
        persistent_waits: waits(112.0),
        files_unfit: None,
        files_device: Some("sda1".to_owned()),
        nodes: 2,
        numa_balancing: Some(false),
        aslr: Some(2),
        target_cpu: "native".to_owned(),
        profile: "release".to_owned(),
        dirty: Some(false),
        gnuplot: true,
    }
}

/// One thing spoilt, the severity that it deserves, and what the value must name.
struct Spoilt(&'static str, fn(&mut Readings), Severity, &'static str);

fn busy(cores: f64, steal_percent: f64) -> Option<Busy> {
    Some(Busy { cores, steal_percent, processes: vec![("cc1plus".to_owned(), cores)] })
}

fn overlap(high: f64, low: f64) -> Option<Overlap> {
    Some(Overlap { high, median: 1.9, low })
}

fn waits(taken_ns: f64) -> Option<Calibration> {
    Some(Calibration { ticks_per_us: 2400.0, asked_ns: 100, taken_ns })
}

const SPOILT: &[Spoilt] = &[
    Spoilt("emulated-waits", |it| it.persistent_waits = waits(170.0), Severity::Disturbs, "170 ns"),
    Spoilt(
        "files",
        |it| it.files_unfit = Some("on a tmpfs".into()),
        Severity::Disturbs,
        "on a tmpfs",
    ),
    Spoilt("overlap", |it| it.overlap = overlap(2.0, 1.0), Severity::Disturbs, "1.0 and 2.0"),
    Spoilt("overlap", |it| it.overlap = overlap(1.1, 1.0), Severity::Disturbs, "1.0 and 1.1"),
    Spoilt("overlap", |it| it.overlap = None, Severity::Unknown, "not visible"),
    Spoilt("last-level-cache", |it| it.cache_bytes = Some(2 << 30), Severity::Disturbs, "2048 MiB"),
    Spoilt(
        "governor",
        |it| it.governor = Some("powersave".into()),
        Severity::Disturbs,
        "powersave",
    ),
    Spoilt("governor", |it| it.governor = None, Severity::Unknown, "not visible"),
    Spoilt("boost", |it| it.boost = Some(true), Severity::Disturbs, "on"),
    Spoilt("boost", |it| it.boost = None, Severity::Unknown, "not visible"),
    Spoilt("frequency", |it| it.frequency_mhz = None, Severity::Unknown, "not visible"),
    Spoilt("smt", |it| it.threads_per_core = Some(2), Severity::Disturbs, "2"),
    Spoilt("cores", |it| it.cores = 1, Severity::Disturbs, "1"),
    Spoilt("cpu-limit", |it| it.cpu_limit_cores = Some(1.5), Severity::Disturbs, "1.50 cores"),
    Spoilt(
        "pinning",
        |it| it.pinning_refused = Some("EPERM".into()),
        Severity::Disturbs,
        "refused: EPERM",
    ),
    Spoilt("load-average", |it| it.load_average = Some(3.0), Severity::Disturbs, "3.00"),
    Spoilt("other-processes", |it| it.busy = busy(1.5, 0.0), Severity::Disturbs, "cc1plus 1.50"),
    Spoilt("steal", |it| it.busy = busy(0.0, 12.0), Severity::Disturbs, "12.0 %"),
    Spoilt("clock-source", |it| it.clock_source = Some("hpet".into()), Severity::Disturbs, "hpet"),
    Spoilt("virtualisation", |it| it.hypervisor = Some("KVM".into()), Severity::Disturbs, "KVM"),
    Spoilt(
        "counters",
        |it| it.counters_missing = Some("not supported here".into()),
        Severity::Unknown,
        "not supported here",
    ),
    Spoilt(
        "memory-available",
        |it| it.memory_available_bytes = 1 << 30,
        Severity::Disturbs,
        "1024 MiB",
    ),
    Spoilt(
        "memory-limit",
        |it| it.memory_limit_bytes = Some(1 << 30),
        Severity::Disturbs,
        "1024 MiB",
    ),
    Spoilt(
        "first-touch",
        |it| it.first_touch = Some(FirstTouch { cold_ns: 15_000.0, warm_ns: 250.0 }),
        Severity::Disturbs,
        "cold 15000 ns",
    ),
    Spoilt("swap", |it| it.swap_bytes = Some((2 << 20, 1 << 20)), Severity::Disturbs, "1 of 2 MiB"),
    Spoilt(
        "transparent-huge-pages",
        |it| it.transparent_huge_pages = Some("always".into()),
        Severity::Disturbs,
        "always",
    ),
    Spoilt(
        "transparent-huge-pages",
        |it| it.transparent_huge_pages = Some("never".into()),
        Severity::Disturbs,
        "never",
    ),
    Spoilt("huge-page-pool", |it| it.huge_page_pool = Some(512), Severity::Disturbs, "512 pages"),
    Spoilt(
        "numa-balancing",
        |it| it.numa_balancing = Some(true),
        Severity::Disturbs,
        "on, 2 nodes",
    ),
    Spoilt("numa-balancing", |it| it.numa_balancing = None, Severity::Unknown, "2 nodes"),
    Spoilt("aslr", |it| it.aslr = Some(0), Severity::Disturbs, "off"),
    Spoilt("compiler-flags", |it| it.target_cpu = "generic".into(), Severity::Disturbs, "generic"),
    Spoilt("build-profile", |it| it.profile = "debug".into(), Severity::Disturbs, "debug"),
    Spoilt("sources", |it| it.dirty = Some(true), Severity::Disturbs, "changed"),
    Spoilt("sources", |it| it.dirty = None, Severity::Unknown, "not a git checkout"),
    Spoilt("gnuplot", |it| it.gnuplot = false, Severity::Disturbs, "missing"),
];

fn all() -> impl Iterator<Item = &'static Check> {
    CHECKS.iter().flat_map(|checks| checks.iter())
}

#[test]
fn a_healthy_machine_is_fine_in_every_check() {
    for finding in all().map(|check| check.examine(&healthy())) {
        assert_eq!(finding.severity, Severity::Fine, "{finding:?}");
        assert_eq!(finding.remedy, None);
        assert!(!finding.value.is_empty(), "{finding:?}");
    }
}

#[test]
fn each_spoilt_reading_is_found_by_its_check_and_by_no_other() {
    for Spoilt(name, spoil, severity, value) in SPOILT {
        let mut readings = healthy();
        spoil(&mut readings);
        for check in all() {
            let finding = check.examine(&readings);
            if check.name == *name {
                assert_eq!(finding.severity, *severity, "{finding:?}");
                assert!(finding.value.contains(value), "{finding:?}");
                assert_eq!(finding.remedy, Some(check.remedy));
            } else {
                assert_eq!(finding.severity, Severity::Fine, "{name} spoilt: {finding:?}");
            }
        }
    }
}

#[test]
fn every_check_has_a_bad_reading_and_names_are_unique() {
    let mut names: Vec<&str> = all().map(|check| check.name).collect();
    for name in &names {
        assert!(SPOILT.iter().any(|Spoilt(spoilt, ..)| spoilt == name), "{name} is never spoilt");
    }
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn limits_that_do_not_bind_and_balancing_on_one_node_are_fine() {
    let readings =
        Readings { cpu_limit_cores: Some(8.0), nodes: 1, numa_balancing: Some(true), ..healthy() };
    assert!(all().all(|check| check.examine(&readings).severity == Severity::Fine));
    let readings = Readings { nodes: 1, numa_balancing: None, ..healthy() };
    assert!(all().all(|check| check.examine(&readings).severity == Severity::Fine));
}

#[test]
fn a_machine_that_shows_nothing_is_judged_without_guessing() {
    let severities = |severity| {
        let dark = Readings { cores: 2, ..Readings::default() };
        all().filter(|check| check.examine(&dark).severity == severity).count()
    };
    assert!(severities(Severity::Unknown) >= 12);
}
