//! The slots of sessions: who is within an operation, and since which epoch.
//!
//! A session pins its slot for one operation at a time and is idle in between, so a sleeping
//! session holds nobody up. The slot's word is also the lock of everything that the session keeps
//! there (limbo, credit, counters): the owner holds it while pinned, and anyone else may seize it
//! while it is idle. So none of that needs its own atomics.
//!
//! The epoch advances when every pinned slot has seen the current one. A block sealed in epoch `e`
//! was unlinked before. Any session that could still hold it was pinned in `e` or earlier, and has
//! ended its operation when the epoch is `e + 2`.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::{Heap, SessionError};

use crate::counters::{Counter, Counters};
use crate::limbo::{Kind, Limbo};
use crate::memory::{Block, Memory};
use crate::row::Row;
use crate::shared::Node;
use crate::spin::Spin;
use crate::suffix::Bag;
use kit::credit::{Credit, Pool};

/// The largest number of concurrent sessions.
pub const SESSIONS_MAX: usize = 256;
/// How often to try to advance the epoch when memory is short.
const ADVANCES: usize = 4;
/// A session fetches at most one in so many of the bytes that are left.
const PORTIONS: usize = 32;

/// The holder of a slot, as its word.
///
/// ```text
///  63                    2 1                    0
/// ┌───────────────────────┬──────────────────────┐
/// │ epoch, when pinned    │ 0 idle               │
/// │                       │ 1 seized by another  │
/// │                       │ 2 pinned by its owner│
/// └───────────────────────┴──────────────────────┘
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hold {
    Idle,
    Seized,
    Pinned { epoch: u64 },
}

impl Hold {
    const fn bits(self) -> u64 {
        match self {
            Self::Idle => 0,
            Self::Seized => 1,
            Self::Pinned { epoch } => epoch << 2 | 2,
        }
    }

    const fn from_bits(bits: u64) -> Self {
        match bits & 3 {
            0 => Self::Idle,
            1 => Self::Seized,
            _ => Self::Pinned { epoch: bits >> 2 },
        }
    }
}

const _: () = {
    assert!(matches!(Hold::from_bits(Hold::Idle.bits()), Hold::Idle));
    assert!(matches!(Hold::from_bits(Hold::Seized.bits()), Hold::Seized));
    let pinned = Hold::Pinned { epoch: 7 };
    assert!(matches!(Hold::from_bits(pinned.bits()), Hold::Pinned { epoch: 7 }));
};

/// What a session keeps for itself.
#[derive(Debug, Default)]
pub(crate) struct Local {
    pub(crate) limbo: RefCell<Limbo>,
    pub(crate) credit: Credit,
    pub(crate) counters: Counters,
}

/// More than two cache lines, because the processor prefetches neighbours in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Slot {
    hold: AtomicU64,
    local: Local,
}

// SAFETY: `local` is reached through `Pin` and `Seized` only, of which one at a time holds the
// slot's word; each acquires what the one before released.
unsafe impl Sync for Slot {}

impl Slot {
    fn try_hold(&self, hold: Hold) -> bool {
        // Acquire: pairs with the release in `let_go`. SeqCst: what is read under the hold is
        // read after every thread can see it: MASSTREE-PIN.
        let (success, failure) = (Ordering::SeqCst, Ordering::Relaxed);
        self.hold.compare_exchange(Hold::Idle.bits(), hold.bits(), success, failure).is_ok()
    }

    fn let_go(&self) {
        // Release: pairs with the acquire in `try_hold`.
        self.hold.store(Hold::Idle.bits(), Ordering::Release);
    }

    fn try_seize(&self) -> Option<Seized<'_>> {
        self.try_hold(Hold::Seized).then(|| Seized { slot: self })
    }

    fn seize(&self) -> Seized<'_> {
        let mut spin = Spin::default();
        loop {
            if let Some(seized) = self.try_seize() {
                return seized;
            }
            spin.wait();
        }
    }
}

