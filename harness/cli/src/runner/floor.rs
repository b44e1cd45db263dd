//! The floor: at most one cell is active at a time, on all cores or on one. A cell that stands idle gives
//! the floor up, so that long idle waits of many cells overlap while no two cells ever compete for a core.

use std::sync::{Condvar, Mutex, PoisonError};

/// A token that one cell holds while it works.
#[derive(Debug, Default)]
pub struct Floor {
    taken: Mutex<bool>,
    freed: Condvar,
    first_core: usize,
}

impl Floor {
    /// A floor for cells of one thread, which runs on the core at this place among those that the process
    /// may use. Several such floors serve at the same time.
    #[must_use]
    pub fn of_core(first_core: usize) -> Self {
        Self { first_core, ..Self::default() }
    }

    /// The place of the core on which a cell's first thread runs.
    #[must_use]
    pub fn first_core(&self) -> usize {
        self.first_core
    }

    /// Waits for the floor.
    pub fn take(&self) -> FloorGuard<'_> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        while *taken {
            taken = self.freed.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
        *taken = true;
        FloorGuard { floor: self }
    }
}

/// Holds the floor until dropped.
#[must_use = "dropping the guard gives the floor up"]
#[derive(Debug)]
pub struct FloorGuard<'floor> {
    floor: &'floor Floor,
}

impl Drop for FloorGuard<'_> {
    fn drop(&mut self) {
        *self.floor.taken.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.floor.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn never_two_holders() {
        let floor = Floor::default();
        let holders = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        let guard = floor.take();
                        // SeqCst: a test's count, no ordering is relied on.
                        assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
                        assert_eq!(holders.fetch_sub(1, Ordering::SeqCst), 1);
                        drop(guard);
                    }
                });
            }
        });
    }
}
