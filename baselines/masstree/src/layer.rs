//! A layer: one B+-tree, and how to descend in it and to find a node's parent.
//!
//! A layer is linked through its first border node, which is removed only with the layer, and which
//! knows the root. So a root can change without a lock in the layer above.

use crate::counters::Counter;
use crate::epoch::Guard;
use crate::node::{Border, Interior};
use crate::shared::{Node, NodeLink};
use crate::version::Version;
use kit::spin::Spin;

/// A layer, given by the place where its root is linked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layer<'g> {
    root: &'g NodeLink,
}

impl<'g> Layer<'g> {
    /// The layer whose root is stored in `root`.
    pub(crate) fn rooted_in(root: &'g NodeLink) -> Self {
        Self { root }
    }

    /// The layer whose first node is `anchor`.
    pub(crate) fn of(anchor: &'g Border) -> Self {
        Self { root: &anchor.layer_root }
    }

    #[inline]
    pub(crate) fn root(self, guard: Guard<'g>) -> Node<'g> {
        self.root.load(guard).expect("a layer has a root")
    }

    /// Changes the root. The locks of the old and the new root must be held, unless the new one is
    /// not linked yet.
    pub(crate) fn set_root(self, root: Node<'g>) {
        self.root.store(root);
    }

    /// The border node that a slice belongs to, with a stable version; `None` if the layer is gone.
    ///
    /// Versions are taken hand over hand: a child's before its parent's is checked, so the child
    /// was the right one when its version was taken. While a preceding node is being removed, the
    /// slice may still be below the node's least slice; callers check and retry.
    #[inline]
    pub(crate) fn border_for(self, guard: Guard<'g>, slice: u64) -> Option<(&'g Border, Version)> {
        let mut spin = Spin::default();
        'restart: loop {
            let mut node = self.root(guard);
            let mut version = node.head().version.stable();
            if version.is_deleted() && version.is_border() {
                return None;
            }
            if !version.is_root() {
                // The root has changed in the meantime.
                guard.count(Counter::ReaderRetries, 1);
                spin.wait();
                continue;
            }
            while let Some(interior) = node.as_interior() {
                let child = interior.child_for(guard, slice);
                if let Some(child) = child {
                    child.prefetch();
                    let child_version = child.head().version.stable();
                    if !interior.head.version.changed_since(version) {
                        (node, version) = (child, child_version);
                        continue;
                    }
                }
                guard.count(Counter::ReaderRetries, 1);
                let now = interior.head.version.stable();
                if now.split_since(version) {
                    spin.wait();
                    continue 'restart;
                }
                version = now;
            }
            return node.as_border().map(|border| (border, version));
        }
    }
}

/// The node that a slice belongs to, starting from one that it belonged to: splits move keys to the
/// right. `None` if a removal cuts the way.
pub(crate) fn forward<'g>(
    guard: Guard<'g>,
    mut border: &'g Border,
    slice: u64,
) -> Option<(&'g Border, Version)> {
    loop {
        let version = border.head.version.stable();
        if version.is_deleted() {
            return None;
        }
        match border.next.load(guard) {
            Some(next) if slice >= next.low() => border = next,
            _ => return Some((border, version)),
        }
    }
}

/// Locks the parent of a locked node; `None` if the node is a root.
pub(crate) fn lock_parent<'g>(guard: Guard<'g>, node: Node<'g>) -> Option<&'g Interior> {
    let head = node.head();
    debug_assert!(head.version.now().is_locked(), "parents are locked after their children");
    loop {
        let parent = head.parent.load(guard)?;
        parent.head.version.lock();
        let still = head.parent.load(guard);
        if still.is_some_and(|still| std::ptr::eq(still, parent)) {
            return Some(parent);
        }
        parent.head.version.unlock();
    }
}
