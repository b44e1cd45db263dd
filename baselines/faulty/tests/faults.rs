//! Each fault happens when it is due and not before. Those that end or stop a process happen to
//! a copy of this test program.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use baseline_faulty::{Config, Fault, Faulty, faulty_heap, plant_in_heap};
use engine::{Heap, KvEngine, KvSession, PutOutcome, conformance};

const AFTER: u64 = 500;
/// Tells a copy of this program which fault to commit.
const VARIABLE: &str = "BASELINE_FAULTY_FAULT";

fn planted(fault: Fault) -> Faulty {
    Faulty::open(Config { fault, after_puts: AFTER, leak_kib: 64 })
}

fn put(store: &Faulty, keys: std::ops::Range<u64>) {
    let mut session = store.session().unwrap();
    for key in keys {
        assert_eq!(session.put(key, &key.to_le_bytes()), Ok(PutOutcome::Inserted));
    }
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
    }
    let liar = planted(Fault::Lie);
    put(&liar, 0..1000);
    assert_eq!(damage(&liar, 1000), (0, 10));
    let loser = planted(Fault::Lose);
    put(&loser, 0..1000);
    assert_eq!(damage(&loser, 1000), (5, 0));
}

#[test]
fn conformance_passes_the_control_and_catches_lies_and_losses() {
    for test in conformance::tests::<Faulty>() {
        (test.run)(&|_| planted(Fault::None));
    }
    for fault in [Fault::Lie, Fault::Lose, Fault::Panic] {
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
    assert!(plant_in_heap(Fault::Lie, 0).is_err());
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
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "commits_a_fault_when_told"]).env(VARIABLE, deed);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Does nothing in the program that `cargo test` starts.
#[test]
fn commits_a_fault_when_told() {
    let Ok(deed) = std::env::var(VARIABLE) else { return };
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
