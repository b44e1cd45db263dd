//! Epochs: since when sessions are within their operations, and so which retired blocks nobody
//! reads any more.
//!
//! A session pins its slot ([`crate::slot`]) for one operation at a time and is idle in between, so
//! a sleeping session holds nobody up.
//!
//! The epoch advances when every pinned slot has seen the current one. A block sealed in epoch `e`
//! was unlinked before. Any session that could still hold it was pinned in `e` or earlier, and has
//! ended its operation when the epoch is `e + 2`:
//!
//! * A session that pins in `e + 1` has read the epoch after it began, and so after the block was
//!   unlinked; what it reads later is at least as new.
//! * Who advances from `e + 1` passes the barrier after it has read that epoch, and before it looks
//!   for pins. A session whose pin it does not see reads after the barrier, and finds no link.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::{Heap, SessionError};
use kit::credit::Pool;
use kit::spin::Spin;
use platform::Barrier;

use crate::counters::Counter;
use crate::limbo::{Kind, STEP_BLOCKS};
use crate::memory::Memory;
use crate::pool::NodePool;
use crate::row::Row;
use crate::shared::Node;
use crate::slot::{Hold, Local, Pinned, Seized, Slot, seize_all, seize_idle};
use crate::suffix::Bag;

/// The largest number of concurrent sessions.
pub const SESSIONS_MAX: usize = 256;
/// How often to try to advance the epoch when memory is short.
const ADVANCES: usize = 4;
/// A session fetches at most one in so many of the bytes that are left.
const PORTIONS: usize = 32;

/// On its own cache line, because every operation reads it.
#[derive(Debug)]
#[repr(align(128))]
struct Epoch(AtomicU64);

/// The sessions of one tree and what they share.
#[derive(Debug)]
pub(crate) struct Domain {
    epoch: Epoch,
    barrier: Barrier,
    slots: Box<[Slot]>,
    /// Slots below this index have been used by a session.
    used: AtomicUsize,
    free: Mutex<Vec<usize>>,
    pub(crate) memory: Memory,
    pub(crate) pool: Pool,
}

impl Domain {
    pub(crate) fn new(heap: &'static dyn Heap, nodes: NodePool, bound_bytes: Option<u64>) -> Self {
        Self {
            epoch: Epoch(AtomicU64::new(0)),
            barrier: Barrier::lightest(),
            slots: (0..SESSIONS_MAX).map(|_| Slot::default()).collect(),
            used: AtomicUsize::new(1),
            free: Mutex::new((0..SESSIONS_MAX).rev().collect()),
            memory: Memory::new(heap, nodes),
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

    /// Whether an operation begins without a locked instruction.
    pub(crate) fn pins_are_light(&self) -> bool {
        self.barrier.is_asymmetric()
    }

    #[inline]
    fn epoch(&self) -> u64 {
        // Acquire: pairs with the release in `advance`. What is read later is at least as new as
        // the epoch.
        self.epoch.0.load(Ordering::Acquire)
    }

    fn used(&self) -> &[Slot] {
        // Relaxed: callers that must not miss a slot have a fence before, see `advance`.
        &self.slots[..self.used.load(Ordering::Relaxed)]
    }

    /// Starts an operation of the session that has claimed the slot.
    ///
    /// # Safety
    /// The caller is that session, and is in no other operation.
    #[inline]
    pub(crate) unsafe fn pin(&self, index: usize) -> Pin<'_> {
        let slot = &self.slots[index];
        loop {
            // An old epoch only delays the next one.
            let epoch = self.epoch();
            // SAFETY: the session that has claimed a slot is its owner, and pins it once at a time.
            if let Some(pinned) = unsafe { slot.pin(epoch, self.barrier) } {
                return Pin { domain: self, pinned };
            }
            slot.wait_for_mark();
        }
    }

    /// Whether a slot is pinned that has not seen this epoch.
    fn is_held_before(&self, epoch: u64) -> bool {
        self.used().iter().any(|slot| match slot.hold() {
            Hold::Pinned { epoch: seen } => seen != epoch,
            Hold::Idle => false,
        })
    }

    /// Advances the epoch if every pinned slot has seen it, and returns it.
    fn advance(&self) -> u64 {
        let epoch = self.epoch();
        // Without the barrier, which interrupts the other cores.
        if self.is_held_before(epoch) {
            return epoch;
        }
        // MASSTREE-PIN, to: whoever is not seen pinned below reads after this, and so after the
        // blocks were unlinked that were sealed before this epoch.
        self.barrier.heavy();
        if self.is_held_before(epoch) {
            return epoch;
        }
        // Release: pairs with the acquire in `epoch`. Acquire: as there.
        let (success, failure) = (Ordering::AcqRel, Ordering::Acquire);
        match self.epoch.0.compare_exchange(epoch, epoch + 1, success, failure) {
            Ok(_) => epoch + 1,
            Err(newer) => newer,
        }
    }

    /// The epoch for sealing blocks that have already been unlinked.
    fn sealing_epoch(&self) -> u64 {
        // SeqCst: pairs with the barrier in `advance`. Who reads an epoch after this one finds the
        // blocks unlinked.
        fence(Ordering::SeqCst);
        self.epoch()
    }

    /// Frees what can be freed of all sessions' limbo. The calling thread must not be within an
    /// operation.
    pub(crate) fn reclaim(&self) {
        let mut spin = Spin::default();
        for _ in 0..ADVANCES {
            let slots = self.used();
            let seized = seize_idle(slots, self.barrier);
            let mut empty = seized.len() == slots.len();
            let sealing_epoch = self.sealing_epoch();
            for slot in &seized {
                slot.local().limbo.borrow_mut().seal(sealing_epoch);
            }
            let epoch = self.advance();
            for slot in &seized {
                let Local { limbo, counters, .. } = slot.local();
                let mut limbo = limbo.borrow_mut();
                limbo.collect(epoch, usize::MAX, &self.memory, counters);
                empty &= limbo.is_empty();
            }
            drop(seized);
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
        let slots = seize_all(self.used(), self.barrier);
        Stopped { domain: self, slots, _claims: claims }
    }
}

/// A session within an operation.
#[derive(Debug)]
pub(crate) struct Pin<'d> {
    domain: &'d Domain,
    pinned: Pinned<'d>,
}

impl Pin<'_> {
    #[inline]
    pub(crate) fn guard(&self) -> Guard<'_> {
        Guard { domain: self.domain, local: self.pinned.local() }
    }
}

