//! Converts records, which name addresses, to allocations, which name objects.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

use workloads::trace::{Allocation, AllocationKind};

use super::error::CaptureError;
use super::raw::Records;
use super::record::{Kind, Record};

/// No machine has larger objects: the size of the address space.
const BYTES_MAX: u64 = 1 << 56;
/// The largest alignment that an [`Allocation`] can represent.
const ALIGNMENT_MAX: u64 = 1 << 31;

/// Statistics of a conversion, as far as the recording has been read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Converted {
    /// Allocations, reallocations and frees together.
    pub events: u64,
    /// Threads with events.
    pub threads: u32,
    /// Objects that were allocated.
    pub objects: u64,
    /// Objects that were never freed.
    pub live_objects_end: u64,
    /// Their bytes, as requested.
    pub live_bytes_end: u64,
    /// Most bytes live at a time.
    pub live_bytes_max: u64,
    /// Records that were begun and not completed: the process ended in between.
    pub incomplete_records: u64,
    /// Events after recording had stopped for lack of space.
    pub lost_events: u64,
    /// Frees, and reallocations that move, of objects that were not recorded: inherited from the process
    /// of which this one is a copy, or allocated before recording began. They are not emitted.
    pub foreign_frees: u64,
    /// Objects whose free is missing from the recording although another object has their address. Their
    /// frees are emitted.
    pub implied_frees: u64,
}

#[derive(Clone, Copy, Debug)]
struct Object {
    number: u64,
    bytes: u64,
}

/// State of a thread between the two records of a reallocation.
#[derive(Clone, Copy, Debug)]
enum Reallocation {
    Of { object: Object, address: u64 },
    Foreign,
}

/// The events of a recording. The iterator ends after an error.
#[derive(Debug)]
pub struct Allocations {
    records: Records,
    at_end: bool,
    /// Events of the records read so far, not yet returned.
    queue: VecDeque<Allocation>,
    /// Live objects by address.
    live: HashMap<u64, Object>,
    /// Reallocations in progress, by the recorder's thread number.
    reallocations: HashMap<u32, Reallocation>,
    /// The trace's thread numbers, by the recorder's.
    threads: HashMap<u32, u32>,
    live_bytes: u64,
    converted: Converted,
}

impl Allocations {
    pub(super) fn of(records: Records, lost_events: u64) -> Self {
        let incomplete_records = records.unwritten;
        Self {
            records,
            at_end: false,
            queue: VecDeque::new(),
            live: HashMap::new(),
            reallocations: HashMap::new(),
            threads: HashMap::new(),
            live_bytes: 0,
            converted: Converted { lost_events, incomplete_records, ..Converted::default() },
        }
    }

    /// Statistics of what was read so far; of the whole recording once the iterator has ended.
    #[must_use]
    pub fn converted(&self) -> Converted {
        let reallocated = self.reallocations.values();
        let between = reallocated.filter(|one| matches!(one, Reallocation::Of { .. })).count();
        Converted {
            live_objects_end: (self.live.len() + between) as u64,
            live_bytes_end: self.live_bytes,
            ..self.converted
        }
    }

    fn take_in(&mut self, record: Record) -> Result<(), CaptureError> {
        let Record { kind, thread, address, bytes, alignment } = record;
        if thread == 0 {
            return Err(self.records.damaged("no thread has the number 0".to_owned()));
        }
        if address == 0 && kind != Kind::ReallocateEnd {
            return Err(self.records.damaged("no object is at address 0".to_owned()));
        }
        if address != 0 && bytes > BYTES_MAX {
            return Err(self.records.damaged(format!("no object has {bytes} bytes")));
        }
        let reallocation = self.reallocations.remove(&thread);
        if kind == Kind::ReallocateEnd {
            return match reallocation {
                Some(Reallocation::Of { object, address: old_address }) => {
                    self.end_reallocation(thread, object, old_address, address, bytes)
                }
                Some(Reallocation::Foreign) => {
                    self.converted.foreign_frees += u64::from(address != 0 || bytes == 0);
                    self.allocate_unless_failed(thread, address, bytes)
                }
                // Its begin record is lost. If the object did not move, it is known.
                None => match self.live.remove(&address) {
                    Some(object) => self.end_reallocation(thread, object, address, address, bytes),
                    None => self.allocate_unless_failed(thread, address, bytes),
                },
            };
        }
        if let Some(Reallocation::Of { object, .. }) = reallocation {
            // Its end record is lost, and with it the object's address.
            self.imply_free(thread, object);
        }
        match kind {
            Kind::Allocate => return self.allocate(thread, address, bytes, alignment),
            Kind::Free => self.free(thread, address),
            Kind::ReallocateBegin | Kind::ReallocateEnd => self.begin_reallocation(thread, address),
        }
        Ok(())
    }

