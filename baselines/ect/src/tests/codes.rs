//! Bits, Huffman tables and counts: what is written is read back.

use super::common::{Random, keys};
use crate::bits::{Bits, Reader};
use crate::coder::{Coder, Coding};
use crate::huffman::Huffman;
use crate::trie::{self, Keys};

#[test]
fn bits_are_read_as_they_were_written() {
    let mut random = Random(1);
    let mut bits = Bits::default();
    let mut written = Vec::new();
    for _ in 0..2000 {
        let count = (random.next() % 64 + 1) as u32;
        let value = random.next() >> (u64::BITS - count);
        bits.push(value, count);
        written.push((value, count));
    }
    bits.push(0, 0);
    assert_eq!(bits.length(), written.iter().map(|(_, count)| u64::from(*count)).sum::<u64>());
    let mut reader = Reader::new(&bits, 0, bits.length());
    for (value, count) in written {
        assert_eq!(reader.window() >> (u64::BITS - count), value);
        reader.advance(count).unwrap();
    }
    assert_eq!((reader.left(), reader.window()), (0, 0));
    assert!(reader.advance(1).is_none(), "past the end");
}

/// Any weights, also such as make codes long: every code is read back, no code begins another,
/// and their lengths use up the space of codes.
#[test]
fn huffman_codes_are_complete_and_read_back() {
    let doubling: Vec<u128> = (0..60).map(|exponent| 1 << exponent).collect();
    let flat = vec![7; 33];
    for weights in [vec![1, 1], doubling, flat, vec![1, 1, 2, 3, 5, 8, 13, 21]] {
        let huffman = Huffman::of_weights(&weights);
        let mut bits = Bits::default();
        let mut space = 0_u128;
        for symbol in 0..weights.len() {
            huffman.encode(&mut bits, symbol);
            space += 1 << (64 - huffman.length(symbol));
        }
        assert_eq!(space, 1 << 64, "{weights:?}");
        let mut reader = Reader::new(&bits, 0, bits.length());
        for symbol in 0..weights.len() {
            assert_eq!(huffman.decode(&mut reader), Some(symbol));
        }
        assert_eq!(reader.left(), 0);
        assert!(Huffman::of_weights(&[1, 1]).decode(&mut reader).is_none());
    }
    let lengths = Huffman::of_weights(&[1, 1, 2, 4]);
    assert_eq!([0, 1, 2, 3].map(|symbol| lengths.length(symbol)), [3, 3, 2, 1]);
}

/// Every count in every context, across the border between the two codes.
#[test]
fn counts_are_read_as_they_were_written() {
    for (huffman_max, merged) in [(64, true), (64, false), (8, true), (1, false)] {
        let coder = Coder::new(Coding { huffman_max, merged });
        for all in 2..=300 {
            let mut bits = Bits::default();
            let mut length = 0;
            for left in 0..=all {
                coder.encode(&mut bits, left, all);
                length += u64::from(coder.length(left, all));
            }
            assert_eq!(bits.length(), length);
            let mut reader = Reader::new(&bits, 0, bits.length());
            for left in 0..=all {
                let read = coder.decode(&mut reader, all).unwrap();
                let wanted = if merged && left == all { 0 } else { left };
                assert_eq!(read, wanted, "{left} of {all}, tables up to {huffman_max}");
            }
            assert_eq!(reader.left(), 0);
        }
    }
    // No number of keys has so many zeros before it.
    let mut zeros = Bits::default();
    zeros.push(0, 64);
    let coder = Coder::new(Coding { huffman_max: 1, merged: true });
    assert!(coder.decode(&mut Reader::new(&zeros, 0, 64), 1000).is_none());
}

/// The example of figures 2.5 and 2.6: the counts are 3 2 1 3 1 1 1.
#[test]
fn the_text_s_example_has_the_text_s_counts() {
    let keys = [0b00010, 0b00101, 0b01101, 0b10010, 0b10100, 0b10110, 0b11011, 0b11110_u8];
    let bytes: Vec<u8> = keys.iter().map(|key| key << 3).collect();
    let coder = Coder::new(Coding { huffman_max: 16, merged: false });
    let mut bits = Bits::default();
    let keys = Keys { bytes: &bytes, key_bytes: 1 };
    trie::encode(&mut bits, &coder, keys, 0, 0, 1);
    let mut counts = Vec::new();
    let mut reader = Reader::new(&bits, 0, bits.length());
    trie::counts(&mut reader, &coder, 8, &mut counts).unwrap();
    assert_eq!((counts.as_slice(), reader.left()), ([3, 2, 1, 3, 1, 1, 1].as_slice(), 0));
    let mut reader = Reader::new(&bits, 0, bits.length());
    let key = [0b10010 << 3];
    assert_eq!(trie::find(&mut reader, &coder, &key, 0, (0, 8), 1), Some((3, 1)));
}

/// A trie's counts are those of its keys, counted anew.
#[test]
fn tries_tell_the_counts_of_their_keys() {
    fn count(keys: &[[u8; 12]], depth: usize, out: &mut Vec<usize>) {
        if keys.len() > 1 {
            let left = keys.iter().filter(|key| key[depth / 8] << (depth % 8) < 128).count();
            out.push(left);
            count(&keys[..left], depth + 1, out);
            count(&keys[left..], depth + 1, out);
        }
    }
    for (huffman_max, seed) in [(64, 1), (16, 2), (1, 3)] {
        let coder = Coder::new(Coding { huffman_max, merged: false });
        let keys = keys(700, seed);
        let (mut wanted, mut told, mut bits) = (Vec::new(), Vec::new(), Bits::default());
        count(&keys, 0, &mut wanted);
        let flat = Keys { bytes: keys.as_flattened(), key_bytes: 12 };
        trie::encode(&mut bits, &coder, flat, 0, 0, 1);
        let mut reader = Reader::new(&bits, 0, bits.length());
        tell(&mut reader, &coder, keys.len(), &mut told);
        assert_eq!(told, wanted);
        assert_eq!(reader.left(), 0);
    }

    fn tell(reader: &mut Reader<'_>, coder: &Coder, all: usize, out: &mut Vec<usize>) {
        if all > 1 {
            let left = coder.decode(reader, all).unwrap();
            out.push(left);
            tell(reader, coder, left, out);
            tell(reader, coder, all - left, out);
        }
    }
}
