//! The census and the check: they walk every bucket and every log while writers are quiet.

use engine::MemoryCensus;

use super::MicaCache;
use super::bucket::ENTRIES;
use super::item::Sizes;
use super::partition::Partition;
use crate::Mode;

impl<M: Mode, const BITS: u32> MicaCache<M, BITS> {
    pub(super) fn census(&self) -> MemoryCensus {
        let mut census = MemoryCensus { complete: true, ..MemoryCensus::default() };
        census.table_bytes = size_of_val(&*self.partitions) as u64;
        census.index_bytes = self.partitions[0].index.bytes_of_all();
        for partition in &self.partitions {
            let log = &partition.log;
            let log_bytes = log.offsets().log_bytes();
            let used_bytes = log.offsets().behind(log.tail(), log.head()).min(log_bytes);
            let mut live_bytes = 0;
            partition.for_each_live(|sizes| {
                census.live_objects += 1;
                census.live_value_bytes += sizes.value_bytes as u64;
                live_bytes += sizes.live_bytes();
            });
            // Counted while others write, it may exceed what there is.
            let live_bytes = live_bytes.min(used_bytes);
            census.live_object_bytes += live_bytes;
            census.dead_object_bytes += used_bytes - live_bytes;
            census.free_object_bytes += log_bytes - used_bytes;
            census.object_memory_bytes += log_bytes;
            census.table_bytes += log.overlap_bytes();
        }
        census.capacity_bytes =
            Some(census.object_memory_bytes + census.index_bytes + census.table_bytes);
        census
    }

    pub(super) fn walk(&self) -> Result<(), String> {
        for (number, partition) in self.partitions.iter().enumerate() {
            let named = |violation| format!("partition {number}: {violation}");
            let items = partition.walk_log().map_err(named)?;
            self.walk_index(number, &items).map_err(named)?;
        }
        Ok(())
    }

    /// Checks that every entry that does not dangle leads to an item of the log whose key belongs
    /// there, and that no other entry leads to the same key.
    fn walk_index(&self, number: usize, items: &[u64]) -> Result<(), String> {
        let Partition { log, index, .. } = self.partition(number);
        let mut keys = Vec::with_capacity(ENTRIES);
        for bucket_number in 0..index.buckets() {
            let bucket = index.bucket(bucket_number);
            if bucket.is_being_written() {
                return Err(format!("bucket {bucket_number} is left with an odd version"));
            }
            keys.clear();
            for slot in 0..ENTRIES {
                let entry = bucket.entry(slot);
                let Some(offset) = entry.offset().filter(|&offset| !log.dangles(offset)) else {
                    continue;
                };
                let at = format!("entry {slot} of bucket {bucket_number}, to offset {offset}");
                // Sorted by age, because offsets are not in order across their wrap.
                let age = |other: &u64| log.offsets().behind(log.tail(), *other);
                if items.binary_search_by(|item| age(&offset).cmp(&age(item))).is_err() {
                    return Err(format!("{at}: no item begins there"));
                }
                let found = log.find(offset).ok_or_else(|| format!("{at}: no header"))?;
                let hash = self.hash(found.identity.key);
                let belongs = hash.bits() == found.identity.keyhash
                    && hash.tag() == entry.tag()
                    && self.partition_of(hash) == number
                    && index.bucket_of(hash) == bucket_number;
                if !belongs {
                    return Err(format!("{at}: {:?} does not belong there", found.identity));
                }
                if keys.contains(&found.identity.key) {
                    return Err(format!("{at}: key {:#x} is there twice", found.identity.key));
                }
                keys.push(found.identity.key);
            }
        }
        Ok(())
    }
}

impl<const BITS: u32> Partition<BITS> {
    /// Calls `live` with the sizes of every item that an entry leads to.
    fn for_each_live(&self, mut live: impl FnMut(Sizes)) {
        let offsets_of = |number| {
            let bucket = self.index.bucket(number);
            let offsets = (0..ENTRIES).filter_map(move |slot| bucket.entry(slot).offset());
            offsets.filter(|&offset| !self.log.dangles(offset))
        };
        let buckets = self.index.buckets();
        for number in 0..buckets {
            if number + 1 < buckets {
                offsets_of(number + 1).for_each(|offset| self.log.prefetch_header(offset));
            }
            offsets_of(number).filter_map(|offset| self.log.find(offset)).for_each(|found| {
                live(found.sizes);
            });
        }
    }

    /// The offsets of all items, oldest first; checks that they follow one another from head to
    /// tail.
    fn walk_log(&self) -> Result<Vec<u64>, String> {
        let (offsets, tail) = (self.log.offsets(), self.log.tail());
        let mut offset = self.log.head();
        let mut left_bytes = offsets.behind(tail, offset);
        if left_bytes > offsets.log_bytes() {
            return Err(format!("{left_bytes} bytes from head {offset} to tail {tail}"));
        }
        let mut items = Vec::new();
        while left_bytes > 0 {
            let found = self.log.find(offset).ok_or_else(|| format!("no item at {offset}"))?;
            let item_bytes = found.sizes.item_bytes as u64;
            left_bytes = left_bytes
                .checked_sub(item_bytes)
                .ok_or_else(|| format!("the item at {offset} reaches beyond tail {tail}"))?;
            items.push(offset);
            offset = offsets.advance(offset, item_bytes);
        }
        Ok(items)
    }
}
