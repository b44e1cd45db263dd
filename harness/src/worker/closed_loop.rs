//! The closed-loop workload: load, settle, warm up where asked, then prepared operations as fast as
//! they are answered, then a look at every value.

use std::collections::BTreeMap;
use std::slice::SliceIndex;
use std::sync::Barrier;
use std::time::Instant;

use engine::{Heap, KvEngine, KvSession, Op, Outcome as Answer, PutOutcome, ValueBuffers};
use platform::clock::monotonic_ns;
use platform::process::ResourceUsage;
use workloads::closed_loop::{Mix, OpKind, OpWord, fill_operations};
use workloads::value::{ValueChecker, ValueWriter};
use workloads::{KeyDistribution, KeySampler, Seed, key_of};

use super::fragmentation::{cpu_use, statistics_of};
use super::latency::{Latencies, percentiles, record};
use super::link::Link;
use super::mapped::MappedSlice;
use super::{Stop, pin, store_setup};
use crate::cell::{Cell, ClosedLoop, Timing};
use crate::progress::ProgressPage;
use crate::protocol::{Event, Point, StepReport};
use crate::record::{Census, Outcome, Verification};
use crate::registry::{self, StoreSetup, StoreVisitor};

/// Values are checked on one operation in so many, and latency is timed unless every operation
/// is; a power of two.
const SAMPLE_EVERY: u64 = 64;

/// Runs the cell.
pub(super) fn run(
    cell: &Cell,
    work: &ClosedLoop,
    engine_bytes: u64,
    page: &ProgressPage,
    link: &mut Link,
) -> Result<(), Stop> {
    let crew = prepare(cell, work)?;
    link.say_and_wait(&Event::Ready { engine_bytes });
    let setup = StoreSetup {
        object_memory_bytes: Some(work.object_memory_bytes),
        live_bytes: work.records() * work.value_bytes as u64,
        value_bytes_max: work.value_bytes,
        resident: work.resident,
        options: BTreeMap::new(),
        heap: None,
    };
    let (name, setup) = store_setup(cell, setup)?;
    let visitor = OnStore { work, crew, page, link, heap: setup.heap, resident: setup.resident };
    registry::with_store(&name, &setup, visitor)?
}

/// One thread's own needs, resident before the store opens.
struct Kit {
    /// Those of the warm-up first.
    operations: MappedSlice<OpWord>,
    writers: Vec<ValueWriter>,
    checker: ValueChecker,
    buffer: Vec<u8>,
    latency: Latencies,
}

fn prepare(cell: &Cell, work: &ClosedLoop) -> Result<Vec<Kit>, Stop> {
    let distribution: KeyDistribution = work.distribution.parse().map_err(Stop::failed)?;
    let mix = Mix::new(f64::from(work.get_percent)).map_err(Stop::failed)?;
    let puts_only = Mix::new(0.0).map_err(Stop::failed)?;
    let warm_up = work.warm_up_per_thread as usize;
    let seed = Seed(cell.seed).stream("closed-loop");
    let kits = (0..work.threads).map(|thread| {
        let thread_seed = seed.nth(thread as u64);
        let length = warm_up + work.operations_per_thread as usize;
        let mut operations = MappedSlice::resident(length).map_err(Stop::failed)?;
        let keys = thread_seed.stream("keys").rng();
        let mut sampler = KeySampler::new(distribution, work.records(), keys);
        let mut kinds = thread_seed.stream("kinds").rng();
        fill_operations(&mut operations[..warm_up], puts_only, &mut sampler, &mut kinds);
        fill_operations(&mut operations[warm_up..], mix, &mut sampler, &mut kinds);
        let mut buffer = vec![0; work.value_bytes * work.batch];
        buffer.fill(1);
        Ok(Kit {
            operations,
            // A batch holds several values at once, each from a writer of its own.
            writers: (0..work.batch)
                .map(|slot| ValueWriter::new((thread * work.batch + slot) as u16, work.value_bytes))
                .collect(),
            checker: ValueChecker::new(work.value_bytes),
            buffer,
            latency: Latencies::new().map_err(Stop::failed)?,
        })
    });
    kits.collect()
}

struct OnStore<'a> {
    work: &'a ClosedLoop,
    crew: Vec<Kit>,
    page: &'a ProgressPage,
    link: &'a mut Link,
    heap: Option<&'static dyn Heap>,
    resident: bool,
}

