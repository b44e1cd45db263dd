//! The lock of a bucket: a version that is odd while somebody changes the bucket.

use std::mem::ManuallyDrop;

use crate::sync::edge::{self, Edge};
use crate::sync::{AtomicU32, Ordering, Spin};

/// A version lock. Zeroed memory is an unlocked version.
///
/// | edge       | from                    | to                       | guarantees                         |
/// |------------|-------------------------|--------------------------|------------------------------------|
/// | BUCKET-OUT | `Locked::drop`, Release | `lock`, `even`, Acquire  | an even version shows its entries  |
/// | BUCKET-IN  | entry stores, Release   | entry loads, Acquire     | a torn search sees a moved version |
///
/// With 32 bits, a reader is deceived only if exactly a multiple of 2^31 changes fall between its
/// two reads of one version. That takes minutes of nothing but changes to that bucket while the
/// reader is suspended.
#[repr(transparent)]
#[derive(Debug, Default)]
pub(crate) struct Version(AtomicU32);

/// Whether a version says that somebody is changing the bucket.
#[inline]
pub(super) fn is_odd(version: u32) -> bool {
    version % 2 == 1
}

impl Version {
    /// The version, as of now.
    #[inline]
    pub(super) fn now(&self) -> u32 {
        // BUCKET-OUT, to: an even version shows the entries its writer left.
        self.0.load(edge::to(Edge::BucketOut, Ordering::Acquire))
    }

    /// Waits until nobody is changing the bucket.
    #[inline]
    pub(super) fn even(&self) -> u32 {
        let mut spin = Spin::default();
        loop {
            let version = self.now();
            if !is_odd(version) {
                return version;
            }
            spin.turn();
        }
    }

    /// Whether nothing has changed since the version was `before`. The data must have been read
    /// with acquiring loads, or be followed by [`crate::sync::acquire_fence`].
    #[inline]
    pub(super) fn is_still(&self, before: u32) -> bool {
        // Relaxed: ordered after the entries, whose loads acquire (BUCKET-IN).
        self.0.load(Ordering::Relaxed) == before
    }

    /// Becomes the only writer.
    #[inline]
    pub(super) fn lock(&self) -> Locked<'_> {
        let mut spin = Spin::default();
        loop {
            if let Some(locked) = self.try_lock() {
                return locked;
            }
            spin.turn();
        }
    }

    /// Like [`Version::lock`], if nothing has changed since the version was `before`.
    #[inline]
    pub(super) fn lock_unchanged(&self, before: u32) -> Option<Locked<'_>> {
        let odd = before | 1;
        // BUCKET-OUT, to: the next holder sees the entries and all that was done before the last
        // holder unlocked (live bytes, shape, bytes overwritten in place).
        let success = edge::to(Edge::BucketOut, Ordering::Acquire);
        let locked = self.0.compare_exchange(before, odd, success, Ordering::Relaxed);
        // Not `then_some`: a guard must only be created if the lock is held.
        locked.is_ok().then(|| Locked { version: self, odd })
    }

    /// Like [`Version::lock`], if nobody else holds it.
    #[inline]
    pub(super) fn try_lock(&self) -> Option<Locked<'_>> {
        // Relaxed: the exchange acquires.
        self.lock_unchanged(self.0.load(Ordering::Relaxed) & !1)
    }
}

/// The right to change a bucket; unlocks on drop.
#[must_use = "dropping it unlocks the bucket"]
#[derive(Debug)]
pub(crate) struct Locked<'index> {
    version: &'index Version,
    odd: u32,
}

impl Locked<'_> {
    /// Unlocks a bucket in which nothing was changed: for readers as if it had not been locked.
    #[inline]
    pub(super) fn unchanged(self) {
        let locked = ManuallyDrop::new(self);
        // BUCKET-OUT, from: what was read under the lock was read before.
        let ordering = edge::from(Edge::BucketOut, Ordering::Release);
        locked.version.0.store(locked.odd.wrapping_sub(1), ordering);
    }
}

impl Drop for Locked<'_> {
    #[inline]
    fn drop(&mut self) {
        // BUCKET-OUT, from: everything done under the lock is visible to who sees this version.
        let ordering = edge::from(Edge::BucketOut, Ordering::Release);
        self.version.0.store(self.odd.wrapping_add(1), ordering);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_moves_the_version_and_excludes_others() {
        let version = Version::default();
        let before = version.even();
        let locked = version.lock();
        assert!(version.try_lock().is_none() && !version.is_still(before));
        drop(locked);
        assert!(version.even() != before && version.try_lock().is_some());
    }

    #[test]
    fn a_lock_without_a_change_leaves_no_trace() {
        let version = Version::default();
        let before = version.even();
        version.lock().unchanged();
        assert!(version.is_still(before) && version.try_lock().is_some());
    }
}
