//! Sequences of operations against a model. A sequence that fails is made as short as it can be.

use std::collections::HashMap;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use nibble::{Answer, Buffers, Config, Operation, Put, PutError};

use crate::common::Random;
use crate::draw::{Lengths, configuration, one, scaled};
use crate::fault;
use crate::kinds::{Opened, Sitting};
use crate::options::Options;
use crate::values::{name, write};

/// How often a shorter sequence is tried.
const ATTEMPTS: usize = 2_000;
/// The most operations of a batch: more than the engine groups.
const BATCH: u64 = 100;
/// Of each value that a batch finds.
const SLOT_BYTES: usize = 4_096;
/// Of each other value.
const VALUE_BYTES_MAX: usize = 100_000;

#[derive(Clone, Copy, Debug)]
enum Step {
    Get {
        key: u64,
    },
    Put {
        key: u64,
        bytes: usize,
    },
    Delete {
        key: u64,
    },
    /// The next so many of the above go together.
    Batch {
        operations: usize,
    },
    Trim,
    Check,
    NewSession,
}

struct Case {
    config: Config,
    byte_keys: bool,
    steps: Vec<Step>,
}

impl Case {
    /// Each has shares of its own, so that some operations crowd out others.
    fn drawn(seed: u64) -> Self {
        let random = &mut Random(seed);
        let config = configuration(random, 256 << 10, 2 << 20);
        let lengths = Lengths::drawn(random, VALUE_BYTES_MAX);
        let fill_percent = one(random, &[5, 50, 80, 95, 150, 400]);
        let live = config.object_memory_bytes * fill_percent / 100;
        let keys = (live / lengths.object_bytes()).clamp(2, 20_000);
        let shares = [0, 1, 2].map(|_| one(random, &[1, 4, 16]));
        let rare = one(random, &[30, 300, 3_000]);
        let batches = one(random, &[20, 200, 1_000_000]);
        let length = scaled(random, 500, 8_000);
        let mut stored = 0;
        let mut steps = Vec::with_capacity(length as usize);
        while (steps.len() as u64) < length && stored < 16 << 20 {
            let key = random.below(keys).wrapping_mul(0x0101_0101_0101_0101);
            let draw = random.below(shares.iter().sum());
            if random.below(batches) == 0 {
                steps.push(Step::Batch { operations: 1 + random.below(BATCH) as usize });
            }
            steps.push(match random.below(rare) {
                0 => one(random, &[Step::Trim, Step::Check, Step::NewSession]),
                _ if draw < shares[0] => Step::Get { key },
                _ if draw < shares[0] + shares[1] => {
                    let bytes = lengths.next(random);
                    stored += bytes;
                    Step::Put { key, bytes }
                }
                _ => Step::Delete { key },
            });
        }
        Self { config, byte_keys: random.below(3) == 0, steps }
    }

    /// What goes wrong, if anything does, and how the program ends then.
    fn fault(&self, steps: &[Step]) -> Option<(String, u8)> {
        let ran = catch_unwind(AssertUnwindSafe(|| execute(&self.config, self.byte_keys, steps)));
        ran.err().map(|panic| match fault::told(&*panic) {
            Ok(what) => (what.to_owned(), fault::EXIT),
            Err(message) => (message.to_owned(), 101),
        })
    }

    /// The shortest sequence found that goes wrong: parts of it are left out, ever smaller ones.
    fn shortened(&self) -> Vec<Step> {
        let (mut steps, mut part, mut attempts) = (self.steps.clone(), self.steps.len() / 2, 0);
        while part > 0 && attempts < ATTEMPTS {
            let mut at = 0;
            while at < steps.len() && attempts < ATTEMPTS {
                attempts += 1;
                let end = (at + part).min(steps.len());
                let shorter = [&steps[..at], &steps[end..]].concat();
                if self.fault(&shorter).is_some() { steps = shorter } else { at = end }
            }
            part /= 2;
        }
        steps
    }
}

