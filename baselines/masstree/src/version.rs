//! The version word of a node: its lock, a mark for what the lock's holder is changing, and
//! counters that tell a reader that something changed while it was reading.
//!
//! A reader takes a *stable* version, reads the node's fields, and keeps the result if the version
//! has not changed since. This pair makes that sound, for every field of a node:
//!
//! * a writer marks the version, then a release fence, then it stores fields (`mark`);
//! * a reader loads fields, then an acquire fence, then it loads the version (`changed_since`).
//!
//! So a reader that saw one of these stores sees the mark, or what came after it. `unlock` releases
//! and `stable` acquires, so a reader that starts after a change sees all of it.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering, fence};

use kit::spin::Spin;

/// A version, as read.
///
/// ```text
///  63          32 31       6    5      4      3         2          1        0
/// ┌──────────────┬──────────┬────────┬──────┬─────────┬───────────┬───────────┬────────┐
/// │    vsplit    │ vinsert  │ border │ root │ deleted │ splitting │ inserting │ locked │
/// └──────────────┴──────────┴────────┴──────┴─────────┴───────────┴───────────┴────────┘
/// ```
///
/// Both counters wrap. A reader would be deceived only if it slept through 2^26 insertions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version(u64);

const LOCKED: u64 = 1;
const INSERTING: u64 = 1 << 1;
const SPLITTING: u64 = 1 << 2;
const DELETED: u64 = 1 << 3;
const ROOT: u64 = 1 << 4;
const BORDER: u64 = 1 << 5;
const VINSERT_ONE: u64 = 1 << 6;
const VSPLIT_ONE: u64 = 1 << 32;
const VINSERT: u64 = VSPLIT_ONE - VINSERT_ONE;
const DIRTY: u64 = INSERTING | SPLITTING;

const _: () = {
    let flags = LOCKED | INSERTING | SPLITTING | DELETED | ROOT | BORDER;
    assert!(flags + 1 == VINSERT_ONE, "the counters begin where the flags end");
    assert!(flags & VINSERT == 0 && VINSERT.count_ones() == 26);
    assert!(VINSERT + VINSERT_ONE == VSPLIT_ONE, "vsplit has the rest of the word");
};

impl Version {
    pub(crate) fn is_locked(self) -> bool {
        self.0 & LOCKED != 0
    }

    pub(crate) fn is_deleted(self) -> bool {
        self.0 & DELETED != 0
    }

    pub(crate) fn is_root(self) -> bool {
        self.0 & ROOT != 0
    }

    pub(crate) fn is_border(self) -> bool {
        self.0 & BORDER != 0
    }

    /// Whether keys may have moved to another node between the two versions.
    pub(crate) fn split_since(self, before: Self) -> bool {
        self.is_deleted() || (self.0 ^ before.0) >= VSPLIT_ONE
    }

    /// The version that the lock's holder leaves behind.
    fn released(self) -> Self {
        let counted = if self.0 & SPLITTING != 0 {
            self.0.wrapping_add(VSPLIT_ONE)
        } else if self.0 & INSERTING != 0 {
            (self.0 & !VINSERT) | (self.0.wrapping_add(VINSERT_ONE) & VINSERT)
        } else {
            self.0
        };
        Self(counted & !(LOCKED | DIRTY))
    }
}

impl fmt::Debug for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = [
            (LOCKED, "locked"),
            (INSERTING, "inserting"),
            (SPLITTING, "splitting"),
            (DELETED, "deleted"),
            (ROOT, "root"),
            (BORDER, "border"),
        ];
        let set = flags.iter().filter(|(flag, _)| self.0 & flag != 0).map(|(_, name)| name);
        formatter.debug_set().entries(set).finish()?;
        write!(formatter, " vinsert {} vsplit {}", (self.0 & VINSERT) >> 6, self.0 >> 32)
    }
}

/// The word itself. Only the lock's holder calls the methods from `mark_inserting` on.
#[derive(Debug)]
pub(crate) struct VersionWord(AtomicU64);

