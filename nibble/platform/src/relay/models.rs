//! The hand-over as small programs of threads, which loom runs in every order and with every value
//! that a weakly ordered load may see:
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test --release -p platform --lib models::
//! ```

use std::sync::atomic::{AtomicBool as Seen, Ordering};

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::AtomicBool;
use loom::thread;

use super::Turn;

/// Three partners, a word for each, and what only the one with the turn may touch.
struct Relay {
    turns: [Turn; 3],
    counted: UnsafeCell<u32>,
    stop: AtomicBool,
    dead: AtomicBool,
}

impl Relay {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            turns: Default::default(),
            counted: UnsafeCell::new(0),
            stop: AtomicBool::new(false),
            dead: AtomicBool::new(false),
        })
    }

    /// Counts, which is a race unless turns order it: loom reports one.
    fn count(&self) {
        // SAFETY: loom checks that no two accesses are concurrent.
        self.counted.with_mut(|counted| unsafe { *counted += 1 });
    }

    fn counted(&self) -> u32 {
        // SAFETY: as in `count`.
        self.counted.with(|counted| unsafe { *counted })
    }
}

fn explore(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

/// Rules 4 and 5.
#[test]
fn what_was_written_before_giving_is_seen_after_taking() {
    explore(|| {
        let relay = Relay::new();
        let partner = |me: usize| {
            let relay = Arc::clone(&relay);
            thread::spawn(move || {
                relay.turns[me].wait();
                relay.count();
                relay.turns[(me + 1) % 3].give();
            })
        };
        let partners = [partner(1), partner(2)];
        relay.count();
        relay.turns[1].give();
        relay.turns[0].wait();
        assert_eq!(relay.counted(), 3);
        for partner in partners {
            partner.join().unwrap();
        }
        let set = relay.turns.iter().filter(|turn| turn.take()).count();
        assert_eq!(set, 0, "every turn that was given was taken");
    });
}

/// A deadlock fails the model.
#[test]
fn nobody_sleeps_for_ever() {
    explore(|| {
        let relay = Relay::new();
        let partner = {
            let relay = Arc::clone(&relay);
            thread::spawn(move || {
                for _ in 0..2 {
                    relay.turns[1].wait();
                    relay.turns[0].give();
                }
            })
        };
        for _ in 0..2 {
            relay.turns[1].give();
            relay.turns[0].wait();
        }
        partner.join().unwrap();
    });
}

/// A partner that is told to stop is told so by the turn.
#[test]
fn who_is_told_to_stop_does() {
    explore(|| {
        let relay = Relay::new();
        let partner = {
            let relay = Arc::clone(&relay);
            thread::spawn(move || {
                let mut visits = 0;
                loop {
                    relay.turns[1].wait();
                    // Relaxed: ordered by the turn.
                    if relay.stop.load(Ordering::Relaxed) {
                        return visits;
                    }
                    visits += 1;
                    relay.turns[0].give();
                }
            })
        };
        relay.turns[1].give();
        relay.turns[0].wait();
        // Relaxed: the turn given below orders it.
        relay.stop.store(true, Ordering::Relaxed);
        relay.turns[1].give();
        assert_eq!(partner.join().unwrap(), 1);
    });
}

/// Rule 10: a partner dies before it gives the turn, or after. The owner ends in both cases, and
/// what the partner wrote before it gave the turn counts.
#[test]
fn the_owner_ends_whenever_a_partner_dies() {
    static SAW_TURN: Seen = Seen::new(false);
    static SAW_DEATH: Seen = Seen::new(false);
    for gives in [false, true] {
        explore(move || {
            let relay = Relay::new();
            let partner = {
                let relay = Arc::clone(&relay);
                thread::spawn(move || {
                    relay.turns[1].wait();
                    relay.count();
                    if gives {
                        relay.turns[0].give();
                    }
                    // Release: the kernel tells of a death after all that the process did.
                    relay.dead.store(true, Ordering::Release);
                })
            };
            relay.turns[1].give();
            // Acquire: pairs with the store above.
            let look = || if relay.dead.load(Ordering::Acquire) { Err(()) } else { Ok(()) };
            // Relaxed: of the checker's own threads, which run one at a time.
            match relay.turns[0].wait_looking(look) {
                Ok(()) => {
                    assert!(gives, "nobody gave the turn");
                    assert_eq!(relay.counted(), 1);
                    SAW_TURN.store(true, Ordering::Relaxed);
                }
                Err(()) => SAW_DEATH.store(true, Ordering::Relaxed),
            }
            partner.join().unwrap();
        });
    }
    assert!(SAW_TURN.load(Ordering::Relaxed), "no order in which the turn came");
    assert!(SAW_DEATH.load(Ordering::Relaxed), "no order in which the death was seen");
}
