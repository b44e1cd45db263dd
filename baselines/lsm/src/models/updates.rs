//! Read-modify-writes beside puts (fault D3) and beside each other.

use loom::sync::Arc;
use loom::thread;

use super::{expect_fault, explore};
use crate::clock::Clock;
use crate::memtable::{Kind, Linked, Memtable};
use crate::printed::Printed;

/// Words of the fault.
const LOST: &str = "a write is lost";

struct World {
    clock: Clock,
    list: Memtable,
}

impl World {
    fn new(printed: Printed) -> Arc<Self> {
        let clock = Clock::new(0, 2, printed);
        (0..2).for_each(|slot| clock.use_slot(slot));
        Arc::new(Self { clock, list: Memtable::new(1024, 0, printed).unwrap() })
    }

    fn put(&self, slot: usize, value: u8) {
        let value = [value];
        let mut pending = self.list.reserve(b"k", Some(&value), Kind::of(Some(&value))).unwrap();
        loop {
            let linked = pending.link(self.clock.draw(slot));
            self.clock.retire(slot);
            if linked == Linked::Done {
                return;
            }
        }
    }

    /// Adds one.
    fn increment(&self, slot: usize) {
        loop {
            let base = self.list.get(b"k", u64::MAX);
            let mut value = [0];
            if let Some(base) = &base {
                base.copy_value(&mut value);
            }
            value[0] += 1;
            let kind = Kind { is_read_modify_write: true, ..Kind::of(Some(&value)) };
            let mut pending = self.list.reserve(b"k", Some(&value), kind).unwrap();
            let base = base.map(|base| base.timestamp());
            let linked = pending.link_newest(self.clock.draw(slot), base);
            self.clock.retire(slot);
            if linked == Linked::Done {
                return;
            }
        }
    }

    fn value(&self) -> u8 {
        let mut value = [0];
        if let Some(newest) = self.list.get(b"k", u64::MAX) {
            newest.copy_value(&mut value);
        }
        value[0]
    }
}

fn put_and_increment(printed: Printed) {
    let world = World::new(printed);
    let putting = {
        let world = Arc::clone(&world);
        thread::spawn(move || world.put(0, 100))
    };
    world.increment(1);
    putting.join().unwrap();
    let value = world.value();
    assert!(value == 100 || value == 101, "{LOST}: {value}");
}

#[test]
fn as_printed_a_put_disappears_below_an_update() {
    let printed = Printed { unguarded: true, ..Printed::default() };
    expect_fault(LOST, 2, move || put_and_increment(printed));
}

#[test]
fn a_put_beside_an_update_is_not_lost() {
    explore(3, || put_and_increment(Printed::default()));
}

#[test]
fn updates_beside_each_other_are_not_lost() {
    explore(3, || {
        let world = World::new(Printed::default());
        let other = {
            let world = Arc::clone(&world);
            thread::spawn(move || world.increment(0))
        };
        world.increment(1);
        other.join().unwrap();
        assert_eq!(world.value(), 2, "{LOST}");
    });
}
