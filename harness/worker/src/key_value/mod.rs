//! Requests to a store: load, settle, age where asked, then the timed requests, then a check of every
//! record.

mod again;
mod ageing;
mod bare;
mod batches;
mod bursts;
mod calls;
mod compound;
mod expected;
mod kit;
mod lane;
mod latency;
mod lifetimes;
mod moments;
mod open;
mod phases;
mod price;
mod recheck;
mod replay;
mod report;
mod sampled;
mod seconds;
mod shapes;
mod single;
pub(super) mod steering;
mod step;
mod tracked;
mod trial;
mod values;

use std::sync::atomic::AtomicBool;

use engine::{FullMeaning, Heap, KvEngine, KvSession, MemoryBound, PutOutcome};
use platform::clock::monotonic_ns;
use workloads::key_of;
use workloads::requests::{Miss, Request};

use super::Stop;
use super::link::Link;
use crate::byte_keys::Keys;
use crate::kernel::{KernelFiles, MemoryGroup};
use crate::progress::ProgressPage;
use crate::protocol::Event;
use crate::registry::{self, StoreVisitor};
use crate::setup::setup_of;
use crate::trace_keys::RecordedKeys;
use crate::watched::Watched;
use batches::{Made, run_batches};
use expected::Expected;
use kit::{Kit, seed_of};
use lane::{Done, Lane, SAMPLE_EVERY, Shared};
use moments::Step;
use open::{Pacing, run_open};
use phases::Meeting;
use record::{Ageing, Cell, Driver, KeyValue, Source, TRACE_KEYS, Timing};
use sampled::Sample;
use single::{run_made, run_prepared};
use steering::Dealt;
use tracked::Tracked;

/// Time between the start of all threads and the first scheduled request.
const SCHEDULE_LEAD_NS: u64 = 1_000_000;

/// Runs cells that begin with the same load: the store is loaded and aged once, and answers the
/// requests of each cell in turn.
pub(super) fn run(
    turns: &[(&Cell, &KeyValue)],
    engine_bytes: u64,
    page: &ProgressPage,
    link: &mut Link,
) -> Result<(), Stop> {
    let (cell, work) = turns[0];
    let mut crew = (0..work.threads)
        .map(|thread| Kit::new(turns, thread))
        .collect::<Result<Vec<Kit>, Stop>>()?;
    let shared = Shared {
        tracked: Tracked::new(work.record_numbers(), work.threads).map_err(Stop::failed)?,
        stop: AtomicBool::new(false),
        timed_every: match work.latency {
            Timing::Sampled => SAMPLE_EVERY,
            Timing::All => 1,
            Timing::Off => u64::MAX,
        },
        sets_on_miss: work.replay.as_ref().is_some_and(|replay| replay.miss == Miss::Set),
        at_most_ns: work.at_most_ms.map_or(u64::MAX, |ms| ms * 1_000_000),
    };
    let prices = turns.iter().map(|(cell, work)| price::price(cell, work, &mut crew[0], &shared));
    let prices = prices.collect::<Result<Vec<f64>, Stop>>()?;
    let is_dealt =
        registry::traits_of(&cell.system).is_some_and(|traits| traits.sharing.is_partitioned());
    let dealt = is_dealt.then(|| Dealt::room(work.threads, work.operations_per_thread));
    let dealt = dealt.transpose().map_err(Stop::failed)?;
    // Several turns verify in between, while memory is still observed: what that takes is taken now.
    let expected = (turns.len() > 1).then(|| Expected::with_room(work));
    let keys = keys_of(work)?;
    link.say_and_wait(&Event::Ready { engine_bytes });
    let (name, setup) = setup_of(cell)?;
    let (heap, resident) = (setup.heap, setup.resident);
    // From here on: what was made before is the harness'.
    let group = setup.cache_bytes.map(|bytes| MemoryGroup::enter(&KernelFiles::here(), bytes));
    let group = group.transpose().map_err(|error| {
        Stop::failed(format!("memory cannot be limited, as cache-percent asks: {error}"))
    })?;
    let visitor = OnStore {
        turns,
        cell,
        work,
        crew,
        dealt,
        imbalance: None,
        shared: &shared,
        price: prices[0],
        prices,
        expected,
        page,
        link,
        heap,
        group,
        resident,
        populated: false,
        samples: Vec::new(),
        live_bytes: 0,
        live_objects: 0,
    };
    match keys {
        Some(keys) => registry::with_bytes_store(&name, &setup, keys, visitor)?,
        None => registry::with_store(&name, &setup, visitor)?,
    }
}

