//! Settings, and the sizes derived from them.

use engine::{OpenError, Options, Whole};

use crate::entry::object_bytes;

/// The least object memory of an instance.
const INSTANCE_BYTES_MIN: u64 = 4 << 20;
/// The most object memory of an instance.
const INSTANCE_BYTES_MAX: u64 = 256 << 30;
/// The most seglets of an instance: segments, each of which has at least one, are numbered with 24
/// bits.
const SEGLETS_MAX: u64 = 1 << 23;
/// The least number of segments of an instance: in a small memory they are shorter than configured.
const SEGMENTS_MIN: usize = 64;
/// The least number of seglets of a segment, unless they would be shorter than
/// [`SEGLET_BYTES_MIN`].
const SEGLETS_PER_SEGMENT_MIN: usize = 128;
const SEGLET_BYTES_MIN: usize = 1 << 10;
const SEGMENT_BYTES_MAX: usize = 1 << 30;
const INSTANCES_MAX: usize = 1 << 10;
const CLEANER_THREADS_MAX: usize = 8;
const RECORDS_MAX: u64 = 1 << 40;
/// The average number of objects per bucket at `records_max`, at most.
const RECORDS_PER_BUCKET: u64 = 5;
/// The longest value at all, as in the original.
pub(crate) const VALUE_BYTES_MAX: usize = 1 << 20;

/// Settings of a [`RamCloud`](crate::RamCloud).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Memory for the logs of all instances, in bytes; at least 4 MiB each.
    pub object_memory_bytes: u64,
    /// The most objects expected, in all instances; sets the size of the hash tables. Further
    /// objects go into chains of buckets.
    pub records_max: u64,
    /// Number of object managers, each with its own log, hash table and cleaners; 1 to 1024.
    pub instances: usize,
    /// Number of cleaner threads per instance; 1 to 8.
    pub cleaner_threads: usize,
    /// Length of a segment in bytes, a power of two. An instance has at least 64 segments, so they
    /// are shorter in a small memory.
    pub segment_bytes: usize,
    /// Length of a seglet in bytes, a power of two. A segment has at least 128 seglets, or as many
    /// of 1 KiB as fit.
    pub seglet_bytes: usize,
    /// Whether to request 2 MiB pages.
    pub huge_pages: bool,
    /// Whether to make logs and hash tables resident on opening, as the original does.
    pub resident: bool,
}

impl Config {
    /// The original's settings: one instance with one cleaner, 8 MiB segments of 64 KiB seglets,
    /// all memory touched at the start. Plus huge pages.
    #[must_use]
    pub fn new(object_memory_bytes: u64, records_max: u64) -> Self {
        Self {
            object_memory_bytes,
            records_max,
            instances: 1,
            cleaner_threads: 1,
            segment_bytes: 8 << 20,
            seglet_bytes: 64 << 10,
            huge_pages: true,
            resident: true,
        }
    }

    /// Reads the settings. Lengths that are not given are as long as the memory of an instance
    /// allows; those given are taken as they are, or refused.
    ///
    /// # Errors
    /// [`OpenError::Refused`] with the values that are accepted in this memory.
    pub fn read(&mut self, options: &mut Options) -> Result<(), OpenError> {
        let instances = (self.object_memory_bytes / INSTANCE_BYTES_MIN).min(INSTANCES_MAX as u64);
        options.whole("instances", &mut self.instances, 1..=instances)?;
        let cleaner_threads = 1..=CLEANER_THREADS_MAX as u64;
        options.whole("cleaner-threads", &mut self.cleaner_threads, cleaner_threads)?;
        let instance_bytes = self.object_memory_bytes / self.instances as u64;
        let segment_bytes_most =
            SEGMENT_BYTES_MAX.min(floor_power_of_two(instance_bytes) / SEGMENTS_MIN);
        let segments =
            Whole::powers_of_two(2 * SEGLET_BYTES_MIN as u64..=segment_bytes_most as u64);
        self.segment_bytes = self.segment_bytes.min(segment_bytes_most);
        options.whole("segment-bytes", &mut self.segment_bytes, segments)?;
        let seglet_bytes_most =
            (self.segment_bytes / SEGLETS_PER_SEGMENT_MIN).max(SEGLET_BYTES_MIN);
        let seglet_bytes_least = (SEGLET_BYTES_MIN as u64).max(instance_bytes / SEGLETS_MAX);
        let seglets = Whole::powers_of_two(seglet_bytes_least..=seglet_bytes_most as u64);
        self.seglet_bytes = self.seglet_bytes.min(seglet_bytes_most);
        options.whole("seglet-bytes", &mut self.seglet_bytes, seglets)?;
        options.switch("huge-pages", &mut self.huge_pages)?;
        options.switch("resident", &mut self.resident)
    }

