//! Folders are private, held while they live, and gone with their owners.

use std::fs::{self, DirBuilder, File};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

use kit::folder::{self, Folder};

const PREFIX: &str = "kit-test-";

#[test]
fn a_folder_is_private_held_and_removed() {
    let folder = Folder::create(&std::env::temp_dir(), PREFIX).unwrap();
    let path = folder.path().to_owned();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
    fs::write(path.join("file"), vec![1; 10_000]).unwrap();
    assert!((10_000..20_000).contains(&folder.files_bytes()), "{}", folder.files_bytes());
    let other = Folder::create(&std::env::temp_dir(), PREFIX).unwrap();
    assert!(path.exists(), "a folder in use is not abandoned");
    assert_ne!(other.path(), path);
    drop(folder);
    assert!(!path.exists());
}

#[test]
fn what_a_killed_process_left_is_removed_and_what_is_held_or_unrelated_is_not() {
    let outer = Folder::create(&std::env::temp_dir(), PREFIX).unwrap();
    let [left, held, unrelated] =
        [format!("{PREFIX}1-left"), format!("{PREFIX}1-held"), "unrelated-1".to_owned()].map(
            |name| {
                let path = outer.path().join(name);
                DirBuilder::new().mode(0o700).create(&path).unwrap();
                fs::write(path.join("file"), b"memory").unwrap();
                path
            },
        );
    let lock = File::open(&held).unwrap();
    lock.lock().unwrap();
    let folder = Folder::create(outer.path(), PREFIX).unwrap();
    assert!(!left.exists() && held.exists() && unrelated.exists());
    // Closing it is not enough: a process that another test starts meanwhile has a copy until it
    // runs its own program.
    lock.unlock().unwrap();
    drop(folder);
    drop(Folder::create(outer.path(), PREFIX).unwrap());
    assert!(!held.exists() && unrelated.exists());
}

#[test]
fn a_parent_that_is_not_there_is_the_systems_error() {
    let error = Folder::create(Path::new("/no such folder"), PREFIX).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[test]
fn files_in_memory_are_told_from_others() {
    let tmpfs = Path::new("/dev/shm");
    match folder::tmpfs_free_bytes(tmpfs) {
        Ok(Some(_)) => {
            assert!(Folder::create(tmpfs, PREFIX).unwrap().is_in_memory());
            let told = folder::told_in_memory(tmpfs).unwrap();
            assert!(told.contains("/dev/shm is no disk") && told.contains("TMPDIR"), "{told}");
        }
        Ok(None) | Err(_) => eprintln!("skipped: no tmpfs at {}", tmpfs.display()),
    }
    for elsewhere in ["/proc", "/no such folder"].map(Path::new) {
        assert!(!folder::is_in_memory(elsewhere));
        assert_eq!(folder::told_in_memory(elsewhere), None);
    }
    assert_eq!(folder::tmpfs_free_bytes(Path::new("/proc")).unwrap(), None);
    let error = folder::tmpfs_free_bytes(Path::new("/no such folder")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}