impl VersionWord {
    pub(crate) fn new(border: bool, root: bool, locked: bool) -> Self {
        let flag = |set: bool, flag: u64| if set { flag } else { 0 };
        Self(AtomicU64::new(flag(border, BORDER) | flag(root, ROOT) | flag(locked, LOCKED)))
    }

    /// The current word, for uses that do not depend on other fields.
    pub(crate) fn now(&self) -> Version {
        Version(self.0.load(Ordering::Relaxed))
    }

    /// The version at a moment when nobody is changing the node. Waits for the lock's holder.
    #[inline]
    pub(crate) fn stable(&self) -> Version {
        let mut spin = Spin::default();
        loop {
            // Acquire: pairs with the release in `unlock`.
            let bits = self.0.load(Ordering::Acquire);
            if bits & DIRTY == 0 {
                return Version(bits);
            }
            spin.wait();
        }
    }

    /// Whether what was read since the stable version `before` may be wrong.
    #[inline]
    pub(crate) fn changed_since(&self, before: Version) -> bool {
        // Pairs with the release fence in `mark`.
        fence(Ordering::Acquire);
        (self.0.load(Ordering::Relaxed) ^ before.0) & !LOCKED != 0
    }

    #[inline]
    pub(crate) fn lock(&self) {
        let mut spin = Spin::default();
        loop {
            let bits = self.0.load(Ordering::Relaxed);
            let free = bits & LOCKED == 0;
            // Acquire: pairs with the release in `unlock`.
            let locked = |bits| {
                let (success, failure) = (Ordering::Acquire, Ordering::Relaxed);
                self.0.compare_exchange_weak(bits, bits | LOCKED, success, failure).is_ok()
            };
            if free && locked(bits) {
                return;
            }
            spin.wait();
        }
    }

    /// Announces that entries will appear, vanish or change their kind.
    pub(crate) fn mark_inserting(&self) {
        self.mark(INSERTING);
    }

    /// Announces that entries will move to another node.
    pub(crate) fn mark_splitting(&self) {
        self.mark(SPLITTING);
    }

    /// Announces that the node will be unlinked, for ever.
    pub(crate) fn mark_deleted(&self) {
        self.mark(DELETED | SPLITTING);
    }

    pub(crate) fn set_root(&self, root: bool) {
        let bits = self.held().0;
        // Relaxed: `unlock` publishes it.
        self.0.store(if root { bits | ROOT } else { bits & !ROOT }, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn unlock(&self) {
        // Release: pairs with the acquires in `stable` and `lock`.
        self.0.store(self.held().released().0, Ordering::Release);
    }

    fn mark(&self, flags: u64) {
        self.0.store(self.held().0 | flags, Ordering::Relaxed);
        // Pairs with the acquire fence in `changed_since`.
        fence(Ordering::Release);
    }

    fn held(&self) -> Version {
        // Relaxed: the holder alone writes the word.
        let version = Version(self.0.load(Ordering::Relaxed));
        debug_assert!(version.is_locked(), "only the lock's holder changes a version");
        version
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_seen_and_a_mere_lock_is_not() {
        let word = VersionWord::new(true, true, false);
        let before = word.stable();
        assert!(before.is_border() && before.is_root() && !before.is_locked());
        word.lock();
        assert!(!word.changed_since(before), "a lock changes nothing");
        word.unlock();
        assert!(!word.changed_since(before));
        word.lock();
        word.mark_inserting();
        assert!(word.changed_since(before));
        word.unlock();
        assert!(word.changed_since(before) && !word.stable().split_since(before));
        word.lock();
        word.mark_splitting();
        word.unlock();
        assert!(word.stable().split_since(before));
    }

    #[test]
    fn vinsert_wraps_within_its_field() {
        let full = Version(VINSERT | BORDER | LOCKED | INSERTING);
        assert_eq!(full.released(), Version(BORDER));
        let split = Version(!(DELETED | ROOT));
        assert_eq!(split.released(), Version(VINSERT | BORDER));
    }

    #[test]
    fn deleted_is_for_ever_and_counts_as_a_split() {
        let word = VersionWord::new(false, false, true);
        let before = word.now();
        word.mark_deleted();
        word.unlock();
        assert!(word.stable().is_deleted() && word.stable().split_since(before));
    }
}
