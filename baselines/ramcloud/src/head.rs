//! The log's head: the one place where sessions append, behind one lock.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::entry::{TOMBSTONE_BYTES, Tombstone, object_bytes};
use crate::log::{Log, Reference};
use crate::writer::Writer;

/// The append lock and what it guards, on cache lines that readers do not touch.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Head(Mutex<Contents>);

#[derive(Debug)]
struct Contents {
    writer: Writer,
    /// The last seglet was taken for tombstones out of the reserve below the puts' floor, so a put
    /// must not fill it.
    for_tombstones: bool,
    figures: Figures,
}

/// Counters of what went through the head.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figures {
    /// Bytes appended: the log's time.
    pub(crate) appended_bytes: u64,
    pub(crate) live_objects: u64,
    pub(crate) live_value_bytes: u64,
    /// Size of the live objects, headers included.
    pub(crate) live_object_bytes: u64,
    pub(crate) tombstones_written: u64,
    /// Size of the largest object so far.
    pub(crate) largest_object_bytes: usize,
    /// Objects deleted without a tombstone, because there was no room even for that.
    pub(crate) tombstones_omitted: u64,
}

/// An object that an operation replaces or deletes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dead {
    pub(crate) key: u64,
    pub(crate) version: u64,
    pub(crate) value_bytes: usize,
    /// The segment that contains it.
    pub(crate) segment: u64,
}

impl Figures {
    fn add_object(&mut self, value_bytes: usize) {
        let bytes = object_bytes(value_bytes);
        self.live_objects += 1;
        self.live_value_bytes += value_bytes as u64;
        self.live_object_bytes += bytes as u64;
        self.largest_object_bytes = self.largest_object_bytes.max(bytes);
    }

    fn remove_object(&mut self, value_bytes: usize) {
        self.live_objects -= 1;
        self.live_value_bytes -= value_bytes as u64;
        self.live_object_bytes -= object_bytes(value_bytes) as u64;
    }
}

impl Contents {
    /// The time of the next entry.
    fn tick(&mut self, bytes: usize) -> u64 {
        self.figures.appended_bytes += bytes as u64;
        self.figures.appended_bytes
    }

    fn bury(&mut self, log: &Log, dead: &Dead) {
        let Dead { key, version, value_bytes, segment } = *dead;
        let written = self.tick(TOMBSTONE_BYTES);
        self.writer.tombstone(log, &Tombstone { key, version, segment, written });
        self.figures.tombstones_written += 1;
        self.figures.remove_object(value_bytes);
    }
}

impl Head {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Contents {
            writer: Writer::new(),
            for_tombstones: false,
            figures: Figures::default(),
        }))
    }

    /// Appends an object and the tombstone of the one it replaces, both or neither; leaves `floor`
    /// seglets in the pool.
    #[inline]
    pub(crate) fn append_object(
        &self,
        log: &Log,
        key: u64,
        value: &[u8],
        dead: Option<&Dead>,
        floor: usize,
    ) -> Option<Reference> {
        let bytes = object_bytes(value.len());
        let sizes = [bytes, TOMBSTONE_BYTES];
        let sizes = if dead.is_some() { &sizes[..] } else { &sizes[..1] };
        let mut head = self.lock();
        if head.for_tombstones {
            if log.seglets.free() < floor {
                return None;
            }
            head.for_tombstones = false;
        }
        if !head.writer.reserve(log, sizes, floor) {
            return None;
        }
        let version = head.tick(bytes);
        let reference = head.writer.object(log, key, version, value);
        head.figures.add_object(value.len());
        if let Some(dead) = dead {
            head.bury(log, dead);
        }
        Some(reference)
    }

    /// Appends a tombstone; leaves `floor` seglets in the pool. (A put leaves `put_floor`.)
    pub(crate) fn append_tombstone(
        &self,
        log: &Log,
        dead: &Dead,
        floor: usize,
        put_floor: usize,
    ) -> bool {
        let mut head = self.lock();
        let spare_bytes = head.writer.spare_bytes(log);
        if !head.writer.reserve(log, &[TOMBSTONE_BYTES], floor) {
            return false;
        }
        let took = head.writer.spare_bytes(log) > spare_bytes;
        head.for_tombstones |= took && log.seglets.free() < put_floor;
        head.bury(log, dead);
        true
    }

    /// Counts an object as deleted without a tombstone.
    pub(crate) fn omit_tombstone(&self, value_bytes: usize) {
        let mut head = self.lock();
        head.figures.tombstones_omitted += 1;
        head.figures.remove_object(value_bytes);
    }

    /// Seals the open segment, so that it can be cleaned.
    pub(crate) fn seal(&self, log: &Log) {
        let mut head = self.lock();
        head.writer.seal(log);
    }

    /// Publishes the open segment's counters, for threads that walk the log.
    pub(crate) fn publish(&self, log: &Log) {
        self.lock().writer.publish(log);
    }

    pub(crate) fn figures(&self) -> Figures {
        self.lock().figures
    }

    /// Unwritten bytes in the open segment's seglets.
    pub(crate) fn spare_bytes(&self, log: &Log) -> usize {
        self.lock().writer.spare_bytes(log)
    }

    fn lock(&self) -> MutexGuard<'_, Contents> {
        // Poisoned only by a violated invariant, which has panicked already; what is referenced
        // stays readable.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
