//! What the rungs cost, side by side. It measures and prints; it judges nothing.
//!
//! Rungs take turns, so that a disturbance meets all of them; figures are medians over the turns. Of
//! `THREADS` threads in all, a static rung has half as gleaners, as the paper counts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use baseline_bullet::{Bullet, Config, Rung};
use engine::{KvEngine, KvSession};
use kit::folder::Folder;
use kit::testing::{Random, counter, mix};
use platform::persist::{Calibration, Latency, Medium};

const THREADS: usize = 2;
const VALUE_BYTES: usize = 100;
const THETA: f64 = 0.99;

fn of(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Keys by popularity, drawn in advance as in the paper (§7).
fn zipfian(records: u64, draws: usize, seed: u64) -> Vec<u64> {
    let weights = (1..=records).map(|rank| (rank as f64).powf(-THETA));
    let mut sums: Vec<f64> = weights
        .scan(0.0, |sum, weight| {
            *sum += weight;
            Some(*sum)
        })
        .collect();
    let total = sums.pop().unwrap_or(1.0);
    let mut random = Random(seed);
    let mut draw = || {
        let point = (random.next() >> 11) as f64 / (1_u64 << 53) as f64 * total;
        mix(sums.partition_point(|&sum| sum < point) as u64)
    };
    (0..draws).map(|_| draw()).collect()
}

fn store(rung: Rung, records: u64, latency: Latency) -> Bullet {
    let clients = clients(rung);
    let store = Bullet::open(&Config {
        clients,
        log_bytes: of("BULLET_LOG_BYTES", 1 << 20),
        latency,
        ..Config::new(rung, records * 192 * 2, records)
    })
    .unwrap();
    let mut session = store.session().unwrap();
    for key in 0..records {
        assert!(session.put(mix(key), &[7; VALUE_BYTES]).unwrap().is_stored());
    }
    drop(session);
    store.settle();
    store
}

/// Threads that ask: a static rung's gleaners are threads too.
fn clients(rung: Rung) -> usize {
    let is_static = matches!(rung, Rung::St | Rung::Lfr | Rung::Opt);
    if is_static { THREADS / 2 } else { THREADS }
}

/// Operations in a second with so many puts in a hundred, and how many gleaners were awake at the end.
fn throughput(
    store: &Bullet,
    rung: Rung,
    keys: &[u64],
    percent: u64,
    time: Duration,
) -> (f64, u64) {
    let over = AtomicBool::new(false);
    let work = |client: usize| {
        let mut session = store.session().unwrap();
        let mut buffer = [0; VALUE_BYTES];
        let mut random = Random(client as u64);
        let mut done = 0_u64;
        let mut at = client * keys.len() / THREADS;
        while !over.load(Ordering::Relaxed) {
            for _ in 0..64 {
                at = (at + 1) % keys.len();
                if random.next() % 100 < percent {
                    let _ = session.put(keys[at], &[done as u8; VALUE_BYTES]);
                } else {
                    let _ = session.get(keys[at], &mut buffer);
                }
            }
            done += 64;
        }
        done
    };
    thread::scope(|scope| {
        let from = Instant::now();
        let all: Vec<_> =
            (0..clients(rung)).map(|client| scope.spawn(move || work(client))).collect();
        thread::sleep(time);
        over.store(true, Ordering::Relaxed);
        let done: u64 = all.into_iter().map(|thread| thread.join().unwrap()).sum();
        (done as f64 / from.elapsed().as_secs_f64(), counter(store, "gleaners_awake"))
    })
}

/// Operations of a group of which 2 % are puts, as in the paper's Figure 6.
const GROUP: usize = 1000;
const GROUP_PUTS: usize = 20;

/// Time of a put, and of a get, by one thread, in nanoseconds: medians of the means of groups.
fn latency(store: &Bullet, keys: &[u64]) -> (f64, f64) {
    let mut session = store.session().unwrap();
    let mut buffer = [0; VALUE_BYTES];
    let (mut puts, mut gets) = (Vec::new(), Vec::new());
    for group in keys.chunks_exact(GROUP) {
        // The clock is not read for each.
        let from = Instant::now();
        for &key in &group[..GROUP_PUTS] {
            session.put(key, &[9; VALUE_BYTES]).unwrap();
        }
        puts.push(from.elapsed().as_nanos() as f64 / GROUP_PUTS as f64);
        let from = Instant::now();
        for &key in &group[GROUP_PUTS..] {
            session.get(key, &mut buffer).unwrap();
        }
        gets.push(from.elapsed().as_nanos() as f64 / (GROUP - GROUP_PUTS) as f64);
    }
    (median(puts), median(gets))
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

#[test]
#[ignore = "a measurement: cargo test --release -p baseline-bullet rungs_side -- --ignored --nocapture"]
fn rungs_side_by_side() {
    let (records, turns) = (of("BULLET_RECORDS", 400_000), of("BULLET_TURNS", 7));
    let latency_of = Latency { load_ns: of("BULLET_LOAD_NS", 150), ..Latency::USUAL };
    eprintln!("{}; {records} records, {turns} turns, {latency_of:?}", Calibration::of_process());
    let keys = zipfian(records, 1 << 20, 3);
    let rungs: Vec<Rung> = match std::env::var("BULLET_RUNGS") {
        Ok(names) => names.split(',').map(|name| name.parse().unwrap()).collect(),
        Err(_) => Rung::ALL.into(),
    };
    let stores: Vec<_> = rungs.iter().map(|&rung| store(rung, records, latency_of)).collect();
    let percents: Vec<u64> = match std::env::var("BULLET_PERCENTS") {
        Ok(given) => given.split(',').map(|percent| percent.parse().unwrap()).collect(),
        Err(_) => vec![0, 2, 15, 50],
    };
    let mut times = vec![(Vec::new(), Vec::new()); rungs.len()];
    let mut rates = vec![vec![Vec::new(); percents.len()]; rungs.len()];
    let mut awake = vec![vec![0; percents.len()]; rungs.len()];
    for _ in 0..turns {
        for (index, store) in stores.iter().enumerate() {
            let (puts, gets) = latency(store, &keys);
            times[index].0.push(puts);
            times[index].1.push(gets);
            store.settle();
        }
        for (at, &percent) in percents.iter().enumerate() {
            for (index, store) in stores.iter().enumerate() {
                let time = Duration::from_millis(of("BULLET_MS", 400));
                let (rate, gleaners) = throughput(store, rungs[index], &keys, percent, time);
                rates[index][at].push(rate);
                awake[index][at] = gleaners;
                store.settle();
            }
        }
    }
    eprintln!(
        "rung        put ns   get ns    Mops/s at {percents:?} % puts (gleaners awake at the end)"
    );
    for (index, rung) in rungs.iter().enumerate() {
        let (puts, gets) = &times[index];
        let rates: Vec<_> = rates[index]
            .iter()
            .zip(&awake[index])
            .map(|(rates, awake)| format!("{:.3} ({awake})", median(rates.clone()) / 1e6))
            .collect();
        let (puts, gets) = (median(puts.clone()), median(gets.clone()));
        eprintln!("{:10} {puts:8.0} {gets:8.0}    {}", rung.to_string(), rates.join("  "));
    }
    for store in stores {
        store.check().unwrap();
    }
}

/// What recovery from full logs takes, with the usual waits for persistent memory.
#[test]
#[ignore = "a measurement: cargo test --release -p baseline-bullet full_logs_takes -- --ignored --nocapture"]
fn recovery_from_full_logs_takes_so_long() {
    let folder = Folder::create(&std::env::temp_dir(), "bullet-").unwrap();
    let file = folder.path().join("store");
    let config =
        Config { logs: 8, file: Some(file.clone()), ..Config::new(Rung::Full, 1 << 28, 1 << 18) };
    // Without threads nobody gleans.
    let shared = crate::store::Shared::open(&config).unwrap();
    let mut key = 0;
    for log in 0..config.logs {
        let mut session = crate::session::BulletSession::open(&shared).unwrap();
        while shared.logs[log].room() > 100 {
            key += 1;
            session.put(mix(key % 40_000), &[1; VALUE_BYTES]).unwrap();
        }
        std::mem::forget(session);
    }
    drop(shared);
    let store = Bullet::recover(&file, Medium::Emulated, Latency::USUAL).unwrap();
    let of = |name| counter(&store, name);
    assert_eq!(of("recovered_records"), key);
    eprintln!(
        "{key} records in logs of {} bytes: {} us, and {} us to count pairs",
        of("log_bytes"),
        of("recovery_log_ns") / 1000,
        of("recovery_walk_ns") / 1000
    );
    store.settle();
    store.check().unwrap();
}
