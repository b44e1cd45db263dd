//! One thread's use of a store.

use engine::{
    Decide, DeleteOutcome, GetError, Heap, Op, Outcome, PutError, PutOutcome, Rmw, ScanRange,
    ValueBuffers,
};
use kit::key::Operations;
use kit::values;

use crate::map::{Asked, Map};
use crate::store::MapStore;
use engine::ThreadUse;

/// How many operations of a batch share one guard. A guard keeps rows from being freed, so a long
/// batch is split.
const OPERATIONS_PER_GUARD: usize = 64;

/// One thread's use of a [`MapStore`]. It stays on its thread, because the heap is told when that
/// thread starts and stops using it.
#[derive(Debug)]
pub struct MapSession<'engine, M: Map> {
    store: &'engine MapStore<M>,
    /// Dropping it may free rows, so it is dropped before the thread stops using the heap.
    thread: M::Thread,
    /// What a read-modify-write decides on.
    new: Vec<u8>,
    _use: ThreadUse,
}

impl<'engine, M: Map> MapSession<'engine, M> {
    pub(crate) fn new(store: &'engine MapStore<M>, heap: &'static dyn Heap) -> Self {
        let heap_use = ThreadUse::of(heap);
        Self { store, thread: store.map().thread(), new: Vec::new(), _use: heap_use }
    }
}

#[inline]
fn get<M: Map>(
    map: &M,
    key: Asked<'_, M>,
    buffer: &mut [u8],
    guard: &M::Guard<'_>,
) -> Result<Option<usize>, GetError> {
    map.get(key, guard, |value| values::copy_out(value, buffer)).transpose()
}

impl<M: Map> Operations<M::Key> for MapSession<'_, M> {
    #[inline]
    fn get(&mut self, key: Asked<'_, M>, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let map = self.store.map();
        get(map, key, buffer, &map.guard(&self.thread))
    }

    #[inline]
    fn put(&mut self, key: Asked<'_, M>, value: &[u8]) -> Result<PutOutcome, PutError> {
        self.store.put(key, value, &mut self.store.map().guard(&self.thread))
    }

    #[inline]
    fn delete(&mut self, key: Asked<'_, M>) -> DeleteOutcome {
        DeleteOutcome::told(self.store.delete(key, &self.store.map().guard(&self.thread)))
    }

    fn read_modify_write(
        &mut self,
        key: Asked<'_, M>,
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        if M::RMW == Rmw::GetThenPut {
            return kit::key::get_then_put(self, key, decide);
        }
        let mut guard = self.store.map().guard(&self.thread);
        self.store.modify(key, decide, &mut self.new, &mut guard)
    }

    fn execute(
        &mut self,
        operations: &[Op<'_, Asked<'_, M>>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        assert!(outcomes.len() >= operations.len(), "one outcome per operation");
        let map = self.store.map();
        let chunks = operations.chunks(OPERATIONS_PER_GUARD);
        for (first, chunk) in (0..).step_by(OPERATIONS_PER_GUARD).zip(chunks) {
            let mut guard = map.guard(&self.thread);
            for (index, operation) in (first..).zip(chunk) {
                outcomes[index] = match *operation {
                    Op::Get { key } => Outcome::of_get(get(map, key, values.slot(index), &guard)),
                    Op::Put { key, value } => {
                        Outcome::of_put(self.store.put(key, value, &mut guard))
                    }
                    Op::Delete { key } => {
                        Outcome::Deleted(DeleteOutcome::told(self.store.delete(key, &guard)))
                    }
                };
            }
        }
    }

    fn scan(
        &mut self,
        range: ScanRange<Asked<'_, M>>,
        visit: &mut dyn FnMut(Asked<'_, M>, &[u8]),
    ) -> Option<usize> {
        let map = self.store.map();
        map.scan(range, &map.guard(&self.thread), visit)
    }
}