impl StoreVisitor for OnStore<'_> {
    type Output = Result<(), Stop>;

    fn visit<E: KvEngine>(mut self, engine: &E) -> Self::Output {
        let mut settings: BTreeMap<String, String> =
            engine.settings().into_iter().map(|setting| (setting.name, setting.value)).collect();
        let heap_settings = self.heap.into_iter().flat_map(Heap::settings);
        settings.extend(heap_settings.map(|setting| (setting.name, setting.value)));
        let made = if self.resident && E::TRAITS.memory_bound != engine::MemoryBound::None {
            "populated where the store can, else by the load"
        } else {
            "by the load"
        };
        settings.insert("memory made resident".to_owned(), made.to_owned());
        let version = self.heap.map_or_else(String::new, |heap| heap.version());
        self.link.say(&Event::Opened { version, settings });
        self.load(engine)?;
        self.warm_up(engine)?;
        self.measure(engine)?;
        self.verify(engine)?;
        self.link.say_and_wait(&Event::Ending);
        Ok(())
    }
}

/// What one thread did in a step.
#[derive(Default)]
struct Done {
    started_ns: u64,
    ended_ns: u64,
    operations: u64,
    refused: u64,
    verification: Verification,
    broken: Option<String>,
}

impl OnStore<'_> {
    fn load<E: KvEngine>(&mut self, engine: &E) -> Result<(), Stop> {
        let (records, threads) = (self.work.records(), self.work.threads as u64);
        let value_bytes = self.work.value_bytes;
        let page = self.page;
        self.step("load", engine, |thread, kit, done| {
            let mut session = engine.session().map_err(|error| error.to_string())?;
            let thread = thread as u64;
            for record in (thread * records / threads)..((thread + 1) * records / threads) {
                let key = key_of(record);
                match session.put(key, kit.writers[0].value(key, value_bytes)) {
                    Ok(PutOutcome::Full) => {
                        done.refused += 1;
                        return Ok(());
                    }
                    Ok(_) => done.operations += 1,
                    Err(error) => return Err(error.to_string()),
                }
                let live_bytes = done.operations * value_bytes as u64;
                // Relaxed: a sample for the parent's curve.
                page.counter(thread as usize)
                    .store(live_bytes, std::sync::atomic::Ordering::Relaxed);
            }
            Ok(())
        })?;
        engine.settle();
        Ok(())
    }

    /// PUTs until the store is in the state it stays in; nothing of it is measured but its own
    /// counters.
    fn warm_up<E: KvEngine>(&mut self, engine: &E) -> Result<(), Stop> {
        let (value_bytes, warm_up) = (self.work.value_bytes, self.work.warm_up_per_thread as usize);
        if warm_up == 0 {
            return Ok(());
        }
        self.step("warm-up", engine, |_, kit, done| {
            let mut session = engine.session().map_err(|error| error.to_string())?;
            let part = Part { words: ..warm_up, value_bytes, timed_every: SAMPLE_EVERY };
            run_single::<E>(&mut session, kit, part, done)?;
            kit.latency.reset();
            Ok(())
        })
    }

    fn measure<E: KvEngine>(&mut self, engine: &E) -> Result<(), Stop> {
        let (value_bytes, batch) = (self.work.value_bytes, self.work.batch);
        let first = self.work.warm_up_per_thread as usize;
        let timed_every = match self.work.latency {
            Timing::Sampled => SAMPLE_EVERY,
            Timing::All => 1,
        };
        self.step("run", engine, |_, kit, done| {
            let mut session = engine.session().map_err(|error| error.to_string())?;
            let part = Part { words: first.., value_bytes, timed_every };
            if batch == 1 {
                run_single::<E>(&mut session, kit, part, done)
            } else {
                run_batches::<E>(&mut session, kit, part, batch, done)
            }
        })
    }

    fn verify<E: KvEngine>(&mut self, engine: &E) -> Result<(), Stop> {
        if !E::TRAITS.keeps_values {
            return Ok(());
        }
        let (records, threads) = (self.work.records(), self.work.threads as u64);
        self.step("verify", engine, |thread, kit, done| {
            let mut session = engine.session().map_err(|error| error.to_string())?;
            let thread = thread as u64;
            for record in (thread * records / threads)..((thread + 1) * records / threads) {
                let key = key_of(record);
                let found = session.get(key, &mut kit.buffer);
                check(&kit.checker, key, kit.buffer.as_slice(), found, &mut done.verification);
                done.operations += 1;
            }
            Ok(())
        })
    }

    /// Runs `body` on every thread between two barriers, and reports.
    fn step<E: KvEngine>(
        &mut self,
        name: &str,
        engine: &E,
        body: impl Fn(usize, &mut Kit, &mut Done) -> Result<(), String> + Sync,
    ) -> Result<(), Stop> {
        self.link.say_and_wait(&Event::Before { step: name.to_owned(), grows_bytes: 0 });
        let before = ResourceUsage::of_self();
        let barrier = Barrier::new(self.work.threads);
        let cores = platform::cpu::allowed_cores();
        let done: Vec<Done> = std::thread::scope(|scope| {
            let threads = self.crew.iter_mut().enumerate().map(|(thread, kit)| {
                let (barrier, body, cores) = (&barrier, &body, &cores);
                scope.spawn(move || {
                    pin(thread, cores);
                    let mut done = Done::default();
                    barrier.wait();
                    done.started_ns = monotonic_ns();
                    done.broken = body(thread, kit, &mut done).err();
                    done.ended_ns = monotonic_ns();
                    done
                })
            });
            let threads: Vec<_> = threads.collect();
            threads
                .into_iter()
                .map(|thread| thread.join().map_err(|_| Stop::failed("a worker thread died")))
                .collect::<Result<_, Stop>>()
        })?;
        let used = ResourceUsage::of_self().since(&before);
        let mut report = self.report(name, &done);
        report.cpu = cpu_use(used);
        report.statistics = statistics_of(engine);
        report.census = census_of(engine);
        let goes_on = report.expected;
        self.link.say(&Event::Step(Box::new(report)));
        if name != "verify" {
            let census_objects = self.work.records();
            self.link.say_and_wait(&Event::Observe {
                step: name.to_owned(),
                point: Point::AtOnce,
                live_bytes: census_objects * self.work.value_bytes as u64,
                live_objects: census_objects,
                idle_ms: 0,
                self_allocated_bytes: None,
            });
        }
        if goes_on {
            Ok(())
        } else {
            Err(Stop { outcome: Outcome::Failed, reason: format!("`{name}` did not succeed") })
        }
    }

    fn report(&self, name: &str, done: &[Done]) -> StepReport {
        let started = done.iter().map(|one| one.started_ns).min().unwrap_or(0);
        let ended = done.iter().map(|one| one.ended_ns).max().unwrap_or(0);
        let operations = done.iter().map(|one| one.operations).sum();
        let mut report = StepReport::measured(name, operations, ended - started);
        if name == "run" {
            let merged = Latencies::merged(self.crew.iter().map(|kit| &kit.latency));
            report.latency_ns = percentiles(&merged.all());
            report.get_latency_ns = percentiles(&merged.get);
            report.put_latency_ns = percentiles(&merged.put);
        }
        let mut checked = Verification::default();
        for one in done {
            checked.checked += one.verification.checked;
            checked.lost += one.verification.lost;
            checked.wrong += one.verification.wrong;
        }
        report.verification = Some(checked).filter(|checked| checked.checked > 0);
        let refused: u64 = done.iter().map(|one| one.refused).sum();
        if let Some(reason) = done.iter().find_map(|one| one.broken.clone()) {
            report.outcome = Outcome::Failed;
            report.reason = Some(reason);
        } else if checked.lost + checked.wrong > 0 {
            report.outcome = Outcome::WrongValues;
            report.reason = Some(format!(
                "of {} values checked {} were lost and {} wrong",
                checked.checked, checked.lost, checked.wrong
            ));
        } else if refused > 0 {
            report.outcome = Outcome::Full;
            report.reason = Some(format!("{refused} PUTs were refused"));
        }
        report.expected = report.outcome == Outcome::Measured;
        report
    }
}

