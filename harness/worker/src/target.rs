//! What the fragmentation workload needs of a system, be it an allocator or a store.

use workloads::value::{ValueChecker, ValueWriter};

use record::Verification;

/// One thread's means to write and read values, resident before the engine opens.
#[derive(Debug)]
pub(super) struct Values {
    pub(super) writer: ValueWriter,
    pub(super) checker: ValueChecker,
    /// Takes one value of any size.
    pub(super) buffer: Vec<u8>,
}

impl Values {
    pub(super) fn new(thread: usize, value_bytes_max: usize) -> Self {
        // Ones, because zeros come from untouched pages.
        let buffer = vec![1; value_bytes_max];
        let writer = ValueWriter::new(thread as u16, value_bytes_max);
        Self { writer, checker: ValueChecker::new(value_bytes_max), buffer }
    }
}

/// One thread's way to make and destroy objects.
pub(super) trait Target {
    /// Makes an object of `bytes` bytes and writes every one of them; returns its handle.
    fn create(&mut self, bytes: usize) -> Result<u64, Refused>;

    /// Destroys an object, made by any thread, and checks a sample of them first.
    fn destroy(&mut self, handle: u64, bytes: usize);

    /// Checks an object's bytes.
    fn verify(&mut self, handle: u64, bytes: usize);

    /// What was checked so far.
    fn verification(&self) -> Verification;

    /// Gives back what this thread can.
    fn trim(&mut self);
}

/// Why an object could not be made.
#[derive(Debug)]
pub(super) enum Refused {
    /// There is no memory.
    Full,
    /// Something no amount of memory would help.
    Broken(String),
}

/// One in so many destroyed objects is checked first.
pub(super) const CHECK_EVERY: u64 = 64;
