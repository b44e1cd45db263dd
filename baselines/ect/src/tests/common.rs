//! Hashed keys for tests.

use crate::{Builder, Index, Params};

/// A sequence of random words.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }
}

/// Distinct keys of 12 bytes, sorted.
pub(super) fn keys(count: usize, seed: u64) -> Vec<[u8; 12]> {
    let mut random = Random(seed << 32);
    let mut keys: Vec<[u8; 12]> = (0..count)
        .map(|_| {
            let mut key = [0; 12];
            key[..8].copy_from_slice(&random.next().to_be_bytes());
            key[8..].copy_from_slice(&random.next().to_be_bytes()[..4]);
            key
        })
        .collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), count, "seed {seed} has twins");
    keys
}

pub(super) fn build(params: Params, keys: &[[u8; 12]]) -> Index {
    let mut builder = Builder::new(params, keys.len() as u64);
    for key in keys {
        builder.push(key).unwrap();
    }
    builder.finish().unwrap()
}

/// Every key is found, in its own block, and among no more items than a block has.
pub(super) fn verify(index: &Index, keys: &[[u8; 12]]) {
    let per_block = u64::from(index.params().per_block);
    assert_eq!(index.items(), keys.len() as u64);
    for (ordinal, key) in keys.iter().enumerate() {
        let ordinal = ordinal as u64;
        let place = index.lookup(key).unwrap().expect("an indexed key");
        let last = place.first + u64::from(place.items) - 1;
        assert!((place.first..=last).contains(&ordinal), "{ordinal} in {place:?}");
        assert_eq!(place.first / per_block, last / per_block, "one block: {place:?}");
    }
}
