//! The list of a layer's border nodes.
//!
//! A link to the next node carries a mark, which locks the link and the `prev` of the linked node.
//! Threads wait for marks only from right to left, and the first node of a layer is never unlinked,
//! so no two threads wait for each other. Whoever links or unlinks a node holds that node's lock,
//! but not its neighbours'.

use crate::epoch::Guard;
use crate::node::Border;
use kit::spin::Spin;

/// Links the new node `right` behind the locked node `left`.
pub(crate) fn link_behind<'g>(guard: Guard<'g>, left: &'g Border, right: &'g Border) {
    let next = left.next.mark(guard);
    right.prev.store(Some(left));
    right.next.store(next);
    if let Some(next) = next {
        next.prev.store(Some(right));
    }
    left.next.store(Some(right));
}

/// Unlinks a locked node that is not the first. Its own link stays marked.
pub(crate) fn unlink<'g>(guard: Guard<'g>, border: &'g Border) {
    let next = border.next.mark(guard);
    let mut spin = Spin::default();
    let prev = loop {
        // It changes while the preceding node is unlinked or split.
        let prev = border.prev.load(guard).expect("the first node stays");
        if prev.next.mark_if(border) {
            break prev;
        }
        spin.wait();
    };
    if let Some(next) = next {
        next.prev.store(Some(prev));
    }
    prev.next.store(next);
}