/// Goes through sequences until the time is over; reports the first fault.
pub(crate) fn run(options: &Options) -> ExitCode {
    let seeds = Mutex::new(super::seeds(options));
    let (executed, cases) = (AtomicU64::new(0), AtomicU64::new(0));
    let fault = Mutex::new(None);
    let begin = Instant::now();
    // Faults are reported once they are short.
    std::panic::set_hook(Box::new(|_| {}));
    let work = || {
        loop {
            // Relaxed: a count.
            let enough = executed.load(Ordering::Relaxed) >= options.operations;
            if enough || fault.lock().expect("no thread panics with it").is_some() {
                return;
            }
            let seed = seeds.lock().expect("no thread panics with it").next();
            let Some(seed) = seed else { return };
            let case = Case::drawn(seed);
            if let Some((message, exit)) = case.fault(&case.steps) {
                *fault.lock().expect("no thread panics with it") = Some((seed, message, exit));
                return;
            }
            executed.fetch_add(case.steps.len() as u64, Ordering::Relaxed);
            cases.fetch_add(1, Ordering::Relaxed);
        }
    };
    thread::scope(|scope| {
        for _ in 0..platform::cpu::allowed_cores().len().max(1) {
            scope.spawn(work);
        }
    });
    let (executed, cases) = (executed.into_inner(), cases.into_inner());
    println!("{cases} sequences, {executed} operations in {:?}", begin.elapsed());
    match fault.into_inner().expect("no thread panics with it") {
        None => ExitCode::SUCCESS,
        Some((seed, message, exit)) => {
            eprintln!("{message}; again: scripts/fuzz --seed {seed}\n{}", described(seed));
            ExitCode::from(exit)
        }
    }
}

/// The shortest sequence like that of the seed.
fn described(seed: u64) -> String {
    let case = Case::drawn(seed);
    let steps = case.shortened();
    let Case { config, byte_keys, .. } = &case;
    let mut text = format!("{config:?}\nbyte keys: {byte_keys}\n");
    let (shown, all) = (steps.len(), case.steps.len());
    writeln!(text, "{shown} of {all} steps:").expect("a String takes everything");
    for step in steps.iter().take(100) {
        writeln!(text, "{step:?}").expect("a String takes everything");
    }
    text
}

/// The store and what it must hold: the name and length of each value.
struct Model<'store> {
    store: &'store Opened,
    truth: HashMap<u64, (u64, usize)>,
    live_bytes: u64,
    buffer: Vec<u8>,
    slots: Vec<u8>,
}

fn execute(config: &Config, byte_keys: bool, steps: &[Step]) {
    let store = Opened::open(config.clone(), byte_keys);
    let (truth, live_bytes) = (HashMap::new(), 0);
    let (buffer, slots) = (vec![0; VALUE_BYTES_MAX], vec![0; BATCH as usize * SLOT_BYTES]);
    let mut model = Model { store: &store, truth, live_bytes, buffer, slots };
    let mut session = store.session().expect("a slot is free");
    let mut steps = (1..).zip(steps.iter().copied()).peekable();
    while let Some((number, step)) = steps.next() {
        match step {
            Step::Batch { operations } => {
                let mut batch = Vec::new();
                while batch.len() < operations {
                    let Some(next) = steps.next_if(|(_, step)| step.is_operation()) else { break };
                    batch.push(next);
                }
                model.batch(&session, &batch);
            }
            Step::Trim => store.trim(),
            Step::Check => model.check(),
            Step::NewSession => session = store.session().expect("a slot is free"),
            operation => model.single(&session, operation, number),
        }
    }
    model.check();
    let keys: Vec<u64> = model.truth.keys().copied().collect();
    keys.into_iter().for_each(|key| model.single(&session, Step::Get { key }, 0));
}

impl Step {
    fn is_operation(self) -> bool {
        matches!(self, Self::Get { .. } | Self::Put { .. } | Self::Delete { .. })
    }
}

