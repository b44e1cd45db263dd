//! Which of the 16-bit lanes at the beginning of a bucket equal a number: one comparison of vectors
//! where there are any.

#[cfg(all(target_arch = "x86_64", not(any(miri, loom))))]
use core::arch::x86_64::__m128i;

use crate::sync::AtomicU32;

/// Words of 32 bits with the lanes of one bucket.
pub(crate) const WORDS: usize = 5;
/// Lanes of one bucket. The lower half of a word comes first.
pub(crate) const LANES: usize = 2 * WORDS;

/// A bucket that begins with lanes.
///
/// # Safety
/// [`Laned::lanes`] are its first bytes. It has at least [`FRONT_BYTES`], all of them in atomics.
pub(crate) unsafe trait Laned {
    fn lanes(&self) -> &[AtomicU32; WORDS];
}

// SAFETY: the upper parts come first of the sixteen words of a line, and all fields are atomics.
unsafe impl Laned for crate::index::tagged::TaggedBucket {
    #[inline(always)]
    fn lanes(&self) -> &[AtomicU32; WORDS] {
        self.uppers()
    }
}

/// How much of a bucket is loaded at once.
#[cfg(all(target_arch = "x86_64", not(any(miri, loom))))]
pub(crate) const FRONT_BYTES: usize = 32;

/// A bit for each lane of two buckets, the first one's in front, that equals `high` under `mask`. As if
/// every lane were loaded by itself, with acquire semantics.
#[inline(always)]
pub(crate) fn equal(buckets: [&impl Laned; 2], mask: u16, high: u16) -> u32 {
    let [first, second] = buckets;
    equal_in_one(first, mask, high) | equal_in_one(second, mask, high) << LANES
}

/// Like [`equal`], of one bucket.
#[inline(always)]
pub(crate) fn equal_in_one(bucket: &impl Laned, mask: u16, high: u16) -> u32 {
    #[cfg(all(target_arch = "x86_64", not(any(miri, loom))))]
    {
        by_vectors(bucket, mask, high)
    }
    #[cfg(not(all(target_arch = "x86_64", not(any(miri, loom)))))]
    {
        by_words(bucket, mask, high)
    }
}

/// What lies behind the lanes is compared, too, and its bits are cut off.
#[cfg(all(target_arch = "x86_64", not(any(miri, loom))))]
#[inline(always)]
fn by_vectors<B: Laned>(bucket: &B, mask: u16, high: u16) -> u32 {
    const { assert!(size_of::<B>() >= FRONT_BYTES) };
    debug_assert!(std::ptr::addr_eq(bucket, bucket.lanes()), "lanes come first");
    let (front, back): (__m128i, __m128i);
    macro_rules! load {
        ($move:literal) => {
            core::arch::asm!(
                concat!($move, " {front}, xmmword ptr [{from}]"),
                concat!($move, " {back}, xmmword ptr [{from} + 16]"),
                from = in(reg) std::ptr::from_ref(bucket),
                front = out(xmm_reg) front,
                back = out(xmm_reg) back,
                options(nostack, preserves_flags)
            )
        };
    }
    // SAFETY: the bucket has as many bytes, all in atomics (`Laned`). What races is loaded as so many relaxed
    // atomic bytes would be. The compiler takes the instructions for stores, and moves no access across them;
    // the processor keeps loads in order. So each is an acquiring load.
    unsafe {
        #[cfg(target_feature = "avx")]
        load!("vmovdqu");
        #[cfg(not(target_feature = "avx"))]
        load!("movdqu");
    }
    // SAFETY: every x86-64 processor has SSE2.
    unsafe { equal_in_vectors([front, back], mask, high) & ((1 << LANES) - 1) }
}

#[cfg(all(target_arch = "x86_64", not(any(miri, loom))))]
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn equal_in_vectors(lanes: [__m128i; 2], mask: u16, high: u16) -> u32 {
    use core::arch::x86_64::{
        _mm_and_si128, _mm_cmpeq_epi16, _mm_movemask_epi8, _mm_packs_epi16, _mm_set1_epi16,
    };
    let (mask, high) = (_mm_set1_epi16(mask.cast_signed()), _mm_set1_epi16(high.cast_signed()));
    let [front, back] = lanes.map(|lanes| _mm_cmpeq_epi16(_mm_and_si128(lanes, mask), high));
    _mm_movemask_epi8(_mm_packs_epi16(front, back)).cast_unsigned()
}

/// Without vectors, four lanes at a time.
#[cfg(any(test, miri, loom, not(target_arch = "x86_64")))]
fn by_words(bucket: &impl Laned, mask: u16, high: u16) -> u32 {
    use crate::sync::Ordering;
    use crate::sync::edge::{self, Edge};
    // BUCKET-IN, to: a writer's entry also shows its odd version to a later load.
    let ordering = edge::to(Edge::BucketIn, Ordering::Acquire);
    let words = bucket.lanes().each_ref().map(|word| word.load(ordering));
    let four = |at: usize| {
        let word = u64::from(words[at]) | u64::from(words[at + 1]) << 32;
        equal_lanes(word, mask, high)
    };
    let last = equal_lanes(u64::from(words[4]), mask, high) & 0b11;
    four(0) | four(2) << 4 | last << 8
}

/// Which of the four lanes of `word` equal `high` under `mask`, one bit each.
#[cfg(any(test, miri, loom, not(target_arch = "x86_64")))]
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::sync::Ordering;

    /// A bucket with the same numbers behind its lanes as among them.
    #[repr(C, align(64))]
    struct Row {
        lanes: [AtomicU32; WORDS],
        _rest: [AtomicU32; 16 - WORDS],
    }

    // SAFETY: the lanes come first of 64 bytes, all in atomics.
    unsafe impl Laned for Row {
        fn lanes(&self) -> &[AtomicU32; WORDS] {
            &self.lanes
        }
    }

    /// One lane after the other.
    fn one_by_one(row: &Row, mask: u16, high: u16) -> u32 {
        let words = row.lanes.iter().map(|word| word.load(Ordering::Relaxed));
        let lanes = words.flat_map(|word| [word as u16, (word >> 16) as u16]);
        lanes.enumerate().map(|(at, lane)| u32::from(lane & mask == high) << at).sum()
    }

    #[test]
    fn all_ways_find_the_same_lanes() {
        let highs = [0, 1, 7, 0x7FFF, 0x8000, 0x8001, 0xFFFF];
        let mut state = 1_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let [one, other] = [state >> 40, state >> 50].map(|bits| bits as usize % highs.len());
            AtomicU32::new(u32::from(highs[one] as u16) | u32::from(highs[other] as u16) << 16)
        };
        for round in 0..2000 {
            let mut row = || Row {
                lanes: std::array::from_fn(|_| draw()),
                _rest: std::array::from_fn(|_| draw()),
            };
            let rows = [row(), row()];
            let mask = [u16::MAX, 0xFFC0, 0x8000][round % 3];
            for high in highs.map(|high: i32| high as u16 & mask) {
                let expected = rows.each_ref().map(|row| one_by_one(row, mask, high));
                let found = equal(rows.each_ref(), mask, high);
                assert_eq!(found, expected[0] | expected[1] << LANES, "{mask:x} {high:x}");
                assert_eq!(rows.each_ref().map(|row| by_words(row, mask, high)), expected);
            }
        }
    }
}
