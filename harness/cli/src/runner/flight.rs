//! The cells in flight: how many there are, and the memory they are expected to hold together.

use std::sync::{Condvar, Mutex, PoisonError};

/// Cells that may stand idle at the same time.
pub const IN_FLIGHT_MAX: usize = 64;

/// A budget of memory, of which every cell in flight takes a part.
#[derive(Debug)]
pub struct Flight {
    state: Mutex<State>,
    landed: Condvar,
    memory_bytes: u64,
}

#[derive(Debug, Default)]
struct State {
    cells: usize,
    bytes: u64,
}

impl Flight {
    #[must_use]
    pub fn new(memory_bytes: u64) -> Self {
        Self { state: Mutex::default(), landed: Condvar::new(), memory_bytes }
    }

    /// Waits for room for a cell that is expected to hold so much at most. A cell that alone exceeds the
    /// budget still runs, alone.
    pub fn board(&self, bytes: u64) -> Berth<'_> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.cells > 0
            && (state.cells >= IN_FLIGHT_MAX || state.bytes + bytes > self.memory_bytes)
        {
            state = self.landed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        *state = State { cells: state.cells + 1, bytes: state.bytes + bytes };
        Berth { flight: Some(self), bytes }
    }

    fn give_back(&self, cells: usize, bytes: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *state = State { cells: state.cells - cells, bytes: state.bytes - bytes };
        self.landed.notify_all();
    }
}

/// One cell's part of the budget, given back when it is dropped.
#[derive(Debug)]
pub struct Berth<'flight> {
    flight: Option<&'flight Flight>,
    bytes: u64,
}

impl Berth<'_> {
    /// That of a cell that nothing else is in flight with.
    #[must_use]
    pub fn alone() -> Self {
        Self { flight: None, bytes: 0 }
    }

    /// Keeps so much of the part, at most: the cell will not hold more.
    pub fn shrink_to(&mut self, bytes: u64) {
        let Some(flight) = self.flight.filter(|_| bytes < self.bytes) else { return };
        flight.give_back(0, self.bytes - bytes);
        self.bytes = bytes;
    }
}

impl Drop for Berth<'_> {
    fn drop(&mut self) {
        if let Some(flight) = self.flight {
            flight.give_back(1, self.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_a_cell_does_not_need_any_more_is_room_for_the_next() {
        let flight = Flight::new(10);
        let mut first = flight.board(8);
        thread::scope(|scope| {
            let (sender, boarded) = mpsc::channel();
            let flight = &flight;
            scope.spawn(move || {
                let berth = flight.board(6);
                sender.send(()).unwrap();
                drop(berth);
            });
            // Long enough for one that does not wait.
            thread::sleep(Duration::from_millis(20));
            assert!(boarded.try_recv().is_err(), "there is room for two more");
            first.shrink_to(9);
            assert!(boarded.try_recv().is_err(), "it does not grow");
            first.shrink_to(4);
            boarded.recv().unwrap();
        });
        drop(first);
        let state = flight.state.lock().unwrap();
        assert_eq!((state.cells, state.bytes), (0, 0));
    }

    #[test]
    fn a_cell_larger_than_the_budget_flies_alone() {
        let flight = Flight::new(10);
        drop(flight.board(100));
        let mut alone = Berth::alone();
        alone.shrink_to(0);
        drop(flight.board(100));
    }
}