impl Drop for Pin<'_> {
    #[inline]
    fn drop(&mut self) {
        let guard = self.guard();
        if guard.local.limbo.borrow().is_due() {
            guard.tidy();
        }
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
    pub(crate) fn count_node(self, bytes: usize) {
        self.count(Counter::NodesAllocated, 1);
        self.count(Counter::NodeBytes, bytes as u64);
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
        for seized in seize_idle(self.domain.used(), self.domain.barrier) {
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
        self.local.limbo.borrow_mut().retire(bag.block(), Kind::Bag);
    }

    /// Seals what was retired, and frees what nobody reads.
    #[cold]
    fn tidy(self) {
        let mut limbo = self.local.limbo.borrow_mut();
        limbo.seal(self.domain.sealing_epoch());
        let due = limbo.fills_an_epoch();
        let epoch = if due { self.domain.advance() } else { self.domain.epoch() };
        limbo.collect(epoch, STEP_BLOCKS, self.memory(), &self.local.counters);
    }
}

#[cfg(test)]
mod tests {
    use kit::testing::TestHeap;
    use platform::Pages;

    use super::*;

    fn domain(bound_bytes: Option<u64>) -> Domain {
        Domain::new(TestHeap::leaked(), NodePool::new(Pages::Small, usize::MAX), bound_bytes)
    }

    /// Pins a claimed slot. The tests drop a pin before they pin its slot again.
    fn pin(domain: &Domain, slot: usize) -> Pin<'_> {
        // SAFETY: one thread claims and pins, each slot once at a time.
        unsafe { domain.pin(slot) }
    }

    #[test]
    fn an_old_pin_holds_the_epoch_and_an_idle_session_does_not() {
        let fences = Domain { barrier: Barrier::of_fences(), ..domain(None) };
        for domain in [domain(None), fences] {
            let (first, second) = (domain.claim().unwrap(), domain.claim().unwrap());
            let old = pin(&domain, first);
            assert_eq!(domain.advance(), 1, "the pin has seen epoch 0");
            assert_eq!(domain.advance(), 1, "and holds epoch 1");
            let young = pin(&domain, second);
            drop(old);
            assert_eq!(domain.advance(), 2, "the other pin has seen epoch 1");
            assert_eq!(domain.advance(), 2);
            drop(young);
            assert_eq!(domain.advance(), 3);
            domain.release(second);
            assert_eq!(domain.claim(), Ok(second));
        }
    }

    #[test]
    fn credit_of_idle_sessions_is_gathered() {
        let domain = domain(Some(1000));
        let (first, second) = (domain.claim().unwrap(), domain.claim().unwrap());
        assert!(pin(&domain, first).guard().pay(10));
        let seized = seize_idle(&domain.slots[first..=first], domain.barrier);
        assert!(seized[0].local().credit.bytes() > 0);
        drop(seized);
        let pin = pin(&domain, second);
        assert!(pin.guard().pay(990));
        assert!(!pin.guard().pay(1));
        pin.guard().refund(1);
        assert!(pin.guard().pay(1));
    }

    #[test]
    fn sessions_are_limited() {
        let domain = domain(None);
        assert!((0..SESSIONS_MAX).all(|_| domain.claim().is_ok()));
        assert_eq!(domain.claim(), Err(SessionError::TooManySessions { limit: SESSIONS_MAX }));
    }
}
