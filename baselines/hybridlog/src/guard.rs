//! The word of a record that is its lock and its version, and says what the record is.
//!
//! ```text
//!  63       30 29     29 28    27 26           0
//! ┌───────────┬─────────┬────────┬─────────────┐
//! │  version  │ locked  │ state  │ value bytes │
//! └───────────┴─────────┴────────┴─────────────┘
//! ```
//!
//! Who writes a record locks it first. The version grows with every change, so a reader that finds
//! the same word before and after copying has copied one value. It would be deceived only by
//! exactly 2^34 changes of one record during one copy.

const VALUE_BITS: u32 = 27;
const STATE_SHIFT: u32 = VALUE_BITS;
const STATE_MASK: u64 = 3;
const LOCKED: u64 = 1 << (STATE_SHIFT + 2);
const VERSION_ONE: u64 = LOCKED << 1;

/// The longest value that a guard can describe.
pub(crate) const VALUE_BYTES_MAX: usize = (1 << VALUE_BITS) - 1;

/// What a record is to its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Its value.
    Live = 0,
    /// The key is deleted, and no newer record says otherwise.
    Tombstone = 1,
    /// Nothing: another record has taken its place, or it was never published. Final.
    Dead = 2,
}

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Guard(u64);

impl Guard {
    /// The guard of a new record.
    #[inline]
    pub(crate) fn new(value_bytes: usize) -> Self {
        debug_assert!(value_bytes <= VALUE_BYTES_MAX);
        Self(value_bytes as u64)
    }

    #[inline]
    pub(crate) fn from_word(word: u64) -> Self {
        Self(word)
    }

    #[inline]
    pub(crate) fn word(self) -> u64 {
        self.0
    }

    #[inline]
    pub(crate) fn is_locked(self) -> bool {
        self.0 & LOCKED != 0
    }

    #[inline]
    pub(crate) fn locked(self) -> Self {
        Self(self.0 | LOCKED)
    }

    #[inline]
    pub(crate) fn state(self) -> State {
        match (self.0 >> STATE_SHIFT) & STATE_MASK {
            0 => State::Live,
            1 => State::Tombstone,
            _ => State::Dead,
        }
    }

    #[inline]
    pub(crate) fn value_bytes(self) -> usize {
        (self.0 & (VALUE_BYTES_MAX as u64)) as usize
    }

    /// The unlocked guard after a change.
    #[inline]
    pub(crate) fn next(self, state: State, value_bytes: usize) -> Self {
        debug_assert!(value_bytes <= VALUE_BYTES_MAX);
        // The version is at the top, so its carry is lost.
        let version = (self.0 & !(VERSION_ONE - 1)).wrapping_add(VERSION_ONE);
        Self(version | ((state as u64) << STATE_SHIFT) | value_bytes as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_kept_apart() {
        for value_bytes in [0, 1, VALUE_BYTES_MAX] {
            let mut guard = Guard::new(value_bytes);
            assert_eq!((guard.state(), guard.value_bytes()), (State::Live, value_bytes));
            for state in [State::Tombstone, State::Live, State::Dead] {
                let next = guard.locked().next(state, value_bytes);
                assert!(!next.is_locked() && next.locked().is_locked());
                assert_eq!((next.state(), next.value_bytes()), (state, value_bytes));
                assert_eq!(next.locked().value_bytes(), value_bytes);
                assert_ne!(next, guard, "a change shows");
                guard = next;
            }
        }
    }

    #[test]
    fn versions_go_around_without_touching_the_rest() {
        let last = Guard::from_word(u64::MAX).next(State::Live, 7);
        assert_eq!(last, Guard::new(7), "the version is 0 again");
        assert_ne!(last.next(State::Live, 7), last);
    }
}
