//! What a cache makes resident is what its census says, seen from outside: alone in its process.

use super::small_cache::config;
use baseline_mica::cache::{Config, Eviction};
use baseline_mica::{Crcw, MicaCache};
use engine::{KvEngine, KvSession};
use kit::testing::{Alone, fill, resident_bytes, statistic, version_of};

const PARTITIONS: usize = 16;
const SLACK_BYTES: u64 = 2 << 20;

/// Filled several times over, on huge pages and small ones, resident at once or bit by bit.
#[test]
fn no_more_is_resident_than_the_capacity() {
    Alone::new(module_path!(), "no_more_is_resident_than_the_capacity").run(fill_several_times);
}

fn fill_several_times() {
    for (huge_pages, resident) in [(true, false), (false, false), (true, true), (false, true)] {
        let before = resident_bytes();
        let settings = config(PARTITIONS, 100_000, Eviction::Lru);
        let cache = MicaCache::<Crcw>::open(Config { huge_pages, resident, ..settings }).unwrap();
        let census = cache.memory();
        let capacity = census.capacity_bytes.expect("it is bounded");
        let least = census.object_memory_bytes + census.index_bytes / 2;
        let opened = resident_bytes() - before;
        if resident {
            assert!(opened >= least, "{opened} bytes resident of {least}");
        } else {
            assert!(opened < SLACK_BYTES, "{opened} bytes before anything is stored");
        }
        let mut session = cache.session().unwrap();
        let mut value = [0; 1000];
        for key in 0..3 * census.object_memory_bytes / 1024 {
            fill(key, key, &mut value);
            session.put(key, &value).unwrap();
        }
        let last = 3 * census.object_memory_bytes / 1024 - 1;
        assert_eq!(session.get(last, &mut value), Ok(Some(1000)));
        assert_eq!(version_of(last, &value), last);
        let filled = resident_bytes() - before;
        assert!(filled >= least, "{filled} bytes resident, which hold {least}");
        assert!(filled <= capacity + SLACK_BYTES, "{filled} bytes resident of {capacity}");
        let huge = statistic(&cache, "huge_page_bytes");
        // Where huge pages are asked for the system may still refuse.
        assert!(huge_pages || huge == 0.0, "{huge} bytes on huge pages that nobody asked for");
        drop(session);
        drop(cache);
        let left = resident_bytes().saturating_sub(before);
        assert!(left < SLACK_BYTES, "{left} bytes are left behind");
    }
}
