//! The state that the kernel's requests change: files, their contents, and the trace.

use std::collections::HashMap;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use platform::clock::monotonic_ns;
use workloads::postmark::FileCounts;
use workloads::tablefs::{FileError, Handle, Inode, TableFs};
use workloads::trace::Operation;

/// Operations per batch.
const BATCH: usize = 1024;

/// Shared by the file system, which changes it, and the recording, which reads it at the end.
pub(super) type Shared = Arc<Mutex<State>>;

#[derive(Debug)]
pub(super) struct State {
    pub files: TableFs,
    contents: HashMap<Inode, Vec<u8>>,
    /// Counts of file operations, by the requests received.
    pub counts: FileCounts,
    batch: Vec<Operation>,
    /// `None` once the recording has ended.
    batches: Option<SyncSender<Vec<Operation>>>,
    first_ns: Option<u64>,
}

/// The recording has ended: operations are no longer received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ended;

impl State {
    /// An empty file system that sends its operations to `batches`.
    pub(super) fn shared(batches: SyncSender<Vec<Operation>>) -> Shared {
        Arc::new(Mutex::new(Self {
            files: TableFs::new(),
            contents: HashMap::new(),
            counts: FileCounts::default(),
            batch: Vec::with_capacity(BATCH),
            batches: Some(batches),
            first_ns: None,
        }))
    }

    /// Answers a request by `change`, and records the operations it produces.
    pub(super) fn request<T>(
        shared: &Mutex<Self>,
        change: impl FnOnce(&mut Self) -> Result<T, FileError>,
    ) -> Result<Result<T, FileError>, Ended> {
        let mut state = lock(shared);
        if state.batches.is_none() {
            return Err(Ended);
        }
        let result = change(&mut state);
        state.take_down().map(|()| result)
    }

    /// Ends the recording; returns the operations not yet sent.
    pub(super) fn end(&mut self) -> Vec<Operation> {
        self.batches = None;
        std::mem::take(&mut self.batch)
    }

    fn take_down(&mut self) -> Result<(), Ended> {
        let Some(first) = self.files.next_operation() else { return Ok(()) };
        let now_ns = monotonic_ns();
        let time_ns = now_ns - *self.first_ns.get_or_insert(now_ns);
        let rest = std::iter::from_fn(|| self.files.next_operation());
        let operations = std::iter::once(first).chain(rest);
        self.batch.extend(operations.map(|operation| Operation { time_ns, ..operation }));
        if self.batch.len() < BATCH {
            return Ok(());
        }
        let batch = std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH));
        let sent = self.batches.as_ref().is_some_and(|batches| batches.send(batch).is_ok());
        if sent {
            return Ok(());
        }
        self.batches = None;
        Err(Ended)
    }

    /// Up to `bytes` bytes of a file from `offset` on.
    pub(super) fn contents(&self, inode: Inode, offset: u64, bytes: usize) -> &[u8] {
        let Some(contents) = self.contents.get(&inode) else { return &[] };
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(contents.len());
        &contents[start..][..bytes.min(contents.len() - start)]
    }

    /// Writes to an open file.
    pub(super) fn write(
        &mut self,
        inode: Inode,
        handle: Handle,
        offset: u64,
        data: &[u8],
    ) -> Result<(), FileError> {
        // Rejects writes beyond the size limit first, so that the sums below cannot overflow.
        self.files.write(handle, offset, data.len() as u64)?;
        let (start, end) = (offset as usize, offset as usize + data.len());
        self.resize(inode, end, false);
        if let Some(contents) = self.contents.get_mut(&inode) {
            contents[start..end].copy_from_slice(data);
        }
        Ok(())
    }

    /// Truncates or extends a file.
    pub(super) fn truncate(&mut self, inode: Inode, bytes: u64) -> Result<(), FileError> {
        self.files.truncate(inode, bytes)?;
        self.resize(inode, bytes as usize, true);
        Ok(())
    }

    /// Drops the contents of a deleted file.
    pub(super) fn forget(&mut self, inode: Inode) {
        if self.files.attributes(inode).is_none() {
            self.contents.remove(&inode);
        }
    }

    fn resize(&mut self, inode: Inode, bytes: usize, may_shrink: bool) {
        let contents = self.contents.entry(inode).or_default();
        if bytes > contents.len() {
            // Exactly: there are millions of them, and most never grow.
            contents.reserve_exact(bytes - contents.len());
            contents.resize(bytes, 0);
        } else if may_shrink {
            contents.truncate(bytes);
        }
    }
}

/// Locks the state. A panic while it was locked has ended the file system, which the recording notices.
pub(super) fn lock(shared: &Mutex<State>) -> MutexGuard<'_, State> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use super::*;

    #[test]
    fn contents_follow_writes_and_cuts() {
        let (batches, _receiver) = sync_channel(1);
        let shared = State::shared(batches);
        let mut state = lock(&shared);
        let (inode, handle) = state.files.create(Inode::ROOT, b"x").unwrap();
        state.write(inode, handle, 2, b"abc").unwrap();
        assert_eq!(state.contents(inode, 0, 100), b"\0\0abc");
        state.write(inode, handle, 1, b"z").unwrap();
        assert_eq!(state.contents(inode, 1, 2), b"za");
        state.truncate(inode, 4).unwrap();
        state.truncate(inode, 5).unwrap();
        assert_eq!(state.contents(inode, 3, 100), b"b\0");
        assert_eq!(state.contents(inode, u64::MAX, 1), b"");
        assert_eq!(state.write(inode, handle, u64::MAX, b"y"), Err(FileError::TooLarge));
        state.files.unlink(Inode::ROOT, b"x").unwrap();
        state.forget(inode);
        assert_eq!(state.contents(inode, 0, 1), b"\0", "still open");
        state.files.release(handle).unwrap();
        state.forget(inode);
        assert!(state.contents.is_empty());
    }

    #[test]
    fn operations_come_in_order_and_stop_with_who_takes_them() {
        let (batches, receiver) = sync_channel(10);
        let shared = State::shared(batches);
        let look_up =
            || State::request(&shared, |state| state.files.lookup(Inode::ROOT, b"none").map(drop));
        for _ in 0..BATCH + 10 {
            assert_eq!(look_up(), Ok(Ok(())));
        }
        let batch = receiver.recv().unwrap();
        assert_eq!((batch.len(), batch[0].time_ns), (BATCH, 0));
        assert!(batch.is_sorted_by_key(|operation| operation.time_ns));
        drop(receiver);
        let refused = (0..BATCH).find(|_| look_up() == Err(Ended));
        assert_eq!(refused, Some(BATCH - 11));
        assert_eq!(look_up(), Err(Ended));
        assert_eq!(lock(&shared).end(), []);
    }
}
