//! The two kinds of node as laid out in memory, and searches within one.
//!
//! Readers race with the holder of a node's lock on every field except those written before the
//! node is linked, so all others are atomics. Unless a field says otherwise, its loads and stores
//! are relaxed, and the fences of the version order them ([`crate::version`]).

use std::mem::offset_of;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU64, Ordering};

use crate::epoch::Guard;
use crate::key::{Key, Rank};
use crate::memory::LINE_BYTES;
use crate::permutation::Permutation;
use crate::row::Link;
use crate::shared::{Node, NodeLink, Shared};
use crate::suffix::BagLink;
use crate::version::VersionWord;

/// Keys of a node.
pub(crate) const WIDTH: usize = 15;
/// Bytes of a node of either kind: five cache lines.
pub(crate) const NODE_BYTES: usize = 320;

const _: () = {
    assert!(size_of::<Border>() == NODE_BYTES && size_of::<Interior>() == NODE_BYTES);
    assert!(align_of::<Border>() == LINE_BYTES && align_of::<Interior>() == LINE_BYTES);
    assert!(offset_of!(Border, head) == 0 && offset_of!(Interior, head) == 0);
    assert!(offset_of!(Border, ranks) == LINE_BYTES, "ranks and slices fill two lines");
    assert!(offset_of!(Border, links) == 3 * LINE_BYTES);
    assert!(WIDTH as u32 * Rank::BITS <= u64::BITS, "ranks fit a word");
};

/// The part that both kinds begin with.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Head {
    pub(crate) version: VersionWord,
    /// Changed by the holder of the lock of the node it names. Null for the root of a layer; only
    /// the holder of the root's own lock makes it another node's child.
    pub(crate) parent: Shared<Interior>,
}

/// A leaf: keys with their rows, or with the layers below them.
///
/// A descent reads line 0 first. Lines 1 and 2 hold ranks and slices, 3 and 4 the links.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Border {
    pub(crate) head: Head,
    permutation: AtomicU64,
    /// The next node of the layer; the mark of this link guards the link and the next node's
    /// `prev`.
    pub(crate) next: Shared<Border>,
    pub(crate) prev: Shared<Border>,
    /// The least slice that this node may ever hold; the next node's `low` is the least slice that
    /// it may not.
    low: AtomicU64,
    pub(crate) suffixes: BagLink,
    /// The root of the layer, in the layer's first node.
    pub(crate) layer_root: NodeLink,
    ranks: AtomicU64,
    slices: [AtomicU64; WIDTH],
    links: [AtomicPtr<u8>; WIDTH],
}

/// A node of separators. Child `i` has the slices from `keys[i - 1]` up to, but not including,
/// `keys[i]`.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Interior {
    pub(crate) head: Head,
    /// Number of separators in use: one less than children.
    len: AtomicU8,
    /// In order; unused ones are the greatest number.
    keys: [AtomicU64; WIDTH],
    /// Unused ones are null.
    children: [NodeLink; WIDTH + 1],
}

/// What a border node holds for a key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found {
    /// The key, in a slot.
    Row {
        slot: usize,
        link: Link,
    },
    /// A layer that may contain the key.
    Layer {
        slot: usize,
        link: *mut u8,
    },
    /// Another key with the same slice; both have suffixes.
    Conflict {
        slot: usize,
    },
    Absent,
}

/// A key as stored in a border node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) slice: u64,
    pub(crate) rank: Rank,
    /// Empty unless the rank says otherwise.
    pub(crate) suffix: &'a [u8],
    /// The link of a row or of a layer.
    pub(crate) link: *mut u8,
}

impl<'a> Entry<'a> {
    pub(crate) fn new(key: Key<'a>, link: Link) -> Self {
        Self { slice: key.slice(), rank: key.rank(), suffix: key.suffix(), link: link.bits() }
    }

    /// Its position in the order of entries.
    pub(crate) fn order(&self) -> (u64, u8) {
        (self.slice, self.rank.order())
    }
}

