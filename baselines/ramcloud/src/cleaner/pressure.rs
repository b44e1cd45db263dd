//! When to clean: signals between sleeping cleaners and waiting sessions.
//!
//! Cleaners sleep until the pool falls below a mark or a session asks. A *round* is one selection
//! and, if that found something, one pass. A waiting session is told of every round that freed
//! something. It is also told when a round found nothing and no other round was under way.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::config::Geometry;

/// What a session waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// The pool is above its mark again.
    Mark,
    /// Room for an object.
    Put,
    /// Room for the tombstone of a delete, which is worth any copying.
    Tombstone,
    /// Nothing is left that is worth cleaning.
    All,
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waited {
    /// Seglets were freed.
    Freed,
    /// A round found nothing.
    NothingToClean,
    /// The time is up, or the store is closing.
    TooLong,
}

/// State shared by cleaners and sessions, on cache lines that are written only when a thread sleeps
/// or wakes.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Pressure {
    state: Mutex<State>,
    /// Cleaners sleep here.
    work: Condvar,
    /// Sessions wait here.
    done: Condvar,
    /// Number of rounds that freed something.
    rounds: AtomicU64,
    /// Seglets that puts must leave in the pool.
    floor: usize,
    /// Cleaning is due when the pool has fewer seglets than this.
    mark: AtomicUsize,
    /// Appenders wake a cleaner when the pool has fewer seglets than this. It equals the mark, or
    /// less after a round that found nothing, or 0 while a round is due anyway.
    wake_below: AtomicUsize,
    closing: AtomicBool,
    waits: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    /// Number of rounds under way.
    active: usize,
    /// Number of threads that hold a [`Pause`] or wait for one.
    pauses: usize,
    /// Number of requests so far, and the number of the last one that a round has answered.
    asked: u64,
    answered: u64,
    /// The strongest need among unanswered requests.
    need: Option<Need>,
    /// Whether the pool was below its mark.
    low: bool,
}

/// A round under way; finish it with [`end`](Pressure::end).
#[derive(Debug)]
pub(crate) struct Round<'a> {
    pressure: &'a Pressure,
    asked: u64,
    pub(crate) need: Need,
}

/// No round runs while this is held.
#[derive(Debug)]
pub(crate) struct Pause<'a>(&'a Pressure);

impl Pressure {
    pub(crate) fn new(geometry: &Geometry) -> Self {
        let mark = mark(geometry, 0);
        Self {
            state: Mutex::default(),
            work: Condvar::new(),
            done: Condvar::new(),
            rounds: AtomicU64::new(0),
            floor: geometry.put_floor(),
            mark: AtomicUsize::new(mark),
            wake_below: AtomicUsize::new(mark),
            closing: AtomicBool::new(false),
            waits: AtomicU64::new(0),
        }
    }

    /// Called after appending, with the number of seglets in the pool: wakes a cleaner if they are
    /// too few.
    #[inline]
    pub(crate) fn look(&self, free: usize) {
        // Relaxed: a hint. A session that finds no room asks under the lock.
        if free < self.wake_below.load(Ordering::Relaxed) {
            self.wake();
        }
    }

    #[cold]
    fn wake(&self) {
        let mut state = self.lock();
        state.low = true;
        // Relaxed, here and below: a hint, as in `look`.
        self.wake_below.store(0, Ordering::Relaxed);
        drop(state);
        self.work.notify_one();
    }

    /// Sets the mark, given the number of seglets that live entries need.
    pub(crate) fn set_mark(&self, geometry: &Geometry, live_seglets: usize) {
        // Relaxed: a hint.
        self.mark.store(mark(geometry, live_seglets), Ordering::Relaxed);
    }

    pub(crate) fn mark(&self) -> usize {
        // Relaxed: a hint.
        self.mark.load(Ordering::Relaxed)
    }

    /// Number of rounds so far that freed something.
    pub(crate) fn rounds(&self) -> u64 {
        // Acquire: pairs with the release in `end`; what was freed is in the pool.
        self.rounds.load(Ordering::Acquire)
    }

    /// Number of waits of sessions for room so far.
    pub(crate) fn waits(&self) -> u64 {
        // Relaxed: a counter.
        self.waits.load(Ordering::Relaxed)
    }