/// The keys that a cell asks with, if they are byte strings.
fn keys_of(work: &KeyValue) -> Result<Option<Keys>, Stop> {
    match &work.replay {
        Some(replay) => {
            let keys = RecordedKeys::of(replay, work.threads).map_err(Stop::failed)?;
            Ok(keys.map(Keys::Recorded))
        }
        None => Ok(work.workload.spelling().map(Keys::Spelled)),
    }
}

struct OnStore<'a> {
    /// The cells that this process answers.
    turns: &'a [(&'a Cell, &'a KeyValue)],
    /// The one whose turn it is.
    cell: &'a Cell,
    work: &'a KeyValue,
    crew: Vec<Kit>,
    /// Requests dealt to the workers that may execute them, if keys belong to workers.
    dealt: Option<Dealt>,
    /// Requests of the busiest worker ÷ the mean, if they are dealt.
    imbalance: Option<f64>,
    shared: &'a Shared,
    /// The driver's cost per operation.
    price: f64,
    /// The same of every turn.
    prices: Vec<f64>,
    /// What every record must hold after the turns so far.
    expected: Option<Expected>,
    page: &'a ProgressPage,
    link: &'a mut Link,
    heap: Option<&'static dyn Heap>,
    /// The group that limits the memory for data, if the cell asks for one.
    group: Option<MemoryGroup>,
    resident: bool,
    /// Whether no new memory is touched while the clock runs.
    populated: bool,
    /// The statistic that the cell samples, while the clock ran.
    samples: Vec<Sample>,
    live_bytes: u64,
    live_objects: u64,
}

impl StoreVisitor for OnStore<'_> {
    type Output = Result<(), Stop>;

    fn visit<E: KvEngine>(mut self, engine: &E) -> Self::Output {
        if self.work.workload.scans() && E::TRAITS.keeps_values && !E::TRAITS.scans.are_possible() {
            return Err(Stop::failed(format!(
                "`{}` is not ordered: it cannot scan",
                E::TRAITS.name
            )));
        }
        // A store without a memory bound grows while it is measured.
        let grows = E::TRAITS.memory_bound == MemoryBound::None && self.work.workload.inserts();
        self.populated = self.resident && !grows;
        if self.work.replay.is_some() {
            // Nothing is loaded. Only a store that maps its own memory is resident before the first
            // request.
            let maps_its_own = E::TRAITS.memory_bound == MemoryBound::Hard && self.heap.is_none();
            self.populated &= maps_its_own;
        }
        self.say_opened(engine);
        for kit in &mut self.crew {
            kit.moments.promise = engine.snapshots();
        }
        if matches!(self.work.ageing, Ageing::Litter(_)) {
            self.litter(engine)?;
        }
        if self.work.replay.is_none() {
            self.load(engine)?;
            self.age(engine)?;
        } else if self.rehearses::<E>() {
            self.rehearse(engine)?;
        }
        for turn in 0..self.turns.len() {
            if turn > 0 {
                self.link.say(&Event::NextCell);
                self.turn_to(turn);
            }
            let done = self.measure(engine);
            if turn + 1 == self.turns.len() || done.is_err() {
                // The next steps allocate memory for the harness, so observations end here.
                self.link.say_and_wait(&Event::Ending);
                if let Some(group) = &self.group {
                    group.lift();
                }
            }
            let done = done?;
            let mut timings = self.latency_report(&done);
            timings.asked = self.asked(engine, &done);
            self.link.say(&Event::Latency(Box::new(timings)));
            // Values stored by the bare loop do not identify their keys.
            if E::TRAITS.keeps_values && self.work.driver != Driver::Bare {
                self.verify(engine, &done)?;
            }
            for (kit, done) in self.crew.iter_mut().zip(&done) {
                kit.executed += done.operations;
            }
        }
        Ok(())
    }
}