    /// The memory that the logs of all instances use: what is left over in each is shorter than a
    /// seglet.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] for settings that cannot be met.
    pub fn object_memory_in_use(&self) -> Result<u64, OpenError> {
        self.geometry().map(|geometry| (geometry.object_memory_bytes() * self.instances) as u64)
    }

    /// The sizes of each instance.
    pub(crate) fn geometry(&self) -> Result<Geometry, OpenError> {
        let Self { instances, cleaner_threads, segment_bytes, seglet_bytes, .. } = *self;
        if !(1..=INSTANCES_MAX).contains(&instances) {
            return Err(refused("instances", instances, format!("1 to {INSTANCES_MAX}")));
        }
        if !(1..=CLEANER_THREADS_MAX).contains(&cleaner_threads) {
            let accepted = format!("1 to {CLEANER_THREADS_MAX}; puts do not clean");
            return Err(refused("cleaner_threads", cleaner_threads, accepted));
        }
        let instance_bytes = self.object_memory_bytes / instances as u64;
        if !(INSTANCE_BYTES_MIN..=INSTANCE_BYTES_MAX).contains(&instance_bytes) {
            let accepted =
                format!("{INSTANCE_BYTES_MIN} to {INSTANCE_BYTES_MAX} bytes for each instance");
            return Err(refused("object_memory_bytes", self.object_memory_bytes, accepted));
        }
        if !(1..=RECORDS_MAX).contains(&self.records_max) {
            let accepted = format!("1 to {RECORDS_MAX}, the number of objects expected");
            return Err(refused("records_max", self.records_max, accepted));
        }
        let segments_of = SEGLET_BYTES_MIN * 2..=SEGMENT_BYTES_MAX;
        if !segment_bytes.is_power_of_two() || !segments_of.contains(&segment_bytes) {
            let accepted = format!("powers of two from {} to {SEGMENT_BYTES_MAX}", 2 << 10);
            return Err(refused("segment_bytes", segment_bytes, accepted));
        }
        let seglets_of = SEGLET_BYTES_MIN..=segment_bytes / 2;
        if !seglet_bytes.is_power_of_two() || !seglets_of.contains(&seglet_bytes) {
            let accepted =
                format!("powers of two from {SEGLET_BYTES_MIN} to half of segment_bytes");
            return Err(refused("seglet_bytes", seglet_bytes, accepted));
        }
        let segment_bytes = segment_bytes.min(floor_power_of_two(instance_bytes) / SEGMENTS_MIN);
        let seglet_bytes =
            seglet_bytes.min((segment_bytes / SEGLETS_PER_SEGMENT_MIN).max(SEGLET_BYTES_MIN));
        if instance_bytes / seglet_bytes as u64 > SEGLETS_MAX {
            let accepted = format!("lengths of which {SEGLETS_MAX} or fewer make an instance");
            return Err(refused("seglet_bytes", seglet_bytes, accepted));
        }
        let records = self.records_max.div_ceil(instances as u64);
        Ok(Geometry::new(
            (instance_bytes / seglet_bytes as u64) as usize,
            seglet_bytes,
            segment_bytes / seglet_bytes,
            cleaner_threads,
            records.div_ceil(RECORDS_PER_BUCKET).next_power_of_two() as usize,
        ))
    }
}

/// Sizes of one instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub(crate) seglets: usize,
    pub(crate) seglet_bytes: usize,
    /// Number of seglets in a full segment.
    pub(crate) segment_seglets: usize,
    pub(crate) cleaner_threads: usize,
    /// Number of seglets that one pass of a cleaner may fill.
    pub(crate) pass_seglets: usize,
    /// Seglets reserved for cleaners.
    pub(crate) survivor_reserve: usize,
    /// Further seglets reserved for the tombstones of deletes.
    pub(crate) tombstone_reserve: usize,
    /// Number of buckets of the hash table, a power of two.
    pub(crate) buckets: usize,
    pub(crate) value_bytes_max: usize,
}

