//! An LMDB environment, its one tree of `u64` keys, and transactions.
//!
//! Words are LMDB's own integers (`MDB_INTEGERKEY`): compared as numbers, not byte by byte. Byte strings are
//! compared as such.

use std::ffi::{CStr, CString, c_int, c_uint};
use std::fmt;
use std::ptr::{self, NonNull};

use engine::{OpenError, ScanOrder};

use super::api::{self, Functions, Information, Statistics, Value, constants};
use crate::foreign::{bytes_at, refused};

/// Why a call did not do what was asked.
#[derive(Clone, Copy)]
pub(super) struct Refusal {
    code: c_int,
    functions: &'static Functions,
}

impl Refusal {
    /// Whether there were too few free pages.
    pub(super) fn is_full(self) -> bool {
        self.code == constants::MAP_FULL
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: takes any code; the text is static, or stands until the next call.
        let text = unsafe { (self.functions.mdb_strerror)(self.code) };
        // SAFETY: as above, and NUL-terminated.
        formatter.write_str(&unsafe { CStr::from_ptr(text) }.to_string_lossy())
    }
}

impl fmt::Debug for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// An open environment with one tree.
pub(super) struct Environment {
    functions: &'static Functions,
    environment: NonNull<api::Environment>,
    tree: c_uint,
}

// SAFETY: an environment belongs to no thread; only transactions do, and they are not `Send`.
unsafe impl Send for Environment {}
// SAFETY: LMDB orders the transactions of several threads itself.
unsafe impl Sync for Environment {}

impl fmt::Debug for Environment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Environment").field("tree", &self.tree).finish_non_exhaustive()
    }
}

impl Environment {
    /// Opens an environment in a folder, or creates an empty one. A commit waits for the device if it
    /// `synchronises`.
    ///
    /// # Errors
    /// [`OpenError::Missing`] where the library is missing or LMDB refuses.
    pub(super) fn open(
        folder: &CString,
        map_bytes: usize,
        readers: u32,
        key_flags: c_uint,
        synchronises: bool,
    ) -> Result<Self, OpenError> {
        let functions = api::functions()?;
        let mut environment = ptr::null_mut();
        // SAFETY: an out-parameter.
        let code = unsafe { (functions.mdb_env_create)(&raw mut environment) };
        let Some(environment) = NonNull::new(environment) else {
            return Err(refused("LMDB", &Refusal { code, functions }.to_string()));
        };
        let mut this = Self { functions, environment, tree: 0 };
        this.prepare(folder, map_bytes, readers, key_flags, synchronises)
            .map_err(|refusal| refused("LMDB", &refusal.to_string()))?;
        Ok(this)
    }

    fn prepare(
        &mut self,
        folder: &CString,
        map_bytes: usize,
        readers: u32,
        key_flags: c_uint,
        synchronises: bool,
    ) -> Result<(), Refusal> {
        const ALWAYS: c_uint = constants::WRITEMAP | constants::NORDAHEAD | constants::NOTLS;
        const UNSYNCED: c_uint = constants::NOSYNC | constants::NOMETASYNC;
        let flags = if synchronises { ALWAYS } else { ALWAYS | UNSYNCED };
        let (functions, environment) = (self.functions, self.environment.as_ptr());
        // SAFETY: an environment that is not open yet.
        self.done(unsafe { (functions.mdb_env_set_mapsize)(environment, map_bytes) })?;
        // SAFETY: as above.
        self.done(unsafe { (functions.mdb_env_set_maxreaders)(environment, readers) })?;
        // SAFETY: as above, and a NUL-terminated path.
        self.done(unsafe { (functions.mdb_env_open)(environment, folder.as_ptr(), flags, 0o600) })?;
        let writer = self.write()?;
        let flags = constants::CREATE | key_flags;
        let mut tree = 0;
        // SAFETY: a live transaction; null asks for the tree without a name.
        let code = unsafe {
            (functions.mdb_dbi_open)(writer.transaction.as_ptr(), ptr::null(), flags, &raw mut tree)
        };
        self.done(code)?;
        writer.commit()?;
        self.tree = tree;
        Ok(())
    }