impl OnStore<'_> {
    fn say_opened<E: KvEngine>(&mut self, engine: &E) {
        let mut settings = engine.opened_with();
        let heap_settings = self.heap.into_iter().flat_map(Heap::settings);
        settings.extend(heap_settings.map(|setting| (setting.name, setting.value)));
        let made = match (self.resident, E::TRAITS.memory_bound) {
            (false, _) => "by first use, within the clock where it grows there",
            (true, MemoryBound::None) if !self.populated => {
                "by the load, and by first use within the clock where it grows there"
            }
            (true, _) if self.rehearses::<E>() => {
                "by a rehearsal of the trace, as far as what it took was kept"
            }
            (true, MemoryBound::None) => "by the load",
            (true, _) => "populated where the store can, else by the load",
        };
        settings.insert("memory made resident".to_owned(), made.to_owned());
        if let Some((group, bytes)) = self.group.as_ref().zip(self.work.cache_bytes()) {
            let told = format!("{bytes} bytes, the page cache included, by {}", group.told());
            settings.insert("memory for data".to_owned(), told);
        }
        let key_bytes = self.work.workload.modelled_key_bytes;
        if key_bytes > size_of::<u64>() {
            let rest = format!("{key_bytes} bytes, of which {} are in the value", key_bytes - 8);
            settings.insert("key modelled".to_owned(), rest);
        }
        if let Some(lifetime_ms) = self.work.workload.lifetime_ms {
            settings.insert("lifetime".to_owned(), format!("{lifetime_ms} ms"));
            let counted = "what was stored, whether its lifetime has ended or not";
            settings.insert("live bytes counted".to_owned(), counted.to_owned());
        }
        let version = self.heap.map_or_else(String::new, |heap| heap.version());
        let (threads, batch) = (self.work.threads, self.work.batch());
        let workload = &self.work.workload;
        let mut conditions = crate::conditions_of(engine, threads, batch, Some(workload));
        if let Some(sizes) = &workload.key_bytes {
            conditions.keys = sizes.to_string();
        }
        if let Some(replay) = &self.work.replay
            && let Some(keys) = &replay.keys
        {
            let mean = keys.bytes as f64 / replay.totals.records.max(1) as f64;
            let longest = keys.bytes_max;
            let set = match replay.set_bytes(threads) {
                0 => String::new(),
                bytes => format!(", and {bytes} that tell the copy"),
            };
            let told = format!("the trace's, {mean:.1} bytes on average, {longest} at most{set}");
            settings.insert("keys".to_owned(), told);
            conditions.keys = TRACE_KEYS.to_owned();
        }
        let (conditions, folders) = (Some(Box::new(conditions)), engine.folders());
        self.link.say(&Event::Opened { version, settings, conditions, folders });
    }

    fn litter<E: KvEngine>(&mut self, engine: &E) -> Result<(), Stop> {
        let (work, seed) = (self.work, seed_of(self.cell));
        let threads = work.threads;
        self.step("litter", engine, &|kit, done| {
            let mut session = session_of(engine, kit.thread, threads)?;
            ageing::litter(engine, &mut session, kit, (work, seed), done)
        })?;
        engine.settle();
        Ok(())
    }

    fn load<E: KvEngine>(&mut self, engine: &E) -> Result<(), Stop> {
        let (work, page, seed) = (self.work, self.page, seed_of(self.cell));
        let (records, threads) = (work.records, work.threads);
        self.step("load", engine, &|kit, done| {
            let mut session = session_of(engine, kit.thread, threads)?;
            for record in steering::records_of(engine, records, (kit.thread, threads)) {
                let key = key_of(record);
                kit.loader.number_next(record);
                let bytes = work.workload.loaded_value_bytes(seed, record);
                match session.put(key, kit.loader.value(key, bytes)) {
                    Ok(PutOutcome::Full) => {
                        done.refuse(record);
                        return Ok(());
                    }
                    Ok(_) => done.operations += 1,
                    Err(error) => return Err(error.to_string()),
                }
                done.inserted += 1;
                done.inserted_bytes += bytes as u64;
                // Relaxed: a sample for the parent's curve.
                page.counter(kit.thread)
                    .store(done.inserted_bytes, std::sync::atomic::Ordering::Relaxed);
            }
            Ok(())
        })?;
        engine.settle();
        Ok(())
    }

    /// Brings the store into its steady state; only its own counters are recorded.
    fn age<E: KvEngine>(&mut self, engine: &E) -> Result<(), Stop> {
        let (work, seed) = (self.work, seed_of(self.cell));
        if ageing::requests(work, 0, seed).is_none() {
            return Ok(());
        }
        let threads = work.threads;
        self.step("age", engine, &|kit, done| {
            let mut session = session_of(engine, kit.thread, threads)?;
            let made_by = |maker| ageing::requests(work, maker, seed).into_iter().flatten();
            let lane = (kit.thread, threads);
            let requests = steering::share_of(engine, &work.workload, lane, made_by);
            ageing::age::<E>(&mut session, kit, requests, done)
        })?;
        Ok(())
    }

    /// Whether the trace is executed once before the clock starts, so that the store has touched the
    /// memory it takes for the trace.
    fn rehearses<E: KvEngine>(&self) -> bool {
        let replays = self.work.replay.is_some() && self.resident && E::TRAITS.keeps_values;
        replays && !self.populated && !E::TRAITS.sharing.is_partitioned()
    }

    /// Executes the trace, deletes the records that are left, and discards the timings.
    fn rehearse<E: KvEngine>(&mut self, engine: &E) -> Result<(), Stop> {
        let (shared, threads) = (self.shared, self.work.threads);
        self.step("rehearse", engine, &|kit, done| {
            let mut session = session_of(engine, kit.thread, threads)?;
            kit.seconds.start(done.started_ns);
            let (mut lane, inputs) = Lane::of(kit, shared, &E::TRAITS, done);
            run_prepared::<E>(&mut session, &mut lane, inputs.words)?;
            run_prepared::<E>(&mut session, &mut lane, inputs.leftovers)?;
            kit.latency.reset();
            kit.seconds.reset();
            Ok(())
        })?;
        shared.tracked.reset();
        engine.settle();
        Ok(())
    }

    /// Makes the requests of another cell those that are executed next.
    fn turn_to(&mut self, turn: usize) {
        (self.cell, self.work) = self.turns[turn];
        self.price = self.prices[turn];
        let seed = seed_of(self.cell);
        for kit in &mut self.crew {
            kit.turn_to(self.work, seed);
        }
    }

    /// Deals the requests at hand to the workers of their keys, where keys belong to workers.
    fn deal<E: KvEngine>(&mut self, engine: &E) {
        let Some(dealt) = &mut self.dealt else { return };
        let (work, threads) = (self.work, self.work.threads);
        dealt.deal(&self.crew, &|thread, request| {
            steering::executor(engine, &work.workload, (thread, threads), request)
        });
        self.imbalance = Some(dealt.imbalance());
    }

    fn measure<E: KvEngine>(&mut self, engine: &E) -> Result<Vec<Done>, Stop> {
        let (work, shared, threads) = (self.work, self.shared, self.work.threads);
        self.deal(engine);
        let dealt = self.dealt.take();
        let lengths = work.phases.as_ref().map(|all| all.lengths(work.operations_per_thread));
        let meeting = Meeting::of(threads);
        let ran = self.step("run", engine, &|kit, done| {
            let mut session = session_of(engine, kit.thread, threads)?;
            kit.seconds.start(done.started_ns);
            let steered = dealt.as_ref().map(|dealt| dealt.of(kit.thread));
            let (mut lane, inputs) = Lane::of(kit, shared, &E::TRAITS, done);
            let words = steered.unwrap_or(&inputs.words[..]);
            if work.driver == Driver::Bare {
                let times = bare::by_turns::<E>(&mut session, &mut lane, words)?;
                lane.done.loops = times;
                return Ok(());
            }
            if let Some(lengths) = &lengths {
                return phases::run::<E>(&mut session, &mut lane, words, (&lengths[..], &meeting));
            }
            let generated = std::iter::repeat_with(|| inputs.stream.next_request())
                .take(work.operations_per_thread as usize);
            match (work.source, inputs.pacing, work.batch()) {
                (Source::Prepared, Some(pacing), _) => {
                    if let Some(steered) = steered {
                        pacing.schedule.steer(work.operations_per_thread, steered.len());
                    }
                    let requests = words.iter().copied();
                    paced::<E>(&mut session, &mut lane, requests, pacing)
                }
                (Source::InLoop, Some(pacing), _) => {
                    paced::<E>(&mut session, &mut lane, generated, pacing)
                }
                (source, None, 1) if work.think_ns > 0 => {
                    let requests: Box<dyn Iterator<Item = Request>> = match source {
                        Source::Prepared => Box::new(words.iter().copied()),
                        Source::InLoop => Box::new(generated),
                    };
                    let thoughtful = requests.inspect(|_| think(work.think_ns));
                    run_made::<E>(&mut session, &mut lane, thoughtful)
                }
                (Source::Prepared, None, 1) => run_prepared::<E>(&mut session, &mut lane, words),
                (Source::InLoop, None, 1) => run_made::<E>(&mut session, &mut lane, generated),
                (Source::Prepared, None, batch) => {
                    run_batches::<E>(&mut session, &mut lane, &mut &words[..], batch)
                }
                (Source::InLoop, None, batch) => {
                    run_batches::<E>(&mut session, &mut lane, &mut Made::by(generated), batch)
                }
            }
        });
        self.dealt = dealt;
        ran
    }

    /// Reads every record, and compares it with the last writes of this turn and of those before it.
    fn verify<E: KvEngine>(&mut self, engine: &E, ran: &[Done]) -> Result<(), Stop> {
        let expected = match self.expected.take() {
            Some(expected) => expected,
            None => Expected::none(self.work),
        };
        let mut expected = self.after(engine, expected, ran);
        if self.work.workload.expires() {
            let lifetimes = self.crew.iter().map(|kit| kit.lifetimes.clone());
            expected.lifetimes = lifetimes.collect();
        }
        let (records, threads) = (expected.records(), self.work.threads);
        let evicts = E::TRAITS.full == FullMeaning::Evict;
        let groups = self.work.workload.writes_together().then(|| self.work.groups());
        self.step("verify", engine, &|kit, done| {
            let mut session = session_of(engine, kit.thread, threads)?;
            let mut step = Step::default();
            for record in steering::records_of(engine, records, (kit.thread, threads)) {
                let look = (&kit.checker, kit.buffer.as_mut_slice());
                let verification = &mut done.verification;
                let found = expected.check::<E>(&mut session, record, look, evicts, verification);
                // A group that two threads share is looked at in parts.
                if let Some(groups) = groups {
                    found.into_iter().for_each(|condition| step.add(condition));
                    if record + 1 == groups.of(record).end {
                        done.verification.torn += u64::from(std::mem::take(&mut step).is_torn());
                    }
                }
                done.operations += 1;
            }
            let Some(all_gone_ns) = expected.all_gone_ns() else { return Ok(()) };
            lifetimes::wait_until(all_gone_ns);
            for record in steering::records_of(engine, records, (kit.thread, threads)) {
                let verification = &mut done.verification;
                expected.check_gone::<E>(&mut session, record, &mut kit.buffer, verification);
                done.operations += 1;
            }
            Ok(())
        })?;
        self.expected = Some(expected);
        Ok(())
    }
}

