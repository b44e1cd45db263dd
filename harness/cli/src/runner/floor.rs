//! The floor: at most one cell is active at a time, on all cores or on one. A cell that stands idle gives
//! the floor up, so that long idle waits of many cells overlap while no two cells ever compete for a core.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A token that one cell holds while it works.
#[derive(Debug, Default)]
pub struct Floor {
    state: Mutex<State>,
    freed: Condvar,
    first_core: usize,
}

#[derive(Debug, Default)]
struct State {
    taken: bool,
    /// Cells that stood idle and want to go on. They go before those that have not begun: what they hold
    /// is room for others.
    returning: usize,
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

    /// Waits until nobody has the floor or wants to return to it.
    pub fn wait_until_free(&self) {
        drop(self.free());
    }

    fn free(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.taken || state.returning > 0 {
            state = self.freed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }

    /// Waits for the floor.
    pub fn take(&self) -> FloorGuard<'_> {
        self.free().taken = true;
        FloorGuard { floor: self }
    }

    /// Waits for the floor, before all that have not had it.
    pub fn take_again(&self) -> FloorGuard<'_> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.returning += 1;
        while state.taken {
            state = self.freed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        *state = State { taken: true, returning: state.returning - 1 };
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
        self.floor.state.lock().unwrap_or_else(PoisonError::into_inner).taken = false;
        self.floor.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn who_returns_goes_before_who_has_not_begun() {
        // Often: who wakes first is chance.
        (0..50).for_each(|_| one_returns_and_one_begins());
    }

    fn one_returns_and_one_begins() {
        let floor = Floor::default();
        let order = Mutex::new(Vec::new());
        let guard = floor.take();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _guard = floor.take();
                order.lock().unwrap().push("begins");
            });
            scope.spawn(|| {
                let _guard = floor.take_again();
                order.lock().unwrap().push("returns");
            });
            while floor.state.lock().unwrap().returning == 0 {
                std::thread::yield_now();
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
            drop(guard);
        });
        assert_eq!(order.into_inner().unwrap(), ["returns", "begins"]);
        floor.wait_until_free();
    }

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
