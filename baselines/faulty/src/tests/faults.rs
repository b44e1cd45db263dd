//! Each fault happens when it is due and not before. Those that end or stop a process happen to
//! a copy of this test program.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

use baseline_faulty::{Config, Fault, Faulty, faulty_heap, plant_in_heap};
use engine::{Heap, KvEngine, KvSession, PutOutcome, Write, conformance};
use kit::testing::{Alone, counter};

const AFTER: u64 = 500;

fn planted(fault: Fault) -> Faulty {
    Faulty::open(Config { fault, after_puts: AFTER, leak_kib: 64, stall_ms: 1 })
}

fn put(store: &Faulty, keys: std::ops::Range<u64>) {
    let mut session = store.session().unwrap();
    for key in keys {
        assert_eq!(session.put(key, &key.to_le_bytes()), Ok(PutOutcome::Inserted));
    }
}

/// 100 bytes that differ with the key in front, and with the version everywhere behind.
fn versioned(key: u64, version: u8) -> Vec<u8> {
    let mut value = vec![version; 100];
    value[..8].copy_from_slice(&key.to_le_bytes());
    value
}

/// Puts a version of each key and tells how many were there.
fn put_version(store: &Faulty, keys: std::ops::Range<u64>, version: u8) -> usize {
    let mut session = store.session().unwrap();
    let mut put = |key| session.put(key, &versioned(key, version)).unwrap();
    keys.filter(|&key| put(key) == PutOutcome::Updated).count()
}

fn read(session: &mut impl KvSession, key: u64) -> Option<Vec<u8>> {
    let mut buffer = vec![0; 1000];
    let value_bytes = session.get(key, &mut buffer).unwrap()?;
    buffer.truncate(value_bytes);
    Some(buffer)
}

fn committed(store: &Faulty) -> u64 {
    counter(store, "faults_committed")
}

/// Keys below `keys` that are absent, and that are wrong.
fn damage(store: &Faulty, keys: u64) -> (u64, u64) {
    let mut session = store.session().unwrap();
    let (mut absent, mut wrong) = (0, 0);
    for key in 0..keys {
        let mut buffer = [0; 8];
        match session.get(key, &mut buffer) {
            Ok(None) => absent += 1,
            Ok(Some(8)) if buffer == key.to_le_bytes() => {}
            _ => wrong += 1,
        }
    }
    (absent, wrong)
}

#[test]
fn names_are_read_back_and_others_refused() {
    for fault in Fault::ALL {
        assert_eq!(fault.name().parse(), Ok(fault));
    }
    assert!("sulk".parse::<Fault>().is_err());
}

#[test]
fn lies_and_losses_begin_when_due() {
    for fault in Fault::ALL {
        let store = planted(fault);
        put(&store, 0..AFTER);
        assert_eq!(damage(&store, AFTER), (0, 0), "{fault} before it is due");
        assert_eq!(store.memory().live_objects, AFTER);
        // The get after the last of the puts may stall.
        assert_eq!(committed(&store), u64::from(fault == Fault::Stall), "{fault}");
    }
    let liar = planted(Fault::Lie);
    put(&liar, 0..1000);
    assert_eq!((damage(&liar, 1000), committed(&liar)), ((0, 10), 10));
    let loser = planted(Fault::Lose);
    put(&loser, 0..1000);
    assert_eq!((damage(&loser, 1000), committed(&loser)), ((5, 0), 5));
}

