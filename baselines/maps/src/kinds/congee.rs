//! `congee::Congee`: an adaptive radix tree with optimistic lock coupling; keys are compared byte
//! by byte, not hashed.
//!
//! A tree maps words to words, so rows in it are addresses (`raw::tree`). A get reads versions of
//! nodes and never writes. A put locks the one node that changes. The crate takes any guard of
//! `crossbeam_epoch`. Its own `pin` would take one of the process's collector, which would free
//! rows on threads that never use the store, after the store is gone; here the guards belong to a
//! collector of the store.
//!
//! Nodes come from the program's global allocator. They are of 64 to 2112 bytes, on lines of their
//! own.

use crossbeam_epoch::{Guard, LocalHandle};
use engine::{Hashing, OpenError, ScanOrder, ScanRange, Scans};

use crate::config::Config;
use crate::map::{Map, Offering, Placed};
use crate::raw::{EPOCHS_TO_FREE, RowRef, Tree};

/// `congee::Congee`; see [`MapStore`](crate::MapStore).
#[derive(Debug)]
pub struct Congee {
    tree: Tree,
}

impl Map for Congee {
    type Key = u64;

    const NAME: &'static str = "congee";
    const DESCRIPTION: &'static str =
        "congee: adaptive radix tree, optimistic lock coupling, ordered, values on any heap";
    const SCANS: Scans = Scans::Ascending;
    const GUARDS: bool = true;
    const HASHING: Hashing = Hashing::None;

    type Thread = LocalHandle;
    type Guard<'a> = Guard;

    fn open(config: &Config) -> Result<Self, OpenError> {
        config.refuse_shards()?;
        config.refuse_presize()?;
        Ok(Self { tree: Tree::new() })
    }

    fn thread(&self) -> LocalHandle {
        self.tree.register()
    }

    #[inline]
    fn guard<'a>(&'a self, thread: &'a LocalHandle) -> Guard {
        thread.pin()
    }

    fn reclaim(&self, guard: &mut Guard) {
        for _ in 0..EPOCHS_TO_FREE {
            guard.flush();
            guard.repin();
        }
    }

    #[inline]
    fn get<R>(&self, key: u64, guard: &Guard, read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        self.tree.get(key, guard).map(|row| read(row.value()))
    }

    #[inline]
    fn put(&self, key: u64, offer: &mut impl Offering, guard: &Guard) -> Placed {
        self.tree.put(key, offer, guard)
    }

    #[inline]
    fn remove(&self, key: u64, guard: &Guard) -> Option<usize> {
        self.tree.remove(key, guard)
    }

    fn for_each(&self, guard: &Guard, mut visit: impl FnMut(u64, RowRef<'_>)) {
        self.tree.walk(0, guard, |key, row| {
            visit(key, row);
            true
        });
    }

    fn scan(
        &self,
        range: ScanRange,
        guard: &Guard,
        visit: &mut dyn FnMut(u64, &[u8]),
    ) -> Option<usize> {
        if range.order == ScanOrder::Descending {
            return None;
        }
        let mut shown = 0;
        self.tree.walk(range.first, guard, |key, row| {
            if shown < range.limit {
                visit(key, row.value());
                shown += 1;
            }
            shown < range.limit
        });
        Some(shown)
    }

    /// The crate counts only by listing all keys, which takes memory; a walk takes none.
    fn entries(&self) -> usize {
        let thread = self.thread();
        let mut entries = 0;
        self.for_each(&self.guard(&thread), |_, _| entries += 1);
        entries
    }
}
