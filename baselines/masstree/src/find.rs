//! Follows a key down the layers: without locks to its row, or to the locked node where it is or
//! belongs.

use crate::counters::Counter;
use crate::epoch::Guard;
use crate::key::Key;
use crate::layer::{Layer, forward};
use crate::node::{Border, Found};
use crate::row::Row;
use crate::shared::layer_at;
use kit::spin::Spin;

/// Where a key is or belongs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'g, 'k> {
    pub(crate) layer: Layer<'g>,
    /// Number of layers above.
    pub(crate) depth: usize,
    pub(crate) border: &'g Border,
    /// The rest of the key, from this layer on.
    pub(crate) key: Key<'k>,
    /// Not a layer, unless one was requested.
    pub(crate) found: Found,
}

/// Finds the row of a key.
#[inline]
pub(crate) fn row<'g>(guard: Guard<'g>, top: Layer<'g>, key: Key<'_>) -> Option<Row<'g>> {
    match locate::<true>(guard, top, key, usize::MAX).found {
        Found::Row { link, .. } => Some(link.row(guard)),
        Found::Layer { .. } | Found::Conflict { .. } | Found::Absent => None,
    }
}

/// Finds and locks the node of a key. Stops at layer `depth_max`, where it may return a layer.
pub(crate) fn lock<'g, 'k>(
    guard: Guard<'g>,
    top: Layer<'g>,
    key: Key<'k>,
    depth_max: usize,
) -> Place<'g, 'k> {
    let mut spin = Spin::default();
    loop {
        let mut place = locate::<false>(guard, top, key, depth_max);
        let slice = place.key.slice();
        place.border.head.version.lock();
        // The nodes to the right are younger, or existed when this one was found: locks are taken
        // from left to right.
        while let Some(next) = place.border.next.load(guard).filter(|next| slice >= next.low()) {
            next.head.version.lock();
            place.border.head.version.unlock();
            place.border = next;
        }
        if !place.border.head.version.now().is_deleted() {
            place.found = place.border.find(guard, place.key);
            if place.depth == depth_max || !matches!(place.found, Found::Layer { .. }) {
                return place;
            }
        }
        // It was removed, or the key has got a layer: a new descent handles both.
        place.border.head.version.unlock();
        guard.count(Counter::ReaderRetries, 1);
        spin.wait();
    }
}

/// Finds the node of a key, and what it held at some moment during the call. Prefetches the row's
/// first line if it is going to be read: the processor works ahead to the others by itself.
#[inline]
pub(crate) fn locate<'g, 'k, const READ: bool>(
    guard: Guard<'g>,
    top: Layer<'g>,
    whole: Key<'k>,
    depth_max: usize,
) -> Place<'g, 'k> {
    let mut spin = Spin::default();
    'top: loop {
        let (mut layer, mut key, mut depth) = (top, whole, 0);
        'layer: loop {
            let slice = key.slice();
            let Some((mut border, mut version)) = layer.border_for(guard, slice) else {
                guard.count(Counter::ReaderRetries, 1);
                spin.wait();
                continue 'top;
            };
            let found = loop {
                let found = border.find(guard, key);
                if let (true, Found::Row { link, .. }) = (READ, found) {
                    link.prefetch_first();
                }
                let changed = border.head.version.changed_since(version);
                if !changed && !version.is_deleted() && slice >= border.low() {
                    break found;
                }
                guard.count(Counter::ReaderRetries, 1);
                match forward(guard, border, slice) {
                    Some(there) if slice >= border.low() => (border, version) = there,
                    _ => {
                        spin.wait();
                        continue 'layer;
                    }
                }
            };
            match found {
                Found::Layer { link, .. } if depth < depth_max => {
                    layer = Layer::of(layer_at(link, guard));
                    key = key.shifted();
                    depth += 1;
                }
                _ => return Place { layer, depth, border, key, found },
            }
        }
    }
}
