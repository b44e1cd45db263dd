//! Walks log and hash table and checks that they agree. No session may operate meanwhile.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;

use crate::entry::{Entry, TOMBSTONE_BYTES};
use crate::hash::Hash;
use crate::log::Reference;
use crate::manager::ObjectManager;
use crate::seglets::NONE;
use crate::segments::{Segment, SegmentId, State};
use crate::word::Word;

/// The findings of the walk over the log.
#[derive(Debug, Default)]
struct Found {
    live_objects: u64,
    live_value_bytes: u64,
    live_object_bytes: u64,
    /// Keys and versions of dead objects, with their segments.
    dead: HashSet<(u64, u64, u64)>,
    /// The same, according to the tombstones in the log.
    buried: Vec<(u64, u64, u64)>,
}

/// Checks an instance.
///
/// # Errors
/// A description of the first violation.
pub(crate) fn check(manager: &ObjectManager) -> Result<(), String> {
    manager.head.publish(&manager.log);
    let mut words = HashMap::new();
    let mut doubled = None;
    manager.table.check(|bucket, word| {
        let reference = word.reference().expect("only words that lead to entries are given");
        if words.insert(reference, (bucket, word)).is_some() {
            doubled = Some(reference);
        }
    })?;
    if let Some(reference) = doubled {
        return Err(format!("two words lead to {reference:?}"));
    }
    check_seglets(manager)?;
    let mut found = Found::default();
    let mut keys = HashSet::new();
    for (slot, segment) in manager.log.segments.used() {
        if segment.state() != State::Free {
            check_segment(manager, slot, segment, &mut words, &mut keys, &mut found)
                .map_err(|violation| format!("segment in slot {slot}: {violation}"))?;
        }
    }
    if let Some((reference, (bucket, _))) = words.iter().next() {
        return Err(format!("bucket {bucket} leads to {reference:?}, where no object begins"));
    }
    check_tombstones(manager, &found)?;
    let figures = manager.head.figures();
    let counted = (figures.live_objects, figures.live_value_bytes, figures.live_object_bytes);
    let walked = (found.live_objects, found.live_value_bytes, found.live_object_bytes);
    if counted != walked {
        return Err(format!(
            "live objects, their value bytes and their bytes: {counted:?} counted, {walked:?} found"
        ));
    }
    Ok(())
}

/// Checks that every seglet is in the pool or in one segment, once.
fn check_seglets(manager: &ObjectManager) -> Result<(), String> {
    let seglets = &manager.log.seglets;
    let mut owners = vec![None; seglets.count()];
    let mut own = |seglet: u32, owner: &'static str| match owners[seglet as usize].replace(owner) {
        None => Ok(()),
        Some(other) => Err(format!("seglet {seglet} is {owner} and {other}")),
    };
    for seglet in seglets.free_list() {
        own(seglet, "free")?;
    }
    for (slot, segment) in manager.log.segments.used() {
        if segment.state() == State::Free {
            continue;
        }
        // Relaxed, here and below: no session operates.
        let mut seglet = segment.first.load(Ordering::Relaxed);
        let mut count = 0;
        while seglet != NONE {
            own(seglet, "a segment's")?;
            if seglets.owner(seglet) != slot {
                let owner = seglets.owner(seglet);
                return Err(format!("seglet {seglet} of slot {slot} says slot {owner}"));
            }
            count += 1;
            seglet = seglets.next(seglet);
        }
        let said = segment.seglets.load(Ordering::Relaxed);
        if count != said {
            return Err(format!("slot {slot} has {count} seglets and says {said}"));
        }
    }
    match owners.iter().position(Option::is_none) {
        Some(seglet) => Err(format!("seglet {seglet} is lost")),
        None => Ok(()),
    }
}