    /// The library's version.
    pub(super) fn version(&self) -> String {
        let nothing = ptr::null_mut();
        // SAFETY: parts of the version that nobody asks for may be null.
        let text = unsafe { (self.functions.mdb_version)(nothing, nothing, nothing) };
        // SAFETY: a static, NUL-terminated string.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }

    /// Size of a page.
    pub(super) fn page_bytes(&self) -> u32 {
        self.write().expect("a first transaction").statistics().page_bytes
    }

    /// The last page ever used and the number of the last commit.
    pub(super) fn last_page_and_commit(&self) -> (u64, u64) {
        let mut found = Information {
            fixed_address: ptr::null_mut(),
            map_bytes: 0,
            last_page: 0,
            last_transaction: 0,
            readers_max: 0,
            readers: 0,
        };
        // SAFETY: an open environment and an out-parameter.
        let code =
            unsafe { (self.functions.mdb_env_info)(self.environment.as_ptr(), &raw mut found) };
        self.done(code).expect("an open environment knows itself");
        (found.last_page as u64, found.last_transaction as u64)
    }

    /// Begins a transaction that writes; waits for the one that does.
    pub(super) fn write(&self) -> Result<Writer<'_>, Refusal> {
        Ok(Writer { environment: self, transaction: self.begin(0)? })
    }

    /// A place in the table of readers, which does not look at anything yet.
    pub(super) fn reader(&self) -> Result<Reader<'_>, Refusal> {
        let transaction = self.begin(constants::RDONLY)?;
        let mut cursor = ptr::null_mut();
        // SAFETY: a live transaction, an open tree and an out-parameter.
        let code = unsafe {
            (self.functions.mdb_cursor_open)(transaction.as_ptr(), self.tree, &raw mut cursor)
        };
        let Some(cursor) = NonNull::new(cursor) else {
            // SAFETY: a live transaction, ended once.
            unsafe { (self.functions.mdb_txn_abort)(transaction.as_ptr()) }
            return Err(Refusal { code, functions: self.functions });
        };
        // SAFETY: a live transaction that only reads.
        unsafe { (self.functions.mdb_txn_reset)(transaction.as_ptr()) }
        Ok(Reader { environment: self, transaction, cursor })
    }

    fn begin(&self, flags: c_uint) -> Result<NonNull<api::Transaction>, Refusal> {
        let (environment, no_parent) = (self.environment.as_ptr(), ptr::null_mut());
        let mut transaction = ptr::null_mut();
        // SAFETY: an open environment and an out-parameter.
        let code = unsafe {
            (self.functions.mdb_txn_begin)(environment, no_parent, flags, &raw mut transaction)
        };
        self.done(code)?;
        Ok(NonNull::new(transaction).expect("a new transaction"))
    }

    fn statistics(&self, transaction: NonNull<api::Transaction>, tree: c_uint) -> Statistics {
        let mut found = Statistics::default();
        // SAFETY: a live transaction, a tree that is there, and an out-parameter.
        let code = unsafe { (self.functions.mdb_stat)(transaction.as_ptr(), tree, &raw mut found) };
        self.done(code).expect("a live transaction knows its trees");
        found
    }

    fn done(&self, code: c_int) -> Result<(), Refusal> {
        if code == 0 { Ok(()) } else { Err(Refusal { code, functions: self.functions }) }
    }
}

impl Drop for Environment {
    fn drop(&mut self) {
        // SAFETY: transactions and cursors borrow `self`, so none is left.
        unsafe { (self.functions.mdb_env_close)(self.environment.as_ptr()) }
    }
}

/// The one transaction that writes. Dropped, it changes nothing.
pub(super) struct Writer<'environment> {
    environment: &'environment Environment,
    transaction: NonNull<api::Transaction>,
}

