//! The list of a layer's border nodes.
//!
//! A link to the next node carries a mark that locks it, and with it the `prev` of the node
//! linked. Marks are waited for from right to left only, and the first node of a layer is never
//! unlinked, so that no two wait for each other. A node's lock is held by who links or unlinks
//! it, its neighbours' are not.

use crate::epoch::Guard;
use crate::node::Border;
use crate::spin::Spin;

/// Links `right`, which is new, behind the locked `left`.
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
        // It changes while the node before is unlinked, or split.
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
