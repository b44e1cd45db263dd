//! What a store tells about itself while it runs.

use crate::segment::SegmentState;

/// Segments by state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentCounts {
    /// Appended to, by heads and by compaction.
    pub open: u64,
    /// Full; candidates for compaction.
    pub closed: u64,
    /// Being emptied.
    pub compacting: u64,
    /// Empty, until nobody can be reading them.
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

/// What a store has done so far, and how it stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Memory nodes.
    pub nodes: u64,
    /// Bytes of live objects: header, key and value.
    pub live_object_bytes: u64,
    /// Bytes of free blocks, the reserve included.
    pub free_object_bytes: u64,
    /// Bytes of all blocks.
    pub object_memory_bytes: u64,
    /// Segments by state.
    pub segments: SegmentCounts,
    /// Bytes of objects appended by PUTs.
    pub appended_bytes: u64,
    /// Bytes of objects copied by compaction.
    pub copied_bytes: u64,
    /// Segments emptied.
    pub segments_compacted: u64,
    /// Rounds of workers that emptied at least part of a segment.
    pub compaction_rounds: u64,
    /// Blocks given back by compaction.
    pub blocks_reclaimed: u64,
    /// Rounds in which a worker found nothing it could do.
    pub quiet_rounds: u64,
    /// Bytes of emptied blocks that wait in reclamation queues.
    pub reclamation_bytes: u64,
    /// How long the oldest of them has waited, as of its worker's last round; 0 when none waits.
    pub reclamation_age_ns: u64,
    /// Bytes of the index buckets in use.
    pub index_bytes: u64,
    /// Entries that they can hold; [`Statistics::index_load`] tells how full they are.
    pub index_slots: u64,
    /// Buckets that growth has added since the store opened.
    pub index_growth_buckets: u64,
    /// Live objects, one entry each.
    pub live_objects: u64,
    /// PUTs that found no room at first.
    pub put_waits: u64,
    /// How long PUTs waited altogether, in vain or not.
    pub put_wait_ns: u64,
}

impl Statistics {
    /// Bytes written to the log for each byte that clients wrote; 1 without compaction.
    #[must_use]
    pub fn write_amplification(&self) -> f64 {
        1.0 + self.copied_bytes as f64 / self.appended_bytes.max(1) as f64
    }

    /// Entries in use over entries of the buckets in use.
    #[must_use]
    pub fn index_load(&self) -> f64 {
        self.live_objects as f64 / self.index_slots.max(1) as f64
    }

    /// Live object bytes over object memory.
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