#[test]
fn a_stall_holds_up_one_operation_of_any_kind_and_no_other() {
    const FOREVER_MS: u64 = 24 * 3600 * 1000;
    type Act = fn(&mut baseline_faulty::FaultySession<'_>);
    let acts: [Act; 3] = [
        |session| _ = session.get(7, &mut [0; 8]),
        |session| _ = session.put(u64::MAX, b"late"),
        |session| _ = session.delete(u64::MAX),
    ];
    for act in acts {
        // Its thread ends with the program.
        let config =
            Config { fault: Fault::Stall, after_puts: AFTER, leak_kib: 0, stall_ms: FOREVER_MS };
        let store: &Faulty = Box::leak(Box::new(Faulty::open(config)));
        put(store, 0..AFTER);
        assert_eq!(committed(store), 0);
        let stalled = thread::spawn(move || act(&mut store.session().unwrap()));
        while committed(store) == 0 {
            thread::sleep(Duration::from_millis(1));
        }
        put(store, AFTER..1000);
        assert_eq!(damage(store, 1000), (0, 0));
        assert!(store.session().unwrap().delete(7).was_present());
        assert_eq!(damage(store, 1000), (1, 0));
        assert!(!stalled.is_finished());
        assert_eq!(committed(store), 1);
    }
}

#[test]
fn a_stalled_operation_is_carried_out_in_the_end() {
    let store = planted(Fault::Stall);
    put(&store, 0..1000);
    assert_eq!((damage(&store, 1000), committed(&store)), ((0, 0), 1));
}

#[test]
fn every_hundredth_value_that_can_be_torn_is() {
    let store = planted(Fault::Tear);
    put_version(&store, 0..AFTER, 1);
    let mut session = store.session().unwrap();
    // Of 300 keys with two versions, 50 have values too short to be torn behind the header.
    assert_eq!(put_version(&store, 0..250, 2), 250);
    for key in 250..300 {
        session.put(key, &versioned(key, 2)[..24]).unwrap();
    }
    for _ in 0..2 {
        for key in 0..AFTER {
            let version = if key < 300 { 2 } else { 1 };
            let mut expected = versioned(key, version);
            if (250..300).contains(&key) {
                expected.truncate(24);
            }
            let found = read(&mut session, key).unwrap();
            if found != expected {
                assert!(key < 250, "key {key} has nothing to be torn");
                assert_eq!(found[..50], expected[..50], "the first half is the present one");
                assert_eq!(found[50..], versioned(key, 1)[50..], "the second the previous one");
            }
        }
    }
    assert_eq!(committed(&store), 5, "of 500 reads");
    let torn = (0..100).filter(|&key| read(&mut session, key) != Some(versioned(key, 2)));
    assert_eq!(torn.collect::<Vec<_>>(), [99]);
}

#[test]
fn the_last_key_of_every_hundredth_step_follows_with_the_next_step() {
    let store = planted(Fault::Part);
    put_version(&store, 0..AFTER, 1);
    let mut session = store.session().unwrap();
    let mut versions = |step: u8| {
        let values = [0, 1].map(|key| versioned(key, step));
        let writes = [0, 1].map(|key| Write::Put { key, value: &values[key as usize] });
        assert_eq!(session.write_in_one_step(&writes), Ok(Some(PutOutcome::Stored)));
        let mut shown = [0; 2];
        session.with_snapshot(&mut |snapshot| {
            for (key, shown) in (0..).zip(&mut shown) {
                let mut buffer = [0; 100];
                assert_eq!(snapshot.get(key, &mut buffer), Ok(Some(100)));
                *shown = buffer[99];
            }
        });
        shown
    };
    for step in 2..=250 {
        let late = if step - 1 == 100 || step - 1 == 200 { step - 1 } else { step };
        assert_eq!(versions(step), [step, late], "step {}", step - 1);
    }
    assert_eq!(committed(&store), 2);
}

#[test]
fn a_tear_ends_where_the_previous_value_does() {
    let store = planted(Fault::Tear);
    put(&store, 1..AFTER);
    let mut session = store.session().unwrap();
    session.put(0, &versioned(0, 1)[..60]).unwrap();
    session.put(0, &versioned(0, 2)).unwrap();
    let torn = (0..100).map(|_| read(&mut session, 0).unwrap()).last().unwrap();
    let [present, previous] = [versioned(0, 2), versioned(0, 1)];
    assert_eq!(torn, [&present[..50], &previous[50..60], &present[60..]].concat());
}

#[test]
fn every_hundredth_get_of_an_overwritten_key_is_stale_and_the_next_is_not() {
    let store = planted(Fault::Stale);
    put_version(&store, 0..AFTER, 1);
    assert_eq!(put_version(&store, 0..250, 2), 250);
    let mut session = store.session().unwrap();
    for key in 0..AFTER {
        let version = if key < 250 && key != 99 && key != 199 { 2 } else { 1 };
        assert_eq!(read(&mut session, key), Some(versioned(key, version)), "key {key}");
    }
    for key in [99, 199] {
        assert_eq!(read(&mut session, key), Some(versioned(key, 2)), "key {key} again");
    }
    assert_eq!(committed(&store), 2);
    // A new life has no past.
    for key in 0..250 {
        assert!(session.delete(key).was_present());
        assert_eq!(read(&mut session, key), None);
    }
    assert_eq!(put_version(&store, 0..250, 3), 0);
    assert!((0..250).all(|key| read(&mut session, key) == Some(versioned(key, 3))));
    assert_eq!(committed(&store), 2);
}

#[test]
fn every_hundredth_delete_is_undone_by_the_put_of_another_key() {
    let store = planted(Fault::Resurrect);
    put_version(&store, 0..1000, 1);
    let mut session = store.session().unwrap();
    assert!((0..350).all(|key| session.delete(key).was_present()));
    assert!((0..350).all(|key| read(&mut session, key).is_none()), "not before a put");
    assert!(!session.delete(99).was_present(), "an absent key is no chance");
    assert_eq!(committed(&store), 0);
    // 99, 199 and 299 would be back; one of them is put itself.
    assert_eq!(session.put(99, &versioned(99, 2)), Ok(PutOutcome::Inserted));
    for key in 0..1000 {
        let expected = match key {
            99 => Some(versioned(key, 2)),
            199 | 299 | 350.. => Some(versioned(key, 1)),
            _ => None,
        };
        assert_eq!(read(&mut session, key), expected, "key {key}");
    }
    assert_eq!(committed(&store), 2);
    session.put(5000, b"another").unwrap();
    assert_eq!(read(&mut session, 99), Some(versioned(99, 2)), "its delete is forgotten");
    assert_eq!(store.memory().live_objects, 654);
}

#[test]
fn every_hundredth_put_with_a_lifetime_has_none() {
    let store = planted(Fault::Outlive);
    put(&store, 0..AFTER);
    let mut session = store.session().unwrap();
    let brief = Duration::from_millis(1);
    for key in 0..250 {
        let put = session.put_for(key, &versioned(key, 2), brief);
        assert_eq!(put, Ok(Some(PutOutcome::Updated)));
    }
    thread::sleep(2 * brief);
    let found = (0..AFTER).filter(|&key| read(&mut session, key).is_some());
    let expected: Vec<u64> = [99, 199].into_iter().chain(250..AFTER).collect();
    assert_eq!(found.collect::<Vec<_>>(), expected);
    assert_eq!((committed(&store), store.memory().live_objects), (2, expected.len() as u64));
}

#[test]
fn conformance_passes_what_is_right_and_catches_what_is_not() {
    for test in conformance::tests::<Faulty>() {
        (test.run)(&|_| planted(Fault::None));
        (test.run)(&|_| planted(Fault::Stall));
    }
    let wrong = [Fault::Lie, Fault::Lose, Fault::Tear, Fault::Stale, Fault::Resurrect];
    for fault in wrong.into_iter().chain([Fault::Panic]) {
        let run = || conformance::agrees_with_a_reference_map(&|_| planted(fault));
        assert!(catch_unwind(run).is_err(), "{fault} passes");
    }
}

#[test]
fn a_panic_leaves_the_store_to_others() {
    let store = planted(Fault::Panic);
    put(&store, 0..AFTER);
    let one_more = AssertUnwindSafe(|| put(&store, AFTER..AFTER + 1));
    assert!(catch_unwind(one_more).is_err());
    assert_eq!(damage(&store, AFTER), (0, 0));
}

#[test]
fn the_heap_takes_only_its_own_faults_and_one_a_process() {
    let of_stores = [Fault::Lie, Fault::Lose, Fault::Stall, Fault::Tear, Fault::Stale];
    for fault in of_stores.into_iter().chain([Fault::Resurrect]) {
        assert!(plant_in_heap(fault, 0).is_err(), "{fault} is a fault of stores");
    }
    plant_in_heap(Fault::None, 7).unwrap();
    assert!(plant_in_heap(Fault::None, 7).is_ok());
    assert!(plant_in_heap(Fault::Leak, 7).is_err());
    let heap = faulty_heap();
    heap.open().unwrap();
    let blocks: Vec<_> =
        (0..100_usize).map(|bytes| (heap.allocate(bytes).unwrap(), bytes)).collect();
    for (block, bytes) in blocks {
        // SAFETY: allocated above.
        assert!(unsafe { heap.usable_bytes(block) } >= Some(bytes));
        // SAFETY: allocated above with this length.
        unsafe { heap.free(block, bytes) };
    }
}

#[test]
fn a_crash_ends_the_process() {
    for whose in ["store", "heap"] {
        let status = accomplice(&format!("{whose} crash")).wait().unwrap();
        assert!(!status.success() && status.code().is_none(), "{whose}: killed by a signal");
    }
}

#[test]
fn a_hang_never_returns() {
    for whose in ["store", "heap"] {
        let mut child = accomplice(&format!("{whose} hang"));
        thread::sleep(Duration::from_millis(700));
        assert!(child.try_wait().unwrap().is_none(), "{whose}: still there");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
fn a_leak_is_seen_by_the_kernel() {
    for whose in ["store", "heap"] {
        // It measures itself: here other tests come and go.
        let leaks = |deed| accomplice(&format!("{whose} {deed}")).wait().unwrap().success();
        assert!(leaks("leak"), "{whose}");
        assert!(!leaks("none"), "{whose}: the control leaks nothing and ends");
    }
}

#[test]
fn variants_plant_what_they_are_named_after() {
    for variant in faulty_heap().traits().variants {
        let deed = format!("variant {}", variant.name.replace("default", "none"));
        let mut child = command(&deed).envs(variant.environment.iter().copied()).spawn().unwrap();
        if variant.name == "hang" {
            thread::sleep(Duration::from_millis(700));
            assert!(child.try_wait().unwrap().is_none(), "still there");
            child.kill().unwrap();
        }
        let status = child.wait().unwrap();
        assert_eq!(status.success(), variant.name == "leak", "{}: {status}", variant.name);
    }
}

/// A copy of this program that commits a fault.
fn accomplice(deed: &str) -> Child {
    command(deed).spawn().unwrap()
}

fn command(deed: &str) -> Command {
    Alone::new(module_path!(), "commits_a_fault_when_told").told(deed)
}

/// Does nothing in the program that `cargo test` starts.
#[test]
fn commits_a_fault_when_told() {
    let Some(deed) = Alone::task() else { return };
    let (whose, fault) = deed.split_once(' ').unwrap();
    let fault = fault.parse().unwrap();
    let before = resident_kib();
    if whose == "store" {
        put(&planted(fault), 0..AFTER + 400);
    } else {
        let heap = faulty_heap();
        if whose == "heap" {
            plant_in_heap(fault, AFTER).unwrap();
        } else {
            heap.open().unwrap();
            let planted = heap.settings().into_iter().find(|setting| setting.name == "fault");
            assert_eq!(planted.unwrap().value, fault.name());
        }
        (0..2000).for_each(|_| touch(heap));
    }
    let leaked = resident_kib() - before;
    assert!(leaked > 20_000, "hundreds of operations that leak 64 KiB each left {leaked} KiB");
}

fn touch(heap: &dyn Heap) {
    let block = heap.allocate(100).unwrap();
    // SAFETY: the block has 100 bytes.
    unsafe { block.write_bytes(1, 100) };
    // SAFETY: allocated above with this length.
    unsafe { heap.free(block, 100) };
}

fn resident_kib() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