impl Border {
    pub(crate) fn new(low: u64, root: bool, locked: bool) -> Self {
        Self {
            head: Head { version: VersionWord::new(true, root, locked), parent: Shared::default() },
            permutation: AtomicU64::new(Permutation::EMPTY.bits()),
            next: Shared::default(),
            prev: Shared::default(),
            low: AtomicU64::new(low),
            suffixes: BagLink::default(),
            layer_root: NodeLink::default(),
            ranks: AtomicU64::new(0),
            slices: Default::default(),
            links: Default::default(),
        }
    }

    #[inline]
    pub(crate) fn low(&self) -> u64 {
        self.low.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn permutation(&self) -> Permutation {
        // Acquire: pairs with the release in `publish`.
        Permutation::from_bits(self.permutation.load(Ordering::Acquire))
    }

    /// Publishes the slots in use, which were written before.
    pub(crate) fn publish(&self, permutation: Permutation) {
        // Release: pairs with the acquire in `permutation`.
        self.permutation.store(permutation.bits(), Ordering::Release);
    }

    #[inline]
    pub(crate) fn slice(&self, slot: usize) -> u64 {
        self.slices[slot].load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn rank(&self, slot: usize) -> Rank {
        Rank::from_bits(self.ranks.load(Ordering::Relaxed) >> (Rank::BITS as usize * slot))
    }

    #[inline]
    pub(crate) fn link(&self, slot: usize) -> *mut u8 {
        // Acquire: pairs with the release in `set_link`.
        self.links[slot].load(Ordering::Acquire)
    }

    /// Replaces a slot's link. The lock must be held.
    #[inline]
    pub(crate) fn set_link(&self, slot: usize, link: *mut u8) {
        // Release: pairs with the acquire in `link`, which then sees the row or node written.
        self.links[slot].store(link, Ordering::Release);
    }

    pub(crate) fn set_rank(&self, slot: usize, rank: Rank) {
        let shift = Rank::BITS as usize * slot;
        let others = self.ranks.load(Ordering::Relaxed) & !(0xf << shift);
        self.ranks.store(others | rank.bits() << shift, Ordering::Relaxed);
    }

    /// Writes an unused slot, except for its suffix. The lock must be held.
    pub(crate) fn write_slot(&self, slot: usize, entry: &Entry<'_>) {
        self.slices[slot].store(entry.slice, Ordering::Relaxed);
        self.set_rank(slot, entry.rank);
        self.set_link(slot, entry.link);
    }

    /// The suffix of a slot; empty if it has none.
    pub(crate) fn suffix<'g>(&self, guard: Guard<'g>, slot: usize) -> &'g [u8] {
        if self.rank(slot) != Rank::SUFFIX {
            return &[];
        }
        self.suffixes.load(guard).map_or(&[], |bag| bag.suffix(slot))
    }

    /// A slot's key and link.
    pub(crate) fn entry<'g>(&self, guard: Guard<'g>, slot: usize) -> Entry<'g> {
        Entry {
            slice: self.slice(slot),
            rank: self.rank(slot),
            suffix: self.suffix(guard, slot),
            link: self.link(slot),
        }
    }

    /// What the node holds for a key; valid if the version does not change or the lock is held.
    #[inline]
    pub(crate) fn find(&self, guard: Guard<'_>, key: Key<'_>) -> Found {
        let permutation = self.permutation();
        let (slice, rank) = (key.slice(), key.rank());
        // Compares all slots at once, used or not, without a branch; usually at most one is equal.
        let mut equal = 0_u32;
        for slot in 0..WIDTH {
            equal |= u32::from(self.slice(slot) == slice) << slot;
        }
        while equal != 0 {
            let slot = equal.trailing_zeros() as usize;
            equal &= equal - 1;
            let there = self.rank(slot);
            if there.order() != rank.order() || !permutation.holds(slot) {
                continue;
            }
            let link = self.link(slot);
            if there == Rank::LAYER {
                return Found::Layer { slot, link };
            }
            if there == Rank::SUFFIX && self.suffix(guard, slot) != key.suffix() {
                return Found::Conflict { slot };
            }
            return Found::Row { slot, link: Link::from_bits(link) };
        }
        Found::Absent
    }

    /// The first position in the order that is not less than `order`.
    pub(crate) fn place_of(&self, order: (u64, u8)) -> usize {
        let less = |slot: &usize| (self.slice(*slot), self.rank(*slot).order()) < order;
        self.permutation().slots().take_while(less).count()
    }
}

