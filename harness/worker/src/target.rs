//! What the fragmentation workload needs of a system, be it an allocator or a store.

use workloads::value::{ValueChecker, ValueWriter};

use record::Verification;

/// One thread's buffers for writing and reading values, resident before the engine opens.
#[derive(Debug)]
pub(super) struct Values {
    pub(super) writer: ValueWriter,
    pub(super) checker: ValueChecker,
    /// Holds one value of any size.
    pub(super) buffer: Vec<u8>,
    /// Holds the values of requests that go out together; empty where each goes alone.
    pub(super) room: Vec<u8>,
}

impl Values {
    pub(super) fn new(thread: usize, value_bytes_max: usize) -> Self {
        // Ones, because zeros could come from untouched pages.
        let buffer = vec![1; value_bytes_max];
        let writer = ValueWriter::new(thread as u16, value_bytes_max);
        Self { writer, checker: ValueChecker::new(value_bytes_max), buffer, room: Vec::new() }
    }

    /// With room for `bytes` bytes of values that wait.
    pub(super) fn with_room(self, bytes: usize) -> Self {
        Self { room: vec![1; bytes], ..self }
    }
}

/// One thread's interface for creating and destroying objects.
pub(super) trait Target {
    /// Creates an object of `bytes` bytes, writes every one of them, and returns its handle.
    fn create(&mut self, bytes: usize) -> Result<u64, Refused>;

    /// Destroys an object created by any thread. A sample of them is checked first.
    fn destroy(&mut self, handle: u64, bytes: usize);

    /// Checks an object's bytes.
    fn verify(&mut self, handle: u64, bytes: usize);

    /// Results of the checks so far.
    fn verification(&self) -> Verification;

    /// Ends a phase: what the target held back is done now.
    fn finish(&mut self) -> Result<(), Refused> {
        Ok(())
    }

    /// Gives back the memory that this thread can.
    fn trim(&mut self);
}

/// Why an object could not be created.
#[derive(Debug)]
pub(super) enum Refused {
    /// There is no memory.
    Full,
    /// An error that more memory would not help.
    Broken(String),
}

/// One in this many destroyed objects is checked first.
pub(super) const CHECK_EVERY: u64 = 64;
