//! The paper's systems as scenarios: what an operation of each waits for and moves. `ASSUMPTIONS` states
//! in sentences what is in numbers here.

use std::collections::BTreeMap;

use crate::scenario::{Among, Place, Places, ReadAfterWrite, Scenario, Traffic, Visit};
use crate::zipf::Zipf;

/// The workload of a system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// Share of GETs, from 0 to 1; all shares together are 1.
    pub gets: f64,
    /// Share of overwrites.
    pub updates: f64,
    /// Share of inserted records.
    pub inserts: f64,
    /// Share of deletes.
    pub deletes: f64,
    /// Mean bytes of a value.
    pub value_bytes: f64,
    /// Whether an overwrite may change the length.
    pub sizes_vary: bool,
    /// Popularity of the keys; `None` if uniform.
    pub skewed: Option<Zipf>,
    /// Whether every thread has its own keys.
    pub private: bool,
}

/// Bytes of a cache line.
const LINE_BYTES: f64 = 64.0;
/// Lines of one object that are fetched in parallel.
const LINES_AT_ONCE: f64 = 10.0;
/// Bytes copied per ns.
const COPY_BYTES_PER_NS: f64 = 16.0;
/// Time to take a lock, change a few words and release it, ns.
const SHORT_HOLD_NS: f64 = 20.0;
/// Time to allocate from or free to lists with boundary tags, under their lock, ns.
const HEAP_HOLD_NS: f64 = 100.0;
/// A lock, the state it guards, and the line of the last entry's end.
const HEAD_LINES: f64 = 3.0;
/// A lock, a list's end, and the tags of two neighbours.
const HEAP_LINES: f64 = 4.0;
/// Rows that an allocator's thread cache passes on at once.
const CACHED_ROWS: f64 = 16.0;
/// Time to count in a word that all threads count in, ns.
const COUNT_NS: f64 = 5.0;
/// Time to search a memory component for the place of a new version, and to link it, ns.
const LINK_NS: f64 = 500.0;
/// Lines of a search that no cache holds, one after the other.
const SEARCH_LINES: f64 = 4.0;
/// Arenas of an allocator per core.
const ARENAS_PER_CORE: f64 = 4.0;

/// The scenario of a registered system with `options`; `None` if the system is not modelled here.
#[must_use]
pub fn scenario(system: &str, options: &BTreeMap<String, String>, work: &Work) -> Option<Scenario> {
    let option = |name: &str| options.get(name).map(String::as_str);
    match system {
        "nibble" => Some(nibble(&option, work)),
        "mica" => Some(mica(work)),
        "masstree" => Some(masstree(work)),
        "ramcloud" => {
            let instances = option("instances").map_or(Some(1.0), |count| count.parse().ok())?;
            Some(ramcloud(instances, work))
        }
        "clsm" => Some(clsm(work)),
        "lsm" if option("sync") == Some("clsm") => Some(clsm(work)),
        "lsm" => Some(one_writer(work)),
        _ => None,
    }
}

/// Appends go to the thread's socket, or to the key's. There is a head per core, or a number of them per
/// socket.
fn nibble<'a>(option: &impl Fn(&str) -> Option<&'a str>, work: &Work) -> Scenario {
    let in_place = option("update") == Some("in-place");
    let by_key = option("placement") == Some("key");
    let appends = work.inserts + if in_place { 0.0 } else { work.updates };
    let mut visits = Vec::new();
    if option("epoch") == Some("global-counter") {
        visits.push(one("epoch counter", 1.0, 5.0, 1.0, Places::Equal(1.0), Among::All));
    }
    let heads: Option<f64> = option("heads").and_then(|count| count.parse().ok());
    let random = option("head-choice") == Some("random");
    let head = |places, among| one("head", appends, SHORT_HOLD_NS, HEAD_LINES, places, among);
    match (by_key, heads) {
        (true, _) => visits.push(head(Places::PerThread(1.0), Among::All)),
        (false, Some(heads)) => {
            let among = if random { Among::Socket } else { Among::Dealt };
            visits.push(head(Places::Equal(heads), among));
        }
        // One head per core: no other thread uses it.
        (false, None) => {}
    }
    let overwrites = if in_place { work.updates } else { 0.0 };
    let locked = work.updates - overwrites;
    visits.extend(hot("bucket", work, locked, SHORT_HOLD_NS, 1.0));
    let lines = 1.0 + object_lines(work.value_bytes);
    let copied = SHORT_HOLD_NS + work.value_bytes / COPY_BYTES_PER_NS;
    visits.extend(hot("bucket and object", work, overwrites, copied, lines));

    let bucket = Place { misses: 1.0, bytes: LINE_BYTES };
    let mut traffic = Traffic::default();
    let mut objects = Place::default();
    for (share, bytes) in [
        (work.gets, work.value_bytes),
        (locked, LINE_BYTES),
        (overwrites, 2.0 * work.value_bytes),
        (work.deletes, LINE_BYTES),
    ] {
        add(&mut objects, share * cold(work), Place { misses: 1.0, bytes });
    }
    add(&mut traffic.spread, cold(work), bucket);
    add(if work.private { &mut traffic.local } else { &mut traffic.spread }, 1.0, objects);
    // Fetched and written back; on another socket the first line is waited for.
    let appended = Place { misses: f64::from(by_key), bytes: 2.0 * work.value_bytes };
    add(if by_key { &mut traffic.spread } else { &mut traffic.local }, appends, appended);
    traffic.read_after_write = reread(work);
    Scenario { visits, traffic }
}

