//! One writer per folder: a lock that ends with the process that holds it, however that process ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

/// The lock file. It stays in the folder, and means nothing while no process locks it.
const NAME: &str = "lock";

/// How often a held lock is tried again. A child that was being started when its parent was killed holds
/// the lock until it runs its own program.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(50);

/// Held until dropped.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of `folder`.
    ///
    /// # Errors
    /// The lock is held (by whom, if known), or an error of the system.
    pub(super) fn take(folder: &Path) -> Result<Self, String> {
        let path = folder.join(NAME);
        let fail = |error: std::io::Error| format!("{}: {error}", path.display());
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(fail)?;
        for attempt in 1.. {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if attempt < TRIES => std::thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => {
                    let mut holder = String::new();
                    let _ = file.read_to_string(&mut holder);
                    return Err(format!(
                        "{}: another process ({}) is writing this run: wait for its end, or stop it",
                        folder.display(),
                        holder.trim()
                    ));
                }
                Err(TryLockError::Error(error)) => return Err(fail(error)),
            }
        }
        // The content only serves the message above.
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()))
            .map_err(fail)?;
        Ok(Self { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up::Folder;

    #[test]
    fn a_second_writer_is_told_who_is_the_first() {
        let folder = Folder::new("lock");
        let first = Lock::take(&folder.0).unwrap();
        let error = Lock::take(&folder.0).unwrap_err();
        let holder = format!("another process ({}) is writing", std::process::id());
        assert!(error.contains(&holder), "{error}");
        drop(first);
        assert!(Lock::take(&folder.0).is_ok());
    }
}
