//! How full the buckets of the index are, at any number of keys.

use super::common::open;
use nibble::{Config, IndexLayout};

/// Whatever the number of keys, the tagged layout wastes little: no doubling leaves it half empty.
#[test]
fn the_tagged_layout_is_nine_tenths_full_at_any_number_of_keys() {
    for partitions in [1, 4] {
        let mut config = Config::best(64 << 20);
        config.index_partitions = partitions;
        let store = open(config);
        let session = store.session().unwrap();
        let (mut next, mut worst) = (20_000, 1.0_f64);
        for key in 0..250_000 {
            session.put(key, &[]).unwrap();
            if key == next {
                next += next / 16;
                worst = worst.min(store.statistics().index_load());
            }
        }
        println!("{partitions} partitions: at least {worst:.3}");
        assert!(worst >= 0.9, "{partitions} partitions: {worst:.3}");
        store.check().unwrap();
    }
}

/// Keys that come and go leave room behind; it is used before the index grows again.
#[test]
fn deleted_entries_are_used_again() {
    for &layout in IndexLayout::ALL {
        let mut config = Config::best(64 << 20);
        config.index = layout;
        let store = open(config);
        let session = store.session().unwrap();
        for key in 0..50_000 {
            session.put(key, &[1; 8]).unwrap();
        }
        let before = store.statistics().index_bytes;
        for key in 50_000..150_000 {
            assert_eq!(session.delete(key - 50_000), Ok(true));
            session.put(key, &[1; 8]).unwrap();
        }
        let after = store.statistics().index_bytes;
        // A sample may look fuller than the table; a wide table doubles a partition because of one
        // full bucket.
        let most = if layout == IndexLayout::Tagged { before * 9 / 8 } else { 2 * before };
        assert!(after <= most, "{layout}: {before} bytes, then {after}");
        store.check().unwrap();
    }
}
