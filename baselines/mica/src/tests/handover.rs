//! Hand-over as a whole: many sessions, batches across owners, threads that end.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use baseline_mica::handover::{Config, MicaHandover};
use baseline_mica::store;
use engine::{
    DeleteOutcome, GetError, KvEngine, KvSession, Op, OpenError, Outcome, PutError, PutOutcome,
    ValueBuffers,
};
use kit::testing::counter;

fn open(owners: usize) -> MicaHandover {
    let store = store::Config { huge_pages: false, ..store::Config::new(64 << 20, 100_000) };
    MicaHandover::open(Config { store, owners }).unwrap()
}

fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
    *state >> 33
}

/// A value that says whose it is: its first words are key and version, the rest follows from them.
fn value_of(key: u64, version: u64) -> Vec<u8> {
    let mut state = key ^ version.rotate_left(32);
    let value_bytes = 16 + random(&mut state) as usize % 700;
    let mut value = [key.to_le_bytes(), version.to_le_bytes()].concat();
    value.extend((16..value_bytes).map(|_| random(&mut state) as u8));
    value
}

fn version_of(key: u64, value: &[u8]) -> u64 {
    assert!(value.len() >= 16, "{} bytes are no value", value.len());
    let word = |at: usize| u64::from_le_bytes(value[at..at + 8].try_into().unwrap());
    assert_eq!(word(0), key, "the value of another key");
    assert!(value == value_of(key, word(8)), "key {key:#x}: a torn value");
    word(8)
}

/// One client, which knows what must be under the keys that it alone writes.
struct Client {
    number: u64,
    state: u64,
    /// The versions of its own keys, 0 for none.
    versions: Vec<u64>,
    next_version: u64,
}

const SLOT_BYTES: usize = 800;
const KEYS: u64 = 200;
const SHARED_KEYS: u64 = 16;
const SHARED: u64 = 1 << 50;

impl Client {
    fn new(number: u64) -> Self {
        Self { number, state: number, versions: vec![0; KEYS as usize], next_version: 0 }
    }

    /// A batch on its own keys, exact, and on keys of all, whole.
    fn batch<S: KvSession>(&mut self, session: &mut S, operations: usize) {
        let choices: Vec<(u64, u64)> = (0..operations)
            .map(|_| {
                let is_shared = random(&mut self.state).is_multiple_of(4);
                let index = random(&mut self.state) % if is_shared { SHARED_KEYS } else { KEYS };
                let key = if is_shared { SHARED } else { self.number << 20 } | index;
                (key, random(&mut self.state) % 5)
            })
            .collect();
        let mut values = Vec::new();
        for &(key, choice) in &choices {
            self.next_version += 1;
            let version = (self.number << 32) | self.next_version;
            values.push(if choice < 2 { value_of(key, version) } else { Vec::new() });
        }
        let mut expected = Vec::new();
        let mut batch = Vec::new();
        for (&(key, choice), value) in choices.iter().zip(&values) {
            let mut unowned = 0;
            let is_shared = key & SHARED != 0;
            let version = if is_shared {
                &mut unowned
            } else {
                &mut self.versions[(key % (1 << 20)) as usize]
            };
            expected.push((is_shared, *version));
            batch.push(match choice {
                0 | 1 => {
                    *version = version_of(key, value);
                    Op::Put { key, value }
                }
                2 | 3 => Op::Get { key },
                _ => {
                    *version = 0;
                    Op::Delete { key }
                }
            });
        }
        let mut bytes = vec![0; operations * SLOT_BYTES];
        let mut slots = ValueBuffers::new(&mut bytes, SLOT_BYTES);
        let mut outcomes = vec![Outcome::ValueTooLarge; operations];
        session.execute(&batch, &mut slots, &mut outcomes);
        for (number, (operation, (is_shared, before))) in batch.iter().zip(expected).enumerate() {
            let was_there = before != 0;
            match (*operation, outcomes[number]) {
                (Op::Get { key }, Outcome::Found(value_bytes)) => {
                    let version = version_of(key, &slots.slot(number)[..value_bytes]);
                    assert!(
                        is_shared || version == before,
                        "key {key:#x}: {version}, not {before}"
                    );
                }
                (Op::Get { key }, Outcome::Absent) => {
                    assert!(is_shared || !was_there, "key {key:#x} is lost");
                }
                (Op::Put { key, .. }, Outcome::Put(outcome)) => {
                    assert!(outcome.is_stored());
                    let is_update = outcome == PutOutcome::Updated;
                    assert!(is_shared || is_update == was_there, "key {key:#x}: {outcome:?}");
                }
                (Op::Delete { key }, Outcome::Deleted(outcome)) => {
                    let told = DeleteOutcome::told(was_there);
                    assert!(is_shared || outcome == told, "key {key:#x}: {outcome:?}");
                }
                (operation, outcome) => panic!("{operation:?} gave {outcome:?}"),
            }
        }
    }

