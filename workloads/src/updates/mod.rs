//! HPCC RandomAccess on a table in windows: sets of updates, each set in one window.
//!
//! Word `i` of the table begins as `i`. An update takes the next value of HPCC's stream and combines
//! it by exclusive or with the word that its high bits select within the window. After each set the
//! next window is chosen. Exclusive or is its own inverse, so the same sets once more must give
//! `table[i] == i` again, in all words.
//!
//! Everything here is the oracle's own: what is measured computes indices by its own code.

mod check;
mod stream;

pub use check::{Checked, check_window, fill_window};
pub use stream::{PERIOD, Stream, advance, nth};

use crate::Seed;

/// Which window follows a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Drawn uniformly from all windows, the same one included.
    Drawn,
    /// The next in turn; after the last, the first.
    InTurn,
}

/// The sets of one cell. A run that is longer than they are begins again with the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sets {
    windows: usize,
    updates_per_set: usize,
    order: Vec<u32>,
    values: Vec<u64>,
}

impl Sets {
    /// Makes `sets` sets of `updates_per_set` updates in `windows` windows.
    ///
    /// # Panics
    /// If there is no window, or more than 2^32.
    #[must_use]
    pub fn new(
        seed: Seed,
        windows: usize,
        updates_per_set: usize,
        sets: usize,
        order: Order,
    ) -> Self {
        let count = u32::try_from(windows).expect("windows are numbered by 32 bits");
        assert!(count > 0, "updates need a window");
        let mut rng = seed.stream("windows").rng();
        let next = |set: usize| match order {
            Order::Drawn => rng.below(u64::from(count)) as u32,
            Order::InTurn => (set % windows) as u32,
        };
        let from = seed.stream("updates").rng().below(PERIOD);
        let values = Stream::starting_at(from).take(sets * updates_per_set).collect();
        Self { windows, updates_per_set, order: (0..sets).map(next).collect(), values }
    }

    /// Number of windows.
    #[must_use]
    pub fn windows(&self) -> usize {
        self.windows
    }

    /// Updates of each set.
    #[must_use]
    pub fn updates_per_set(&self) -> usize {
        self.updates_per_set
    }

    /// Window of each set.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Values of all sets, one set after the other.
    #[must_use]
    pub fn values(&self) -> &[u64] {
        &self.values
    }

    /// Updates that each window has received after the first `done` sets.
    #[must_use]
    pub fn updates_by_window(&self, done: u64) -> Vec<u64> {
        let mut counts = vec![0; self.windows];
        for (at, &window) in self.order.iter().enumerate() {
            counts[window as usize] += self.times(at, done) * self.updates_per_set as u64;
        }
        counts
    }

    /// How often the window changed from one set to the next within the first `done` sets. A draw of
    /// the same window is no switch.
    #[must_use]
    pub fn switches(&self, done: u64) -> u64 {
        let sets = self.order.len();
        let changes = |at: usize| self.order[at] != self.order[(at + 1) % sets];
        // The change after set `at` counts once set `at + 1` is done.
        (0..sets).filter(|&at| changes(at)).map(|at| self.times(at, done.saturating_sub(1))).sum()
    }

    /// How often set `at` is among the first `done`.
    fn times(&self, at: usize, done: u64) -> u64 {
        let sets = self.order.len() as u64;
        done / sets + u64::from((at as u64) < done % sets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_the_same_for_the_same_seed_and_reach_every_window() {
        let sets = |seed| Sets::new(Seed(seed), 8, 4, 1000, Order::Drawn);
        assert_eq!(sets(1), sets(1));
        assert_ne!(sets(1).order(), sets(2).order());
        assert_ne!(sets(1).values(), sets(2).values());
        assert!((0..8).all(|window| sets(1).order().contains(&window)));
        assert_eq!(sets(1).values().len(), 4000);
        assert_eq!((sets(1).windows(), sets(1).updates_per_set()), (8, 4));
    }

    #[test]
    fn a_draw_of_the_same_window_is_no_switch() {
        let sets = Sets { windows: 3, updates_per_set: 2, order: vec![0, 0, 2, 1], values: vec![] };
        let switches = [0, 0, 0, 1, 2, 3, 3, 4, 5, 6, 6_u64];
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(|done| sets.switches(done)), switches);
        assert_eq!(sets.updates_by_window(3), [4, 0, 2]);
        assert_eq!(sets.updates_by_window(9), [10, 4, 4]);
    }

    #[test]
    fn at_two_windows_half_of_the_sets_stay() {
        let sets = Sets::new(Seed(7), 2, 1, 10_000, Order::Drawn);
        assert!((4_800..5_200).contains(&sets.switches(10_000)), "{}", sets.switches(10_000));
        let in_turn = Sets::new(Seed(7), 2, 0, 100, Order::InTurn);
        assert_eq!(in_turn.switches(100), 99);
        assert_eq!(in_turn.switches(201), 200);
    }
}
