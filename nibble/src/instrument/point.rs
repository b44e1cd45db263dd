//! Places where a thread may lose the processor.

macro_rules! points {
    ($($(#[$about:meta])* $point:ident = $one_in:literal,)+) => {
        /// A window between two steps, in which another thread may intervene.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Point {
            $($(#[$about])* $point,)+
        }

        #[cfg(feature = "instrumented")]
        impl Point {
            /// One in this many times a thread is delayed at the place.
            fn one_in(self) -> u64 {
                match self { $(Self::$point => $one_in),+ }
            }
        }
    };
}

// The more rarely a place is reached, the likelier is a delay there.
points! {
    /// The epoch has been read but not announced.
    EpochRead = 32,
    /// The bucket of a hash has been determined but not searched.
    BucketFound = 32,
    /// A search found nothing and has not checked the version again.
    Missed = 8,
    /// A GET has found its object but not copied the value.
    Found = 32,
    /// Nibble-2: a GET has copied the value but not checked the version again.
    ValueCopied = 16,
    /// Nibble-2: half of a value is overwritten.
    HalfOverwritten = 16,
    /// Nibble-2: all of a value is overwritten, its length is not.
    Overwritten = 16,
    /// A PUT has written its object but not published it.
    Written = 32,
    /// A PUT has a lease on a hole and has not written there yet.
    Leased = 8,
    /// A bucket is locked but not changed yet.
    BucketLocked = 64,
    /// An entry leads to the new object; the old one is still counted live.
    Replaced = 32,
    /// A head is closed but not handed over yet.
    HeadClosed = 4,
    /// Compaction has copied an object but not published it.
    Copied = 8,
    /// Everything in a segment is unlinked, but no stamp has been taken.
    Unlinked = 4,
    /// The epoch table has been scanned, but nothing is freed yet.
    Scanned = 4,
    /// Blocks are back in the pool, but the segment id is not.
    BlocksGiven = 4,
    /// One half of a split bucket is filled; the other is not cut yet.
    HalfSplit = 8,
    /// The other bucket of an entry that is to move there is determined but not locked.
    ReliefChosen = 8,
    /// An entry is in its other bucket, and still in the first.
    Displaced = 8,
    /// A PUT found no room but does not wait yet.
    NoRoom = 8,
}

/// Nothing happens here.
#[cfg(not(feature = "instrumented"))]
#[inline(always)]
pub(crate) fn reach(_point: Point) {}

#[cfg(feature = "instrumented")]
pub use yielding::{stalls, yields};

#[cfg(feature = "instrumented")]
pub(crate) use yielding::reach;

#[cfg(feature = "instrumented")]
mod yielding {
    use std::cell::Cell;
    use std::thread;
    use std::time::Duration;

    use super::Point;
    use crate::sync::{AtomicBool, AtomicU64, Ordering};

    /// One in this many delays is a sleep, which is long enough for others to do much.
    const SLEEPS_ONE_IN: u64 = 8;
    const SLEEP: Duration = Duration::from_micros(100);

    static STALL_US: AtomicU64 = AtomicU64::new(0);
    static STALLS_ONE_IN: AtomicU64 = AtomicU64::new(1);
    static YIELDS: AtomicBool = AtomicBool::new(false);
    static SEED: AtomicU64 = AtomicU64::new(1);

    thread_local! {
        // Relaxed: any different seeds will do.
        static RANDOM: Cell<u64> =
            Cell::new(SEED.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    }

    /// Switches delays at the named places on or off, for all threads and stores. Initially off.
    pub fn yields(on: bool) {
        // Relaxed: nothing depends on when the others notice.
        YIELDS.store(on, Ordering::Relaxed);
    }

    /// From now on one in so many delays lasts so long: a session is stalled inside an operation.
    /// Initially none does; no time at all makes it so again.
    ///
    /// # Panics
    /// If `one_in` is 0.
    pub fn stalls(lasting: Duration, one_in: u64) {
        assert!(one_in > 0, "one in 0 delays cannot be a stall");
        // Relaxed: nothing depends on when the others notice.
        STALL_US.store(lasting.as_micros() as u64, Ordering::Relaxed);
        STALLS_ONE_IN.store(one_in, Ordering::Relaxed);
    }

    /// The calling thread has reached `point`.
    #[inline]
    pub(crate) fn reach(point: Point) {
        // Relaxed: see `yields`.
        if YIELDS.load(Ordering::Relaxed) {
            delay(point);
        }
    }

    fn delay(point: Point) {
        let random = RANDOM.with(|state| {
            // Xorshift: never 0, because the seed is not.
            let mut next = state.get();
            next ^= next << 13;
            next ^= next >> 7;
            next ^= next << 17;
            state.replace(next)
        });
        let draw = random >> 16;
        if !draw.is_multiple_of(point.one_in()) {
            return;
        }
        let turn = draw / point.one_in();
        // Relaxed: see `stalls`.
        let stall_us = STALL_US.load(Ordering::Relaxed);
        if stall_us > 0 && turn.is_multiple_of(STALLS_ONE_IN.load(Ordering::Relaxed)) {
            thread::sleep(Duration::from_micros(stall_us));
        } else if turn.is_multiple_of(SLEEPS_ONE_IN) {
            thread::sleep(SLEEP);
        } else {
            thread::yield_now();
        }
    }
}
