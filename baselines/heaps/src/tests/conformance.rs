//! What every heap must do before a number of it may be published, each heap in a process of its
//! own.

use std::sync::mpsc;
use std::thread;

use super::common::{Block, Purge, in_child, opened, purge_claim};
use engine::Heap;
use kit::testing::{Random, resident_bytes};

/// Defines the tests of one heap.
macro_rules! conformance {
    ($($heap:ident),+) => {
        $(mod $heap {
            use super::*;

            #[test]
            fn blocks_of_all_sizes_do_not_overlap() {
                run(module_path!(), stringify!($heap), "blocks_of_all_sizes_do_not_overlap", sizes);
            }

            #[test]
            fn any_thread_may_free() {
                run(module_path!(), stringify!($heap), "any_thread_may_free", cross_thread_free);
            }

            #[test]
            fn random_operations_keep_every_byte() {
                run(module_path!(), stringify!($heap), "random_operations_keep_every_byte", random_operations);
            }

            #[test]
            fn reallocated_blocks_keep_their_contents() {
                run(module_path!(), stringify!($heap), "reallocated_blocks_keep_their_contents", reallocations);
            }

            #[test]
            fn alignments_are_met_and_any_thread_may_release() {
                run(
                    module_path!(),
                    stringify!($heap),
                    "alignments_are_met_and_any_thread_may_release",
                    alignments,
                );
            }

            #[test]
            fn it_works_after_a_purge() {
                run(module_path!(), stringify!($heap), "it_works_after_a_purge", purge_and_reuse);
            }

            #[test]
            fn a_purge_gives_memory_back() {
                run(module_path!(), stringify!($heap), "a_purge_gives_memory_back", purge_returns);
            }
        })+

        /// The list above is complete.
        #[test]
        fn every_real_heap_is_tested() {
            let tested = [$(stringify!($heap)),+];
            let real: Vec<&str> = heaps::all()
                .iter()
                .map(|heap| heap.traits())
                .filter(|traits| traits.keeps_values)
                .map(|traits| traits.name)
                .collect();
            assert_eq!(real, tested);
        }
    };
}

conformance!(glibc, jemalloc, mimalloc, mimalloc2, tcmalloc, gperftools, snmalloc, rpmalloc, scudo);

/// Defines a test for each variant: settings must not cost correctness.
macro_rules! conformance_of_variants {
    ($($heap:ident: $($variant:ident),+;)+) => {
        mod of_variants {
            $(mod $heap {
                use crate::tests::conformance::run_variant;

                $(#[test]
                fn $variant() {
                    run_variant(module_path!(), stringify!($heap), stringify!($variant));
                })+
            })+
        }

        /// The list above is complete.
        #[test]
        fn every_variant_is_tested() {
            let tested = [$($((stringify!($heap), stringify!($variant))),+),+];
            let all = heaps::all().iter().map(|heap| heap.traits()).flat_map(|traits| {
                traits.variants[1..].iter().map(|variant| (traits.name, variant.name))
            });
            assert_eq!(all.collect::<Vec<_>>(), tested);
        }
    };
}

conformance_of_variants! {
    glibc: fast, small;
    jemalloc: fast, small;
    mimalloc: fast, small;
    mimalloc2: fast, small;
    tcmalloc: fast, small;
    gperftools: fast, small;
    scudo: fast, small;
}

pub(super) fn run_variant(module: &str, name: &str, variant: &str) {
    let heap = heaps::by_name(name).expect("registered");
    let traits = heap.traits();
    let found = traits.variants.iter().find(|known| known.name == variant).expect("a variant");
    in_child((module, variant), &[traits.environment, found.environment], || {
        if opened(heap) {
            cross_thread_free(heap);
            random_operations(heap);
            reallocations(heap);
            alignments(heap);
            purge_and_reuse(heap);
        }
    });
}

