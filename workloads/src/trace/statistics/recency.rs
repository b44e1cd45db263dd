//! The order of last accesses, and how many keys come after a given one.
//!
//! Every key has a slot. An access moves it to the next free slot, so slots are in the order of
//! last accesses. One bit says whether a slot is taken, and a Fenwick tree counts the bits of each
//! 64-bit word:
//!
//! ```text
//! slots  ─►  words of 64 bits  ─►  tree over the words: bits in a range that ends with the word
//! ```
//!
//! A slot takes a bit and a half, so the order of 32 million keys fits into a cache of 12 MiB. When
//! slots run out, the keys move to the lowest ones ([`Recency::ranks`]).

/// The smallest number of slots.
const SLOTS_MIN: u32 = 1 << 12;
const WORD: u32 = u64::BITS;

/// Which slots are taken.
#[derive(Clone, Debug)]
pub(super) struct Recency {
    words: Vec<u64>,
    /// Entry `i` counts the bits of the `lowest_bit(i + 1)` words ending with word `i`.
    tree: Vec<u32>,
    next: u32,
    taken: u32,
}

impl Recency {
    /// The first `taken` slots are taken; at least as many are free.
    pub(super) fn new(taken: u32) -> Self {
        let slots = (2 * taken).max(SLOTS_MIN).next_multiple_of(WORD);
        let word = |place: u32| match taken.saturating_sub(place * WORD) {
            WORD.. => u64::MAX,
            bits => (1 << bits) - 1,
        };
        let words: Vec<u64> = (0..slots / WORD).map(word).collect();
        let mut tree: Vec<u32> = words.iter().map(|word| word.count_ones()).collect();
        for place in 0..tree.len() {
            let parent = place | (place + 1);
            if parent < tree.len() {
                tree[parent] += tree[place];
            }
        }
        Self { words, tree, next: taken, taken }
    }

    /// Number of keys that have a slot.
    pub(super) fn taken(&self) -> u32 {
        self.taken
    }

    /// Whether no slot is left for the next access.
    pub(super) fn is_used_up(&self) -> bool {
        self.next == self.words.len() as u32 * WORD
    }

    /// Takes the next slot.
    #[inline]
    pub(super) fn take(&mut self) -> u32 {
        let slot = self.next;
        self.words[(slot / WORD) as usize] |= 1 << (slot % WORD);
        let mut place = (slot / WORD) as usize;
        while let Some(sum) = self.tree.get_mut(place) {
            *sum += 1;
            place |= place + 1;
        }
        self.next += 1;
        self.taken += 1;
        slot
    }

    /// Frees `slot`.
    #[inline]
    pub(super) fn leave(&mut self, slot: u32) {
        let word = &mut self.words[(slot / WORD) as usize];
        debug_assert!(*word >> (slot % WORD) & 1 == 1, "slot {slot} is not taken");
        *word &= !(1 << (slot % WORD));
        let mut place = (slot / WORD) as usize;
        while let Some(sum) = self.tree.get_mut(place) {
            *sum -= 1;
            place |= place + 1;
        }
        self.taken -= 1;
    }

    /// Number of keys accessed since the key in `slot` was.
    #[inline]
    pub(super) fn behind(&self, slot: u32) -> u32 {
        let mut place = (slot / WORD) as usize;
        let upper = self.words[place] >> (slot % WORD);
        let mut up_to = self.words[place].count_ones() - upper.count_ones() + 1;
        while place > 0 {
            up_to += self.tree[place - 1];
            place &= place - 1;
        }
        self.taken - up_to
    }

    /// For each word, the number of keys in the slots before it. This gives every slot its rank.
    pub(super) fn ranks(&self) -> Ranks<'_> {
        let mut sum = 0;
        let before = self.words.iter().map(|word| {
            let before = sum;
            sum += word.count_ones();
            before
        });
        Ranks { before: before.collect(), words: &self.words }
    }
}

/// The rank of every slot among the taken ones.
pub(super) struct Ranks<'a> {
    before: Vec<u32>,
    words: &'a [u64],
}

impl Ranks<'_> {
    /// Number of taken slots below `slot`.
    pub(super) fn of(&self, slot: u32) -> u32 {
        let place = (slot / WORD) as usize;
        let below = self.words[place] & ((1 << (slot % WORD)) - 1);
        self.before[place] + below.count_ones()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_know_how_many_stand_behind_them() {
        for taken in [0, 1, 63, 64, 65, 3000, 5000] {
            let mut recency = Recency::new(taken);
            let mut slots: Vec<u32> = (0..taken).collect();
            let mut turn = 7;
            while !recency.is_used_up() {
                turn = (turn * 31 + 17) % 1_000_003;
                if turn % 3 == 0 || slots.is_empty() {
                    slots.push(recency.take());
                } else {
                    let place = turn as usize % slots.len();
                    let slot = slots.remove(place);
                    assert_eq!(recency.behind(slot) as usize, slots.len() - place);
                    recency.leave(slot);
                    slots.push(recency.take());
                }
            }
            assert_eq!(recency.taken() as usize, slots.len());
            let ranks = recency.ranks();
            let found: Vec<u32> = slots.iter().map(|&slot| ranks.of(slot)).collect();
            assert_eq!(found, (0..slots.len() as u32).collect::<Vec<_>>());
        }
    }
}
