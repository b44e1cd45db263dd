//! A small number for each thread, so that each thread writes its own counters.

use std::sync::{Mutex, PoisonError};

/// How many threads have a number to themselves.
pub(crate) const EXCLUSIVE: usize = u64::BITS as usize;
/// The number shared by all further threads, and by threads that are about to end.
pub(crate) const SHARED: usize = EXCLUSIVE;

/// One bit per number in use. A thread that takes over the number of an ended thread sees all that
/// it wrote, because both hold this lock.
static TAKEN: Mutex<u64> = Mutex::new(0);

thread_local! {
    static INDEX: Index = Index::claim();
}

/// The calling thread's number, at most [`SHARED`].
#[inline]
pub(crate) fn thread_index() -> usize {
    INDEX.try_with(|index| index.0).unwrap_or(SHARED)
}

/// Holds a number until the thread ends.
struct Index(usize);

impl Index {
    fn claim() -> Self {
        let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        let free = taken.trailing_ones() as usize;
        if free < EXCLUSIVE {
            *taken |= 1 << free;
        }
        Self(free)
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        if self.0 < EXCLUSIVE {
            *TAKEN.lock().unwrap_or_else(PoisonError::into_inner) &= !(1 << self.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;

    use super::*;

    #[test]
    fn threads_at_work_share_no_number_until_there_are_too_many() {
        const THREADS: usize = EXCLUSIVE + 8;
        let all_have_one = Barrier::new(THREADS);
        let mut indexes: Vec<usize> = thread::scope(|scope| {
            let claim = || {
                let index = thread_index();
                all_have_one.wait();
                assert_eq!(index, thread_index());
                index
            };
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(claim)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        indexes.retain(|&index| index != SHARED);
        let claimed = indexes.len();
        indexes.sort_unstable();
        indexes.dedup();
        assert_eq!(indexes.len(), claimed);
        assert!(claimed < THREADS && indexes.iter().all(|&index| index < EXCLUSIVE));
    }
}
