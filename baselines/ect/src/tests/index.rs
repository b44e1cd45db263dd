//! The index over all keys: lookups, edges, images, wrong input.

use super::common::{build, keys, verify};
use crate::{BuildError, Builder, Coding, ImageError, Index, Params};

fn params() -> Params {
    Params::new(12)
}

#[test]
fn every_key_is_found_in_its_place() {
    for count in [0, 1, 2, 255, 256, 257, 5000] {
        let keys = keys(count, 7 + count as u64);
        for (bucket_keys, per_block) in [(256, 1), (256, 4), (64, 16), (2, 1), (16_384, 3)] {
            let index = build(Params { bucket_keys, per_block, ..params() }, &keys);
            verify(&index, &keys);
        }
        for (huffman_max, merged) in [(64, false), (8, true), (1, true)] {
            let coding = Coding { huffman_max, merged };
            verify(&build(Params { coding, ..params() }, &keys), &keys);
        }
    }
}

/// An absent key has an arbitrary place, but one of the file; in an empty bucket it has none.
#[test]
fn absent_keys_have_some_place_or_none() {
    let some = keys(3000, 1);
    let index = build(Params { bucket_keys: 2, ..params() }, &some);
    let mut none = 0;
    for key in keys(3000, 2) {
        match index.lookup(&key).unwrap() {
            Some(place) => assert!(place.items == 1 && place.first < 3000),
            None => none += 1,
        }
    }
    // A bucket has 3000 ÷ 2048 keys on average, so a quarter have none.
    assert!((500..1000).contains(&none), "{none}");
}

/// Keys that agree in many bits make long chains of one-sided nodes, up to the last bit.
#[test]
fn keys_that_differ_in_the_last_bit_are_told_apart() {
    let mut keys: Vec<[u8; 12]> = Vec::new();
    for first in [0_u8, 0x7F, 0x80, 0xFF] {
        for last in [0, 1, 2, 0xFE, 0xFF] {
            let mut key = [first; 12];
            key[11] = last;
            keys.push(key);
        }
    }
    for merged in [true, false] {
        let coding = Coding { huffman_max: 64, merged };
        verify(&build(Params { coding, ..params() }, &keys), &keys);
    }
}

#[test]
fn what_is_no_sorted_list_of_hashes_is_refused() {
    let keys = keys(3, 1);
    let mut builder = Builder::new(params(), 3);
    builder.push(&keys[1]).unwrap();
    assert_eq!(builder.push(&keys[1]), Err(BuildError::DuplicateHash { ordinal: 1 }));
    assert_eq!(builder.push(&keys[0]), Err(BuildError::Unsorted { ordinal: 1 }));
    let length = BuildError::KeyLength { key_bytes: 3, wanted_bytes: 12 };
    assert_eq!(builder.push(&[1, 2, 3]), Err(length));
    // Also where the lesser key belongs to a bucket that is done.
    let mut builder = Builder::new(params(), 100_000);
    builder.push(&[0xFF; 12]).unwrap();
    assert_eq!(builder.push(&[0; 12]), Err(BuildError::Unsorted { ordinal: 1 }));
    // No hashes: all begin alike, and far more come than were announced.
    let mut builder = Builder::new(params(), 600);
    let pushed = (0..70_000_u32).try_for_each(|number| {
        let mut key = [0; 12];
        key[8..].copy_from_slice(&number.to_be_bytes());
        builder.push(&key)
    });
    let error = pushed.and_then(|()| builder.finish().map(|_| ())).unwrap_err();
    assert!(matches!(error, BuildError::CrowdedGroup { items: 70_000, .. }), "{error}");
    assert!(error.to_string().contains("hash the keys"), "{error}");
}

#[test]
fn an_image_is_the_index_and_a_changed_bit_is_found() {
    let keys = keys(900, 3);
    let index = build(Params { per_block: 2, bucket_keys: 128, ..params() }, &keys);
    let image = index.image();
    let read = Index::from_image(&image).unwrap();
    assert_eq!(read.params(), index.params());
    assert_eq!(read.memory_bytes(), index.memory_bytes());
    verify(&read, &keys);
    for bit in (0..image.len() * 8).step_by(37) {
        let mut changed = image.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let error = Index::from_image(&changed).unwrap_err();
        let named = match error {
            ImageError::NoIndex => bit < 64,
            ImageError::Checksum { stored, computed } => stored != computed,
            _ => false,
        };
        assert!(named, "bit {bit}: {error}");
    }
    for length in [0, 40, image.len() - 8] {
        assert!(Index::from_image(&image[..length]).is_err(), "{length} bytes");
    }
}