impl Model<'_> {
    /// `number` becomes the name of what is stored.
    fn single(&mut self, session: &Sitting<'_>, operation: Step, number: u64) {
        match operation {
            Step::Get { key } => {
                let found = session.get(key, &mut self.buffer).expect("the buffer is long enough");
                let found = found.map(|length| (name(key, &self.buffer[..length]), length));
                self.found(key, found);
            }
            Step::Put { key, bytes } => {
                let value = &mut self.buffer[..bytes];
                let name = write(value, key, number);
                let put = session.put(key, value);
                self.put(key, (name, bytes), put);
            }
            Step::Delete { key } => {
                let found = session.delete(key).expect("the store is open");
                self.deleted(key, found);
            }
            _ => unreachable!("{operation:?} is none"),
        }
    }

    fn batch(&mut self, session: &Sitting<'_>, steps: &[(u64, Step)]) {
        let values = steps.iter().map(|&(number, step)| {
            let Step::Put { key, bytes } = step else { return (0, Vec::new()) };
            let mut value = vec![0; bytes];
            (write(&mut value, key, number), value)
        });
        let values: Vec<(u64, Vec<u8>)> = values.collect();
        let asked = steps.iter().zip(&values).map(|(&(_, step), (_, value))| match step {
            Step::Get { key } => Operation::Get { key },
            Step::Put { key, .. } => Operation::Put { key, value },
            Step::Delete { key } => Operation::Delete { key },
            _ => unreachable!("{step:?} is no operation"),
        });
        let mut answers = Vec::with_capacity(steps.len());
        let mut slots = Buffers::new(&mut self.slots, SLOT_BYTES);
        session.execute(asked, &mut slots, |place, answer| answers.push((place, answer)));
        let places = answers.iter().map(|&(place, _)| place);
        fault::unless(places.eq(0..steps.len()), || format!("{steps:?}: answers {answers:?}"));
        for (place, answer) in answers {
            let slot = &self.slots[place * SLOT_BYTES..][..SLOT_BYTES];
            match (steps[place].1, answer) {
                (Step::Get { key }, Answer::Absent) => self.found(key, None),
                (Step::Get { key }, Answer::Found(length)) => {
                    let found = Some((name(key, &slot[..length]), length));
                    self.found(key, found);
                }
                (Step::Get { key }, Answer::TooShort { value_bytes }) => {
                    let truth = self.truth.get(&key).map(|&(_, bytes)| bytes);
                    let right = truth == Some(value_bytes) && value_bytes > SLOT_BYTES;
                    fault::unless(right, || format!("key {key}: {truth:?} bytes: {answer:?}"));
                }
                (Step::Put { key, bytes }, Answer::Stored(put)) => {
                    self.put(key, (values[place].0, bytes), Ok(put));
                }
                (Step::Put { key, bytes }, Answer::Refused(error)) => {
                    self.put(key, (values[place].0, bytes), Err(error));
                }
                (Step::Delete { key }, Answer::Deleted(found)) => self.deleted(key, found),
                (step, answer) => fault::found(format!("{step:?}: {answer:?}")),
            }
        }
    }

    fn found(&self, key: u64, found: Option<(u64, usize)>) {
        let truth = self.truth.get(&key).copied();
        fault::unless(found == truth, || format!("key {key}: found {found:?}, not {truth:?}"));
    }

    fn put(&mut self, key: u64, (name, bytes): (u64, usize), put: Result<Put, PutError>) {
        let before = self.truth.get(&key).copied();
        let limit = self.store.value_limit(key);
        let right = match put {
            Ok(put) => (put == Put::Updated) == before.is_some() && bytes <= limit,
            Err(PutError::Full) => before.is_none_or(|(_, before)| bytes > before),
            Err(PutError::ValueTooLarge { limit_bytes, .. }) => {
                limit_bytes == limit && bytes > limit
            }
            // Workers may keep an epoch; sessions do not.
            Err(PutError::Stalled { .. }) => true,
            Err(PutError::Closed) => panic!("the store has closed"),
        };
        fault::unless(right, || {
            format!("key {key}: {bytes} bytes over {before:?}, limit {limit}: {put:?}")
        });
        if put.is_ok() {
            self.truth.insert(key, (name, bytes));
            self.live_bytes += self.object_bytes(key, bytes);
            self.live_bytes -= before.map_or(0, |(_, before)| self.object_bytes(key, before));
        }
    }

    fn deleted(&mut self, key: u64, found: bool) {
        let before = self.truth.remove(&key);
        fault::unless(found == before.is_some(), || {
            format!("key {key}: DEL of {before:?}: {found}")
        });
        self.live_bytes -= before.map_or(0, |(_, before)| self.object_bytes(key, before));
    }

    /// With all that is beside the value.
    fn object_bytes(&self, key: u64, value_bytes: usize) -> u64 {
        (value_bytes + self.store.beside_bytes(key)) as u64
    }

    fn check(&self) {
        let report = self.store.check().unwrap_or_else(|error| fault::found(error.to_string()));
        let census = self.store.census();
        let told = [
            report.live_objects,
            census.live_objects,
            census.live_object_bytes,
            census.live_value_bytes,
        ];
        let objects = self.truth.len() as u64;
        let value_bytes = self.truth.values().map(|&(_, bytes)| bytes as u64).sum();
        let truth = [objects, objects, self.live_bytes, value_bytes];
        fault::unless(told == truth, || format!("live objects and bytes {told:?}, not {truth:?}"));
    }
}
