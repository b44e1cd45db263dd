//! An open-addressing hash table of objects: linear probing, no tombstones, growth by doubling.
//!
//! Invariants: an object with key `k` lies at or after slot `home(k)`, with no empty slot in
//! between (a delete shifts the followers back); at most three quarters of the slots are used, so
//! every search ends.

use std::io;

use engine::Heap;

use crate::layout::Layout;
use crate::raw::{Object, ObjectView, Slots};

/// Slots of a new table: one page.
const SLOTS_MIN: usize = 256;

/// A map from keys to objects, which it owns.
#[derive(Debug)]
pub(crate) struct Table<K: Layout> {
    slots: Slots<K>,
    objects: usize,
    heap: &'static dyn Heap,
}

impl<K: Layout> Table<K> {
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

    pub(crate) fn get(&self, key: K::Asked<'_>) -> Option<ObjectView<'_, K>> {
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
    pub(crate) fn insert(&mut self, object: Object<K>) -> Option<Object<K>> {
        match self.find(object.key()) {
            Ok(index) => self.slots.replace(index, object),
            Err(free) => {
                self.objects += 1;
                assert!(self.objects < self.slots.count(), "room was reserved");
                self.slots.replace(free, object)
            }
        }
    }

    pub(crate) fn remove(&mut self, key: K::Asked<'_>) -> Option<Object<K>> {
        let mut hole = self.find(key).ok()?;
        let removed = self.slots.take(hole);
        self.objects -= 1;
        let mask = self.slots.count() - 1;
        let mut follower = hole;
        loop {
            follower = (follower + 1) & mask;
            let Some(word) = self.slots.word(follower) else { return removed };
            // It may fill the hole unless its home lies after the hole, cyclically.
            let distance = |from: usize| follower.wrapping_sub(from) & mask;
            if distance(home::<K>(word, mask)) >= distance(hole) {
                self.slots.shift(follower, hole);
                hole = follower;
            }
        }
    }

    /// Every object, with the bytes the heap provides for it, if it tells.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (ObjectView<'_, K>, Option<usize>)> {
        (0..self.slots.count()).filter_map(|index| {
            self.slots.object(index).map(|object| (object, self.slots.usable_bytes(index)))
        })
    }

    /// Checks the invariants.
    pub(crate) fn check(&self) -> Result<(), String> {
        let mut objects = 0;
        for index in 0..self.slots.count() {
            let Some(object) = self.slots.object(index) else { continue };
            objects += 1;
            let (key, word) = (object.key(), self.slots.word(index));
            if word != Some(K::slot_of(key)) {
                return Err(format!("slot {index} has word {word:x?}, its object key {key:x?}"));
            }
            if self.find(key) != Ok(index) {
                return Err(format!("key {key:x?} in slot {index} is not found"));
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

    fn find(&self, key: K::Asked<'_>) -> Result<usize, usize> {
        search(&self.slots, key)
    }
}

/// The slot of a key, or the empty slot where it belongs.
fn search<K: Layout>(slots: &Slots<K>, key: K::Asked<'_>) -> Result<usize, usize> {
    let mask = slots.count() - 1;
    let word = K::slot_of(key);
    let mut index = home::<K>(word, mask);
    loop {
        match slots.word(index) {
            None => return Err(index),
            Some(found) if found == word && (K::SLOT_IS_KEY || holds(slots, index, key)) => {
                return Ok(index);
            }
            Some(_) => index = (index + 1) & mask,
        }
    }
}

/// Whether the object of a slot has this key.
fn holds<K: Layout>(slots: &Slots<K>, index: usize, key: K::Asked<'_>) -> bool {
    let Some(object) = slots.object(index) else { return false };
    let found = object.key();
    K::compared(&found) == K::compared(&key)
}

fn home<K: Layout>(word: u64, mask: usize) -> usize {
    K::home_of(word) as usize & mask
}