/// All data are where the key's hash says, in partitions with a heap each.
fn mica(work: &Work) -> Scenario {
    let lines = 1.0 + object_lines(work.value_bytes);
    let copied = SHORT_HOLD_NS + work.value_bytes / COPY_BYTES_PER_NS;
    let resized = if work.sizes_vary { work.updates } else { 0.0 };
    let allocations = work.inserts + work.deletes + resized;
    let heap = one(
        "partition's heap",
        allocations,
        HEAP_HOLD_NS,
        HEAP_LINES,
        Places::PerThread(1.0),
        Among::All,
    );
    let mut visits = vec![heap];
    visits.extend(hot("bucket and item", work, work.updates, copied, lines));
    let mut spread = Place::default();
    let found = |bytes: f64| Place { misses: 2.0, bytes: LINE_BYTES + bytes };
    add(&mut spread, work.gets * cold(work), found(work.value_bytes));
    add(&mut spread, work.updates * cold(work), found(2.0 * work.value_bytes));
    add(&mut spread, work.inserts, found(2.0 * work.value_bytes));
    add(&mut spread, work.deletes, found(LINE_BYTES));
    Scenario {
        visits,
        traffic: Traffic { spread, read_after_write: reread(work), ..Traffic::default() },
    }
}

/// A tree whose lowest two levels are not cached, with rows from an allocator.
fn masstree(work: &Work) -> Scenario {
    let writes = work.updates + work.inserts;
    let rows = Places::PerThread(ARENAS_PER_CORE);
    let returned = (work.updates + work.deletes) / CACHED_ROWS;
    let arena = one(
        "arena of the allocator",
        returned,
        CACHED_ROWS * SHORT_HOLD_NS,
        CACHED_ROWS,
        rows,
        Among::All,
    );
    let mut visits = Vec::new();
    // Rows of private keys return to the arena they came from.
    if !work.private {
        visits.push(arena);
    }
    visits.extend(hot("border node", work, work.updates, 2.0 * SHORT_HOLD_NS, 2.0));
    let mut traffic = Traffic::default();
    add(&mut traffic.spread, cold(work), Place { misses: 2.0, bytes: 8.0 * LINE_BYTES });
    let read = Place { misses: 1.0, bytes: work.value_bytes };
    let rows = if work.private { &mut traffic.local } else { &mut traffic.spread };
    add(rows, work.gets * cold(work), read);
    let written = Place { misses: 0.0, bytes: 2.0 * work.value_bytes };
    add(&mut traffic.local, writes, written);
    traffic.read_after_write = reread(work);
    Scenario { visits, traffic }
}

/// One log head per instance, under whose lock entries are copied; readers lock their bucket too. One
/// thread faults in the memory of a single instance, which is therefore on one socket.
fn ramcloud(instances: f64, work: &Work) -> Scenario {
    let appends = work.updates + work.inserts + work.deletes;
    let copied = SHORT_HOLD_NS + work.value_bytes / COPY_BYTES_PER_NS;
    let mut visits =
        vec![one("head", appends, copied, HEAD_LINES, Places::Equal(instances), Among::All)];
    visits.extend(hot("bucket", work, work.gets + work.updates, copied, 1.0));
    let mut place = Place::default();
    let found = |bytes: f64| Place { misses: 2.0, bytes: LINE_BYTES + bytes };
    add(&mut place, work.gets * cold(work), found(work.value_bytes));
    add(&mut place, work.updates * cold(work), found(2.0 * work.value_bytes));
    add(&mut place, work.inserts, found(2.0 * work.value_bytes));
    add(&mut place, work.deletes, found(LINE_BYTES));
    let mut traffic = Traffic { read_after_write: reread(work), ..Traffic::default() };
    if instances == 1.0 {
        traffic.first_socket = place;
    } else {
        traffic.spread = place;
    }
    Scenario { visits, traffic }
}

