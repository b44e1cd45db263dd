//! Sizes and limits, and the relations between them.

/// Object header: 32-bit length, 64-bit key; unaligned.
pub(crate) const HEADER_BYTES: u64 = 12;
const _: () = assert!(HEADER_BYTES as usize == size_of::<u32>() + size_of::<u64>());

/// Smallest block: a page.
pub(crate) const BLOCK_BYTES_MIN: u64 = 4 << 10;
/// Largest block.
pub(crate) const BLOCK_BYTES_MAX: u64 = 2 << 20;
/// Block of the paper's evaluation.
pub(crate) const BLOCK_BYTES_DEFAULT: u64 = 64 << 10;

/// Smallest and largest segment that [`crate::Config`] chooses by itself.
pub(crate) const SEGMENT_BYTES_SCALED: (u64, u64) = (1 << 20, 32 << 20);
/// How many segments a store has when it chooses their size.
pub(crate) const SEGMENTS_SCALED: u64 = 32;
/// The same when writers compact: victims are the emptier the more segments there are to choose
/// from, and small ones cost little when there are no threads to wake.
pub(crate) const SEGMENTS_SCALED_INLINE: u64 = 512;
/// Largest segment that may be asked for.
pub(crate) const SEGMENT_BYTES_MAX: u64 = 64 << 20;
/// Fewest segments' worth of memory a store can work with.
pub(crate) const SEGMENTS_MIN: u64 = 4;

/// Segment ids have 16 bits.
pub(crate) const SEGMENT_IDS: u64 = 1 << 16;
/// Most segments' worth of memory: half the ids, because segments may be short.
pub(crate) const SEGMENTS_MAX: u64 = SEGMENT_IDS / 2;

/// Most blocks an open segment grows by at a time.
pub(crate) const EXTENT_BLOCKS: u64 = 16;
/// Fewest steps in which a segment grows.
pub(crate) const EXTENTS_MIN: u64 = 4;

/// Sessions at a time.
pub(crate) const SESSIONS_MAX: usize = if cfg!(loom) { 2 } else { 256 };
/// Most memory nodes.
pub(crate) const NODES_MAX: usize = 64;
/// Most heads of a node.
pub(crate) const HEADS_MAX: usize = 1024;
/// Most compaction workers of a node.
pub(crate) const WORKERS_MAX: usize = 64;

/// Most partitions.
pub(crate) const PARTITIONS_MAX: usize = 1 << 16;

/// A segment is worth compacting when at least one byte in so many is dead: below, a byte gained
/// costs more than so many copied.
pub(crate) const WORTH_DIVISOR: u64 = 64;

/// Ticks by which the time-stamp counters of two cores may differ.
pub(crate) const CLOCK_SKEW_TICKS: u64 = 2_000;

/// An object always fits its length field.
const _: () = assert!(SEGMENT_BYTES_MAX < u32::MAX as u64);
