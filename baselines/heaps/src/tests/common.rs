//! What the tests share: running a test again in a process with the environment a heap needs,
//! and blocks whose every byte can be checked.

use std::ptr::NonNull;

use engine::{Environment, Heap, OpenError, Setting};
use kit::testing::Alone;

/// Runs `body` in a process of its own that starts with `environment`. Variables must be there when
/// a process starts, and a heap in a fresh process has no history. The test is named as for
/// [`Alone::new`].
pub(crate) fn in_child(
    (module, name): (&str, &str),
    environment: &[Environment],
    body: impl FnOnce(),
) {
    let alone = Alone::new(module, name);
    let with = |alone: Alone, (variable, value): (String, String)| alone.env(&variable, &value);
    joined(environment).into_iter().fold(alone, with).run(body);
}

/// The union of environments; values of `GLIBC_TUNABLES` are joined, for it is one variable.
fn joined(environments: &[Environment]) -> Vec<(String, String)> {
    let mut union: Vec<(String, String)> = Vec::new();
    for &(variable, value) in environments.iter().copied().flatten() {
        match union.iter_mut().find(|(known, _)| known == variable) {
            Some((_, known)) if variable == "GLIBC_TUNABLES" => {
                known.push(':');
                known.push_str(value);
            }
            Some((_, known)) => value.clone_into(known),
            None => union.push((variable.to_owned(), value.to_owned())),
        }
    }
    union
}

/// Opens a heap. `false` when this machine lacks it, which is said and is no failure.
pub(crate) fn opened(heap: &dyn Heap) -> bool {
    match heap.open() {
        Ok(()) => {
            heap.thread_start();
            true
        }
        Err(error @ OpenError::Missing { .. }) => {
            eprintln!("skipped {}: {error}", heap.traits().name);
            false
        }
        Err(error) => panic!("{}: {error}", heap.traits().name),
    }
}

/// A setting's value.
pub(crate) fn setting(heap: &dyn Heap, name: &str) -> String {
    let settings = heap.settings();
    let found = settings.iter().find(|setting| setting.name == name);
    found
        .map(|setting: &Setting| setting.value.clone())
        .unwrap_or_else(|| panic!("{} has no setting `{name}`: {settings:?}", heap.traits().name))
}

/// What a heap claims that its `purge` gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purge {
    /// Nothing: there is no such function.
    None,
    /// What exceeds its caches.
    Partial,
    /// Nearly all that is free.
    Full,
}

/// Reads the claim from the setting `purge`.
pub(crate) fn purge_claim(heap: &dyn Heap) -> Purge {
    match setting(heap, "purge") {
        mechanism if mechanism == "none" => Purge::None,
        mechanism if mechanism.starts_with("partial: ") => Purge::Partial,
        _ => Purge::Full,
    }
}

/// A live block, filled with a pattern of its own.
#[derive(Debug)]
pub(crate) struct Block {
    start: NonNull<u8>,
    bytes: usize,
    seed: u8,
    returned: Returned,
}

/// By which call a block goes back.
#[derive(Clone, Copy, Debug)]
enum Returned {
    Freed,
    /// With its alignment, 0 where none was asked for.
    Released(usize),
}

// SAFETY: a block is memory that one owner at a time may use; any thread may free it.
unsafe impl Send for Block {}

impl Block {
    /// Allocates and writes every byte, the usable ones beyond the request too.
    pub(crate) fn new(heap: &dyn Heap, bytes: usize, seed: u8) -> Self {
        let name = heap.traits().name;
        let start = heap.allocate(bytes).unwrap_or_else(|| panic!("{name}: {bytes} bytes"));
        let alignment = if bytes <= 8 { 8 } else { 16 };
        assert!(start.addr().get().is_multiple_of(alignment), "{name}: {bytes} bytes at {start:?}");
        let block = Self { start, bytes, seed, returned: Returned::Freed };
        block.fill(heap);
        block
    }

    /// The same at a multiple of `alignment`.
    pub(crate) fn aligned(heap: &dyn Heap, bytes: usize, alignment: usize, seed: u8) -> Self {
        let name = heap.traits().name;
        let start = heap.allocate_aligned(bytes, alignment);
        let start = start.unwrap_or_else(|| panic!("{name}: {bytes} bytes at {alignment}"));
        let at = start.addr().get();
        assert!(at.is_multiple_of(alignment), "{name}: {bytes} bytes at {at:x}, not {alignment}");
        let block = Self { start, bytes, seed, returned: Returned::Released(alignment) };
        block.fill(heap);
        block
    }

    /// Gives the block another size, checks what must have stayed, and writes every byte.
    pub(crate) fn resize(&mut self, heap: &dyn Heap, bytes: usize) {
        let name = heap.traits().name;
        assert!(matches!(self.returned, Returned::Freed | Returned::Released(0)));
        // SAFETY: the block is live, has this size and no alignment was asked for.
        let moved = unsafe { heap.reallocate(self.start, self.bytes, bytes) };
        self.start = moved.unwrap_or_else(|| panic!("{name}: {bytes} bytes"));
        self.check_first(heap, self.bytes.min(bytes));
        *self = Self { bytes, returned: Returned::Released(0), ..*self };
        self.fill(heap);
    }

    fn fill(&self, heap: &dyn Heap) {
        for at in 0..self.span(heap) {
            // SAFETY: `at` is below the bytes the heap says the block has.
            unsafe { self.start.as_ptr().wrapping_add(at).write(self.pattern(at)) };
        }
    }

    /// Where it starts and ends, the usable bytes included.
    pub(crate) fn range(&self, heap: &dyn Heap) -> (usize, usize) {
        let start = self.start.addr().get();
        (start, start + self.span(heap))
    }

    /// Checks every byte.
    pub(crate) fn check(&self, heap: &dyn Heap) {
        self.check_first(heap, self.span(heap));
    }

    fn check_first(&self, heap: &dyn Heap, bytes: usize) {
        for at in 0..bytes {
            // SAFETY: `at` is below the bytes the heap says the block has; all were written, or
            // kept when the block was resized.
            let byte = unsafe { self.start.as_ptr().wrapping_add(at).read() };
            assert_eq!(byte, self.pattern(at), "{}: {self:?} at {at}", heap.traits().name);
        }
    }

    /// Checks every byte, then frees.
    pub(crate) fn free(self, heap: &dyn Heap) {
        self.check(heap);
        match self.returned {
            // SAFETY: the block came from `allocate` with this size; `self` is consumed.
            Returned::Freed => unsafe { heap.free(self.start, self.bytes) },
            // SAFETY: the block was last asked for with this size and alignment; `self` is consumed.
            Returned::Released(alignment) => unsafe {
                heap.release(self.start, self.bytes, alignment);
            },
        }
    }

    fn span(&self, heap: &dyn Heap) -> usize {
        // SAFETY: the block is live, `free` consumes it.
        let usable = unsafe { heap.usable_bytes(self.start) }.unwrap_or(self.bytes);
        assert!(usable >= self.bytes, "{}: {self:?} has {usable} usable", heap.traits().name);
        usable
    }

    fn pattern(&self, at: usize) -> u8 {
        self.seed.wrapping_add((at as u8).wrapping_mul(31)).wrapping_add((at >> 8) as u8)
    }
}