/// Writers meet at two counters, of time and of room in the memory component; readers nowhere.
fn clsm(work: &Work) -> Scenario {
    let writes = work.updates + work.inserts + work.deletes;
    let counter = |what| one(what, writes, COUNT_NS, 1.0, Places::Equal(1.0), Among::All);
    let mut visits = vec![counter("time"), counter("end of the memory component")];
    visits.extend(hot("newest version", work, writes, SHORT_HOLD_NS, 1.0));
    Scenario { visits, traffic: searched(work) }
}

/// LevelDB's scheme: one writer at a time, and a mutex that readers take at both ends, writers to come into
/// the queue and to leave it.
fn one_writer(work: &Work) -> Scenario {
    let writes = work.updates + work.inserts + work.deletes;
    let linked = LINK_NS + work.value_bytes / COPY_BYTES_PER_NS;
    let twice = 2.0 * (work.gets + writes);
    let visits = vec![
        one("turn to write", writes, linked, HEAD_LINES, Places::Equal(1.0), Among::All),
        one("mutex", twice, SHORT_HOLD_NS, HEAD_LINES, Places::Equal(1.0), Among::All),
    ];
    Scenario { visits, traffic: searched(work) }
}

/// What searches of a merge tree read, from anywhere, and what writes add.
fn searched(work: &Work) -> Traffic {
    let writes = work.updates + work.inserts + work.deletes;
    let mut traffic = Traffic { read_after_write: reread(work), ..Traffic::default() };
    let read =
        |bytes: f64| Place { misses: SEARCH_LINES, bytes: SEARCH_LINES * LINE_BYTES + bytes };
    add(&mut traffic.spread, work.gets * cold(work), read(work.value_bytes));
    add(&mut traffic.spread, writes, read(2.0 * work.value_bytes));
    traffic
}

fn one(
    what: &'static str,
    per_operation: f64,
    hold_ns: f64,
    lines: f64,
    places: Places,
    among: Among,
) -> Visit {
    Visit { what, per_operation, hold_ns, lines, places, among }
}

/// Visits to a resource that each of the hottest keys has; none for uniform or private keys.
fn hot(
    what: &'static str,
    work: &Work,
    per_operation: f64,
    hold_ns: f64,
    lines: f64,
) -> Option<Visit> {
    let keys = work.skewed.filter(|_| !work.private && per_operation > 0.0)?;
    Some(one(what, per_operation, hold_ns, lines, Places::Zipf(keys), Among::All))
}

fn reread(work: &Work) -> Option<ReadAfterWrite> {
    let keys = work.skewed.filter(|_| !work.private)?;
    let lines = 1.0 + object_lines(work.value_bytes);
    Some(ReadAfterWrite { reads: work.gets, writes: work.updates, lines, keys })
}

/// Share of the requests that miss the caches.
fn cold(work: &Work) -> f64 {
    work.skewed.map_or(1.0, |keys| 1.0 - keys.share_of_first(Scenario::HOT_RANKS))
}

/// Lines of an object, as transfers one after the other.
fn object_lines(bytes: f64) -> f64 {
    1.0 + (bytes / LINE_BYTES - 1.0).max(0.0) / LINES_AT_ONCE
}

