//! Threads on one store, window by window: what they did in one is checked while they do the next.
//! At the end of a window no operation is in progress, so a window begins with what the last one left.

use std::process::ExitCode;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use nibble::{Config, Store};

use crate::common::variants::within;
use crate::common::{Random, open};
use crate::draw::{Lengths, configuration, one, scaled};
use crate::history::{Operation, Registers, Ticks};
use crate::options::Options;
use client::Client;

#[path = "client.rs"]
mod client;

/// More than the cores of a small machine. Beyond a window's length nothing else bounds them.
const THREADS: u64 = 6;
/// Hangs, whatever the machine does meanwhile.
const CONFIGURATION_SECONDS_MAX: u64 = 900;

/// What the seed decides beside the configuration.
#[derive(Clone, Debug)]
struct Plan {
    config: Config,
    windows: u64,
    /// Operations of a thread in a window, at most.
    operations: u64,
    keys: u64,
    /// Keys that are drawn as often as all others.
    hot_keys: u64,
    lengths: Lengths,
    /// Of 100 operations; the others are GETs.
    puts: u64,
    deletes: u64,
    /// One in this many turns is a batch.
    batch_one_in: u64,
    delays: bool,
    stall: Duration,
}

impl Plan {
    fn drawn(random: &mut Random) -> Self {
        let config = configuration(random, 1 << 20, 32 << 20);
        // Known only when it is open; nothing longer is refused.
        let lengths = Lengths::drawn(random, 1 << 20);
        let fill_percent = one(random, &[5, 30, 60, 80, 90, 98, 120, 300]);
        let live = config.object_memory_bytes * fill_percent / 100;
        let keys = (live / lengths.object_bytes()).clamp(4, 200_000);
        Self {
            config,
            windows: 2 + random.below(7),
            operations: scaled(random, 500, 16_000),
            keys,
            hot_keys: one(random, &[1, 5, 50]).min(keys),
            lengths,
            puts: one(random, &[10, 40, 60, 90]),
            deletes: one(random, &[0, 2, 8]),
            batch_one_in: one(random, &[2, 20, 1_000_000]),
            delays: random.below(3) > 0,
            stall: Duration::from_millis(one(random, &[0, 0, 2, 30])),
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    operations: u64,
    overlapping: u64,
    refused: u64,
    compacted: u64,
}

/// The seed that is in use, for the message of whatever goes wrong.
static SEED: AtomicU64 = AtomicU64::new(0);

/// Goes through configurations until the time is over; ends the process at the first fault.
pub(crate) fn run(options: &Options) -> ExitCode {
    end_at_a_panic();
    let begin = Instant::now();
    let (mut totals, mut configurations) = (Totals::default(), 0);
    for seed in super::seeds(options) {
        // Relaxed: threads that read it begin later.
        SEED.store(seed, Ordering::Relaxed);
        let plan = Plan::drawn(&mut Random(seed));
        println!("--seed {seed}: {plan:?}");
        let one = soak(&plan, seed);
        configurations += 1;
        totals.operations += one.operations;
        totals.overlapping += one.overlapping;
        totals.refused += one.refused;
        totals.compacted += one.compacted;
        println!("  {one:?}; {configurations} configurations, {totals:?}, {:?}", begin.elapsed());
        if totals.operations >= options.operations {
            break;
        }
    }
    println!(
        "{configurations} configurations without a fault: {totals:?} in {:?}",
        begin.elapsed()
    );
    ExitCode::SUCCESS
}

/// A thread that has panicked cannot be waited for by others at a barrier.
fn end_at_a_panic() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        usual(panic);
        // Relaxed: see `run`.
        eprintln!("again: scripts/soak --seed {}", SEED.load(Ordering::Relaxed));
        std::process::exit(101);
    }));
}

fn soak(plan: &Plan, seed: u64) -> Totals {
    nibble::instrument::yields(plan.delays);
    nibble::instrument::stalls(plan.stall);
    let store = open(plan.config.clone());
    let (ticks, barrier) = (Ticks::default(), Barrier::new(THREADS as usize));
    let mut registers = Registers::default();
    let mut totals = Totals::default();
    within(CONFIGURATION_SECONDS_MAX, &format!("--seed {seed}"), || {
        thread::scope(|scope| {
            let spawn = |number| {
                // One window is checked while the next one runs.
                let (sender, receiver) = sync_channel(1);
                let client = Client::new(&store, plan, &ticks, number, seed);
                let barrier = &barrier;
                scope.spawn(move || windows(client, plan.windows, barrier, &sender));
                receiver
            };
            let receivers: Vec<_> = (0..THREADS).map(spawn).collect();
            for window in 0..plan.windows {
                check(&mut registers, &receivers, window, &mut totals);
            }
        });
    });
    nibble::instrument::yields(false);
    finish(&store, plan, &ticks, seed, &mut registers);
    totals.compacted = store.statistics().segments_compacted;
    totals
}

type Window = (Vec<Operation>, u64);

fn windows(mut client: Client<'_>, count: u64, barrier: &Barrier, sender: &SyncSender<Window>) {
    for _ in 0..count {
        barrier.wait();
        let done = client.window();
        if sender.send(done).is_err() {
            return;
        }
    }
}

fn check(registers: &mut Registers, from: &[Receiver<Window>], window: u64, totals: &mut Totals) {
    let mut operations = Vec::new();
    for receiver in from {
        let (own, refused) = receiver.recv().expect("a client ends with its last window");
        operations.extend(own);
        totals.refused += refused;
    }
    let checked = registers.check(operations.into_iter());
    let summary = checked.unwrap_or_else(|violation| panic!("window {window}: {violation}"));
    totals.operations += summary.operations;
    totals.overlapping += summary.overlapping;
}

/// Every key holds what it must, and the store agrees with itself.
fn finish(store: &Store, plan: &Plan, ticks: &Ticks, seed: u64, registers: &mut Registers) {
    store.check().expect("the invariants hold");
    store.settle();
    let operations = Client::new(store, plan, ticks, THREADS, seed).read_all();
    registers
        .check(operations.into_iter())
        .unwrap_or_else(|violation| panic!("at the end: {violation}"));
    let report = store.check().expect("the invariants hold");
    let (present, live) = (registers.present(), store.census().live_objects);
    assert_eq!((live, live), present, "live objects, and keys that have a value");
    assert_eq!(report.live_objects, live, "{report:?}");
}
