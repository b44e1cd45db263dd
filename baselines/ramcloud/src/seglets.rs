//! The pool of seglets: fixed pieces of the log's memory, each free or in the chain of a segment.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Stands for no segment or no seglet.
pub(crate) const NONE: u32 = u32::MAX;

/// All seglets of an instance.
#[derive(Debug)]
pub(crate) struct Seglets {
    free: Mutex<Vec<u32>>,
    /// Length of `free`, for those who need no exact answer.
    free_count: AtomicUsize,
    links: Box<[Link]>,
}

/// A seglet's segment and successor. A reader of an entry finds both in one cache line.
#[derive(Debug)]
struct Link {
    /// The segment's slot.
    owner: AtomicU32,
    /// The next seglet of its segment.
    next: AtomicU32,
}

impl Seglets {
    pub(crate) fn new(count: usize) -> Self {
        let link = || Link { owner: AtomicU32::new(NONE), next: AtomicU32::new(NONE) };
        Self {
            // Low numbers first; seglets returned last come before those never used.
            free: Mutex::new((0..count as u32).rev().collect()),
            free_count: AtomicUsize::new(count),
            links: (0..count).map(|_| link()).collect(),
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.links.len()
    }

    /// Number of seglets in the pool, now or a moment ago.
    #[inline]
    pub(crate) fn free(&self) -> usize {
        // Relaxed: a hint; taking seglets counts under the lock.
        self.free_count.load(Ordering::Relaxed)
    }

    /// Takes `count` seglets and appends them to the chain of segment `owner` after `last`
    /// ([`NONE`] for a new segment), unless fewer than `floor` would be left. Returns the first and
    /// last of them.
    pub(crate) fn take(
        &self,
        count: usize,
        floor: usize,
        owner: u32,
        last: u32,
    ) -> Option<(u32, u32)> {
        debug_assert!(count > 0);
        let mut free = self.lock();
        if free.len() < count + floor {
            return None;
        }
        let (mut first, mut last) = (NONE, last);
        for _ in 0..count {
            let seglet = free.pop().expect("as many were counted");
            let link = &self.links[seglet as usize];
            // Relaxed, like all links: whoever follows one got here through a bucket's lock or a
            // segment's state, which order them.
            link.owner.store(owner, Ordering::Relaxed);
            link.next.store(NONE, Ordering::Relaxed);
            if last != NONE {
                self.links[last as usize].next.store(seglet, Ordering::Relaxed);
            }
            if first == NONE {
                first = seglet;
            }
            last = seglet;
        }
        self.free_count.store(free.len(), Ordering::Relaxed);
        Some((first, last))
    }

    /// Returns a segment's chain to the pool.
    pub(crate) fn give(&self, first: u32) {
        let mut free = self.lock();
        let mut seglet = first;
        while seglet != NONE {
            self.links[seglet as usize].owner.store(NONE, Ordering::Relaxed);
            free.push(seglet);
            seglet = self.next(seglet);
        }
        self.free_count.store(free.len(), Ordering::Relaxed);
    }

    /// The segment that a seglet belongs to.
    #[inline]
    pub(crate) fn owner(&self, seglet: u32) -> u32 {
        self.links[seglet as usize].owner.load(Ordering::Relaxed)
    }

    /// The next seglet of its segment.
    #[inline]
    pub(crate) fn next(&self, seglet: u32) -> u32 {
        self.links[seglet as usize].next.load(Ordering::Relaxed)
    }

    /// The numbers of the seglets in the pool.
    pub(crate) fn free_list(&self) -> Vec<u32> {
        self.lock().clone()
    }

    /// Size of the pool's own tables.
    pub(crate) fn table_bytes(&self) -> usize {
        self.links.len() * (size_of::<Link>() + size_of::<u32>())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<u32>> {
        // No step under the lock panics half-way.
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_taken_whole_above_the_floor_and_come_back() {
        let seglets = Seglets::new(10);
        assert_eq!(seglets.take(3, 0, 7, NONE), Some((0, 2)));
        assert_eq!((seglets.next(0), seglets.next(1), seglets.next(2)), (1, 2, NONE));
        assert_eq!(seglets.take(6, 2, 8, NONE), None, "all or nothing");
        assert_eq!(seglets.free(), 7);
        assert_eq!(seglets.take(2, 5, 7, 2), Some((3, 4)));
        assert_eq!((seglets.next(2), seglets.owner(4)), (3, 7));
        seglets.give(0);
        assert_eq!((seglets.free(), seglets.free_list().len()), (10, 10));
        assert_eq!(seglets.owner(4), NONE);
    }
}
