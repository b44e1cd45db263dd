//! Rates of the two schemes, one after the other many times, and the medians of their ratios. They
//! are printed, not judged: a machine may have other things to do.

use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use baseline_lsm::{Clsm, Config, Decide, LogMode, Lsm, ReadModifyWrite, Scheme, Store};
use kit::testing::mix;

const OPERATIONS: u64 = 200_000;
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
    if striped {
        config.read_modify_write = ReadModifyWrite::Striped;
    }
    config
}

/// Operations per second of a fresh store.
fn rate(config: Config, kind: Kind, threads: u64) -> f64 {
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
    thread::scope(|scope| {
        for worker in 0..threads {
            let start = &start;
            scope.spawn(move || {
                let mut session = store.session().unwrap();
                start.wait();
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
            });
        }
        start.wait();
        begin = Some(Instant::now());
    });
    OPERATIONS as f64 / begin.expect("it has begun").elapsed().as_secs_f64()
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn compare(kind: Kind, log: LogMode, striped: bool, threads: u64) {
    let (mut clsm, mut global, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let one = rate(config(Scheme::Clsm, log, false), kind, threads);
        let other = rate(config(Scheme::GlobalLock, log, striped), kind, threads);
        ratios.push(one / other);
        clsm.push(one);
        global.push(other);
    }
    let best = |rates: &[f64]| rates.iter().copied().fold(0_f64, f64::max);
    let of_best = best(&clsm) / best(&global);
    let spread = ratios
        .iter()
        .copied()
        .fold((f64::MAX, 0_f64), |(low, high), ratio| (low.min(ratio), high.max(ratio)));
    println!(
        "{kind:?}, log {log}, {threads} threads: clsm {:.0}/s, global-lock{} {:.0}/s, ratio {:.3} \
         ({:.3} to {:.3}), of the best rounds {of_best:.3}",
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
    compare(Kind::Put, LogMode::Written, false, 2);
    compare(Kind::Get, LogMode::Queued, false, 2);
    compare(Kind::Mixed, LogMode::Queued, false, 2);
}
