//! The test of stores that are opened again can fail: stores that keep what they were told, but for one
//! thing.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::conformance::keeps_what_it_acknowledged;
use engine::{
    DeleteOutcome, Durability, EngineTraits, GetError, KvEngine, KvSession, MemoryCensus, PutError,
    PutOutcome, SessionError,
};

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Nothing,
    /// The last PUT is answered and never written.
    AnswersBeforeItWrites,
    /// What was deleted is there again.
    DeletesInMemoryOnly,
    /// It claims nothing.
    ClaimsNothing,
}

type Pairs = BTreeMap<u64, Vec<u8>>;

/// A store whose disk is a map that outlives it.
struct Kept<'disk> {
    disk: &'disk Mutex<Pairs>,
    memory: Mutex<Pairs>,
    /// Answered and not written.
    queued: Mutex<Option<(u64, Vec<u8>)>>,
    fault: Fault,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'disk> Kept<'disk> {
    fn open(disk: &'disk Mutex<Pairs>, fault: Fault) -> Self {
        let memory = Mutex::new(locked(disk).clone());
        Self { disk, memory, queued: Mutex::new(None), fault }
    }

    fn write_queued(&self) {
        if let Some((key, value)) = locked(&self.queued).take() {
            locked(self.disk).insert(key, value);
        }
    }
}

impl KvEngine for Kept<'_> {
    const TRAITS: EngineTraits = EngineTraits { name: "kept", ..EngineTraits::BASE };

    type Session<'engine>
        = KeptSession<'engine>
    where
        Self: 'engine;

    fn session(&self) -> Result<KeptSession<'_>, SessionError> {
        Ok(KeptSession(self))
    }

    fn durability(&self) -> Durability {
        if self.fault == Fault::ClaimsNothing { Durability::None } else { Durability::Process }
    }

    fn memory(&self) -> MemoryCensus {
        MemoryCensus::default()
    }
}

struct KeptSession<'engine>(&'engine Kept<'engine>);

impl KvSession for KeptSession<'_> {
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let memory = locked(&self.0.memory);
        let Some(value) = memory.get(&key) else { return Ok(None) };
        buffer[..value.len()].copy_from_slice(value);
        Ok(Some(value.len()))
    }

    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        let old = locked(&self.0.memory).insert(key, value.to_owned());
        self.0.write_queued();
        *locked(&self.0.queued) = Some((key, value.to_owned()));
        if self.0.fault != Fault::AnswersBeforeItWrites {
            self.0.write_queued();
        }
        Ok(if old.is_some() { PutOutcome::Updated } else { PutOutcome::Inserted })
    }

    fn delete(&mut self, key: u64) -> DeleteOutcome {
        self.0.write_queued();
        if self.0.fault != Fault::DeletesInMemoryOnly {
            locked(self.0.disk).remove(&key);
        }
        DeleteOutcome::told(locked(&self.0.memory).remove(&key).is_some())
    }
}

fn passes(fault: Fault) -> bool {
    let disk = Mutex::new(Pairs::new());
    let run = || keeps_what_it_acknowledged(&|| Kept::open(&disk, fault));
    catch_unwind(AssertUnwindSafe(run)).is_ok()
}

#[test]
fn a_store_that_keeps_all_passes_and_no_other() {
    assert!(passes(Fault::Nothing));
    for fault in [Fault::AnswersBeforeItWrites, Fault::DeletesInMemoryOnly, Fault::ClaimsNothing] {
        assert!(!passes(fault), "{fault:?}");
    }
}
