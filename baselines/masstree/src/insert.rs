//! Put: replaces a row in its slot, adds a slot, or adds a layer when two keys share a slice.

use engine::PutOutcome;

use crate::counters::Counter;
use crate::epoch::Guard;
use crate::find::{self, Place};
use crate::key::{Key, Rank};
use crate::layer::Layer;
use crate::node::{Border, Entry, Found, WIDTH};
use crate::row::{Link, NewRow};
use crate::shared::{Node, allocate_border, link_of};
use crate::split;
use crate::suffix::Bag;

/// Why a row was not stored; the row is returned.
#[derive(Debug)]
pub(crate) enum Refused<'m> {
    /// The bound on live bytes leaves no room.
    Bound,
    /// There is no memory for a node or for suffixes. The tree is unchanged, except for layers with
    /// a single key.
    Memory(NewRow<'m>),
}

/// There is no memory for a node or for suffixes; nothing has changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exhausted;

/// Why a read-modify-write made no row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unmade {
    /// There is no memory for it, or for what the tree needs to take it.
    NoMemory,
    /// The value has so many bytes, which is too many.
    TooLong(usize),
}

/// Makes a row when it is shown the old value; `None` if that stays.
type Make<'a, 'm> = dyn FnMut(Option<&[u8]>) -> Result<Option<NewRow<'m>>, Unmade> + 'a;

/// Stores a row under a key of `key_bytes` bytes.
#[inline]
pub(crate) fn put<'m>(
    guard: Guard<'_>,
    top: Layer<'_>,
    key: Key<'_>,
    key_bytes: u64,
    row: NewRow<'m>,
) -> Result<PutOutcome, Refused<'m>> {
    loop {
        let place = find::lock(guard, top, key, usize::MAX);
        match place.found {
            Found::Row { slot, link } => {
                return replace(guard, place.border, slot, link, row);
            }
            Found::Conflict { slot } => {
                let made = make_layer(guard, place.border, slot);
                place.border.head.version.unlock();
                if made.is_err() {
                    return Err(Refused::Memory(row));
                }
            }
            Found::Absent => return add(guard, &place, key_bytes, row),
            Found::Layer { .. } => unreachable!("a locked place is in the key's last layer"),
        }
    }
}

/// As [`put`], with a row that is made when the old one is known, under the lock of its node. `None` if
/// what is there stays.
pub(crate) fn modify<'m>(
    guard: Guard<'_>,
    top: Layer<'_>,
    key: Key<'_>,
    key_bytes: u64,
    make: &mut Make<'_, 'm>,
) -> Result<Option<PutOutcome>, Unmade> {
    loop {
        let place = find::lock(guard, top, key, usize::MAX);
        let unlock = || place.border.head.version.unlock();
        let old = match place.found {
            Found::Row { link, .. } => Some(link),
            Found::Absent => None,
            Found::Conflict { slot } => {
                let made = make_layer(guard, place.border, slot);
                unlock();
                if made.is_err() {
                    return Err(Unmade::NoMemory);
                }
                continue;
            }
            Found::Layer { .. } => unreachable!("a locked place is in the key's last layer"),
        };
        let row = match make(old.map(|link| link.row(guard).value())) {
            Ok(Some(row)) => row,
            kept_or_failed => {
                unlock();
                return kept_or_failed.map(|_| None);
            }
        };
        let done = match place.found {
            Found::Row { slot, link } => replace(guard, place.border, slot, link, row),
            _ => add(guard, &place, key_bytes, row),
        };
        return match done {
            Ok(outcome) => Ok(Some(outcome)),
            Err(Refused::Bound) => Ok(Some(PutOutcome::Full)),
            Err(Refused::Memory(_)) => Err(Unmade::NoMemory),
        };
    }
}

/// Adds a row where there is none, and unlocks.
#[inline]
fn add<'m>(
    guard: Guard<'_>,
    place: &Place<'_, '_>,
    key_bytes: u64,
    row: NewRow<'m>,
) -> Result<PutOutcome, Refused<'m>> {
    let new_bytes = row.value_bytes() as u64;
    if !guard.pay(key_bytes + new_bytes) {
        place.border.head.version.unlock();
        return Err(Refused::Bound);
    }
    // Prepared now, because the tree owns the row once it is linked.
    let entry = Entry::new(place.key, row.link());
    if insert(guard, place, &entry).is_err() {
        guard.refund(key_bytes + new_bytes);
        return Err(Refused::Memory(row));
    }
    row.into_link();
    guard.count(Counter::RowsAllocated, 1);
    guard.count(Counter::LiveObjects, 1);
    guard.count(Counter::LiveKeyBytes, key_bytes);
    guard.count(Counter::LiveValueBytes, new_bytes);
    Ok(PutOutcome::Inserted)
}

