//! Record streams for tests and benchmarks of traces.

// Every test and the benchmark use a part of it.
#![allow(dead_code)]

use workloads::trace::{Allocation, AllocationKind, Operation, OperationKind};
use workloads::{Rng, Seed, key_of};

const PAGE_BYTES: u64 = 4096;
const FILES: u64 = 20_000;
const FILE_BYTES_MAX: u64 = 64 << 10;

/// PostMark-like operations through a file system that keeps pages in a store: files of some pages are
/// created, read, appended to and deleted.
#[derive(Debug)]
pub(crate) struct PostMark {
    rng: Rng,
    files: Vec<File>,
    created: u64,
    time_ns: u64,
    /// The rest of the transaction: a file, page by page.
    kind: OperationKind,
    file: u64,
    offset: u64,
    end: u64,
}

#[derive(Clone, Copy, Debug)]
struct File {
    number: u64,
    bytes: u64,
}

impl PostMark {
    pub(crate) fn new(seed: Seed) -> Self {
        let mut postmark = Self {
            rng: seed.rng(),
            files: Vec::new(),
            created: 0,
            time_ns: 0,
            kind: OperationKind::Get,
            file: 0,
            offset: 0,
            end: 0,
        };
        postmark.transact();
        postmark
    }

    fn bytes(&mut self) -> u64 {
        512 + self.rng.below(FILE_BYTES_MAX - 512)
    }

    fn create(&mut self) {
        let file = File { number: self.created, bytes: self.bytes() };
        self.created += 1;
        self.files.push(file);
        (self.kind, self.file, self.offset, self.end) =
            (OperationKind::Put, file.number, 0, file.bytes);
    }

    fn transact(&mut self) {
        let files = self.files.len() as u64;
        let choice = self.rng.below(4);
        if files < FILES || (choice == 0 && files < 2 * FILES) {
            return self.create();
        }
        let at = self.rng.below(files) as usize;
        let File { number, bytes } = self.files[at];
        self.file = number;
        (self.kind, self.offset, self.end) = match choice {
            0 | 1 => {
                self.files.swap_remove(at);
                (OperationKind::Delete, 0, bytes)
            }
            2 => (OperationKind::Get, 0, bytes),
            _ => {
                let longer = bytes + self.rng.below(FILE_BYTES_MAX / 4);
                self.files[at].bytes = longer;
                (OperationKind::Put, bytes / PAGE_BYTES * PAGE_BYTES, longer)
            }
        };
    }
}

impl Iterator for PostMark {
    type Item = Operation;

    fn next(&mut self) -> Option<Operation> {
        while self.offset >= self.end {
            self.transact();
        }
        self.time_ns += 1_500 + self.rng.below(3_000);
        let page_bytes = (self.end - self.offset).min(PAGE_BYTES) as u32;
        let value_bytes = if self.kind == OperationKind::Delete { 0 } else { page_bytes };
        let key = key_of((self.file << 20) + self.offset / PAGE_BYTES);
        self.offset += PAGE_BYTES;
        Some(Operation { time_ns: self.time_ns, kind: self.kind, key, value_bytes, key_bytes: 0 })
    }
}

/// Events of a program with several threads: objects live for a while, and some change their size.
#[derive(Debug)]
pub(crate) struct Program {
    rng: Rng,
    live: Vec<u64>,
    allocated: u64,
}

impl Program {
    pub(crate) fn new(seed: Seed) -> Self {
        Self { rng: seed.rng(), live: Vec::new(), allocated: 0 }
    }
}

impl Iterator for Program {
    type Item = Allocation;

    fn next(&mut self) -> Option<Allocation> {
        let thread = self.rng.below(4) as u32;
        let magnitude = 3 + self.rng.below(12);
        let bytes = 8 + self.rng.below(1 << magnitude);
        let live = self.live.len() as u64;
        let choice = self.rng.below(8);
        if live == 0 || (choice < 4 && live < 10_000) {
            let alignment = if bytes >= 4096 { 4096 } else { 0 };
            let object = self.allocated;
            self.allocated += 1;
            self.live.push(object);
            let kind = AllocationKind::Allocate { bytes, alignment };
            return Some(Allocation { thread, object, kind });
        }
        let at = self.rng.below(live) as usize;
        if choice == 4 {
            let kind = AllocationKind::Reallocate { bytes };
            return Some(Allocation { thread, object: self.live[at], kind });
        }
        let object = self.live.swap_remove(at);
        Some(Allocation { thread, object, kind: AllocationKind::Free })
    }
}
