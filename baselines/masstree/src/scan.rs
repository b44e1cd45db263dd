//! Scans: keys in order, one border node at a time, each as it was at one moment.
//!
//! The position of a scan is a key, not an address, so the scan can unpin between two nodes and
//! find its way again. If a layer is gone by then, it contained no key that was present throughout.

use std::ops::ControlFlow;

use crate::counters::Counter;
use crate::epoch::Guard;
use crate::find::{Place, locate};
use crate::key::{Key, Rank};
use crate::layer::{Layer, forward};
use crate::node::{Border, Entry, WIDTH};
use crate::row::{Link, Row};

const SLICE_BYTES: usize = size_of::<u64>();

/// The least key not yet delivered, as layers see it.
#[derive(Debug)]
pub(crate) struct Scan {
    /// The slices of the layers above, as bytes.
    path: Vec<u8>,
    slice: u64,
    order: u8,
    /// The suffix of the key with this slice; keys below it do not count.
    suffix: Vec<u8>,
    /// Buffer in which a key is assembled for delivery or for a search.
    key: Vec<u8>,
}

/// The result of reading a border node.
#[derive(Clone, Copy, Debug)]
enum Step<'g> {
    /// Continue with this node of the layer, or after the last node with the layer above.
    Next(Option<&'g Border>),
    /// Keys are in a layer below, to which the scan's position now points.
    Down,
    /// The node is gone, or the visitor has enough.
    Stop(ControlFlow<()>),
}

impl Scan {
    /// A scan from `first` upwards.
    pub(crate) fn from(first: &[u8]) -> Self {
        let mut scan =
            Self { path: Vec::new(), slice: 0, order: 0, suffix: Vec::new(), key: Vec::new() };
        scan.stand_at(Key::new(first));
        scan
    }

    /// Visits the keys and rows of at most `nodes` border nodes, until the visitor breaks. Returns
    /// whether there may be more.
    pub(crate) fn visit<'g>(
        &mut self,
        guard: Guard<'g>,
        top: Layer<'g>,
        nodes: usize,
        visitor: &mut impl FnMut(&[u8], Row<'g>) -> ControlFlow<()>,
    ) -> bool {
        let mut here = None;
        for _ in 0..nodes {
            let found = here.take().or_else(|| self.border(guard, top));
            let step = match found {
                Some(border) => self.visit_border(guard, border, visitor),
                None => Step::Next(None),
            };
            match step {
                Step::Next(Some(border)) => here = Some(border),
                Step::Next(None) => {
                    if !self.leave_layer() {
                        return false;
                    }
                }
                Step::Down | Step::Stop(ControlFlow::Continue(())) => {}
                Step::Stop(ControlFlow::Break(())) => return false,
            }
        }
        true
    }

    /// The node to continue with; `None` if its layer is gone.
    fn border<'g>(&mut self, guard: Guard<'g>, top: Layer<'g>) -> Option<&'g Border> {
        let depth = self.path.len() / SLICE_BYTES;
        self.key.clone_from(&self.path);
        self.key.extend(self.slice.to_be_bytes());
        let place: Place<'g, '_> = locate::<false>(guard, top, Key::new(&self.key), depth);
        if place.depth < depth {
            // What follows on the path is no longer a layer.
            self.path.truncate((place.depth + 1) * SLICE_BYTES);
            return None;
        }
        Some(place.border)
    }

    fn visit_border<'g>(
        &mut self,
        guard: Guard<'g>,
        border: &'g Border,
        visitor: &mut impl FnMut(&[u8], Row<'g>) -> ControlFlow<()>,
    ) -> Step<'g> {
        let Some((border, version)) = forward(guard, border, self.slice) else {
            return Step::Stop(ControlFlow::Continue(()));
        };
        let mut entries = [const { None }; WIDTH];
        for (place, slot) in border.permutation().slots().enumerate() {
            entries[place] = Some(border.entry(guard, slot));
        }
        let next = border.next.load(guard);
        let changed = border.head.version.changed_since(version);
        if changed || version.is_deleted() || self.slice < border.low() {
            guard.count(Counter::ReaderRetries, 1);
            return Step::Stop(ControlFlow::Continue(()));
        }
        for entry in entries.into_iter().flatten() {
            if entry.order() < (self.slice, self.order) {
                continue;
            }
            if entry.order() > (self.slice, self.order) {
                (self.slice, self.order) = entry.order();
                self.suffix.clear();
            }
            if entry.rank == Rank::LAYER {
                self.enter_layer();
                return Step::Down;
            }
            if entry.suffix >= self.suffix.as_slice() {
                self.deliverable(&entry);
                let row = Link::from_bits(entry.link).row(guard);
                let more = visitor(&self.key, row);
                if more.is_break() {
                    return Step::Stop(more);
                }
            }
            if !self.pass() {
                return Step::Next(None);
            }
        }
        if let Some(next) = next
            && next.low() > self.slice
        {
            (self.slice, self.order) = (next.low(), 0);
            self.suffix.clear();
        }
        Step::Next(next)
    }

    /// Assembles an entry's key.
    fn deliverable(&mut self, entry: &Entry<'_>) {
        self.key.clone_from(&self.path);
        self.key.extend(&entry.slice.to_be_bytes()[..entry.rank.slice_bytes()]);
        self.key.extend(entry.suffix);
    }

    fn stand_at(&mut self, key: Key<'_>) {
        (self.slice, self.order) = (key.slice(), key.rank().order());
        self.suffix.clear();
        self.suffix.extend(key.suffix());
    }

    fn enter_layer(&mut self) {
        self.path.extend(self.slice.to_be_bytes());
        let rest = std::mem::take(&mut self.suffix);
        self.stand_at(Key::new(&rest));
    }

    /// Moves past the key with this slice and order; `false` at the end of the layer.
    fn pass(&mut self) -> bool {
        self.suffix.clear();
        if self.order < Rank::SUFFIX.order() {
            self.order += 1;
            return true;
        }
        let next = self.slice.checked_add(1);
        (self.slice, self.order) = (next.unwrap_or(u64::MAX), 0);
        next.is_some()
    }

    /// Moves past this layer; `false` at the end of all keys.
    fn leave_layer(&mut self) -> bool {
        while let Some(slice) = self.path.last_chunk() {
            (self.slice, self.order) = (u64::from_be_bytes(*slice), Rank::SUFFIX.order());
            self.path.truncate(self.path.len() - SLICE_BYTES);
            if self.pass() {
                return true;
            }
        }
        false
    }
}
