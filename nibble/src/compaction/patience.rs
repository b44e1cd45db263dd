//! How long a PUT waits for space, and how it learns that waiting is in vain.

use std::time::{Duration, Instant};

use super::signal::Waiting;
use crate::constants::WORTH_DIVISOR;
use crate::segment::SegmentState;
use crate::store::Shared;
use crate::sync::Ordering;

/// One turn of waiting.
const TURN: Duration = Duration::from_micros(500);
/// A worker that has gone so many rounds without finding anything since the wait began has begun
/// at least one of them after it.
const ROUNDS: u64 = 2;

/// A PUT's patience. It ends
/// - at once, when all dead bytes worth compacting together are less than what is needed;
/// - when every worker has looked, found nothing it can do, and nothing was freed meanwhile;
/// - in any case after `full_wait_ms`.
#[derive(Debug)]
pub(crate) struct Patience<'store> {
    shared: &'store Shared,
    _waiting: Waiting<'store>,
    deadline: Instant,
    blocks: u64,
    freed: u64,
    rounds: Vec<u64>,
}

impl<'store> Patience<'store> {
    /// `bytes` could not be reserved. `None` when waiting is in vain from the start.
    pub(crate) fn begin(shared: &'store Shared, bytes: u64) -> Option<Self> {
        let blocks = shared.log.blocks_for(bytes);
        if !can_be_had(shared, blocks) {
            return None;
        }
        let waiting = shared.log.signals.begin_waiting();
        let mut patience = Self {
            shared,
            _waiting: waiting,
            deadline: Instant::now() + shared.full_wait,
            blocks,
            freed: 0,
            rounds: Vec::new(),
        };
        patience.look_again();
        patience.wait();
        Some(patience)
    }

    /// Another attempt failed; answers whether one more is worth it, after waiting a little.
    pub(crate) fn again(&mut self) -> bool {
        if Instant::now() >= self.deadline || !can_be_had(self.shared, self.blocks) {
            return false;
        }
        if self.shared.crew.freed() != self.freed {
            self.look_again();
        } else if self.in_vain() {
            return false;
        }
        self.wait();
        true
    }

    fn look_again(&mut self) {
        self.freed = self.shared.crew.freed();
        self.rounds = self.shared.crew.quiet_rounds().collect();
    }

    fn in_vain(&self) -> bool {
        let mut now = self.shared.crew.quiet_rounds().zip(&self.rounds);
        now.all(|(now, &then)| now >= then + ROUNDS)
    }

    fn wait(&self) {
        self.shared.log.signals.kick();
        self.shared.log.signals.wait_for_space(TURN);
    }
}

/// Whether free blocks and those that compaction could free add up to `blocks`.
fn can_be_had(shared: &Shared, blocks: u64) -> bool {
    let log = &shared.log;
    // Relaxed: whoever is retiring meanwhile will free, and is seen in `freed` or here.
    let limbo = shared.crew.limbo_blocks.load(Ordering::Relaxed);
    let mut sum = (log.pool.available() + limbo) * log.memory.region.block_bytes();
    let wanted = blocks * log.memory.region.block_bytes();
    for (_, info) in log.segments.iter() {
        if sum >= wanted {
            break;
        }
        let dead = info.dead();
        if dead * WORTH_DIVISOR >= info.used() && info.state() != SegmentState::Free {
            sum += dead;
        }
    }
    sum >= wanted
}
