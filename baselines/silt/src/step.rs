//! The steps of freezing, converting and merging, for whoever wants to know, or to crash there.

use std::fmt;
use std::sync::Arc;

/// A step that was just taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The next log's file was made.
    LogMade,
    /// A manifest was written, and is not in force yet.
    ManifestWritten,
    /// The full log is frozen, and the next one in use.
    Frozen,
    /// The HashStore and its filter are on the disk.
    Converted,
    /// The HashStore is in use, and the frozen log was not removed yet.
    ConversionListed,
    /// The frozen log was removed.
    LogRemoved,
    /// A quarter of the new SortedStore was written.
    MergeBegun,
    /// The new SortedStore is on the disk, its index is not.
    MergeWritten,
    /// The index is on the disk.
    MergeIndexed,
    /// The new SortedStore is in use, and nothing was removed yet.
    MergeListed,
    /// The old SortedStore and the merged HashStores were removed.
    MergedRemoved,
}

impl Step {
    /// All, in the order of a store's life.
    pub const ALL: [Self; 11] = [
        Self::LogMade,
        Self::ManifestWritten,
        Self::Frozen,
        Self::Converted,
        Self::ConversionListed,
        Self::LogRemoved,
        Self::MergeBegun,
        Self::MergeWritten,
        Self::MergeIndexed,
        Self::MergeListed,
        Self::MergedRemoved,
    ];
}

/// What is called at each step.
type Hook = dyn Fn(Step) + Send + Sync;

/// Who is told of steps; nobody, usually.
#[derive(Clone, Default)]
pub struct Steps(Option<Arc<Hook>>);

impl Steps {
    /// Calls `hook` at every step, on the thread that takes it.
    #[must_use]
    pub fn new(hook: impl Fn(Step) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(hook)))
    }

    pub(crate) fn reached(&self, step: Step) {
        if let Some(hook) = &self.0 {
            hook(step);
        }
    }
}

impl fmt::Debug for Steps {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0.is_some() { "Steps(hook)" } else { "Steps" })
    }
}
