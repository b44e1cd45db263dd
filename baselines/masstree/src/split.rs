//! Splits of full nodes, up to the root.
//!
//! All nodes that a split needs are allocated before anything changes. To know their number, the
//! full parents are locked first, from the bottom up. A node stays locked until its new sibling is
//! in their parent.

use crate::counters::Counter;
use crate::epoch::Guard;
use crate::insert::{Exhausted, append};
use crate::key::Rank;
use crate::layer::{Layer, lock_parent};
use crate::list;
use crate::node::{Border, Entry, Interior, WIDTH};
use crate::shared::{Node, allocate_border, allocate_interior};
use crate::suffix::Bag;

/// Number of keys that stay on the left when a node is split in the middle.
const KEPT: usize = WIDTH / 2 + 1;
/// Number of keys that an interior node keeps when insertions in order split its last child: all
/// but the one that moves up and the one that the new node must have.
const KEPT_IN_ORDER: usize = WIDTH - 1;

/// What a split needs, besides the locks of the full parents and of the one above them.
#[derive(Debug)]
struct Plan<'g> {
    /// The full parents, from the bottom up.
    full: Vec<&'g Interior>,
    last: Option<&'g Interior>,
    /// Locked; one for each full parent, and one for a new root if all are full.
    spare: Vec<&'g Interior>,
    right: Option<&'g Border>,
    right_bag: Option<Bag<'g>>,
    left_bag: Option<Bag<'g>>,
}

impl<'g> Plan<'g> {
    /// Locks the parents that will change.
    fn lock(guard: Guard<'g>, left: &'g Border) -> Self {
        let (mut full, mut last) = (Vec::new(), None);
        let mut node = Node::from(left);
        while let Some(parent) = lock_parent(guard, node) {
            if !parent.is_full() {
                last = Some(parent);
                break;
            }
            full.push(parent);
            node = parent.into();
        }
        let (spare, right) = (Vec::new(), None);
        Self { full, last, spare, right, right_bag: None, left_bag: None }
    }

    /// Allocates everything; `None` if the pool or the heap is exhausted.
    fn allocate(
        &mut self,
        guard: Guard<'g>,
        low: u64,
        left_suffix_bytes: Option<usize>,
        right_suffix_bytes: Option<usize>,
    ) -> Option<&'g Border> {
        for _ in 0..self.full.len() + usize::from(self.last.is_none()) {
            let node = allocate_interior(guard, Interior::new(false, true))?;
            self.spare.push(node);
        }
        let right = allocate_border(guard, Border::new(low, false, true))?;
        self.right = Some(right);
        for (bag, bytes) in
            [(&mut self.left_bag, left_suffix_bytes), (&mut self.right_bag, right_suffix_bytes)]
        {
            if let Some(bytes) = bytes {
                *bag = Some(Bag::new(guard, bytes)?);
            }
        }
        Some(right)
    }

    /// Unlocks the parents and frees what was allocated.
    #[expect(unsafe_code, reason = "what was never linked is retired")]
    fn abandon(self, guard: Guard<'g>) {
        self.full.iter().chain(&self.last).for_each(|parent| parent.head.version.unlock());
        let right = self.right.map(Node::from);
        for node in self.spare.into_iter().map(Node::from).chain(right) {
            // SAFETY: it was never linked.
            unsafe { guard.retire_node(node) };
        }
        for bag in self.left_bag.into_iter().chain(self.right_bag) {
            // SAFETY: it was never linked.
            unsafe { guard.retire_bag(bag) };
        }
    }
}

/// Splits the full, locked node `left` and inserts an entry at position `at` of its order. Unlocks,
/// unless memory is exhausted.
#[cold]
pub(crate) fn split_and_insert<'g>(
    guard: Guard<'g>,
    layer: Layer<'g>,
    left: &'g Border,
    at: usize,
    entry: &Entry<'_>,
) -> Result<(), Exhausted> {
    let in_order = at == WIDTH && left.next.load(guard).is_none();
    let entries: [Entry<'_>; WIDTH + 1] = std::array::from_fn(|place| {
        let slot = |place| left.permutation().slot(place);
        match place {
            _ if place < at => left.entry(guard, slot(place)),
            _ if place == at => *entry,
            _ => left.entry(guard, slot(place - 1)),
        }
    });
    let cut = cut(&entries, in_order);
    let (kept, moved) = entries.split_at(cut);
    let low = moved[0].slice;

    let mut plan = Plan::lock(guard, left);
    let goes_left = at < cut;
    // The left node gets new suffixes if its new entry has one; the old ones may lack room.
    let left_bytes = suffix_bytes(kept).filter(|_| goes_left && entry.rank == Rank::SUFFIX);
    let Some(right) = plan.allocate(guard, low, left_bytes, suffix_bytes(moved)) else {
        plan.abandon(guard);
        return Err(Exhausted);
    };
    left.head.version.mark_splitting();
    fill(right, moved, plan.right_bag);
    list::link_behind(guard, left, right);
    let mut order = left.permutation().truncated(cut - usize::from(goes_left));
    if goes_left {
        let slot = order.free_slot();
        order = order.inserted(at);
        if let Some(bag) = plan.left_bag.take() {
            replace_suffixes(guard, left, bag, order.slots().zip(kept));
        }
        left.write_slot(slot, entry);
    }
    left.publish(order);
    guard.count(Counter::BorderSplits, 1);
    hang(guard, layer, left.into(), right.into(), low, in_order, &mut plan.spare);
    Ok(())
}

