//! Objects in a store; a handle is the object's key.

use engine::{DeleteOutcome, KvEngine, KvSession, PutOutcome};
use workloads::key_of;

use super::target::{CHECK_EVERY, Refused, Target, Values};
use record::Verification;

/// One thread's access to a store.
#[derive(Debug)]
pub(super) struct StoreTarget<'engine, E: KvEngine + 'engine> {
    engine: &'engine E,
    pub(super) session: E::Session<'engine>,
    pub(super) values: Values,
    /// Next fresh key; each thread has a range of its own.
    next: u64,
    destroyed: u64,
    pub(super) verification: Verification,
}

/// Size of one thread's range of keys.
const KEYS_PER_THREAD: u64 = 1 << 48;

impl<'engine, E: KvEngine> StoreTarget<'engine, E> {
    /// Opens the calling thread's session.
    pub(super) fn new(
        engine: &'engine E,
        thread: usize,
        values: Values,
    ) -> Result<Self, engine::SessionError> {
        Ok(Self {
            engine,
            session: engine.session()?,
            values,
            next: thread as u64 * KEYS_PER_THREAD,
            destroyed: 0,
            verification: Verification::default(),
        })
    }

    /// A key that was never used.
    pub(super) fn take_key(&mut self) -> u64 {
        self.next += 1;
        key_of(self.next - 1)
    }

    /// Counts a destroyed object; whether it is one of those that are checked.
    pub(super) fn is_check_due(&mut self) -> bool {
        self.destroyed += 1;
        self.destroyed.is_multiple_of(CHECK_EVERY)
    }
}

impl<E: KvEngine> Target for StoreTarget<'_, E> {
    fn create(&mut self, bytes: usize) -> Result<u64, Refused> {
        let key = key_of(self.next);
        match self.session.put(key, self.values.writer.value(key, bytes)) {
            Ok(PutOutcome::Inserted) => {}
            // A fresh key reported as an update means that another key's object is gone.
            Ok(PutOutcome::Updated) if E::TRAITS.keeps_values => self.verification.wrong += 1,
            Ok(PutOutcome::Updated | PutOutcome::Stored) => {}
            Ok(PutOutcome::Full) => return Err(Refused::Full),
            Err(error) => return Err(Refused::Broken(error.to_string())),
        }
        self.next += 1;
        Ok(key)
    }

    fn destroy(&mut self, handle: u64, bytes: usize) {
        if self.is_check_due() {
            self.verify(handle, bytes);
        }
        if self.session.delete(handle) == DeleteOutcome::Absent && E::TRAITS.keeps_values {
            self.verification.lost += 1;
        }
    }

    fn verify(&mut self, handle: u64, bytes: usize) {
        if !E::TRAITS.keeps_values {
            return;
        }
        self.verification.checked += 1;
        let Values { checker, buffer, .. } = &mut self.values;
        match self.session.get(handle, buffer) {
            Ok(Some(length)) if length == bytes => {
                if !checker.check(handle, &buffer[..length]).is_good() {
                    self.verification.wrong += 1;
                }
            }
            Ok(None) => self.verification.lost += 1,
            Ok(Some(_)) | Err(_) => self.verification.wrong += 1,
        }
    }

    fn verification(&self) -> Verification {
        self.verification
    }

    fn trim(&mut self) {
        self.engine.trim();
    }
}
