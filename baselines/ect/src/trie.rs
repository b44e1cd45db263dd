//! One trie over sorted keys, without pointers: in pre-order, how many of a subtrie's keys go left.
//!
//! `Rep(T) = EC(|Left|, |T|) Rep(Left) Rep(Right)`, and nothing where `|T| ≤ 1` (§3.1.4). In a
//! *sparse* trie also nothing where all keys of a subtrie lie in one block (§3.1.6). What is left
//! out follows from the number of keys at the top and where the first of them lies.

use std::ops::Range;

use crate::bits::{Bits, Reader};
use crate::coder::Coder;

/// Sorted keys of equal length, one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) key_bytes: usize,
}

impl<'a> Keys<'a> {
    pub(crate) fn len(self) -> usize {
        self.bytes.len() / self.key_bytes
    }

    fn get(self, number: usize) -> &'a [u8] {
        &self.bytes[number * self.key_bytes..][..self.key_bytes]
    }

    fn part(self, range: Range<usize>) -> Self {
        let bytes = &self.bytes[range.start * self.key_bytes..range.end * self.key_bytes];
        Self { bytes, ..self }
    }

    /// How many of the keys, which agree in all bits before, have a 0 at `depth`.
    fn zeros(self, depth: usize) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if bit(self.get(middle), depth) { high = middle } else { low = middle + 1 }
        }
        low
    }
}

/// A bit of a key, the most significant first.
#[inline]
fn bit(key: &[u8], depth: usize) -> bool {
    key[depth / 8] >> (7 - depth % 8) & 1 == 1
}

/// Appends the trie of `keys`, distinct and sorted, that agree in the first `depth` bits. The first
/// of them is item `first` of a file with `per_block` items in a block.
pub(crate) fn encode(
    out: &mut Bits,
    coder: &Coder,
    keys: Keys<'_>,
    depth: usize,
    first: u64,
    per_block: u64,
) {
    let all = keys.len();
    if is_leaf(first, all, per_block) {
        return;
    }
    let left = keys.zeros(depth);
    coder.encode(out, left, all);
    encode(out, coder, keys.part(0..left), depth + 1, first, per_block);
    encode(out, coder, keys.part(left..all), depth + 1, first + left as u64, per_block);
}

/// Where a key is if it is anywhere: the first of `all` items among which it must be. `None` if the
/// bits are not those of a trie.
pub(crate) fn find(
    from: &mut Reader<'_>,
    coder: &Coder,
    key: &[u8],
    depth: usize,
    range: (u64, usize),
    per_block: u64,
) -> Option<(u64, usize)> {
    let ((mut first, mut all), mut depth) = (range, depth);
    while !is_leaf(first, all, per_block) {
        if depth == key.len() * 8 {
            return None;
        }
        let left = coder.decode(from, all)?;
        // All on one side: nothing to decide, whichever it is.
        if left > 0 && left < all {
            if bit(key, depth) {
                skip(from, coder, first, left, per_block)?;
                first += left as u64;
                all -= left;
            } else {
                all = left;
            }
        }
        depth += 1;
    }
    Some((first, all))
}

/// Reads past a subtrie.
fn skip(
    from: &mut Reader<'_>,
    coder: &Coder,
    mut first: u64,
    mut all: usize,
    per_block: u64,
) -> Option<()> {
    while !is_leaf(first, all, per_block) {
        let left = coder.decode(from, all)?;
        if left > 0 && left < all {
            skip(from, coder, first, left, per_block)?;
            first += left as u64;
            all -= left;
        }
    }
    Some(())
}

/// Whether nothing is told of a subtrie.
#[inline]
fn is_leaf(first: u64, all: usize, per_block: u64) -> bool {
    all <= 1 || (per_block > 1 && first / per_block == (first + all as u64 - 1) / per_block)
}

/// Reads past a whole trie and returns the counts that it tells: an encoding is right if these are
/// what its keys say.
#[cfg(test)]
pub(crate) fn counts(
    from: &mut Reader<'_>,
    coder: &Coder,
    all: usize,
    out: &mut Vec<usize>,
) -> Option<()> {
    if all <= 1 {
        return Some(());
    }
    let left = coder.decode(from, all)?;
    out.push(left);
    if left == 0 || left == all {
        return counts(from, coder, all, out);
    }
    counts(from, coder, left, out)?;
    counts(from, coder, all - left, out)
}
