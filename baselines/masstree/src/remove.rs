//! Delete: frees a slot; with the last slot of a node the node, and with the last node the layer.
//!
//! An empty border node is removed, unless it is the first of its layer. Its slices then belong to
//! the preceding node, so the separator before them becomes the next node's. An interior node left
//! with one child is replaced by that child. The first node of a layer is removed with the layer,
//! from the layer above.

use crate::counters::Counter;
use crate::epoch::Guard;
use crate::find::{self, Place};
use crate::key::Key;
use crate::layer::{Layer, lock_parent};
use crate::list;
use crate::node::{Border, Found, Interior};
use crate::shared::{Node, layer_at};

/// Removes a key of `key_bytes` bytes; returns whether it was present.
#[expect(unsafe_code, reason = "the row is retired")]
pub(crate) fn remove(guard: Guard<'_>, top: Layer<'_>, key: Key<'_>, key_bytes: u64) -> bool {
    let place = find::lock(guard, top, key, usize::MAX);
    let Found::Row { slot, link } = place.found else {
        place.border.head.version.unlock();
        return false;
    };
    let row = link.row(guard);
    let value_bytes = row.value_bytes() as u64;
    free_slot(guard, top, key, place, slot);
    guard.count(Counter::Removals, 1);
    guard.uncount(Counter::LiveObjects, 1);
    guard.uncount(Counter::LiveKeyBytes, key_bytes);
    guard.uncount(Counter::LiveValueBytes, value_bytes);
    guard.refund(key_bytes + value_bytes);
    // SAFETY: its one link is in a slot that is not in use any more.
    unsafe { guard.retire_row(row) };
    true
}

/// Frees a slot of a locked place, removes the nodes that become empty, and unlocks.
fn free_slot<'g, 'k>(
    guard: Guard<'g>,
    top: Layer<'g>,
    key: Key<'k>,
    mut place: Place<'g, 'k>,
    mut slot: usize,
) {
    loop {
        let border = place.border;
        // The slot may be reused: readers that know it must look again.
        border.head.version.mark_inserting();
        let order = border.permutation();
        let order = order.removed(order.place(slot));
        border.publish(order);
        if order.len() > 0 {
            border.head.version.unlock();
            return;
        }
        if border.prev.load(guard).is_some() {
            remove_border(guard, border);
            lower_root(guard, place.layer);
        } else {
            drop_suffixes(guard, border);
            border.head.version.unlock();
        }
        // Whoever empties the first node, or makes it the root, does so under its lock and checks
        // afterwards: the later of the two sees both.
        let root = place.layer.root(guard).as_border();
        if place.depth == 0 || root.is_none_or(|border| border.permutation().len() > 0) {
            return;
        }
        let Some(above) = remove_layer(guard, top, key, place.depth) else { return };
        (place, slot) = above;
    }
}

/// Removes the empty layer of `key` at `depth`. Returns the place of its link, locked; `None` if
/// the layer is not empty or no longer exists.
fn remove_layer<'g, 'k>(
    guard: Guard<'g>,
    top: Layer<'g>,
    key: Key<'k>,
    depth: usize,
) -> Option<(Place<'g, 'k>, usize)> {
    let above = find::lock(guard, top, key, depth - 1);
    let unlock = || {
        above.border.head.version.unlock();
        None
    };
    let Found::Layer { slot, link } = above.found else { return unlock() };
    if above.depth != depth - 1 {
        return unlock();
    }
    let anchor = layer_at(link, guard);
    // Locks are taken from the layer above to the one below, never the other way.
    anchor.head.version.lock();
    if !anchor.head.version.now().is_root() || anchor.permutation().len() > 0 {
        anchor.head.version.unlock();
        return unlock();
    }
    anchor.head.version.mark_deleted();
    anchor.head.version.unlock();
    retire_border(guard, anchor);
    guard.count(Counter::LayersCollapsed, 1);
    Some((above, slot))
}