    /// Waits until a round after the `seen`th frees something, or a round finds nothing.
    pub(crate) fn wait(&self, need: Need, seen: u64, deadline: Instant) -> Waited {
        let mut state = self.lock();
        if self.rounds() != seen {
            return Waited::Freed;
        }
        if matches!(need, Need::Put | Need::Tombstone) {
            // Relaxed: a counter.
            self.waits.fetch_add(1, Ordering::Relaxed);
        }
        state.asked += 1;
        let asked = state.asked;
        state.need = state.need.max(Some(need));
        self.work.notify_all();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left == Duration::ZERO || self.is_closing() {
                return Waited::TooLong;
            }
            state = self.done.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
            if self.rounds() != seen {
                return Waited::Freed;
            }
            if state.answered >= asked {
                return Waited::NothingToClean;
            }
        }
    }

    /// Sleeps until there is something to do, then starts a round; `None` when the store closes.
    pub(crate) fn begin(&self) -> Option<Round<'_>> {
        let mut state = self.lock();
        loop {
            if self.is_closing() {
                return None;
            }
            let due = state.low || state.asked > state.answered;
            if due && state.pauses == 0 {
                state.active += 1;
                let need = state.need.unwrap_or(Need::Mark);
                return Some(Round { pressure: self, asked: state.asked, need });
            }
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends a round that freed something or found nothing. `free` is the number of seglets in the
    /// pool now.
    pub(crate) fn end(&self, round: Round<'_>, freed: bool, free: usize) {
        let mut state = self.lock();
        state.active -= 1;
        let asked = round.asked;
        // Its drop is for rounds that do not get here.
        std::mem::forget(round);
        let mark = self.mark();
        if freed {
            // Release: pairs with the acquire in `rounds`.
            self.rounds.fetch_add(1, Ordering::Release);
            state.low = free < mark;
            // Relaxed, here and below: a hint, as in `look`.
            self.wake_below.store(if state.low { 0 } else { mark }, Ordering::Relaxed);
            // A session that still finds no room asks again.
            state.answer(asked);
        } else if state.active == 0 {
            state.low = false;
            // Another look is worthwhile when an eighth of the room is gone.
            let room = free.saturating_sub(self.floor);
            self.wake_below.store(mark.min(free - room / 8), Ordering::Relaxed);
            state.answer(asked);
        }
        self.work.notify_all();
        self.done.notify_all();
        if !freed {
            // Another round is worthwhile if other rounds are about to free something; they also
            // answer requests.
            let rounds = self.rounds();
            let others = |state: &mut State| {
                state.active > 0 && rounds == self.rounds() && !self.is_closing()
            };
            drop(self.work.wait_while(state, others).unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Keeps rounds from starting; returns when those under way have ended.
    pub(crate) fn pause(&self) -> Pause<'_> {
        let mut state = self.lock();
        state.pauses += 1;
        let running = |state: &mut State| state.active > 0;
        drop(self.done.wait_while(state, running).unwrap_or_else(PoisonError::into_inner));
        Pause(self)
    }

    /// Ends all waiting, for good.
    pub(crate) fn close(&self) {
        let state = self.lock();
        // Relaxed: read under the lock, which is held here.
        self.closing.store(true, Ordering::Relaxed);
        drop(state);
        self.work.notify_all();
        self.done.notify_all();
    }

    fn is_closing(&self) -> bool {
        // Relaxed: as in `close`.
        self.closing.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No step under the lock panics half-way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn answer(&mut self, asked: u64) {
        self.answered = self.answered.max(asked);
        if self.answered == self.asked {
            self.need = None;
        }
    }
}

/// Runs only if a cleaner panics: nothing more is cleaned, and nobody waits for it.
impl Drop for Round<'_> {
    fn drop(&mut self) {
        self.pressure.lock().active -= 1;
        self.pressure.close();
    }
}

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        self.0.lock().pauses -= 1;
        self.0.work.notify_all();
    }
}

/// Cleaning begins when the pool, less what puts must leave, falls below a tenth of what is not
/// live. That is late, so that segments have become as empty as possible, but not at the last
/// moment.
fn mark(geometry: &Geometry, live_seglets: usize) -> usize {
    let floor = geometry.put_floor();
    floor + geometry.seglets.saturating_sub(floor + live_seglets) / 10 + 1
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::Config;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(20)
    }

    #[test]
    fn who_waits_hears_of_what_was_freed_and_that_nothing_is_left() {
        let geometry = Config::new(64 << 20, 1000).geometry().unwrap();
        let pressure = Pressure::new(&geometry);
        let plenty = geometry.seglets;
        thread::scope(|scope| {
            scope.spawn(|| {
                for freed in [true, false] {
                    let round = pressure.begin().expect("the store is open");
                    assert_eq!(round.need, if freed { Need::Tombstone } else { Need::Put });
                    pressure.end(round, freed, plenty);
                }
                assert!(pressure.begin().is_none(), "closed");
            });
            let seen = pressure.rounds();
            assert_eq!(pressure.wait(Need::Tombstone, seen, soon()), Waited::Freed);
            assert_eq!(pressure.wait(Need::Tombstone, seen, soon()), Waited::Freed, "already");
            let seen = pressure.rounds();
            assert_eq!(pressure.wait(Need::Put, seen, soon()), Waited::NothingToClean);
            pressure.close();
            let seen = pressure.rounds();
            assert_eq!(pressure.wait(Need::Put, seen, soon()), Waited::TooLong);
        });
        assert_eq!(pressure.waits(), 3);
    }

    #[test]
    fn a_round_that_panics_ends_all_waiting() {
        let geometry = Config::new(64 << 20, 1000).geometry().unwrap();
        let pressure = Pressure::new(&geometry);
        thread::scope(|scope| {
            scope.spawn(|| drop(pressure.begin().expect("the store is open")));
            assert_eq!(pressure.wait(Need::Put, 0, soon()), Waited::TooLong);
            drop(pressure.pause());
            assert!(pressure.begin().is_none());
        });
    }

    #[test]
    fn the_mark_lies_above_what_puts_leave_and_falls_with_what_is_live() {
        let geometry = Config::new(1 << 30, 1000).geometry().unwrap();
        let floor = geometry.put_floor();
        assert!(mark(&geometry, 0) - floor > geometry.seglets * 9 / 100);
        assert!(mark(&geometry, geometry.seglets / 2) < mark(&geometry, 0));
        assert_eq!(mark(&geometry, geometry.seglets), floor + 1);
    }
}
