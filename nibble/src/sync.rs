//! Where atomics and locks come from: every other file imports them from here, because under
//! `--cfg loom` those of a model checker take their place (`models/`, `scripts/loom`).

pub(crate) mod edge;
#[cfg(loom)]
mod modelled;

#[cfg(not(loom))]
use std::{sync::atomic as modelled, sync::atomic::fence, thread};

#[cfg(loom)]
use loom::{sync::atomic::fence, thread};

#[cfg(loom)]
pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};
pub(crate) use modelled::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize};
pub(crate) use std::sync::atomic::Ordering;
#[cfg(not(loom))]
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
use std::sync::{PoisonError, TryLockError};

use edge::Edge;

/// A value alone on its cache lines.
///
/// 128 bytes, not 64: the processors this runs on fetch lines in adjacent pairs.
#[repr(align(128))]
#[derive(Debug, Default)]
pub(crate) struct CachePadded<T>(pub(crate) T);

impl<T> std::ops::Deref for CachePadded<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Locks, ignoring poison: a panic under one of our locks is a bug that the panic has already
/// reported, and the remaining threads must still be able to stop.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits a moment for a lock that is held for a few instructions: spins, and after a while gives
/// the processor away, because its holder may have been descheduled.
#[derive(Debug, Default)]
pub(crate) struct Spin(u32);

impl Spin {
    /// One turn.
    #[inline]
    pub(crate) fn turn(&mut self) {
        self.0 += 1;
        // A model must be told at once that another thread has to move.
        if self.0 < 64 && !cfg!(loom) {
            std::hint::spin_loop();
        } else {
            thread::yield_now();
        }
    }
}

/// Loads before it are ordered before what follows; pairs with [`release_fence`].
#[inline]
pub(crate) fn acquire_fence() {
    let ordering = edge::to(Edge::BucketInPlace, Ordering::Acquire);
    // A model that is weakened here has no fence at all.
    if !cfg!(loom) || ordering != Ordering::Relaxed {
        fence(ordering);
    }
}

/// Stores after it are seen only by who also sees what came before it; pairs with
/// [`acquire_fence`].
#[inline]
pub(crate) fn release_fence() {
    let ordering = edge::from(Edge::BucketInPlace, Ordering::Release);
    // As above.
    if !cfg!(loom) || ordering != Ordering::Relaxed {
        fence(ordering);
    }
}

/// As [`lock`], unless somebody else holds it.
pub(crate) fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}