impl Geometry {
    fn new(
        seglets: usize,
        seglet_bytes: usize,
        segment_seglets: usize,
        cleaner_threads: usize,
        buckets: usize,
    ) -> Self {
        // The original's 11 segments (10 live ones of a pass, and the start of another), or what a
        // smaller memory can spare.
        let segments = seglets / segment_seglets;
        let reserve_segments = (segments / 32).clamp(2, 11).max(2 * cleaner_threads);
        let survivor_reserve = reserve_segments * segment_seglets;
        Self {
            seglets,
            seglet_bytes,
            segment_seglets,
            cleaner_threads,
            pass_seglets: survivor_reserve / cleaner_threads,
            survivor_reserve,
            tombstone_reserve: (seglets / 64).max(2),
            buckets,
            // With its tombstone at most half a segment, so that segments are at least half full.
            value_bytes_max: (segment_seglets * seglet_bytes / 2 - 2 * object_bytes(0))
                .min(VALUE_BYTES_MAX),
        }
    }

    pub(crate) fn segment_bytes(&self) -> usize {
        self.segment_seglets * self.seglet_bytes
    }

    pub(crate) fn object_memory_bytes(&self) -> usize {
        self.seglets * self.seglet_bytes
    }

    /// Seglets that puts must leave free.
    pub(crate) fn put_floor(&self) -> usize {
        self.survivor_reserve + self.tombstone_reserve
    }
}

fn floor_power_of_two(bytes: u64) -> usize {
    bytes.checked_ilog2().map_or(0, |bits| 1 << bits)
}

fn refused(setting: &str, value: impl std::fmt::Display, accepted: String) -> OpenError {
    OpenError::BadSetting { setting: setting.to_owned(), value: value.to_string(), accepted }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_memories_have_the_originals_sizes_and_small_ones_shorter_segments() {
        let of = |bytes| Config::new(bytes, 1000).geometry().unwrap();
        let large = of(4 << 30);
        assert_eq!((large.segment_bytes(), large.seglet_bytes), (8 << 20, 64 << 10));
        assert_eq!(large.value_bytes_max, 1 << 20);
        assert_eq!(large.pass_seglets, 11 * 128);
        let small = of(64 << 20);
        assert_eq!((small.segment_bytes(), small.seglet_bytes), (1 << 20, 8 << 10));
        let least = of(4 << 20);
        assert_eq!((least.segment_bytes(), least.seglet_bytes), (64 << 10, 1 << 10));
        for geometry in [large, small, least] {
            let reserved = geometry.put_floor() * 100 / geometry.seglets;
            assert!(reserved < 6, "{reserved} % of {geometry:?} are reserves");
        }
    }

    #[test]
    fn what_cannot_be_is_refused_by_name() {
        let good = Config::new(64 << 20, 1000);
        let cases = [
            (Config { instances: 0, ..good }, "instances"),
            (Config { instances: 17, ..good }, "object_memory_bytes"),
            (Config { cleaner_threads: 0, ..good }, "cleaner_threads"),
            (Config { cleaner_threads: 9, ..good }, "cleaner_threads"),
            (Config { object_memory_bytes: u64::MAX, ..good }, "object_memory_bytes"),
            (Config { records_max: 0, ..good }, "records_max"),
            (Config { segment_bytes: 3 << 20, ..good }, "segment_bytes"),
            (Config { segment_bytes: 0, ..good }, "segment_bytes"),
            (Config { seglet_bytes: 512, ..good }, "seglet_bytes"),
            (Config { seglet_bytes: 8 << 20, ..good }, "seglet_bytes"),
            (
                Config { object_memory_bytes: 16 << 30, seglet_bytes: 1 << 10, ..good },
                "seglet_bytes",
            ),
        ];
        for (config, name) in cases {
            match config.geometry() {
                Err(OpenError::BadSetting { setting, .. }) => assert_eq!(setting, name),
                other => panic!("{config:?} gave {other:?}"),
            }
        }
        assert!(good.geometry().is_ok());
    }
}
