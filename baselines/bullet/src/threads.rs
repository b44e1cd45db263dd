//! The store's own threads: gleaners, and the one that ends epochs.
//!
//! In static rungs every log with a writer has a gleaner that looks for work without pause, as in the
//! paper, where it has a core to itself. In dynamic rungs gleaners sleep until occupancy wakes them.

use std::hint;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use engine::OpenError;

use crate::counts::add;
use crate::glean;
use crate::roles::Roles;
use crate::store::Shared;
use crate::tx::Transactor;

/// How long a gleaner sleeps that nobody wakes.
const SLEEP: Duration = Duration::from_millis(2);
/// Looks at its logs between two of which an idle gleaner of a static rung does nothing.
const SPINS: u32 = 64;

/// The threads, until dropped.
#[derive(Debug)]
pub(crate) struct Threads {
    ended: Arc<AtomicBool>,
    joined: Vec<JoinHandle<()>>,
}

impl Threads {
    /// Starts as many gleaners as the layout has slots for, and the thread that ends epochs.
    pub(crate) fn start(shared: &Arc<Shared>, epoch: Duration) -> Result<Self, OpenError> {
        let mut threads = Self { ended: Arc::new(AtomicBool::new(false)), joined: Vec::new() };
        let gleaners = shared.helper_slot - shared.sessions.len();
        for index in 0..gleaners {
            let slot = shared.sessions.len() + index;
            threads.spawn(shared, move |shared, ended| {
                let me = Transactor::new(slot);
                if shared.rung.is_dynamic() {
                    glean_when_awake(shared, me, index, ended);
                } else {
                    glean_without_pause(shared, me, index, gleaners, ended);
                }
            })?;
        }
        let to_wake: Vec<_> = threads.joined.iter().map(|own| own.thread().clone()).collect();
        threads.spawn(shared, move |shared, ended| end_epochs(shared, &to_wake, epoch, ended))?;
        Ok(threads)
    }

    pub(crate) fn count(&self) -> usize {
        self.joined.len()
    }

    fn spawn(
        &mut self,
        shared: &Arc<Shared>,
        work: impl FnOnce(&Shared, &AtomicBool) + Send + 'static,
    ) -> Result<(), OpenError> {
        let (shared, ended) = (Arc::clone(shared), Arc::clone(&self.ended));
        let thread = thread::Builder::new()
            .name("bullet".to_owned())
            .spawn(move || work(&shared, &ended))
            .map_err(|error| OpenError::Missing {
                what: format!("a thread ({error})"),
                remedy: "raise the limit of threads, or use fewer clients".to_owned(),
            })?;
        self.joined.push(thread);
        Ok(())
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        // Relaxed: joining orders what follows.
        self.ended.store(true, Ordering::Relaxed);
        for thread in self.joined.drain(..) {
            thread.thread().unpark();
            let ended = thread.join();
            debug_assert!(ended.is_ok() || thread::panicking(), "a thread of the store panicked");
        }
    }
}

fn is_over(ended: &AtomicBool) -> bool {
    // Relaxed: see `Threads::drop`.
    ended.load(Ordering::Relaxed)
}

/// A gleaner of a static rung: the log of its number, and those whose numbers differ by a multiple of
/// the gleaners, if sessions are more than expected.
fn glean_without_pause(
    shared: &Shared,
    mut me: Transactor,
    index: usize,
    gleaners: usize,
    ended: &AtomicBool,
) {
    while !is_over(ended) {
        let own = || shared.logs.iter().skip(index).step_by(gleaners);
        let gleaned: u64 = own()
            .filter(|log| log.backlog() > 0)
            .map(|log| glean::pass(shared, &mut me, log))
            .sum();
        if gleaned > 0 {
            continue;
        }
        if own().any(|log| log.is_owned()) {
            (0..SPINS).for_each(|_| hint::spin_loop());
        } else {
            thread::park_timeout(SLEEP);
        }
    }
}

/// A gleaner of a dynamic rung.
fn glean_when_awake(shared: &Shared, mut me: Transactor, index: usize, ended: &AtomicBool) {
    while !is_over(ended) {
        // Relaxed: a moment late is as good.
        if index >= shared.gleaners_awake.load(Ordering::Relaxed) {
            thread::park_timeout(SLEEP);
        } else if glean::all(shared, &mut me, index) == 0 {
            thread::yield_now();
        }
    }
}

/// Ends epochs, and sees to roles.
fn end_epochs(shared: &Shared, gleaners: &[thread::Thread], epoch: Duration, ended: &AtomicBool) {
    let mut roles = Roles::default();
    while !is_over(ended) {
        thread::park_timeout(epoch);
        glean::advance(shared, true);
        if !shared.rung.is_dynamic() {
            continue;
        }
        let (used, all) = shared.occupancy();
        // Relaxed: only this thread changes it.
        let awake = shared.gleaners_awake.load(Ordering::Relaxed);
        let next = roles.look(used, all, awake, gleaners.len());
        if next != awake {
            // Relaxed: as above.
            shared.gleaners_awake.store(next, Ordering::Relaxed);
            add(&shared.counters.role_switches, 1);
            gleaners[..next].iter().for_each(thread::Thread::unpark);
        }
    }
}
