//! A traveller that does what it is told, for tests: a list of operations, and what they saw.

use std::sync::atomic::{AtomicU64, Ordering};

use spaces::pointer::Here;
use spaces::registry::SegmentId;
use spaces::shared::InSegment;
use spaces::traveller::{Arrival, Go, SpaceHandle, Traveller};

const OPERATIONS: usize = 40;

/// One operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Do {
    /// Sees a word of a segment.
    Load(SegmentId, usize),
    /// Stores a word of a segment.
    Store(SegmentId, usize, u64),
    /// Adds one to a word of a segment, by a load and a store.
    Count(SegmentId, usize),
    /// Sees whether all words of a segment are equal, each time: the word, or `u64::MAX`.
    Whole(SegmentId),
    /// Adds one to all words of a segment, one after another.
    CountAll(SegmentId),
    /// Sees the address of a segment here, or 0.
    Address(SegmentId),
    /// Sees a word at an address, wherever that leads.
    Peek(usize),
    /// Sees the process, the space, or how it came: 0 stayed, 1 entered, or the busy space.
    Process,
    Space,
    Arrival,
    /// These end a step.
    To(SpaceHandle),
    TryTo(SpaceHandle),
    Primary,
    Done,
    /// From the beginning, so often; then it goes on behind.
    Again(u64),
}

/// The script. Only numbers lie in it.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Script {
    next: u64,
    again: u64,
    operations: [[u64; 4]; OPERATIONS],
    seen: [u64; OPERATIONS],
}

// SAFETY: integers in a fixed layout.
unsafe impl InSegment for Script {}

impl Script {
    pub(crate) fn new(operations: &[Do]) -> Self {
        let mut script =
            Self { next: 0, again: 0, operations: [[0; 4]; OPERATIONS], seen: [0; OPERATIONS] };
        for (place, operation) in script.operations.iter_mut().zip(operations) {
            *place = words(*operation);
        }
        assert!(operations.len() < OPERATIONS, "the last one is `Done`");
        script.operations[operations.len()] = words(Do::Done);
        script
    }

    /// What the operation of this number saw.
    pub(crate) fn saw(&self, operation: usize) -> u64 {
        self.seen[operation]
    }
}

fn words(operation: Do) -> [u64; 4] {
    let of = |segment: SegmentId| u64::from(segment.number());
    match operation {
        Do::Load(segment, at) => [0, of(segment), at as u64, 0],
        Do::Store(segment, at, word) => [1, of(segment), at as u64, word],
        Do::Count(segment, at) => [2, of(segment), at as u64, 0],
        Do::Whole(segment) => [3, of(segment), 0, 0],
        Do::CountAll(segment) => [4, of(segment), 0, 0],
        Do::Address(segment) => [5, of(segment), 0, 0],
        Do::Peek(address) => [6, address as u64, 0, 0],
        Do::Process => [7, 0, 0, 0],
        Do::Space => [8, 0, 0, 0],
        Do::Arrival => [9, 0, 0, 0],
        Do::To(handle) => [10, handle.number(), 0, 0],
        Do::TryTo(handle) => [11, handle.number(), 0, 0],
        Do::Primary => [12, 0, 0, 0],
        Do::Done => [13, 0, 0, 0],
        Do::Again(times) => [14, times, 0, 0],
    }
}

impl Traveller for Script {
    const NAME: &'static str = "script";

    fn step<'space>(&mut self, here: &Here<'space>) -> Go {
        loop {
            let at = self.next as usize;
            let [what, one, two, three] = self.operations[at];
            self.next += 1;
            let segment = SegmentId::from_number(one as u32);
            // A segment that is not here ends the process, and the run with it.
            let all = || here.all::<AtomicU64>(segment).unwrap();
            // Relaxed: ordered by turns and locks.
            let load = |word: &AtomicU64| word.load(Ordering::Relaxed);
            let count = |word: &AtomicU64| word.store(load(word) + 1, Ordering::Relaxed);
            self.seen[at] = match what {
                0 => load(&all()[two as usize]),
                1 => {
                    all()[two as usize].store(three, Ordering::Relaxed);
                    continue;
                }
                2 => {
                    count(&all()[two as usize]);
                    continue;
                }
                3 => {
                    let first = load(&all()[0]);
                    let whole = all().iter().all(|word| load(word) == first);
                    // Once torn, it stays so.
                    if whole && self.seen[at] != u64::MAX { first } else { u64::MAX }
                }
                4 => {
                    all().iter().for_each(count);
                    continue;
                }
                5 => here.all::<AtomicU64>(segment).map_or(0, |words| words.as_ptr().addr() as u64),
                // SAFETY: none; where the address leads nowhere, the kernel ends the process, which is
                // what the test that asks for it wants.
                6 => unsafe { (one as usize as *const u64).read_volatile() },
                7 => std::process::id().into(),
                8 => here.space().number(),
                9 => match here.arrival() {
                    Arrival::Stayed => 0,
                    Arrival::Entered => 1,
                    Arrival::Busy(handle) => handle.number(),
                },
                10 => return Go::To(SpaceHandle::from_number(one)),
                11 => return Go::TryTo(SpaceHandle::from_number(one)),
                12 => return Go::Primary,
                13 => return Go::Done,
                _ => {
                    self.again += 1;
                    if self.again < one {
                        self.next = 0;
                    } else {
                        self.again = 0;
                    }
                    continue;
                }
            };
        }
    }
}
