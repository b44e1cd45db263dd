//! What the tests of all maps share: each test runs on each map, with values that describe
//! themselves.

/// Header of a row.
pub(crate) const HEADER_BYTES: u64 = 12;

/// A test of any map, for each of them.
macro_rules! for_each_map {
    ($($name:ident)*) => { $(
        mod $name {
            #[cfg(onetbb)]
            use baseline_maps::OneTbb;
            use baseline_maps::{Congee, Dashmap, Flurry, MapStore, Papaya, Scc, Skiplist, Striped};

            #[test]
            fn congee() { super::$name(MapStore::<Congee>::open); }
            #[test]
            fn dashmap() { super::$name(MapStore::<Dashmap>::open); }
            #[test]
            fn flurry() { super::$name(MapStore::<Flurry>::open); }
            #[cfg(onetbb)]
            #[test]
            fn onetbb() { super::$name(MapStore::<OneTbb>::open); }
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
