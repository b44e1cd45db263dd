//! The roofline of disks: what it appends and reads, and what it refuses.

use std::fs;
use std::path::PathBuf;

use baseline_roofline::disk::{DiskConfig, DiskRoofline, PAGE_BYTES};
use engine::{Durability, KvEngine, KvSession, OpenError, PutOutcome};
use kit::folder::is_in_memory;
use kit::testing::statistic;

fn config(synchronises: bool) -> Option<DiskConfig> {
    let below = std::env::temp_dir();
    if is_in_memory(&below) {
        eprintln!("skipped: {} is no disk", below.display());
        return None;
    }
    Some(DiskConfig { pages: 64, synchronises, below })
}

#[test]
fn puts_are_appended_and_wait_if_they_are_asked_to() {
    for synchronises in [false, true] {
        let Some(config) = config(synchronises) else { return };
        let store = DiskRoofline::open(config).unwrap();
        let mut session = store.session().unwrap();
        for key in 0..10 {
            assert_eq!(session.put(key, &[7; 100]), Ok(PutOutcome::Stored));
        }
        session.delete(3);
        assert_eq!(statistic(&store, "appended_bytes"), 10.0 * 108.0 + 8.0);
        let waited = statistic(&store, "synchronised_appends");
        assert_eq!(waited, if synchronises { 11.0 } else { 0.0 });
        let expected = if synchronises { Durability::Acknowledged } else { Durability::Process };
        assert_eq!(store.durability(), expected);
        let log = store.folders()[0].join("log");
        assert_eq!(log.metadata().unwrap().len(), 1088);
    }
}

/// Bytes that this process has read from files past the page cache, or into it.
fn read_from_files() -> u64 {
    let counts = fs::read_to_string("/proc/self/io").unwrap();
    let read = counts.lines().find_map(|line| line.strip_prefix("read_bytes: ")).unwrap();
    read.parse().unwrap()
}

/// Other tests of this program only add to what is read.
#[test]
fn gets_read_a_page_from_the_device_each() {
    let Some(config) = config(false) else { return };
    let store = DiskRoofline::open(config).unwrap();
    let mut session = store.session().unwrap();
    let before = read_from_files();
    let mut buffer = [0; 100];
    for key in 0..200 {
        assert_eq!(session.get(key, &mut buffer), Ok(Some(100)));
        assert!(buffer.iter().all(|&byte| byte == 0xa5), "no hole was read");
    }
    assert!(read_from_files() - before >= 200 * PAGE_BYTES as u64, "the page cache was passed by");
    let folder = store.folders().remove(0);
    drop(session);
    drop(store);
    assert!(!folder.exists());
}

#[test]
fn files_without_pages_or_without_a_disk_are_refused() {
    let Some(fine) = config(true) else { return };
    let empty = DiskRoofline::open(DiskConfig { pages: 0, ..fine.clone() }).unwrap_err();
    assert_eq!(empty.to_string(), "setting `pages` = `0`: accepted are 1 and above");
    let nowhere = DiskConfig { below: PathBuf::from("/no/such/folder"), ..fine };
    let nowhere = DiskRoofline::open(nowhere).unwrap_err();
    assert!(matches!(nowhere, OpenError::Unusable { .. }), "{nowhere}");
}
