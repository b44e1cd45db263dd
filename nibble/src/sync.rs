//! The source of atomics and locks. Every other file imports them from here, because under `--cfg
//! loom` a model checker's versions replace them (`models/`, `scripts/loom`).

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
/// 128 bytes instead of 64, because the processors this runs on fetch lines in adjacent pairs.
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

/// Waits briefly for a lock that is held for a few instructions. It spins, and after a while yields
/// the processor, because the holder may have been descheduled.
#[derive(Debug, Default)]
pub(crate) struct Spin(u32);

impl Spin {
    /// One turn of waiting.
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

/// Orders earlier loads before what follows; pairs with [`release_fence`].
#[inline]
pub(crate) fn acquire_fence() {
    let ordering = edge::to(Edge::BucketInPlace, Ordering::Acquire);
    // A weakened model has no fence at all.
    if !cfg!(loom) || ordering != Ordering::Relaxed {
        fence(ordering);
    }
}

/// Later stores are seen only by those who also see what came before the fence; pairs with
/// [`acquire_fence`].
#[inline]
pub(crate) fn release_fence() {
    let ordering = edge::from(Edge::BucketInPlace, Ordering::Release);
    // As above.
    if !cfg!(loom) || ordering != Ordering::Relaxed {
        fence(ordering);
    }
}

/// Like [`lock`], but `None` if somebody else holds the mutex.
pub(crate) fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}