impl Interior {
    pub(crate) fn new(root: bool, locked: bool) -> Self {
        Self {
            head: Head {
                version: VersionWord::new(false, root, locked),
                parent: Shared::default(),
            },
            len: AtomicU8::new(0),
            keys: [const { AtomicU64::new(u64::MAX) }; WIDTH],
            children: Default::default(),
        }
    }

    /// Number of separators in use.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        usize::from(self.len.load(Ordering::Relaxed))
    }

    pub(crate) fn is_full(&self) -> bool {
        self.len() == WIDTH
    }

    #[inline]
    pub(crate) fn key(&self, index: usize) -> u64 {
        self.keys[index].load(Ordering::Relaxed)
    }

    pub(crate) fn child<'g>(&self, guard: Guard<'g>, index: usize) -> Option<Node<'g>> {
        self.children[index].load(guard)
    }

    /// The child for `slice`; nothing, or a wrong child, while the node is being changed.
    #[inline]
    pub(crate) fn child_for<'g>(&self, guard: Guard<'g>, slice: u64) -> Option<Node<'g>> {
        // Compares all keys at once, without a branch: unused ones count only for the greatest
        // slice.
        let mut index = 0;
        for key in &self.keys {
            index += usize::from(key.load(Ordering::Relaxed) <= slice);
        }
        self.children[index.min(self.len())].load(guard)
    }

    /// The index of a child. The lock must be held, and the child must name this node as its
    /// parent.
    pub(crate) fn index_of(&self, guard: Guard<'_>, child: Node<'_>) -> usize {
        let children = (0..=self.len()).map(|index| self.child(guard, index));
        let mut children = children.map(|other| other.is_some_and(|other| other.is(child)));
        children.position(|same| same).expect("a node is a child of its parent")
    }

    pub(crate) fn set_key(&self, index: usize, key: u64) {
        self.keys[index].store(key, Ordering::Relaxed);
    }

    /// Sets a child and the child's parent. This node's lock must be held, and that of the child's
    /// old parent.
    pub(crate) fn adopt<'g>(&self, index: usize, child: Node<'g>) {
        self.children[index].store(child);
        child.head().parent.store(Some(self));
    }

    /// Keeps only the first `len` separators, and one child more.
    pub(crate) fn truncate(&self, len: usize) {
        self.len.store(len as u8, Ordering::Relaxed);
        self.keys[len..].iter().for_each(|key| key.store(u64::MAX, Ordering::Relaxed));
        self.children[len + 1..].iter().for_each(|child| child.store(None));
    }

    /// Inserts a separator at `index`, and the child to its right. The lock must be held.
    pub(crate) fn insert<'g>(&self, guard: Guard<'g>, index: usize, key: u64, child: Node<'g>) {
        let len = self.len();
        for from in (index..len).rev() {
            self.set_key(from + 1, self.key(from));
            self.children[from + 2].store(self.child(guard, from + 1));
        }
        self.set_key(index, key);
        self.adopt(index + 1, child);
        self.len.store(len as u8 + 1, Ordering::Relaxed);
    }

    /// Removes the child at `index` with the separator before it, or, for the first child, the
    /// separator after it. Returns that separator. There must be at least two children, and the
    /// lock must be held.
    pub(crate) fn remove(&self, guard: Guard<'_>, index: usize) -> u64 {
        let len = self.len();
        let separator = index.saturating_sub(1);
        let removed = self.key(separator);
        for to in separator..len - 1 {
            self.set_key(to, self.key(to + 1));
        }
        for to in index..len {
            self.children[to].store(self.child(guard, to + 1));
        }
        self.truncate(len - 1);
        removed
    }
}
