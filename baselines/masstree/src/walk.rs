//! Visits every node of a tree, in no particular order, while all sessions are stopped.

use crate::epoch::Guard;
use crate::key::Rank;
use crate::node::{Border, Interior};
use crate::row::{Link, Row};
use crate::shared::{Node, layer_at};

/// What a walk visits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Visit<'g> {
    Row(Row<'g>),
    /// After all of its rows, and before anything below it.
    Border(&'g Border),
    /// Before anything below it.
    Interior(&'g Interior),
}

/// Visits everything from `root` down. The visitor may free what it is given: the walk has read the
/// node's links by then.
pub(crate) fn walk<'g>(guard: Guard<'g>, root: Node<'g>, mut visitor: impl FnMut(Visit<'g>)) {
    let mut nodes = vec![root];
    while let Some(node) = nodes.pop() {
        if let Some(interior) = node.as_interior() {
            nodes.extend((0..=interior.len()).filter_map(|index| interior.child(guard, index)));
            visitor(Visit::Interior(interior));
        } else if let Some(border) = node.as_border() {
            for slot in border.permutation().slots() {
                let link = border.link(slot);
                if border.rank(slot) == Rank::LAYER {
                    nodes.extend(layer_at(link, guard).layer_root.load(guard));
                } else {
                    visitor(Visit::Row(Link::from_bits(link).row(guard)));
                }
            }
            visitor(Visit::Border(border));
        }
    }
}