impl Writer<'_> {
    pub(super) fn statistics(&self) -> Statistics {
        self.environment.statistics(self.transaction, self.environment.tree)
    }

    #[inline]
    pub(super) fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), Refusal> {
        let (environment, transaction) = (self.environment, self.transaction.as_ptr());
        let mut key = value_of(key);
        let mut value = Value { bytes: value.len(), start: value.as_ptr().cast_mut().cast() };
        // SAFETY: a live transaction that writes; key and value have the lengths given and are
        // only read.
        environment.done(unsafe {
            (environment.functions.mdb_put)(
                transaction,
                environment.tree,
                &raw mut key,
                &raw mut value,
                0,
            )
        })
    }

    /// Removes a key; `false` when it is absent.
    #[inline]
    pub(super) fn delete(&mut self, key: &[u8]) -> Result<bool, Refusal> {
        let (environment, transaction) = (self.environment, self.transaction.as_ptr());
        let mut key = value_of(key);
        // SAFETY: a live transaction that writes, and a key of the length given.
        let code = unsafe {
            (environment.functions.mdb_del)(
                transaction,
                environment.tree,
                &raw mut key,
                ptr::null_mut(),
            )
        };
        if code == constants::NOTFOUND {
            return Ok(false);
        }
        environment.done(code).map(|()| true)
    }

    /// Makes the changes visible, all or, on an error, none.
    pub(super) fn commit(self) -> Result<(), Refusal> {
        let this = std::mem::ManuallyDrop::new(self);
        let commit = this.environment.functions.mdb_txn_commit;
        // SAFETY: a live transaction, ended here whatever comes of it, and not dropped.
        this.environment.done(unsafe { commit(this.transaction.as_ptr()) })
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        // SAFETY: a live transaction, ended once: `commit` does not get here.
        unsafe { (self.environment.functions.mdb_txn_abort)(self.transaction.as_ptr()) }
    }
}

/// A place in the table of readers.
pub(super) struct Reader<'environment> {
    environment: &'environment Environment,
    transaction: NonNull<api::Transaction>,
    cursor: NonNull<api::Cursor>,
}

impl fmt::Debug for Reader<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Reader").finish_non_exhaustive()
    }
}

impl Reader<'_> {
    /// What is committed now, which stays as it is while it is looked at.
    #[inline]
    pub(super) fn snapshot(&mut self) -> Snapshot<'_> {
        // SAFETY: a transaction that only reads and was reset.
        let code = unsafe { (self.environment.functions.mdb_txn_renew)(self.transaction.as_ptr()) };
        self.environment.done(code).expect("a reader can look again");
        Snapshot { reader: self }
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        let functions = self.environment.functions;
        // SAFETY: a live cursor, closed once, before its transaction.
        unsafe { (functions.mdb_cursor_close)(self.cursor.as_ptr()) }
        // SAFETY: a live transaction, ended once.
        unsafe { (functions.mdb_txn_abort)(self.transaction.as_ptr()) }
    }
}

/// A state of the tree.
pub(super) struct Snapshot<'reader> {
    reader: &'reader Reader<'reader>,
}

