//! Stores on a disk that are opened again, after they were closed or their process was killed.

use std::path::Path;

use super::common::where_installed;
use baseline_embedded::{
    DiskFolder, LevelDb, LevelDbConfig, Lmdb, LmdbConfig, OnDisk, RocksDb, RocksDbConfig,
    RocksDbFiles,
};
use engine::conformance::keeps_what_it_acknowledged;
use engine::{Durability, KvEngine, OpenError, Storage};
use kit::folder::{Folder, is_in_memory};
use kit::testing::Alone;
use kit::testing::killed::{Lost, acknowledged, killed_again_and_again, look_into, operate_on};

const NAME: &str = "processes_that_were_killed_have_lost_nothing_that_they_acknowledged";
const STORES: [&str; 3] = ["leveldb", "rocksdb", "lmdb"];
/// Answers before it hands anything over.
const HASTY: &str = "hasty";

fn on_disk(folder: &Path, durability: Durability) -> OnDisk {
    OnDisk { folder: DiskFolder::At(folder.join("store")), durability }
}

fn leveldb(folder: &Path, durability: Durability) -> Result<LevelDb, OpenError> {
    LevelDb::open(LevelDbConfig {
        disk: Some(on_disk(folder, durability)),
        write_buffer_bytes: 128 << 10,
        ..LevelDbConfig::default()
    })
}

fn rocksdb(folder: &Path, durability: Durability) -> Result<RocksDb, OpenError> {
    RocksDb::open(RocksDbConfig {
        files: RocksDbFiles::Disk { on: on_disk(folder, durability), direct: false },
        write_buffer_bytes: 128 << 10,
        ..RocksDbConfig::default()
    })
}

fn lmdb(folder: &Path, durability: Durability) -> Result<Lmdb, OpenError> {
    Lmdb::open(LmdbConfig {
        disk: Some(on_disk(folder, durability)),
        object_memory_bytes: Some(64 << 20),
        ..LmdbConfig::default()
    })
}

/// A folder on a disk; `None` where there is none.
fn folder() -> Option<Folder> {
    let parent = std::env::temp_dir();
    if is_in_memory(&parent) {
        eprintln!("skipped: {} is no disk", parent.display());
        return None;
    }
    Some(Folder::create(&parent, "embedded-reopened-").expect("a folder"))
}

fn reopens<E: KvEngine>(open: fn(&Path, Durability) -> Result<E, OpenError>) {
    for durability in [Durability::Process, Durability::Acknowledged] {
        let (Some(probe), Some(folder)) = (folder(), folder()) else { return };
        where_installed(
            || open(probe.path(), durability),
            |_| {
                let opened = || open(folder.path(), durability).expect("what opened before");
                let store = opened();
                assert_eq!((store.durability(), store.storage()), (durability, Storage::Disk));
                assert_eq!(store.folders(), [folder.path().join("store")]);
                let in_memory = store.statistics().into_iter();
                let in_memory = in_memory.filter(|one| one.name == "unmapped_files_bytes");
                assert_eq!(in_memory.map(|one| one.value).sum::<f64>(), 0.0);
                drop(store);
                keeps_what_it_acknowledged(&opened);
            },
        );
    }
}

#[test]
fn leveldb_keeps_what_it_acknowledged() {
    reopens(leveldb);
}

#[test]
fn rocksdb_keeps_what_it_acknowledged() {
    reopens(rocksdb);
}

#[test]
fn lmdb_keeps_what_it_acknowledged() {
    reopens(lmdb);
}

/// What is done with a store.
enum Task<'a> {
    Operate { hasty: bool, folder: &'a Path },
    Look { folder: &'a Path },
}

fn with<E: KvEngine>(store: &E, task: &Task<'_>) -> Result<u64, Lost> {
    match task {
        Task::Operate { hasty, folder } => operate_on(store, *hasty, folder),
        Task::Look { folder } => return look_into(store, folder),
    }
    Ok(0)
}

/// Opens the store, and does it.
fn opened(
    name: &str,
    durability: Durability,
    folder: &Path,
    task: &Task<'_>,
) -> Result<Result<u64, Lost>, OpenError> {
    Ok(match name {
        "leveldb" => with(&leveldb(folder, durability)?, task),
        "rocksdb" => with(&rocksdb(folder, durability)?, task),
        _ => with(&lmdb(folder, durability)?, task),
    })
}

fn named(name: &str) -> Durability {
    Durability::ALL.into_iter().find(|one| one.name() == name).expect("a durability")
}

/// Kills processes that write to one store, one after the other; `Err` if something was lost. `None` where
/// the store is not installed.
fn lives(name: &str, durability: Durability, way: &str, kills: u64) -> Option<Result<u64, Lost>> {
    let folder = folder()?;
    let look = Task::Look { folder: folder.path() };
    match opened(name, durability, folder.path(), &look) {
        Ok(nothing_yet) => assert_eq!(nothing_yet, Ok(0)),
        Err(error @ OpenError::Missing { .. }) => {
            eprintln!("skipped {name}: {error}");
            return None;
        }
        Err(error) => panic!("{name}: {error}"),
    }
    let most = if durability == Durability::Acknowledged { 60 } else { 3000 };
    let again = || {
        let task = format!("{name} {} {way} {}", durability.name(), folder.path().display());
        Alone::new(module_path!(), NAME).told(&task)
    };
    let told = killed_again_and_again(folder.path(), (kills, most), again, || {
        opened(name, durability, folder.path(), &look).expect("it opens again")
    });
    if let Ok(count) = told {
        assert_eq!(count, acknowledged(folder.path()));
        println!("{name}, {}: {kills} kills, {count} operations", durability.name());
    }
    Some(told)
}

#[test]
fn processes_that_were_killed_have_lost_nothing_that_they_acknowledged() {
    if let Some(task) = Alone::task() {
        let words: Vec<&str> = task.splitn(4, ' ').collect();
        let [name, durability, way, folder] = words[..] else { panic!("four words: {task}") };
        let folder = Path::new(folder);
        let operate = Task::Operate { hasty: way == HASTY, folder };
        _ = opened(name, named(durability), folder, &operate);
        return;
    }
    for name in STORES {
        for durability in [Durability::Process, Durability::Acknowledged] {
            if let Some(told) = lives(name, durability, "soundly", 3) {
                assert!(told.is_ok(), "{name}: {}", told.unwrap_err());
            }
        }
    }
}

#[test]
#[ignore = "600 kills: scripts/kill-stores"]
fn processes_that_were_killed_often_have_lost_nothing_that_they_acknowledged() {
    let kills = std::env::var("NIBBLE_KILLS").map_or(100, |count| count.parse().expect("a number"));
    for name in STORES {
        for durability in [Durability::Acknowledged, Durability::Process] {
            if let Some(told) = lives(name, durability, "soundly", kills) {
                assert!(told.is_ok(), "{name}: {}", told.unwrap_err());
            }
        }
    }
}

/// The looker finds what is lost: of sessions that answer too early, and of a store without a log.
#[test]
fn a_store_that_answers_before_it_hands_over_is_found() {
    let mut found = Vec::new();
    for name in STORES {
        found.extend(lives(name, Durability::Process, HASTY, 5));
    }
    found.extend(lives("rocksdb", Durability::None, "soundly", 5));
    for told in found {
        let lost = told.expect_err("something is lost");
        let text = lost.to_string();
        assert!(text.contains("acknowledged, is lost: there is "), "{text}");
        assert!(lost.operation < lost.acknowledged, "{text}");
    }
}