    /// Handles the result of reallocating an unknown object.
    fn allocate_unless_failed(
        &mut self,
        thread: u32,
        address: u64,
        bytes: u64,
    ) -> Result<(), CaptureError> {
        if address == 0 { Ok(()) } else { self.allocate(thread, address, bytes, 0) }
    }

    fn allocate(
        &mut self,
        thread: u32,
        address: u64,
        bytes: u64,
        alignment: u64,
    ) -> Result<(), CaptureError> {
        let object = Object { number: self.converted.objects, bytes };
        self.put(thread, address, object);
        self.converted.objects += 1;
        self.grow(bytes)?;
        let alignment = match alignment.min(ALIGNMENT_MAX) {
            0 => 0,
            asked => asked.next_power_of_two() as u32,
        };
        self.emit(thread, object, AllocationKind::Allocate { bytes, alignment });
        Ok(())
    }

    fn free(&mut self, thread: u32, address: u64) {
        match self.live.remove(&address) {
            Some(object) => {
                self.live_bytes -= object.bytes;
                self.emit(thread, object, AllocationKind::Free);
            }
            None => self.converted.foreign_frees += 1,
        }
    }

    fn begin_reallocation(&mut self, thread: u32, address: u64) {
        let reallocation = match self.live.remove(&address) {
            Some(object) => Reallocation::Of { object, address },
            None => Reallocation::Foreign,
        };
        self.reallocations.insert(thread, reallocation);
    }

    fn end_reallocation(
        &mut self,
        thread: u32,
        object: Object,
        old_address: u64,
        address: u64,
        bytes: u64,
    ) -> Result<(), CaptureError> {
        match (address, bytes) {
            (0, 0) => {
                self.live_bytes -= object.bytes;
                self.emit(thread, object, AllocationKind::Free);
            }
            // Out of memory: the object is unchanged.
            (0, _) => self.put(thread, old_address, object),
            _ => {
                self.live_bytes -= object.bytes;
                let object = Object { bytes, ..object };
                self.put(thread, address, object);
                self.grow(bytes)?;
                self.emit(thread, object, AllocationKind::Reallocate { bytes });
            }
        }
        Ok(())
    }

    /// Inserts `object` at an address that no other object can have.
    fn put(&mut self, thread: u32, address: u64, object: Object) {
        match self.live.entry(address) {
            Entry::Vacant(place) => {
                place.insert(object);
            }
            Entry::Occupied(mut place) => {
                let lost = place.insert(object);
                self.imply_free(thread, lost);
            }
        }
    }

    fn imply_free(&mut self, thread: u32, object: Object) {
        self.converted.implied_frees += 1;
        self.live_bytes -= object.bytes;
        self.emit(thread, object, AllocationKind::Free);
    }

    fn grow(&mut self, bytes: u64) -> Result<(), CaptureError> {
        self.live_bytes = self.live_bytes.checked_add(bytes).ok_or_else(|| {
            self.records.damaged(format!("{bytes} bytes more are more than there are addresses"))
        })?;
        self.converted.live_bytes_max = self.converted.live_bytes_max.max(self.live_bytes);
        Ok(())
    }

    fn emit(&mut self, thread: u32, object: Object, kind: AllocationKind) {
        let next = self.converted.threads;
        let thread = *self.threads.entry(thread).or_insert(next);
        self.converted.threads += u32::from(thread == next);
        self.converted.events += 1;
        self.queue.push_back(Allocation { thread, object: object.number, kind });
    }
}

impl Iterator for Allocations {
    type Item = Result<Allocation, CaptureError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.queue.is_empty() && !self.at_end {
            let taken_in = match self.records.next() {
                Ok(Some(Some(record))) => self.take_in(record),
                Ok(Some(None)) => {
                    self.converted.incomplete_records += 1;
                    Ok(())
                }
                Ok(None) => {
                    self.at_end = true;
                    Ok(())
                }
                Err(error) => Err(error),
            };
            if let Err(error) = taken_in {
                self.at_end = true;
                self.queue.clear();
                return Some(Err(error));
            }
        }
        self.queue.pop_front().map(Ok)
    }
}
