//! The null store answers at once, and holds nothing.

use baseline_null::Null;
use engine::{
    DeleteOutcome, KvEngine, KvSession, MemoryCensus, Op, Outcome, PutOutcome, ValueBuffers,
};

#[test]
fn every_key_is_live_and_the_buffer_is_not_touched() {
    let null = Null::open(100);
    let mut session = null.session().unwrap();
    let mut buffer = [7; 200];
    assert_eq!(session.get(1, &mut buffer), Ok(Some(100)));
    assert_eq!(session.get(1, &mut buffer[..10]), Ok(Some(10)));
    assert_eq!(buffer, [7; 200]);
    assert_eq!(session.put(1, b"value"), Ok(PutOutcome::Updated));
    assert!(session.delete(1).was_present());
}

#[test]
fn batches_answer_as_single_operations_do() {
    let mut session = Null::open(100).session().unwrap();
    let operations = [Op::Get { key: 1 }, Op::Put { key: 2, value: b"v" }, Op::Delete { key: 3 }];
    let mut outcomes = [Outcome::Absent; 3];
    session.execute(&operations, &mut ValueBuffers::new(&mut [0; 300], 100), &mut outcomes);
    let expected = [
        Outcome::Found(100),
        Outcome::Put(PutOutcome::Updated),
        Outcome::Deleted(DeleteOutcome::Removed),
    ];
    assert_eq!(outcomes, expected);
}

#[test]
fn it_holds_nothing_and_says_so() {
    let null = Null::open(100);
    assert_eq!(null.memory(), MemoryCensus { complete: true, ..MemoryCensus::default() });
    const { assert!(!Null::TRAITS.keeps_values) };
}
