//! A barrier between threads that often pass and one that seldom waits for them.
//!
//! Each side stores a word and then loads the other's. If both loads overtook the stores, neither
//! would see the other. A fence on both sides prevents that, and costs the frequent side a locked
//! instruction every time. Linux can also make all running threads of the process pass a fence on
//! behalf of one (`membarrier`, Linux 4.14). Then the frequent side only keeps the compiler from
//! reordering, and the seldom side pays a call that interrupts the other cores.

use std::sync::OnceLock;
use std::sync::atomic::{Ordering, compiler_fence, fence};
use std::thread;

use rustix::thread::{MembarrierCommand, membarrier};

/// The two sides of a barrier, of one kind. Both sides must use the same kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barrier {
    by_system: bool,
}

impl Barrier {
    /// A barrier with the lightest light side that the system has.
    #[must_use]
    pub fn lightest() -> Self {
        static BY_SYSTEM: OnceLock<bool> = OnceLock::new();
        Self { by_system: *BY_SYSTEM.get_or_init(register) }
    }

    /// A fence on both sides.
    #[must_use]
    pub const fn of_fences() -> Self {
        Self { by_system: false }
    }

    /// Whether the light side is free.
    #[must_use]
    pub fn is_asymmetric(self) -> bool {
        self.by_system
    }

    /// The light side by itself, if it is free.
    #[must_use]
    pub fn free(self) -> Option<Light> {
        self.by_system.then_some(Light(()))
    }

    /// The frequent side, between its store and its load. Of a thread that passes here and one that
    /// passes [`heavy`](Self::heavy), at least one sees what the other has stored before.
    #[inline]
    pub fn light(self) {
        if let Some(light) = self.free() {
            light.pass();
        } else {
            // SeqCst: pairs with the fence in `heavy`.
            fence(Ordering::SeqCst);
        }
    }

    /// The seldom side, between its store and its load.
    pub fn heavy(self) {
        // SeqCst: pairs with the fence in `light`.
        fence(Ordering::SeqCst);
        if self.by_system {
            // Once it is registered, a process is refused only while the kernel lacks memory.
            while membarrier(MembarrierCommand::PrivateExpedited).is_err() {
                thread::yield_now();
            }
        }
    }
}

/// The light side where the system passes a fence for it: no instruction at all. There is one only once
/// the process is registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Light(());

impl Light {
    /// As [`Barrier::light`].
    #[inline(always)]
    pub fn pass(self) {
        // SeqCst: keeps the compiler's order; pairs with the system's fence in `Barrier::heavy`.
        compiler_fence(Ordering::SeqCst);
    }
}

/// Registers the process; returns whether the system has the barrier.
///
/// Asked only where processors keep loads in order, so that the light side need not order them
/// either; and not where programs are interpreted or modelled.
fn register() -> bool {
    cfg!(all(target_arch = "x86_64", not(any(miri, loom))))
        && membarrier(MembarrierCommand::RegisterPrivateExpedited).is_ok()
        && membarrier(MembarrierCommand::PrivateExpedited).is_ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier as Turn;
    use std::sync::atomic::AtomicU64;

    use super::*;

    const ROUNDS: u64 = 2000;

    #[test]
    fn one_of_two_sees_the_other() {
        for barrier in [Barrier::lightest(), Barrier::of_fences()] {
            let (often, seldom) = (AtomicU64::new(0), AtomicU64::new(0));
            let (begin, end) = (Turn::new(2), Turn::new(2));
            thread::scope(|scope| {
                let other = scope.spawn(|| {
                    let look = |round| {
                        begin.wait();
                        often.store(round, Ordering::Relaxed);
                        barrier.light();
                        let seen = seldom.load(Ordering::Relaxed) == round;
                        end.wait();
                        seen
                    };
                    (1..=ROUNDS).map(look).collect::<Vec<_>>()
                });
                let look = |round| {
                    begin.wait();
                    seldom.store(round, Ordering::Relaxed);
                    barrier.heavy();
                    let seen = often.load(Ordering::Relaxed) == round;
                    end.wait();
                    seen
                };
                let seen: Vec<_> = (1..=ROUNDS).map(look).collect();
                let others = other.join().unwrap();
                let missed = seen.iter().zip(&others).position(|(one, other)| !one && !other);
                assert_eq!(missed, None, "{barrier:?}: a round in which neither saw the other");
            });
        }
    }

    #[test]
    fn a_process_has_one_kind() {
        assert_eq!(Barrier::lightest(), Barrier::lightest());
        assert!(!Barrier::of_fences().is_asymmetric());
    }
}
