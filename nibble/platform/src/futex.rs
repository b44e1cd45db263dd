//! Words at which threads and processes sleep until somebody changes them.
//!
//! The futexes are shared ones: private futexes are keyed by the address space, and these words lie in
//! memory that several have.

use std::time::Duration;

#[cfg(not(loom))]
use std::sync::atomic::AtomicU32;

#[cfg(loom)]
use loom::sync::atomic::AtomicU32;

#[cfg(loom)]
pub use modelled::Futex;

/// The word.
#[cfg(not(loom))]
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct Futex {
    word: AtomicU32,
}

#[cfg(not(loom))]
impl Futex {
    /// The word itself. Who changes it wakes those who sleep at it afterwards.
    #[inline]
    #[must_use]
    pub fn word(&self) -> &AtomicU32 {
        &self.word
    }

    /// Sleeps while the word is `expected`, until woken, and for so long at most. It may also return
    /// without a reason: the caller looks again.
    ///
    /// # Panics
    /// If the kernel has no futexes.
    pub fn wait(&self, expected: u32, most: Option<Duration>) {
        use rustix::io::Errno;
        use rustix::thread::futex;
        let most = most.map(|most| most.try_into().expect("a short time"));
        match futex::wait(&self.word, futex::Flags::empty(), expected, most.as_ref()) {
            // Changed before it slept, woken without a reason, or slept long enough.
            Ok(()) | Err(Errno::AGAIN | Errno::INTR | Errno::TIMEDOUT) => {}
            Err(error) => panic!("waiting at a word in memory: {error}"),
        }
    }

    /// Wakes so many of those who sleep here.
    #[inline]
    pub fn wake(&self, most: u32) {
        use rustix::thread::futex;
        // It fails only for an address that is not mapped.
        let _ = futex::wake(&self.word, futex::Flags::empty(), most);
    }
}

/// The word for a model checker: the kernel's queue is a mutex and a condition.
#[cfg(loom)]
mod modelled {
    use super::{AtomicU32, Duration};
    use loom::sync::{Condvar, Mutex};
    use std::sync::atomic::Ordering;

    /// The word.
    #[derive(Debug)]
    pub struct Futex {
        word: AtomicU32,
        queue: Mutex<()>,
        woken: Condvar,
    }

    impl Default for Futex {
        fn default() -> Self {
            Self { word: AtomicU32::new(0), queue: Mutex::new(()), woken: Condvar::new() }
        }
    }

    impl Futex {
        /// The word itself.
        pub fn word(&self) -> &AtomicU32 {
            &self.word
        }

        /// Sleeps while the word is `expected`.
        pub fn wait(&self, expected: u32, most: Option<Duration>) {
            let queue = self.queue.lock().expect("no panic under the lock");
            // Relaxed: as the kernel, which compares under its own lock and orders nothing for users.
            if self.word.load(Ordering::Relaxed) != expected {
                return;
            }
            if most.is_some() {
                // A time that is over: others move first.
                drop(queue);
                loom::thread::yield_now();
                return;
            }
            drop(self.woken.wait(queue).expect("no panic under the lock"));
        }

        /// Wakes those who sleep.
        pub fn wake(&self, most: u32) {
            let _queue = self.queue.lock().expect("no panic under the lock");
            if most == 1 { self.woken.notify_one() } else { self.woken.notify_all() }
        }
    }
}
