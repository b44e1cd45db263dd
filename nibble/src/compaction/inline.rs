//! Compaction by the writers: each pays for the bytes it appends.
//!
//! A session records what it has appended. Once that reaches a quantum and little memory is free,
//! the session compacts until it has gained as many dead bytes as it owes. In a steady state every
//! byte written makes a byte dead, so free memory stays where it is, near a low trigger. All other
//! slack is dead objects in closed segments, so victims are as empty as they can be. The victims
//! then determine how much must be copied.

use std::cell::Cell;
use std::thread;
use std::time::Duration;

use super::pace::Budget;
use super::worker::{Round, Worker};
use crate::log::node::Node;
use crate::store::Shared;
use crate::sync::{Mutex, MutexGuard, lock, try_lock};

/// A debt is paid when it reaches this many bytes …
const QUANTUM_BYTES: i64 = 1 << 10;
/// … or this many objects: the cost of a payment depends more on their number than on their size.
const QUANTUM_OBJECTS: u32 = 4;
/// The largest debt: a batch of large objects. More is forgiven, because PUTs that find no room
/// compact even without a debt.
const DEBT_MAX: i64 = 1 << 20;
/// The most bytes copied per byte appended since the last payment: at the trigger, and when nothing
/// is available. A victim that yields little is emptied in many small steps, unless memory runs
/// out.
const COPY_LEAST: i64 = 6;
const COPY_MOST: i64 = 24;
/// How long a PUT that drives compaction waits for readers and other writers.
const NAP: Duration = Duration::from_micros(50);

/// The most payments that a worker skips after it found nothing to compact.
const PAUSE_MAX: u32 = 32;

/// Keeps payments from searching for victims again and again when everything is alive.
#[derive(Debug, Default)]
pub(super) struct Pause {
    left: u32,
    next: u32,
}

impl Pause {
    /// Counts a payment; returns whether the worker should search again.
    fn is_over(&mut self) -> bool {
        let over = self.left == 0;
        self.left = self.left.saturating_sub(1);
        over
    }

    fn note(&mut self, in_vain: bool) {
        self.next = if in_vain { PAUSE_MAX.min(2 * self.next + 1) } else { 0 };
        self.left = self.next;
    }
}

/// What a session has appended and not yet compacted for. It belongs to one thread, so it uses
/// plain cells.
#[derive(Debug)]
pub(crate) struct Debt {
    bytes: Cell<i64>,
    objects: Cell<u32>,
    /// What the last payment left over.
    left: Cell<i64>,
    /// Workers take turns, victim by victim.
    turn: Cell<usize>,
    due_bytes: i64,
    due_objects: u32,
}

impl Debt {
    /// The debt for a store whose writers compact; otherwise a debt that never falls due.
    pub(crate) fn new(inline: bool) -> Self {
        let due = if inline { (QUANTUM_BYTES, QUANTUM_OBJECTS) } else { (i64::MAX, u32::MAX) };
        Self {
            bytes: Cell::new(0),
            objects: Cell::new(0),
            left: Cell::new(0),
            turn: Cell::new(0),
            due_bytes: due.0,
            due_objects: due.1,
        }
    }

    /// Records an appended object.
    #[inline]
    pub(crate) fn owe(&self, bytes: u64) {
        self.bytes.set(self.bytes.get().saturating_add_unsigned(bytes));
        self.objects.set(self.objects.get().saturating_add(1));
    }

    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        self.bytes.get() >= self.due_bytes || self.objects.get() >= self.due_objects
    }

    /// Pays if compaction is due on any node. The caller must not be in an epoch. Waits for nobody.
    #[cold]
    #[inline(never)]
    pub(crate) fn pay(&self, shared: &Shared) {
        self.objects.set(0);
        let owed = self.bytes.get().min(DEBT_MAX);
        if owed <= 0 || self.due_bytes == i64::MAX {
            return;
        }
        let Some(node) = worthiest(shared.log.nodes_from_here().filter(|node| node.is_low()))
        else {
            self.bytes.set(0);
            shared.log.nodes_from_here().any(|node| node.return_idle_memory(&shared.log));
            return;
        };
        // The less is free, the more is paid: what is lacking at the trigger is caught up.
        let low = node.low_blocks() as i64;
        let lacking = (low - node.pool.available() as i64).max(0);
        let gain = owed + owed * lacking / low;
        let fresh = (owed - self.left.get()).clamp(1, owed);
        let copy = fresh * (COPY_LEAST + (COPY_MOST - COPY_LEAST) * lacking / low);
        let mut budget = Budget { gain, copy };
        let workers = &node.crew.workers;
        let mut idle = 0;
        while idle < workers.len() && !budget.is_spent() {
            let turn = self.turn.get() % workers.len();
            if try_lock(&workers[turn]).is_some_and(|worker| work(worker, shared, &mut budget)) {
                idle = 0;
            } else {
                idle += 1;
            }
            if !budget.is_spent() {
                self.turn.set(turn + 1);
            }
        }
        // An excess is credit for the next payment; a shortfall remains owed.
        self.left.set(budget.gain.min(owed).max(0));
        self.bytes.set(budget.gain.min(owed));
    }
}

