//! Stafford's 64-bit finaliser ("variant 13", which SplitMix64 uses) and its inverse.
//!
//! It is a bijection of `u64`: every input bit affects every output bit, and no two inputs collide.

/// The SplitMix64 increment, added before mixing so that zero does not stay zero.
pub(crate) const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

const FIRST: u64 = 0xBF58_476D_1CE4_E5B9;
const SECOND: u64 = 0x94D0_49BB_1331_11EB;

/// Spreads `word` over all 64 bits. `mix(0) == 0`.
#[inline]
pub(crate) const fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(FIRST);
    word = (word ^ (word >> 27)).wrapping_mul(SECOND);
    word ^ (word >> 31)
}

/// The inverse of [`mix`].
#[inline]
pub(crate) const fn unmix(mut word: u64) -> u64 {
    word = word ^ (word >> 31) ^ (word >> 62);
    word = word.wrapping_mul(inverse(SECOND));
    word = word ^ (word >> 27) ^ (word >> 54);
    word = word.wrapping_mul(inverse(FIRST));
    word ^ (word >> 30) ^ (word >> 60)
}

/// The multiplicative inverse of `odd` modulo 2^64.
///
/// Newton's iteration: an odd number is its own inverse in 3 bits, and each step doubles the number
/// of correct bits.
pub(crate) const fn inverse(odd: u64) -> u64 {
    let mut result = odd;
    let mut step = 0;
    while step < 5 {
        result = result.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(result)));
        step += 1;
    }
    result
}

const _: () = assert!(FIRST.wrapping_mul(inverse(FIRST)) == 1);
const _: () = assert!(SECOND.wrapping_mul(inverse(SECOND)) == 1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unmix_undoes_mix() {
        for shift in 0..64 {
            for word in [1u64 << shift, !(1u64 << shift), GOLDEN.rotate_left(shift)] {
                assert_eq!(unmix(mix(word)), word);
                assert_eq!(mix(unmix(word)), word);
            }
        }
        assert_eq!(mix(0), 0);
    }

    #[test]
    fn one_input_bit_moves_about_half_of_the_output() {
        for bit in 0..64 {
            let moved: u32 =
                (0..256u64).map(|word| (mix(word) ^ mix(word ^ (1 << bit))).count_ones()).sum();
            assert!((28 * 256..=36 * 256).contains(&moved), "bit {bit} moved {moved}");
        }
    }
}
