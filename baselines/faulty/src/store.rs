//! A map behind one lock with a planted fault.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::{
    AllocatorChoice, EngineTraits, FullMeaning, GetError, KvEngine, KvSession, MemoryBound,
    MemoryCensus, PutError, PutOutcome, SessionError, Setting,
};

use crate::Fault;
use crate::fault::leak;

/// Of lies and losses, one in so many operations.
const RARELY: u64 = 100;

/// Settings of a [`Faulty`] store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// What goes wrong. Default nothing.
    pub fault: Fault,
    /// Puts that go well before it does. Default 1000.
    pub after_puts: u64,
    /// KiB that each put leaks beyond its value, for [`Fault::Leak`]. Default 64.
    pub leak_kib: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { fault: Fault::None, after_puts: 1000, leak_kib: 64 }
    }
}

/// The store: a hash map behind one mutex, and the fault.
#[derive(Debug)]
pub struct Faulty {
    config: Config,
    contents: Mutex<Contents>,
}

#[derive(Debug, Default)]
struct Contents {
    values: HashMap<u64, Box<[u8]>>,
    puts: u64,
    gets: u64,
}

impl Faulty {
    /// An empty store that will misbehave.
    #[must_use]
    pub fn open(config: Config) -> Self {
        Self { config, contents: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Contents> {
        // A planted panic must not take the other threads along.
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the fault is due, after `puts` puts.
    fn is_due(&self, fault: Fault, puts: u64) -> bool {
        self.config.fault == fault && puts > self.config.after_puts
    }
}

impl KvEngine for Faulty {
    const TRAITS: EngineTraits = EngineTraits {
        name: "faulty",
        description: "crashes, hangs, leaks, lies or loses on purpose",
        full: FullMeaning::Grow,
        memory_bound: MemoryBound::None,
        allocator: AllocatorChoice::Global,
        test_only: true,
        ..EngineTraits::BASE
    };

    type Session<'engine> = FaultySession<'engine>;

    fn session(&self) -> Result<FaultySession<'_>, SessionError> {
        Ok(FaultySession { store: self })
    }

    /// What is leaked is not in it: that is the fault.
    fn memory(&self) -> MemoryCensus {
        let contents = self.lock();
        let live_objects = contents.values.len() as u64;
        let live_value_bytes = contents.values.values().map(|value| value.len() as u64).sum();
        MemoryCensus {
            live_objects,
            live_value_bytes,
            live_object_bytes: live_value_bytes + 8 * live_objects,
            object_memory_bytes: live_value_bytes + 8 * live_objects,
            ..MemoryCensus::default()
        }
    }

    fn settings(&self) -> Vec<Setting> {
        vec![
            Setting::new("fault", self.config.fault),
            Setting::new("after_puts", self.config.after_puts),
            Setting::new("leak_kib", self.config.leak_kib),
        ]
    }
}

/// One thread's use of a [`Faulty`] store.
#[derive(Debug)]
pub struct FaultySession<'engine> {
    store: &'engine Faulty,
}

impl KvSession for FaultySession<'_> {
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let mut contents = self.store.lock();
        contents.gets += 1;
        let lies =
            self.store.is_due(Fault::Lie, contents.puts) && contents.gets.is_multiple_of(RARELY);
        let Some(value) = contents.values.get(&key) else { return Ok(None) };
        let (value_bytes, buffer_bytes) = (value.len(), buffer.len());
        let Some(front) = buffer.get_mut(..value_bytes) else {
            return Err(GetError::BufferTooShort { value_bytes, buffer_bytes });
        };
        front.copy_from_slice(value);
        if lies {
            // The last byte: headers stay plausible, so only a look at all bytes tells.
            let Some(last) = front.last_mut() else { return Ok(None) };
            *last ^= 1;
        }
        Ok(Some(value_bytes))
    }

    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        let store = self.store;
        let (value_bytes, limit_bytes) = (value.len(), Faulty::TRAITS.value_bytes_max);
        if value_bytes > limit_bytes {
            return Err(PutError::ValueTooLarge { value_bytes, limit_bytes });
        }
        let puts = {
            let mut contents = store.lock();
            contents.puts += 1;
            contents.puts
        };
        // Without the lock: other threads go on until it is their turn.
        if puts > store.config.after_puts {
            store.config.fault.strike();
        }
        if store.is_due(Fault::Leak, puts) {
            leak(store.config.leak_kib << 10);
        }
        let mut contents = store.lock();
        let known = contents.values.contains_key(&key);
        let loses = store.is_due(Fault::Lose, puts) && puts.is_multiple_of(RARELY);
        if !loses {
            contents.values.insert(key, value.into());
        }
        Ok(if known { PutOutcome::Updated } else { PutOutcome::Inserted })
    }

    fn delete(&mut self, key: u64) -> bool {
        self.store.lock().values.remove(&key).is_some()
    }
}
