//! Rates of the two schemes, one after the other many times, and the medians of their ratios. They
//! are printed, not judged: a machine may have other things to do.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use super::common::memory_folder;
use baseline_lsm::{Clsm, Config, Decide, LogMode, Lsm, ReadModifyWrite, Scheme, Store};
use kit::testing::mix;
use platform::clock::thread_cpu_ns;

const OPERATIONS: u64 = 100_000;
const ROUNDS: usize = 15;
const KEYS: u64 = 1 << 20;

/// What each operation does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Put,
    PutIfAbsent,
    Get,
    Mixed,
}

fn config(scheme: Scheme, log: LogMode, striped: bool) -> Config {
    let mut config = Config { log, write_buffer_bytes: 64 << 20, ..Config::new(scheme) };
    config.tells_presence = false;
    config.private_parent = memory_folder();
    if striped {
        config.read_modify_write = ReadModifyWrite::Striped;
    }
    config
}

/// Operations per second of a fresh store, and processor time of each, in ns, of the threads that
/// ask.
fn rate(config: Config, kind: Kind, threads: u64) -> (f64, f64) {
    let (lsm, clsm);
    let store: &Store = if config.scheme == Scheme::Clsm {
        clsm = Clsm::open(config).unwrap();
        clsm.store()
    } else {
        lsm = Lsm::open(config).unwrap();
        lsm.store()
    };
    if matches!(kind, Kind::Get | Kind::Mixed) {
        let mut session = store.session().unwrap();
        for number in 0..OPERATIONS {
            session.put(&(mix(number) % KEYS).to_be_bytes(), &[7; 256]).unwrap();
        }
        store.settle(std::time::Duration::from_secs(10));
    }
    let start = Barrier::new(threads as usize + 1);
    let mut begin = None;
    let cpu_ns = AtomicU64::new(0);
    thread::scope(|scope| {
        for worker in 0..threads {
            let (start, cpu_ns) = (&start, &cpu_ns);
            scope.spawn(move || {
                let mut session = store.session().unwrap();
                start.wait();
                let cpu_begin_ns = thread_cpu_ns();
                for turn in 0..OPERATIONS / threads {
                    let word = mix(turn * threads + worker);
                    let key = (word % KEYS).to_be_bytes();
                    match kind {
                        Kind::Put => session.put(&key, &[7; 256]).unwrap(),
                        Kind::Mixed if word >> 63 == 0 => session.put(&key, &[7; 256]).unwrap(),
                        Kind::Get | Kind::Mixed => {
                            session.find(&key, None, |_, value_bytes| value_bytes).unwrap();
                        }
                        Kind::PutIfAbsent => {
                            let key = (word % (KEYS / 16)).to_be_bytes();
                            session
                                .read_modify_write(&key, &mut |old, new| {
                                    if old.is_some() {
                                        return Decide::Keep;
                                    }
                                    new.extend_from_slice(&[7; 256]);
                                    Decide::Put
                                })
                                .unwrap();
                        }
                    }
                }
                cpu_ns.fetch_add(thread_cpu_ns() - cpu_begin_ns, Ordering::Relaxed);
            });
        }
        start.wait();
        begin = Some(Instant::now());
    });
    let seconds = begin.expect("it has begun").elapsed().as_secs_f64();
    (OPERATIONS as f64 / seconds, cpu_ns.into_inner() as f64 / OPERATIONS as f64)
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn compare(kind: Kind, log: LogMode, striped: bool, threads: u64) {
    let (mut clsm, mut global, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let (mut clsm_cpu_ns, mut global_cpu_ns) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let one = rate(config(Scheme::Clsm, log, false), kind, threads);
        let other = rate(config(Scheme::GlobalLock, log, striped), kind, threads);
        ratios.push(one.0 / other.0);
        clsm.push(one.0);
        global.push(other.0);
        clsm_cpu_ns.push(one.1);
        global_cpu_ns.push(other.1);
    }
    let (clsm_cpu_ns, global_cpu_ns) = (median(clsm_cpu_ns), median(global_cpu_ns));
    let best = |rates: &[f64]| rates.iter().copied().fold(0_f64, f64::max);
    let of_best = best(&clsm) / best(&global);
    let spread = ratios
        .iter()
        .copied()
        .fold((f64::MAX, 0_f64), |(low, high), ratio| (low.min(ratio), high.max(ratio)));
    println!(
        "{kind:?}, log {log}, {threads} threads: clsm {:.0}/s, global-lock{} {:.0}/s, ratio {:.3} \
         ({:.3} to {:.3}), of the best rounds {of_best:.3}; \
         processor time {clsm_cpu_ns:.0} and {global_cpu_ns:.0} ns",
        median(clsm),
        if striped { " striped" } else { "" },
        median(global),
        median(ratios),
        spread.0,
        spread.1,
    );
}

#[test]
#[ignore = "measures: cargo test --release -p baseline-lsm --lib -- --ignored --nocapture measure"]
fn clsm_and_the_global_lock() {
    for threads in [1, 2] {
        compare(Kind::Put, LogMode::Queued, false, threads);
    }
    for threads in [1, 2] {
        compare(Kind::PutIfAbsent, LogMode::Queued, true, threads);
    }
    for threads in [1, 2] {
        compare(Kind::Put, LogMode::Written, false, threads);
    }
    compare(Kind::Get, LogMode::Queued, false, 2);
    compare(Kind::Mixed, LogMode::Queued, false, 2);
}
