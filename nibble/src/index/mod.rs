//! The index: maps keys to places; partitioned, optimistic, growing in place.
//!
//! It has three layouts behind one interface ([`table::Table`]). No entry holds a value, and only
//! those of the keyed layout hold a key: the key is compared in the log.

pub(crate) mod hash;
mod partition;
pub(crate) mod table;
pub(crate) mod tagged;
pub(crate) mod version;
pub(crate) mod wide;

use std::io;

use crate::address::{ObjectRef, VirtualAddress};
use crate::constants::HEADER_BYTES;
use crate::holes;
use crate::instrument::{Mutant, Point, mutated, reach};
use crate::knobs::IndexLayout;
use crate::name::Name;
use crate::raw::{Header, Memory, Protection};
use crate::segment::SegmentTable;

use hash::Hash;
use table::Table;
pub(crate) use table::{Found, IndexFull, Want};
use tagged::TaggedTable;
use version::Locked;
use wide::{KeyedBucket, TextBucket, WideTable};

/// The parameters of an index.
#[derive(Clone, Debug)]
#[cfg_attr(loom, expect(dead_code, reason = "models have few small buckets"))]
pub(crate) struct IndexPlan {
    pub(crate) layout: IndexLayout,
    /// A power of two.
    pub(crate) partitions: usize,
    /// Address space for each partition, a power of two. If the system refuses it, half of it, a
    /// quarter or an eighth must do.
    pub(crate) limit_bytes: u64,
    pub(crate) huge_pages: bool,
    /// Memory nodes that share the partitions; empty if nothing is to be bound.
    pub(crate) nodes: Vec<usize>,
}

/// The index of a store, in the configured layout. Every operation asks which it is, so that has a byte
/// of its own.
#[derive(Debug)]
#[repr(u8)]
pub(crate) enum Index {
    Text(WideTable<TextBucket>),
    Keyed(WideTable<KeyedBucket>),
    Tagged(TaggedTable),
}

/// Does the same with any of the tables; the choice is made once per operation.
macro_rules! with_table {
    ($index:expr, $table:ident => $then:expr) => {
        match $index {
            Index::Tagged($table) => $then,
            Index::Text($table) => $then,
            Index::Keyed($table) => $then,
        }
    };
}

impl Index {
    pub(crate) fn new(plan: &IndexPlan, memory: &Memory) -> io::Result<Self> {
        Ok(match plan.layout {
            IndexLayout::Text => Self::Text(WideTable::new(plan)?),
            IndexLayout::Keyed => Self::Keyed(WideTable::new(plan)?),
            IndexLayout::Tagged => Self::Tagged(TaggedTable::new(plan, memory)?),
        })
    }

    /// Prefetches the lines that an operation on this hash needs first.
    #[inline]
    pub(crate) fn prefetch(&self, hash: Hash) {
        with_table!(self, table => table.prefetch(hash));
    }

    /// Where the object of `hash` seems to be; only for prefetching.
    #[inline]
    pub(crate) fn hint(&self, hash: Hash, memory: &Memory) -> Option<VirtualAddress> {
        with_table!(self, table => table.hint(hash, memory))
    }

    /// Where a key leads, as of now.
    #[inline]
    pub(crate) fn find<N: Name, P: Protection>(
        &self,
        hash: Hash,
        key: N,
        memory: &Memory,
        stays: &P,
    ) -> Option<Found> {
        let want = Want::Key(key);
        with_table!(self, table => table.find(hash, want, memory, stays)).map(|seen| seen.found)
    }

    /// Whether the index leads to exactly this place.
    pub(crate) fn holds<P: Protection>(
        &self,
        hash: Hash,
        place: VirtualAddress,
        memory: &Memory,
        stays: &P,
    ) -> bool {
        let want = Want::<u64>::Place(place);
        with_table!(self, table => table.find(hash, want, memory, stays)).is_some()
    }

    /// Publishes `object` under its key and accounts for it; returns the object that it replaces.
    #[expect(clippy::too_many_arguments, reason = "as for `overwrite_in`")]
    #[inline]
    pub(crate) fn publish<N: Name, P: Protection>(
        &self,
        hash: Hash,
        key: N,
        object: ObjectRef,
        header: Header,
        memory: &Memory,
        segments: &SegmentTable,
        stays: &P,
    ) -> Result<Option<(ObjectRef, Header)>, IndexFull> {
        let mut replaced = None;
        let account = |old: Option<(ObjectRef, Header)>| {
            replaced = old;
            segments[object.segment()].gain(header.object_bytes());
            reach(Point::Replaced);
            if let Some((old, header)) = old {
                let (old, bytes) = (&segments[old.segment()], header.object_bytes());
                old.lose(bytes);
                if mutated(Mutant::LiveDoubleDecrement) && old.live().bytes() > bytes {
                    old.lose(bytes);
                }
            }
        };
        with_table!(self, table => {
            table.publish(hash, key, object, memory, stays, account)
        })?;
        Ok(replaced)
    }

