//! Selects the segments to clean: those with the best cost-benefit, as many as the survivor reserve
//! of a pass allows.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use super::figures::CleanerFigures;
use super::pressure::Need;
use crate::entry::{Entry, TOMBSTONE_BYTES, UNDIVIDED_BYTES};
use crate::log::Log;
use crate::manager::ObjectManager;
use crate::segments::{Segment, SegmentId, State};

/// The most segments per pass, because their entries are kept in a list; wholly dead segments do
/// not count.
const SOURCES_MAX: usize = 10;
/// A segment whose live part is larger than this, in percent, is not worth cleaning.
const LIVE_PERCENT_MAX: u64 = 98;
/// How many segments to scan for dead tombstones before a selection that will probably succeed
/// anyway.
const SCANS: usize = 2;
/// A segment is scanned early if tombstones take at least one part in this many.
const SCAN_SHARE: u64 = 32;

/// The selection lock: one cleaner selects at a time.
#[derive(Debug)]
pub(crate) struct Selection(Mutex<Vec<Candidate>>);

#[derive(Clone, Copy, Debug)]
struct Candidate {
    slot: u32,
    seglets: usize,
    live_bytes: u64,
    /// `(1 - u) * age / u`; infinite for a wholly dead segment.
    score: f64,
}

impl Candidate {
    fn new(slot: u32, segment: &Segment, now: u64) -> Self {
        // Relaxed: the acquire of the state ordered the counters of a sealed segment.
        let seglets = segment.seglets.load(Ordering::Relaxed);
        let length = segment.length.load(Ordering::Relaxed) as u64;
        let live_bytes = live_bytes(segment);
        let age = now.saturating_sub(segment.written.load(Ordering::Relaxed)) + 1;
        let benefit = length.saturating_sub(live_bytes) as f64 * age as f64;
        let score = if live_bytes == 0 { f64::INFINITY } else { benefit / live_bytes as f64 };
        Self { slot, seglets, live_bytes, score }
    }
}

fn live_bytes(segment: &Segment) -> u64 {
    segment.live_object_bytes() + segment.live_tombstones() * TOMBSTONE_BYTES as u64
}

impl Selection {
    pub(crate) fn new() -> Self {
        Self(Mutex::default())
    }

    /// The segments to clean in one pass, now in the state `Cleaning`. Their survivors take fewer
    /// seglets than they do. Empty if nothing can be gained.
    pub(crate) fn select(&self, manager: &ObjectManager, need: Need) -> Vec<u32> {
        let mut candidates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        scan_tombstones(manager, SCANS);
        let mut chosen = choose_best(manager, need, &mut candidates);
        if chosen.is_empty() && scan_tombstones(manager, usize::MAX) > 0 {
            chosen = choose_best(manager, need, &mut candidates);
        }
        if chosen.is_empty() {
            // The best by age may gain too little when the emptiest ones gain enough.
            candidates.sort_unstable_by_key(|candidate| {
                candidate.live_bytes * 1000 / candidate.seglets.max(1) as u64
            });
            chosen = choose(manager, need, &candidates);
        }
        for &slot in &chosen {
            manager.log.segments.slot(slot).set_state(State::Cleaning);
        }
        chosen
    }
}

/// Lists the candidates, best first, and chooses among them.
fn choose_best(manager: &ObjectManager, need: Need, candidates: &mut Vec<Candidate>) -> Vec<u32> {
    let now = manager.head.figures().appended_bytes;
    let mut all_live_bytes = 0;
    candidates.clear();
    for (slot, segment) in manager.log.segments.used() {
        let state = segment.state();
        // The counters of open segments, which are few, are not known.
        if state != State::Free && state != State::Open {
            all_live_bytes += live_bytes(segment);
        }
        if state == State::Sealed {
            candidates.push(Candidate::new(slot, segment, now));
        }
    }
    let live_seglets = all_live_bytes.div_ceil(manager.log.seglet_bytes() as u64) as usize;
    manager.pressure.set_mark(&manager.geometry, live_seglets);
    candidates.sort_unstable_by(|one, other| other.score.total_cmp(&one.score));
    choose(manager, need, candidates)
}

