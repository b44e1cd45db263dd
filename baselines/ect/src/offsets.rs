//! The two-level index of buckets: for each, where its trie begins and which item is its first.
//!
//! Both only grow. Of every group's first bucket they are kept whole, in 64 bits; of each bucket
//! relative to that, in 16 (§3.1.3). With 64 buckets in a group and 256 keys in a bucket that is
//! `2 · (64 + 64 · 16) ÷ (64 · 256) = 0.133` bits per key.

use crate::error::BuildError;

/// Where a bucket begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Start {
    /// Bit of the tries.
    pub(crate) bit: u64,
    /// Item of the file.
    pub(crate) item: u64,
}

/// The starts of all buckets, and the end of the last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Offsets {
    pub(crate) group_buckets: u32,
    pub(crate) groups: Vec<Start>,
    pub(crate) relative: Vec<[u16; 2]>,
}

impl Offsets {
    pub(crate) fn new(group_buckets: u32, buckets: usize) -> Self {
        let mut offsets = Self { group_buckets, ..Self::default() };
        offsets.groups.reserve_exact((buckets + 1).div_ceil(group_buckets as usize));
        offsets.relative.reserve_exact(buckets + 1);
        offsets
    }

    /// Starts that have been appended.
    pub(crate) fn len(&self) -> usize {
        self.relative.len()
    }

    /// Appends the start of the next bucket.
    pub(crate) fn push(&mut self, start: Start) -> Result<(), BuildError> {
        if self.relative.len().is_multiple_of(self.group_buckets as usize) {
            self.groups.push(start);
        }
        let base = self.groups.last().expect("every group begins with its base");
        let (bits, items) = (start.bit - base.bit, start.item - base.item);
        let (Ok(bit), Ok(item)) = (u16::try_from(bits), u16::try_from(items)) else {
            let group_buckets = self.group_buckets;
            return Err(BuildError::CrowdedGroup { group_buckets, bits, items });
        };
        self.relative.push([bit, item]);
        Ok(())
    }

    pub(crate) fn get(&self, bucket: usize) -> Start {
        let base = self.groups[bucket / self.group_buckets as usize];
        let [bit, item] = self.relative[bucket];
        Start { bit: base.bit + u64::from(bit), item: base.item + u64::from(item) }
    }

    pub(crate) fn bytes(&self) -> u64 {
        (self.groups.len() * 16 + self.relative.len() * 4) as u64
    }
}