    /// Overwrites the value of a key in place, if the key is present and the new value fits its
    /// room; if `tight`, only if it does not leave much of the room.
    #[expect(clippy::too_many_arguments, reason = "as for `overwrite_in`")]
    #[inline(always)]
    pub(crate) fn overwrite<N: Name, P: Protection>(
        &self,
        hash: Hash,
        key: N,
        value: &[u8],
        tight: bool,
        memory: &Memory,
        segments: &SegmentTable,
        stays: &P,
    ) -> Overwrite {
        match self {
            Self::Tagged(table) => {
                overwrite_in(table, hash, key, value, tight, memory, segments, stays)
            }
            Self::Text(table) => {
                overwrite_in_wide(table, hash, key, value, tight, memory, segments, stays)
            }
            Self::Keyed(table) => {
                overwrite_in_wide(table, hash, key, value, tight, memory, segments, stays)
            }
        }
    }

    /// Removes a key; returns the object it led to.
    #[inline]
    pub(crate) fn remove<N: Name, P: Protection>(
        &self,
        hash: Hash,
        key: N,
        memory: &Memory,
        segments: &SegmentTable,
        stays: &P,
    ) -> Option<(ObjectRef, Header)> {
        let (want, touched) = (Want::Key(key), HEADER_BYTES as usize);
        with_table!(self, table => {
            let held = table.hold(hash, want, touched, memory, stays)?;
            reach(Point::BucketLocked);
            let Found { address, header } = held.found;
            let segment = memory.segment_of(address);
            if !mutated(Mutant::DeletedBytesLive) {
                segments[segment].lose(header.object_bytes());
            }
            held.remove();
            Some((ObjectRef::new(segment, address), header))
        })
    }

    /// Moves the object at `from`, unless it has died in the meantime. `copy` is called with the
    /// bucket locked, when nobody can overwrite the object, and returns where its copy is.
    pub(crate) fn relocate<P: Protection>(
        &self,
        hash: Hash,
        from: VirtualAddress,
        memory: &Memory,
        segments: &SegmentTable,
        stays: &P,
        copy: impl FnOnce(Header, &Locked<'_>) -> ObjectRef,
    ) -> bool {
        let (want, touched) = (Want::<u64>::Place(from), HEADER_BYTES as usize);
        with_table!(self, table => {
            let Some(held) = table.hold(hash, want, touched, memory, stays) else { return false };
            reach(Point::BucketLocked);
            let Found { address, header } = held.found;
            let to = copy(header, &held.locked);
            segments[to.segment()].gain(header.object_bytes());
            segments[memory.segment_of(address)].lose(header.object_bytes());
            held.replace(to);
            true
        })
    }

    /// Size of the buckets in use.
    pub(crate) fn bytes(&self) -> u64 {
        with_table!(self, table => table.bytes())
    }

    /// Size of the table of partitions.
    pub(crate) fn table_bytes(&self) -> u64 {
        with_table!(self, table => table.table_bytes())
    }

    /// How many entries the buckets in use can hold.
    pub(crate) fn slots(&self) -> u64 {
        with_table!(self, table => table.slots())
    }

    /// Number of buckets added by growth.
    pub(crate) fn growth(&self) -> u64 {
        with_table!(self, table => table.growth())
    }

    /// Calls `visit` with every object, and with a function that tells whether a key belongs to the
    /// bucket that leads to it. For `check`.
    pub(crate) fn for_each(
        &self,
        memory: &Memory,
        mut visit: impl FnMut(ObjectRef, &dyn Fn(u64) -> bool),
    ) {
        with_table!(self, table => table.for_each(memory, &mut visit));
    }
}

/// What [`Index::overwrite`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overwrite {
    /// The value is overwritten.
    Done,
    /// The key is absent, or the value does not fit its room.
    Impossible,
    /// The value would fit, but leave much of the room.
    Roomy,
}

/// See [`Index::overwrite`].
#[expect(clippy::too_many_arguments, reason = "inlined; a structure would be taken apart again")]
#[inline(always)]
fn overwrite_in<N: Name, P: Protection>(
    table: &impl Table,
    hash: Hash,
    key: N,
    value: &[u8],
    tight: bool,
    memory: &Memory,
    segments: &SegmentTable,
    stays: &P,
) -> Overwrite {
    let value_bytes = key.room_for(value);
    let touched = HEADER_BYTES as usize + value_bytes;
    let Some(held) = table.hold(hash, Want::Key(key), touched, memory, stays) else {
        return Overwrite::Impossible;
    };
    reach(Point::BucketLocked);
    let Found { address, header } = held.found;
    if value_bytes > header.room as usize && !mutated(Mutant::InPlaceOversize) {
        return Overwrite::Impossible;
    }
    if tight && holes::is_roomy(header.room, value_bytes) {
        return Overwrite::Roomy;
    }
    let held = Some(held).filter(|_| !mutated(Mutant::InPlaceWithoutLock));
    let after = memory.overwrite_value(address, header, key.prefix_bytes(), value);
    let (before, after) = (header.object_bytes(), after.object_bytes());
    if before != after && !mutated(Mutant::InPlaceResizeUncounted) {
        segments[memory.segment_of(address)].resize(before, after);
    }
    drop(held);
    Overwrite::Done
}

/// Kept apart: the registers of a PUT belong to the tagged layout.
#[expect(clippy::too_many_arguments, reason = "as for `overwrite_in`")]
#[inline(never)]
fn overwrite_in_wide<N: Name, P: Protection>(
    table: &impl Table,
    hash: Hash,
    key: N,
    value: &[u8],
    tight: bool,
    memory: &Memory,
    segments: &SegmentTable,
    stays: &P,
) -> Overwrite {
    overwrite_in(table, hash, key, value, tight, memory, segments, stays)
}
