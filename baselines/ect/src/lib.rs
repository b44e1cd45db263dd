//! Entropy-coded tries: from a sorted file of hashed keys, an index of about 2.5 bits a key.
//!
//! After chapters 2 and 3 of H. Lim, *Resource-Efficient Data-Intensive System Designs for High
//! Performance and Capacity* (CMU-CS-15-132, 2015). `README.md` has formats and differences.
//!
//! The index maps a key to its ordinal among the sorted keys. It says nothing about keys that are
//! not there: for those it answers some ordinal, and whoever reads the item compares the key.
//!
//! | file | contents |
//! |---|---|
//! | `bits` | bits in words, most significant first |
//! | `huffman` | one canonical table from whole weights |
//! | `coder` | a count within its context: Huffman when small, Elias-gamma when large |
//! | `expected` | bits that the coder is expected to take, by recurrence |
//! | `trie` | one bucket's trie: encoding, walking, leaving out what lies in one block |
//! | `offsets` | the two-level index of buckets |
//! | `builder`, `index` | buckets over all keys: building in order, looking up |
//! | `image` | the index as bytes, with a checksum |
//! | `merge` | sorted items and sorted changes into sorted items |
//! | `error` | what can be wrong with input and images |
#![forbid(unsafe_code)]

mod bits;
mod builder;
mod coder;
mod error;
mod expected;
mod huffman;
mod image;
mod index;
mod merge;
mod offsets;
#[cfg(test)]
mod tests;
mod trie;

pub use builder::Builder;
pub use coder::Coding;
pub use error::{BuildError, ImageError, Malformed, MergeError, MergeInput};
pub use expected::{bits_per_key, entropy_per_key, sparse_bits_per_key};
pub use index::{Index, Params, Place};
pub use merge::{Change, Merge};
