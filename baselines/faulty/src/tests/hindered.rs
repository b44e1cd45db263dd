//! A hindered store answers as the one below it does, and is slower and larger by its shares.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use baseline_faulty::{Clock, Config, Faulty, Hindered, Hindrance, Naming, Percent};
use engine::{
    DeleteOutcome, EngineTraits, GetError, Hashing, KvEngine, KvSession, MemoryCensus, Op,
    OpenError, Outcome, Presence, PutError, PutOutcome, ScanRange, Scans, SessionError, Setting,
    Sharing, Statistic, Storage, ValueBuffers,
};

#[derive(Debug)]
struct Name;

impl Naming for Name {
    const NAME: &'static str = "hindered-in-a-test";
}

fn percent<const MAX: u32>(value: f64) -> Percent<MAX> {
    Percent::new(value).unwrap()
}

fn well_behaved() -> Faulty {
    Faulty::open(Config::default())
}

/// Hindered in every way, by as much as tests have time for.
fn hindered_faulty() -> Result<Hindered<Faulty, Name>, OpenError> {
    let hindrance = Hindrance { slow: percent(5.0), jitter: percent(5.0), leak: percent(10.0) };
    Hindered::open(well_behaved(), hindrance)
}

engine::conformance_tests!(conformance, Hindered<Faulty, Name>, |_| hindered_faulty());

/// A clock that passes by hand; everybody who has it sees the same time.
#[derive(Clone, Debug, Default)]
struct Fake(Arc<AtomicU64>);

impl Fake {
    /// Relaxed: one thread uses it.
    fn pass(&self, ns: u64) {
        self.0.fetch_add(ns, Ordering::Relaxed);
    }
}

impl Clock for Fake {
    fn now_ns(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn wait_until(&self, until_ns: u64) -> u64 {
        self.0.store(until_ns, Ordering::Relaxed);
        until_ns
    }
}

const GET_NS: u64 = 100;
const PUT_NS: u64 = 300;
const DELETE_NS: u64 = 200;
const SCAN_NS: u64 = 1000;
/// Of a batch, for each operation.
const BATCHED_NS: u64 = 50;

/// Does nothing as any default of the contract does it, and writes down what it is asked.
#[derive(Debug, Default)]
struct Probe {
    asked: Mutex<Vec<String>>,
    clock: Fake,
    census: Mutex<MemoryCensus>,
}

impl Probe {
    fn note(&self, what: impl std::fmt::Display) {
        self.asked.lock().unwrap().push(what.to_string());
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

struct ProbeSession<'engine>(&'engine Probe);

/// Borrowed, so that a test can look at it while it is hindered.
impl<'probe> KvEngine for &'probe Probe {
    const TRAITS: EngineTraits = EngineTraits {
        name: "probe",
        description: "writes down what it is asked",
        sharing: Sharing::Partitioned,
        scans: Scans::Both,
        batches: true,
        background_threads: true,
        hashing: Hashing::None,
        page_bytes: 1 << 14,
        environment: &[("PROBE", "1")],
        ..EngineTraits::BASE
    };

    type Session<'engine>
        = ProbeSession<'probe>
    where
        Self: 'engine;

    fn session(&self) -> Result<ProbeSession<'probe>, SessionError> {
        self.note("session");
        Err(SessionError::Claimed { partition: 3 })
    }

    fn worker_session(
        &self,
        worker: usize,
        workers: usize,
    ) -> Result<ProbeSession<'probe>, SessionError> {
        self.note(format!("worker_session {worker} {workers}"));
        Ok(ProbeSession(self))
    }

    fn route(&self, key: u64, workers: usize) -> Option<usize> {
        Some(key as usize % workers)
    }

    fn presence(&self) -> Presence {
        Presence { page_bytes: 7, threads: 8, servers: 9 }
    }

    fn storage(&self) -> Storage {
        Storage::Disk
    }

    fn settle(&self) {
        self.note("settle");
    }

