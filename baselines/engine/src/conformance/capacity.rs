//! Tests of full stores, compaction and the census.

use super::model::{Model, Step};
use super::value::{Random, mix};
use super::{Opener, check, object_memory_bytes, open_checked, part_of, session};
use crate::{FullMeaning, KvEngine, MemoryBound, MemoryCensus};

/// Fills a store until it returns `Full`, which must take a bounded number of puts. Then every
/// stored object is readable, and puts succeed again once half of the objects are deleted.
///
/// A store that evicts accepts three times its memory and keeps a part. A store that grows accepts
/// its memory once.
///
/// # Panics
/// If the store behaves otherwise.
pub fn full_is_reported_not_crashed<E: KvEngine>(open: Opener<'_, E>) {
    let engine = open_checked(open);
    let mut session = session(&engine);
    let mut model = Model::of(&engine);
    let mut random = Random::new(11);
    let (memory_bytes, mut put_bytes) = (object_memory_bytes::<E>(), 0);
    let enough_bytes = match E::TRAITS.full {
        FullMeaning::Refuse => 2 * memory_bytes,
        FullMeaning::Evict => 3 * memory_bytes,
        FullMeaning::Grow => memory_bytes,
    };
    let mut keys = (1..).map(mix);
    let mut full = false;
    while !full && put_bytes < enough_bytes {
        let key = keys.next().expect("an endless iterator");
        let value_bytes = random.length(&(500..=2500));
        full = !model.put_patiently(&engine, &mut session, key, value_bytes).is_stored();
        put_bytes += value_bytes as u64;
        if full {
            model.get(&mut session, key);
        }
    }
    let refuses = E::TRAITS.full == FullMeaning::Refuse;
    assert_eq!(full, refuses, "Full after {put_bytes} bytes of {memory_bytes}");
    model.verify(&mut session);
    let live_bytes = model.live_bytes();
    assert!(live_bytes >= memory_bytes / 8, "{live_bytes} bytes are all it holds");
    if let (MemoryBound::Hard, Some(capacity)) =
        (E::TRAITS.memory_bound, engine.memory().capacity_bytes)
    {
        assert!(live_bytes <= capacity, "{live_bytes} live bytes in a capacity of {capacity}");
    }
    check(&engine);
    if refuses {
        overwrite_some(&mut model, &mut session, &mut random);
        refill_after_deletes(&engine, &mut session, &mut model, keys);
    }
}

/// Overwrites objects of a full store. Each object then has its new value, or the put was refused
/// and it has its old one.
fn overwrite_some<S: crate::KvSession>(model: &mut Model, session: &mut S, random: &mut Random) {
    for _ in 0..100 {
        let key = model.some_key(random).expect("a full store has keys");
        model.put(session, key, random.length(&(500..=2500)));
        model.get(session, key);
    }
}

fn refill_after_deletes<E: KvEngine>(
    engine: &E,
    session: &mut E::Session<'_>,
    model: &mut Model,
    mut keys: impl Iterator<Item = u64>,
) {
    let before_bytes = model.live_bytes();
    for key in model.keys().into_iter().step_by(2) {
        model.delete(session, key);
    }
    engine.settle();
    let deleted_bytes = before_bytes - model.live_bytes();
    let target_bytes = model.live_bytes() + deleted_bytes / 2;
    let mut random = Random::new(12);
    while model.live_bytes() < target_bytes {
        let key = keys.next().expect("an endless iterator");
        let outcome = model.put_patiently(engine, session, key, random.length(&(500..=2500)));
        let live_bytes = model.live_bytes();
        assert!(
            outcome.is_stored(),
            "Full at {live_bytes} live bytes, after {deleted_bytes} of {before_bytes} were deleted"
        );
    }
    model.verify(session);
    check(engine);
}

