//! Compiles the events of a trace to what its threads replay: compact, and in memory before the clock
//! starts.
//!
//! Objects get places, which are reused after a free, so the table of addresses is no longer than the
//! largest number of live objects. An event on a place that another thread touched last waits for that
//! thread's event. All others only follow the order of their own thread.

use workloads::trace::{Allocation, AllocationKind};

use super::Stop;
use super::free_places::FreePlaces;
use super::mapped::MappedSlice;
use super::place::Place;
use record::Allocations;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Allocate,
    Reallocate,
    Free,
}

/// One event as a thread replays it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(super) struct Event {
    /// Size requested, or that of the object to be freed.
    bytes: u64,
    pub(super) place: u32,
    /// How many events the place has seen before this one.
    pub(super) turn: u16,
    /// [`Action`] in the low bits; the top bit says whether another thread's event precedes it.
    what: u8,
    /// Binary logarithm of the alignment plus one; 0 for none. For reallocations and frees, that of the
    /// existing block.
    alignment: u8,
}

const _: () = assert!(size_of::<Event>() == 16);

const WAITS: u8 = 0x80;

impl Event {
    pub(super) fn action(self) -> Action {
        match self.what & !WAITS {
            0 => Action::Allocate,
            1 => Action::Reallocate,
            _ => Action::Free,
        }
    }

    pub(super) fn bytes(self) -> usize {
        self.bytes as usize
    }

    /// Whether the preceding event on its place is another thread's.
    pub(super) fn waits(self) -> bool {
        self.what & WAITS != 0
    }

    /// The alignment in bytes; 0 for none.
    pub(super) fn alignment(self) -> usize {
        (1_usize << self.alignment) >> 1
    }
}

/// An event count at which all threads pause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Position {
    /// Events of all threads before this position.
    pub(super) events: u64,
    /// The trace's live bytes there.
    pub(super) live_bytes: u64,
    /// The trace's live objects there.
    pub(super) live_objects: u64,
    /// Index at which each thread's events end.
    pub(super) ends: Vec<usize>,
}

/// A trace, ready to be replayed.
#[derive(Debug)]
pub(super) struct CompiledTrace {
    /// The events of all threads, thread by thread.
    events: MappedSlice<Event>,
    /// Index at which each thread's events begin.
    starts: Vec<usize>,
    pub(super) places: MappedSlice<Place>,
    /// Positions at which the replay pauses, in order.
    pub(super) positions: Vec<Position>,
}

impl CompiledTrace {
    /// Number of threads in the trace.
    pub(super) fn threads(&self) -> usize {
        self.starts.len()
    }

    /// The events of `thread` between two positions, counted from 0.
    pub(super) fn segment(&self, thread: usize, position: usize) -> &[Event] {
        let start = match position.checked_sub(1) {
            Some(before) => self.positions[before].ends[thread],
            None => self.starts[thread],
        };
        &self.events[start..self.positions[position].ends[thread]]
    }

    /// Compiles the events of `work`. Memory beyond the result is unmapped again.
    pub(super) fn compile(
        work: &Allocations,
        events: &mut impl Iterator<Item = Result<Allocation, String>>,
    ) -> Result<Self, Stop> {
        let mut compiler = Compiler::new(work).map_err(Stop::failed)?;
        for event in events {
            let event = event.map_err(Stop::failed)?;
            compiler.take(event).map_err(|reason| broken(work, &reason))?;
        }
        compiler.finish()
    }
}

fn broken(work: &Allocations, reason: &str) -> Stop {
    Stop::failed(format!("trace `{}` ({}): {reason}", work.trace, work.path))
}

/// An object's place during compilation.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Seen {
    bytes: u64,
    /// The thread of the last event here, plus one; 0 before the first.
    thread: u32,
    turn: u16,
    /// As in [`Event`].
    alignment: u8,
}

/// Events so far, live bytes and live objects.
type Moment = (u64, u64, u64);

struct Compiler<'a> {
    work: &'a Allocations,
    taken: usize,
    /// Events in the order of the trace.
    events: MappedSlice<Event>,
    threads: MappedSlice<u8>,
    /// The place of each object plus one; 0 if it is not live.
    places: MappedSlice<u32>,
    seen: MappedSlice<Seen>,
    free: FreePlaces,
    /// Number of places ever used.
    used: u32,
    live_bytes: u64,
    live_objects: u64,
    /// The moment with the most live bytes.
    peak: Moment,
    positions: Vec<Moment>,
}

impl<'a> Compiler<'a> {
    fn new(work: &'a Allocations) -> std::io::Result<Self> {
        let places = work.live_objects_max as usize;
        Ok(Self {
            work,
            taken: 0,
            events: MappedSlice::resident(work.events as usize)?,
            threads: MappedSlice::resident(work.events as usize)?,
            places: MappedSlice::resident(work.objects as usize)?,
            seen: MappedSlice::resident(places)?,
            free: FreePlaces::new(work.threads as usize, places)?,
            used: 0,
            live_bytes: 0,
            live_objects: 0,
            peak: (0, 0, 0),
            positions: Vec::with_capacity(work.samples as usize + 1),
        })
    }