    /// Reads its own keys one by one.
    fn verify<S: KvSession>(&self, session: &mut S) {
        let mut buffer = [0; SLOT_BYTES];
        for (index, &version) in self.versions.iter().enumerate() {
            let key = (self.number << 20) | index as u64;
            let found = session.get(key, &mut buffer).unwrap();
            let found = found.map_or(0, |value_bytes| version_of(key, &buffer[..value_bytes]));
            assert_eq!(found, version, "key {key:#x}");
        }
    }
}

fn clients_are_served(owners: usize, clients: u64) {
    let store = open(owners);
    let start = Barrier::new(clients as usize);
    thread::scope(|scope| {
        for number in 0..clients {
            let (store, start) = (&store, &start);
            scope.spawn(move || {
                let mut session = store.session().unwrap();
                let mut client = Client::new(number);
                start.wait();
                for round in 0..150 {
                    client.batch(&mut session, 1 + (round * 7) % 150);
                    client.batch(&mut session, 1);
                }
                client.verify(&mut session);
            });
        }
    });
    store.check().unwrap();
    let operations = clients * ((0..150).map(|round| 2 + (round * 7) % 150).sum::<u64>() + KEYS);
    assert_eq!(counter(&store, "handed_operations"), operations);
}

#[test]
fn more_clients_than_owners() {
    clients_are_served(2, 6);
}

#[test]
fn one_owner_serves_all() {
    clients_are_served(1, 3);
}

#[test]
fn more_owners_than_clients() {
    clients_are_served(4, 1);
}

#[test]
fn sessions_come_and_go_while_others_work_and_the_store_is_checked() {
    let store = open(2);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let steady = scope.spawn(|| {
            let mut session = store.session().unwrap();
            let mut client = Client::new(100);
            (0..300).for_each(|_| client.batch(&mut session, 40));
            client.verify(&mut session);
            is_over.store(true, Ordering::Relaxed);
        });
        for number in 0..2 {
            let (store, is_over) = (&store, &is_over);
            scope.spawn(move || {
                let mut client = Client::new(number);
                while !is_over.load(Ordering::Relaxed) {
                    client.batch(&mut store.session().unwrap(), 10);
                    // One that is never used.
                    drop(store.session().unwrap());
                }
                client.verify(&mut store.session().unwrap());
            });
        }
        while !steady.is_finished() {
            store.check().unwrap();
            let census = store.memory();
            assert_eq!(
                census.live_object_bytes + census.dead_object_bytes + census.free_object_bytes,
                census.object_memory_bytes,
                "owners stand still while it is taken"
            );
            store.trim();
        }
    });
    store.check().unwrap();
}