/// Writes three times the object memory through a store that is two fifths full, with changing
/// sizes and deletes in between. Then every live key has its bytes, and again after
/// [`settle`](KvEngine::settle) and [`trim`](KvEngine::trim).
///
/// # Panics
/// If a value is lost or wrong, or the store refuses most puts.
pub fn values_survive_compaction<E: KvEngine>(open: Opener<'_, E>) {
    let engine = open_checked(open);
    let mut session = session(&engine);
    let mut model = Model::of(&engine);
    let mut random = Random::new(21);
    let memory_bytes = object_memory_bytes::<E>();
    for (round, sizes) in [500..=1000, 1500..=3000, 100..=2000].into_iter().enumerate() {
        let (mut asked_bytes, mut puts) = (0, 0);
        let refused_before = model.refused;
        while asked_bytes < memory_bytes {
            let refused = model.refused;
            let mut batch = Vec::with_capacity(64);
            let crowded = model.live_bytes() > memory_bytes * 2 / 5;
            for _ in 0..64 {
                let value_bytes = random.length(&sizes);
                let step = churn_step(&model, &mut random, crowded, value_bytes);
                if let Step::Put(..) = step {
                    asked_bytes += value_bytes as u64;
                    puts += 1;
                }
                batch.push(step);
            }
            model.execute(&mut session, &batch);
            if model.refused > refused {
                engine.settle();
            }
        }
        let refused = model.refused - refused_before;
        assert!(refused * 4 < puts, "round {round}: {refused} of {puts} puts were refused");
        model.verify(&mut session);
    }
    let live_before = model.live_objects();
    check(&engine);
    model.verify(&mut session);
    engine.trim();
    model.verify(&mut session);
    assert!(model.live_objects() * 2 >= live_before, "most objects vanished");
    check(&engine);
}

/// Mostly puts of random keys; when `crowded`, mostly deletes and overwrites of live keys.
fn churn_step(model: &Model, random: &mut Random, crowded: bool, value_bytes: usize) -> Step {
    let fresh = mix(random.below(1 << 18));
    let live = model.some_key(random).unwrap_or(fresh);
    match random.below(10) {
        0 => Step::Get(live),
        1 => Step::Delete(fresh),
        2..7 if crowded => Step::Delete(live),
        2..4 => Step::Put(live, value_bytes),
        _ if crowded => Step::Put(live, value_bytes),
        _ => Step::Put(fresh, value_bytes),
    }
}

/// Checks that the equations of [`MemoryCensus`] hold when the store is empty, after traffic, and
/// after everything is deleted, and that its live counts equal the reference's.
///
/// # Panics
/// If an equation or a count is wrong.
pub fn census_adds_up<E: KvEngine>(open: Opener<'_, E>) {
    let engine = open_checked(open);
    let mut session = session(&engine);
    let mut model = Model::of(&engine);
    let mut random = Random::new(31);
    assert_census(&engine.memory(), &model);
    for _ in 0..3 {
        for _ in 0..part_of::<E>(8000) {
            let key = mix(random.below(part_of::<E>(5000)));
            if random.percent(70) {
                model.put(&mut session, key, random.length(&(0..=1500)));
            } else {
                model.delete(&mut session, key);
            }
        }
        check(&engine);
        // Here the model learns what an evicting store has dropped.
        model.verify(&mut session);
        assert_census(&engine.memory(), &model);
    }
    engine.trim();
    assert_census(&engine.memory(), &model);
    for key in model.keys() {
        model.delete(&mut session, key);
    }
    check(&engine);
    assert_census(&engine.memory(), &model);
}

fn assert_census(census: &MemoryCensus, model: &Model) {
    let MemoryCensus {
        live_objects,
        live_value_bytes,
        live_object_bytes,
        dead_object_bytes,
        free_object_bytes,
        object_memory_bytes,
        index_bytes,
        table_bytes,
        capacity_bytes,
        complete,
    } = *census;
    let sum = |figures: &[u64]| {
        let sum = figures.iter().try_fold(0_u64, |sum, figure| sum.checked_add(*figure));
        sum.unwrap_or_else(|| panic!("figures beyond all memory: {census:?}"))
    };
    // An unknown group is 0.
    let counted = complete || live_objects + live_value_bytes > 0;
    let laid_out = complete || live_object_bytes + dead_object_bytes + free_object_bytes > 0;
    if counted {
        assert_eq!(live_objects, model.live_objects(), "live objects: {census:?}");
        assert_eq!(live_value_bytes, model.live_value_bytes(), "live value bytes: {census:?}");
    }
    if laid_out {
        assert_eq!(
            sum(&[live_object_bytes, dead_object_bytes, free_object_bytes]),
            object_memory_bytes,
            "live + dead + free is the object memory: {census:?}"
        );
    }
    if counted && laid_out {
        assert!(
            live_value_bytes + 8 * live_objects <= live_object_bytes,
            "objects hold their keys and values: {census:?}"
        );
    }
    if let Some(capacity_bytes) = capacity_bytes {
        assert!(
            capacity_bytes >= sum(&[object_memory_bytes, index_bytes, table_bytes]),
            "the capacity holds all: {census:?}"
        );
    }
}
