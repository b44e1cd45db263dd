//! The source of atomics and of the memtable's words. Under `--cfg loom` a model checker's versions
//! replace them (`models`).

use std::sync::{Mutex, MutexGuard, PoisonError};
#[cfg(not(loom))]
use std::thread;
#[cfg(not(loom))]
use std::time::Duration;

#[cfg(loom)]
use loom::thread;

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU64};
pub(crate) use std::sync::atomic::Ordering;
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64};

#[cfg(loom)]
pub(crate) use modelled::{Words, copy_in, copy_out};
#[cfg(not(loom))]
pub(crate) use platform::racy::{Words, copy_in, copy_out};

/// Stands between a sequentially consistent store and a load of which the order matters. The model
/// checker takes such accesses for acquire and release only, and has no more than fences for the
/// rest; to the processor this is nothing.
#[inline(always)]
pub(crate) fn between_store_and_load() {
    #[cfg(loom)]
    loom::sync::atomic::fence(Ordering::SeqCst);
}

/// Locks, ignoring poison: a panic under one of our locks is a bug that the panic has already
/// reported, and the remaining threads must still be able to stop.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for a thread that is a few instructions away from done, unless it lost its processor: it
/// spins, then yields, then sleeps.
#[derive(Debug, Default)]
pub(crate) struct Wait(u32);

impl Wait {
    /// One turn of waiting.
    #[cold]
    pub(crate) fn turn(&mut self) {
        self.0 = self.0.saturating_add(1);
        // A model must be told at once that another thread has to move.
        #[cfg(loom)]
        thread::yield_now();
        #[cfg(not(loom))]
        match self.0 {
            0..64 => std::hint::spin_loop(),
            64..1024 => thread::yield_now(),
            _ => thread::sleep(Duration::from_micros(50)),
        }
    }
}

/// The memtable's words for a model checker.
#[cfg(loom)]
mod modelled {
    use super::{AtomicU64, Ordering};

    #[derive(Debug)]
    pub(crate) struct Words(Vec<AtomicU64>);

    impl Words {
        pub(crate) fn map(length: usize, _: platform::Pages, _: bool) -> std::io::Result<Self> {
            Ok(Self((0..length).map(|_| AtomicU64::new(0)).collect()))
        }

        pub(crate) fn all(&self) -> &[AtomicU64] {
            &self.0
        }
    }

    pub(crate) fn copy_in(words: &[AtomicU64], from: &[u8]) {
        for (word, bytes) in words.iter().zip(from.chunks(8)) {
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            word.store(u64::from_le_bytes(padded), Ordering::Relaxed);
        }
    }

    pub(crate) fn copy_out(words: &[AtomicU64], to: &mut [u8]) {
        for (word, bytes) in words.iter().zip(to.chunks_mut(8)) {
            let whole = word.load(Ordering::Relaxed).to_le_bytes();
            bytes.copy_from_slice(&whole[..bytes.len()]);
        }
    }
}