/// Removes an empty, locked node that is not the first of its layer.
fn remove_border<'g>(guard: Guard<'g>, border: &'g Border) {
    border.head.version.mark_deleted();
    list::unlink(guard, border);
    let node = Node::from(border);
    let parent = lock_parent(guard, node).expect("a node that is not the first has a parent");
    parent.head.version.mark_inserting();
    let index = parent.index_of(guard, node);
    let separator = parent.remove(guard, index);
    if index == 0 {
        redirect(guard, parent, separator);
    }
    border.head.version.unlock();
    retire_border(guard, border);
    if parent.len() == 0 {
        replace_by_child(guard, parent);
    } else {
        parent.head.version.unlock();
    }
}

/// Assigns the slices before `low`, which belonged to the first child of a locked node, to the
/// subtree before that node.
///
/// Until this is done, a descent may arrive at a node whose slices begin later; it then starts
/// again.
fn redirect<'g>(guard: Guard<'g>, child: &'g Interior, low: u64) {
    let mut node = child;
    loop {
        let parent = lock_parent(guard, node.into());
        let parent = parent.expect("a node that is not the first has one before it");
        if !std::ptr::eq(node, child) {
            node.head.version.unlock();
        }
        let index = parent.index_of(guard, node.into());
        if index > 0 {
            parent.head.version.mark_inserting();
            parent.set_key(index - 1, low);
            parent.head.version.unlock();
            return;
        }
        node = parent;
    }
}

/// Replaces a locked node by its only child and unlocks. A root is left to [`lower_root`].
#[expect(unsafe_code, reason = "the node is retired")]
fn replace_by_child<'g>(guard: Guard<'g>, node: &'g Interior) {
    let Some(parent) = lock_parent(guard, node.into()) else {
        node.head.version.unlock();
        return;
    };
    let child = node.child(guard, 0).expect("a node has a child");
    parent.head.version.mark_inserting();
    parent.adopt(parent.index_of(guard, node.into()), child);
    node.head.version.mark_deleted();
    node.head.version.unlock();
    parent.head.version.unlock();
    // SAFETY: its parent's link was overwritten above, and its child names another parent.
    unsafe { guard.retire_node(node.into()) };
}

/// Makes the only child of a root the new root, repeatedly while there is only one.
#[expect(unsafe_code, reason = "the old root is retired")]
fn lower_root<'g>(guard: Guard<'g>, layer: Layer<'g>) {
    while let Some(root) = layer.root(guard).as_interior().filter(|root| root.len() == 0) {
        // Locks are taken from child to parent, so the child's comes first; then everything is
        // verified.
        let Some(child) = root.child(guard, 0) else { return };
        child.head().version.lock();
        let parent =
            if child.head().version.now().is_deleted() { None } else { lock_parent(guard, child) };
        let Some(parent) = parent else {
            child.head().version.unlock();
            continue;
        };
        if parent.len() > 0 || !parent.head.version.now().is_root() {
            parent.head.version.unlock();
            child.head().version.unlock();
            return;
        }
        parent.head.version.mark_deleted();
        parent.head.version.set_root(false);
        child.head().parent.store(None);
        child.head().version.set_root(true);
        layer.set_root(child);
        child.head().version.unlock();
        parent.head.version.unlock();
        // SAFETY: the layer's link was overwritten above, and the child names no parent.
        unsafe { guard.retire_node(parent.into()) };
    }
}

/// Retires an unlinked node and its suffixes.
#[expect(unsafe_code, reason = "the node is retired")]
fn retire_border<'g>(guard: Guard<'g>, border: &'g Border) {
    drop_suffixes(guard, border);
    // SAFETY: parent and neighbours, or the layer above, link it no more.
    unsafe { guard.retire_node(border.into()) };
}

/// Retires the suffixes of an empty node that is locked or was unlinked.
#[expect(unsafe_code, reason = "the suffixes are retired")]
fn drop_suffixes<'g>(guard: Guard<'g>, border: &'g Border) {
    if let Some(bag) = border.suffixes.load(guard) {
        border.suffixes.store(None);
        // SAFETY: its one link was overwritten above.
        unsafe { guard.retire_bag(bag) };
    }
}