/// A store's own account of its memory, where it is complete.
fn census_of<E: KvEngine>(engine: &E) -> Option<Census> {
    let census = engine.memory();
    census.complete.then_some(Census {
        live_objects: census.live_objects,
        live_value_bytes: census.live_value_bytes,
        live_object_bytes: census.live_object_bytes,
        dead_object_bytes: census.dead_object_bytes,
        free_object_bytes: census.free_object_bytes,
        object_memory_bytes: census.object_memory_bytes,
        index_bytes: census.index_bytes,
        table_bytes: census.table_bytes,
    })
}

/// Which of a thread's operations a step executes, and how.
struct Part<R> {
    words: R,
    value_bytes: usize,
    /// A power of two.
    timed_every: u64,
}

fn run_single<E: KvEngine>(
    session: &mut E::Session<'_>,
    kit: &mut Kit,
    part: Part<impl SliceIndex<[OpWord], Output = [OpWord]>>,
    done: &mut Done,
) -> Result<(), String> {
    let Kit { operations, writers, checker, buffer, latency } = kit;
    let (operations, value_bytes) = (&operations[part.words], part.value_bytes);
    let timed_mask = part.timed_every - 1;
    let writer = &mut writers[0];
    for (index, word) in operations.iter().enumerate() {
        let sampled = (index as u64).is_multiple_of(SAMPLE_EVERY);
        let started = (index as u64 & timed_mask == 0).then(Instant::now);
        let key = key_of(word.record());
        match word.kind() {
            OpKind::Get => {
                let found = session.get(key, buffer);
                record(&mut latency.get, started);
                if sampled && E::TRAITS.keeps_values {
                    check(checker, key, buffer, found, &mut done.verification);
                } else if !matches!(found, Ok(Some(_))) {
                    done.verification.checked += 1;
                    done.verification.lost += 1;
                }
            }
            OpKind::Put => {
                let put = session.put(key, writer.value(key, value_bytes));
                record(&mut latency.put, started);
                match put {
                    Ok(PutOutcome::Full) => done.refused += 1,
                    Ok(_) => {}
                    Err(error) => return Err(error.to_string()),
                }
            }
        }
    }
    done.operations = operations.len() as u64;
    Ok(())
}

