//! What RocksDB's C interface kept of LevelDB's, from which it was made: opening, puts, deletes and
//! iterators. Their headers differ in the prefix of the names.

use std::ffi::{CStr, c_char, c_uchar, c_void};
use std::fmt;
use std::ptr::{self, NonNull};

use engine::{OpenError, ScanOrder};
use kit::moment::{Moment, Write};

use crate::foreign::{bytes_at, refused, taken};
use crate::library::{functions, opaque};

opaque! { Handle Iterator Options ReadOptions Snapshot WriteBatch WriteOptions }

functions! {
    after a prefix:
    /// The table of functions, each under its name without the prefix.
    Functions {
        fn readoptions_create() -> *mut ReadOptions;
        fn readoptions_destroy(*mut ReadOptions);
        fn writeoptions_create() -> *mut WriteOptions;
        fn writeoptions_destroy(*mut WriteOptions);
        fn writeoptions_set_sync(*mut WriteOptions, c_uchar);
        fn open(*const Options, *const c_char, *mut *mut c_char) -> *mut Handle;
        fn close(*mut Handle);
        fn put(
            *mut Handle, *const WriteOptions, *const c_char, usize, *const c_char, usize,
            *mut *mut c_char,
        );
        fn delete(*mut Handle, *const WriteOptions, *const c_char, usize, *mut *mut c_char);
        fn create_iterator(*mut Handle, *const ReadOptions) -> *mut Iterator;
        fn iter_destroy(*mut Iterator);
        fn iter_valid(*const Iterator) -> c_uchar;
        fn iter_seek(*mut Iterator, *const c_char, usize);
        fn iter_seek_to_last(*mut Iterator);
        fn iter_next(*mut Iterator);
        fn iter_prev(*mut Iterator);
        fn iter_key(*const Iterator, *mut usize) -> *const c_char;
        fn iter_value(*const Iterator, *mut usize) -> *const c_char;
        fn iter_get_error(*const Iterator, *mut *mut c_char);
        fn create_snapshot(*mut Handle) -> *const Snapshot;
        fn release_snapshot(*mut Handle, *const Snapshot);
        fn readoptions_set_snapshot(*mut ReadOptions, *const Snapshot);
        fn writebatch_create() -> *mut WriteBatch;
        fn writebatch_destroy(*mut WriteBatch);
        fn writebatch_put(*mut WriteBatch, *const c_char, usize, *const c_char, usize);
        fn writebatch_delete(*mut WriteBatch, *const c_char, usize);
        fn write(*mut Handle, *const WriteOptions, *mut WriteBatch, *mut *mut c_char);
        fn compact_range(*mut Handle, *const c_char, usize, *const c_char, usize);
        fn free(*mut c_void);
    }
}

/// An open database and the options of its operations, which are closed and destroyed with it. All
/// its functions may be called by several threads at a time.
pub(crate) struct Open {
    functions: &'static Functions,
    /// The library's name, for messages.
    name: &'static str,
    handle: NonNull<Handle>,
    read_options: NonNull<ReadOptions>,
    write_options: NonNull<WriteOptions>,
}

// SAFETY: a database and options that nobody changes belong to no thread.
unsafe impl Send for Open {}
// SAFETY: a database orders concurrent calls itself; options are only read.
unsafe impl Sync for Open {}

impl fmt::Debug for Open {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Open").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Open {
    /// Opens the database at `path`.
    ///
    /// # Errors
    /// [`OpenError::Missing`] where the library refuses, with its words.
    ///
    /// # Safety
    /// `options` are live, and what they refer to lives as long as the database.
    pub(crate) unsafe fn new(
        functions: &'static Functions,
        name: &'static str,
        options: *const Options,
        path: &CStr,
    ) -> Result<Self, OpenError> {
        let mut message = ptr::null_mut();
        // SAFETY: live options by contract, a NUL-terminated path and an out-parameter.
        let handle = unsafe { (functions.open)(options, path.as_ptr(), &raw mut message) };
        // SAFETY: the message the call has just left in our own variable, which the library frees.
        let opened = unsafe { taken(message, functions.free) };
        let Some(handle) = NonNull::new(handle) else {
            return Err(refused(name, &opened.err().unwrap_or_default()));
        };
        // SAFETY: takes nothing.
        let read_options = NonNull::new(unsafe { (functions.readoptions_create)() });
        // SAFETY: takes nothing.
        let write_options = NonNull::new(unsafe { (functions.writeoptions_create)() });
        Ok(Self {
            functions,
            name,
            handle,
            read_options: read_options.expect("new options"),
            write_options: write_options.expect("new options"),
        })
    }

    #[inline]
    pub(crate) fn handle(&self) -> *mut Handle {
        self.handle.as_ptr()
    }

