//! How much room a waiting PUT may hope for.

use crate::segment::SegmentState;
use crate::store::Shared;
use crate::sync::lock;

/// Whether free bytes and those that compaction could free add up to `bytes`.
///
/// What a round has taken from its victim is counted elsewhere only when the round ends. So a *no*
/// counts if it is the answer between the rounds of all workers. The caller must hold no lock.
pub(super) fn can_be_had(shared: &Shared, bytes: u64) -> bool {
    if adds_up(shared, bytes) {
        return true;
    }
    let workers = shared.log.nodes.iter().flat_map(|node| &node.crew.workers);
    let _between_rounds: Vec<_> = workers.map(lock).collect();
    adds_up(shared, bytes)
}

fn adds_up(shared: &Shared, bytes: u64) -> bool {
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
