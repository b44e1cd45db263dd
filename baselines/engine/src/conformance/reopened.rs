//! A store that survives its end: closed and opened again, over and over.

use super::model::{Model, Step};
use super::operations::random_step;
use super::value::Random;
use super::{check, part_of, session};
use crate::{Durability, KvEngine};

/// How often the store is opened.
const LIVES: u64 = 6;

/// What was acknowledged is there after the store was closed and opened again, and nothing else. `open`
/// opens what the last one left; in the beginning, that is nothing.
///
/// # Panics
/// If an answer is wrong, or the store says that nothing of it survives.
pub fn keeps_what_it_acknowledged<E: KvEngine>(open: &dyn Fn() -> E) {
    let mut random = Random::new(21);
    let mut model: Option<Model> = None;
    for life in 0..LIVES {
        let engine = open();
        assert!(engine.durability() != Durability::None, "nothing of the store survives");
        let model = model.get_or_insert_with(|| Model::of(&engine));
        let mut session = session(&engine);
        // Keys that are absent, too.
        (0..97).for_each(|key| model.get(&mut session, key));
        let live_objects = model.live_objects();
        model.verify(&mut session);
        assert_eq!(model.live_objects(), live_objects, "objects vanished before life {life}");
        // A device that each write waits for takes milliseconds.
        let steps = match engine.durability() {
            Durability::Acknowledged => 60,
            _ => part_of::<E>(2000),
        };
        for _ in 0..steps * life {
            match random_step(&mut random) {
                Step::Get(key) => model.get(&mut session, key),
                Step::Put(key, value_bytes) => _ = model.put(&mut session, key, value_bytes),
                Step::Delete(key) => model.delete(&mut session, key),
            }
        }
        assert_eq!(model.refused, 0, "puts answered Full in a store that is nearly empty");
        drop(session);
        check(&engine);
    }
}
