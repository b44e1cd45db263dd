//! How long a PUT waits for space, and how it detects that waiting is useless.

use std::mem;
use std::time::{Duration, Instant};

use super::inline;
use super::signal::Waiting;
use crate::instrument::{Mutant, mutated};
use crate::segment::SegmentState;
use crate::store::Shared;
use crate::sync::Ordering;

/// The length of one wait.
const TURN: Duration = Duration::from_micros(500);
/// A worker that has completed this many rounds without a find since the wait began has begun at
/// least one of them after that.
const ROUNDS: u64 = 2;

/// A PUT's patience. It ends
/// - when free and dead bytes together are less than needed;
/// - when every worker has searched, found nothing to do, and nothing was freed meanwhile;
/// - at the latest after `full_wait_ms`.
///
/// The first two conditions are read while workers continue, so one more attempt must fail
/// afterwards.
///
/// In a store without threads the PUT runs the workers' rounds itself.
#[derive(Debug)]
pub(crate) struct Patience<'store> {
    shared: &'store Shared,
    _waiting: Vec<Waiting<'store>>,
    begin: Instant,
    bytes: u64,
    freed: u64,
    rounds: Vec<u64>,
    /// Waiting was found useless, and the current attempt is the last.
    last: bool,
}

impl<'store> Patience<'store> {
    /// Called when `bytes` could not be reserved. From now on attempts wait for rounds under way,
    /// so the first attempt need not wait for more.
    pub(crate) fn begin(shared: &'store Shared, bytes: u64) -> Self {
        let nodes = shared.log.nodes.iter();
        let mut patience = Self {
            shared,
            _waiting: nodes.map(|node| node.signals.begin_waiting()).collect(),
            begin: Instant::now(),
            bytes,
            freed: 0,
            rounds: Vec::new(),
            last: false,
        };
        patience.look_again();
        patience
    }

    /// Called when an attempt failed. Waits a little; returns whether another attempt is
    /// worthwhile.
    pub(crate) fn again(&mut self) -> bool {
        if mutated(Mutant::FullBlocks) {
            self.wait();
            return true;
        }
        if self.begin.elapsed() >= self.shared.full_wait {
            return false;
        }
        let freed = self.freed() != self.freed;
        if !can_be_had(self.shared, self.bytes) || !freed && self.in_vain() {
            return !mem::replace(&mut self.last, true);
        }
        if freed {
            self.look_again();
        }
        self.last = false;
        self.wait();
        true
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

    fn wait(&self) {
        if self.shared.inline {
            inline::drive(self.shared, self.bytes);
            return;
        }
        self.shared.log.nodes.iter().for_each(|node| node.signals.kick());
        self.shared.log.nodes[0].signals.wait_for_space(TURN);
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

/// Whether free bytes and those that compaction could free add up to `bytes`.
fn can_be_had(shared: &Shared, bytes: u64) -> bool {
    let log = &shared.log;
    let blocks: u64 =
        log.nodes.iter().map(|node| node.pool.available() + node.crew.totals().limbo_blocks).sum();
    let mut sum = blocks * log.memory.region.block_bytes();
    for (_, info) in log.segments.iter() {
        if sum >= bytes {
            break;
        }
        match info.state() {
            SegmentState::Free => {}
            // A worker's output holds blocks for later use.
            SegmentState::Open => {
                let used_blocks = log.memory.region.blocks_for(info.used());
                let spare_blocks = info.blocks().saturating_sub(used_blocks);
                sum += info.dead() + spare_blocks * log.memory.region.block_bytes();
            }
            _ => sum += info.dead(),
        }
    }
    sum >= bytes
}