/// Where to cut: near the middle, or before the last entry if keys come in order; never between two
/// keys with the same slice.
fn cut(entries: &[Entry<'_>; WIDTH + 1], in_order: bool) -> usize {
    let wanted = if in_order { WIDTH } else { KEPT };
    let cuts = (1..=WIDTH).filter(|&cut| entries[cut - 1].slice != entries[cut].slice);
    cuts.min_by_key(|cut| cut.abs_diff(wanted)).expect("at most ten keys share a slice")
}

/// Size of all suffixes; `None` if no entry has one.
fn suffix_bytes(entries: &[Entry<'_>]) -> Option<usize> {
    let with_suffix = entries.iter().filter(|entry| entry.rank == Rank::SUFFIX);
    with_suffix.map(|entry| entry.suffix.len()).reduce(|sum, bytes| sum + bytes)
}

/// Writes the entries of a node that is not linked yet.
fn fill(border: &Border, entries: &[Entry<'_>], bag: Option<Bag<'_>>) {
    let mut order = border.permutation();
    for (place, entry) in entries.iter().enumerate() {
        let slot = order.free_slot();
        if let Some(bag) = bag {
            append(bag, slot, entry.suffix);
        }
        border.write_slot(slot, entry);
        order = order.inserted(place);
    }
    border.suffixes.store(bag);
    border.publish(order);
}

#[expect(unsafe_code, reason = "suffixes that have moved are retired")]
fn replace_suffixes<'e>(
    guard: Guard<'_>,
    border: &Border,
    bag: Bag<'_>,
    entries: impl Iterator<Item = (usize, &'e Entry<'e>)>,
) {
    entries.for_each(|(slot, entry)| append(bag, slot, entry.suffix));
    let old = border.suffixes.load(guard);
    border.suffixes.store(Some(bag));
    if let Some(old) = old {
        // SAFETY: its one link was overwritten above.
        unsafe { guard.retire_bag(old) };
    }
}

/// Links `right`, which begins with slice `separator`, beside `left`, and unlocks everything.
fn hang<'g>(
    guard: Guard<'g>,
    layer: Layer<'g>,
    mut left: Node<'g>,
    mut right: Node<'g>,
    mut separator: u64,
    in_order: bool,
    spare: &mut Vec<&'g Interior>,
) {
    let mut next_spare = || spare.pop().expect("planned before");
    loop {
        let Some(parent) = left.head().parent.load(guard) else {
            let root = next_spare();
            root.adopt(0, left);
            root.insert(guard, 0, separator, right);
            root.head.version.set_root(true);
            root.head.version.unlock();
            layer.set_root(root.into());
            left.head().version.set_root(false);
            left.head().version.unlock();
            right.head().version.unlock();
            return;
        };
        let index = parent.index_of(guard, left);
        if !parent.is_full() {
            parent.head.version.mark_inserting();
            parent.insert(guard, index, separator, right);
            left.head().version.unlock();
            right.head().version.unlock();
            parent.head.version.unlock();
            return;
        }
        let sibling = next_spare();
        parent.head.version.mark_splitting();
        let up = split_interior(guard, parent, sibling, (index, separator, right), in_order);
        left.head().version.unlock();
        right.head().version.unlock();
        guard.count(Counter::InteriorSplits, 1);
        (left, right, separator) = (parent.into(), sibling.into(), up);
    }
}

/// Splits a full node to which a separator at `index` and the child after it are added. Returns the
/// separator between the two halves.
fn split_interior<'g>(
    guard: Guard<'g>,
    left: &'g Interior,
    right: &'g Interior,
    (index, separator, child): (usize, u64, Node<'g>),
    in_order: bool,
) -> u64 {
    let keys: [u64; WIDTH + 1] = std::array::from_fn(|at| match at {
        _ if at < index => left.key(at),
        _ if at == index => separator,
        _ => left.key(at - 1),
    });
    let old_child = |at| left.child(guard, at).expect("a full node has all children");
    let children: [Node<'g>; WIDTH + 2] = std::array::from_fn(|at| match at {
        _ if at <= index => old_child(at),
        _ if at == index + 1 => child,
        _ => old_child(at - 1),
    });
    let kept = if in_order && index == WIDTH { KEPT_IN_ORDER } else { KEPT };
    right.adopt(0, children[kept + 1]);
    for (at, from) in (kept + 1..keys.len()).enumerate() {
        right.insert(guard, at, keys[from], children[from + 1]);
    }
    for (at, &key) in keys[..kept].iter().enumerate() {
        left.set_key(at, key);
        left.adopt(at + 1, children[at + 1]);
    }
    left.truncate(kept);
    keys[kept]
}
