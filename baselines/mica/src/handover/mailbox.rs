//! A mailbox: a queue of one letter between a session and an owner, with a flag for a session that
//! sleeps until it is answered.
//!
//! A session writes a letter, posts it, and waits for its answer before it writes the next. So
//! operations on a key, which has one owner, are executed in order. Each direction has its own
//! cache lines: the session writes the first line of a letter, which holds a whole single operation
//! except its value, and the owner polls that line; answers go the other way. Letter and answer
//! belong to one side at a time. Their locks tell the compiler so; nobody ever waits for one,
//! except a caller that asks for the size of the buffers.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};

use engine::{KvSession, Op, Outcome};

use super::letter::{FIRST_OPERATION_END, FIRST_OUTCOME_END, Reply, Request};
use super::patience::Patience;

/// Two cache lines, because the processor prefetches neighbours in pairs.
#[derive(Debug)]
#[repr(C, align(128))]
struct ToOwner {
    /// Letters posted so far; only the session writes it.
    posted: AtomicU64,
    request: Mutex<Request>,
}

/// Two cache lines, like [`ToOwner`].
#[derive(Debug)]
#[repr(C, align(128))]
struct ToSession {
    /// The word of an [`Answered`].
    answered: AtomicU64,
    reply: Mutex<Reply>,
}

// The first line of a letter holds its first operation, that of an answer the first outcome.
const LINE_BYTES: usize = 64;
/// A word followed by a lock is as long as a lock and the word it guards.
const WORD_AND_LOCK_BYTES: usize = size_of::<Mutex<u64>>();
const _: () = assert!(WORD_AND_LOCK_BYTES + FIRST_OPERATION_END <= LINE_BYTES);
const _: () = assert!(WORD_AND_LOCK_BYTES + FIRST_OUTCOME_END <= LINE_BYTES);

/// How far the owner has come.
///
/// ```text
///  63                              2       1            0
/// ┌─────────────────────────────────┬────────────┬─────────────┐
/// │        letters answered         │ owner gone │ waited for  │
/// └─────────────────────────────────┴────────────┴─────────────┘
/// ```
///
/// The session sets *waited for* before it sleeps, and each answer clears it. The owner sets *gone*
/// when it leaves; nothing follows that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Answered(u64);

const WAITED_FOR: u64 = 1;
const GONE: u64 = 2;
const LETTERS_SHIFT: u32 = 2;
const _: () = assert!((WAITED_FOR | GONE) >> LETTERS_SHIFT == 0);

impl Answered {
    #[inline]
    fn up_to(letters: u64) -> Self {
        Self(letters << LETTERS_SHIFT)
    }

    #[inline]
    fn letters(self) -> u64 {
        self.0 >> LETTERS_SHIFT
    }

    fn is_gone(self) -> bool {
        self.0 & GONE != 0
    }

    #[inline]
    fn is_waited_for(self) -> bool {
        self.0 & WAITED_FOR != 0
    }

    fn waited_for(self) -> Self {
        Self(self.0 | WAITED_FOR)
    }
}

/// The owner left before it answered and will not return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OwnerGone;

/// What a session and an owner share.
#[derive(Debug)]
pub(super) struct Mailbox {
    to_owner: ToOwner,
    to_session: ToSession,
    /// The thread that sleeps until it is answered.
    sleeper: Mutex<Option<Thread>>,
}

impl Mailbox {
    pub(super) fn new() -> Self {
        Self {
            to_owner: ToOwner { posted: AtomicU64::new(0), request: Mutex::new(Request::new()) },
            to_session: ToSession { answered: AtomicU64::new(0), reply: Mutex::new(Reply::new()) },
            sleeper: Mutex::new(None),
        }
    }

    /// Its size, including buffers.
    pub(super) fn bytes(&self) -> u64 {
        let request_bytes = lock(&self.to_owner.request).buffer_bytes();
        let reply_bytes = lock(&self.to_session.reply).buffer_bytes();
        (size_of::<Self>() + request_bytes + reply_bytes) as u64
    }