/// As many candidates, in order, as the survivor reserve has room for.
fn choose(manager: &ObjectManager, need: Need, candidates: &[Candidate]) -> Vec<u32> {
    let largest_bytes = manager.head.figures().largest_object_bytes.max(TOMBSTONE_BYTES);
    let seglet_bytes = manager.log.seglet_bytes() as u64;
    let (mut chosen, mut live_sources) = (Vec::new(), 0);
    let (mut seglets, mut live_bytes) = (0, 0);
    for candidate in candidates {
        let capacity_bytes = candidate.seglets as u64 * seglet_bytes;
        let crowded = candidate.live_bytes * 100 > capacity_bytes * LIVE_PERCENT_MAX;
        let is_dead = candidate.live_bytes == 0;
        if !is_dead && (live_sources == SOURCES_MAX || crowded && need != Need::Tombstone) {
            continue;
        }
        let together = live_bytes + candidate.live_bytes;
        if survivor_seglets(&manager.log, together, largest_bytes) > manager.geometry.pass_seglets {
            continue;
        }
        live_bytes = together;
        seglets += candidate.seglets;
        live_sources += usize::from(!is_dead);
        chosen.push(candidate.slot);
    }
    if survivor_seglets(&manager.log, live_bytes, largest_bytes) >= seglets {
        chosen.clear();
    }
    chosen
}

/// The most seglets that entries of this total size take, in whatever order they are written.
fn survivor_seglets(log: &Log, live_bytes: u64, largest_bytes: usize) -> usize {
    let usable_bytes = log.seglet_bytes() - UNDIVIDED_BYTES;
    let live_bytes = live_bytes as usize;
    // Each segment may end early because the largest entry does not fit; then it ends within a
    // seglet.
    let segment_bytes = log.segment_seglets() * usable_bytes - largest_bytes;
    live_bytes.div_ceil(usable_bytes) + live_bytes / segment_bytes
}

/// Counts the dead tombstones of at most `limit` sealed segments, starting with those scanned
/// longest ago. Without a limit, of all segments that might have some. Returns how many were
/// scanned.
fn scan_tombstones(manager: &ObjectManager, limit: usize) -> usize {
    let log = &manager.log;
    let freed = log.segments.freed();
    let mut due: Vec<_> = log
        .segments
        .used()
        .filter(|(_, segment)| segment.state() == State::Sealed)
        .filter_map(|(slot, segment)| {
            // Relaxed: written only by the selecting thread.
            let scanned = segment.scanned.load(Ordering::Relaxed);
            let share = if limit == usize::MAX { u64::MAX } else { SCAN_SHARE };
            let tombstone_bytes = segment.live_tombstones() * TOMBSTONE_BYTES as u64;
            let length = segment.length.load(Ordering::Relaxed) as u64;
            let may_gain = tombstone_bytes > length / share && scanned < freed;
            may_gain.then_some((scanned, slot))
        })
        .collect();
    due.sort_unstable();
    due.truncate(limit);
    for &(_, slot) in &due {
        let is_dead = |entry| match entry {
            Entry::Object { .. } => false,
            Entry::Tombstone(tombstone) => !log.segments.contains(SegmentId(tombstone.segment)),
        };
        let dead = log.entries(slot).filter(|&(_, entry)| is_dead(entry)).count() as u64;
        let segment = log.segments.slot(slot);
        segment.dead_tombstones.store(dead, Ordering::Relaxed);
        segment.scanned.store(freed, Ordering::Relaxed);
    }
    CleanerFigures::add(&manager.cleaned.tombstone_scans, due.len() as u64);
    due.len()
}