/// Replaces a row by another and unlocks.
#[expect(unsafe_code, reason = "the old row is retired")]
#[inline]
fn replace<'m>(
    guard: Guard<'_>,
    border: &Border,
    slot: usize,
    old: Link,
    row: NewRow<'m>,
) -> Result<PutOutcome, Refused<'m>> {
    let old = old.row(guard);
    let (old_bytes, new_bytes) = (old.value_bytes() as u64, row.value_bytes() as u64);
    if new_bytes > old_bytes && !guard.pay(new_bytes - old_bytes) {
        border.head.version.unlock();
        return Err(Refused::Bound);
    }
    border.set_link(slot, row.into_link().bits());
    border.head.version.unlock();
    if new_bytes < old_bytes {
        guard.refund(old_bytes - new_bytes);
    }
    guard.count(Counter::RowsAllocated, 1);
    guard.count(Counter::LiveValueBytes, new_bytes.wrapping_sub(old_bytes));
    // SAFETY: its one link was overwritten above.
    unsafe { guard.retire_row(old) };
    Ok(PutOutcome::Updated)
}

/// Inserts an entry where there is none, and unlocks.
fn insert(guard: Guard<'_>, place: &Place<'_, '_>, entry: &Entry<'_>) -> Result<(), Exhausted> {
    let border = place.border;
    let permutation = border.permutation();
    let at = border.place_of(entry.order());
    let inserted = if permutation.len() == WIDTH {
        split::split_and_insert(guard, place.layer, border, at, entry)
    } else {
        let slot = permutation.free_slot();
        add_suffix(guard, border, slot, entry).map(|()| {
            // Needs no mark: readers of the old order skip the slot, and the version advanced when
            // it was freed.
            border.write_slot(slot, entry);
            border.publish(permutation.inserted(at));
            border.head.version.unlock();
        })
    };
    if inserted.is_err() {
        border.head.version.unlock();
    }
    inserted
}

/// Stores the suffix, if any, of an entry for an unused slot.
#[expect(unsafe_code, reason = "suffixes that have moved are retired")]
pub(crate) fn add_suffix(
    guard: Guard<'_>,
    border: &Border,
    slot: usize,
    entry: &Entry<'_>,
) -> Result<(), Exhausted> {
    if entry.rank != Rank::SUFFIX {
        return Ok(());
    }
    let old = border.suffixes.load(guard);
    if old.is_some_and(|bag| bag.append(slot, entry.suffix)) {
        return Ok(());
    }
    let slots = border.permutation().slots();
    let kept: usize = slots.map(|slot| border.suffix(guard, slot).len()).sum();
    // Room for twice as much, so that moves are rare.
    let bag = Bag::new(guard, 2 * (kept + entry.suffix.len())).ok_or(Exhausted)?;
    for other in border.permutation().slots() {
        append(bag, other, border.suffix(guard, other));
    }
    append(bag, slot, entry.suffix);
    border.suffixes.store(Some(bag));
    if let Some(old) = old {
        // SAFETY: its one link was overwritten above.
        unsafe { guard.retire_bag(old) };
    }
    Ok(())
}

/// Appends a suffix, if any, to a bag that was made large enough for it.
pub(crate) fn append(bag: Bag<'_>, slot: usize, suffix: &[u8]) {
    let appended = suffix.is_empty() || bag.append(slot, suffix);
    assert!(appended, "the bag was made for all suffixes");
}

/// Moves a key with a suffix to a new layer, which replaces the suffix. The lock must be held.
#[expect(unsafe_code, reason = "a node that was never linked is retired")]
fn make_layer(guard: Guard<'_>, border: &Border, slot: usize) -> Result<(), Exhausted> {
    let old = border.entry(guard, slot);
    let entry = Entry::new(Key::new(old.suffix), Link::from_bits(old.link));
    let anchor = allocate_border(guard, Border::new(0, true, false)).ok_or(Exhausted)?;
    if add_suffix(guard, anchor, anchor.permutation().free_slot(), &entry).is_err() {
        // SAFETY: it was never linked.
        unsafe { guard.retire_node(Node::from(anchor)) };
        return Err(Exhausted);
    }
    let permutation = anchor.permutation();
    anchor.write_slot(permutation.free_slot(), &entry);
    anchor.publish(permutation.inserted(0));
    Layer::of(anchor).set_root(anchor.into());
    border.head.version.mark_inserting();
    border.set_link(slot, link_of(anchor));
    border.set_rank(slot, Rank::LAYER);
    guard.count(Counter::LayersCreated, 1);
    Ok(())
}
