//! Parameters of a store, those of the text where it has them.

use crate::cuckoo::BUCKET_BITS_MAX;
use crate::error::Error;
use crate::record::Layout;

/// When a PUT is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acknowledge {
    /// When it is in the log's buffer: lost if the process ends without closing the store. The
    /// text's.
    Buffered,
    /// When the system has it: it survives the end of the process. A page is written for every PUT.
    Written,
    /// When the disk has it.
    Synced,
}

/// Parameters of a [`Store`](crate::Store).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Instances, each with a part of the keys; the text's *P*. From 1 to 1024. Kept by the store.
    pub instances: usize,
    /// Bits of a bucket and of a tag; the text's *k*. From 4 to 15. A LogStore has `4 · 2^k` slots.
    /// Kept by the store.
    pub tag_bits: u32,
    /// The longest value, up to 1 MiB. All records are as long. Kept by the store.
    pub value_bytes_max: usize,
    /// Entries in an instance's HashStores that start a merge; the text's *d*.
    pub merge_entries: u64,
    /// Entries that an insert into a cuckoo table may move. Kept by the store: a log that is read
    /// again must fit.
    pub displacements: usize,
    /// Keys of a bucket of the SortedStore's index, at most on average.
    pub index_bucket_keys: u32,
    /// Memory for sorting what is merged, and for reordering what is converted, in bytes. Less
    /// means more passes over the input.
    pub sort_bytes: usize,
    /// A log's buffer, in bytes.
    pub log_buffer_bytes: usize,
    /// When a PUT is answered.
    pub acknowledge: Acknowledge,
    /// Whether two threads convert and merge. Otherwise the PUT that finds a LogStore full does.
    pub threads: bool,
    /// Entries converted in a second at most; 0 for no limit. The text's is 10 000.
    pub convert_per_s: u64,
    /// Entries merged in a second at most; 0 for no limit. The text's is 20 000.
    pub merge_per_s: u64,
}

impl Params {
    /// The text's numbers: four instances, tags of 15 bits, merges at 7.5 M entries.
    #[must_use]
    pub fn new(value_bytes_max: usize) -> Self {
        Self {
            instances: 4,
            tag_bits: 15,
            value_bytes_max,
            merge_entries: 7_500_000,
            displacements: 128,
            index_bucket_keys: 256,
            sort_bytes: 64 << 20,
            log_buffer_bytes: 256 << 10,
            acknowledge: Acknowledge::Buffered,
            threads: true,
            convert_per_s: 0,
            merge_per_s: 0,
        }
    }

    /// # Errors
    /// [`Error::Parameter`] for the first that is out of range.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let bucket_keys = u64::from(self.index_bucket_keys);
        let is_bucket = bucket_keys.is_power_of_two() && (2..=16_384).contains(&bucket_keys);
        let bits = u64::from(self.tag_bits);
        let accepted = (4..=u64::from(BUCKET_BITS_MAX)).contains(&bits);
        for (name, value, fits, accepted) in [
            ("instances", self.instances as u64, (1..=1024).contains(&self.instances), "1 to 1024"),
            ("tag-bits", bits, accepted, "4 to 15"),
            (
                "value-bytes-max",
                self.value_bytes_max as u64,
                self.value_bytes_max <= 1 << 20,
                "0 to 2^20",
            ),
            ("merge-entries", self.merge_entries, self.merge_entries > 0, "1 and more"),
            (
                "displacements",
                self.displacements as u64,
                self.displacements <= 1 << 16,
                "0 to 65536",
            ),
            ("index-bucket-keys", bucket_keys, is_bucket, "powers of two from 2 to 16384"),
        ] {
            if !fits {
                return Err(Error::Parameter { name, value, accepted });
            }
        }
        Ok(())
    }

    /// Those that a store keeps, by name.
    pub(crate) fn kept(&self) -> [(&'static str, u64); 4] {
        [
            ("instances", self.instances as u64),
            ("tag-bits", u64::from(self.tag_bits)),
            ("value-bytes-max", self.value_bytes_max as u64),
            ("displacements", self.displacements as u64),
        ]
    }

    pub(crate) fn layout(&self) -> Layout {
        Layout::new(self.value_bytes_max)
    }

    /// Slots of a LogStore.
    pub(crate) fn slots(&self) -> u64 {
        4 << self.tag_bits
    }

    /// Records after which a log is full though its table is not: overwriting takes no slot.
    pub(crate) fn log_records_max(&self) -> u64 {
        2 * self.slots()
    }
}