    fn take(&mut self, event: Allocation) -> Result<(), String> {
        let Allocation { thread, object, kind } = event;
        let number = self.taken as u64;
        let fail = |what: String| Err(format!("event {number}: {what}"));
        if number == self.work.events {
            return fail("there are more than the cell says; capture or plan it again".to_owned());
        }
        if thread >= self.work.threads {
            return fail(format!("thread {thread} of {}", self.work.threads));
        }
        if object >= self.work.objects {
            return fail(format!("object {object} of {}", self.work.objects));
        }
        let held = self.places[object as usize].checked_sub(1);
        let (place, action, bytes) = match (kind, held) {
            (AllocationKind::Allocate { .. }, Some(_)) => {
                return fail(format!("object {object} is allocated twice"));
            }
            (_, None) if !matches!(kind, AllocationKind::Allocate { .. }) => {
                return fail(format!("object {object} is not live"));
            }
            (AllocationKind::Allocate { bytes, .. }, None) => {
                let Some(place) = self.place_for(thread) else {
                    let most = self.work.live_objects_max;
                    return fail(format!("more than {most} objects are live"));
                };
                self.places[object as usize] = place + 1;
                self.live_objects += 1;
                self.live_bytes += bytes;
                (place, Action::Allocate, bytes)
            }
            (AllocationKind::Reallocate { bytes }, Some(place)) => {
                self.live_bytes += bytes;
                self.live_bytes -= self.seen[place as usize].bytes;
                (place, Action::Reallocate, bytes)
            }
            (_, place) => {
                let place = place.expect("events on objects that are not live were refused");
                let bytes = self.seen[place as usize].bytes;
                self.places[object as usize] = 0;
                self.live_objects -= 1;
                self.live_bytes -= bytes;
                self.free.put(thread, place);
                (place, Action::Free, bytes)
            }
        };
        self.keep(thread, place, action, bytes, kind)?;
        if self.live_bytes > self.peak.1 {
            self.peak = (self.taken as u64, self.live_bytes, self.live_objects);
        }
        self.note_position();
        Ok(())
    }

    fn keep(
        &mut self,
        thread: u32,
        place: u32,
        action: Action,
        bytes: u64,
        kind: AllocationKind,
    ) -> Result<(), String> {
        let seen = &mut self.seen[place as usize];
        if let AllocationKind::Allocate { alignment, .. } = kind {
            seen.alignment = logarithm(alignment)
                .ok_or_else(|| format!("event {}: alignment {alignment}", self.taken))?;
        }
        let waits = seen.thread != 0 && seen.thread != thread + 1;
        self.events[self.taken] = Event {
            bytes,
            place,
            turn: seen.turn,
            what: action as u8 | if waits { WAITS } else { 0 },
            alignment: seen.alignment,
        };
        if action == Action::Reallocate {
            // As with `realloc`, the alignment requested once is forgotten.
            seen.alignment = 0;
        }
        seen.bytes = bytes;
        seen.thread = thread + 1;
        seen.turn = seen.turn.wrapping_add(1);
        self.threads[self.taken] = thread as u8;
        self.taken += 1;
        Ok(())
    }

    /// A free place, preferably one that `thread` freed.
    fn place_for(&mut self, thread: u32) -> Option<u32> {
        self.free.take(thread).or_else(|| {
            let fresh = self.used;
            (u64::from(fresh) < self.work.live_objects_max).then(|| self.used += 1)?;
            Some(fresh)
        })
    }

    /// Notes a position at the end of each equal part.
    fn note_position(&mut self) {
        let (taken, samples) = (self.taken as u64, u64::from(self.work.samples));
        let part = self.positions.len() as u64 + 1;
        if part <= samples && taken >= (self.work.events * part).div_ceil(samples) {
            self.positions.push((taken, self.live_bytes, self.live_objects));
        }
    }

    fn finish(mut self) -> Result<CompiledTrace, Stop> {
        let work = self.work;
        if self.taken as u64 != work.events || work.events == 0 {
            let reason = format!("{} events, and the cell says {}", self.taken, work.events);
            return Err(broken(work, &reason));
        }
        // The allocator is also observed where the program needed the most memory.
        if let Err(place) = self.positions.binary_search_by_key(&self.peak.0, |found| found.0)
            && self.peak.0 > 0
        {
            self.positions.insert(place, self.peak);
        }
        let places = MappedSlice::resident(work.live_objects_max as usize).map_err(Stop::failed)?;
        let threads = work.threads as usize;
        let mut starts = vec![0; threads];
        for &thread in self.threads.iter() {
            starts[thread as usize] += 1;
        }
        let mut total = 0;
        for start in &mut starts {
            total += std::mem::replace(start, total);
        }
        let (events, positions) = self.deal(&starts).map_err(Stop::failed)?;
        Ok(CompiledTrace { events, starts, places, positions })
    }

    /// Gives each thread its events, in order.
    fn deal(self, starts: &[usize]) -> std::io::Result<(MappedSlice<Event>, Vec<Position>)> {
        let mut ends = starts.to_vec();
        let mut dealt = match starts.len() {
            1 => None,
            _ => Some(MappedSlice::<Event>::resident(self.events.len())?),
        };
        let mut positions = Vec::with_capacity(self.positions.len());
        let mut next = 0;
        for (events, live_bytes, live_objects) in self.positions {
            for place in next..events as usize {
                let end = &mut ends[self.threads[place] as usize];
                if let Some(dealt) = &mut dealt {
                    dealt[*end] = self.events[place];
                }
                *end += 1;
            }
            next = events as usize;
            positions.push(Position { events, live_bytes, live_objects, ends: ends.clone() });
        }
        Ok((dealt.unwrap_or(self.events), positions))
    }
}

/// Binary logarithm of a power of two, plus one; 0 for 0; `None` for anything else.
fn logarithm(alignment: u32) -> Option<u8> {
    match alignment {
        0 => Some(0),
        _ => alignment.is_power_of_two().then(|| alignment.trailing_zeros() as u8 + 1),
    }
}