    fn trim(&self) {
        self.note("trim");
    }

    fn memory(&self) -> MemoryCensus {
        *self.census.lock().unwrap()
    }

    fn statistics(&self) -> Vec<Statistic> {
        vec![Statistic::new("probes", 1.0)]
    }

    fn settings(&self) -> Vec<Setting> {
        vec![Setting::new("depth", 2)]
    }

    fn check(&self) -> Result<(), String> {
        Err("a violation".to_owned())
    }
}

impl KvSession for ProbeSession<'_> {
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        self.0.note(format!("get {key}"));
        self.0.clock.pass(GET_NS);
        match key {
            0 => Ok(None),
            1 => Err(GetError::BufferTooShort { value_bytes: 9, buffer_bytes: buffer.len() }),
            _ => Ok(Some(2)),
        }
    }

    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        self.0.note(format!("put {key} {value:?}"));
        self.0.clock.pass(PUT_NS);
        match key {
            0 => Ok(PutOutcome::Full),
            1 => Err(PutError::ValueTooLarge { value_bytes: 9, limit_bytes: 8 }),
            _ => Ok(PutOutcome::Updated),
        }
    }

    fn delete(&mut self, key: u64) -> DeleteOutcome {
        self.0.note(format!("delete {key}"));
        self.0.clock.pass(DELETE_NS);
        if key > 1 { DeleteOutcome::Removed } else { DeleteOutcome::Done }
    }

    fn execute(
        &mut self,
        operations: &[Op<'_>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        self.0.note(format!("execute {operations:?}"));
        self.0.clock.pass(BATCHED_NS * operations.len() as u64);
        for (index, outcome) in outcomes.iter_mut().take(operations.len()).enumerate() {
            values.slot(index)[0] = index as u8;
            *outcome = Outcome::Found(index);
        }
    }

    fn scan(&mut self, range: ScanRange, visit: &mut dyn FnMut(u64, &[u8])) -> Option<usize> {
        self.0.note(format!("scan {range:?}"));
        self.0.clock.pass(SCAN_NS);
        visit(range.first, &[range.limit as u8]);
        Some(1)
    }
}

/// Asks everything that a store can be asked, and writes down what it answers.
fn interview<E: KvEngine>(store: &E) -> Vec<String> {
    let mut said = vec![
        format!("{:?}", store.session().map(drop)),
        format!("{:?}", [store.route(7, 4), store.route(6, 4)]),
        format!("{:?}", store.presence()),
        format!("{:?} {:?}", store.storage(), store.writes()),
        format!("{:?}", store.memory()),
        format!("{:?}", store.statistics()),
        format!("{:?}", store.check()),
    ];
    store.settle();
    store.trim();
    let Ok(mut session) = store.worker_session(1, 4) else { panic!("a worker's session") };
    for key in 0..3 {
        let mut buffer = [0; 4];
        said.push(format!("{:?} {buffer:?}", session.get(key, &mut buffer)));
        said.push(format!("{:?}", session.put(key, &[key as u8; 2])));
        said.push(format!("{:?}", session.delete(key)));
    }
    let operations = [Op::Get { key: 1 }, Op::Put { key: 2, value: &[3] }, Op::Delete { key: 4 }];
    let (mut bytes, mut outcomes) = ([0xff; 12], [Outcome::Absent; 5]);
    session.execute(&operations, &mut ValueBuffers::new(&mut bytes, 4), &mut outcomes);
    said.push(format!("{bytes:?} {outcomes:?}"));
    let mut shown = String::new();
    let count = session.scan(ScanRange::down(5, 6), &mut |key, value| {
        shown = format!("{key} {value:?}");
    });
    said.push(format!("{count:?} {shown}"));
    said
}

