//! Bloom filters: a key that is in the table is never denied, one that is not mostly is.

use xxhash_rust::xxh3::xxh3_64;

const BITS_MIN: usize = 64;
const PROBES_MAX: u32 = 30;

/// A filter as in a file: bits, then the number of probes in the last byte.
#[derive(Debug)]
pub(crate) struct Bloom {
    bytes: Box<[u8]>,
}

/// The hash of a key, from which its probes are made.
pub(crate) fn hash(key: &[u8]) -> u64 {
    xxh3_64(key)
}

/// The filter of keys with these hashes.
pub(super) fn build(hashes: &[u64], bits_per_key: usize) -> Vec<u8> {
    let bits = (hashes.len() * bits_per_key).max(BITS_MIN);
    let bytes = bits.div_ceil(8);
    // The fewest false answers are where half of the bits are set: ln 2 probes for each bit a key.
    let probes = ((bits_per_key as f64 * 0.69) as u32).clamp(1, PROBES_MAX);
    let mut filter = vec![0; bytes + 1];
    filter[bytes] = probes as u8;
    for &hash in hashes {
        for bit in bits_of(hash, probes, 8 * bytes) {
            filter[bit / 8] |= 1 << (bit % 8);
        }
    }
    filter
}

/// The bits of a hash: sums of its halves.
fn bits_of(hash: u64, probes: u32, bits: usize) -> impl Iterator<Item = usize> {
    let step = hash.rotate_right(32) | 1;
    (0..u64::from(probes)).map(move |probe| {
        let word = hash.wrapping_add(step.wrapping_mul(probe));
        ((u128::from(word) * bits as u128) >> 64) as usize
    })
}

impl Bloom {
    /// The filter in `bytes`; `None` if they are none.
    pub(crate) fn new(bytes: Box<[u8]>) -> Option<Self> {
        (bytes.len() > BITS_MIN / 8).then_some(Self { bytes })
    }

    /// Whether a key with this hash may be there.
    pub(crate) fn may_have(&self, hash: u64) -> bool {
        let bytes = self.bytes.len() - 1;
        let probes = u32::from(self.bytes[bytes]);
        bits_of(hash, probes, 8 * bytes).all(|bit| self.bytes[bit / 8] & 1 << (bit % 8) != 0)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }
}
