//! Settings, and the sizes that follow from them.

use engine::{OpenError, Options, Setup, Whole};

use crate::eviction::Eviction;

/// What an item takes beside its value: the crate's header, the key, and one byte at least up to a
/// multiple of 8.
pub(crate) const ITEM_OVERHEAD_BYTES: usize = 12 + 8 + 1;
/// What a slot of the index takes.
const SLOT_BYTES: u64 = 8;
/// Slots of the smallest index, as a power of two: the crate's.
const HASH_POWER_MIN: u8 = 7;
/// Slots of the largest index, as a power of two: half a TiB.
const HASH_POWER_MAX: u8 = 36;
/// The index takes the first free of 16 slots in two buckets. With a quarter of its slots used, the
/// next key finds none less than twice in a million; with a half, three times in a thousand.
const SLOTS_PER_RECORD: u64 = 4;
const SLOTS_PER_RECORD_MAX: u64 = 16;
/// What the crate keeps of a segment beside its bytes.
const SEGMENT_HEADER_BYTES: u64 = 64;
/// Lists of segments by the time they expire, locks of the index, queues of segments.
const TABLES_BYTES: u64 = 1 << 20;
/// A location has 20 bits for eight-byte steps within a segment.
const SEGMENT_BYTES_MAX: u64 = 8 << 20;
const SEGMENT_BYTES_MIN: u64 = 64 << 10;
/// A location has 18 bits for a segment, and reserves the last and none.
const SEGMENTS_MAX: u64 = (1 << 18) - 2;
/// The fewest segments with which merging four has a choice.
const SEGMENTS_MIN: u64 = 16;

/// Settings of a [`Segcache`](crate::Segcache).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Memory for items; whole segments are used. All of it is taken when the cache opens.
    pub object_memory_bytes: u64,
    /// The most keys at a time, by which the index is sized.
    pub records_max: u64,
    /// Size of a segment, a power of two. Default 1 MiB, the crate's; cells of little memory or
    /// long values get others.
    pub segment_bytes: u64,
    /// Slots of the index for each of those keys, at least: a power of two, as their number is.
    /// Default 4.
    pub slots_per_record: u64,
    /// What is dropped. Default [`Eviction::Merge`].
    pub eviction: Eviction,
    /// Whether PUT asks if the key is present. Without it, every stored value counts as inserted.
    /// Default true.
    pub ask_presence: bool,
}

impl Config {
    /// Segments of 1 MiB, merged, and PUTs that tell whether the key was there.
    #[must_use]
    pub fn new(object_memory_bytes: u64, records_max: u64) -> Self {
        Self {
            object_memory_bytes,
            records_max,
            segment_bytes: 1 << 20,
            slots_per_record: SLOTS_PER_RECORD,
            eviction: Eviction::default(),
            ask_presence: true,
        }
    }

    /// The settings of a cell. Without a bound the cache has twice what the live items take.
    pub(crate) fn read(setup: &Setup, options: &mut Options) -> Result<Self, OpenError> {
        let item_bytes = (ITEM_OVERHEAD_BYTES + 8) as u64;
        let ample_bytes = 2 * (setup.live_bytes + setup.records_max * item_bytes);
        let memory = setup.object_memory_bytes.unwrap_or(ample_bytes.max(64 << 20));
        let mut config = Self::new(memory, setup.records_max.max(1));
        config.segment_bytes = usual_segment_bytes(memory, setup.value_bytes_max);
        config.ask_presence = setup.tells_updates;
        let segments = Whole::powers_of_two(SEGMENT_BYTES_MIN..=SEGMENT_BYTES_MAX);
        options.whole("segment-bytes", &mut config.segment_bytes, segments)?;
        let slots = Whole::powers_of_two(1..=SLOTS_PER_RECORD_MAX);
        options.whole("slots-per-record", &mut config.slots_per_record, slots)?;
        options.one_of("eviction", &mut config.eviction, Eviction::ALL)?;
        options.switch("ask-presence", &mut config.ask_presence)?;
        config.check()?;
        let limit_bytes = config.value_bytes_max();
        if limit_bytes < setup.value_bytes_max {
            options.tell(format!(
                "refuses values above {limit_bytes} bytes: an item lies within a segment"
            ));
        }
        Ok(config)
    }

