//! Appending: room for an object, claimed and then filled.

use super::Log;
use crate::address::ObjectRef;
use crate::constants::HEADER_BYTES;
use crate::epoch::Pin;
use crate::raw::{Header, Memory};

/// Room for one object that nobody else knows of yet.
///
/// Dropping it leaves a hole of its size, which counts as dead: the segment must stay walkable,
/// so [`Log::append`] reserves only for callers that go on to write.
#[must_use = "room that is not written makes the segment unwalkable"]
#[derive(Debug)]
pub(crate) struct Reservation<'log> {
    memory: &'log Memory,
    object: ObjectRef,
}

impl Reservation<'_> {
    /// Writes the object; what remains to be done is to publish it.
    #[inline]
    pub(crate) fn write(self, key: u64, value: &[u8]) -> (ObjectRef, Header) {
        self.memory.write_object(self.object.address(), key, value);
        (self.object, Header::new(key, value.len()))
    }
}

impl Log {
    /// Reserves room for a value of `value_bytes` in the head of this core, or in any other head
    /// when memory is short.
    ///
    /// The pin outlives the reservation and must outlive publication: a closed segment is
    /// compacted only when the operations that may still write to it have ended.
    #[inline]
    pub(crate) fn append<'log>(
        &'log self,
        value_bytes: usize,
        _pin: &Pin<'_>,
    ) -> Option<Reservation<'log>> {
        let bytes = HEADER_BYTES + value_bytes as u64;
        let home = self.head_of_core.here();
        let object = self.heads[home].lock().reserve(self, bytes, home as u64);
        let object = object.or_else(|| self.append_elsewhere(home, bytes))?;
        Some(Reservation { memory: &self.memory, object })
    }

    #[cold]
    fn append_elsewhere(&self, home: usize, bytes: u64) -> Option<ObjectRef> {
        let mut others = (0..self.heads.len()).filter(|&head| head != home);
        others.find_map(|head| self.heads[head].lock().reserve(self, bytes, head as u64))
    }
}
