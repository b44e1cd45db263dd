//! Threads on one store, window by window: what they did in one is checked while they do the next.
//! At the end of a window no operation is in progress, so a window begins with what the last one left.

use std::process::ExitCode;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use history::{Operation, Registers, Ticks};
use nibble::{Config, EpochClock};

use crate::common::Random;
use crate::common::variants::within;
use crate::draw::{Lengths, configuration, one, scaled};
use crate::fault;
use crate::kinds::Opened;
use crate::options::Options;
use client::Client;

#[path = "client.rs"]
mod client;

/// More than the cores of a small machine. Beyond a window's length nothing else bounds them.
const THREADS: u64 = 6;
/// Hangs, whatever the machine does meanwhile.
const CONFIGURATION_SECONDS_MAX: u64 = 300;

/// What the seed decides beside the configuration.
#[derive(Clone, Debug)]
struct Plan {
    config: Config,
    byte_keys: bool,
    /// Windows begin as long as this is not over.
    lasts: Duration,
    /// Of all threads together, about.
    window_operations: u64,
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
    /// How long, and which of the delays: one in so many.
    stall: (Duration, u64),
}

impl Plan {
    /// Most stores are tiny: much of what may go wrong needs memory that is compacted and used
    /// again within one operation of another thread.
    fn drawn(random: &mut Random) -> Self {
        let is_large = random.below(16) == 0;
        let (config, lengths) = if is_large {
            // How long values may be is known only when the store is open.
            (configuration(random, 1 << 20, 32 << 20), Lengths::drawn(random, 1 << 20))
        } else {
            (tiny(random), Lengths::drawn(random, 12_000))
        };
        let fill_percent = one(random, &[2, 25, 25, 50, 50, 70, 70, 80, 80, 90, 98, 120]);
        let live = config.object_memory_bytes * fill_percent / 100;
        let keys = (live / lengths.object_bytes()).clamp(2, if is_large { 200_000 } else { 5_000 });
        Self {
            config,
            byte_keys: random.below(4) == 0,
            lasts: Duration::from_millis(scaled(random, 100, 400)),
            window_operations: scaled(random, 10_000, 80_000),
            keys,
            hot_keys: one(random, &[1, 5, 50, 5_000, 5_000]).min(keys),
            lengths,
            puts: one(random, &[10, 40, 60, 90]),
            deletes: one(random, &[0, 2, 8]),
            batch_one_in: one(random, &[2, 20, 1_000_000, 1_000_000]),
            delays: random.below(12) > 0,
            stall: one(random, &[(0, 1), (1, 4), (1, 16), (4, 32), (30, 4_096)].map(stall)),
        }
    }
}

fn stall((lasting_ms, one_in): (u64, u64)) -> (Duration, u64) {
    (Duration::from_millis(lasting_ms), one_in)
}

/// Small blocks and segments keep compaction running, few partitions growth. With every second
/// clock, an epoch lasts from one retirement to the next, so that one too few or too many shows.
fn tiny(random: &mut Random) -> Config {
    let any = configuration(random, 512 << 10, 1 << 20);
    let config = Config {
        segment_bytes: one(random, &[16 << 10, 64 << 10]),
        block_bytes: 4 << 10,
        heads: one(random, &[1, 1, 2, 3]),
        index_partitions: 1,
        full_wait_ms: random.below(2),
        epoch: one(random, &[any.epoch, any.epoch, any.epoch, EpochClock::ThreadCounter]),
        ..any
    };
    if config.in_use().is_ok() { config } else { tiny(random) }
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
        // Relaxed: see `run`.
        let again = format!("again: scripts/soak --seed {}", SEED.load(Ordering::Relaxed));
        if let Ok(what) = fault::told(panic.payload()) {
            eprintln!("{what}\n{again}");
            std::process::exit(fault::EXIT.into());
        }
        usual(panic);
        eprintln!("{again}");
        std::process::exit(101);
    }));
}

fn soak(plan: &Plan, seed: u64) -> Totals {
    nibble::instrument::yields(plan.delays);
    let (lasting, one_in) = plan.stall;
    nibble::instrument::stalls(lasting, one_in);
    let store = Opened::open(plan.config.clone(), plan.byte_keys);
    let (ticks, round) = (Ticks::default(), Round::new(plan.lasts));
    let mut registers = Registers::default();
    let mut totals = Totals::default();
    within(CONFIGURATION_SECONDS_MAX, &format!("--seed {seed}"), || {
        thread::scope(|scope| {
            let spawn = |number| {
                // One window is checked while the next one runs.
                let (sender, receiver) = sync_channel(1);
                let client = Client::new(&store, plan, &ticks, number, seed);
                let round = &round;
                scope.spawn(move || windows(client, round, &sender));
                receiver
            };
            let receivers: Vec<_> = (0..THREADS).map(spawn).collect();
            while check(&mut registers, &receivers, &mut totals) {}
        });
        nibble::instrument::yields(false);
        finish(&store, plan, &ticks, seed, &mut registers);
    });
    totals.compacted = store.statistics().segments_compacted;
    totals
}

/// Where threads meet between windows.
struct Round {
    begin: Instant,
    lasts: Duration,
    barrier: Barrier,
    over: AtomicBool,
    /// Operations in this window so far.
    done: AtomicU64,
}

impl Round {
    fn new(lasts: Duration) -> Self {
        let barrier = Barrier::new(THREADS as usize);
        let (over, done) = (AtomicBool::new(false), AtomicU64::new(0));
        Self { begin: Instant::now(), lasts, barrier, over, done }
    }

    /// Whether there is another window, the same for all threads.
    fn goes_on(&self) -> bool {
        if self.barrier.wait().is_leader() {
            // Relaxed: the barriers order them.
            self.over.store(self.begin.elapsed() > self.lasts, Ordering::Relaxed);
            self.done.store(0, Ordering::Relaxed);
        }
        self.barrier.wait();
        !self.over.load(Ordering::Relaxed)
    }
}

type Window = (Vec<Operation>, u64);

fn windows(mut client: Client<'_>, round: &Round, sender: &SyncSender<Window>) {
    while round.goes_on() {
        if sender.send(client.window(&round.done)).is_err() {
            return;
        }
    }
}

/// Checks a window; answers whether there was one.
fn check(registers: &mut Registers, from: &[Receiver<Window>], totals: &mut Totals) -> bool {
    let mut operations = Vec::new();
    for receiver in from {
        // A client hangs up after its last window, all after the same.
        let Ok((own, refused)) = receiver.recv() else { return false };
        operations.extend(own);
        totals.refused += refused;
    }
    let checked = registers.check(operations.into_iter());
    let summary = checked.unwrap_or_else(|violation| fault::found(violation.to_string()));
    totals.operations += summary.operations;
    totals.overlapping += summary.overlapping;
    true
}

/// Every key holds what it must, and the store agrees with itself.
fn finish(store: &Opened, plan: &Plan, ticks: &Ticks, seed: u64, registers: &mut Registers) {
    let consistent = || store.check().unwrap_or_else(|error| fault::found(error.to_string()));
    consistent();
    store.settle();
    let operations = Client::new(store, plan, ticks, THREADS, seed).read_all();
    registers
        .check(operations.into_iter())
        .unwrap_or_else(|violation| fault::found(format!("at the end: {violation}")));
    let (checked, counted) = (consistent().live_objects, store.census().live_objects);
    let (sure, possible) = registers.present();
    fault::unless([checked, counted, possible] == [sure; 3], || {
        format!("{sure} to {possible} keys have a value, {checked} live objects, {counted} counted")
    });
}