    #[inline]
    pub(crate) fn read_options(&self) -> *mut ReadOptions {
        self.read_options.as_ptr()
    }

    pub(crate) fn write_options(&self) -> *mut WriteOptions {
        self.write_options.as_ptr()
    }

    /// Has every write wait until its record is on the device.
    pub(crate) fn synchronise_writes(&mut self) {
        // SAFETY: live options, which nobody else uses meanwhile.
        unsafe { (self.functions.writeoptions_set_sync)(self.write_options.as_ptr(), 1) }
    }

    #[inline]
    pub(crate) fn put(&self, key: &[u8], value: &[u8]) {
        let (key_at, value_at) = (key.as_ptr().cast(), value.as_ptr().cast());
        let mut message = ptr::null_mut();
        // SAFETY: an open database, live options; key and value have the lengths given.
        unsafe {
            (self.functions.put)(
                self.handle.as_ptr(),
                self.write_options.as_ptr(),
                key_at,
                key.len(),
                value_at,
                value.len(),
                &raw mut message,
            );
        }
        self.expect_done("put", message);
    }

    #[inline]
    pub(crate) fn delete(&self, key: &[u8]) {
        let mut message = ptr::null_mut();
        // SAFETY: an open database, live options, and a key of the length given.
        unsafe {
            (self.functions.delete)(
                self.handle.as_ptr(),
                self.write_options.as_ptr(),
                key.as_ptr().cast(),
                key.len(),
                &raw mut message,
            );
        }
        self.expect_done("delete", message);
    }

    /// Carries out all writes, or none.
    pub(crate) fn write(&self, writes: &[Write<'_>]) {
        let batch = Batch::of(self.functions, writes);
        let mut message = ptr::null_mut();
        // SAFETY: an open database, live options and a live batch.
        unsafe {
            (self.functions.write)(
                self.handle.as_ptr(),
                self.write_options.as_ptr(),
                batch.batch.as_ptr(),
                &raw mut message,
            );
        }
        self.expect_done("write", message);
    }

    /// The state as it is now.
    pub(crate) fn snapshot(&self) -> AtSnapshot<'_> {
        let functions = self.functions;
        // SAFETY: an open database.
        let snapshot = unsafe { (functions.create_snapshot)(self.handle.as_ptr()) };
        // SAFETY: takes nothing.
        let options = NonNull::new(unsafe { (functions.readoptions_create)() });
        let options = options.expect("new options");
        // SAFETY: live options that are ours, and a snapshot that is released after them.
        unsafe { (functions.readoptions_set_snapshot)(options.as_ptr(), snapshot) }
        AtSnapshot { open: self, snapshot, options }
    }

    /// Calls `visit` with keys from `first` on, in this order, until it answers `false`.
    pub(crate) fn scan(
        &self,
        first: &[u8],
        order: ScanOrder,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) {
        self.scan_with(self.read_options, first, order, visit);
    }

    /// As [`Self::scan`], by options that live.
    fn scan_with(
        &self,
        options: NonNull<ReadOptions>,
        first: &[u8],
        order: ScanOrder,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) {
        let (handle, options) = (self.handle.as_ptr(), options.as_ptr());
        // SAFETY: an open database and live options; the iterator is gone before either.
        let iterator = unsafe { (self.functions.create_iterator)(handle, options) };
        let iterator = NonNull::new(iterator).expect("a new iterator");
        let mut cursor = Cursor { functions: self.functions, iterator };
        cursor.seek(first, order);
        while let Some((key, value)) = cursor.pair() {
            if !visit(key, value) {
                return;
            }
            cursor.step(order);
        }
        let mut message = ptr::null_mut();
        let iterator = cursor.iterator.as_ptr();
        // SAFETY: a live iterator and an out-parameter.
        unsafe { (self.functions.iter_get_error)(iterator, &raw mut message) }
        self.expect_done("scan", message);
    }

    /// Writes the memtable out and merges all files, until nothing is there twice.
    pub(crate) fn compact(&self) {
        let (handle, nothing) = (self.handle.as_ptr(), ptr::null());
        // SAFETY: an open database; null ends mean all keys.
        unsafe { (self.functions.compact_range)(handle, nothing, 0, nothing, 0) }
    }

    /// Panics with a call's message, where there is one.
    #[inline]
    pub(crate) fn expect_done(&self, operation: &str, message: *mut c_char) {
        // SAFETY: the message a call has just left in our own variable, which the library frees.
        if let Err(message) = unsafe { taken(message, self.functions.free) } {
            panic!("{}'s {operation}: {message}", self.name);
        }
    }
}