/// A slot held by someone other than its owner, between two operations.
#[derive(Debug)]
struct Seized<'d> {
    slot: &'d Slot,
}

impl Seized<'_> {
    fn local(&self) -> &Local {
        &self.slot.local
    }
}

impl Drop for Seized<'_> {
    fn drop(&mut self) {
        self.slot.let_go();
    }
}

/// On its own cache line, because every operation reads it.
#[derive(Debug)]
#[repr(align(128))]
struct Epoch(AtomicU64);

/// The sessions of one tree and what they share.
#[derive(Debug)]
pub(crate) struct Domain {
    epoch: Epoch,
    slots: Box<[Slot]>,
    /// Slots below this index have been used by a session.
    used: AtomicUsize,
    free: Mutex<Vec<usize>>,
    pub(crate) memory: Memory,
    pub(crate) pool: Pool,
}

impl Domain {
    pub(crate) fn new(heap: &'static dyn Heap, bound_bytes: Option<u64>) -> Self {
        Self {
            epoch: Epoch(AtomicU64::new(0)),
            slots: (0..SESSIONS_MAX).map(|_| Slot::default()).collect(),
            used: AtomicUsize::new(1),
            free: Mutex::new((0..SESSIONS_MAX).rev().collect()),
            memory: Memory::new(heap),
            pool: Pool::new(bound_bytes, PORTIONS),
        }
    }

    /// Size of the table of slots.
    pub(crate) fn table_bytes(&self) -> usize {
        size_of_val(&*self.slots)
    }

    pub(crate) fn claim(&self) -> Result<usize, SessionError> {
        let mut free = self.lock_free();
        let index = free.pop().ok_or(SessionError::TooManySessions { limit: SESSIONS_MAX })?;
        // Under the lock, so that `stop` sees it. SeqCst: whoever looks for pins after this
        // session's pin finds the slot: MASSTREE-PIN.
        self.used.fetch_max(index + 1, Ordering::SeqCst);
        Ok(index)
    }

    /// Releases a claim. What the session kept stays in the slot for the next one.
    pub(crate) fn release(&self, index: usize) {
        self.lock_free().push(index);
    }

    fn lock_free(&self) -> MutexGuard<'_, Vec<usize>> {
        // A push or a pop leaves it intact.
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn used(&self) -> &[Slot] {
        // Relaxed: callers that must not miss a slot have a fence before, see `advance`.
        &self.slots[..self.used.load(Ordering::Relaxed)]
    }

