//! An owner: the only thread that accesses its partitions. Other threads give it orders.
//!
//! It sweeps over its mailboxes. When they stay empty, it sleeps until a session wakes it. Things
//! that change rarely are on a desk behind a lock: which mailboxes exist, and whether the owner is
//! to stop or to leave. A counter tells the owner that the desk has changed.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, Thread};

use engine::KvSession;

use super::mailbox::{Mailbox, lock};
use super::patience::Patience;

/// What an owner is told to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Order {
    #[default]
    Serve,
    StandStill,
    Leave,
}

/// What an owner is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Serving,
    Standing,
    /// It was told to leave, or it panicked.
    Gone,
}

#[derive(Debug, Default)]
struct Desk {
    mailboxes: Vec<Arc<Mailbox>>,
    order: Order,
    state: State,
}

/// Read by every session for every letter, and rarely written.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Signals {
    asleep: AtomicBool,
    /// Number of changes to the desk so far, counted with the desk locked.
    changes: AtomicU64,
    thread: OnceLock<Thread>,
}

/// What an owner has done; only the owner writes these.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Counters {
    batches: AtomicU64,
    operations: AtomicU64,
    owner_parks: AtomicU64,
    client_parks: AtomicU64,
}

/// An owner, as seen by others.
#[derive(Debug, Default)]
pub(super) struct Owner {
    signals: Signals,
    counters: Counters,
    desk: Mutex<Desk>,
    /// Signals that an order was given or the state has changed.
    moved: Condvar,
}

/// A mailbox, as seen by its owner.
#[derive(Debug)]
struct Served {
    mailbox: Arc<Mailbox>,
    /// The last letter answered.
    answered: u64,
}

impl Served {
    fn of(mailbox: &Arc<Mailbox>) -> Self {
        Self { mailbox: Arc::clone(mailbox), answered: mailbox.answered() }
    }

    #[inline]
    fn is_due(&self) -> bool {
        self.mailbox.posted() != self.answered
    }
}

impl Owner {
    /// Adds a mailbox for a new session.
    pub(super) fn register(&self) -> Arc<Mailbox> {
        let mailbox = Arc::new(Mailbox::new());
        self.change(|desk| {
            desk.mailboxes.push(Arc::clone(&mailbox));
            if desk.state == State::Gone {
                mailbox.abandon();
            }
        });
        mailbox
    }

    /// Removes a mailbox; the owner forgets it at its next sweep at the latest.
    pub(super) fn unregister(&self, mailbox: &Arc<Mailbox>) {
        self.change(|desk| desk.mailboxes.retain(|each| !Arc::ptr_eq(each, mailbox)));
    }

    /// Gives an order.
    pub(super) fn order(&self, order: Order) {
        self.change(|desk| desk.order = order);
        self.moved.notify_all();
    }

    /// Waits until the owner leaves this state. What it wrote before is then visible.
    fn wait_while(&self, state: State) {
        let mut desk = lock(&self.desk);
        while desk.state == state {
            desk = self.wait_for_move(desk);
        }
    }

    pub(super) fn mailbox_bytes(&self) -> u64 {
        lock(&self.desk).mailboxes.iter().map(|mailbox| mailbox.bytes()).sum()
    }

