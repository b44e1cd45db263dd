//! What the suite does not ask: the last byte of a bound, storms, folders, settings, counters.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fs, thread};

use super::common::where_installed;
use baseline_embedded::{
    LevelDb, LevelDbConfig, Lmdb, LmdbConfig, RocksDb, RocksDbConfig, RocksDbFiles, SHARED_MEMORY,
};
use engine::{
    DeleteOutcome, KvEngine, KvSession, OpenError, PutError, PutOutcome, ScanRange, Writes,
};
use kit::testing::{Alone, statistic};

const MIB: u64 = 1 << 20;

/// RocksDB with buffers so small that tests write files.
fn rocksdb(object_memory_bytes: u64) -> Result<RocksDb, OpenError> {
    RocksDb::open(RocksDbConfig {
        object_memory_bytes: Some(object_memory_bytes),
        write_buffer_bytes: 256 << 10,
        ..RocksDbConfig::default()
    })
}

fn leveldb(object_memory_bytes: u64) -> Result<LevelDb, OpenError> {
    LevelDb::open(LevelDbConfig {
        object_memory_bytes: Some(object_memory_bytes),
        write_buffer_bytes: 256 << 10,
        table_file_bytes: 1 << 20,
        ..LevelDbConfig::default()
    })
}

fn lmdb(object_memory_bytes: u64) -> Result<Lmdb, OpenError> {
    let config = LmdbConfig::default();
    Lmdb::open(LmdbConfig { object_memory_bytes: Some(object_memory_bytes), ..config })
}

/// Puts values under keys that count up until one is refused; how many were stored.
fn fill(session: &mut impl KvSession, value: &[u8]) -> u64 {
    let mut keys = 0;
    while session.put(keys, value).expect("a short value").is_stored() {
        keys += 1;
    }
    keys
}

/// Stores without asking for presence, and says what `store` did for it.
fn writes_without_lookups<E: KvEngine>(open: impl Fn() -> Result<E, OpenError>) {
    where_installed(open, |open| {
        let store = open();
        let mut session = store.session().unwrap();
        for value in [[1; 100], [2; 100]] {
            for key in 0..5000 {
                assert_eq!(session.put(key, &value), Ok(PutOutcome::Stored), "beyond any bound");
            }
        }
        assert_eq!([session.delete(7), session.delete(7)], [DeleteOutcome::Done; 2]);
        assert_eq!(statistic(&store, "lookups_before_writes"), 0.0);
        assert_eq!(store.writes(), Writes::Blind);
        let mut buffer = [0; 100];
        assert_eq!(session.get(6, &mut buffer), Ok(Some(100)));
        assert_eq!((buffer, session.get(7, &mut buffer)), ([2; 100], Ok(None)));
        let memory = store.memory();
        assert_eq!((memory.live_objects, memory.live_value_bytes), (4999, 499_900));
        store.check().unwrap();
    });
}

#[test]
fn writes_look_nothing_up_where_nobody_asks() {
    let (object_memory_bytes, ask_presence) = (Some(100_000), false);
    writes_without_lookups(|| {
        let config = RocksDbConfig::default();
        RocksDb::open(RocksDbConfig { object_memory_bytes, ask_presence, ..config })
    });
    writes_without_lookups(|| {
        let config = LevelDbConfig::default();
        LevelDb::open(LevelDbConfig { object_memory_bytes, ask_presence, ..config })
    });
}

fn bound_is_reached_to_the_last_byte<E: KvEngine>(open: impl Fn() -> Result<E, OpenError>) {
    where_installed(open, |open| {
        let store = open();
        let mut session = store.session().unwrap();
        assert_eq!(fill(&mut session, &[1; 992]), 1000, "objects of 1000 bytes in 1,000,000");
        assert_eq!(session.put(0, &[2; 993]), Ok(PutOutcome::Full));
        assert_eq!(session.put(0, &[3; 992]), Ok(PutOutcome::Updated));
        let error = PutError::ValueTooLarge { value_bytes: 999_993, limit_bytes: 999_992 };
        assert_eq!(session.put(0, &[0; 999_993]), Err(error));
        assert!(session.delete(7).was_present() && !session.delete(7).was_present());
        assert_eq!(session.put(5000, &[4; 992]), Ok(PutOutcome::Inserted));
        let mut buffer = [0; 992];
        assert_eq!(session.get(0, &mut buffer), Ok(Some(992)));
        assert_eq!(buffer, [3; 992], "a refused update changes nothing");
        store.check().unwrap();
    });
}