    /// Rejects settings that no cache can be opened with.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] for the first of them.
    pub fn check(&self) -> Result<(), OpenError> {
        let bad = |setting: &str, value: u64, accepted: String| {
            let (setting, value) = (setting.to_owned(), value.to_string());
            Err(OpenError::BadSetting { setting, value, accepted })
        };
        let sizes = SEGMENT_BYTES_MIN..=SEGMENT_BYTES_MAX;
        if !sizes.contains(&self.segment_bytes) || !self.segment_bytes.is_power_of_two() {
            let accepted = format!("powers of two from {SEGMENT_BYTES_MIN} to {SEGMENT_BYTES_MAX}");
            return bad("segment-bytes", self.segment_bytes, accepted);
        }
        if !(SEGMENTS_MIN..=SEGMENTS_MAX).contains(&self.segments()) {
            let (least, most) =
                (SEGMENTS_MIN * self.segment_bytes, SEGMENTS_MAX * self.segment_bytes);
            let accepted = format!("{least} to {most} with such segments");
            return bad("object-memory-bytes", self.object_memory_bytes, accepted);
        }
        let per_record = self.slots_per_record;
        if !per_record.is_power_of_two() || per_record > SLOTS_PER_RECORD_MAX {
            let accepted = format!("powers of two from 1 to {SLOTS_PER_RECORD_MAX}");
            return bad("slots-per-record", per_record, accepted);
        }
        let records_max = slots(HASH_POWER_MAX) / per_record;
        if !(1..=records_max).contains(&self.records_max) {
            return bad("records_max", self.records_max, format!("1 to {records_max}"));
        }
        Ok(())
    }

    pub(crate) fn segments(&self) -> u64 {
        self.object_memory_bytes / self.segment_bytes
    }

    /// What segments take: all of them are whole.
    pub(crate) fn heap_bytes(&self) -> u64 {
        self.segments() * self.segment_bytes
    }

    /// The number of slots, as a power of two.
    pub(crate) fn hash_power(&self) -> u8 {
        let enough = |power: &u8| slots(*power) / self.slots_per_record >= self.records_max;
        (HASH_POWER_MIN..HASH_POWER_MAX).find(enough).unwrap_or(HASH_POWER_MAX)
    }

    pub(crate) fn index_bytes(&self) -> u64 {
        slots(self.hash_power()) * SLOT_BYTES
    }

    pub(crate) fn table_bytes(&self) -> u64 {
        self.segments() * SEGMENT_HEADER_BYTES + TABLES_BYTES
    }

    /// The longest value: an item lies within a segment.
    pub(crate) fn value_bytes_max(&self) -> usize {
        self.segment_bytes as usize - ITEM_OVERHEAD_BYTES
    }
}

/// Segments of 1 MiB, the crate's, or of what makes 64 of them in a smaller memory. Larger ones if
/// the values need them, as long as there are enough of them.
fn usual_segment_bytes(memory: u64, value_bytes_max: usize) -> u64 {
    let power_below = |bytes: u64| 1_u64 << bytes.max(1).ilog2();
    let usual = power_below(memory / 64).clamp(SEGMENT_BYTES_MIN, 1 << 20);
    let needed = (value_bytes_max + ITEM_OVERHEAD_BYTES).next_power_of_two() as u64;
    let most = power_below(memory / SEGMENTS_MIN).clamp(SEGMENT_BYTES_MIN, SEGMENT_BYTES_MAX);
    usual.max(needed).min(most)
}

fn slots(power: u8) -> u64 {
    1 << power
}