impl Snapshot<'_> {
    pub(super) fn statistics(&self) -> Statistics {
        self.reader.environment.statistics(self.reader.transaction, self.reader.environment.tree)
    }

    /// Of the tree that lists free pages.
    pub(super) fn free_tree_statistics(&self) -> Statistics {
        self.reader.environment.statistics(self.reader.transaction, constants::FREE_TREE)
    }

    #[inline]
    pub(super) fn get(&self, key: &[u8]) -> Option<&[u8]> {
        let environment = self.reader.environment;
        let (transaction, mut key) = (self.reader.transaction.as_ptr(), value_of(key));
        let mut value = Value { bytes: 0, start: ptr::null_mut() };
        // SAFETY: a live transaction, a key of the length given, and an out-parameter.
        let code = unsafe {
            (environment.functions.mdb_get)(
                transaction,
                environment.tree,
                &raw mut key,
                &raw mut value,
            )
        };
        if code == constants::NOTFOUND {
            return None;
        }
        environment.done(code).expect("a live transaction reads");
        // SAFETY: pages of a snapshot stay as they are until it ends, after `self`.
        Some(unsafe { bytes_at(value.start.cast(), value.bytes) })
    }

    /// Shows all pairs from `first` on, in this order, until `visit` answers `false`.
    pub(super) fn scan(
        &self,
        first: &[u8],
        order: ScanOrder,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) {
        let Reader { environment, transaction, cursor } = self.reader;
        let (functions, cursor) = (environment.functions, cursor.as_ptr());
        // SAFETY: a live transaction and a cursor of this reader.
        let code = unsafe { (functions.mdb_cursor_renew)(transaction.as_ptr(), cursor) };
        environment.done(code).expect("a cursor serves again");
        let (key, nothing) = (value_of(first), Value { bytes: 0, start: ptr::null_mut() });
        if order == ScanOrder::Ascending {
            let steps = [constants::SET_RANGE, constants::NEXT];
            return self.walk(cursor, steps, key, visit);
        }
        // The cursor finds the next key above; the scan begins there or one below.
        let mut begin = Some(constants::LAST);
        self.walk(cursor, [constants::SET_RANGE; 2], key, &mut |key, value| {
            let more = key != first || visit(key, value);
            begin = more.then_some(constants::PREV);
            false
        });
        if let Some(begin) = begin {
            let steps = [begin, constants::PREV];
            self.walk(cursor, steps, nothing, visit);
        }
    }

    /// Pages listed as free.
    pub(super) fn free_pages(&self) -> u64 {
        let Reader { environment, transaction, .. } = self.reader;
        let functions = environment.functions;
        let mut cursor = ptr::null_mut();
        // SAFETY: a live transaction, a tree that is there, and an out-parameter.
        let code = unsafe {
            (functions.mdb_cursor_open)(transaction.as_ptr(), constants::FREE_TREE, &raw mut cursor)
        };
        environment.done(code).expect("a live transaction opens cursors");
        let mut pages = 0;
        let nothing = Value { bytes: 0, start: ptr::null_mut() };
        let steps = [constants::FIRST, constants::NEXT];
        self.walk(cursor, steps, nothing, &mut |_, list| {
            // A list begins with its length.
            let length = list.first_chunk().map_or(0, |length| usize::from_ne_bytes(*length));
            pages += length as u64;
            true
        });
        // SAFETY: a live cursor, closed once.
        unsafe { (functions.mdb_cursor_close)(cursor) }
        pages
    }

    /// Shows pairs until there are no more or `visit` answers `false`. The first step finds the
    /// first pair, the second every other.
    fn walk(
        &self,
        cursor: *mut api::Cursor,
        [begin, next]: [c_uint; 2],
        mut key: Value,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) {
        let environment = self.reader.environment;
        let mut value = Value { bytes: 0, start: ptr::null_mut() };
        let mut operation = begin;
        loop {
            // SAFETY: a live cursor; the key is one to begin at or an out-parameter, the value
            // an out-parameter.
            let code = unsafe {
                (environment.functions.mdb_cursor_get)(
                    cursor,
                    &raw mut key,
                    &raw mut value,
                    operation,
                )
            };
            if code == constants::NOTFOUND {
                return;
            }
            environment.done(code).expect("a live transaction walks");
            // SAFETY: pages of a snapshot stay as they are until it ends.
            let key_bytes = unsafe { bytes_at(key.start.cast(), key.bytes) };
            // SAFETY: as above.
            if !visit(key_bytes, unsafe { bytes_at(value.start.cast(), value.bytes) }) {
                return;
            }
            operation = next;
        }
    }
}

impl Drop for Snapshot<'_> {
    #[inline]
    fn drop(&mut self) {
        let reset = self.reader.environment.functions.mdb_txn_reset;
        // SAFETY: a live transaction that only reads.
        unsafe { reset(self.reader.transaction.as_ptr()) }
    }
}

/// A key as LMDB takes it, which only reads it.
fn value_of(key: &[u8]) -> Value {
    Value { bytes: key.len(), start: key.as_ptr().cast_mut().cast() }
}
