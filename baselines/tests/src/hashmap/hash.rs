//! Keys spread, whatever bits of a hash are looked at.

use baseline_hashmap::hash::mix;

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
