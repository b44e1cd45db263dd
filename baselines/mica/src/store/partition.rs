//! One partition: its heap, its spare buckets, and how writers enter it.
//!
//! Two things are entered. The **chain** of a key, by the version of its main bucket, which is
//! odd meanwhile; then, for what touches heap or pool, the **partition**. In that order, so that
//! nobody waits in a circle. Where an owner writes alone it only steps the version, for readers;
//! where readers are owners too, not even that.
//!
//! Why a reader cannot mistake one item for another. Let it find the entry of an item, and let the
//! item's chunk be freed and written anew, by a writer of any key, before it has copied all.
//! The chunk is freed with the chain's version already odd; the new writer enters the heap after
//! (by the partition's lock, or as the same thread), and passes a release fence after that free
//! and before it writes. So the reader, which passes an acquire fence between copying and reading the
//! version again, finds a version that is not the one it began with. What links and tags the heap
//! itself writes into freed chunks is behind such a fence too.

use std::hint::spin_loop;
use std::marker::PhantomData;
use std::sync::atomic::{Ordering, fence};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use super::bucket::Header;
use super::heap::Heap;
use super::index::{Bucket, Pool};
use crate::mode::Mode;

/// Looks at a version before the thread gives way: who has the chain may not be running.
const SPINS: u32 = 128;

/// One partition, apart from its neighbours by two cache lines, which are prefetched in pairs.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Partition {
    lock: Mutex<()>,
    pub(super) heap: Heap,
    pub(super) pool: Pool,
}

/// The right to heap and pool of a partition, with the lock where there is one.
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
        // MICA-REUSE, from: what is written into chunks that another freed comes after the version
        // that the other made odd.
        fence(Ordering::Release);
        Some(guard)
    }

    /// Waits until no writer is within heap and pool, and keeps them out where they lock.
    pub(super) fn quiet(&self) -> MutexGuard<'_, ()> {
        // What the lock guards changes only by steps that do not panic.
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to write a chain, until dropped.
#[derive(Debug)]
pub(super) struct Writing<'store, M> {
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
            // Relaxed: this session alone writes it; the fence orders it.
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

impl<M> Drop for Writing<'_, M> {
    #[inline]
    fn drop(&mut self) {
        // Relaxed: only this writer changes it now.
        let header = Header::load(&self.main[0], Ordering::Relaxed);
        // Where nobody validates the version was not stepped, and is even.
        if header.is_being_written() {
            // Release: pairs with the acquire of a reader's or the next writer's first look.
            self.main[0].store(header.stepped().word(), Ordering::Release);
        }
    }
}

/// A reader's look at a chain that may be written meanwhile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading<'store, M> {
    main: &'store Bucket,
    seen: Header,
    mode: PhantomData<M>,
}

impl<'store, M: Mode> Reading<'store, M> {
    /// Begins when nobody writes the chain.
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

    /// Whether all that was read so far is of one state of the chain.
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