/// Checks that entries are intact, sorted by age and counted. Live entries are those that a bucket
/// of their hash leads to; they are removed from `words`.
fn check_segment(
    manager: &ObjectManager,
    slot: u32,
    segment: &Segment,
    words: &mut HashMap<Reference, (usize, Word)>,
    keys: &mut HashSet<u64>,
    found: &mut Found,
) -> Result<(), String> {
    let id = segment.id().0;
    let (mut object_bytes, mut live_bytes, mut tombstones) = (0, 0, 0);
    let mut newest = 0;
    let mut entries = manager.log.entries(slot);
    for (place, entry) in entries.by_ref() {
        if entry.written() < newest {
            return Err(format!("{entry:?} at {place:?} is older than the one before"));
        }
        newest = entry.written();
        let Entry::Object { value_bytes, key, version } = entry else {
            tombstones += 1;
            if let Entry::Tombstone(tombstone) = entry {
                found.buried.push((tombstone.segment, tombstone.key, tombstone.version));
            }
            continue;
        };
        object_bytes += entry.bytes() as u64;
        let Some((bucket, word)) = words.remove(&manager.log.reference(place)) else {
            found.dead.insert((id, key, version));
            continue;
        };
        let hash = Hash::of(key);
        if hash.tag() != word.tag() || hash.bucket(manager.geometry.buckets - 1) != bucket {
            return Err(format!("key {key:#x} is in bucket {bucket}, which is not its own"));
        }
        if !keys.insert(key) {
            return Err(format!("key {key:#x} is live twice"));
        }
        live_bytes += entry.bytes() as u64;
        found.live_objects += 1;
        found.live_value_bytes += value_bytes as u64;
    }
    found.live_object_bytes += live_bytes;
    let said = (
        segment.length.load(Ordering::Relaxed),
        segment.object_bytes.load(Ordering::Relaxed),
        segment.live_object_bytes(),
        segment.tombstones.load(Ordering::Relaxed),
    );
    let walked = (entries.walked(), object_bytes, live_bytes, tombstones);
    if said != walked {
        return Err(format!(
            "length, object bytes, live ones and tombstones: {said:?} counted, {walked:?} found"
        ));
    }
    Ok(())
}

/// Checks that each tombstone whose segment is in the log names a dead object there, and that no
/// object has two. A tombstone written, not cleaned and not in the log would be lost.
fn check_tombstones(manager: &ObjectManager, found: &Found) -> Result<(), String> {
    let mut named = HashSet::new();
    for &(segment, key, version) in &found.buried {
        let is_there = manager.log.segments.contains(SegmentId(segment));
        if is_there && !found.dead.contains(&(segment, key, version)) {
            return Err(format!(
                "a tombstone names version {version} of key {key:#x} in segment {segment:#x}, \
                 where no such object is dead"
            ));
        }
        if !named.insert((segment, key, version)) {
            return Err(format!("version {version} of key {key:#x} has two tombstones"));
        }
    }
    let figures = manager.head.figures();
    let unnamed = found.dead.difference(&named).count() as u64;
    if unnamed > figures.tombstones_omitted {
        return Err(format!(
            "{unnamed} dead objects have no tombstone, {} were left out ({} bytes each)",
            figures.tombstones_omitted, TOMBSTONE_BYTES
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use engine::PutOutcome;
    use platform::Pages;

    use super::*;
    use crate::Config;

    fn filled() -> ObjectManager {
        let geometry = Config::new(8 << 20, 10_000).geometry().unwrap();
        let manager = ObjectManager::map(geometry, Pages::Small, false).unwrap();
        for key in 0..3000 {
            let outcome = manager.put(Hash::of(key % 2000), key % 2000, &[1; 100]);
            assert_ne!(outcome, PutOutcome::Full);
        }
        check(&manager).unwrap();
        manager
    }

    #[track_caller]
    fn expect(manager: &ObjectManager, violation: &str) {
        let found = check(manager).expect_err(violation);
        assert!(found.contains(violation), "{found}");
    }

    #[test]
    fn violations_are_found_and_named() {
        let hash = Hash::of(1);
        let slot = 0;

        let manager = filled();
        manager.log.segments.slot(slot).bury(8);
        expect(&manager, "live ones and tombstones");

        let manager = filled();
        let mut bucket = manager.table.lock(hash);
        let found = bucket.find(hash.tag(), |_| true).unwrap();
        bucket.remove(found);
        drop(bucket);
        expect(&manager, "slot");

        let manager = filled();
        let mut bucket = manager.table.lock(hash);
        let found = bucket.find(hash.tag(), |_| true).unwrap();
        bucket.insert(hash.tag(), found.reference);
        drop(bucket);
        expect(&manager, "two words lead to");

        let manager = filled();
        let bucket = manager.table.lock(hash);
        let found = bucket.find(hash.tag(), |_| true).unwrap();
        drop(bucket);
        let mut elsewhere = manager.table.lock(Hash::of(2));
        let victim = elsewhere.find(Hash::of(2).tag(), |_| true).unwrap();
        elsewhere.replace(victim, found.reference);
        drop(elsewhere);
        expect(&manager, "two words lead to");

        let manager = filled();
        manager.log.seglets.take(1, 0, slot, NONE).unwrap();
        expect(&manager, "is lost");

        let manager = filled();
        manager.head.omit_tombstone(100);
        expect(&manager, "counted");

        let manager = filled();
        let tombstone = manager.log.segments.used().find_map(|(slot, _)| {
            let mut entries = manager.log.entries(slot);
            entries.find(|(_, entry)| matches!(entry, Entry::Tombstone(_)))
        });
        let (place, _) = tombstone.unwrap();
        let version = manager.log.byte_of(place) + 16;
        manager.log.region.set_word(version, 12345);
        expect(&manager, "a tombstone names version 12345");
    }
}
