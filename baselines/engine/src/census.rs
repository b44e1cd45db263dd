//! A store's account of its memory.

/// A store's own account of its memory, in bytes.
///
/// When no writer is active and background work has settled:
///
/// * `capacity_bytes >= object_memory_bytes + index_bytes + table_bytes` if a capacity is
///   configured (`Some`);
/// * `live_object_bytes + dead_object_bytes + free_object_bytes == object_memory_bytes`;
/// * `live_value_bytes + 8 * live_objects <= live_object_bytes`.
///
/// An object whose lifetime has ended ([`KvSession::put_for`](crate::KvSession::put_for)) is live until the
/// store removes it, which may be long after the last GET that could find it.
///
/// A store that cannot know a number leaves its group at 0 and sets `complete = false`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryCensus {
    /// Number of objects in the store.
    pub live_objects: u64,
    /// Sum of their value bytes (the *value base*).
    pub live_value_bytes: u64,
    /// Header + key + value of live objects as laid out.
    pub live_object_bytes: u64,
    /// Object memory held by dead objects, slack and unusable tails.
    pub dead_object_bytes: u64,
    /// Object memory that holds nothing: free blocks, the reserve, the unused part of open heads.
    pub free_object_bytes: u64,
    /// Memory configured for, or obtained for, objects.
    pub object_memory_bytes: u64,
    /// Size of the index as allocated now.
    pub index_bytes: u64,
    /// Everything else: segment tables, epoch table, queues.
    pub table_bytes: u64,
    /// The most memory that the store may hold resident now; `None` if there is no bound.
    pub capacity_bytes: Option<u64>,
    /// Whether all numbers above are known.
    pub complete: bool,
}

/// A counter that the engine keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statistic {
    /// Its name, ending with the unit, such as `copied_bytes`.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
}

impl Statistic {
    /// Pairs a name with a value.
    #[must_use]
    pub fn new(name: &'static str, value: f64) -> Self {
        Self { name, value }
    }
}
