//! One partition: its heap, its spare buckets, and how writers enter it.
//!
//! Writers enter two things: first the **chain** of a key, through the version of its main bucket,
//! which is odd meanwhile; then, to change heap or pool, the **partition**. The order prevents
//! deadlock. If only the owner writes, it just steps the version, for readers; if readers are
//! owners too, not even that.
//!
//! Why a reader cannot mistake one item for another. Suppose it finds the entry of an item, and
//! before it has copied everything, the item's chunk is freed and rewritten by a writer of any key.
//! The chunk is freed while the chain's version is already odd. The new writer enters the heap
//! afterwards (through the partition's lock, or as the same thread), and passes a release fence
//! after that free and before it writes. So the reader, which passes an acquire fence between
//! copying and reading the version again, finds a version different from the one it began with. The
//! links and tags that the heap itself writes into freed chunks come after such a fence, too.

use std::hint::spin_loop;
use std::marker::PhantomData;
use std::sync::atomic::{Ordering, fence};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use super::bucket::Header;
use super::heap::Heap;
use super::index::{Bucket, Pool};
use crate::mode::Mode;

/// How often to read a version before yielding: the thread inside the chain may not be running.
const SPINS: u32 = 128;

/// One partition, separated from its neighbours by two cache lines, which the processor prefetches
/// in pairs.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Partition {
    lock: Mutex<()>,
    pub(super) heap: Heap,
    pub(super) pool: Pool,
}

/// The right to change heap and pool of a partition, with the lock if there is one.
type Entered<'store> = Option<MutexGuard<'store, ()>>;

impl Partition {
    pub(super) fn new(heap: Heap, pool: Pool) -> Self {
        Self { lock: Mutex::new(()), heap, pool }
    }

    /// Enters heap and pool, for a session that may write the partition.
    #[inline]
    pub(super) fn enter<M: Mode>(&self) -> Entered<'_> {
        if !M::WRITERS_LOCK {
            return None;
        }
        let guard = self.quiet();
        // MICA-REUSE, from: what is written into chunks that another thread freed comes after the
        // version that the other thread made odd.
        fence(Ordering::Release);
        Some(guard)
    }

    /// Waits until no writer is inside heap and pool; keeps writers out if they lock.
    pub(super) fn quiet(&self) -> MutexGuard<'_, ()> {
        // What the lock guards changes only by steps that do not panic.
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to write a chain, until dropped.
#[derive(Debug)]
pub(super) struct Writing<'store, M: Mode> {
    main: &'store Bucket,
    mode: PhantomData<M>,
}

impl<'store, M: Mode> Writing<'store, M> {
    /// Enters the chain of a main bucket, for a session that may write its partition.
    #[inline]
    pub(super) fn enter(main: &'store Bucket) -> Self {
        if M::WRITERS_LOCK {
            let mut spins = 0;
            loop {
                // Relaxed: the exchange confirms it.
                let header = Header::load(&main[0], Ordering::Relaxed);
                // Acquire: pairs with the release of the last writer's drop.
                let exchange = |header: Header| {
                    main[0].compare_exchange_weak(
                        header.word(),
                        header.stepped().word(),
                        Ordering::Acquire,
                        Ordering::Relaxed,
                    )
                };
                if !header.is_being_written() && exchange(header).is_ok() {
                    break;
                }
                wait(&mut spins);
            }
        } else if M::READERS_VALIDATE {
            // Relaxed: only this session writes it; the fence orders it.
            let header = Header::load(&main[0], Ordering::Relaxed);
            main[0].store(header.stepped().word(), Ordering::Relaxed);
        }
        if M::READERS_VALIDATE {
            // MICA-CHAIN, from: what is written to the chain and its items from here on comes after
            // the odd version.
            fence(Ordering::Release);
        }
        Self { main, mode: PhantomData }
    }
}

impl<M: Mode> Drop for Writing<'_, M> {
    #[inline]
    fn drop(&mut self) {
        // If nobody validates, the version was not stepped.
        if M::READERS_VALIDATE {
            // Relaxed: only this writer changes it now.
            let header = Header::load(&self.main[0], Ordering::Relaxed);
            debug_assert!(header.is_being_written());
            // Release: pairs with the acquire of a reader's or the next writer's first load.
            self.main[0].store(header.stepped().word(), Ordering::Release);
        }
    }
}

/// A reader's view of a chain that may be written meanwhile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading<'store, M> {
    main: &'store Bucket,
    seen: Header,
    mode: PhantomData<M>,
}

impl<'store, M: Mode> Reading<'store, M> {
    /// Starts once nobody writes the chain.
    #[inline]
    pub(super) fn begin(main: &'store Bucket) -> Self {
        let mut spins = 0;
        loop {
            // Acquire: pairs with the release of the last writer's drop.
            let seen = Header::load(&main[0], Ordering::Acquire);
            if !M::READERS_VALIDATE || !seen.is_being_written() {
                return Self { main, seen, mode: PhantomData };
            }
            wait(&mut spins);
        }
    }

    /// Whether everything read so far belongs to one state of the chain.
    #[inline]
    pub(super) fn is_valid(&self) -> bool {
        if !M::READERS_VALIDATE {
            return true;
        }
        // MICA-CHAIN, to: what was read came before the version is read again.
        // MICA-REUSE, to: likewise.
        fence(Ordering::Acquire);
        // Relaxed: ordered by the fence.
        Header::load(&self.main[0], Ordering::Relaxed) == self.seen
    }
}

#[inline]
fn wait(spins: &mut u32) {
    *spins += 1;
    if spins.is_multiple_of(SPINS) {
        thread::yield_now();
    } else {
        spin_loop();
    }
}
