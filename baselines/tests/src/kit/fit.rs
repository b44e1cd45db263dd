//! Folders that are refused for files that are to survive, and those that are not.

use std::fs;
use std::path::Path;

use engine::OpenError;
use kit::folder::{Folder, Unfit, fit_for_files, is_empty, is_in_memory, synchronise};

fn said(answer: Result<(), Unfit>) -> String {
    answer.unwrap_err().to_string()
}

#[test]
fn folders_without_a_device_are_refused_with_a_remedy() {
    let missing = said(fit_for_files(Path::new("/no/such/folder")));
    assert_eq!(missing, "/no/such/folder is no folder: create it, or name another");
    let memory = Path::new("/dev/shm");
    if is_in_memory(memory) {
        let text = said(fit_for_files(memory));
        assert!(text.contains("/dev/shm is on a file system (tmpfs)"), "{text}");
        assert!(text.ends_with("name a folder on a disk"), "{text}");
        let error = OpenError::from(fit_for_files(memory).unwrap_err());
        assert!(matches!(error, OpenError::Unusable { .. }), "{error}");
    }
    let unwritable = said(fit_for_files(Path::new("/proc/self/fd")));
    assert!(unwritable.contains("/proc/self/fd cannot be written to"), "{unwritable}");
}

#[test]
fn an_empty_folder_on_a_disk_fits_and_stays_empty() {
    let parent = std::env::temp_dir();
    if is_in_memory(&parent) {
        eprintln!("skipped: {} is no disk", parent.display());
        return;
    }
    let folder = Folder::create(&parent, "kit-fit-").unwrap();
    fit_for_files(folder.path()).unwrap();
    is_empty(folder.path()).unwrap();
    fs::write(folder.path().join("thing"), "").unwrap();
    let text = said(is_empty(folder.path()));
    assert!(text.ends_with("is not empty: `thing` is there; name an empty folder"), "{text}");
}

#[test]
fn files_within_folders_count_and_are_synchronised() {
    let folder = Folder::create(&std::env::temp_dir(), "kit-synchronise-").unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    fs::write(folder.path().join("one"), [7; 5000]).unwrap();
    fs::write(inner.join("two"), [7; 5000]).unwrap();
    synchronise(folder.path()).unwrap();
    assert!((10_000..40_000).contains(&folder.files_bytes()), "{}", folder.files_bytes());
    assert!(synchronise(&inner.join("none")).is_err());
}
