//! How long a PUT waits for space, and how it detects that waiting is useless.

use std::mem;
use std::time::{Duration, Instant};

use super::inline;
use super::room::can_be_had;
use super::signal::Waiting;
use crate::epoch::Stamp;
use crate::error::PutError;
use crate::instrument::{Mutant, mutated};
use crate::store::Shared;
use crate::sync::Ordering;

/// The length of one wait.
const TURN: Duration = Duration::from_micros(500);
/// A worker that has completed this many rounds without a find since the wait began has begun at
/// least one of them after that.
const ROUNDS: u64 = 2;
/// How much longer than `full_wait_ms` a PUT waits while others take all the room that is freed.
const CROWDED: Duration = Duration::from_secs(60);

/// A PUT's patience. It ends with `Full`
/// - when free and dead bytes together are less than needed;
/// - when every worker has searched, found nothing to do, and nothing was freed meanwhile;
/// - after a minute in which others took all that was freed.
///
/// It ends with `Stalled` when one session was inside one operation for `full_wait_ms`, and nothing
/// was freed meanwhile. Whenever something is freed, or those who were inside an operation have
/// left, that time begins again.
///
/// The first two conditions are read while workers continue, so one more attempt must fail
/// afterwards.
///
/// The PUT runs the workers' rounds itself: at once in a store without threads, otherwise when the
/// threads have freed nothing for a moment. So it needs nobody but the sessions inside the epoch.
#[derive(Debug)]
pub(crate) struct Patience<'store> {
    shared: &'store Shared,
    _waiting: Waiting<'store>,
    begin: Instant,
    bytes: u64,
    freed: u64,
    rounds: Vec<u64>,
    still: Still,
    /// Waiting was found useless, and the current attempt is the last.
    last: bool,
}

/// The time in which nothing was freed and somebody has been inside one operation.
#[derive(Debug)]
struct Still {
    since: Instant,
    stamp: Stamp,
}

impl Still {
    fn from_now(shared: &Shared) -> Self {
        // In this order, or an operation could have begun after `since`.
        let stamp = shared.epochs.clock.stamp();
        Self { since: Instant::now(), stamp }
    }
}

impl<'store> Patience<'store> {
    /// Called when `bytes` could not be reserved. From now on attempts wait for rounds under way,
    /// so the first attempt need not wait for more.
    pub(crate) fn begin(shared: &'store Shared, bytes: u64) -> Self {
        let mut patience = Self {
            shared,
            _waiting: shared.log.space.begin_waiting(),
            begin: Instant::now(),
            bytes,
            freed: 0,
            rounds: Vec::new(),
            still: Still::from_now(shared),
            last: false,
        };
        patience.look_again();
        patience
    }

    /// Called when an attempt failed. Waits a little, unless another attempt is useless.
    pub(crate) fn again(&mut self) -> Result<(), PutError> {
        if self.shared.is_closed() {
            return Err(PutError::Closed);
        }
        if mutated(Mutant::FullBlocks) {
            self.wait();
            return Ok(());
        }
        let freed = self.freed() != self.freed;
        if !can_be_had(self.shared, self.bytes) || !freed && self.in_vain() {
            return if mem::replace(&mut self.last, true) { Err(PutError::Full) } else { Ok(()) };
        }
        if self.begin.elapsed() >= self.shared.full_wait + CROWDED {
            return Err(PutError::Full);
        }
        if freed {
            self.look_again();
        }
        self.last = false;
        self.check_progress(freed)?;
        self.wait();
        Ok(())
    }

    fn freed(&self) -> u64 {
        let nodes = self.shared.log.nodes.iter();
        nodes.map(|node| node.crew.totals().freed_blocks).sum()
    }

    fn look_again(&mut self) {
        self.freed = self.freed();
        self.rounds = quiet_rounds(self.shared).collect();
    }

    fn in_vain(&self) -> bool {
        let mut now = quiet_rounds(self.shared).zip(&self.rounds);
        now.all(|(now, &then)| now >= then + ROUNDS)
    }

    /// Fails when nothing has moved on for too long, with the session in the way.
    fn check_progress(&mut self, freed: bool) -> Result<(), PutError> {
        match self.shared.epochs.inside_since(self.still.stamp) {
            Some(_) if mutated(Mutant::StallUnnamed) => Err(PutError::Full),
            Some(session) if !freed => {
                let held = self.still.since.elapsed();
                let over = held >= self.shared.full_wait;
                if over { Err(PutError::Stalled { session, held }) } else { Ok(()) }
            }
            _ => {
                self.still = Still::from_now(self.shared);
                Ok(())
            }
        }
    }

    fn wait(&self) {
        if self.shared.inline {
            inline::drive(self.shared, self.bytes);
            return;
        }
        self.shared.log.nodes.iter().for_each(|node| node.signals.kick());
        self.shared.log.space.wait(TURN);
        if self.freed() == self.freed && !mutated(Mutant::WaitingIdly) {
            inline::help(self.shared, self.bytes);
        }
    }
}

impl Drop for Patience<'_> {
    fn drop(&mut self) {
        // Relaxed: a statistic.
        let waited_ns = self.begin.elapsed().as_nanos() as u64;
        self.shared.put_wait_ns.fetch_add(waited_ns, Ordering::Relaxed);
    }
}

/// The number of quiet rounds of every worker.
pub(crate) fn quiet_rounds(shared: &Shared) -> impl Iterator<Item = u64> {
    shared.log.nodes.iter().flat_map(|node| node.crew.quiet_rounds())
}
