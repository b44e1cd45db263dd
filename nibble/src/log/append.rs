//! Appending: room for an object is reserved, then filled.

use super::Log;
use super::node::Node;
use crate::address::{ObjectRef, VirtualAddress};
use crate::constants::HEADER_BYTES;
use crate::epoch::Pin;
use crate::name::Name;
use crate::raw::{Header, Memory};
use crate::sync::{lock, try_lock};

/// Objects of at least this size have the lines behind them prefetched.
const AHEAD_BYTES_MIN: usize = 256;
/// The most bytes prefetched beyond an append.
const AHEAD_BYTES: usize = 2048;

/// Room for one object that nobody else knows about yet.
///
/// Dropping it leaves a hole of its size, which counts as dead. The segment must stay walkable, so
/// [`Log::append`] reserves only for callers that go on to write.
#[must_use = "room that is not written makes the segment unwalkable"]
#[derive(Debug)]
pub(crate) struct Reservation<'log> {
    memory: &'log Memory,
    object: ObjectRef,
}

impl Reservation<'_> {
    /// Writes the object; it remains to publish it.
    #[inline]
    pub(crate) fn write(self, key: impl Name, value: &[u8]) -> (ObjectRef, Header) {
        let address = self.object.address();
        self.memory.write_object(address, key.word(), key.prefix(), value);
        // The next object of this head will be about as long. Its lines are prefetched while this
        // one is published.
        let room = key.room_for(value);
        let bytes = HEADER_BYTES as usize + room;
        let next = VirtualAddress::new(address.raw() + bytes as u64);
        if bytes >= AHEAD_BYTES_MIN
            && self.memory.region.locate(next).0 == self.memory.region.locate(address).0
        {
            self.memory.region.prefetch_to_write(next, bytes.min(AHEAD_BYTES));
        }
        (self.object, Header::new(key.word(), room))
    }
}

impl Log {
    /// Reserves room for `room_bytes` besides the header, in the node and head that the configuration
    /// chooses for a key with this hash, or in any other if memory is short.
    ///
    /// The pin outlives the reservation and must outlive publication: a closed segment is
    /// compacted only when the operations that may still write to it have ended.
    #[inline]
    pub(crate) fn append<'log>(
        &'log self,
        room_bytes: usize,
        hash: u64,
        _pin: &Pin<'_>,
    ) -> Option<Reservation<'log>> {
        let bytes = HEADER_BYTES + room_bytes as u64;
        let (node, turn) = self.choice.of(hash);
        let home = &self.nodes[node];
        let object = home.head(turn).lock().reserve(self, home, bytes, turn as u64);
        let object = object.or_else(|| self.append_elsewhere(node, bytes))?;
        Some(Reservation { memory: &self.memory, object })
    }

    /// Tries the other heads of the node first, then other nodes: a little room far away is better
    /// than none. The last resort is the blocks that workers' outputs have begun: the space of one
    /// dead object, gained by compacting its segment, may be there and nowhere else.
    #[cold]
    fn append_elsewhere(&self, node: usize, bytes: u64) -> Option<ObjectRef> {
        let heads = |node: &Node| {
            let mut heads = node.heads().enumerate();
            heads.find_map(|(turn, head)| head.lock().reserve(self, node, bytes, turn as u64))
        };
        let outputs = |node: &Node| {
            // A PUT that would otherwise have to wait or give up waits for a round to end. This is
            // safe, because no round waits for an epoch.
            let patient = self.space.waiters() > 0;
            if !node.pool.has_reserve() {
                return None;
            }
            let worker = |worker| if patient { Some(lock(worker)) } else { try_lock(worker) };
            let mut idle = node.crew.workers.iter().filter_map(worker);
            let object = idle.find_map(|mut worker| worker.tools.output.lend(self, bytes))?;
            node.head(0).lock().count(bytes);
            Some(object)
        };
        let mut nodes = self.nodes_from(node);
        nodes.find_map(heads).or_else(|| self.nodes_from(node).find_map(outputs))
    }
}
