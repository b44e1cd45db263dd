//! Links between nodes: atomics that yield references valid as long as a guard.
//!
//! Why following a link is sound. A link holds null or a node that is initialised and was linked
//! somewhere. A node returns to its pool a grace period after the last link to it was removed
//! ([`crate::epoch`]). Unused places of a node hold null. So whatever a session reads from a link
//! during an operation, stale or not, stays a node until the operation ends.

use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::epoch::Guard;
use crate::memory::{Block, LINE_BYTES, prefetch};
use crate::node::{Border, Head, Interior, NODE_BYTES};
use kit::spin::Spin;

/// A node of either kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<'g> {
    start: NonNull<Head>,
    guard: PhantomData<&'g Head>,
}

impl<'g> Node<'g> {
    #[inline]
    pub(crate) fn head(self) -> &'g Head {
        // SAFETY: both kinds of node begin with their head; the guard keeps the node.
        unsafe { self.start.as_ref() }
    }

    /// Prefetches all its lines.
    #[inline]
    pub(crate) fn prefetch(self) {
        prefetch(self.start.as_ptr().cast(), NODE_BYTES);
    }

    #[inline]
    pub(crate) fn as_border(self) -> Option<&'g Border> {
        // SAFETY: the version tells the kind, for ever; the guard keeps the node.
        self.head().version.now().is_border().then(|| unsafe { self.start.cast().as_ref() })
    }

    #[inline]
    pub(crate) fn as_interior(self) -> Option<&'g Interior> {
        // SAFETY: the version tells the kind, for ever; the guard keeps the node.
        (!self.head().version.now().is_border()).then(|| unsafe { self.start.cast().as_ref() })
    }

    pub(crate) fn is(self, other: impl Into<Node<'g>>) -> bool {
        self.start == other.into().start
    }

    /// Its place in the pool.
    pub(crate) fn block(self) -> Block {
        Block::at(self.start.as_ptr().cast(), NODE_BYTES)
    }
}

impl<'g> From<&'g Border> for Node<'g> {
    #[inline]
    fn from(border: &'g Border) -> Self {
        Self { start: NonNull::from(border).cast(), guard: PhantomData }
    }
}

impl<'g> From<&'g Interior> for Node<'g> {
    #[inline]
    fn from(interior: &'g Interior) -> Self {
        Self { start: NonNull::from(interior).cast(), guard: PhantomData }
    }
}

/// Puts a border node into the pool; `None` if the pool refuses. The node lives until it is
/// retired.
pub(crate) fn allocate_border<'g>(guard: Guard<'g>, border: Border) -> Option<&'g Border> {
    allocate(guard, border)
}

/// Like [`allocate_border`], for an interior node.
pub(crate) fn allocate_interior<'g>(guard: Guard<'g>, interior: Interior) -> Option<&'g Interior> {
    allocate(guard, interior)
}

fn allocate<'g, T: 'g>(guard: Guard<'g>, node: T) -> Option<&'g T> {
    const { assert!(size_of::<T>() == NODE_BYTES && align_of::<T>() == LINE_BYTES) };
    let start = guard.memory().nodes.allocate()?.cast::<T>();
    // SAFETY: the memory is new, and as long and aligned as nodes of either kind.
    unsafe { start.write(node) };
    guard.count_node(NODE_BYTES);
    // SAFETY: written above; nodes live until they are retired, and longer than guards of then.
    Some(unsafe { start.as_ref() })
}

/// A link to a node of either kind.
#[derive(Debug, Default)]
pub(crate) struct NodeLink(AtomicPtr<Head>);

impl NodeLink {
    #[inline]
    pub(crate) fn load<'g>(&self, _guard: Guard<'g>) -> Option<Node<'g>> {
        // Acquire: pairs with the release in `store`.
        let start = NonNull::new(self.0.load(Ordering::Acquire))?;
        Some(Node { start, guard: PhantomData })
    }

    pub(crate) fn store<'g>(&self, node: impl Into<Option<Node<'g>>>) {
        let start = node.into().map_or(ptr::null_mut(), |node: Node<'g>| node.start.as_ptr());
        // Release: pairs with the acquire in `load`, which then sees the node initialised.
        self.0.store(start, Ordering::Release);
    }
}

/// A link to a node of a known kind. Its lowest bit is a mark, which locks the link itself.
#[derive(Debug)]
pub(crate) struct Shared<T>(AtomicPtr<T>);

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }
}

const MARK: usize = 1;

impl<T> Shared<T> {
    #[inline]
    pub(crate) fn load<'g>(&self, _guard: Guard<'g>) -> Option<&'g T> {
        // Acquire: pairs with the release in `store`.
        Self::node(self.0.load(Ordering::Acquire))
    }

    /// Stores a node and removes the mark.
    pub(crate) fn store(&self, node: Option<&T>) {
        // Release: pairs with the acquires in `load`, `mark` and `mark_if`.
        self.0.store(address(node), Ordering::Release);
    }

    /// Waits until nobody holds the mark, takes it, and returns the linked node.
    pub(crate) fn mark<'g>(&self, _guard: Guard<'g>) -> Option<&'g T> {
        let mut spin = Spin::default();
        loop {
            let start = self.0.load(Ordering::Relaxed);
            if start.addr() & MARK == 0 && self.replace(start) {
                return Self::node(start);
            }
            spin.wait();
        }
    }

    /// Takes the mark if nobody holds it and the link leads to `node`.
    pub(crate) fn mark_if(&self, node: &T) -> bool {
        self.replace(address(Some(node)))
    }

    fn replace(&self, start: *mut T) -> bool {
        let marked = start.map_addr(|address| address | MARK);
        // Acquire: pairs with the release in `store`.
        self.0.compare_exchange(start, marked, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    pub(crate) fn is_marked(&self) -> bool {
        self.0.load(Ordering::Relaxed).addr() & MARK != 0
    }

    fn node<'g>(start: *mut T) -> Option<&'g T> {
        let start = NonNull::new(start.map_addr(|address| address & !MARK))?;
        // SAFETY: see the module's documentation; callers hold a guard of this lifetime.
        Some(unsafe { start.as_ref() })
    }
}

fn address<T>(node: Option<&T>) -> *mut T {
    node.map_or(ptr::null_mut(), |node| ptr::from_ref(node).cast_mut())
}

/// The root of the next layer, linked by a slot of a border node. The slot must hold a layer: the
/// link was read under this guard in a consistent state of the node.
pub(crate) fn layer_at<'g>(link: *mut u8, _guard: Guard<'g>) -> &'g Border {
    // SAFETY: see the module's documentation.
    unsafe { link.cast::<Border>().as_ref() }.expect("a layer has a first node")
}

/// What a slot stores for the next layer.
pub(crate) fn link_of(anchor: &Border) -> *mut u8 {
    ptr::from_ref(anchor).cast_mut().cast()
}
