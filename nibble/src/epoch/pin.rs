//! The guard of an operation.

use super::Slot;

/// The calling thread is inside an operation. Until the pin is dropped, on whatever path, objects
/// found in the index stay readable, and what the operation appended is not compacted.
#[must_use = "dropping it leaves the epoch"]
#[derive(Debug)]
pub(crate) struct Pin<'table>(&'table Slot);

impl<'table> Pin<'table> {
    #[inline]
    pub(super) fn new(slot: &'table Slot) -> Self {
        Self(slot)
    }
}

impl Drop for Pin<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.leave();
    }
}
