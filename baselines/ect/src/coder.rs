//! How many of a subtrie's keys go left, coded in the context of how many there are.
//!
//! Of `all` hashed keys, `left` is binomial with probability ½ (§3.1.4). Up to `huffman_max` keys
//! there is a Huffman table for each number of keys; above, Elias-gamma of the distance from half
//! of them: 0, −1, 1, −2 … become 1, 2, 3, 4 …
//!
//! *Merged*: `left = 0` and `left = all` share a code. In either case all keys have the same bit,
//! and a key that is indexed need not be asked which.

use crate::bits::{Bits, Reader};
use crate::huffman::Huffman;

/// Tables beyond this would have codes of more than a word.
pub(crate) const HUFFMAN_MAX: u32 = 64;

/// How counts are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coding {
    /// Up to so many keys a subtrie's count is Huffman-coded, from 1 (never) to 64.
    pub huffman_max: u32,
    /// Whether *all left* and *all right* share a code.
    pub merged: bool,
}

impl Default for Coding {
    /// Tables up to 64, merged: what §3.1.4 analyses.
    fn default() -> Self {
        Self { huffman_max: 64, merged: true }
    }
}

/// The tables of a [`Coding`].
#[derive(Clone, Debug)]
pub(crate) struct Coder {
    coding: Coding,
    /// For 2 keys and more.
    tables: Vec<Huffman>,
}

impl Coder {
    /// # Panics
    /// If `huffman_max` is out of range.
    pub(crate) fn new(coding: Coding) -> Self {
        let Coding { huffman_max, merged } = coding;
        assert!((1..=HUFFMAN_MAX).contains(&huffman_max), "tables up to {huffman_max} keys");
        let table = |all: u32| {
            let mut weights: Vec<u128> = (0..=all).map(|left| binomial(all, left)).collect();
            if merged {
                weights[0] += 1;
                weights.pop();
            }
            Huffman::of_weights(&weights)
        };
        Self { coding, tables: (2..=huffman_max).map(table).collect() }
    }

    /// What `left` is coded as.
    fn symbol(&self, left: usize, all: usize) -> usize {
        if self.coding.merged && left == all { 0 } else { left }
    }

    /// Appends the code of `left` of `all` keys, which are 2 at least.
    pub(crate) fn encode(&self, out: &mut Bits, left: usize, all: usize) {
        let symbol = self.symbol(left, all);
        match self.tables.get(all - 2) {
            Some(table) => table.encode(out, symbol),
            None => {
                let (number, bits) = gamma(symbol, all);
                out.push(0, bits - 1);
                out.push(number, bits);
            }
        }
    }

    /// Bits that [`encode`](Self::encode) appends.
    pub(crate) fn length(&self, left: usize, all: usize) -> u32 {
        let symbol = self.symbol(left, all);
        match self.tables.get(all - 2) {
            Some(table) => table.length(symbol),
            None => 2 * gamma(symbol, all).1 - 1,
        }
    }

    /// How many of `all` keys, 2 at least, go left; 0 or `all` if they stay together. `None` if the
    /// bits end within the code, or it is none.
    #[inline]
    pub(crate) fn decode(&self, from: &mut Reader<'_>, all: usize) -> Option<usize> {
        if let Some(table) = self.tables.get(all - 2) {
            return table.decode(from);
        }
        let zeros = from.window().leading_zeros();
        // A number of keys has 32 bits at most.
        if zeros > 33 {
            return None;
        }
        from.advance(zeros)?;
        let number = from.window() >> (u64::BITS - zeros - 1);
        from.advance(zeros + 1)?;
        let distance = number - 1;
        let steps = i64::try_from(distance.div_ceil(2)).ok()?;
        let half = (all / 2) as i64;
        let left = if distance.is_multiple_of(2) { half + steps } else { half - steps };
        usize::try_from(left).ok().filter(|&left| left <= all)
    }
}

/// The number that Elias-gamma codes, and its bits.
fn gamma(left: usize, all: usize) -> (u64, u32) {
    let half = all / 2;
    let zigzag = if left >= half { 2 * (left - half) } else { 2 * (half - left) - 1 };
    let number = zigzag as u64 + 1;
    (number, u64::BITS - number.leading_zeros())
}

/// Ways to choose `left` of `all`; exact up to [`HUFFMAN_MAX`].
fn binomial(all: u32, left: u32) -> u128 {
    (0..u128::from(left)).fold(1, |ways, step| ways * (u128::from(all) - step) / (step + 1))
}
