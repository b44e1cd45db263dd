//! Proof that no heap interposes on another: 65,536 blocks of 1000 bytes through one move its own
//! statistics and nobody else's.

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

use super::common::{in_child, opened};
use engine::{Environment, Heap, HeapStatistics};

const BLOCKS: usize = 65_536;
const BLOCK_BYTES: usize = 1000;
const EXPECTED_BYTES: f64 = (BLOCKS * BLOCK_BYTES) as f64;
/// What a foreign statistic may move by: bookkeeping of this test (printed lines, maps of pages).
const FOREIGN_BYTES_MAX: i64 = 2 << 20;

#[test]
fn an_allocation_moves_only_its_own_heap() {
    let environments: Vec<Environment> =
        heaps::all().iter().map(|heap| heap.traits().environment).collect();
    in_child((module_path!(), "an_allocation_moves_only_its_own_heap"), &environments, matrix);
}

#[test]
fn malloc_is_still_the_c_librarys() {
    for heap in heaps::all() {
        // Only those loaded at run time could change what the name means; missing ones cannot.
        let _ = heap.open();
    }
    // SAFETY: all fields are pointers, for which null is a value.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: an address of this process and an out-parameter that outlives the call.
    let found = unsafe { libc::dladdr(libc::malloc as *const c_void, &raw mut info) };
    assert_ne!(found, 0, "malloc belongs to no object");
    // SAFETY: `dladdr` succeeded, so this is the NUL-terminated path of a loaded object.
    let path = unsafe { CStr::from_ptr(info.dli_fname) }.to_string_lossy().into_owned();
    assert!(path.contains("libc.so") || path.contains("libc-"), "malloc resolves to {path}");
}

fn matrix() {
    let mut heaps: Vec<&dyn Heap> =
        heaps::all().iter().copied().filter(|&heap| opened(heap)).collect();
    // gperftools grows by `brk`, and glibc counts what lies between two growths of its own as its
    // own. Last in line, nothing of the kind happens after it.
    heaps.sort_by_key(|heap| heap.traits().name == "gperftools");

    // Nothing below may grow a vector: the program's own allocations count as glibc's.
    let mut blocks: Vec<NonNull<u8>> = Vec::with_capacity(BLOCKS);
    let mut rows: Vec<Vec<HeapStatistics>> =
        heaps.iter().map(|_| Vec::with_capacity(2 * heaps.len())).collect();

    // A first round, small: every heap takes its first memory, glibc grows past foreign breaks.
    for heap in &heaps {
        allocate(*heap, 1024, &mut blocks);
        free(*heap, &mut blocks);
    }
    for (heap, row) in heaps.iter().zip(&mut rows) {
        row.extend(heaps.iter().map(|heap| heap.statistics()));
        allocate(*heap, BLOCKS, &mut blocks);
        row.extend(heaps.iter().map(|heap| heap.statistics()));
        free(*heap, &mut blocks);
    }
    print(&heaps, &rows);
    for (row, from) in heaps.iter().enumerate() {
        for (column, to) in heaps.iter().enumerate() {
            check(*from, *to, row == column, moved(&rows[row], column));
        }
    }
}

/// How far a heap's two figures moved, where it keeps them.
fn moved(row: &[HeapStatistics], column: usize) -> [Option<i64>; 2] {
    let (before, after) = (row[column], row[column + row.len() / 2]);
    let difference = |before: Option<u64>, after: Option<u64>| {
        before.zip(after).map(|(before, after)| after as i64 - before as i64)
    };
    [
        difference(before.allocated_bytes, after.allocated_bytes),
        difference(before.mapped_bytes, after.mapped_bytes),
    ]
}

fn check(from: &dyn Heap, to: &dyn Heap, own: bool, moved: [Option<i64>; 2]) {
    let (from, to) = (from.traits(), to.traits());
    if !own {
        for bytes in moved.into_iter().flatten() {
            assert!(bytes.abs() <= FOREIGN_BYTES_MAX, "{} moved {} by {bytes}", from.name, to.name);
        }
        return;
    }
    // What it handed out, or what it took from the system where it does not count the former.
    match moved[0].or(moved[1]) {
        Some(bytes) => {
            let ratio = bytes as f64 / EXPECTED_BYTES;
            assert!((0.9..1.6).contains(&ratio), "{} counts {ratio:.3} of its own", to.name);
        }
        None if to.keeps_values => eprintln!("{} was built without statistics", to.name),
        None => {}
    }
}

fn allocate(heap: &dyn Heap, count: usize, blocks: &mut Vec<NonNull<u8>>) {
    for _ in 0..count {
        let block = heap.allocate(BLOCK_BYTES).expect("64 MiB");
        // SAFETY: the block has `BLOCK_BYTES` bytes.
        unsafe { block.as_ptr().write_bytes(1, BLOCK_BYTES) };
        blocks.push(block);
    }
}

fn free(heap: &dyn Heap, blocks: &mut Vec<NonNull<u8>>) {
    for block in blocks.drain(..) {
        // SAFETY: `allocate` took it from this heap with this size; drained, so freed once.
        unsafe { heap.free(block, BLOCK_BYTES) };
    }
}

fn print(heaps: &[&dyn Heap], rows: &[Vec<HeapStatistics>]) {
    eprint!("{:<11}", "KiB");
    for heap in heaps {
        eprint!("{:>11}", heap.traits().name);
    }
    eprintln!("  (allocated, else mapped)");
    for (heap, row) in heaps.iter().zip(rows) {
        eprint!("{:<11}", heap.traits().name);
        for column in 0..heaps.len() {
            let [allocated, mapped] = moved(row, column);
            match allocated.or(mapped) {
                Some(bytes) => eprint!("{:>11}", bytes / 1024),
                None => eprint!("{:>11}", "-"),
            }
        }
        eprintln!();
    }
}
