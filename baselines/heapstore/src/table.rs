//! An open-addressing hash table of objects: linear probing, no tombstones, growth by doubling.
//!
//! Invariants: an object with key `k` lies at or after slot `home(k)`, with no empty slot in
//! between (a delete shifts the followers back); at most three quarters of the slots are used, so
//! every search ends.

use std::io;

use engine::Heap;

use crate::raw::{Object, ObjectView, Slots};

/// Slots of a new table: one page.
const SLOTS_MIN: usize = 256;

/// A map from keys to objects, which it owns.
#[derive(Debug)]
pub(crate) struct Table {
    slots: Slots,
    objects: usize,
    heap: &'static dyn Heap,
}

impl Table {
    pub(crate) fn new(heap: &'static dyn Heap) -> io::Result<Self> {
        let slots = Slots::new(heap, SLOTS_MIN)?;
        debug_assert!(slots.count().is_power_of_two());
        Ok(Self { slots, objects: 0, heap })
    }

    pub(crate) fn objects(&self) -> usize {
        self.objects
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.bytes()
    }

    pub(crate) fn get(&self, key: u64) -> Option<ObjectView<'_>> {
        self.slots.object(self.find(key).ok()?)
    }

    /// Makes room for one more object; `false` if the system refuses memory.
    pub(crate) fn reserve(&mut self) -> bool {
        if self.objects < self.slots.count() / 4 * 3 {
            return true;
        }
        let Ok(mut slots) = Slots::new(self.heap, 2 * self.slots.count()) else { return false };
        for index in 0..self.slots.count() {
            if let Some(object) = self.slots.take(index) {
                let free = search(&slots, object.key()).expect_err("keys are distinct");
                slots.replace(free, object);
            }
        }
        self.slots = slots;
        true
    }

    /// Stores an object under its key and returns the old one. [`reserve`](Self::reserve) must have
    /// made room.
    pub(crate) fn insert(&mut self, object: Object) -> Option<Object> {
        match self.find(object.key()) {
            Ok(index) => self.slots.replace(index, object),
            Err(free) => {
                self.objects += 1;
                assert!(self.objects < self.slots.count(), "room was reserved");
                self.slots.replace(free, object)
            }
        }
    }

    pub(crate) fn remove(&mut self, key: u64) -> Option<Object> {
        let mut hole = self.find(key).ok()?;
        let removed = self.slots.take(hole);
        self.objects -= 1;
        let mask = self.slots.count() - 1;
        let mut follower = hole;
        loop {
            follower = (follower + 1) & mask;
            let Some(key) = self.slots.key(follower) else { return removed };
            // It may fill the hole unless its home lies after the hole, cyclically.
            let distance = |from: usize| follower.wrapping_sub(from) & mask;
            if distance(home(key, mask)) >= distance(hole) {
                self.slots.shift(follower, hole);
                hole = follower;
            }
        }
    }

    /// Every object, with the bytes the heap provides for it, if it tells.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (ObjectView<'_>, Option<usize>)> {
        (0..self.slots.count()).filter_map(|index| {
            self.slots.object(index).map(|object| (object, self.slots.usable_bytes(index)))
        })
    }

    /// Checks the invariants.
    pub(crate) fn check(&self) -> Result<(), String> {
        let mut objects = 0;
        for index in 0..self.slots.count() {
            let Some(key) = self.slots.key(index) else { continue };
            objects += 1;
            let found = self.slots.object(index).map(ObjectView::key);
            if found != Some(key) {
                return Err(format!("slot {index} has key {key:#x}, its object {found:x?}"));
            }
            if self.find(key) != Ok(index) {
                return Err(format!("key {key:#x} in slot {index} is not found"));
            }
        }
        if objects != self.objects {
            return Err(format!("{objects} objects in a table that counts {}", self.objects));
        }
        if objects > self.slots.count() / 4 * 3 {
            return Err(format!("{objects} objects crowd {} slots", self.slots.count()));
        }
        Ok(())
    }

    fn find(&self, key: u64) -> Result<usize, usize> {
        search(&self.slots, key)
    }
}

/// The slot of a key, or the empty slot where it belongs.
fn search(slots: &Slots, key: u64) -> Result<usize, usize> {
    let mask = slots.count() - 1;
    let mut index = home(key, mask);
    loop {
        match slots.key(index) {
            None => return Err(index),
            Some(found) if found == key => return Ok(index),
            Some(_) => index = (index + 1) & mask,
        }
    }
}

fn home(key: u64, mask: usize) -> usize {
    mix(key) as usize & mask
}

/// Folds the 128-bit product of key and a constant: tables use the low bits, shards the high.
pub(crate) fn mix(key: u64) -> u64 {
    let product = u128::from(key ^ 0x9e37_79b9_7f4a_7c15) * u128::from(0xd6e8_feb8_6659_fd93_u64);
    (product as u64) ^ (product >> 64) as u64
}
