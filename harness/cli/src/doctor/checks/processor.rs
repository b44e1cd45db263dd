//! Checks of the processor: its clock, its cores, and who else uses them.

use super::{Check, Severity, judged, known};

/// Cores kept busy by others that a measurement does not notice.
const BUSY_CORES_FINE: f64 = 0.1;
/// Runnable threads in the last minute that it does not notice.
const LOAD_FINE: f64 = 0.5;
/// Stolen time that it does not notice, in percent.
const STEAL_PERCENT_FINE: f64 = 0.5;

/// How many times overlap makes operations faster at least, where a core is not shared, and how far
/// moments may then differ.
const OVERLAP_FINE: f64 = 1.4;

/// How much longer than asked a wait may take that stands for persistent memory, in percent: entering and
/// leaving it is in the time.
const WAIT_PERCENT_FINE: f64 = 50.0;

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "governor",
        why: "Other governors change the clock rate while a cell runs.",
        remedy: "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
        judge: |readings| {
            known(readings.governor.as_deref(), |name| judged(name == "performance", name))
        },
    },
    Check {
        name: "boost",
        why: "The rate above the nominal one depends on heat and on how many cores work.",
        remedy: "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost; with intel_pstate: \
                 echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo",
        judge: |readings| known(readings.boost, |on| judged(!on, if on { "on" } else { "off" })),
    },
    Check {
        name: "frequency",
        why: "Without the clock rate nobody can tell whether it stayed the same.",
        remedy: "run where a driver shows it: ls /sys/devices/system/cpu/cpu0/cpufreq",
        judge: |readings| {
            known(readings.frequency_mhz, |rate| (Severity::Fine, format!("{rate} MHz")))
        },
    },
    Check {
        name: "smt",
        why: "Two threads on one core share its caches and units, and slow one another down.",
        remedy: "echo off | sudo tee /sys/devices/system/cpu/smt/control",
        judge: |readings| {
            known(readings.threads_per_core, |count| {
                judged(count == 1, format!("threads a core: {count}"))
            })
        },
    },
    Check {
        name: "cores",
        why: "The parent samples memory while a worker runs; on one core they displace each other.",
        remedy: "give this process more cores: taskset, cpusets, or the virtual machine's settings",
        judge: |readings| judged(readings.cores > 1, readings.cores.to_string()),
    },
    Check {
        name: "cpu-limit",
        why: "A control group stops a process that has used its share until the next period.",
        remedy: "run outside the group, or: echo max | sudo tee /sys/fs/cgroup/GROUP/cpu.max",
        judge: |readings| match readings.cpu_limit_cores {
            None => (Severity::Fine, "none".to_owned()),
            Some(cores) => judged(cores >= readings.cores as f64, format!("{cores:.2} cores")),
        },
    },
    Check {
        name: "pinning",
        why: "Threads that move between cores leave their caches behind.",
        remedy: "permit sched_setaffinity in the container or sandbox",
        judge: |readings| match &readings.pinning_refused {
            None => (Severity::Fine, "permitted".to_owned()),
            Some(error) => (Severity::Disturbs, format!("refused: {error}")),
        },
    },
    Check {
        name: "load-average",
        why: "Whatever ran in the last minute may run again during a cell.",
        remedy: "wait, or stop what runs: top",
        judge: |readings| {
            known(readings.load_average, |load| judged(load <= LOAD_FINE, format!("{load:.2}")))
        },
    },
    Check {
        name: "other-processes",
        why: "They take cores, caches and memory bandwidth away from a cell.",
        remedy: "stop them: top",
        judge: |readings| {
            known(readings.busy.as_ref(), |busy| {
                let mut value = format!("{:.2} cores busy", busy.cores);
                for (place, (name, cores)) in busy.processes.iter().enumerate() {
                    value += if place == 0 { ": " } else { ", " };
                    value += &format!("{name} {cores:.2}");
                }
                judged(busy.cores <= BUSY_CORES_FINE, value)
            })
        },
    },
    Check {
        name: "steal",
        why: "Time that the host gives to others is missing from a cell, and no clock shows it.",
        remedy: "measure on another host or at another hour; steal-ns in rows shows where it hit",
        judge: |readings| {
            known(readings.busy.as_ref(), |busy| {
                let value = format!("{:.1} %", busy.steal_percent);
                judged(busy.steal_percent <= STEAL_PERCENT_FINE, value)
            })
        },
    },
    Check {
        name: "overlap",
        why: "A core looks ahead half as far while its other thread works, of which a guest sees nothing \
              else: fast stores then move by a factor of two from second to second.",
        remedy: "measure on another host or at another hour; compare interleaved runs only",
        judge: |readings| {
            known(readings.overlap, |fold| {
                let value = format!(
                    "faster by overlap: {:.1} times in the median, {:.1} and {:.1} at the deciles",
                    fold.median, fold.low, fold.high
                );
                let is_fine = fold.high >= OVERLAP_FINE && fold.high <= OVERLAP_FINE * fold.low;
                judged(is_fine, value)
            })
        },
    },
    Check {
        name: "emulated-waits",
        why: "Emulated persistent memory waits by the processor's counter: where a wait takes longer than \
              asked, its stores pay for something else.",
        remedy: "stop what uses the processor: top; measure family pm where it is idle",
        judge: |readings| {
            known(readings.persistent_waits, |waits| {
                judged(waits.check(WAIT_PERCENT_FINE).is_ok(), waits.to_string())
            })
        },
    },
    Check {
        name: "clock-source",
        why: "Other sources than the processor's counter cost a system call each time they are read.",
        remedy: "echo tsc | sudo tee \
                 /sys/devices/system/clocksource/clocksource0/current_clocksource",
        judge: |readings| {
            known(readings.clock_source.as_deref(), |name| {
                judged(["tsc", "arch_sys_counter"].contains(&name), name)
            })
        },
    },
    Check {
        name: "virtualisation",
        why: "A host shares cores, caches and memory with other guests, and page walks cost more.",
        remedy: "measure on bare metal; here, compare medians of many repetitions",
        judge: |readings| match &readings.hypervisor {
            None => (Severity::Fine, "none seen".to_owned()),
            Some(vendor) => (Severity::Disturbs, format!("guest of {vendor}")),
        },
    },
    Check {
        name: "counters",
        why: "Without hardware counters rows cannot say why a cell is slow (run --counters).",
        remedy: "sudo sysctl kernel.perf_event_paranoid=2 where not permitted; bare metal where not \
                 supported",
        judge: |readings| match &readings.counters_missing {
            None => (Severity::Fine, "all of them".to_owned()),
            Some(reason) => (Severity::Unknown, reason.clone()),
        },
    },
];
