//! The checker against one that tries every order, on thousands of tiny random histories.

use crate::common::Random;
use history::{Kind, Operation, check_key, step};

/// Tries all orders that respect real time.
fn explainable(left: &[Operation], state: Option<u64>) -> bool {
    // An operation may be next when no other one returned before it began.
    let next = |one: &&Operation| left.iter().all(|other| other.returned > one.invoked);
    left.is_empty()
        || left.iter().filter(next).any(|one| {
            let rest: Vec<_> = left.iter().filter(|other| *other != one).copied().collect();
            step(one.kind, state).is_some_and(|state| explainable(&rest, state))
        })
}

/// A correct history: operations take effect one after the other, their intervals are widened
/// until they overlap. Then, in half of them, one answer is changed.
fn random_history(random: &mut Random) -> Vec<Operation> {
    let length = 1 + random.below(6);
    let spread = 1 + random.below(300);
    let mut state = None;
    let mut ticks = Vec::new();
    for number in 0..length {
        let kind = match random.below(7) {
            0 | 1 => Kind::Put { value: number, updated: state.is_some() },
            2 | 3 => Kind::Get(state),
            4 => Kind::BlindPut { value: number },
            5 => Kind::BlindDelete,
            _ => Kind::Delete { found: state.is_some() },
        };
        state = step(kind, state).expect("made to fit");
        let effect = 1000 + number * 100;
        let (begin, end) = (effect - random.below(spread), effect + 1 + random.below(spread));
        ticks.push((begin * 16 + number, end * 16 + number, kind));
    }
    if random.below(2) == 0 {
        let changed = random.below(length) as usize;
        ticks[changed].2 = match ticks[changed].2 {
            Kind::Get(None) => Kind::Get(Some(random.below(length))),
            Kind::Get(Some(_)) if random.below(2) == 0 => Kind::Get(None),
            Kind::Get(Some(_)) => Kind::Get(Some(random.below(length))),
            Kind::Put { value, updated } => Kind::Put { value, updated: !updated },
            Kind::Delete { found } => Kind::Delete { found: !found },
            // Nothing is told that could be wrong.
            blind => blind,
        };
    }
    let operations = ticks.into_iter().enumerate();
    let made = operations.map(|(thread, (invoked, returned, kind))| {
        let thread = thread as u8;
        Operation { key: 7, kind, invoked, returned, thread }
    });
    made.collect()
}

#[test]
fn the_checker_agrees_with_trying_every_order() {
    let mut random = Random(2017);
    let mut verdicts = [0u32; 2];
    for number in 0..20_000 {
        let history = random_history(&mut random);
        let truth = explainable(&history, None);
        assert_eq!(check_key(&history).is_ok(), truth, "history {number}: {history:#?}");
        verdicts[usize::from(truth)] += 1;
    }
    assert!(verdicts.iter().all(|&count| count > 3_000), "{verdicts:?} refused and accepted");
}