#[test]
fn operations_on_a_key_keep_their_order_within_and_across_letters() {
    for owners in [1, 2, 4] {
        let store = open(owners);
        let mut session = store.session().unwrap();
        // 30 keys with 7 operations each, dealt out so that every key's go through several letters.
        let keys = 0..30_u64;
        let values: Vec<_> = keys.clone().map(|key| [value_of(key, 1), value_of(key, 2)]).collect();
        let mut batch = Vec::new();
        for step in 0..7 {
            for key in keys.clone() {
                let [first, second] = &values[key as usize];
                batch.push(match step {
                    0 => Op::Put { key, value: first },
                    2 => Op::Put { key, value: second },
                    4 => Op::Delete { key },
                    5 => Op::Delete { key },
                    _ => Op::Get { key },
                });
            }
        }
        // And at once, within one letter.
        let key = 99;
        let [first, second] = [value_of(key, 1), value_of(key, 2)];
        let at_once = [
            Op::Get { key },
            Op::Put { key, value: &first },
            Op::Get { key },
            Op::Put { key, value: &second },
            Op::Get { key },
            Op::Delete { key },
            Op::Get { key },
        ];
        let mut bytes = vec![0; batch.len() * SLOT_BYTES];
        let mut slots = ValueBuffers::new(&mut bytes, SLOT_BYTES);
        let mut outcomes = vec![Outcome::Absent; batch.len()];
        session.execute(&batch, &mut slots, &mut outcomes);
        for key in keys {
            let at = |step: usize| step * 30 + key as usize;
            let [first, second] = &values[key as usize];
            let expected = [
                Outcome::Put(PutOutcome::Inserted),
                Outcome::Found(first.len()),
                Outcome::Put(PutOutcome::Updated),
                Outcome::Found(second.len()),
                Outcome::Deleted(DeleteOutcome::Removed),
                Outcome::Deleted(DeleteOutcome::Absent),
                Outcome::Absent,
            ];
            assert_eq!([0, 1, 2, 3, 4, 5, 6].map(|step| outcomes[at(step)]), expected);
            assert_eq!(version_of(key, &slots.slot(at(1))[..first.len()]), 1);
            assert_eq!(version_of(key, &slots.slot(at(3))[..second.len()]), 2);
        }
        session.execute(&at_once, &mut slots, &mut outcomes);
        assert_eq!(outcomes[0], Outcome::Absent);
        assert_eq!(version_of(key, &slots.slot(2)[..first.len()]), 1);
        assert_eq!(version_of(key, &slots.slot(4)[..second.len()]), 2);
        assert_eq!(outcomes[5..7], [Outcome::Deleted(DeleteOutcome::Removed), Outcome::Absent]);
    }
}

#[test]
fn values_of_any_length_go_through_a_mailbox() {
    let store = open(2);
    let mut session = store.session().unwrap();
    let limit_bytes = store.settings().into_iter().find(|each| each.name == "value-bytes-max");
    let limit_bytes: usize = limit_bytes.unwrap().value.parse().unwrap();
    let lengths = [0, 1, 4095, 4096, 4097, 100_000, 3 << 20, 0, limit_bytes, 5];
    let mut buffer = vec![0; limit_bytes];
    for (key, &value_bytes) in lengths.iter().enumerate() {
        let value: Vec<_> = (0..value_bytes).map(|at| (at * 31 + key) as u8).collect();
        let key = key as u64;
        assert_eq!(session.put(key, &value), Ok(PutOutcome::Inserted));
        assert_eq!(session.get(key, &mut buffer), Ok(Some(value_bytes)));
        assert!(buffer[..value_bytes] == value, "{value_bytes} bytes come back");
        if value_bytes > 0 {
            let buffer_bytes = value_bytes - 1;
            let error = GetError::BufferTooShort { value_bytes, buffer_bytes };
            assert_eq!(session.get(key, &mut buffer[..buffer_bytes]), Err(error));
        }
        let batch = [Op::Get { key }, Op::Put { key, value: &value }, Op::Get { key }];
        let mut bytes = vec![0; 3 * value_bytes];
        let mut slots = ValueBuffers::new(&mut bytes, value_bytes);
        let mut outcomes = [Outcome::Absent; 3];
        session.execute(&batch, &mut slots, &mut outcomes);
        let (found, updated) = (Outcome::Found(value_bytes), Outcome::Put(PutOutcome::Updated));
        assert_eq!(outcomes, [found, updated, found]);
        assert!(slots.slot(0) == value && slots.slot(2) == value, "{value_bytes} bytes in slots");
        assert!(session.delete(key).was_present());
    }
    let too_large = vec![0; limit_bytes + 1];
    let error = PutError::ValueTooLarge { value_bytes: limit_bytes + 1, limit_bytes };
    assert_eq!(session.put(1, &too_large), Err(error));
    // In a batch it is refused by itself. No slot is needed where nothing is read.
    let batch = [Op::Put { key: 1, value: &too_large }, Op::Put { key: 1, value: b"1" }];
    let mut outcomes = [Outcome::Absent; 2];
    session.execute(&batch, &mut ValueBuffers::new(&mut [], 9), &mut outcomes);
    assert_eq!(outcomes, [Outcome::ValueTooLarge, Outcome::Put(PutOutcome::Inserted)]);
    store.check().unwrap();
}