fn add(to: &mut Place, share: f64, what: Place) {
    to.misses += share * what.misses;
    to.bytes += share * what.bytes;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::Curve;
    use crate::machine::tests::shipped;

    fn work(get_percent: f64, theta: f64) -> Work {
        Work {
            gets: get_percent / 100.0,
            updates: 1.0 - get_percent / 100.0,
            inserts: 0.0,
            deletes: 0.0,
            value_bytes: 1024.0,
            sizes_vary: false,
            skewed: (theta > 0.0).then(|| Zipf::new(1 << 20, theta)),
            private: false,
        }
    }

    fn files() -> Work {
        let shares =
            Work { gets: 0.6, updates: 0.2, inserts: 0.1, deletes: 0.1, ..work(60.0, 0.0) };
        Work { value_bytes: 2048.0, sizes_vary: true, private: true, ..shares }
    }

    fn speed_up(system: &str, options: &[(&str, &str)], work: &Work, threads: usize) -> f64 {
        let machine = shipped("superdome-x");
        let options =
            options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let scenario = scenario(system, &options, work).unwrap();
        Curve::fit(&machine, scenario, 400.0).unwrap().speed_up(threads).unwrap()
    }

    #[test]
    fn a_global_epoch_saturates_and_those_of_threads_do_not() {
        let all_gets = Work { value_bytes: 64.0, ..work(100.0, 0.0) };
        let epoch = |kind| speed_up("nibble", &[("epoch", kind)], &all_gets, 240);
        assert!(epoch("thread-counter") > 20.0 * epoch("global-counter"));
        assert_eq!(epoch("thread-counter"), epoch("thread-ticks"));
    }

    #[test]
    fn appends_are_faster_near_and_with_more_heads() {
        let puts = work(0.0, 0.0);
        let place = |at| speed_up("nibble", &[("placement", at)], &work(50.0, 0.0), 240);
        assert!(place("local") > 1.3 * place("key"));
        let heads = |count, choice| {
            speed_up("nibble", &[("heads", count), ("head-choice", choice)], &puts, 240)
        };
        assert!(heads("4", "random") > heads("1", "random"));
        assert!(heads("15", "random") > heads("4", "random"));
        assert!(heads("15", "core") > heads("15", "random"));
    }

    #[test]
    fn skewed_writes_hurt_in_place_more_than_appended() {
        let skewed = work(50.0, 0.99);
        let appended = speed_up("nibble", &[], &skewed, 240);
        let in_place = speed_up("nibble", &[("update", "in-place")], &skewed, 240);
        let mica = speed_up("mica", &[], &skewed, 240);
        assert!(appended > 1.5 * in_place && appended > 1.5 * mica, "{appended} {in_place} {mica}");
        assert!(speed_up("nibble", &[], &work(50.0, 0.0), 240) > appended);
    }

    #[test]
    fn one_head_stops_ramcloud_and_more_instances_help() {
        let writes = work(50.0, 0.0);
        let one = speed_up("ramcloud", &[], &writes, 240);
        let more = speed_up("ramcloud", &[("instances", "2")], &writes, 240);
        let many = speed_up("ramcloud", &[("instances", "240")], &writes, 240);
        assert!(one < 3.0 && more > one && many > 3.0 * more, "{one} {more} {many}");
    }

    #[test]
    fn private_files_stay_near_in_nibble_alone() {
        let nibble = speed_up("nibble", &[], &files(), 135);
        for other in ["mica", "masstree", "ramcloud"] {
            assert!(nibble > speed_up(other, &[], &files(), 135), "{other}");
        }
    }

    #[test]
    fn one_writer_stops_leveldbs_scheme_and_clsm_goes_on() {
        let machine = shipped("two-xeon-e5620");
        let speed_up = |system: &str, sync: Option<&str>, get_percent: f64| {
            let options = sync.map(|sync| ("sync".to_owned(), sync.to_owned()));
            let work = Work { value_bytes: 256.0, ..work(get_percent, 0.0) };
            let scenario = scenario(system, &options.into_iter().collect(), &work).unwrap();
            Curve::fit(&machine, scenario, 2500.0).unwrap().speed_up(16).unwrap()
        };
        let [clsm, lsm] = ["clsm", "lsm"].map(|system| speed_up(system, None, 0.0));
        assert!(clsm > 1.5 * lsm, "writes: {clsm} and {lsm}");
        let [clsm, lsm] = ["clsm", "lsm"].map(|system| speed_up(system, None, 100.0));
        assert!(clsm > 12.0 && clsm > lsm, "reads: {clsm} and {lsm}");
        assert_eq!(speed_up("lsm", Some("clsm"), 50.0), speed_up("clsm", None, 50.0));
        assert_eq!(
            speed_up("lsm", Some("global-lock"), 50.0),
            speed_up("lsm", None, 50.0),
            "the scheme it has by itself"
        );
    }

    #[test]
    fn what_is_not_described_is_not_predicted() {
        assert_eq!(scenario("hashmap", &BTreeMap::new(), &work(50.0, 0.0)), None);
        let wrong = BTreeMap::from([("instances".to_owned(), "many".to_owned())]);
        assert_eq!(scenario("ramcloud", &wrong, &work(50.0, 0.0)), None);
    }
}