#[test]
fn every_question_goes_to_the_store_below() {
    let probe = Probe::default();
    *probe.census.lock().unwrap() = MemoryCensus { index_bytes: 5, ..MemoryCensus::default() };
    let expected = (interview(&&probe), probe.asked());
    let hindrance = Hindrance { slow: percent(50.0), leak: percent(100.0), jitter: percent(1.0) };
    let store = Hindered::<_, Name>::open(&probe, hindrance).unwrap();
    assert_eq!((interview(&store), probe.asked()), expected);
    let settings = store.settings();
    assert_eq!(settings[0], Setting::new("depth", 2));
    assert_eq!(settings[1], Setting::new("slow-percent", 50));
    let drawn = format!("{:.4}", store.slowed_percent() - 50.0);
    assert_eq!(settings[3], Setting::new("jitter-drawn-percent", drawn));
}

#[test]
fn only_name_description_and_purpose_are_its_own() {
    let mut traits = <Hindered<&Probe, Name> as KvEngine>::TRAITS;
    assert_eq!((traits.name, traits.test_only), (Name::NAME, true));
    let below = <&Probe as KvEngine>::TRAITS;
    (traits.name, traits.description, traits.test_only) =
        (below.name, below.description, below.test_only);
    assert_eq!(format!("{traits:?}"), format!("{below:?}"));
}

/// Names of the functions in what follows `head` up to the end of that block.
fn functions_after<'a>(text: &'a str, head: &str) -> Vec<&'a str> {
    let (_, block) = text.split_once(head).unwrap_or_else(|| panic!("no `{head}`"));
    let block = block.split("\n}\n").next().unwrap_or_default();
    let functions = block.lines().filter_map(|line| line.strip_prefix("    fn "));
    let mut names: Vec<&str> =
        functions.map(|rest| rest.split(['(', '<']).next().unwrap_or_default()).collect();
    names.sort_unstable();
    names
}

#[test]
fn no_function_of_the_contract_is_left_to_its_default() {
    let contract = include_str!("../../../engine/src/store.rs");
    let store = include_str!("../hindered/mod.rs");
    let session = include_str!("../hindered/session.rs");
    for (declared, text, implemented, at_least) in [
        ("pub trait KvEngine", store, "KvEngine for Hindered<", 10),
        ("pub trait KvSession", session, "KvSession for HinderedSession<", 5),
    ] {
        let expected = functions_after(contract, declared);
        assert!(expected.len() >= at_least, "{declared}: {expected:?}");
        assert_eq!(functions_after(text, implemented), expected, "{declared}");
    }
}

/// Asks for `rounds` of everything; returns how long that took by the probe's clock.
fn ask_for_a_while(store: &impl KvEngine, probe: &Probe, rounds: usize) -> u64 {
    let Ok(mut session) = store.worker_session(0, 1) else { panic!("a worker's session") };
    let began = probe.clock.now_ns();
    let batch = [Op::Get { key: 9 }; 12];
    for _ in 0..rounds {
        session.get(2, &mut [0; 4]).unwrap();
        session.put(2, &[1]).unwrap();
        session.delete(2);
        session.scan(ScanRange::up(0, 1), &mut |_, _| {});
        let (mut bytes, mut outcomes) = ([0; 12], [Outcome::Absent; 12]);
        session.execute(&batch, &mut ValueBuffers::new(&mut bytes, 1), &mut outcomes);
    }
    probe.clock.now_ns() - began
}

#[test]
fn throughput_falls_by_exactly_its_share() {
    // 16 operations a round: the last of them ends a gap.
    const ROUNDS: usize = 16 * 100;
    let probe = Probe::default();
    let plain_ns = ask_for_a_while(&&probe, &probe, ROUNDS);
    let round_ns = GET_NS + PUT_NS + DELETE_NS + SCAN_NS + 12 * BATCHED_NS;
    assert_eq!(plain_ns, ROUNDS as u64 * round_ns);
    for (slow, of_100) in [(0.0, 100), (20.0, 80), (50.0, 50), (90.0, 10)] {
        let hindrance = Hindrance { slow: percent(slow), ..Hindrance::default() };
        let clock = probe.clock.clone();
        let store = Hindered::<_, Name, _>::with_clock(&probe, hindrance, clock).unwrap();
        let hindered_ns = ask_for_a_while(&store, &probe, ROUNDS);
        assert_eq!(hindered_ns * of_100, plain_ns * 100, "slowed by {slow} %");
    }
}

