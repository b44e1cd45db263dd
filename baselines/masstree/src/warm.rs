//! Walks several keys down in step, so that their cache misses overlap: words down the top layer, byte
//! strings down the layers that they share with others.
//!
//! Nothing is verified and nothing is returned: the operations that follow search for themselves
//! and find the lines in the cache. If a concurrent writer misleads a walk, it has prefetched the
//! wrong lines.

use crate::epoch::Guard;
use crate::key::{Key, Rank};
use crate::layer::Layer;
use crate::node::{Border, Found};
use crate::shared::{Node, layer_at};

/// Keys in step: their nodes, and rows of up to a kilobyte, fit the first-level cache.
pub(crate) const KEYS: usize = 16;

/// An 8-byte key, and whether its row is going to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) key: u64,
    pub(crate) row: bool,
}

/// Layers that byte strings are walked down. Behind so many, what was prefetched first is no longer in the
/// first-level cache.
const LAYERS_MAX: usize = 8;

/// A byte string, and whether its row is going to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WantedBytes<'k> {
    pub(crate) key: &'k [u8],
    pub(crate) row: bool,
}

/// What a byte string comes to next. It is being prefetched.
#[derive(Clone, Copy, Debug)]
enum Next<'g> {
    /// The first node of a layer, which knows the root.
    Layer(&'g Border),
    Node(Node<'g>),
    /// The node that holds it, whose suffixes are being prefetched.
    Entry(&'g Border),
    /// Nothing.
    End,
}

/// A byte string on its way.
#[derive(Clone, Copy, Debug)]
struct Way<'g, 'k> {
    next: Next<'g>,
    /// What is left of it in this layer.
    key: Key<'k>,
    row: bool,
    layers: usize,
}

impl<'g> Way<'g, '_> {
    /// Goes one step, and prefetches what comes next.
    #[inline]
    fn step(&mut self, guard: Guard<'g>) {
        self.next = match self.next {
            Next::Layer(first) => {
                let root = Layer::of(first).root(guard);
                root.prefetch();
                Next::Node(root)
            }
            Next::Node(node) => self.below(guard, node),
            Next::Entry(border) => self.entry(guard, border),
            Next::End => Next::End,
        };
    }

    fn below(&self, guard: Guard<'g>, node: Node<'g>) -> Next<'g> {
        if let Some(interior) = node.as_interior() {
            let Some(child) = interior.child_for(guard, self.key.slice()) else { return Next::End };
            child.prefetch();
            return Next::Node(child);
        }
        let Some(border) = node.as_border() else { return Next::End };
        if self.key.rank() == Rank::SUFFIX
            && let Some(suffixes) = border.suffixes.load(guard)
        {
            suffixes.prefetch();
        }
        Next::Entry(border)
    }

    fn entry(&mut self, guard: Guard<'g>, border: &'g Border) -> Next<'g> {
        let version = border.head.version.stable();
        let link = match border.find(guard, self.key) {
            Found::Row { link, .. } if self.row => {
                link.prefetch_all();
                return Next::End;
            }
            Found::Layer { link, .. } if self.layers < LAYERS_MAX => link,
            _ => return Next::End,
        };
        // A link is that of a layer only if both were read in one state of the node.
        if version.is_deleted() || border.head.version.changed_since(version) {
            return Next::End;
        }
        let first = layer_at(link, guard);
        Node::from(first).prefetch();
        self.key = self.key.shifted();
        self.layers += 1;
        Next::Layer(first)
    }
}

/// Prefetches the nodes on the paths of the first [`KEYS`] byte strings, and the rows that are wanted.
pub(crate) fn warm_bytes<'g>(guard: Guard<'g>, top: Layer<'g>, wanted: &[WantedBytes<'_>]) {
    let root = Next::Node(top.root(guard));
    let mut ways = [Way { next: root, key: Key::new(&[]), row: false, layers: 0 }; KEYS];
    let ways = &mut ways[..wanted.len().min(KEYS)];
    for (way, WantedBytes { key, row }) in ways.iter_mut().zip(wanted) {
        (way.key, way.row) = (Key::new(key), *row);
    }
    while ways.iter().any(|way| !matches!(way.next, Next::End)) {
        ways.iter_mut().for_each(|way| way.step(guard));
    }
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
