//! One canonical Huffman table, from whole weights.
//!
//! Whole weights make the lengths the same on every machine. Ties go to what was made first:
//! symbols in their order, then inner nodes in theirs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::bits::{Bits, Reader};

/// Codes up to this length are decoded by one look into a table.
const SHORT_BITS: u32 = 8;

#[derive(Clone, Copy, Debug)]
struct Code {
    bits: u64,
    length: u32,
}

/// Codes of one length, in the order of canonical codes.
#[derive(Clone, Copy, Debug)]
struct Length {
    bits: u32,
    first_code: u64,
    /// The last code of this length and those before, with ones behind it.
    last_window: u64,
    first_rank: usize,
}

/// A code for symbols from 0 upwards.
#[derive(Clone, Debug)]
pub(crate) struct Huffman {
    codes: Vec<Code>,
    lengths: Vec<Length>,
    /// Symbols by code.
    ranked: Vec<u16>,
    /// By the first bits of a window: symbol and length; length 0 if the code is longer.
    short: Vec<(u16, u8)>,
}

impl Huffman {
    /// The code for symbols of these weights; at least two, none of them 0.
    pub(crate) fn of_weights(weights: &[u128]) -> Self {
        let depths = depths(weights);
        let mut ranked: Vec<u16> = (0..weights.len() as u16).collect();
        ranked.sort_by_key(|&symbol| (depths[usize::from(symbol)], symbol));
        let mut codes = vec![Code { bits: 0, length: 0 }; weights.len()];
        let mut lengths: Vec<Length> = Vec::new();
        let mut next = 0_u64;
        for (rank, &symbol) in ranked.iter().enumerate() {
            let length = depths[usize::from(symbol)];
            match lengths.last().map(|last| last.bits) {
                Some(bits) if bits == length => {}
                before => {
                    next <<= length - before.unwrap_or(0);
                    let (first_code, first_rank) = (next, rank);
                    lengths.push(Length { bits: length, first_code, last_window: 0, first_rank });
                }
            }
            codes[usize::from(symbol)] = Code { bits: next, length };
            let last = lengths.last_mut().expect("a length was just added");
            let behind = u64::BITS - length;
            last.last_window = (next << behind) | ((1_u64 << behind) - 1);
            next += 1;
        }
        let mut huffman = Self { codes, lengths, ranked, short: Vec::new() };
        huffman.short = (0..1_u64 << SHORT_BITS)
            .map(|first| {
                let (symbol, length) = huffman.find(first << (u64::BITS - SHORT_BITS));
                if length <= SHORT_BITS { (symbol, length as u8) } else { (0, 0) }
            })
            .collect();
        huffman
    }

    /// The length of a symbol's code, in bits.
    pub(crate) fn length(&self, symbol: usize) -> u32 {
        self.codes[symbol].length
    }

    pub(crate) fn encode(&self, out: &mut Bits, symbol: usize) {
        let Code { bits, length } = self.codes[symbol];
        out.push(bits, length);
    }

    /// `None` if the bits end within the code.
    #[inline]
    pub(crate) fn decode(&self, from: &mut Reader<'_>) -> Option<usize> {
        let window = from.window();
        let (symbol, length) = match self.short[(window >> (u64::BITS - SHORT_BITS)) as usize] {
            (_, 0) => self.find(window),
            (symbol, length) => (symbol, u32::from(length)),
        };
        from.advance(length)?;
        Some(usize::from(symbol))
    }

    /// The code is complete, so every window begins with some symbol.
    fn find(&self, window: u64) -> (u16, u32) {
        let length = self.lengths.iter().find(|length| window <= length.last_window);
        let length = length.expect("the last code is all ones");
        let rank = (window >> (u64::BITS - length.bits)) - length.first_code;
        (self.ranked[length.first_rank + rank as usize], length.bits)
    }
}

/// The length of each symbol's code.
fn depths(weights: &[u128]) -> Vec<u32> {
    assert!(weights.len() >= 2, "a code distinguishes two symbols");
    let mut heap: BinaryHeap<_> =
        weights.iter().enumerate().map(|(node, &weight)| Reverse((weight, node))).collect();
    // Parents have higher numbers than their children.
    let mut parents = vec![0; 2 * weights.len() - 1];
    for parent in weights.len()..parents.len() {
        let mut take = || heap.pop().expect("two nodes are left").0;
        let ((weight_0, node_0), (weight_1, node_1)) = (take(), take());
        (parents[node_0], parents[node_1]) = (parent, parent);
        heap.push(Reverse((weight_0 + weight_1, parent)));
    }
    let mut depths = vec![0; parents.len()];
    for node in (0..parents.len() - 1).rev() {
        depths[node] = depths[parents[node]] + 1;
    }
    depths.truncate(weights.len());
    depths
}