impl OnStore<'_> {
    /// Updates the oracle's count of live objects. Updates keep the bytes constant on average, as does
    /// churn, whose deletes make room for its inserts.
    fn count_live(&mut self, done: &[Done]) {
        if let Some(replay) = &self.work.replay
            && done.iter().map(|one| one.operations).sum::<u64>()
                >= replay.sets(self.work.threads) * replay.totals.requests
        {
            let sets = replay.sets(self.work.threads);
            self.live_objects = sets * replay.totals.live_records;
            self.live_bytes = sets * replay.totals.live_bytes;
            return;
        }
        let inserted: u64 = done.iter().map(|one| one.inserted).sum();
        let deleted: u64 = done.iter().map(|one| one.deleted).sum();
        self.live_objects = (self.live_objects + inserted).saturating_sub(deleted);
        if deleted > 0 && self.work.workload.churn {
            return;
        }
        let bytes: u64 = done.iter().map(|one| one.inserted_bytes).sum();
        let gone = deleted as f64 * self.work.workload.mean_value_bytes();
        self.live_bytes = (self.live_bytes + bytes).saturating_sub(gone as u64);
    }
}

/// Starts the schedule and executes the requests by it.
fn paced<E: KvEngine>(
    session: &mut E::Session<'_>,
    lane: &mut Lane<'_>,
    requests: impl Iterator<Item = Request>,
    pacing: &mut Pacing,
) -> Result<(), String> {
    pacing.schedule.start(lane.done.started_ns + SCHEDULE_LEAD_NS);
    run_open::<E>(session, lane, requests, pacing)
}

fn session_of<E: KvEngine>(
    engine: &E,
    thread: usize,
    threads: usize,
) -> Result<E::Session<'_>, String> {
    engine.worker_session(thread, threads).map_err(|error| error.to_string())
}

/// Keeps the processor busy for that long, like a client that computes with the data it read.
fn think(think_ns: u64) {
    let until = monotonic_ns() + think_ns;
    while monotonic_ns() < until {
        std::hint::spin_loop();
    }
}
