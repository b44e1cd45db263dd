//! Encoding of a block of allocation events.
//!
//! ```text
//! [u8; n]     kinds: 0 allocate, 1 reallocate, 2 free
//! column      threads
//! u64         number that the first object allocated in this block is expected to have
//! column      objects. Allocated: number − expected number, which is then one more than the
//!             number. Others: expected number − number. Modulo 2^64
//! column      bytes, of allocate and reallocate alone
//! column      alignments, of allocate alone
//! ```
//!
//! Objects are numbered in the order of allocation, so a new object costs nothing. Any other object
//! is named by how long ago it was allocated.

use super::column::{self, Column, take};
use super::record::Malformed;
use super::{Content, Record};
use crate::trace::{Allocation, AllocationKind};

const ALLOCATE: u8 = 0;
const REALLOCATE: u8 = 1;
const FREE: u8 = 2;

impl Record for Allocation {
    const CONTENT: Content = Content::Allocations;

    fn time_ns(&self) -> Option<u64> {
        None
    }

    fn encode(records: &[Self], out: &mut Vec<u8>) {
        out.extend(records.iter().map(|event| match event.kind {
            AllocationKind::Allocate { .. } => ALLOCATE,
            AllocationKind::Reallocate { .. } => REALLOCATE,
            AllocationKind::Free => FREE,
        }));
        let mut numbers: Vec<u64> = Vec::with_capacity(records.len());
        numbers.extend(records.iter().map(|event| u64::from(event.thread)));
        column::write(&numbers, out);

        let mut expected = first_expected(records);
        out.extend(expected.to_le_bytes());
        numbers.clear();
        numbers.extend(records.iter().map(|event| match event.kind {
            AllocationKind::Allocate { .. } => {
                let ahead = event.object.wrapping_sub(expected);
                expected = event.object.wrapping_add(1);
                ahead
            }
            _ => expected.wrapping_sub(event.object),
        }));
        column::write(&numbers, out);

        numbers.clear();
        numbers.extend(records.iter().filter_map(|event| match event.kind {
            AllocationKind::Allocate { bytes, .. } | AllocationKind::Reallocate { bytes } => {
                Some(bytes)
            }
            AllocationKind::Free => None,
        }));
        column::write(&numbers, out);

        numbers.clear();
        numbers.extend(records.iter().filter_map(|event| match event.kind {
            AllocationKind::Allocate { alignment, .. } => Some(u64::from(alignment)),
            _ => None,
        }));
        column::write(&numbers, out);
    }

    fn decode(mut raw: &[u8], count: usize, into: &mut Vec<Self>) -> Result<(), Malformed> {
        let input = &mut raw;
        let kinds = take(input, count, "the kinds are cut short")?;
        if kinds.iter().any(|&kind| kind > FREE) {
            return Err(Malformed("an event of a kind that does not exist"));
        }
        let allocated = kinds.iter().filter(|&&kind| kind == ALLOCATE).count();
        let sized = kinds.iter().filter(|&&kind| kind != FREE).count();
        let threads = Column::take(input, count, 4)?.to_vec();
        let expected = take(input, size_of::<u64>(), "the first object is missing")?;
        let mut expected = u64::from_le_bytes(expected.try_into().expect("eight bytes"));
        let objects = Column::take(input, count, 8)?.to_vec();
        let mut sizes = Column::take(input, sized, 8)?.to_vec().into_iter();
        let mut alignments = Column::take(input, allocated, 4)?.to_vec().into_iter();
        if !input.is_empty() {
            return Err(Malformed("bytes behind the last column"));
        }
        into.extend(kinds.iter().zip(threads).zip(objects).map(|((&kind, thread), distance)| {
            let mut bytes = || sizes.next().expect("counted above");
            let (object, kind) = match kind {
                ALLOCATE => {
                    let object = expected.wrapping_add(distance);
                    expected = object.wrapping_add(1);
                    let alignment = alignments.next().expect("counted above") as u32;
                    (object, AllocationKind::Allocate { bytes: bytes(), alignment })
                }
                REALLOCATE => {
                    (expected.wrapping_sub(distance), AllocationKind::Reallocate { bytes: bytes() })
                }
                _ => (expected.wrapping_sub(distance), AllocationKind::Free),
            };
            Self { thread: thread as u32, object, kind }
        }));
        Ok(())
    }
}

/// The number of the first object allocated in a block. If the block allocates none, one above all
/// objects it names.
fn first_expected(records: &[Allocation]) -> u64 {
    let is_new = |event: &&Allocation| matches!(event.kind, AllocationKind::Allocate { .. });
    match records.iter().find(is_new) {
        Some(first) => first.object,
        None => records.iter().map(|event| event.object.wrapping_add(1)).max().unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    fn encoded(records: &[Allocation]) -> Vec<u8> {
        let mut raw = Vec::new();
        Allocation::encode(records, &mut raw);
        raw
    }

    #[test]
    fn whole_ranges_come_back() {
        let edges = [0, 1, u64::MAX - 1, u64::MAX];
        let mut kinds = vec![AllocationKind::Free];
        for bytes in edges {
            kinds.push(AllocationKind::Reallocate { bytes });
            for alignment in [0, 1, 4096, u32::MAX] {
                kinds.push(AllocationKind::Allocate { bytes, alignment });
            }
        }
        let mut records = Vec::new();
        for thread in [0, 1, u32::MAX] {
            for object in edges {
                records.extend(kinds.iter().map(|&kind| Allocation { thread, object, kind }));
            }
        }
        let frees: Vec<_> =
            records.iter().copied().filter(|event| event.kind == AllocationKind::Free).collect();
        for records in [records, frees, vec![]] {
            let mut decoded = Vec::new();
            Allocation::decode(&encoded(&records), records.len(), &mut decoded).unwrap();
            assert_eq!(decoded, records);
        }
    }

    #[test]
    fn new_objects_cost_no_byte_each() {
        let kind = AllocationKind::Allocate { bytes: 48, alignment: 0 };
        let event = |object: u64| Allocation { thread: 0, object, kind };
        let records: Vec<_> = (1 << 40..(1 << 40) + 1000).map(event).collect();
        // Kinds and sizes take a byte each; threads, objects and alignments only record that they
        // take none.
        assert_eq!(encoded(&records).len(), 1000 + 1 + 8 + 1 + (1 + 1000) + 1);
    }

    #[test]
    fn arbitrary_bytes_never_panic() {
        let mut rng = Seed(4).rng();
        let kind = AllocationKind::Allocate { bytes: 48, alignment: 16 };
        let sound = encoded(&[
            Allocation { thread: 0, object: 0, kind },
            Allocation { thread: 1, object: 1, kind },
            Allocation { thread: 1, object: 0, kind: AllocationKind::Reallocate { bytes: 9 } },
            Allocation { thread: 0, object: 1, kind: AllocationKind::Free },
        ]);
        let mut decoded = Vec::new();
        for length in 0..sound.len() {
            assert!(Allocation::decode(&sound[..length], 4, &mut decoded).is_err());
        }
        for _ in 0..20_000 {
            let mut raw = sound.clone();
            for _ in 0..=rng.below(4) {
                let at = rng.below(raw.len() as u64) as usize;
                raw[at] = rng.next_u64() as u8;
            }
            let before = decoded.len();
            let count = if Allocation::decode(&raw, 4, &mut decoded).is_ok() { 4 } else { 0 };
            assert_eq!(decoded.len(), before + count);
        }
    }
}
