//! Batches against single operations, on two stores of the same settings.

use engine::{KvEngine, KvSession, Op, Outcome, ValueBuffers};

use super::made;

/// What batches are made of.
const KINDS: u64 = 7;
/// Bits of a key: few keys, so that a batch meets the same one again.
const KEY_BITS: u32 = 9;

/// Executes batches of the sizes given on `batched`, and their operations one by one on `alone`:
/// gets, deletes, and puts of up to `value_bytes_max` bytes and at times one more. Some values are
/// longer than the room for an answer. Outcomes and values must be the same.
///
/// # Panics
/// If they are not.
pub fn batches_answer_as_single_operations_do<E: KvEngine>(
    [alone, batched]: [&E; 2],
    sizes: impl IntoIterator<Item = usize>,
    value_bytes_max: usize,
) {
    let slot_bytes = value_bytes_max / 10 * 9;
    let (mut single, mut batches) =
        (alone.session().expect("a session"), batched.session().expect("a session"));
    let mut turn = 0_u64;
    for size in sizes {
        let mut written = Vec::new();
        for _ in 0..size {
            turn += 1;
            let key = turn.wrapping_mul(0x2545_f491_4f6c_dd1d) >> (u64::BITS - KEY_BITS);
            let bytes = turn as usize % (value_bytes_max + 2);
            written.push((turn % KINDS, key, made(key, turn, bytes)));
        }
        let operations: Vec<_> = written
            .iter()
            .map(|(kind, key, value)| match kind {
                0..3 => Op::Put { key: *key, value },
                3 => Op::Delete { key: *key },
                _ => Op::Get { key: *key },
            })
            .collect();
        let mut slots = [vec![0xee; size * slot_bytes], vec![0xee; size * slot_bytes]];
        let [one, other] = &mut slots;
        let mut values = ValueBuffers::new(one, slot_bytes);
        let expected: Vec<_> = operations
            .iter()
            .enumerate()
            .map(|(index, operation)| match *operation {
                Op::Get { key } => Outcome::of_get(single.get(key, values.slot(index))),
                Op::Put { key, value } => Outcome::of_put(single.put(key, value)),
                Op::Delete { key } => Outcome::Deleted(single.delete(key)),
            })
            .collect();
        let mut outcomes = vec![Outcome::BufferTooShort(usize::MAX); size];
        let mut values = ValueBuffers::new(other, slot_bytes);
        batches.execute(&operations, &mut values, &mut outcomes);
        assert_eq!(outcomes, expected, "a batch of {size}");
        assert!(slots[0] == slots[1], "values of a batch of {size}");
    }
}
