//! An owner: a thread that alone touches its partitions, and what others tell it.
//!
//! It sweeps over its mailboxes, and when they stay empty it sleeps until a session wakes it. What
//! changes rarely it reads from a desk behind a lock, where a number says that something has: which
//! mailboxes there are, and whether it is to stand still or to leave.

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

/// What an owner does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Serving,
    Standing,
    /// It was told to leave, or has panicked.
    Gone,
}

#[derive(Debug, Default)]
struct Desk {
    mailboxes: Vec<Arc<Mailbox>>,
    order: Order,
    state: State,
}

/// Read by every session for every letter, and written rarely.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Signals {
    asleep: AtomicBool,
    /// Changes of the desk so far, counted with the desk locked.
    changes: AtomicU64,
    thread: OnceLock<Thread>,
}

/// What an owner has done. It alone writes them.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Counters {
    batches: AtomicU64,
    operations: AtomicU64,
    owner_parks: AtomicU64,
    client_parks: AtomicU64,
}

/// An owner, as others see it.
#[derive(Debug, Default)]
pub(super) struct Owner {
    signals: Signals,
    counters: Counters,
    desk: Mutex<Desk>,
    /// An order was given, or the state has changed.
    moved: Condvar,
}

/// A mailbox, as its owner sees it.
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
    /// A mailbox of this owner's.
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

    /// Forgets a mailbox, at the next sweep at the latest.
    pub(super) fn unregister(&self, mailbox: &Arc<Mailbox>) {
        self.change(|desk| desk.mailboxes.retain(|each| !Arc::ptr_eq(each, mailbox)));
    }

    /// Gives an order.
    pub(super) fn order(&self, order: Order) {
        self.change(|desk| desk.order = order);
        self.moved.notify_all();
    }

    /// Returns when it no longer serves, or no longer stands. What it has written is seen then.
    fn wait_while(&self, state: State) {
        let mut desk = lock(&self.desk);
        while desk.state == state {
            desk = self.wait_for_move(desk);
        }
    }

    /// Bytes of its mailboxes.
    pub(super) fn mailbox_bytes(&self) -> u64 {
        lock(&self.desk).mailboxes.iter().map(|mailbox| mailbox.bytes()).sum()
    }

    /// Counts by name, with their unit last.
    pub(super) fn counts(&self) -> [(&'static str, u64); 4] {
        let Counters { batches, operations, owner_parks, client_parks } = &self.counters;
        [
            ("handed_batches", batches),
            ("handed_operations", operations),
            ("owner_parks", owner_parks),
            ("client_parks", client_parks),
        ]
        // Relaxed: counts, which order nothing.
        .map(|(name, count)| (name, count.load(Ordering::Relaxed)))
    }

    fn change(&self, change: impl FnOnce(&mut Desk)) {
        let mut desk = lock(&self.desk);
        change(&mut desk);
        // Relaxed: who sees it reads the desk with its lock.
        self.signals.changes.fetch_add(1, Ordering::Relaxed);
        drop(desk);
        self.tell();
    }

    /// Wakes it if it sleeps, after letters were posted to it.
    #[inline]
    pub(super) fn tell(&self) {
        // MICA-POST, from: what was posted or changed comes before looking whether it sleeps.
        // MICA-DOZE, to: an owner that slept before this is seen.
        fence(Ordering::SeqCst);
        self.wake_if_asleep();
    }

    /// Likewise, after a sequentially consistent fence that came after the letters.
    #[inline]
    pub(super) fn wake_if_asleep(&self) {
        let Signals { asleep, thread, .. } = &self.signals;
        // Relaxed: ordered by the fence; the exchange confirms it. Acquire: pairs with the release
        // with which it falls asleep, after it told its thread.
        if asleep.load(Ordering::Relaxed) && asleep.swap(false, Ordering::Acquire) {
            thread.get().expect("who sleeps has told its thread").unpark();
        }
    }

    /// Serves the mailboxes in the calling thread, by a session that owns the partitions and is
    /// opened here, until told to leave.
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

    /// Does what the desk orders; answers the number of changes seen and the mailboxes there are,
    /// nothing when it is to leave.
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

    /// Carries out a letter of each mailbox that has one; tells whether any had.
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
            // Before the answer, so that who has it finds itself counted.
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
        // Release: pairs with the acquire of who wakes it.
        asleep.store(true, Ordering::Release);
        // MICA-POST, to: what was posted before this is seen.
        // MICA-DOZE, from: that it sleeps comes before looking whether anything was posted or
        // changed. So one of the two sees the other.
        fence(Ordering::SeqCst);
        if !is_needed() {
            add(&self.counters.owner_parks, 1);
            thread::park();
        }
        // Relaxed: whoever still reads `true` wakes a thread that is awake, once.
        asleep.store(false, Ordering::Relaxed);
    }
}

/// Counts where there is one writer.
#[inline]
fn add(count: &AtomicU64, more: u64) {
    // Relaxed: a count, which orders nothing.
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

/// Owners that stand still, until dropped. For one caller at a time.
#[derive(Debug)]
pub(super) struct StandingStill<'store>(&'store [Arc<Owner>]);

impl<'store> StandingStill<'store> {
    pub(super) fn begin(owners: &'store [Arc<Owner>]) -> Self {
        // From where they stood last they sweep once at least, however often they are stopped.
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
        // What is posted before it has said that it sleeps wakes nobody: it must see that itself.
        let is_asleep = || owner.signals.asleep.load(Ordering::Relaxed);
        let said = Cell::new(false);
        owner.doze(|| {
            said.set(is_asleep());
            true
        });
        assert!(said.get(), "it looks after it has said that it sleeps");
        assert_eq!(owner.counts()[2], ("owner_parks", 0));
        assert!(!is_asleep());
        // What is posted after that wakes it.
        owner.doze(|| {
            owner.tell();
            false
        });
        assert_eq!(owner.counts()[2], ("owner_parks", 1));
    }
}
