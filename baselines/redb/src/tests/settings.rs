//! Settings: what is read, what is refused, what is said.

use std::collections::BTreeMap;

use baseline_redb::{Redb, RedbConfig};
use engine::{Durability, KvEngine as _, OpenError, OpenStore as _, Setup};
use kit::disk::{DiskFolder, OnDisk};
use kit::folder::is_in_memory;
use kit::testing::setting;

fn configured(options: &[(&str, &str)]) -> Result<RedbConfig, OpenError> {
    let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
    let setup = Setup {
        object_memory_bytes: Some(16 << 20),
        live_bytes: 1 << 20,
        records_max: 1000,
        value_bytes_max: 1000,
        sessions: 1,
        cache_bytes: None,
        resident: false,
        tells_updates: false,
        options: options.iter().map(owned).collect::<BTreeMap<_, _>>(),
        folder: None,
        heap: None,
    };
    let mut options = setup.options();
    let config = Redb::configure(&setup, &mut options)?;
    options.finish().map(|()| config)
}

#[test]
fn every_setting_reaches_the_store() {
    let heap = [("files", "heap"), ("log", "none"), ("cache-bytes", "2097152")];
    let disk = [("files", "disk"), ("log", "queued"), ("group-commits", "7")];
    for options in [heap, disk] {
        if options == disk && is_in_memory(&std::env::temp_dir()) {
            eprintln!("skipped: no disk");
            continue;
        }
        let store = Redb::open(configured(&options).unwrap()).unwrap();
        for (name, value) in options {
            assert_eq!(setting(&store, name), value);
        }
        assert_eq!(setting(&store, "object_memory_bytes"), (16 << 20).to_string());
    }
}

#[test]
fn what_redb_cannot_keep_is_refused_by_name() {
    for (options, words) in [
        (&[("cache-bytes", "1")][..], "`cache-bytes` = `1`"),
        (&[("group-commits", "0")], "`group-commits` = `0`"),
        (&[("files", "tmpfs")], "accepted are heap, disk"),
        (&[("log", "process")], "`log` = `process`: accepted are none, unless files=disk"),
        (&[("files", "disk"), ("log", "none")], "accepted are queued, process, acknowledged"),
        (&[("stripes", "4")], "unknown setting `stripes`"),
    ] {
        let error = configured(options).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    let disk = OnDisk { folder: DiskFolder::Below("/tmp".into()), durability: Durability::None };
    let error = Redb::open(RedbConfig { disk: Some(disk), ..RedbConfig::default() }).unwrap_err();
    assert!(error.to_string().contains("`log` = `none`"), "{error}");
    let grouped = RedbConfig { group_commits: 0, ..RedbConfig::default() };
    let error = Redb::open(grouped).unwrap_err();
    assert!(error.to_string().contains("`group-commits` = `0`"), "{error}");
    // A file system on which nothing can be synchronised.
    let disk =
        OnDisk { folder: DiskFolder::Below("/dev/shm".into()), durability: Durability::Process };
    let error = Redb::open(RedbConfig { disk: Some(disk), ..RedbConfig::default() }).unwrap_err();
    assert!(matches!(error, OpenError::Unusable { .. }), "{error}");
}

#[test]
fn the_version_that_is_said_is_the_one_that_is_built() {
    let lock = include_str!("../../../../Cargo.lock");
    let store = Redb::open(RedbConfig::default()).unwrap();
    let said = setting(&store, "library");
    let (name, version) = said.split_once(' ').unwrap();
    let built = format!("name = \"{name}\"\nversion = \"{version}\"\n");
    assert!(lock.contains(&built), "{said} is not in Cargo.lock");
    assert_eq!(store.presence().threads, 0);
}
