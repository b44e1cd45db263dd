//! A hash map behind one lock: the smallest store that keeps the contract.
#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::{
    AllocatorChoice, DeleteOutcome, EngineTraits, FullMeaning, GetError, KvEngine, KvSession,
    MemoryBound, MemoryCensus, OpenError, OpenStore, Options, PutError, PutOutcome, SessionError,
    Setup,
};

/// Bytes a key counts for.
const KEY_BYTES: u64 = 8;

/// The store.
#[derive(Debug, Default)]
pub struct Toy {
    values: Mutex<HashMap<u64, Box<[u8]>>>,
}

impl Toy {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Box<[u8]>>> {
        // The map changes only by steps that do not panic, so it is whole even if poisoned.
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenStore for Toy {
    type Config = ();

    fn configure(_: &Setup, _: &mut Options) -> Result<(), OpenError> {
        // There are no settings: whatever is given is refused.
        Ok(())
    }

    fn open_configured((): ()) -> Result<Self, OpenError> {
        Ok(Self::default())
    }
}

impl KvEngine for Toy {
    const TRAITS: EngineTraits = EngineTraits {
        name: "toy",
        description: "std hash map behind one mutex, values on the global allocator",
        full: FullMeaning::Grow,
        memory_bound: MemoryBound::None,
        allocator: AllocatorChoice::Global,
        ..EngineTraits::BASE
    };

    type Session<'engine> = ToySession<'engine>;

    fn session(&self) -> Result<ToySession<'_>, SessionError> {
        Ok(ToySession { toy: self })
    }

    fn memory(&self) -> MemoryCensus {
        let values = self.lock();
        let live_objects = values.len() as u64;
        let live_value_bytes = values.values().map(|value| value.len() as u64).sum();
        let live_object_bytes = live_value_bytes + KEY_BYTES * live_objects;
        MemoryCensus {
            live_objects,
            live_value_bytes,
            live_object_bytes,
            object_memory_bytes: live_object_bytes,
            ..MemoryCensus::default()
        }
    }
}

/// One thread's use of a [`Toy`].
#[derive(Debug)]
pub struct ToySession<'engine> {
    toy: &'engine Toy,
}

impl KvSession for ToySession<'_> {
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let values = self.toy.lock();
        let Some(value) = values.get(&key) else { return Ok(None) };
        let (value_bytes, buffer_bytes) = (value.len(), buffer.len());
        let Some(front) = buffer.get_mut(..value_bytes) else {
            return Err(GetError::BufferTooShort { value_bytes, buffer_bytes });
        };
        front.copy_from_slice(value);
        Ok(Some(value_bytes))
    }

    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        let (value_bytes, limit_bytes) = (value.len(), Toy::TRAITS.value_bytes_max);
        if value_bytes > limit_bytes {
            return Err(PutError::ValueTooLarge { value_bytes, limit_bytes });
        }
        let old = self.toy.lock().insert(key, value.into());
        Ok(if old.is_some() { PutOutcome::Updated } else { PutOutcome::Inserted })
    }

    fn delete(&mut self, key: u64) -> DeleteOutcome {
        DeleteOutcome::told(self.toy.lock().remove(&key).is_some())
    }
}