/// Lets a worker spend the budget until it has emptied a victim. Each worker watches its own
/// segments; if one were called more often than the others, the dead bytes in the others' segments
/// would lie idle. Returns whether it did anything.
fn work(mut worker: MutexGuard<'_, Worker>, shared: &Shared, budget: &mut Budget) -> bool {
    if !worker.pause.is_over() {
        return false;
    }
    let before = (budget.gain, budget.copy);
    while !budget.is_spent()
        && worker.round(shared, budget) == Round::Worked
        && worker.victim.is_some()
    {}
    let in_vain = before == (budget.gain, budget.copy);
    worker.pause.note(in_vain);
    !in_vain
}

/// The first of these nodes, unless victims of another node are clearly emptier. A node with more
/// than its share of the live data would copy far more per byte gained. Left alone, it sends its
/// writers elsewhere and becomes emptier.
fn worthiest<'log>(mut nodes: impl Iterator<Item = &'log Node>) -> Option<&'log Node> {
    let mut best = nodes.next()?;
    for node in nodes {
        if node.crew.yield_permille() * 4 > best.crew.yield_permille() * 5 {
            best = node;
        }
    }
    Some(best)
}

/// Makes every worker of every node run a round in the caller's thread, to gain at least `bytes`.
/// If all of them have to wait, this waits a moment. The caller must not be in an epoch.
pub(crate) fn drive(shared: &Shared, bytes: u64) -> Round {
    let result = run_rounds(shared, bytes, |worker| Some(lock(worker)));
    if result == Round::Waiting {
        thread::sleep(NAP);
    }
    result
}

/// Like [`drive`], with those workers only that are not at work. Waits for nobody.
pub(crate) fn help(shared: &Shared, bytes: u64) -> Round {
    run_rounds(shared, bytes, try_lock)
}

fn run_rounds<'store>(
    shared: &'store Shared,
    bytes: u64,
    take: impl Fn(&'store Mutex<Worker>) -> Option<MutexGuard<'store, Worker>>,
) -> Round {
    let mut result = Round::Quiet;
    for worker in shared.log.nodes_from_here().flat_map(|node| &node.crew.workers) {
        let Some(mut worker) = take(worker) else { continue };
        let mut budget = Budget::new(bytes.max(64 << 10), 4 << 20);
        match worker.round(shared, &mut budget) {
            Round::Worked => result = Round::Worked,
            Round::Waiting if result == Round::Quiet => result = Round::Waiting,
            Round::Waiting | Round::Quiet => {}
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_in_vain_becomes_rare() {
        let mut pause = Pause::default();
        let mut look = |in_vain| {
            let looks = pause.is_over();
            if looks {
                pause.note(in_vain);
            }
            looks
        };
        let looks = (0..1000).filter(|_| look(true)).count();
        assert!((1000 / 33..1000 / 33 + 8).contains(&looks), "{looks}");
        assert!((0..=PAUSE_MAX).any(|_| look(false)));
        assert!(look(false) && look(false), "one success ends it");
    }

    #[test]
    fn a_debt_is_due_by_bytes_or_by_objects_and_never_in_a_store_with_threads() {
        let debt = Debt::new(true);
        let owes = |debt: &Debt, bytes| {
            debt.owe(bytes);
            debt.is_due()
        };
        let quantum = QUANTUM_BYTES as u64;
        assert!(!owes(&debt, quantum - 1) && owes(&debt, 1));
        let debt = Debt::new(true);
        assert_eq!((1..).find(|_| owes(&debt, 20)), Some(QUANTUM_OBJECTS));
        let debt = Debt::new(false);
        assert!((0..10_000).all(|_| !owes(&debt, 1 << 30)));
    }
}