#[test]
fn the_bound_of_log_structured_stores_is_exact() {
    bound_is_reached_to_the_last_byte(|| rocksdb(1_000_000));
    bound_is_reached_to_the_last_byte(|| leveldb(1_000_000));
}

/// A full store is filled again after all is deleted, with values of another size.
fn fills_again<E: KvEngine>(open: impl Fn() -> Result<E, OpenError>) {
    where_installed(open, |open| {
        let store = open();
        let mut session = store.session().unwrap();
        let first = fill(&mut session, &[1; 1000]);
        let mut stored = first;
        for value_bytes in [100_000, 300, 3000, 1000] {
            assert!((0..stored).all(|key| session.delete(key).was_present()));
            let left = session.scan(ScanRange::up(0, 1), &mut |_, _| {});
            assert_eq!(left, Some(0), "all is deleted");
            store.settle();
            stored = fill(&mut session, &vec![3; value_bytes]);
            assert!(
                stored * (value_bytes as u64 + 8) * 4 > first * 1008,
                "{stored} values of {value_bytes} bytes after {first} of 1000"
            );
            store.check().unwrap();
        }
        assert!(stored * 10 >= first * 9, "{stored} values where {first} were");
    });
}

#[test]
fn a_full_store_is_filled_again_after_deletes() {
    fills_again(|| rocksdb(8 * MIB));
    fills_again(|| leveldb(8 * MIB));
    fills_again(|| lmdb(8 * MIB));
}

/// Four threads write keys of their own and shared ones, and scan across all.
fn stands_a_storm<E: KvEngine>(open: impl Fn() -> Result<E, OpenError>) {
    const THREADS: u64 = 4;
    const ROUNDS: u64 = 4000;
    where_installed(open, |open| {
        let store = open();
        let (inserted, deleted, writes) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let (store, inserted, deleted, writes) = (&store, &inserted, &deleted, &writes);
                scope.spawn(move || {
                    let mut session = store.session().unwrap();
                    let mut buffer = [0; 600];
                    for round in 0..ROUNDS {
                        let key =
                            if round % 3 == 0 { round % 16 } else { round * THREADS + thread };
                        let value = [key as u8; 600];
                        let value = &value[..200 + (key % 400) as usize];
                        match session.put(key, value).unwrap() {
                            PutOutcome::Inserted => _ = inserted.fetch_add(1, Ordering::Relaxed),
                            PutOutcome::Updated => {}
                            other => panic!("a store that is nearly empty is {other:?}"),
                        }
                        writes.fetch_add(1 + u64::from(round % 5 == 0), Ordering::Relaxed);
                        if round % 5 == 0 && session.delete(key).was_present() {
                            deleted.fetch_add(1, Ordering::Relaxed);
                        } else if let Some(bytes) = session.get(key, &mut buffer).unwrap() {
                            assert_eq!(&buffer[..bytes], value, "key {key}");
                        }
                        if round % 500 == 0 {
                            let mut keys = Vec::new();
                            session.scan(ScanRange::up(round, 100), &mut |key, value| {
                                assert_eq!(value[0], key as u8);
                                keys.push(key);
                            });
                            assert!(keys.is_sorted_by(|one, next| one < next));
                        }
                    }
                });
            }
        });
        store.settle();
        store.check().unwrap();
        let live = store.memory().live_objects;
        assert_eq!(live, inserted.into_inner() - deleted.into_inner(), "inserted less deleted");
        let statistics = store.statistics();
        if let Some(lookups) = statistics.iter().find(|one| one.name == "lookups_before_writes") {
            assert_eq!(lookups.value, writes.into_inner() as f64, "one for each write");
        }
        store.trim();
        store.check().unwrap();
    });
}

#[test]
fn four_threads_and_their_counts_agree() {
    stands_a_storm(|| rocksdb(64 * MIB));
    stands_a_storm(|| leveldb(64 * MIB));
    stands_a_storm(|| lmdb(64 * MIB));
}

/// A folder of the test's own on the machine's tmpfs, removed with what is in it.
struct TestFolder(PathBuf);