fn run(module: &str, name: &str, test: &str, body: fn(&'static dyn Heap)) {
    let heap = heaps::by_name(name).expect("registered");
    in_child((module, test), &[heap.traits().environment], || {
        if opened(heap) {
            body(heap);
        }
    });
}

/// A block of every size to 4 KiB and around every power of two to 1 MiB, all live at once.
fn sizes(heap: &'static dyn Heap) {
    let around = (12..=20).map(|log| 1_usize << log);
    let around = around.flat_map(|power| [power - 1, power, power + 1]);
    let mut blocks: Vec<Block> = (0..=4096)
        .chain(around.filter(|&bytes| bytes <= 1 << 20))
        .chain([100_000, 300_000, 700_000])
        .enumerate()
        .map(|(number, bytes)| Block::new(heap, bytes, number as u8))
        .collect();

    let mut ranges: Vec<_> = blocks.iter().map(|block| block.range(heap)).collect();
    ranges.sort_unstable();
    for pair in ranges.windows(2) {
        assert!(pair[0].1 <= pair[1].0, "{}: blocks {pair:x?} overlap", heap.traits().name);
    }
    for block in blocks.drain(..) {
        block.free(heap);
    }
}

/// One thread allocates, another checks and frees, the first allocates again.
fn cross_thread_free(heap: &'static dyn Heap) {
    const ROUNDS: usize = 20;
    const BATCH: usize = 1000;
    let (sender, receiver) = mpsc::sync_channel::<Vec<Block>>(2);
    let consumer = thread::spawn(move || {
        heap.thread_start();
        let freed: usize = receiver
            .iter()
            .map(|batch| batch.into_iter().map(|block| block.free(heap)).count())
            .sum();
        heap.thread_end();
        freed
    });
    let producer = thread::spawn(move || {
        heap.thread_start();
        let mut random = Random(7);
        for round in 0..ROUNDS {
            let batch = (0..BATCH).map(|_| Block::new(heap, below(&mut random, 2000), round as u8));
            sender.send(batch.collect()).expect("the consumer listens");
        }
        heap.thread_end();
    });
    producer.join().expect("the producer");
    assert_eq!(consumer.join().expect("the consumer"), ROUNDS * BATCH);
}

/// Two threads, each with a table of live blocks of many sizes.
fn random_operations(heap: &'static dyn Heap) {
    let threads: Vec<_> = (1..=2)
        .map(|seed| {
            thread::spawn(move || {
                heap.thread_start();
                churn(heap, &mut Random(seed), 60_000);
                heap.thread_end();
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("a thread of the churn");
    }
}

fn below(random: &mut Random, limit: usize) -> usize {
    random.below(limit as u64) as usize
}

fn churn(heap: &dyn Heap, random: &mut Random, operations: usize) {
    let mut live: Vec<Option<Block>> = (0..1000).map(|_| None).collect();
    for number in 0..operations {
        let slot = below(random, live.len());
        // Mostly small, as in key-value stores; one in 256 is large.
        let bytes_max = if below(random, 256) == 0 { 1 << 20 } else { 1 << (4 + below(random, 8)) };
        let bytes = below(random, bytes_max);
        if let Some(block) = live[slot].take() {
            block.free(heap);
        } else {
            live[slot] = Some(Block::new(heap, bytes, number as u8));
        }
    }
    for block in live.into_iter().flatten() {
        block.free(heap);
    }
}

/// Blocks grow and shrink, a little and a lot, among others that come and go.
fn reallocations(heap: &'static dyn Heap) {
    // One block through every size class and back.
    let mut walker = Block::new(heap, 1, 1);
    let sizes = (0..=21).map(|log| 1_usize << log);
    for bytes in
        sizes.clone().chain(sizes.rev()).flat_map(|bytes| [bytes + 1, bytes, 1 + bytes / 3])
    {
        walker.resize(heap, bytes);
    }
    let threads: Vec<_> = (11..=12)
        .map(|seed| {
            thread::spawn(move || {
                heap.thread_start();
                reallocate_among_others(heap, &mut Random(seed), 20_000);
                heap.thread_end();
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("a thread that reallocates");
    }
    walker.free(heap);
}

fn reallocate_among_others(heap: &dyn Heap, random: &mut Random, operations: usize) {
    let mut live: Vec<Option<Block>> = (0..400).map(|_| None).collect();
    for number in 0..operations {
        let slot = below(random, live.len());
        let bytes_max = if below(random, 128) == 0 { 1 << 19 } else { 1 << (4 + below(random, 9)) };
        let bytes = below(random, bytes_max);
        match (&mut live[slot], below(random, 3)) {
            (Some(block), 0 | 1) => block.resize(heap, bytes),
            (Some(_), _) => live[slot].take().expect("it is there").free(heap),
            (empty, _) => *empty = Some(Block::new(heap, bytes, number as u8)),
        }
    }
    for block in live.into_iter().flatten() {
        block.free(heap);
    }
}

/// Every alignment with sizes below, at and above it; another thread checks and releases.
fn alignments(heap: &'static dyn Heap) {
    let (sender, receiver) = mpsc::sync_channel::<Block>(16);
    let consumer = thread::spawn(move || {
        heap.thread_start();
        let released = receiver.iter().map(|block| block.free(heap)).count();
        heap.thread_end();
        released
    });
    let mut kept = Vec::new();
    let mut made = 0;
    for round in 0..20_usize {
        for alignment in (4..=12).map(|log| 1_usize << log) {
            for bytes in [0, 1, 24, alignment - 1, alignment, alignment + 8, 5000, 70_000] {
                let block = Block::aligned(heap, bytes, alignment, (round * 7 + bytes) as u8);
                made += 1;
                if round % 2 == 0 {
                    sender.send(block).expect("the consumer listens");
                } else {
                    kept.push(block);
                }
            }
        }
    }
    drop(sender);
    let released = consumer.join().expect("the consumer");
    assert_eq!(released + kept.len(), made);
    let mut ranges: Vec<_> = kept.iter().map(|block| block.range(heap)).collect();
    ranges.sort_unstable();
    for pair in ranges.windows(2) {
        assert!(pair[0].1 <= pair[1].0, "{}: blocks {pair:x?} overlap", heap.traits().name);
    }
    for block in kept {
        block.free(heap);
    }
}

/// A purge leaves live blocks alone, and the heap goes on.
fn purge_and_reuse(heap: &'static dyn Heap) {
    let mut blocks: Vec<Block> =
        (0..20_000).map(|number| Block::new(heap, 10 + number % 900, number as u8)).collect();
    let kept: Vec<Block> = blocks.split_off(19_000);
    for block in blocks {
        block.free(heap);
    }
    heap.purge();
    heap.purge();
    churn(heap, &mut Random(3), 10_000);
    for block in kept {
        block.free(heap);
    }
}

/// Of 256 MiB freed, a purge gives most back; what a heap keeps that claims less is reported.
fn purge_returns(heap: &'static dyn Heap) {
    const BLOCKS: usize = 256 << 10;
    const BLOCK_BYTES: usize = 1024;
    let mut blocks: Vec<Block> = Vec::with_capacity(BLOCKS);
    blocks.push(Block::new(heap, BLOCK_BYTES, 0));
    let before = resident_bytes();
    while blocks.len() < BLOCKS {
        blocks.push(Block::new(heap, BLOCK_BYTES, blocks.len() as u8));
    }
    let full = resident_bytes();
    for block in blocks.drain(..) {
        block.free(heap);
    }
    let freed = resident_bytes();
    heap.purge();
    let purged = resident_bytes();
    let mib = |bytes: u64| bytes.saturating_sub(before) >> 20;
    eprintln!(
        "{}: {} MiB full, {} freed, {} purged (above the start)",
        heap.traits().name,
        mib(full),
        mib(freed),
        mib(purged)
    );
    assert!(mib(full) >= 250, "{}: 256 MiB were written", heap.traits().name);
    let kept_mib_max = match purge_claim(heap) {
        Purge::None => u64::MAX,
        Purge::Partial => mib(freed),
        Purge::Full => 64,
    };
    assert!(mib(purged) <= kept_mib_max, "{} keeps {} MiB", heap.traits().name, mib(purged));
}
