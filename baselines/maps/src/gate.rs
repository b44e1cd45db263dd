//! A gate that every operation passes, and that a walk over the whole map closes.
//!
//! A map whose iterators tolerate no other use needs it. To pass costs two plain stores to a line of
//! the thread's own; a walk pays for the fences of all threads (`platform::Barrier`).

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use kit::padded::Padded;
use platform::Barrier;

/// What a thread does at the gate: the number of its guards, or [`WALKS`].
type State = AtomicU32;
const OUTSIDE: u32 = 0;
const WALKS: u32 = u32::MAX;

/// See the module.
#[derive(Debug)]
pub(crate) struct Gate {
    /// How many threads walk or wait to walk. They walk side by side.
    walkers: Padded<AtomicUsize>,
    /// The states of all threads that have a pass.
    states: Mutex<Vec<Arc<Padded<State>>>>,
    barrier: Barrier,
}

/// A thread's right to pass a gate. It is not shared: only its thread writes its state.
#[derive(Debug)]
pub(crate) struct Pass {
    state: Arc<Padded<State>>,
    of_one_thread: PhantomData<Cell<()>>,
}

/// While it lives, nobody walks but who holds it.
#[derive(Debug)]
pub(crate) struct Inside<'a> {
    gate: &'a Gate,
    state: &'a State,
    of_one_thread: PhantomData<Cell<()>>,
}

impl Gate {
    pub(crate) fn new() -> Self {
        let (walkers, states) = (Padded::default(), Mutex::default());
        Self { walkers, states, barrier: Barrier::lightest() }
    }

    pub(crate) fn register(&self) -> Pass {
        let state = Arc::<Padded<State>>::default();
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        // Passes that are gone.
        states.retain(|state| Arc::strong_count(state) > 1);
        states.push(Arc::clone(&state));
        Pass { state, of_one_thread: PhantomData }
    }

    /// Waits while somebody walks.
    ///
    /// # Panics
    /// If `pass` is used by a walk that has not ended.
    #[inline]
    pub(crate) fn enter<'a>(&'a self, pass: &'a Pass) -> Inside<'a> {
        let inside = Inside { gate: self, state: &pass.state.0, of_one_thread: PhantomData };
        // Relaxed: only this thread writes it.
        let guards = inside.state.load(Ordering::Relaxed);
        assert!(guards != WALKS, "a walk must not use its map");
        if guards == OUTSIDE {
            inside.enter_first();
        } else {
            // Relaxed: walks wait for this thread already.
            inside.state.store(guards + 1, Ordering::Relaxed);
        }
        inside
    }
}

impl Inside<'_> {
    #[inline]
    fn enter_first(&self) {
        loop {
            // Relaxed: the barrier orders it before the load of `walkers`.
            self.state.store(1, Ordering::Relaxed);
            self.gate.barrier.light();
            // GATE-OPEN, to: what was read by walks that have ended is not changed before they end.
            if self.gate.walkers.load(Ordering::Acquire) == 0 {
                return;
            }
            self.wait();
        }
    }

    #[cold]
    fn wait(&self) {
        // Relaxed: nothing was done inside.
        self.state.store(OUTSIDE, Ordering::Relaxed);
        // Relaxed: `enter_first` looks again.
        while self.gate.walkers.load(Ordering::Relaxed) != 0 {
            thread::yield_now();
        }
    }

    /// Whether the thread walks just now.
    #[inline]
    pub(crate) fn walks(&self) -> bool {
        // Relaxed: only this thread writes it.
        self.state.load(Ordering::Relaxed) == WALKS
    }

    /// Calls `walk` when no other thread is inside but those that walk too, and keeps all others out
    /// until it has returned.
    ///
    /// # Panics
    /// If the thread has further guards, for which a walk would wait for ever.
    pub(crate) fn walk<R>(&self, walk: impl FnOnce() -> R) -> R {
        // Relaxed: only this thread writes it.
        assert_eq!(self.state.load(Ordering::Relaxed), 1, "a walk has the thread's only guard");
        // Relaxed: the barrier orders it before the loads of states.
        self.gate.walkers.fetch_add(1, Ordering::Relaxed);
        // GATE-STATE, from: what this thread did inside. Other walks do not wait for it.
        self.state.store(WALKS, Ordering::Release);
        let _ended = Walking(self);
        self.gate.barrier.heavy();
        let states = self.gate.states.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for state in &states {
            // GATE-STATE, to: what that thread did inside.
            while !matches!(state.load(Ordering::Acquire), OUTSIDE | WALKS) {
                thread::yield_now();
            }
        }
        walk()
    }
}

