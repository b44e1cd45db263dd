//! What a store is made of, and the arithmetic that turns wishes into blocks.

use crate::constants::{
    BLOCK_BYTES_DEFAULT, BLOCK_BYTES_MAX, BLOCK_BYTES_MIN, BUCKET_BYTES, HEADS_MAX,
    PARTITION_BUCKETS_LOG2, PARTITIONS_MAX, SEGMENT_BYTES_MAX, SEGMENT_BYTES_SCALED, SEGMENT_IDS,
    SEGMENTS_MAX, SEGMENTS_MIN, SEGMENTS_SCALED, WORKERS_MAX,
};
use crate::error::OpenError;

/// Configuration of a [`crate::Store`]. Fields that are 0 where 0 makes no sense are scaled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Bytes for objects: all blocks, the compaction reserve included, index and tables excluded.
    /// Rounded down to whole blocks.
    pub object_memory_bytes: u64,
    /// Bytes of a segment, rounded up to whole blocks. Larger segments hold larger values and
    /// need fewer table entries; smaller ones are compacted in smaller steps. 0 (the default):
    /// one thirty-second of object memory, between 1 and 32 MiB.
    pub segment_bytes: u64,
    /// Bytes of a block, a power of two from 4 KiB to 2 MiB. Memory moves between segments in
    /// blocks; small ones cost time, large ones are wasted at the ends of segments. Default
    /// 64 KiB.
    pub block_bytes: u64,
    /// Threads that compact. Default: the number of cores, at most 2.
    pub compaction_workers: usize,
    /// Open segments that threads append to, each thread to that of its core. Default: the number
    /// of cores.
    pub heads: usize,
    /// Compaction begins when a smaller part of object memory is free, in percent. Earlier means
    /// more copying, later means that PUTs may have to wait. Default 20.
    pub free_low_percent: u32,
    /// Part of object memory that only compaction may use, in percent; at least a few blocks.
    /// Default 2.
    pub reserve_percent: u32,
    /// Partitions of the index, rounded up to a power of two; each takes at least a page once it
    /// is used. 0 (the default): one for every MiB of object memory, between 16 and 8192.
    pub index_partitions: usize,
    /// Makes all object memory resident when the store opens, so that no operation ever pays for
    /// a page fault there. Default false.
    pub resident: bool,
    /// Asks for 2 MiB pages for object memory. Default false.
    pub huge_pages: bool,
    /// How long a PUT waits for compaction before it answers `Full`, in milliseconds; it answers
    /// earlier when waiting is in vain. Default 1000.
    pub full_wait_ms: u64,
}

impl Config {
    /// The defaults, for this much object memory.
    #[must_use]
    pub fn with_object_memory(bytes: u64) -> Self {
        let cores = platform::cpu::allowed_cores().len().max(1);
        Self {
            object_memory_bytes: bytes,
            segment_bytes: 0,
            block_bytes: BLOCK_BYTES_DEFAULT,
            compaction_workers: cores.min(2),
            heads: cores.min(HEADS_MAX),
            free_low_percent: 20,
            reserve_percent: 2,
            index_partitions: 0,
            resident: false,
            huge_pages: false,
            full_wait_ms: 1000,
        }
    }

    pub(crate) fn geometry(&self) -> Result<Geometry, OpenError> {
        self.check_ranges()?;
        let block = self.block_bytes;
        let blocks = self.object_memory_bytes / block;
        let (least, most) = SEGMENT_BYTES_SCALED;
        let wished = match self.segment_bytes {
            0 => (self.object_memory_bytes / SEGMENTS_SCALED).clamp(least, most),
            bytes => bytes,
        };
        let segment_bytes = wished.next_multiple_of(block);
        if segment_bytes > SEGMENT_BYTES_MAX {
            return Err(OpenError::SegmentTooLarge { segment_bytes, limit: SEGMENT_BYTES_MAX });
        }
        let needed = segment_bytes * SEGMENTS_MIN;
        if blocks * block < needed {
            let object_memory_bytes = self.object_memory_bytes;
            return Err(OpenError::TooLittleMemory { object_memory_bytes, needed, segment_bytes });
        }
        let limit = segment_bytes * SEGMENTS_MAX;
        if blocks * block > limit || blocks > u64::from(u32::MAX) / 2 {
            let object_memory_bytes = self.object_memory_bytes;
            return Err(OpenError::TooManySegments { object_memory_bytes, limit, segment_bytes });
        }
        // Each worker may at the same time fill one block and keep one half emptied.
        let floor = 2 * self.compaction_workers as u64 + 1;
        let reserve_blocks = (blocks * u64::from(self.reserve_percent)).div_ceil(100).max(floor);
        let heads_need = self.heads as u64;
        if reserve_blocks + heads_need > blocks / 2 {
            let set_aside = reserve_blocks + heads_need;
            return Err(OpenError::NothingLeft { blocks, set_aside, block_bytes: block });
        }
        Ok(Geometry {
            blocks: blocks as u32,
            block_shift: block.trailing_zeros(),
            segments: blocks.min(SEGMENT_IDS) as usize,
            segment_bytes,
            reserve_blocks,
            low_blocks: blocks * u64::from(self.free_low_percent) / 100,
            heads: self.heads,
            workers: self.compaction_workers,
            partitions: self.partitions(),
            bucket_limit: self.bucket_limit(),
            resident: self.resident,
            huge_pages: self.huge_pages,
        })
    }