    /// Starts an operation of the session that has claimed the slot.
    #[inline]
    pub(crate) fn pin(&self, index: usize) -> Pin<'_> {
        let slot = &self.slots[index];
        let mut spin = Spin::default();
        loop {
            // Relaxed: an old epoch only delays the next one.
            let epoch = self.epoch.0.load(Ordering::Relaxed);
            if slot.try_hold(Hold::Pinned { epoch }) {
                break;
            }
            spin.wait();
        }
        // MASSTREE-PIN, from: what the operation reads is read after its pin can be seen. An
        // exchange is a full fence on x86-64, and a second one would only cost time.
        if cfg!(all(target_arch = "x86_64", not(miri))) {
            std::sync::atomic::compiler_fence(Ordering::SeqCst);
        } else {
            fence(Ordering::SeqCst);
        }
        Pin { domain: self, slot }
    }

    /// Advances the epoch if every pinned slot has seen it, and returns it.
    fn advance(&self) -> u64 {
        // MASSTREE-PIN, to: whoever is not seen pinned here begins after the blocks were unlinked
        // that were sealed before.
        fence(Ordering::SeqCst);
        let epoch = self.epoch.0.load(Ordering::Relaxed);
        for slot in self.used() {
            match Hold::from_bits(slot.hold.load(Ordering::Relaxed)) {
                Hold::Pinned { epoch: seen } if seen != epoch => return epoch,
                Hold::Idle | Hold::Seized | Hold::Pinned { .. } => {}
            }
        }
        // Acquire: what was read under holds that have ended was read before blocks are freed.
        fence(Ordering::Acquire);
        // Release: pairs with the acquire in `sealing_epoch`.
        let (success, failure) = (Ordering::AcqRel, Ordering::Acquire);
        match self.epoch.0.compare_exchange(epoch, epoch + 1, success, failure) {
            Ok(_) => epoch + 1,
            Err(newer) => newer,
        }
    }

    /// The epoch for sealing blocks that have already been unlinked.
    fn sealing_epoch(&self) -> u64 {
        fence(Ordering::SeqCst);
        self.epoch.0.load(Ordering::Acquire)
    }

    /// Frees what can be freed of all sessions' limbo. The calling thread must not be within an
    /// operation.
    pub(crate) fn reclaim(&self) {
        let mut spin = Spin::default();
        for _ in 0..ADVANCES {
            let mut empty = true;
            for slot in self.used() {
                let Some(seized) = slot.try_seize() else {
                    empty = false;
                    continue;
                };
                let Local { limbo, counters, .. } = seized.local();
                let mut limbo = limbo.borrow_mut();
                limbo.seal(self.sealing_epoch());
                limbo.collect(self.advance(), &self.memory, counters);
                empty &= limbo.is_empty();
            }
            if empty {
                return;
            }
            self.advance();
            spin.wait();
        }
    }

    /// Waits for all operations to end and blocks new ones.
    pub(crate) fn stop(&self) -> Stopped<'_> {
        // Prevents sessions from being opened meanwhile, and two threads from stopping the others
        // at once.
        let claims = self.lock_free();
        let slots = self.used().iter().map(Slot::seize).collect();
        Stopped { domain: self, slots, _claims: claims }
    }
}

/// A session within an operation.
#[derive(Debug)]
pub(crate) struct Pin<'d> {
    domain: &'d Domain,
    slot: &'d Slot,
}

impl Pin<'_> {
    #[inline]
    pub(crate) fn guard(&self) -> Guard<'_> {
        Guard { domain: self.domain, local: &self.slot.local }
    }
}

impl Drop for Pin<'_> {
    #[inline]
    fn drop(&mut self) {
        let guard = self.guard();
        if guard.local.limbo.borrow().is_due() {
            guard.tidy();
        }
        self.slot.let_go();
    }
}

/// All sessions of a tree, held between operations.
#[derive(Debug)]
pub(crate) struct Stopped<'d> {
    domain: &'d Domain,
    slots: Vec<Seized<'d>>,
    _claims: MutexGuard<'d, Vec<usize>>,
}

impl Stopped<'_> {
    pub(crate) fn guard(&self) -> Guard<'_> {
        Guard { domain: self.domain, local: self.slots[0].local() }
    }

    pub(crate) fn locals(&self) -> impl Iterator<Item = &Local> {
        self.slots.iter().map(Seized::local)
    }

    pub(crate) fn sum(&self, counter: Counter) -> u64 {
        self.locals().fold(0, |sum, local| sum.wrapping_add(local.counters.get(counter)))
    }

    /// Frees everything in limbo, because nobody reads now.
    pub(crate) fn empty_limbo(&self) {
        for local in self.locals() {
            local.limbo.borrow_mut().empty(&self.domain.memory, &local.counters);
        }
    }
}

/// Proof that what a link yields stays allocated: a session is pinned, or all are stopped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guard<'g> {
    domain: &'g Domain,
    local: &'g Local,
}

