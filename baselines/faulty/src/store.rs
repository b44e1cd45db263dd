//! A map behind one lock with a planted fault.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use engine::{
    AllocatorChoice, DeleteOutcome, EngineTraits, Expiry, FullMeaning, GetError, KvEngine,
    KvSession, MemoryBound, MemoryCensus, PutError, PutOutcome, ScanRange, SessionError, Setting,
    SnapshotRead, Snapshots, Statistic, WithSnapshot, Write,
};

use crate::Fault;
use crate::contents::{Contents, Values};
use crate::fault::leak;

/// Settings of a [`Faulty`] store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// What goes wrong. Default nothing.
    pub fault: Fault,
    /// Puts that succeed before the fault. Default 1000.
    pub after_puts: u64,
    /// KiB that each put leaks beyond its value, for [`Fault::Leak`]. Default 64.
    pub leak_kib: usize,
    /// Extra milliseconds that one operation takes, for [`Fault::Stall`]. Default 1000.
    pub stall_ms: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self { fault: Fault::None, after_puts: 1000, leak_kib: 64, stall_ms: 1000 }
    }
}

/// The store: a hash map behind one mutex, and the fault.
#[derive(Debug)]
pub struct Faulty {
    config: Config,
    contents: Mutex<Contents>,
}

impl Faulty {
    /// Opens an empty store that will misbehave.
    #[must_use]
    pub fn open(config: Config) -> Self {
        Self { config, contents: Mutex::new(Contents::new(config.fault)) }
    }

    fn lock(&self) -> MutexGuard<'_, Contents> {
        // A planted panic must not take down the other threads.
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the lock at the start of an operation. The operation that stalls sleeps first, without
    /// the lock.
    fn enter(&self) -> MutexGuard<'_, Contents> {
        let mut contents = self.lock();
        let stalls = self.config.fault == Fault::Stall
            && contents.committed == 0
            && contents.puts >= self.config.after_puts;
        if stalls {
            contents.committed = 1;
            drop(contents);
            thread::sleep(Duration::from_millis(self.config.stall_ms));
            contents = self.lock();
        }
        contents
    }

    /// The fault that is due once `puts` puts have begun.
    fn due(&self, puts: u64) -> Fault {
        if puts > self.config.after_puts { self.config.fault } else { Fault::None }
    }
}

impl KvEngine for Faulty {
    const TRAITS: EngineTraits = EngineTraits {
        name: "faulty",
        description: "crashes, hangs, stalls, leaks, lies or loses on purpose",
        full: FullMeaning::Grow,
        memory_bound: MemoryBound::None,
        allocator: AllocatorChoice::Global,
        snapshots: Snapshots::Linearizable,
        writes_in_one_step: true,
        expiry: Expiry::Milliseconds,
        test_only: true,
        ..EngineTraits::BASE
    };

    type Session<'engine> = FaultySession<'engine>;

    fn session(&self) -> Result<FaultySession<'_>, SessionError> {
        Ok(FaultySession { store: self })
    }

    /// The census omits leaked memory: that is the fault.
    fn memory(&self) -> MemoryCensus {
        let mut contents = self.lock();
        contents.remove_ended();
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

    /// How often the fault was committed, for faults that a caller survives.
    fn statistics(&self) -> Vec<Statistic> {
        vec![Statistic::new("faults_committed", self.lock().committed as f64)]
    }

    fn settings(&self) -> Vec<Setting> {
        vec![
            Setting::new("fault", self.config.fault),
            Setting::new("after-puts", self.config.after_puts),
            Setting::new("leak-kib", self.config.leak_kib),
            Setting::new("stall-ms", self.config.stall_ms),
        ]
    }
}

/// One thread's use of a [`Faulty`] store.
#[derive(Debug)]
pub struct FaultySession<'engine> {
    store: &'engine Faulty,
}

impl FaultySession<'_> {
    /// Counts `puts` puts that begin, and commits the faults that need no contents. The fault that is due,
    /// and the number of the first put.
    fn begin(&mut self, puts: u64) -> (Fault, u64) {
        let first = {
            let mut contents = self.store.enter();
            contents.puts += puts;
            contents.puts - puts + 1
        };
        let due = self.store.due(first);
        // Without the lock, so that other threads go on until their turn comes.
        due.strike();
        if due == Fault::Leak {
            leak(self.store.config.leak_kib << 10);
        }
        (due, first)
    }
}

fn check_length(value: &[u8]) -> Result<(), PutError> {
    let (value_bytes, limit_bytes) = (value.len(), Faulty::TRAITS.value_bytes_max);
    if value_bytes > limit_bytes {
        return Err(PutError::ValueTooLarge { value_bytes, limit_bytes });
    }
    Ok(())
}

/// What was there at one moment.
struct Moment<'engine> {
    store: &'engine Faulty,
    values: Arc<Values>,
    due: Fault,
}

impl SnapshotRead for Moment<'_> {
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        self.store.lock().get_of(&self.values, self.due, key, buffer)
    }

    fn scan(&mut self, _: ScanRange, _: &mut dyn FnMut(u64, &[u8])) -> Option<usize> {
        None
    }
}

impl KvSession for FaultySession<'_> {
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let mut contents = self.store.enter();
        let due = self.store.due(contents.puts);
        contents.get(due, key, buffer)
    }

    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        check_length(value)?;
        let (due, put) = self.begin(1);
        Ok(self.store.lock().put(due, put, key, value))
    }

    fn with_snapshot(&mut self, read: &mut WithSnapshot<'_>) -> bool {
        let (values, due) = {
            let contents = self.store.enter();
            (Arc::clone(&contents.values), self.store.due(contents.puts))
        };
        read(&mut Moment { store: self.store, values, due });
        true
    }

    fn write_in_one_step(&mut self, writes: &[Write<'_>]) -> Result<Option<PutOutcome>, PutError> {
        writes.iter().filter_map(Write::value).try_for_each(check_length)?;
        let (due, first) = self.begin(writes.len() as u64);
        self.store.lock().write_in_one_step(due, first, writes);
        Ok(Some(PutOutcome::Stored))
    }

    fn put_for(
        &mut self,
        key: u64,
        value: &[u8],
        lifetime: Duration,
    ) -> Result<Option<PutOutcome>, PutError> {
        check_length(value)?;
        let begun = self.begin(1);
        Ok(Some(self.store.lock().put_for(begun, key, value, lifetime)))
    }

    fn delete(&mut self, key: u64) -> DeleteOutcome {
        let mut contents = self.store.enter();
        let due = self.store.due(contents.puts);
        DeleteOutcome::told(contents.delete(due, key))
    }
}
