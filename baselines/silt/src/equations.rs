//! The text's equations (§2.4), for comparing what is measured with what is expected. They hold for
//! uniform updates of a constant amount of data.
//!
//! The text's *k*, bits of a tag, is also the bits of a bucket: a LogStore has `4 · 2^k` slots.

/// Share of a table's slots that are taken when it is full.
pub const OCCUPANCY: f64 = 0.93;
/// Memory of a SortedStore's index in equation 2.7, in bytes per item; the tries of chapter 3 take
/// less.
pub const SORTED_BYTES_PER_ITEM: f64 = 0.4;

/// What the equations are about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Keys in the store, *N*.
    pub keys: f64,
    /// Entries in an instance's HashStores that start a merge, *d*.
    pub merge_entries: f64,
    /// Bits of a tag, *k*.
    pub tag_bits: u32,
    /// Instances, *P*.
    pub instances: f64,
}

impl Load {
    fn tags(&self) -> f64 {
        f64::from(self.tag_bits).exp2()
    }

    /// Equation 2.4: bytes written per byte put. One for the log, one over the occupancy for the
    /// HashStore, and the SortedStore once for every merge.
    #[must_use]
    pub fn write_amplification(&self) -> f64 {
        1.0 + 1.0 / OCCUPANCY + self.keys / (self.merge_entries * self.instances)
    }

    /// Chance that a table takes an absent key for its own: eight slots, `2^k` tags.
    #[must_use]
    pub fn false_positives(&self) -> f64 {
        8.0 / self.tags()
    }

    /// Equation 2.5: HashStores of an instance, on average.
    #[must_use]
    pub fn hash_stores(&self) -> f64 {
        self.merge_entries / 2.0 / (OCCUPANCY * 4.0 * self.tags())
    }

    /// Equation 2.6: reads of a GET that finds nothing before the SortedStore.
    #[must_use]
    pub fn reads(&self) -> f64 {
        (1.0 + self.hash_stores()) * self.false_positives() + 1.0
    }

    /// Equation 2.7: memory per key in bytes, with an index of `sorted_bytes_per_item`.
    #[must_use]
    pub fn memory_bytes(&self, sorted_bytes_per_item: f64) -> f64 {
        let tag_bits = f64::from(self.tag_bits);
        let log_bytes = 4.0 * self.tags() * (tag_bits + 33.0) / 8.0;
        let hash_bytes = self.merge_entries / 2.0 / OCCUPANCY * tag_bits / 8.0;
        (log_bytes + hash_bytes) * self.instances / self.keys + sorted_bytes_per_item
    }

    /// Equation 2.8, solved for time: seconds until flash of `flash_bytes`, each erased
    /// `erase_cycles` times, is worn out by `updates_per_s` entries of `entry_bytes`.
    #[must_use]
    pub fn lifetime_s(
        &self,
        flash_bytes: f64,
        erase_cycles: f64,
        updates_per_s: f64,
        entry_bytes: f64,
    ) -> f64 {
        flash_bytes * erase_cycles / (updates_per_s * entry_bytes * self.write_amplification())
    }
}

/// Equation 2.1: bytes written to storage per byte put.
#[must_use]
pub fn measured_write_amplification(written_bytes: u64, put_bytes: u64) -> f64 {
    written_bytes as f64 / put_bytes as f64
}

/// Equation 2.2: reads of storage per GET.
#[must_use]
pub fn measured_reads(reads: u64, gets: u64) -> f64 {
    reads as f64 / gets as f64
}

/// Equation 2.3: memory per item, in bytes.
#[must_use]
pub fn measured_memory(memory_bytes: u64, items: u64) -> f64 {
    memory_bytes as f64 / items as f64
}