    /// Counters by name; names end with the unit.
    pub(super) fn counts(&self) -> [(&'static str, u64); 4] {
        let Counters { batches, operations, owner_parks, client_parks } = &self.counters;
        [
            ("handed_batches", batches),
            ("handed_operations", operations),
            ("owner_parks", owner_parks),
            ("client_parks", client_parks),
        ]
        // Relaxed: counters order nothing.
        .map(|(name, count)| (name, count.load(Ordering::Relaxed)))
    }

    fn change(&self, change: impl FnOnce(&mut Desk)) {
        let mut desk = lock(&self.desk);
        change(&mut desk);
        // Relaxed: whoever sees it reads the desk under its lock.
        self.signals.changes.fetch_add(1, Ordering::Relaxed);
        drop(desk);
        self.tell();
    }

    /// Wakes it if it sleeps, after letters were posted to it.
    #[inline]
    pub(super) fn tell(&self) {
        // MICA-POST, from: what was posted or changed comes before the check whether it sleeps.
        // MICA-DOZE, to: an owner that fell asleep before this is seen.
        fence(Ordering::SeqCst);
        self.wake_if_asleep();
    }

    /// Like [`tell`](Self::tell), after a sequentially consistent fence that came after the
    /// letters.
    #[inline]
    pub(super) fn wake_if_asleep(&self) {
        let Signals { asleep, thread, .. } = &self.signals;
        // Relaxed: ordered by the fence; the exchange confirms it. Acquire: pairs with the release
        // with which the owner falls asleep after recording its thread.
        if asleep.load(Ordering::Relaxed) && asleep.swap(false, Ordering::Acquire) {
            thread.get().expect("who sleeps has told its thread").unpark();
        }
    }

    /// Serves the mailboxes on the calling thread until told to leave. `open` opens the session
    /// that owns the partitions.
    pub(super) fn run<S: KvSession>(&self, open: impl FnOnce() -> S) {
        self.signals.thread.get_or_init(thread::current);
        let _leaving = Leaving(self);
        let mut session = open();
        let mut patience = Patience::default();
        let (mut seen, mut mailboxes) = (0, Vec::new());
        loop {
            if self.changes() != seen {
                match self.attend() {
                    Some(now) => (seen, mailboxes) = now,
                    None => return,
                }
            }
            if self.sweep(&mut mailboxes, &mut session) {
                patience.met();
            } else if !patience.spin() {
                self.doze(|| self.changes() != seen || mailboxes.iter().any(Served::is_due));
            }
        }
    }

    #[inline]
    fn changes(&self) -> u64 {
        // Relaxed: the desk is read with its lock.
        self.signals.changes.load(Ordering::Relaxed)
    }

    /// Follows the desk's orders. Returns the number of changes seen and the current mailboxes;
    /// `None` if it is to leave.
    fn attend(&self) -> Option<(u64, Vec<Served>)> {
        let mut desk = lock(&self.desk);
        loop {
            match desk.order {
                Order::Serve => {
                    desk.state = State::Serving;
                    self.moved.notify_all();
                    return Some((self.changes(), desk.mailboxes.iter().map(Served::of).collect()));
                }
                Order::StandStill => {
                    desk.state = State::Standing;
                    self.moved.notify_all();
                    desk = self.wait_for_move(desk);
                }
                Order::Leave => return None,
            }
        }
    }

    fn wait_for_move<'desk>(&self, desk: MutexGuard<'desk, Desk>) -> MutexGuard<'desk, Desk> {
        self.moved.wait(desk).unwrap_or_else(PoisonError::into_inner)
    }

    /// Carries out one letter of each mailbox that has one; returns whether any had.
    #[inline]
    fn sweep<S: KvSession>(&self, mailboxes: &mut [Served], session: &mut S) -> bool {
        let mut found = false;
        for served in mailboxes {
            let posted = served.mailbox.posted();
            if posted == served.answered {
                continue;
            }
            let operations = served.mailbox.carry_out(session);
            served.answered = posted;
            // Before the answer, so that whoever has the answer finds itself counted.
            add(&self.counters.batches, 1);
            add(&self.counters.operations, operations as u64);
            if served.mailbox.answer(posted) {
                add(&self.counters.client_parks, 1);
            }
            found = true;
        }
        found
    }

    /// Sleeps until woken, unless it is needed.
    #[cold]
    fn doze(&self, is_needed: impl Fn() -> bool) {
        let asleep = &self.signals.asleep;
        // Release: pairs with the acquire of the thread that wakes it.
        asleep.store(true, Ordering::Release);
        // MICA-POST, to: what was posted before this is seen.
        // MICA-DOZE, from: the announcement that it sleeps comes before the check whether anything
        // was posted or changed. So one of the two sees the other.
        fence(Ordering::SeqCst);
        if !is_needed() {
            add(&self.counters.owner_parks, 1);
            thread::park();
        }
        // Relaxed: a thread that still reads `true` wakes an owner that is awake, once.
        asleep.store(false, Ordering::Relaxed);
    }
}

/// Adds to a counter that has one writer.
#[inline]
fn add(count: &AtomicU64, more: u64) {
    // Relaxed: a counter orders nothing.
    count.store(count.load(Ordering::Relaxed) + more, Ordering::Relaxed);
}

/// However its thread ends, nobody waits for an owner that is gone.
struct Leaving<'owner>(&'owner Owner);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        let mut desk = lock(&self.0.desk);
        desk.state = State::Gone;
        desk.mailboxes.iter().for_each(|mailbox| mailbox.abandon());
        self.0.moved.notify_all();
    }
}

/// Stopped owners, until dropped. For one caller at a time.
#[derive(Debug)]
pub(super) struct StandingStill<'store>(&'store [Arc<Owner>]);

impl<'store> StandingStill<'store> {
    pub(super) fn begin(owners: &'store [Arc<Owner>]) -> Self {
        // Between two stops each owner makes at least one sweep, however often they are stopped.
        owners.iter().for_each(|owner| owner.wait_while(State::Standing));
        let standing = Self(owners);
        owners.iter().for_each(|owner| owner.order(Order::StandStill));
        owners.iter().for_each(|owner| owner.wait_while(State::Serving));
        standing
    }
}

impl Drop for StandingStill<'_> {
    fn drop(&mut self) {
        self.0.iter().for_each(|owner| owner.order(Order::Serve));
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn who_is_needed_after_all_does_not_sleep() {
        let owner = Owner::default();
        owner.signals.thread.get_or_init(thread::current);
        // A letter posted before the owner has announced that it sleeps wakes nobody: the owner
        // must see it by itself.
        let is_asleep = || owner.signals.asleep.load(Ordering::Relaxed);
        let said = Cell::new(false);
        owner.doze(|| {
            said.set(is_asleep());
            true
        });
        assert!(said.get(), "it looks after it has said that it sleeps");
        assert_eq!(owner.counts()[2], ("owner_parks", 0));
        assert!(!is_asleep());
        // A letter posted after that wakes it.
        owner.doze(|| {
            owner.tell();
            false
        });
        assert_eq!(owner.counts()[2], ("owner_parks", 1));
    }
}
