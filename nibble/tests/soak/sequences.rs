//! Sequences of operations against a model. A sequence that fails is made as short as it can be.

use std::collections::HashMap;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use nibble::{Config, Put, PutError, Session, Store};

use crate::common::{Random, open};
use crate::draw::{Lengths, configuration, one, scaled};
use crate::options::Options;
use crate::values::{name, write};

/// How often a shorter sequence is tried.
const ATTEMPTS: usize = 2_000;

#[derive(Clone, Copy, Debug)]
enum Step {
    Get { key: u64 },
    Put { key: u64, bytes: usize },
    Delete { key: u64 },
    Trim,
    Check,
    NewSession,
}

/// What was in the way of making a shorter sequence is still in it.
struct Case {
    config: Config,
    steps: Vec<Step>,
}

impl Case {
    /// Each has shares of its own, so that some operations crowd out others.
    fn drawn(seed: u64) -> Self {
        let random = &mut Random(seed);
        let config = configuration(random, 256 << 10, 2 << 20);
        let lengths = Lengths::drawn(random, 100_000);
        let fill_percent = one(random, &[5, 50, 80, 95, 150, 400]);
        let live = config.object_memory_bytes * fill_percent / 100;
        let keys = (live / lengths.object_bytes()).clamp(2, 20_000);
        let shares = [0, 1, 2].map(|_| one(random, &[1, 4, 16]));
        let rare = one(random, &[30, 300, 3_000]);
        let length = scaled(random, 500, 8_000);
        let mut stored = 0;
        let mut steps = Vec::with_capacity(length as usize);
        while (steps.len() as u64) < length && stored < 16 << 20 {
            let key = random.below(keys).wrapping_mul(0x0101_0101_0101_0101);
            let draw = random.below(shares.iter().sum());
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
        Self { config, steps }
    }

    /// What goes wrong, if anything does.
    fn fault(&self, steps: &[Step]) -> Option<String> {
        let ran = catch_unwind(AssertUnwindSafe(|| execute(&self.config, steps)));
        ran.err().map(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
            text.unwrap_or_else(|| "a panic without a message".to_owned())
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
            if let Some(message) = case.fault(&case.steps) {
                *fault.lock().expect("no thread panics with it") = Some((seed, message));
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
        Some((seed, message)) => {
            eprintln!("{message}; again: scripts/fuzz --seed {seed}\n{}", described(seed));
            ExitCode::from(101)
        }
    }
}

/// The shortest sequence like that of the seed.
fn described(seed: u64) -> String {
    let case = Case::drawn(seed);
    let steps = case.shortened();
    let mut text = format!("{:?}\n{} of {} steps:\n", case.config, steps.len(), case.steps.len());
    for step in steps.iter().take(100) {
        writeln!(text, "{step:?}").expect("a String takes everything");
    }
    text
}

/// The store and what it must hold: the name and length of each value.
struct Model<'store> {
    store: &'store Store,
    truth: HashMap<u64, (u64, usize)>,
    live_bytes: u64,
    buffer: Vec<u8>,
}

fn execute(config: &Config, steps: &[Step]) {
    let store = open(config.clone());
    let mut model =
        Model { store: &store, truth: HashMap::new(), live_bytes: 0, buffer: vec![0; 100_000] };
    let mut session = store.session().expect("a slot is free");
    for (number, &step) in (1..).zip(steps) {
        match step {
            Step::Get { key } => model.get(&session, key),
            Step::Put { key, bytes } => model.put(&session, key, bytes, number),
            Step::Delete { key } => model.delete(&session, key),
            Step::Trim => store.trim(),
            Step::Check => model.check(),
            Step::NewSession => session = store.session().expect("a slot is free"),
        }
    }
    model.check();
    let keys: Vec<u64> = model.truth.keys().copied().collect();
    keys.into_iter().for_each(|key| model.get(&session, key));
}

impl Model<'_> {
    fn get(&mut self, session: &Session<'_>, key: u64) {
        let found = session.get(key, &mut self.buffer).expect("the buffer is long enough");
        let found = found.map(|length| (name(key, &self.buffer[..length]), length));
        assert_eq!(found, self.truth.get(&key).copied(), "key {key}");
    }

    fn put(&mut self, session: &Session<'_>, key: u64, bytes: usize, number: u64) {
        let value = &mut self.buffer[..bytes];
        let name = write(value, key, number);
        let before = self.truth.get(&key).copied();
        let put = session.put(key, value);
        let limit = self.store.value_limit();
        match put {
            Ok(put) => {
                assert_eq!(put == Put::Updated, before.is_some(), "key {key}: {put:?}");
                assert!(bytes <= limit, "{bytes} bytes are more than {limit}");
                self.truth.insert(key, (name, bytes));
                self.live_bytes += object_bytes(bytes);
                self.live_bytes -= before.map_or(0, |(_, before)| object_bytes(before));
            }
            Err(PutError::Full) => {
                let fits = before.is_some_and(|(_, before)| bytes <= before);
                assert!(!fits, "key {key}: {bytes} bytes fit where {before:?} is");
            }
            Err(PutError::ValueTooLarge { limit_bytes, .. }) => {
                assert!(limit_bytes == limit && bytes > limit, "{bytes} bytes, limit {limit}");
            }
            // Workers may keep an epoch; sessions do not.
            Err(PutError::Stalled { .. }) => {}
            Err(PutError::Closed) => panic!("the store has closed"),
        }
    }

    fn delete(&mut self, session: &Session<'_>, key: u64) {
        let before = self.truth.remove(&key);
        assert_eq!(session.delete(key), Ok(before.is_some()), "key {key}");
        self.live_bytes -= before.map_or(0, |(_, before)| object_bytes(before));
    }

    fn check(&self) {
        let report = self.store.check().expect("the invariants hold");
        assert_eq!(report.live_objects, self.truth.len() as u64);
        let census = self.store.census();
        let live = (census.live_objects, census.live_object_bytes);
        assert_eq!(live, (self.truth.len() as u64, self.live_bytes));
    }
}

/// With header and key.
fn object_bytes(value_bytes: usize) -> u64 {
    value_bytes as u64 + 12
}
