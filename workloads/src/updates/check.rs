//! The table at the start, and what it must be after sets were applied to it.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Sets;

/// What a check of one window found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Words compared: all of the window.
    pub words: u64,
    /// Words with another value than they must have.
    pub wrong: u64,
}

/// Writes the words with which window `window` begins.
pub fn fill_window(words: &[AtomicU64], window: usize) {
    let first = first_word(words, window);
    for (word, value) in words.iter().zip(first..) {
        // Relaxed: one thread, here and below.
        word.store(value, Ordering::Relaxed);
    }
}

/// Applies to `words` what the first `done` sets apply to window `window`, and counts the words that
/// then are not as at the start. Sets that were applied once cancel; a set that is missing, applied
/// twice or applied to a neighbour does not.
pub fn check_window(words: &[AtomicU64], window: usize, sets: &Sets, done: u64) -> Checked {
    let count = words.len() as u64;
    let odd = |at: &usize| !sets.times(*at, done).is_multiple_of(2);
    let here = |at: &usize| sets.order[*at] as usize == window;
    for at in (0..sets.order.len()).filter(here).filter(odd) {
        let updates = sets.updates_per_set;
        for &value in &sets.values[at * updates..][..updates] {
            // The high bits, scaled to the window: for 2^n words, the highest n bits.
            let index = (u128::from(value) * u128::from(count)) >> u64::BITS;
            words[index as usize].fetch_xor(value, Ordering::Relaxed);
        }
    }
    let first = first_word(words, window);
    let differs = |&(word, value): &(&AtomicU64, u64)| word.load(Ordering::Relaxed) != value;
    let wrong = words.iter().zip(first..).filter(differs).count() as u64;
    Checked { words: count, wrong }
}

fn first_word(words: &[AtomicU64], window: usize) -> u64 {
    window as u64 * words.len() as u64
}

#[cfg(test)]
mod tests {
    use super::super::Order;
    use super::*;
    use crate::Seed;

    const WORDS: usize = 1 << 8;

    fn window(number: usize) -> Vec<AtomicU64> {
        let words: Vec<AtomicU64> = (0..WORDS).map(|_| AtomicU64::new(0)).collect();
        fill_window(&words, number);
        words
    }

    /// The table after `done` sets, computed by shifts instead of products.
    fn applied(sets: &Sets, done: u64) -> Vec<Vec<AtomicU64>> {
        let mut table: Vec<Vec<AtomicU64>> = (0..sets.windows()).map(window).collect();
        for set in 0..done as usize {
            let at = set % sets.order().len();
            let updates = sets.updates_per_set();
            for value in &sets.values()[at * updates..][..updates] {
                *table[sets.order()[at] as usize][(value >> 56) as usize].get_mut() ^= value;
            }
        }
        table
    }

    fn wrong(table: &[Vec<AtomicU64>], sets: &Sets, done: u64) -> u64 {
        let windows = table.iter().enumerate();
        windows.map(|(window, words)| check_window(words, window, sets, done).wrong).sum()
    }

    fn sets() -> Sets {
        Sets::new(Seed(42), 3, 16, 50, Order::Drawn)
    }

    #[test]
    fn the_table_begins_with_its_own_indices() {
        let words = [const { AtomicU64::new(0) }; 4];
        fill_window(&words, 3);
        assert_eq!(words.map(AtomicU64::into_inner), [12, 13, 14, 15]);
    }

    #[test]
    fn the_same_sets_once_more_restore_every_word() {
        for done in [0, 1, 49, 50, 51, 125] {
            assert_eq!(wrong(&applied(&sets(), done), &sets(), done), 0, "{done} sets");
        }
        let untouched = Checked { words: WORDS as u64, wrong: 0 };
        assert_eq!(check_window(&window(0), 0, &sets(), 0), untouched);
    }

    #[test]
    fn a_set_that_is_missing_or_with_the_neighbour_is_found() {
        assert!(wrong(&applied(&sets(), 30), &sets(), 31) >= 10);
        let mut swapped = applied(&sets(), 30);
        swapped.swap(0, 1);
        assert_eq!(wrong(&swapped, &sets(), 30), 2 * WORDS as u64);
        let mut neighbour = applied(&sets(), 30);
        *neighbour[2][7].get_mut() ^= 1;
        assert_eq!(wrong(&neighbour, &sets(), 30), 1);
    }
}