impl TestFolder {
    fn new(name: &str) -> Self {
        let path = Path::new(SHARED_MEMORY).join(format!("{name}-{}", std::process::id()));
        // Where there is no such tmpfs the store says so.
        _ = fs::create_dir(&path);
        Self(path)
    }

    fn entries(&self) -> usize {
        fs::read_dir(&self.0).map_or(0, Iterator::count)
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

fn leaves_nothing<E: KvEngine>(
    folder: &TestFolder,
    held: usize,
    open: impl Fn() -> Result<E, OpenError>,
) {
    where_installed(open, |open| {
        let (one, other) = (open(), open());
        assert_eq!(folder.entries(), 2 * held, "{}", E::TRAITS.name);
        let mut session = one.session().unwrap();
        for key in 0..4000 {
            session.put(key, &[1; 1000]).unwrap();
        }
        one.settle();
        assert!(statistic(&one, "files_bytes") >= 3e6, "4,000,000 bytes were put");
        drop(session);
        drop(one);
        assert_eq!(folder.entries(), held);
        drop(other);
        assert_eq!(folder.entries(), 0);
    });
}

#[test]
fn folders_go_with_their_stores() {
    let folder = TestFolder::new("embedded-folders");
    let tmpfs = || folder.0.clone();
    leaves_nothing(&folder, 1, || {
        let files = RocksDbFiles::Tmpfs(tmpfs());
        let config = RocksDbConfig { files, ..RocksDbConfig::default() };
        RocksDb::open(RocksDbConfig { write_buffer_bytes: 256 << 10, ..config })
    });
    leaves_nothing(&folder, 1, || {
        LevelDb::open(LevelDbConfig { tmpfs: tmpfs(), ..LevelDbConfig::default() })
    });
    // LMDB's files lose their names as soon as they are open.
    leaves_nothing(&folder, 0, || {
        let object_memory_bytes = Some(16 * MIB);
        Lmdb::open(LmdbConfig { tmpfs: tmpfs(), object_memory_bytes, ..LmdbConfig::default() })
    });
}

#[test]
fn rocksdb_on_the_heap_has_no_folder_and_flushes_to_files() {
    where_installed(
        || rocksdb(64 * MIB),
        |open| {
            let store = open();
            let mut session = store.session().unwrap();
            for key in 0..4000 {
                session.put(key, &[1; 1000]).unwrap();
            }
            store.settle();
            assert_eq!(statistic(&store, "files_bytes"), 0.0);
            assert!(statistic(&store, "table_files_bytes") >= 2e6, "memtables hold 256 KiB");
            assert_eq!(statistic(&store, "running_flushes"), 0.0);
            (0..4000).for_each(|key| assert!(session.delete(key).was_present()));
            store.trim();
            assert!(statistic(&store, "table_files_bytes") < 1e5, "all is deleted");
            store.check().unwrap();
        },
    );
}

#[test]
fn leveldb_compacts_what_is_deleted() {
    where_installed(
        || leveldb(64 * MIB),
        |open| {
            let store = open();
            let mut session = store.session().unwrap();
            for key in 0..4000 {
                session.put(key, &[1; 1000]).unwrap();
            }
            store.settle();
            assert!(statistic(&store, "table_files") >= 1.0);
            assert!(statistic(&store, "compaction_written_bytes") >= 1e6);
            let before_bytes = statistic(&store, "files_bytes");
            (0..4000).for_each(|key| assert!(session.delete(key).was_present()));
            store.trim();
            store.settle();
            let after_bytes = statistic(&store, "files_bytes");
            assert!(after_bytes * 2.0 < before_bytes, "{before_bytes} bytes became {after_bytes}");
        },
    );
}

/// Alone, because all shared memory of a process counts as mapped files.
#[test]
fn files_that_the_process_has_not_mapped_are_told() {
    let measured = || {
        where_installed(
            || LevelDb::open(LevelDbConfig::default()),
            |open| {
                let store = open();
                let mut session = store.session().unwrap();
                for key in 0..4000 {
                    session.put(key, &[1; 1000]).unwrap();
                }
                let unmapped_bytes = statistic(&store, "unmapped_files_bytes");
                assert!(unmapped_bytes >= 3e6, "all is in the log, which is written only");
                // Afterwards all is in tables, which are mapped to read them.
                store.trim();
                let mut buffer = [0; 1000];
                for key in 0..4000 {
                    assert_eq!(session.get(key, &mut buffer), Ok(Some(1000)));
                }
                let files_bytes = statistic(&store, "files_bytes");
                let unmapped_bytes = statistic(&store, "unmapped_files_bytes");
                assert!(files_bytes >= 3e6, "{files_bytes} bytes");
                assert!(unmapped_bytes < files_bytes / 2.0, "{unmapped_bytes} of {files_bytes}");
            },
        );
    };
    Alone::new(module_path!(), "files_that_the_process_has_not_mapped_are_told").run(measured);
}

#[test]
fn lmdb_tells_of_its_pages() {
    where_installed(
        || lmdb(16 * MIB),
        |open| {
            let store = open();
            let mut session = store.session().unwrap();
            for key in 0..2000 {
                session.put(key, &[1; 1000]).unwrap();
            }
            session.put(9000, &[1; 10_000]).unwrap();
            assert!(statistic(&store, "depth_pages") >= 2.0);
            assert!(statistic(&store, "leaf_pages") >= 500.0, "three or four objects a page");
            assert_eq!(statistic(&store, "overflow_pages"), 3.0, "10,016 bytes");
            let commits = statistic(&store, "committed_transactions");
            assert!(!session.delete(12_345).was_present());
            assert_eq!(statistic(&store, "committed_transactions"), commits, "nothing to commit");
            assert!(session.delete(0).was_present());
            assert_eq!(statistic(&store, "committed_transactions"), commits + 1.0);
            assert_eq!(store.memory().capacity_bytes, Some(16 * MIB));
        },
    );
}

#[test]
fn lmdb_gives_out_as_many_sessions_as_were_asked_for() {
    let config =
        LmdbConfig { object_memory_bytes: Some(8 * MIB), sessions: 3, ..Default::default() };
    where_installed(
        || Lmdb::open(config.clone()),
        |open| {
            let store = open();
            let sessions: Vec<_> = (0..3).map(|_| store.session().unwrap()).collect();
            let error = store.session().unwrap_err();
            assert_eq!(error, engine::SessionError::TooManySessions { limit: 3 });
            store.check().unwrap();
            drop(sessions);
            assert!(store.session().is_ok());
        },
    );
}

#[test]
fn settings_that_make_no_store_are_refused_by_name() {
    fn refused<E>(opened: Result<E, OpenError>, name: &str) {
        match opened {
            Err(OpenError::BadSetting { setting, .. }) => assert_eq!(setting, name),
            Err(error) => panic!("{name}: {error}"),
            Ok(_) => panic!("{name} was accepted"),
        }
    }
    refused(RocksDb::open(RocksDbConfig { stripes: 3, ..Default::default() }), "stripes");
    refused(
        RocksDb::open(RocksDbConfig { write_buffers: 1, ..Default::default() }),
        "write_buffers",
    );
    let none = RocksDbConfig { background_jobs: 0, ..Default::default() };
    refused(RocksDb::open(none), "background_jobs");
    let small = LevelDbConfig { write_buffer_bytes: 1, ..Default::default() };
    refused(LevelDb::open(small), "write_buffer_bytes");
    let elsewhere = LevelDbConfig { tmpfs: "/proc".into(), ..Default::default() };
    refused(LevelDb::open(elsewhere), "tmpfs");
    refused(lmdb(MIB), "object_memory_bytes");
    refused(Lmdb::open(LmdbConfig { sessions: 0, ..Default::default() }), "sessions");
}

#[test]
fn settings_name_the_version_and_what_is_in_force() {
    fn says<E: KvEngine>(open: impl Fn() -> Result<E, OpenError>, name: &str, part: &str) {
        where_installed(open, |open| {
            let settings = open().settings();
            let found = settings.iter().find(|setting| setting.name == name);
            let value = &found.unwrap_or_else(|| panic!("no {name}: {settings:?}")).value;
            assert!(value.contains(part), "{name} = {value}");
        });
    }
    says(|| rocksdb(MIB), "library", "librocksdb.so.7.8.");
    says(|| rocksdb(MIB), "disableWAL", "true");
    says(|| leveldb(MIB), "library", "libleveldb.so.1d 1.");
    says(|| leveldb(MIB), "write-ahead log", "cannot be turned off");
    says(|| lmdb(8 * MIB), "library", "LMDB 0.9.");
    says(|| lmdb(8 * MIB), "reserve_pages", "128");
}
