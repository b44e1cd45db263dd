//! Made-up kernel files for tests of this crate and the crates above it.

use std::fs;
use std::path::PathBuf;

use super::KernelFiles;

#[derive(Debug)]
pub struct MadeUp {
    folder: PathBuf,
}

impl MadeUp {
    pub fn new(test: &str, files: &[(&str, &str)]) -> Self {
        let name = format!("nibble-bench-files-{test}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        for (path, text) in files {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().expect("a writable temporary folder"))
                .expect("a writable temporary folder");
            fs::write(path, text).expect("a writable temporary folder");
        }
        Self { folder }
    }

    pub fn files(&self) -> KernelFiles {
        KernelFiles { root: self.folder.clone() }
    }
}

impl Drop for MadeUp {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
