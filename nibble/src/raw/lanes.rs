//! Which of many 16-bit lanes equal a number: one comparison of vectors where there are any.

/// Words of one half: ten lanes.
pub(crate) const WORDS: usize = 5;
/// Lanes of one half.
pub(crate) const LANES: usize = 2 * WORDS;

/// A bit for each lane of two halves, the first's in front, that equals `high` under `mask`. The lower lane
/// of a word comes first.
#[inline]
pub(crate) fn equal(halves: [[u32; WORDS]; 2], mask: u16, high: u16) -> u32 {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: every x86-64 processor has SSE2.
    unsafe {
        by_vectors(halves, mask, high)
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    by_words(halves, mask, high)
}

/// Like [`equal`], of one half.
#[inline]
pub(crate) fn equal_in_half(words: [u32; WORDS], mask: u16, high: u16) -> u32 {
    equal([words, [0; WORDS]], mask, high) & ((1 << LANES) - 1)
}

/// # Safety
/// The processor has SSE2.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn by_vectors(halves: [[u32; WORDS]; 2], mask: u16, high: u16) -> u32 {
    use core::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_cmpeq_epi16, _mm_movemask_epi8, _mm_packs_epi16, _mm_set_epi32,
        _mm_set1_epi16, _mm_setzero_si128,
    };
    let four = |words: [u32; 4]| {
        let [a, b, c, d] = words.map(u32::cast_signed);
        _mm_set_epi32(d, c, b, a)
    };
    let (mask, high) = (_mm_set1_epi16(mask.cast_signed()), _mm_set1_epi16(high.cast_signed()));
    let equal = |lanes: __m128i| _mm_cmpeq_epi16(_mm_and_si128(lanes, mask), high);
    let [[a, b, c, d, last], [e, f, g, h, end]] = halves;
    let (first, second) = (equal(four([a, b, c, d])), equal(four([e, f, g, h])));
    // The last two lanes of both.
    let ends = equal(four([last, end, 0, 0]));
    let most = _mm_movemask_epi8(_mm_packs_epi16(first, second)).cast_unsigned();
    let few = _mm_movemask_epi8(_mm_packs_epi16(ends, _mm_setzero_si128())).cast_unsigned();
    most & 0xFF | (few & 0b11) << 8 | (most >> 8) << LANES | (few >> 2 & 0b11) << (LANES + 8)
}

/// Without vectors, four lanes at a time.
#[cfg(any(test, miri, not(target_arch = "x86_64")))]
fn by_words(halves: [[u32; WORDS]; 2], mask: u16, high: u16) -> u32 {
    let of = |words: [u32; WORDS]| {
        let four = |at: usize| {
            let word = u64::from(words[at]) | u64::from(words[at + 1]) << 32;
            equal_lanes(word, mask, high)
        };
        let last = equal_lanes(u64::from(words[4]), mask, high) & 0b11;
        four(0) | four(2) << 4 | last << 8
    };
    of(halves[0]) | of(halves[1]) << LANES
}

/// Which of the four lanes of `word` equal `high` under `mask`, one bit each.
#[cfg(any(test, miri, not(target_arch = "x86_64")))]
fn equal_lanes(word: u64, mask: u16, high: u16) -> u32 {
    const EACH: u64 = 0x0001_0001_0001_0001;
    let different = (word & (u64::from(mask) * EACH)) ^ (u64::from(high) * EACH);
    let not_highest = 0x7FFF * EACH;
    // The highest bit of each equal lane. It is exact, because the addition cannot carry into the
    // next lane.
    let equal = !(((different & not_highest) + not_highest) | different | not_highest);
    // The multiplication adds copies that move bits 0, 16, 32, 48 to 48, 49, 50, 51.
    ((equal >> 15).wrapping_mul(0x0001_0002_0004_0008) >> 48) as u32 & 0xF
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One lane after the other.
    fn one_by_one(halves: [[u32; WORDS]; 2], mask: u16, high: u16) -> u32 {
        let lanes =
            halves.as_flattened().iter().flat_map(|word| [*word as u16, (word >> 16) as u16]);
        lanes.enumerate().map(|(at, lane)| u32::from(lane & mask == high) << at).sum()
    }

    #[test]
    fn all_ways_find_the_same_lanes() {
        let highs = [0, 1, 7, 0x7FFF, 0x8000, 0x8001, 0xFFFF];
        let mut state = 1_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let [one, other] = [state >> 40, state >> 50].map(|bits| bits as usize % highs.len());
            u32::from(highs[one] as u16) | u32::from(highs[other] as u16) << 16
        };
        for round in 0..2000 {
            let halves = [0, 1].map(|_| [0; WORDS].map(|_: u32| draw()));
            let mask = [u16::MAX, 0xFFC0, 0x8000][round % 3];
            for high in highs.map(|high: i32| high as u16 & mask) {
                let expected = one_by_one(halves, mask, high);
                assert_eq!(equal(halves, mask, high), expected, "{halves:x?} {mask:x} {high:x}");
                assert_eq!(by_words(halves, mask, high), expected, "{halves:x?} {mask:x} {high:x}");
                assert_eq!(equal_in_half(halves[0], mask, high), expected & 0x3FF);
            }
        }
    }
}
