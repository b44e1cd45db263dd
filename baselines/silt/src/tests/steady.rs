//! A store in steady state, under uniform updates of a constant amount of data: write
//! amplification, memory and reads against the equations of §2.4.

use std::time::Instant;

use baseline_silt::equations::{
    Load, SORTED_BYTES_PER_ITEM, measured_memory, measured_reads, measured_write_amplification,
};
use baseline_silt::{Acknowledge, Counter, Params, Scratch, Store, of_word};
use kit::folder::Folder;
use kit::testing::{Alone, Random};

use super::common::open;
use super::memory::Memory;

struct Measured {
    load: Load,
    write_amplification: f64,
    memory: f64,
    sorted: f64,
    hits: f64,
    misses: f64,
}

/// Loads `keys`, updates them until a merge ends, and measures from there for `merges` of instance
/// by instance, then asks for `gets` keys that are there and as many that are not.
fn measure(store: &Store, keys: u64, merges: u64, gets: u64) -> Measured {
    let params = *store.params();
    let begun = Instant::now();
    let (mut scratch, mut random) = (Scratch::default(), Random(keys));
    let mut value = [0xA5; 40];
    let mut put = |key: u64, version: u64| {
        value[..8].copy_from_slice(&key.to_le_bytes());
        value[8..16].copy_from_slice(&version.to_le_bytes());
        store.put(&of_word(key), &value, &mut scratch).unwrap();
    };
    (0..keys).for_each(|key| put(key, 0));
    store.merge().unwrap();
    let merged = store.count(Counter::Merges);
    eprintln!("loaded {keys} keys after {:.1} s", begun.elapsed().as_secs_f64());
    let counts = || {
        (store.written_bytes(), store.count(Counter::AppendedBytes), store.count(Counter::Merges))
    };
    // Begin where a merge ends, and end there.
    while store.count(Counter::Merges) == merged {
        put(random.below(keys), 1);
    }
    let before = counts();
    let (mut memory, mut sorted, mut samples, mut turn) = (0.0, 0.0, 0.0, 0);
    while store.count(Counter::Merges) < before.2 + merges {
        put(random.below(keys), 2);
        turn += 1;
        if turn % (keys / 400) == 0 {
            memory += measured_memory(store.index_bytes(), keys);
            sorted += measured_memory(store.sorted_index_bytes(), keys);
            samples += 1.0;
        }
    }
    let after = counts();
    eprintln!("{merges} merges after {:.1} s", begun.elapsed().as_secs_f64());
    // On average HashStores have half of the entries that start a merge.
    let half = params.merge_entries * params.instances as u64 / 2;
    (0..half).for_each(|_| put(random.below(keys), 3));
    let mut scratch = Scratch::default();
    let mut reads = |first: u64| {
        let before = store.reads();
        for _ in 0..gets {
            let key = first + random.below(keys);
            let found = store.get(&of_word(key), &mut scratch).unwrap();
            assert_eq!(found.is_some(), first == 0, "key {key}");
            if let Some(found) = found {
                assert_eq!(found[..8], key.to_le_bytes());
            }
        }
        measured_reads(store.reads() - before, gets)
    };
    let (hits, misses) = (reads(0), reads(1 << 40));
    Measured {
        load: Load {
            keys: keys as f64,
            merge_entries: params.merge_entries as f64,
            tag_bits: params.tag_bits,
            instances: params.instances as f64,
        },
        write_amplification: measured_write_amplification(after.0 - before.0, after.1 - before.1),
        memory: memory / samples,
        sorted: sorted / samples,
        hits,
        misses,
    }
}

impl Measured {
    fn judge(&self, hits_max: f64) {
        let Self { load, write_amplification, memory, sorted, hits, misses } = self;
        let near =
            |measured: f64, computed: f64, share: f64| (measured / computed - 1.0).abs() <= share;
        let (computed, own) =
            (load.memory_bytes(SORTED_BYTES_PER_ITEM), load.memory_bytes(*sorted));
        eprintln!("{load:?}");
        eprintln!(
            "write amplification {write_amplification:.3}, computed {:.3}",
            load.write_amplification()
        );
        eprintln!(
            "memory {memory:.4} B/key, computed {own:.4} with {sorted:.4} for the index, \
             {computed:.4} as printed"
        );
        eprintln!("reads per hit {hits:.4}, per miss {misses:.4}, computed {:.4}", load.reads());
        assert!(near(*write_amplification, load.write_amplification(), 0.05));
        assert!(near(*memory, own, 0.05), "{memory} B/key, computed {own}");
        assert!(*memory <= computed, "not above the equation as printed");
        assert!(*hits <= hits_max, "{hits} reads per hit");
        assert!(near(*misses, load.reads(), 0.10), "{misses} reads per miss");
    }
}

fn params(keys: u64, tag_bits: u32) -> Params {
    Params {
        instances: 1,
        tag_bits,
        merge_entries: keys * 3 / 10,
        acknowledge: Acknowledge::Buffered,
        threads: false,
        ..Params::new(40)
    }
}

#[test]
fn a_small_store_does_what_the_equations_say() {
    let keys = 120_000;
    let store = open(&Memory::default(), params(keys, 9));
    // With so few tags, a GET reads others' records more often.
    measure(&store, keys, 3, 20_000).judge(1.15);
}

fn on_disk(keys: u64, tag_bits: u32) {
    let folder = Folder::create(&std::env::temp_dir(), "silt-steady-").unwrap();
    let store = Store::open(folder.path(), params(keys, tag_bits)).unwrap();
    let measured = measure(&store, keys, 2, 100_000);
    measured.judge(1.02);
    assert!(measured.memory <= 0.75, "{} B/key", measured.memory);
    // What the store counts is what the system was handed.
    let own = store.written_bytes() + store.count(Counter::OtherBytes);
    let handed = handed_bytes();
    eprintln!("{own} bytes written by the store's count, {handed} handed to the system");
    assert!((handed as f64 / own as f64 - 1.0).abs() < 0.001);
    store.close().unwrap();
    let begun = Instant::now();
    let store = Store::open(folder.path(), params(keys, tag_bits)).unwrap();
    eprintln!("opened again after {:.2} s", begun.elapsed().as_secs_f64());
    store.scrub().unwrap();
}

/// Bytes that this process has written.
fn handed_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/io").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("wchar: ")).unwrap();
    line.parse().unwrap()
}

#[test]
#[ignore = "a minute of disk; cargo test -p baseline-silt --release -- --ignored a_million"]
fn a_million_keys_take_what_the_equations_say() {
    Alone::new(module_path!(), "a_million_keys_take_what_the_equations_say")
        .run(|| on_disk(1_000_000, 12));
}

#[test]
#[ignore = "minutes of disk, 3 GiB; cargo test -p baseline-silt --release -- --ignored ten_million"]
fn ten_million_keys_take_what_the_equations_say() {
    Alone::new(module_path!(), "ten_million_keys_take_what_the_equations_say")
        .run(|| on_disk(10_000_000, 15));
}
