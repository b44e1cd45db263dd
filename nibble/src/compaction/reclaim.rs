//! The reclamation queue: emptied blocks wait here until nobody can be reading them.

use std::collections::VecDeque;

use crate::address::SegmentId;
use crate::epoch::Stamp;
use crate::log::Log;
use crate::segment::{Run, SegmentState};

/// Blocks that hold no live object any more.
#[derive(Debug)]
struct Retired {
    /// Taken when everything in them was unlinked.
    stamp: Stamp,
    runs: Vec<Run>,
    /// The segment, when these were its last blocks.
    segment: Option<SegmentId>,
}

/// First in, first out: stamps rise along the queue.
#[derive(Debug, Default)]
pub(crate) struct Limbo {
    queue: VecDeque<Retired>,
}

impl Limbo {
    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Queues blocks whose objects have all been moved or found dead.
    pub(crate) fn retire(&mut self, log: &Log, runs: Vec<Run>, segment: Option<SegmentId>) {
        if let Some(id) = segment {
            log.segments[id].become_state(SegmentState::Limbo);
        }
        let stamp = log.clock.stamp();
        self.queue.push_back(Retired { stamp, runs, segment });
    }

    /// Frees what nobody can be reading, given the oldest operation in progress; answers how many
    /// blocks.
    pub(crate) fn reclaim(&mut self, log: &Log, minimum: u64) -> u64 {
        let mut freed = 0;
        let passed = |retired: &Retired| log.clock.has_passed(retired.stamp, minimum);
        while self.queue.front().is_some_and(passed) {
            let Some(retired) = self.queue.pop_front() else { break };
            for block in retired.runs.iter().flat_map(|run| run.blocks()) {
                log.memory.blocks.disown(block);
                freed += 1;
            }
            log.pool.give(&retired.runs);
            if let Some(id) = retired.segment {
                log.segments[id].become_state(SegmentState::Free);
                log.pool.give_id(id);
            }
        }
        freed
    }

    /// Every block in the queue. For `check`.
    pub(crate) fn runs(&self) -> impl Iterator<Item = &Run> {
        self.queue.iter().flat_map(|retired| &retired.runs)
    }
}