impl Drop for Inside<'_> {
    #[inline]
    fn drop(&mut self) {
        // Relaxed: only this thread writes it.
        let guards = self.state.load(Ordering::Relaxed);
        // GATE-STATE, from: what this thread did inside.
        self.state.store(guards - 1, Ordering::Release);
    }
}

/// A walk, which ends when this is dropped; then its thread is inside as before.
#[derive(Debug)]
struct Walking<'a>(&'a Inside<'a>);

impl Drop for Walking<'_> {
    fn drop(&mut self) {
        // GATE-OPEN, from: what the walk has read.
        self.0.gate.walkers.fetch_sub(1, Ordering::Release);
        self.0.enter_first();
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::AtomicBool;

    use super::*;

    /// Threads write two numbers that a walk must find equal; two walk.
    #[test]
    fn a_walk_meets_nobody_inside() {
        let (gate, done) = (Gate::new(), AtomicBool::new(false));
        let pairs: [[AtomicUsize; 2]; 2] = Default::default();
        thread::scope(|scope| {
            for pair in &pairs {
                let (gate, done) = (&gate, &done);
                scope.spawn(move || {
                    let pass = gate.register();
                    while !done.load(Ordering::Relaxed) {
                        let _inside = gate.enter(&pass);
                        let _again = gate.enter(&pass);
                        for number in pair {
                            number.store(number.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                        }
                    }
                });
            }
            let walkers = [0, 1].map(|_| {
                scope.spawn(|| {
                    let pass = gate.register();
                    let mut seen = 0;
                    for _ in 0..200 {
                        let inside = gate.enter(&pass);
                        inside.walk(|| {
                            for [one, other] in &pairs {
                                let (one, other) =
                                    (one.load(Ordering::Relaxed), other.load(Ordering::Relaxed));
                                assert_eq!(one, other);
                                seen = seen.max(one);
                            }
                        });
                        drop(inside);
                        thread::yield_now();
                    }
                    seen
                })
            });
            let walked: Vec<_> = walkers.into_iter().map(thread::ScopedJoinHandle::join).collect();
            // Whoever waits for the gate still enters.
            let seen = walked.iter().flatten().max();
            while seen.is_some_and(|seen| {
                pairs.iter().all(|[_, last]| last.load(Ordering::Relaxed) == *seen)
            }) {
                thread::yield_now();
            }
            // Writers end before a failure is told, or none would ever be.
            done.store(true, Ordering::Relaxed);
            assert!(walked.iter().all(Result::is_ok), "a walk met somebody inside");
        });
    }

    #[test]
    fn a_walk_that_panics_or_uses_its_map_leaves_the_gate_open() {
        let gate = Gate::new();
        let pass = gate.register();
        let inside = gate.enter(&pass);
        let used = AssertUnwindSafe(|| inside.walk(|| drop(gate.enter(&pass))));
        assert!(catch_unwind(used).is_err(), "its own thread would change what it reads");
        let second = gate.enter(&pass);
        assert!(catch_unwind(AssertUnwindSafe(|| inside.walk(|| ()))).is_err());
        drop(second);
        assert!(!inside.walks());
        drop(inside);
        thread::scope(|scope| {
            scope.spawn(|| drop(gate.enter(&gate.register())));
        });
        let other = gate.register();
        gate.enter(&other).walk(|| ());
        assert!(gate.states.lock().unwrap().len() <= 2, "passes that are gone are forgotten");
    }
}
