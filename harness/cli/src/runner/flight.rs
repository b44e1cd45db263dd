//! The cells in flight: how many there are, and the memory they are expected to hold together.

use std::sync::{Condvar, Mutex, PoisonError};

use super::reserve::{Grant, Reserve};

/// Cells that may stand idle at the same time.
pub const IN_FLIGHT_MAX: usize = 64;

/// A budget of memory, of which every cell in flight takes a part.
#[derive(Debug)]
pub struct Flight<'reserve> {
    state: Mutex<State>,
    landed: Condvar,
    memory_bytes: u64,
    reserve: &'reserve Reserve,
}

#[derive(Debug, Default)]
struct State {
    cells: usize,
    bytes: u64,
}

impl<'reserve> Flight<'reserve> {
    /// A budget of so much, beside a `reserve` of memory that the host backs.
    #[must_use]
    pub fn new(memory_bytes: u64, reserve: &'reserve Reserve) -> Self {
        Self { state: Mutex::default(), landed: Condvar::new(), memory_bytes, reserve }
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
        Berth { place: Some((self, self.reserve.grant(0))), bytes }
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
    place: Option<(&'flight Flight<'flight>, Grant<'flight>)>,
    bytes: u64,
}

impl Berth<'_> {
    /// That of a cell that nothing else is in flight with.
    #[must_use]
    pub fn alone() -> Self {
        Self { place: None, bytes: 0 }
    }

    /// The cell is about to touch so much more: the reserve gives it up.
    pub fn grow(&mut self, bytes: u64) {
        if let Some((_, grant)) = &mut self.place {
            grant.grow(bytes);
        }
    }

    /// The cell will not hold more than `bytes`, which it holds now: the rest of its part is room for others.
    pub fn shrink_to(&mut self, bytes: u64) {
        let Some((flight, grant)) = &mut self.place else { return };
        grant.change_to(bytes);
        if bytes < self.bytes {
            flight.give_back(0, self.bytes - bytes);
            self.bytes = bytes;
        }
    }
}

impl Drop for Berth<'_> {
    fn drop(&mut self) {
        if let Some((flight, grant)) = self.place.take() {
            drop(grant);
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
        let reserve = Reserve::default();
        let flight = Flight::new(10, &reserve);
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
        let reserve = Reserve::default();
        let flight = Flight::new(10, &reserve);
        drop(flight.board(100));
        let mut alone = Berth::alone();
        alone.shrink_to(0);
        drop(flight.board(100));
    }
}
