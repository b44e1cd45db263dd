//! Settings: what is read, what is refused, what is said.

use std::collections::BTreeMap;

use super::where_it_fits;
use baseline_fjall::{Fjall, FjallConfig};
use engine::{Durability, KvEngine as _, OpenError, OpenStore as _, Setup};
use kit::disk::{DiskFolder, OnDisk};
use kit::folder::is_in_memory;
use kit::testing::setting;

fn configured(options: &[(&str, &str)]) -> Result<FjallConfig, OpenError> {
    let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
    let setup = Setup {
        object_memory_bytes: Some(16 << 20),
        live_bytes: 1 << 20,
        records_max: 1000,
        value_bytes_max: 1000,
        sessions: 1,
        cache_bytes: None,
        resident: false,
        tells_updates: true,
        options: options.iter().map(owned).collect::<BTreeMap<_, _>>(),
        folder: None,
        heap: None,
    };
    let mut options = setup.options();
    let config = Fjall::configure(&setup, &mut options)?;
    options.finish().map(|()| config)
}

#[test]
fn every_setting_reaches_the_store() {
    let memory = [
        ("files", "tmpfs"),
        ("log", "none"),
        ("write-buffer-bytes", "131072"),
        ("block-cache-bytes", "2097152"),
        ("worker-threads", "3"),
        ("stripes", "4"),
        ("ask-presence", "true"),
    ];
    let disk = [("files", "disk"), ("log", "queued"), ("ask-presence", "false")];
    for options in [&memory[..], &disk] {
        if options == disk && is_in_memory(&std::env::temp_dir()) {
            eprintln!("skipped: no disk");
            continue;
        }
        let config = configured(options).unwrap();
        where_it_fits(
            || Fjall::open(config.clone()),
            |open| {
                let store = open();
                for (name, value) in options {
                    assert_eq!(setting(&store, name), *value);
                }
                let bound =
                    if options == disk { "none".to_owned() } else { (16 << 20).to_string() };
                assert_eq!(setting(&store, "object_memory_bytes"), bound);
                assert_eq!(store.presence().threads, config.worker_threads);
            },
        );
    }
}

#[test]
fn what_fjall_cannot_keep_is_refused_by_name() {
    for (options, words) in [
        (&[("worker-threads", "0")][..], "`worker-threads` = `0`"),
        (&[("write-buffer-bytes", "1")], "`write-buffer-bytes` = `1`"),
        (&[("stripes", "3")], "`stripes` = `3`"),
        (&[("files", "heap")], "accepted are tmpfs, disk"),
        (&[("log", "acknowledged")], "accepted are none, unless files=disk"),
        (&[("files", "disk"), ("log", "none")], "accepted are queued, process, acknowledged"),
        (&[("cache-bytes", "4")], "unknown setting `cache-bytes`"),
    ] {
        let error = configured(options).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    let refused = |config: FjallConfig| Fjall::open(config).unwrap_err();
    let on = |folder: &str, durability| {
        let folder = DiskFolder::Below(folder.into());
        FjallConfig { disk: Some(OnDisk { folder, durability }), ..FjallConfig::default() }
    };
    let error = refused(on("/tmp", Durability::None)).to_string();
    assert!(error.contains("`log` = `none`"), "{error}");
    // A file system on which nothing can be synchronised.
    let error = refused(on("/dev/shm", Durability::Process));
    assert!(matches!(error, OpenError::Unusable { .. }), "{error}");
    let error = refused(FjallConfig { tmpfs: "/proc".into(), ..FjallConfig::default() });
    assert!(error.to_string().contains("`tmpfs`"), "{error}");
    let error = refused(FjallConfig { stripes: 3, ..FjallConfig::default() });
    assert!(error.to_string().contains("`stripes` = `3`"), "{error}");
}

#[test]
fn the_version_that_is_said_is_the_one_that_is_built() {
    let lock = include_str!("../../../../Cargo.lock");
    where_it_fits(
        || Fjall::open(FjallConfig::default()),
        |open| {
            let said = setting(&open(), "library");
            let (name, version) = said.split_once(' ').unwrap();
            let built = format!("name = \"{name}\"\nversion = \"{version}\"\n");
            assert!(lock.contains(&built), "{said} is not in Cargo.lock");
        },
    );
}
