//! Keys spread, whatever bits of a hash are looked at.

use std::collections::BTreeSet;
use std::hash::BuildHasher;

use kit::hash::{Mix, mix, mix_bytes};

#[test]
fn common_key_patterns_spread_over_low_middle_and_high_bits() {
    for stride in [1_u64, 8, 64, 4096, 1 << 20, 1 << 32, 1 << 48, 0x1_0001] {
        for shift in [0, 16, 32, 56] {
            let mut counts = [0_u32; 256];
            (0..65_536_u64).for_each(|key| {
                counts[(mix(key.wrapping_mul(stride)) >> shift) as u8 as usize] += 1
            });
            let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            assert!(*least > 128 && *most < 512, "{stride:#x} >> {shift}: {least}..{most}");
        }
    }
}

#[test]
fn byte_strings_spread_and_each_length_and_byte_counts() {
    for shift in [0, 16, 32, 56] {
        let mut counts = [0_u32; 256];
        (0..65_536).for_each(|number| {
            counts[(mix_bytes(format!("user{number}").as_bytes()) >> shift) as u8 as usize] += 1;
        });
        let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
        assert!(*least > 128 && *most < 512, ">> {shift}: {least}..{most}");
    }
    let zeros: BTreeSet<u64> = (0..1000).map(|bytes| mix_bytes(&vec![0; bytes])).collect();
    assert_eq!(zeros.len(), 1000);
    let ones = (0..1000).map(|at| {
        let mut key = vec![0; 1000];
        key[at] = 1;
        mix_bytes(&key)
    });
    assert_eq!(ones.collect::<BTreeSet<u64>>().len(), 1000);
}

#[test]
fn maps_hash_a_key_as_shards_do() {
    for key in [&b""[..], b"a", b"12345678", b"123456789", &[0; 300]] {
        assert_eq!(Mix.hash_one(key), mix_bytes(key));
        assert_eq!(Mix.hash_one(Box::<[u8]>::from(key)), mix_bytes(key));
    }
    assert_eq!(Mix.hash_one(7_u64), mix(7));
}
