//! Sizes and limits, and the relations between them.

/// Size of the object header: 32-bit length, 64-bit key; unaligned.
pub(crate) const HEADER_BYTES: u64 = 12;
const _: () = assert!(HEADER_BYTES as usize == size_of::<u32>() + size_of::<u64>());

/// Smallest block: a page.
pub const BLOCK_BYTES_MIN: u64 = 4 << 10;
/// Largest block.
pub const BLOCK_BYTES_MAX: u64 = 2 << 20;
/// The block size of the paper's evaluation.
pub(crate) const BLOCK_BYTES_DEFAULT: u64 = 64 << 10;

/// How many blocks a store has if it chooses their size, between [`BLOCK_BYTES_MIN`] and
/// [`BLOCK_BYTES_DEFAULT`].
pub(crate) const BLOCKS_SCALED: u64 = 4096;

/// Smallest and largest segment size that [`crate::Config`] chooses by itself.
pub(crate) const SEGMENT_BYTES_SCALED: (u64, u64) = (1 << 20, 32 << 20);
/// How many segments a store has if it chooses their size.
pub(crate) const SEGMENTS_SCALED: u64 = 32;
/// The same if writers compact: the more segments there are to choose from, the emptier are the
/// victims. Small segments cost little if there are no threads to wake.
pub(crate) const SEGMENTS_SCALED_INLINE: u64 = 512;
/// The fewest segments if writers compact: before there are fewer, they become smaller, …
pub(crate) const SEGMENTS_INLINE_MIN: u64 = 256;
/// … down to four of the smallest blocks, which is where a store has 4 MiB.
pub(crate) const SEGMENT_BYTES_INLINE_MIN: u64 = 4 * BLOCK_BYTES_MIN;
/// An object may be longer than a small segment whose size the store has chosen: up to this, …
pub(crate) const OBJECT_BYTES_SCALED: u64 = 1 << 20;
/// … and one in this many parts of a node's memory.
pub(crate) const OBJECT_PART: u64 = 4;
/// Largest segment size that may be configured.
pub const SEGMENT_BYTES_MAX: u64 = 64 << 20;
/// A store needs memory for at least this many segments.
pub const SEGMENTS_MIN: u64 = 4;

/// Segment ids have 16 bits.
pub(crate) const SEGMENT_IDS: u64 = 1 << 16;
/// The most segments' worth of memory: half the ids, because segments may be short.
pub const SEGMENTS_MAX: u64 = SEGMENT_IDS / 2;

/// The most blocks by which an open segment grows at a time.
pub(crate) const EXTENT_BLOCKS: u64 = 16;
/// The fewest steps in which a segment grows.
pub(crate) const EXTENTS_MIN: u64 = 4;

/// The most sessions at a time.
pub const SESSIONS_MAX: usize = if cfg!(loom) { 2 } else { 256 };
/// The most memory nodes.
pub const NODES_MAX: usize = 64;
/// The most heads per node.
pub const HEADS_MAX: usize = 1024;
/// The most compaction workers per node.
pub const WORKERS_MAX: usize = 64;

/// The most partitions.
pub const PARTITIONS_MAX: usize = 1 << 16;

/// The largest share of free memory at which compaction may begin, in percent.
pub const FREE_LOW_PERCENT_MAX: u32 = 90;
/// The largest reserve, in percent.
pub const RESERVE_PERCENT_MAX: u32 = 25;
/// A reserve that grows with the objects takes at most one in this many parts of a node's memory
/// for the largest of them.
pub(crate) const RESERVE_PART: u64 = 16;

/// A segment is worth compacting if at least one byte in this many is dead. Below that, gaining a
/// byte costs copying more than this many.
pub(crate) const WORTH_DIVISOR: u64 = 64;

/// By how many ticks the time-stamp counters of two cores may differ.
pub(crate) const CLOCK_SKEW_TICKS: u64 = 2_000;

/// An object's length always fits its field.
const _: () = assert!(SEGMENT_BYTES_MAX < u32::MAX as u64);
