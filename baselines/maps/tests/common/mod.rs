//! What the tests of all maps share: each test runs on each map, with random numbers, values that
//! describe themselves and a heap that counts.
#![allow(dead_code, unused_macros, unused_imports, reason = "each file of tests uses a part")]

mod test_heap;

use engine::KvEngine;

pub(crate) use test_heap::TestHeap;

/// Header of a row.
pub(crate) const HEADER_BYTES: u64 = 12;

/// A test of any map, for each of them.
macro_rules! for_each_map {
    ($($name:ident)*) => { $(
        mod $name {
            use baseline_maps::{Dashmap, MapStore, Papaya, Scc, Skiplist, Striped};

            #[test]
            fn dashmap() { super::$name(MapStore::<Dashmap>::open); }
            #[test]
            fn papaya() { super::$name(MapStore::<Papaya>::open); }
            #[test]
            fn scc() { super::$name(MapStore::<Scc>::open); }
            #[test]
            fn skiplist() { super::$name(MapStore::<Skiplist>::open); }
            #[test]
            fn striped() { super::$name(MapStore::<Striped>::open); }
        }
    )* };
}
pub(crate) use for_each_map;

/// A small generator with a full period (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

pub(crate) fn statistic(engine: &impl KvEngine, name: &str) -> u64 {
    let statistics = engine.statistics();
    let found = statistics.iter().find(|statistic| statistic.name == name);
    found.unwrap_or_else(|| panic!("no statistic {name} in {statistics:?}")).value as u64
}

/// A value that names its key and writer, at a length of its own.
pub(crate) fn described(key: u64, writer: u64, version: u64) -> Vec<u8> {
    let words = [key, writer, version, key ^ writer.rotate_left(17) ^ version.rotate_left(34)];
    let repeated = words.iter().cycle().take(4 + (version % 29) as usize);
    repeated.flat_map(|word| word.to_le_bytes()).collect()
}

/// Key, writer and version of a whole value of [`described`].
pub(crate) fn parse(value: &[u8]) -> (u64, u64, u64) {
    let word = |index: usize| u64::from_le_bytes(value[index * 8..][..8].try_into().unwrap());
    let (key, writer, version) = (word(0), word(1), word(2));
    assert_eq!(value, described(key, writer, version), "a torn value");
    (key, writer, version)
}
