//! The order of a border node's slots, in one word, so that one store publishes an insertion.

use std::fmt;

use crate::node::WIDTH;

/// The number of used slots and a list of all slots: first the used ones in key order, then the
/// free ones.
///
/// ```text
///  63      60        11      8 7       4 3      0
/// ┌──────────┬───────┬────────┬─────────┬────────┐
/// │ slot 14th│  ...  │ slot of│ slot of │ slots  │
/// │ in order │       │ 2nd key│ 1st key │ in use │
/// └──────────┴───────┴────────┴─────────┴────────┘
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Permutation(u64);

const BITS: u32 = 4;
const EACH_NIBBLE: u64 = 0x1111_1111_1111_1111;

const _: () = {
    assert!(WIDTH < 1 << BITS, "counts and slots fit a nibble");
    assert!((WIDTH as u32 + 1) * BITS == u64::BITS, "the word has no other bits");
};

impl Permutation {
    /// No slot in use.
    pub(crate) const EMPTY: Self = Self(0xedcb_a987_6543_2100);

    pub(crate) fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    #[inline]
    pub(crate) fn len(self) -> usize {
        (self.0 & 0xf) as usize
    }

    /// The slot at a position of the order; free slots follow the last used one.
    #[inline]
    pub(crate) fn slot(self, place: usize) -> usize {
        debug_assert!(place < WIDTH, "a node has {WIDTH} places");
        (self.0 >> (BITS as usize * (place + 1)) & 0xf) as usize
    }

    /// The slots in use, in order.
    pub(crate) fn slots(self) -> impl DoubleEndedIterator<Item = usize> {
        (0..self.len()).map(move |place| self.slot(place))
    }

    /// The position of a slot among all slots.
    #[inline]
    pub(crate) fn place(self, slot: usize) -> usize {
        // The nibble that equals the slot becomes zero; the lowest zero nibble is found exactly.
        let differences = (self.0 >> BITS) ^ (slot as u64 * (EACH_NIBBLE >> BITS));
        // There is nothing to find above the 15 nibbles.
        let differences = differences | 0xf << 60;
        let zeros = differences.wrapping_sub(EACH_NIBBLE) & !differences & (EACH_NIBBLE << 3);
        (zeros.trailing_zeros() / BITS) as usize
    }

    /// Whether a slot is in use.
    #[inline]
    pub(crate) fn holds(self, slot: usize) -> bool {
        self.place(slot) < self.len()
    }

    /// The slot that the next insertion takes. The node must not be full.
    pub(crate) fn free_slot(self) -> usize {
        self.slot(self.len())
    }

    /// The order with the free slot inserted at `place`.
    pub(crate) fn inserted(self, place: usize) -> Self {
        let len = self.len();
        debug_assert!(place <= len && len < WIDTH, "place {place} of {len}");
        let order = self.0 >> BITS;
        let kept = order & low(place);
        let moved = (order & low(len) & !low(place)) << BITS;
        let free = order & !low(len + 1);
        let slot = (self.free_slot() as u64) << (BITS as usize * place);
        Self((kept | slot | moved | free) << BITS | (len as u64 + 1))
    }

    /// The order with the slot at `place` freed.
    pub(crate) fn removed(self, place: usize) -> Self {
        let len = self.len();
        debug_assert!(place < len, "place {place} of {len}");
        let order = self.0 >> BITS;
        let kept = order & low(place);
        let moved = (order & low(len) & !low(place + 1)) >> BITS;
        let free = order & !low(len);
        let slot = (self.slot(place) as u64) << (BITS as usize * (len - 1));
        Self((kept | moved | slot | free) << BITS | (len as u64 - 1))
    }

    /// The order with only the first `len` positions in use.
    pub(crate) fn truncated(self, len: usize) -> Self {
        debug_assert!(len <= self.len(), "{len} of {}", self.len());
        Self(self.0 & !0xf | len as u64)
    }

    /// Whether every slot occurs exactly once.
    pub(crate) fn is_valid(self) -> bool {
        let seen = (0..WIDTH).fold(0_u32, |seen, place| seen | 1 << self.slot(place));
        seen == (1 << WIDTH) - 1
    }
}

impl fmt::Debug for Permutation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.slots()).finish()
    }
}

/// The lowest `places` nibbles.
fn low(places: usize) -> u64 {
    (1 << (BITS as usize * places)) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_a_vector() {
        let mut permutation = Permutation::EMPTY;
        let (mut used, mut random) = (Vec::new(), 1_u64);
        for _ in 0..10_000 {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let draw = (random >> 33) as usize;
            let insert = used.len() < WIDTH && (used.is_empty() || draw.is_multiple_of(2));
            if insert {
                let place = draw / 2 % (used.len() + 1);
                used.insert(place, permutation.free_slot());
                permutation = permutation.inserted(place);
            } else {
                let place = draw / 2 % used.len();
                used.remove(place);
                permutation = permutation.removed(place);
            }
            assert!(permutation.is_valid());
            assert_eq!(permutation.slots().collect::<Vec<_>>(), used);
            assert_eq!(Permutation::from_bits(permutation.bits()), permutation);
            for slot in 0..WIDTH {
                assert_eq!(permutation.slot(permutation.place(slot)), slot);
                assert_eq!(permutation.holds(slot), used.contains(&slot));
            }
            if used.len() > 3 {
                let half: Vec<_> = permutation.truncated(2).slots().collect();
                assert_eq!(half, used[..2]);
            }
        }
    }
}
