//! Logical addresses, and the ring of memory that holds the end of the log.
//!
//! A logical address is where something was appended. None is used twice. Its low bits are a place
//! in the ring, the others count laps:
//!
//! ```text
//!  63     48 47                        0
//! ┌─────────┬────────────┬──────────────┐
//! │    0    │    lap     │ place, words │
//! └─────────┴────────────┴──────────────┘
//! ```
//!
//! A ring need not be a power of two long: places beyond its length are never used. A mask finds a
//! place, and addresses compare like numbers. Only distances need a division.

/// Bits of an address, as in the original, whose addresses count bytes.
pub(crate) const ADDRESS_BITS: u32 = 48;
const ADDRESS_MAX: u64 = (1 << ADDRESS_BITS) - 1;

/// A logical address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Address(u64);

impl Address {
    /// Below the address of every record.
    pub(crate) const NONE: Self = Self(0);

    /// The address in the low bits of a word.
    #[inline]
    pub(crate) fn from_word(word: u64) -> Self {
        Self(word & ADDRESS_MAX)
    }

    #[inline]
    pub(crate) fn word(self) -> u64 {
        self.0
    }
}

/// A ring of words, seen through addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ring {
    words: u64,
    place_bits: u32,
}

impl Ring {
    /// A ring of at least two words.
    pub(crate) fn new(words: u64) -> Self {
        debug_assert!(words >= 2, "a ring of {words} words");
        Self { words, place_bits: u64::BITS - (words - 1).leading_zeros() }
    }

    #[inline]
    pub(crate) fn words(self) -> u64 {
        self.words
    }

    /// Where a log begins. Laps count from 1, so that no record is at [`Address::NONE`].
    pub(crate) fn first(self) -> Address {
        Address(1 << self.place_bits)
    }

    /// The place of an address. It is the ring's length if something ends at the ring's end.
    #[inline]
    pub(crate) fn place(self, address: Address) -> usize {
        (address.0 & ((1 << self.place_bits) - 1)) as usize
    }

    fn next_lap(self, address: Address) -> Address {
        Address(((address.0 >> self.place_bits) + 1) << self.place_bits)
    }

    /// The same position with a place inside the ring.
    pub(crate) fn canonical(self, address: Address) -> Address {
        let is_at_end = self.place(address) as u64 == self.words;
        if is_at_end { self.next_lap(address) } else { address }
    }

    /// The address `words` words behind `at`, in the same lap or at its end.
    pub(crate) fn behind(self, at: Address, words: u64) -> Address {
        debug_assert!(self.place(at) as u64 + words <= self.words);
        self.canonical(Address(at.0 + words))
    }

    /// Words up to an address; differences of positions are distances in the ring.
    pub(crate) fn position(self, address: Address) -> u64 {
        (address.0 >> self.place_bits) * self.words + self.place(address) as u64
    }

    /// The address at a position, or the last address of all if there are no more.
    pub(crate) fn at(self, position: u64) -> Address {
        let (lap, place) = (position / self.words, position % self.words);
        if lap > ADDRESS_MAX >> self.place_bits {
            return Address(ADDRESS_MAX);
        }
        Address((lap << self.place_bits) | place)
    }

    /// Where `words` words appended at `tail` begin and end. Nothing goes around the ring's end:
    /// what does not fit before it begins with the next lap.
    #[inline]
    pub(crate) fn fit(self, tail: Address, words: u64) -> (Address, Address) {
        let fits = self.place(tail) as u64 + words <= self.words;
        let at = if fits { tail } else { self.next_lap(tail) };
        (at, Address(at.0 + words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_addresses_are_in_the_same_order() {
        for words in [2, 64, 100, 127, 128, 129] {
            let ring = Ring::new(words);
            assert_eq!(ring.position(ring.first()), words);
            let addresses: Vec<_> = (0..5 * words).map(|position| ring.at(position)).collect();
            assert!(addresses.is_sorted());
            for (position, &address) in (0..).zip(&addresses) {
                assert_eq!(ring.position(address), position);
                assert_eq!(ring.place(address) as u64, position % words);
                assert_eq!(ring.canonical(address), address);
            }
        }
    }

    #[test]
    fn nothing_goes_around_the_end() {
        for words in [100, 128] {
            let ring = Ring::new(words);
            let near_end = ring.at(2 * words - 5);
            let (at, after) = ring.fit(near_end, 5);
            assert_eq!((at, ring.position(after)), (near_end, 2 * words));
            assert_eq!(ring.canonical(after), ring.at(2 * words));
            assert_eq!(ring.fit(after, 3).0, ring.at(2 * words), "what ends at the end");
            let (at, after) = ring.fit(near_end, 6);
            assert_eq!((ring.position(at), ring.position(after)), (2 * words, 2 * words + 6));
        }
    }

    #[test]
    fn addresses_end_instead_of_coming_again() {
        let ring = Ring::new(100);
        let last = ring.at(u64::MAX);
        assert_eq!(last.word(), ADDRESS_MAX);
        let (_, after) = ring.fit(Address(ADDRESS_MAX - 20), 64);
        assert!(after > last);
    }
}