fn run_batches<E: KvEngine>(
    session: &mut E::Session<'_>,
    kit: &mut Kit,
    part: Part<impl SliceIndex<[OpWord], Output = [OpWord]>>,
    batch: usize,
    done: &mut Done,
) -> Result<(), String> {
    let Kit { operations, writers, checker, buffer, latency } = kit;
    let (operations, value_bytes) = (&operations[part.words], part.value_bytes);
    let mut answers = vec![Answer::Absent; batch];
    // One batch in so many is checked, and timed unless all are, so that one operation in 64 is.
    let sample_every = (SAMPLE_EVERY as usize / batch).max(1);
    let timed_every = sample_every.min(part.timed_every as usize);
    for (index, words) in operations.chunks(batch).enumerate() {
        let sampled = index.is_multiple_of(sample_every);
        let mut asked: [Op<'_>; BATCH_MAX] = [Op::Get { key: 0 }; BATCH_MAX];
        for ((slot, word), writer) in asked.iter_mut().zip(words).zip(writers.iter_mut()) {
            let key = key_of(word.record());
            *slot = match word.kind() {
                OpKind::Get => Op::Get { key },
                OpKind::Put => Op::Put { key, value: writer.value(key, value_bytes) },
            };
        }
        let asked = &asked[..words.len()];
        let started = index.is_multiple_of(timed_every).then(Instant::now);
        session.execute(asked, &mut ValueBuffers::new(buffer, value_bytes), &mut answers);
        record(&mut latency.batch, started);
        for (slot, (operation, answer)) in asked.iter().zip(&answers).enumerate() {
            let key = match (operation, answer) {
                (Op::Get { .. }, Answer::Found(_)) if !sampled || !E::TRAITS.keeps_values => {
                    continue;
                }
                (Op::Get { key }, _) => *key,
                (Op::Put { .. }, Answer::Put(PutOutcome::Full)) => {
                    done.refused += 1;
                    continue;
                }
                (Op::Put { .. }, Answer::Put(_)) => continue,
                (operation, answer) => return Err(format!("{operation:?} gave {answer:?}")),
            };
            let found = match answer {
                Answer::Found(length) => Ok(Some(*length)),
                _ => Ok(None),
            };
            let value = &buffer[slot * value_bytes..];
            check(checker, key, value, found, &mut done.verification);
        }
    }
    done.operations = operations.len() as u64;
    Ok(())
}

/// Longest batch; `plan` refuses longer ones.
const BATCH_MAX: usize = 64;

fn check(
    checker: &ValueChecker,
    key: u64,
    value: &[u8],
    found: Result<Option<usize>, engine::GetError>,
    verification: &mut Verification,
) {
    verification.checked += 1;
    match found {
        Ok(Some(length)) => {
            if !checker.check(key, &value[..length]).is_good() {
                verification.wrong += 1;
            }
        }
        Ok(None) => verification.lost += 1,
        Err(_) => verification.wrong += 1,
    }
}
