//! Walks several keys down the top layer in step, so that their cache misses overlap.
//!
//! Nothing is verified and nothing is returned: the operations that follow search for themselves
//! and find the lines in the cache. If a concurrent writer misleads a walk, it has prefetched the
//! wrong lines.

use crate::epoch::Guard;
use crate::key::Key;
use crate::layer::Layer;
use crate::node::Found;

/// Keys in step: their nodes, and rows of up to a kilobyte, fit the first-level cache.
pub(crate) const KEYS: usize = 16;

/// An 8-byte key, and whether its row is going to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) key: u64,
    pub(crate) row: bool,
}

/// Prefetches the nodes on the paths of the first [`KEYS`] keys, and the rows that are wanted.
pub(crate) fn warm<'g>(guard: Guard<'g>, top: Layer<'g>, wanted: &[Wanted]) {
    let wanted = &wanted[..wanted.len().min(KEYS)];
    let mut nodes = [top.root(guard); KEYS];
    let mut descending = true;
    while descending {
        descending = false;
        for (node, Wanted { key, .. }) in nodes.iter_mut().zip(wanted) {
            let child = node.as_interior().and_then(|interior| interior.child_for(guard, *key));
            if let Some(child) = child {
                child.prefetch();
                *node = child;
                descending = true;
            }
        }
    }
    for (node, Wanted { key, .. }) in nodes.iter().zip(wanted).filter(|(_, wanted)| wanted.row) {
        if let Some(border) = node.as_border()
            && let Found::Row { link, .. } = border.find(guard, Key::new(&key.to_be_bytes()))
        {
            link.prefetch_all();
        }
    }
}
