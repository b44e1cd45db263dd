//! Where a store's bytes are.

/// A store's own account of its memory, in bytes.
///
/// When writers are quiet and background work is settled:
///
/// * `capacity_bytes >= object_memory_bytes + index_bytes + table_bytes` where a capacity is
///   configured (`Some`);
/// * `live_object_bytes + dead_object_bytes + free_object_bytes == object_memory_bytes`;
/// * `live_value_bytes + 8 * live_objects <= live_object_bytes`.
///
/// A store that cannot know a figure leaves the group at 0 and says so with `complete = false`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryCensus {
    /// Objects in the store.
    pub live_objects: u64,
    /// Sum of their value bytes (the *value base*).
    pub live_value_bytes: u64,
    /// Header + key + value of live objects as laid out.
    pub live_object_bytes: u64,
    /// Object memory taken by dead objects, slack and unusable tails.
    pub dead_object_bytes: u64,
    /// Object memory that holds nothing: free blocks, the reserve, the open heads' remainder.
    pub free_object_bytes: u64,
    /// Memory configured or obtained for objects.
    pub object_memory_bytes: u64,
    /// The index as allocated now.
    pub index_bytes: u64,
    /// Everything else: segment tables, epoch table, queues.
    pub table_bytes: u64,
    /// Everything the store may hold resident now; `None` when it is not bounded.
    pub capacity_bytes: Option<u64>,
    /// Whether all figures above are known.
    pub complete: bool,
}

/// A counter of the engine's own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statistic {
    /// Name with its unit last, such as `copied_bytes`.
    pub name: &'static str,
    /// The value.
    pub value: f64,
}

impl Statistic {
    /// Pairs a name with a value.
    #[must_use]
    pub fn new(name: &'static str, value: f64) -> Self {
        Self { name, value }
    }
}