#[test]
fn what_is_handed_over_is_counted() {
    let store = open(1);
    let counted = |store: &MicaHandover| {
        ["handed_batches", "handed_operations"].map(|name| counter(store, name))
    };
    assert_eq!(counted(&store), [0, 0]);
    let mut session = store.session().unwrap();
    session.put(1, b"1").unwrap();
    assert_eq!(counted(&store), [1, 1]);
    let batch = [Op::Get { key: 1 }; 100];
    let (mut bytes, mut outcomes) = ([0; 100], [Outcome::Absent; 100]);
    session.execute(&batch, &mut ValueBuffers::new(&mut bytes, 1), &mut outcomes);
    assert!(outcomes.iter().all(|&outcome| outcome == Outcome::Found(1)));
    assert_eq!(counted(&store), [3, 101], "letters of 64 and 36");
    drop(session);
    assert_eq!(counted(&store), [3, 101], "counts outlive their sessions");
    assert_eq!(counter(&store, "allocations"), 1, "the store's own are there");
}

#[test]
fn owners_without_work_sleep_and_are_dropped_asleep_or_awake() {
    for owners in [1, 4] {
        drop(open(owners));
        let store = open(owners);
        let mut session = store.session().unwrap();
        // To ask wakes them, and they sleep again.
        let mut parks = 0;
        for round in 0..20_u64 {
            while counter(&store, "owner_parks") <= parks {
                thread::yield_now();
            }
            parks = counter(&store, "owner_parks");
            assert_eq!(session.put(round, b"woken"), Ok(PutOutcome::Inserted));
        }
    }
}

#[test]
fn a_store_says_what_it_is_and_refuses_owners_it_cannot_use() {
    let config = Config::new(store::Config { partitions: 4, ..store::Config::new(1 << 20, 1000) });
    assert!((1..=4).contains(&config.owners), "{} owners of 4 partitions", config.owners);
    let store = MicaHandover::open(Config { owners: 3, ..config }).unwrap();
    let presence = store.presence();
    assert_eq!((presence.threads, presence.page_bytes, presence.servers), (3, 2 << 20, 0));
    let settings = store.settings();
    let setting = |name| settings.iter().find(|each| each.name == name).map(|each| &*each.value);
    assert_eq!(setting("owners"), Some("3"));
    assert_eq!(setting("access-mode"), Some("erew"));
    for owners in [0, 5] {
        let refused = MicaHandover::open(Config { owners, ..config }).map(|_| ());
        let OpenError::BadSetting { setting, value, accepted } = refused.unwrap_err() else {
            panic!("a setting is refused")
        };
        assert_eq!((&*setting, value), ("owners", owners.to_string()));
        assert_eq!(accepted, "1 to 4, a partition each at least");
    }
}
