//! Snapshots beside writes (faults D1 and D2): what a snapshot reads at first, it reads again when
//! all writes are done.

use loom::sync::Arc;
use loom::thread;

use super::{expect_fault, explore};
use crate::clock::Clock;
use crate::exclusion::Exclusion;
use crate::memtable::{Kind, Linked, Memtable};
use crate::printed::Printed;

/// Words of the fault.
const CHANGES: &str = "a snapshot changes";

struct World {
    clock: Clock,
    list: Memtable,
}

impl World {
    fn new(printed: Printed, slots: usize) -> Arc<Self> {
        let clock = Clock::new(0, slots, printed);
        (0..slots).for_each(|slot| clock.use_slot(slot));
        Arc::new(Self { clock, list: Memtable::new(512, 0, printed).unwrap() })
    }

    fn put(&self, slot: usize, key: &[u8]) {
        let mut pending = self.list.reserve(key, None, Kind::default()).expect("room");
        while pending.link(self.clock.draw(slot)) != Linked::Done {
            self.clock.retire(slot);
        }
        self.clock.retire(slot);
    }

    /// What a snapshot reads: the times of both keys.
    fn read(&self, time: u64) -> [Option<u64>; 2] {
        [b"a", b"b"].map(|key| self.list.get(key, time).map(|version| version.timestamp()))
    }
}

/// One write and one snapshot.
fn one_write(printed: Printed, is_linearizable: bool) {
    let world = World::new(printed, 1);
    let writing = {
        let world = Arc::clone(&world);
        thread::spawn(move || world.put(0, b"a"))
    };
    let time = world.clock.snapshot(is_linearizable);
    let first = world.read(time);
    writing.join().unwrap();
    assert_eq!(world.read(time), first, "{CHANGES}");
}

/// Two snapshots: one thread writes, another takes a snapshot of its own.
fn two_snapshots(printed: Printed, is_linearizable: bool) {
    let world = World::new(printed, 1);
    let spawn = |work: fn(&World, bool)| {
        let world = Arc::clone(&world);
        thread::spawn(move || work(&world, is_linearizable))
    };
    let writing = spawn(|world, _| {
        world.put(0, b"a");
        world.put(0, b"b");
    });
    let other = spawn(|world, is_linearizable| _ = world.clock.snapshot(is_linearizable));
    let time = world.clock.snapshot(is_linearizable);
    let first = world.read(time);
    writing.join().unwrap();
    other.join().unwrap();
    assert_eq!(world.read(time), first, "{CHANGES}");
}

#[test]
fn as_printed_a_snapshot_does_not_wait_for_its_own_time() {
    let printed = Printed { waits_below: true, ..Printed::default() };
    expect_fault(CHANGES, 3, move || one_write(printed, true));
}

#[test]
fn as_printed_a_snapshot_reads_its_time_late() {
    let printed = Printed { reads_late: true, ..Printed::default() };
    expect_fault(CHANGES, 3, move || two_snapshots(printed, true));
}

#[test]
fn a_snapshot_stays_as_it_is_beside_a_write() {
    for is_linearizable in [false, true] {
        explore(3, move || one_write(Printed::default(), is_linearizable));
    }
}

#[test]
fn a_snapshot_stays_as_it_is_beside_another() {
    explore(2, || two_snapshots(Printed::default(), true));
}

/// What a writer inserts under the shared lock, who excludes finds.
#[test]
fn who_excludes_sees_what_sharers_wrote() {
    explore(3, || {
        let world = World::new(Printed::default(), 1);
        let lock = Arc::new(Exclusion::new(1));
        lock.use_slot(0);
        let writing = {
            let (world, lock) = (Arc::clone(&world), Arc::clone(&lock));
            thread::spawn(move || {
                let _shared = lock.share(0);
                world.put(0, b"a");
            })
        };
        lock.exclude(|| {
            let found = world.read(u64::MAX)[0];
            assert_eq!(found, (world.clock.now() == 1).then_some(1), "a write is left behind");
            assert_eq!(world.clock.oldest(), None, "a write is active");
        });
        writing.join().unwrap();
    });
}