impl<'g> Guard<'g> {
    pub(crate) fn memory(self) -> &'g Memory {
        &self.domain.memory
    }

    #[inline]
    pub(crate) fn count(self, counter: Counter, amount: u64) {
        self.local.counters.add(counter, amount);
    }

    #[inline]
    pub(crate) fn uncount(self, counter: Counter, amount: u64) {
        self.local.counters.subtract(counter, amount);
    }

    /// Records that a node or suffixes were allocated.
    pub(crate) fn count_node(self, block: Block) {
        self.count(Counter::NodesAllocated, 1);
        self.count(Counter::NodeBytes, block.bytes as u64);
    }

    /// Pays for live bytes. Returns `false`, and pays nothing, if there is no room.
    #[inline]
    pub(crate) fn pay(self, bytes: u64) -> bool {
        self.local.credit.pay(&self.domain.pool, bytes) || self.gather_and_pay(bytes)
    }

    #[cold]
    fn gather_and_pay(self, bytes: u64) -> bool {
        self.local.credit.surrender(&self.domain.pool);
        // Slots in use are skipped: their sessions may wait for a lock that this one holds.
        for seized in self.domain.used().iter().filter_map(Slot::try_seize) {
            seized.local().credit.surrender(&self.domain.pool);
        }
        self.local.credit.pay(&self.domain.pool, bytes)
    }

    pub(crate) fn refund(self, bytes: u64) {
        self.local.credit.refund(&self.domain.pool, bytes);
    }

    /// Frees a row once nobody reads it.
    ///
    /// # Safety
    /// No link to it must be left, and it must be retired only once.
    pub(crate) unsafe fn retire_row(self, row: Row<'_>) {
        self.local.limbo.borrow_mut().retire(row.block(), Kind::Row);
    }

    /// Like [`retire_row`](Self::retire_row), for a node.
    ///
    /// # Safety
    /// No link to it must be left that a later operation could follow, and it must be retired only
    /// once.
    pub(crate) unsafe fn retire_node(self, node: Node<'_>) {
        self.local.limbo.borrow_mut().retire(node.block(), Kind::Node);
    }

    /// Like [`retire_row`](Self::retire_row), for suffixes.
    ///
    /// # Safety
    /// No link to them must be left that a later operation could follow, and they must be retired
    /// only once.
    pub(crate) unsafe fn retire_bag(self, bag: Bag<'_>) {
        self.local.limbo.borrow_mut().retire(bag.block(), Kind::Node);
    }

    /// Seals what was retired, and frees what nobody reads.
    #[cold]
    fn tidy(self) {
        let mut limbo = self.local.limbo.borrow_mut();
        limbo.seal(self.domain.sealing_epoch());
        limbo.collect(self.domain.advance(), self.memory(), &self.local.counters);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::TestHeap;

    #[test]
    fn an_old_pin_holds_the_epoch_and_an_idle_session_does_not() {
        let domain = Domain::new(TestHeap::leaked(), None);
        let (first, second) = (domain.claim().unwrap(), domain.claim().unwrap());
        let pin = domain.pin(first);
        assert_eq!(domain.advance(), 1, "the pin has seen epoch 0");
        assert_eq!(domain.advance(), 1, "and holds epoch 1");
        drop(pin);
        assert_eq!(domain.advance(), 2);
        domain.release(second);
        assert_eq!(domain.claim(), Ok(second));
    }

    #[test]
    fn credit_of_idle_sessions_is_gathered() {
        let domain = Domain::new(TestHeap::leaked(), Some(1000));
        let (first, second) = (domain.claim().unwrap(), domain.claim().unwrap());
        assert!(domain.pin(first).guard().pay(10));
        assert!(domain.slots[first].local.credit.bytes() > 0);
        let pin = domain.pin(second);
        assert!(pin.guard().pay(990));
        assert!(!pin.guard().pay(1));
        pin.guard().refund(1);
        assert!(pin.guard().pay(1));
    }

    #[test]
    fn sessions_are_limited() {
        let domain = Domain::new(TestHeap::leaked(), None);
        assert!((0..SESSIONS_MAX).all(|_| domain.claim().is_ok()));
        assert_eq!(domain.claim(), Err(SessionError::TooManySessions { limit: SESSIONS_MAX }));
    }
}