    fn check_ranges(&self) -> Result<(), OpenError> {
        let block_bytes = self.block_bytes;
        if !block_bytes.is_power_of_two()
            || !(BLOCK_BYTES_MIN..=BLOCK_BYTES_MAX).contains(&block_bytes)
        {
            return Err(OpenError::BlockSize { block_bytes });
        }
        let range = |name, value: u64, least: u64, most: u64| {
            let inside = (least..=most).contains(&value);
            if inside { Ok(()) } else { Err(OpenError::OutOfRange { name, value, least, most }) }
        };
        range("compaction_workers", self.compaction_workers as u64, 1, WORKERS_MAX as u64)?;
        range("heads", self.heads as u64, 1, HEADS_MAX as u64)?;
        range("free_low_percent", u64::from(self.free_low_percent), 0, 90)?;
        range("reserve_percent", u64::from(self.reserve_percent), 0, 25)?;
        range("index_partitions", self.index_partitions as u64, 0, PARTITIONS_MAX as u64)
    }

    fn partitions(&self) -> usize {
        match self.index_partitions {
            0 => ((self.object_memory_bytes >> 20) as usize).next_power_of_two().clamp(16, 8192),
            partitions => partitions.next_power_of_two(),
        }
    }

    /// Room to grow for each partition: address space only. Object memory full of empty values
    /// needs about four times its size in buckets; sixteen times leaves room for bad luck.
    fn bucket_limit(&self) -> u64 {
        let bytes = 16 * self.object_memory_bytes / self.partitions() as u64;
        (bytes / BUCKET_BYTES).next_power_of_two().max(256 << PARTITION_BUCKETS_LOG2)
    }
}

/// A validated configuration, in blocks.
#[derive(Clone, Debug)]
pub(crate) struct Geometry {
    pub(crate) blocks: u32,
    pub(crate) block_shift: u32,
    pub(crate) segments: usize,
    pub(crate) segment_bytes: u64,
    pub(crate) reserve_blocks: u64,
    pub(crate) low_blocks: u64,
    pub(crate) heads: usize,
    pub(crate) workers: usize,
    pub(crate) partitions: usize,
    pub(crate) bucket_limit: u64,
    pub(crate) resident: bool,
    pub(crate) huge_pages: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry(change: impl FnOnce(&mut Config)) -> Result<Geometry, OpenError> {
        let mut config = Config::with_object_memory(256 << 20);
        change(&mut config);
        config.geometry()
    }

    #[test]
    fn segments_are_scaled_to_object_memory() {
        let segment = |bytes| geometry(|c| c.object_memory_bytes = bytes).unwrap().segment_bytes;
        assert_eq!(segment(256 << 20), 8 << 20);
        assert_eq!(segment(4 << 20), 1 << 20);
        assert_eq!(segment(1 << 40), 32 << 20);
    }

    #[test]
    fn nonsense_is_refused_with_numbers() {
        let message = |change: fn(&mut Config)| geometry(change).unwrap_err().to_string();
        assert!(message(|c| c.block_bytes = 5000).contains("5000"));
        assert!(message(|c| c.object_memory_bytes = 1 << 20).contains("at least 4194304"));
        assert!(message(|c| c.segment_bytes = 1 << 30).contains("67108864"));
        assert!(message(|c| c.compaction_workers = 0).contains("compaction_workers = 0"));
        assert!(message(|c| c.reserve_percent = 90).contains("between 0 and 25"));
        assert!(message(|c| c.object_memory_bytes = 1 << 42).contains("larger segments"));
    }
}
