//! What a store reports about itself while it runs.

use crate::segment::SegmentState;

/// Number of segments by state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentCounts {
    /// Being appended to, by heads or by compaction.
    pub open: u64,
    /// Full; candidates for compaction.
    pub closed: u64,
    /// Being emptied.
    pub compacting: u64,
    /// Empty; waiting until nobody can be reading them.
    pub limbo: u64,
}

impl SegmentCounts {
    pub(crate) fn count(&mut self, state: SegmentState) {
        match state {
            SegmentState::Free => {}
            SegmentState::Open => self.open += 1,
            SegmentState::Closed => self.closed += 1,
            SegmentState::Compacting => self.compacting += 1,
            SegmentState::Limbo => self.limbo += 1,
        }
    }
}

/// What a store has done so far, and its current state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Number of memory nodes.
    pub nodes: u64,
    /// Size of live objects: header, key and value.
    pub live_object_bytes: u64,
    /// Size of free blocks, including the reserve.
    pub free_object_bytes: u64,
    /// Size of all blocks.
    pub object_memory_bytes: u64,
    /// Segments by state.
    pub segments: SegmentCounts,
    /// Bytes of objects appended by PUTs.
    pub appended_bytes: u64,
    /// Bytes of objects copied by compaction.
    pub copied_bytes: u64,
    /// Segments emptied.
    pub segments_compacted: u64,
    /// Worker rounds that emptied at least part of a segment.
    pub compaction_rounds: u64,
    /// Blocks freed by compaction.
    pub blocks_reclaimed: u64,
    /// Rounds in which a worker found nothing to do.
    pub quiet_rounds: u64,
    /// Size of emptied blocks that wait in reclamation queues.
    pub reclamation_bytes: u64,
    /// How long the oldest of them has waited, as of its worker's last round; 0 if none waits.
    pub reclamation_age_ns: u64,
    /// Size of the index buckets in use.
    pub index_bytes: u64,
    /// How many entries they can hold; [`Statistics::index_load`] tells how full they are.
    pub index_slots: u64,
    /// Buckets that growth has added since the store opened.
    pub index_growth_buckets: u64,
    /// Number of live objects, one index entry each.
    pub live_objects: u64,
    /// Number of PUTs that found no room at first.
    pub put_waits: u64,
    /// How long PUTs have waited in total, successfully or not.
    pub put_wait_ns: u64,
    /// Number of updates that found no room and overwrote the old value. 0 where all updates are in
    /// place.
    pub put_overwrites: u64,
    /// Value bytes written into the room of dead objects, as far as sessions have reported them: each
    /// does so now and then, and when it ends.
    pub reused_bytes: u64,
}

impl Statistics {
    /// Bytes written to the log for each byte that clients wrote; 1 without compaction.
    #[must_use]
    pub fn write_amplification(&self) -> f64 {
        1.0 + self.copied_bytes as f64 / self.appended_bytes.max(1) as f64
    }

    /// Entries in use, divided by the entries that the buckets in use can hold.
    #[must_use]
    pub fn index_load(&self) -> f64 {
        self.live_objects as f64 / self.index_slots.max(1) as f64
    }

    /// Live object bytes, divided by object memory.
    #[must_use]
    pub fn utilisation(&self) -> f64 {
        self.live_object_bytes as f64 / self.object_memory_bytes.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_store_amplifies_nothing() {
        let mut statistics = Statistics::default();
        assert_eq!((statistics.write_amplification(), statistics.utilisation()), (1.0, 0.0));
        (statistics.appended_bytes, statistics.copied_bytes) = (100, 350);
        assert_eq!(statistics.write_amplification(), 4.5);
    }
}