    /// Session: writes and posts a letter, once the previous one is answered. `slot_bytes` is the
    /// room for what a GET finds.
    #[inline]
    pub(super) fn post<'a>(&self, slot_bytes: u32, operations: impl Iterator<Item = Op<'a>>) {
        lock(&self.to_owner.request).write(slot_bytes, operations);
        let posted = &self.to_owner.posted;
        // MICA-LETTER, from: the letter is written. Relaxed: this session alone counts it up.
        posted.store(posted.load(Ordering::Relaxed) + 1, Ordering::Release);
    }

    /// Owner: the number of the last letter posted.
    #[inline]
    pub(super) fn posted(&self) -> u64 {
        // MICA-LETTER, to: what the letter says.
        self.to_owner.posted.load(Ordering::Acquire)
    }

    /// Owner: the number of the last letter answered.
    pub(super) fn answered(&self) -> u64 {
        // Relaxed: the owner alone counts it up.
        Answered(self.to_session.answered.load(Ordering::Relaxed)).letters()
    }

    /// Owner: carries out the posted letter; returns how many operations it had.
    #[inline]
    pub(super) fn carry_out<S: KvSession>(&self, session: &mut S) -> usize {
        let mut request = lock(&self.to_owner.request);
        let mut reply = lock(&self.to_session.reply);
        request.carry_out(session, &mut reply)
    }

    /// Owner: announces that letters up to this number are answered. Returns whether a session was
    /// asleep.
    #[inline]
    pub(super) fn answer(&self, letters: u64) -> bool {
        // MICA-ANSWER, from: the answer is written. MICA-SLEEPER, to: who sleeps.
        let word = self.to_session.answered.swap(Answered::up_to(letters).0, Ordering::AcqRel);
        let is_waited_for = Answered(word).is_waited_for();
        if is_waited_for {
            self.wake();
        }
        is_waited_for
    }

    /// Owner: leaves for good.
    pub(super) fn abandon(&self) {
        // MICA-SLEEPER, to: who sleeps.
        let word = self.to_session.answered.fetch_or(GONE, Ordering::AcqRel);
        if Answered(word).is_waited_for() {
            self.wake();
        }
    }

    #[cold]
    fn wake(&self) {
        if let Some(thread) = lock(&self.sleeper).take() {
            thread.unpark();
        }
    }

    /// Session: waits until the letter it posted is answered.
    ///
    /// # Errors
    /// [`OwnerGone`] if it never will be.
    #[inline]
    pub(super) fn wait(&self, patience: &mut Patience) -> Result<(), OwnerGone> {
        loop {
            if let Some(end) = self.end_of_wait(self.look()) {
                patience.met();
                return end;
            }
            if !patience.spin() {
                return self.sleep();
            }
        }
    }

    #[inline]
    fn look(&self) -> Answered {
        // MICA-ANSWER, to: what the answer says.
        Answered(self.to_session.answered.load(Ordering::Acquire))
    }

    #[inline]
    fn end_of_wait(&self, seen: Answered) -> Option<Result<(), OwnerGone>> {
        // Relaxed: this session alone writes it.
        if seen.letters() == self.to_owner.posted.load(Ordering::Relaxed) {
            Some(Ok(()))
        } else if seen.is_gone() {
            Some(Err(OwnerGone))
        } else {
            None
        }
    }

    /// Whether the session sleeps or is about to.
    #[cfg(test)]
    pub(super) fn is_waited_for(&self) -> bool {
        self.look().is_waited_for()
    }

    #[cold]
    fn sleep(&self) -> Result<(), OwnerGone> {
        *lock(&self.sleeper) = Some(thread::current());
        loop {
            let seen = self.look();
            if let Some(end) = self.end_of_wait(seen) {
                return end;
            }
            // MICA-SLEEPER, from: the thread to wake is told.
            let is_told = seen.is_waited_for()
                || self
                    .to_session
                    .answered
                    .compare_exchange(
                        seen.0,
                        seen.waited_for().0,
                        Ordering::Release,
                        Ordering::Relaxed,
                    )
                    .is_ok();
            if is_told {
                thread::park();
            }
        }
    }

    /// Session: reads the answer to a letter of this many operations; see [`Reply::read`].
    #[inline]
    pub(super) fn open(
        &self,
        operations: usize,
        slot_bytes: u32,
        each: impl FnMut(usize, Outcome, &[u8]),
    ) {
        lock(&self.to_session.reply).read(operations, slot_bytes, each);
    }
}

/// Locks data that is consistent at every step, so that a panic while it is held does no harm.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
