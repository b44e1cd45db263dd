//! One writer a folder: a lock that ends with the process that holds it, however that ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

/// The lock's file; it stays, and means nothing where no process holds it.
const NAME: &str = "lock";

/// How often a lock that is held is tried again, and how long apart: a child that was being
/// started when its parent was killed holds it until it runs a program of its own.
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
    /// Who holds it, or the system's.
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
        // Only for the message above.
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