#[test]
fn each_store_draws_its_own_jitter() {
    let open = || {
        let hindrance = Hindrance { slow: percent(1.0), jitter: percent(8.0), leak: percent(0.0) };
        Hindered::<_, Name>::open(well_behaved(), hindrance).unwrap().slowed_percent()
    };
    let drawn = [open(), open(), open(), open()];
    assert!(drawn.iter().all(|slowed| (1.0..=9.0).contains(slowed)), "{drawn:?}");
    assert!(drawn[1..].iter().any(|other| *other != drawn[0]), "{drawn:?}");
}

#[test]
fn a_leak_is_a_share_of_the_census_and_grows_with_it() {
    const PAGE: u64 = 4096;
    let probe = Probe::default();
    let holds = |object_memory_bytes| {
        let mut census = probe.census.lock().unwrap();
        *census = MemoryCensus {
            live_objects: 1,
            object_memory_bytes,
            index_bytes: 2 << 20,
            table_bytes: 1 << 20,
            ..MemoryCensus::default()
        };
    };
    let open = |leak| {
        let hindrance = Hindrance { leak: percent(leak), ..Hindrance::default() };
        Hindered::<_, Name>::open(&probe, hindrance).unwrap()
    };
    holds(61 << 20);
    let control = open(0.0);
    drop(control.worker_session(0, 1));
    assert_eq!(control.leaked_bytes(), 0);
    let store = open(2.5);
    drop(store.worker_session(0, 1));
    let share = |bytes: u64| (bytes as f64 * 0.025) as u64;
    let leaked = store.leaked_bytes();
    assert!((share(64 << 20)..share(64 << 20) + PAGE).contains(&leaked), "{leaked}");
    // Nothing was put, so it does not even ask.
    holds(125 << 20);
    drop(store.worker_session(0, 1));
    assert_eq!(store.leaked_bytes(), leaked);
}

#[test]
fn a_leak_follows_what_is_put_single_and_in_batches() {
    let hindrance = Hindrance { leak: percent(50.0), ..Hindrance::default() };
    let store = Hindered::<_, Name>::open(well_behaved(), hindrance).unwrap();
    let is_a_share = |objects: u64| {
        let census = store.memory();
        assert_eq!(census.live_objects, objects);
        let half = census.object_memory_bytes / 2;
        assert!((half - 4096..half + 4096).contains(&store.leaked_bytes()), "{half}: {store:?}");
    };
    let mut session = store.session().unwrap();
    let before = store.leaked_bytes();
    for key in 0..10_000 {
        session.put(key, &[1; 100]).unwrap();
    }
    let within = store.leaked_bytes();
    assert!(within > before, "it grows while a session lasts");
    drop(session);
    is_a_share(10_000);
    let mut session = store.session().unwrap();
    for keys in (10_000..20_000).collect::<Vec<u64>>().chunks(16) {
        let batch: Vec<Op<'_>> =
            keys.iter().map(|&key| Op::Put { key, value: &[2; 100] }).collect();
        let mut outcomes = [Outcome::Absent; 16];
        session.execute(&batch, &mut ValueBuffers::new(&mut [], 0), &mut outcomes);
    }
    assert!(store.leaked_bytes() > within);
    drop(session);
    is_a_share(20_000);
    // What is deleted makes room for as much, and gives nothing back.
    let leaked = store.leaked_bytes();
    let mut session = store.session().unwrap();
    (0..20_000).for_each(|key| assert!(session.delete(key).was_present()));
    drop(session);
    assert_eq!(store.leaked_bytes(), leaked);
}
