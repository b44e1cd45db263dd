//! Folders on a tmpfs: others are refused.

use std::path::Path;

use engine::OpenError;
use kit::tmpfs::{SHARED_MEMORY, create_folder, free_bytes};

const PREFIX: &str = "kit-test-";

#[test]
fn other_file_systems_and_too_little_space_are_refused() {
    let elsewhere = create_folder(Path::new("/proc"), PREFIX, 0).unwrap_err();
    assert!(matches!(elsewhere, OpenError::BadSetting { .. }), "{elsewhere}");
    let nowhere = create_folder(Path::new("/no such folder"), PREFIX, 0).unwrap_err();
    assert!(matches!(nowhere, OpenError::BadSetting { .. }), "{nowhere}");
    let tmpfs = Path::new(SHARED_MEMORY);
    if let Err(error) = free_bytes(tmpfs) {
        eprintln!("skipped: {error}");
        return;
    }
    let huge = create_folder(tmpfs, PREFIX, u64::MAX).unwrap_err();
    assert!(matches!(huge, OpenError::Missing { .. }), "{huge}");
}
