//! The reclamation queue: emptied blocks wait here until nobody can be reading them.

use std::collections::VecDeque;

use crate::address::SegmentId;
use crate::epoch::Stamp;
use crate::instrument::{Mutant, Point, mutated, reach};
use crate::log::{Log, node::Node};
use crate::segment::{Run, SegmentState};

/// Blocks that no longer hold live objects.
#[derive(Debug)]
struct Retired {
    /// Taken after everything in them was unlinked.
    stamp: Stamp,
    /// The same moment, for statistics.
    since_ns: u64,
    runs: Vec<Run>,
    /// The segment, if these were its last blocks.
    segment: Option<SegmentId>,
}

impl Retired {
    /// Whether nobody can be reading it, given the start of the oldest operation in progress.
    fn is_free(&self, log: &Log, minimum: u64) -> bool {
        mutated(Mutant::FreedAtOnce) || log.clock.has_passed(self.stamp, minimum)
    }
}

/// First in, first out: stamps increase along the queue.
#[derive(Debug, Default)]
pub(crate) struct Limbo {
    queue: VecDeque<Retired>,
    blocks: u64,
}

impl Limbo {
    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Number of waiting blocks.
    pub(crate) fn blocks(&self) -> u64 {
        self.blocks
    }

    /// When the oldest of them was queued, on the monotonic clock; 0 if there is none.
    pub(crate) fn since_ns(&self) -> u64 {
        self.queue.front().map_or(0, |retired| retired.since_ns)
    }

    /// Queues blocks whose objects have all been moved or found dead.
    pub(crate) fn retire(&mut self, log: &Log, runs: Vec<Run>, segment: Option<SegmentId>) {
        if let Some(id) = segment {
            log.segments[id].become_state(SegmentState::Limbo);
        }
        self.blocks += runs.iter().map(|run| u64::from(run.blocks)).sum::<u64>();
        reach(Point::Unlinked);
        let mut stamp = log.clock.stamp();
        if mutated(Mutant::RetiredEpochEarly) {
            stamp = Stamp::from_word(stamp.word() - 1);
        }
        let since_ns = platform::clock::monotonic_ns();
        self.queue.push_back(Retired { stamp, since_ns, runs, segment });
    }

    /// Whether [`Limbo::reclaim`] would free something.
    pub(crate) fn may_free(&self, log: &Log, minimum: u64) -> bool {
        self.queue.front().is_some_and(|retired| retired.is_free(log, minimum))
    }

    /// Frees what nobody can be reading, given the start of the oldest operation in progress;
    /// returns the number of blocks.
    pub(crate) fn reclaim(&mut self, log: &Log, node: &Node, minimum: u64) -> u64 {
        let before = self.blocks;
        while self.may_free(log, minimum) {
            let Some(retired) = self.queue.pop_front() else { break };
            for block in retired.runs.iter().flat_map(|run| run.blocks()) {
                log.memory.blocks.disown(block);
                self.blocks -= 1;
            }
            node.pool.give(&retired.runs);
            reach(Point::BlocksGiven);
            if let Some(id) = retired.segment {
                log.segments[id].become_state(SegmentState::Free);
                node.pool.give_id(id);
            }
        }
        before - self.blocks
    }

    /// Every run of blocks in the queue. For `check`.
    pub(crate) fn runs(&self) -> impl Iterator<Item = &Run> {
        self.queue.iter().flat_map(|retired| &retired.runs)
    }
}