impl Drop for Open {
    #[expect(clippy::multiple_unsafe_ops_per_block, reason = "one fact covers all")]
    fn drop(&mut self) {
        let functions = self.functions;
        // SAFETY: iterators and values borrow `self`, so none is left; each is destroyed once.
        unsafe {
            (functions.close)(self.handle.as_ptr());
            (functions.readoptions_destroy)(self.read_options.as_ptr());
            (functions.writeoptions_destroy)(self.write_options.as_ptr());
        }
    }
}

/// Writes that are carried out together.
struct Batch {
    functions: &'static Functions,
    batch: NonNull<WriteBatch>,
}

impl Batch {
    fn of(functions: &'static Functions, writes: &[Write<'_>]) -> Self {
        // SAFETY: takes nothing.
        let batch = NonNull::new(unsafe { (functions.writebatch_create)() });
        let batch = batch.expect("a new batch");
        for write in writes {
            let key = write.key();
            let key_at = key.as_ptr().cast();
            match write.value() {
                // SAFETY: a live batch; key and value have the lengths given, and are copied.
                Some(value) => unsafe {
                    let value_at = value.as_ptr().cast();
                    (functions.writebatch_put)(
                        batch.as_ptr(),
                        key_at,
                        key.len(),
                        value_at,
                        value.len(),
                    );
                },
                // SAFETY: as above.
                None => unsafe {
                    (functions.writebatch_delete)(batch.as_ptr(), key_at, key.len());
                },
            }
        }
        Self { functions, batch }
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // SAFETY: destroyed once.
        unsafe { (self.functions.writebatch_destroy)(self.batch.as_ptr()) }
    }
}

/// The state of a database at one moment.
#[derive(Debug)]
pub struct AtSnapshot<'open> {
    open: &'open Open,
    snapshot: *const Snapshot,
    options: NonNull<ReadOptions>,
}

impl Moment for AtSnapshot<'_> {
    fn scan(
        &mut self,
        first: &[u8],
        order: ScanOrder,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) {
        self.open.scan_with(self.options, first, order, visit);
    }
}

impl Drop for AtSnapshot<'_> {
    #[expect(clippy::multiple_unsafe_ops_per_block, reason = "one fact covers both")]
    fn drop(&mut self) {
        let Open { functions, handle, .. } = self.open;
        // SAFETY: destroyed once, the options first; iterators borrow `self`, so none is left.
        unsafe {
            (functions.readoptions_destroy)(self.options.as_ptr());
            (functions.release_snapshot)(handle.as_ptr(), self.snapshot);
        }
    }
}

/// A place in a snapshot of the database.
struct Cursor {
    functions: &'static Functions,
    iterator: NonNull<Iterator>,
}

impl Cursor {
    /// Stands on the first key of a scan, if there is one.
    fn seek(&mut self, first: &[u8], order: ScanOrder) {
        let iterator = self.iterator.as_ptr();
        // SAFETY: a live iterator and a key of the length given, which is copied.
        unsafe { (self.functions.iter_seek)(iterator, first.as_ptr().cast(), first.len()) }
        if order == ScanOrder::Ascending {
            return;
        }
        match self.pair() {
            Some((found, _)) if found > first => self.step(order),
            Some(_) => {}
            // SAFETY: a live iterator.
            None => unsafe { (self.functions.iter_seek_to_last)(iterator) },
        }
    }

    /// Moves on from a pair, which `pair` has just shown.
    fn step(&mut self, order: ScanOrder) {
        let iterator = self.iterator.as_ptr();
        match order {
            // SAFETY: a live iterator that stands on a pair.
            ScanOrder::Ascending => unsafe { (self.functions.iter_next)(iterator) },
            // SAFETY: as above.
            ScanOrder::Descending => unsafe { (self.functions.iter_prev)(iterator) },
        }
    }

    /// The pair it stands on.
    fn pair(&self) -> Option<(&[u8], &[u8])> {
        let iterator = self.iterator.as_ptr();
        // SAFETY: a live iterator.
        if unsafe { (self.functions.iter_valid)(iterator) } == 0 {
            return None;
        }
        let (mut key_bytes, mut value_bytes) = (0, 0);
        // SAFETY: a live iterator that stands on a pair, and an out-parameter.
        let key = unsafe { (self.functions.iter_key)(iterator, &raw mut key_bytes) };
        // SAFETY: as above.
        let value = unsafe { (self.functions.iter_value)(iterator, &raw mut value_bytes) };
        // SAFETY: the pair stays until the iterator moves, which takes it exclusively.
        let key = unsafe { bytes_at(key, key_bytes) };
        // SAFETY: as above.
        Some((key, unsafe { bytes_at(value, value_bytes) }))
    }
}

impl Drop for Cursor {
    fn drop(&mut self) {
        // SAFETY: destroyed once, before the database.
        unsafe { (self.functions.iter_destroy)(self.iterator.as_ptr()) }
    }
}
