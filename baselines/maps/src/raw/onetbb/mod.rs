//! oneTBB's map through `c/onetbb.cpp`: rows in it are addresses.
//!
//! Locks of entries are held inside one call here, so no accessor leaves this file. Iterators of the
//! map tolerate no other use; [`Gate`] keeps it away.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

use super::{Row, RowRef};
use crate::gate::{Gate, Inside, Pass};
use crate::map::{Offering, Placed};

mod calls;

pub use calls::Calls;

/// Room for an accessor or an iterator; the C++ side checks that they fit.
#[repr(C, align(16))]
struct Storage(MaybeUninit<[u8; 64]>);

impl Storage {
    const fn new() -> Self {
        Self(MaybeUninit::uninit())
    }

    fn start(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }
}

/// The map, which owns its rows.
#[derive(Debug)]
pub(crate) struct Table<K: Calls> {
    map: NonNull<c_void>,
    gate: Gate,
    keys: PhantomData<K>,
}

// SAFETY: the map may be used by any thread, and its keys and rows may be dropped by any.
unsafe impl<K: Calls> Send for Table<K> {}
// SAFETY: it is a concurrent map; what it is not concurrent for, the gate keeps apart.
unsafe impl<K: Calls> Sync for Table<K> {}

/// A thread's use of a table.
#[derive(Debug)]
pub struct Thread {
    pass: Pass,
    /// Of this table, and no other: its gate knows the pass.
    table: *const c_void,
}

/// One operation, or a batch. No walk runs meanwhile but its own.
#[derive(Debug)]
pub struct Guard<'a, K: Calls> {
    table: &'a Table<K>,
    inside: Inside<'a>,
}

impl<K: Calls> Table<K> {
    /// A table with room for `entries`; `None` if there is no memory for it.
    pub(crate) fn new(entries: usize) -> Option<Box<Self>> {
        let map = NonNull::new(K::open(entries))?;
        Some(Box::new(Self { map, gate: Gate::new(), keys: PhantomData }))
    }

    pub(crate) fn register(&self) -> Thread {
        Thread { pass: self.gate.register(), table: ptr::from_ref(self).cast() }
    }

    #[inline]
    pub(crate) fn guard<'a>(&'a self, thread: &'a Thread) -> Guard<'a, K> {
        let is_own = ptr::eq(thread.table, ptr::from_ref(self).cast());
        assert!(is_own, "a thread is registered with its table");
        Guard { table: self, inside: self.gate.enter(&thread.pass) }
    }

    pub(crate) fn entries(&self) -> usize {
        // SAFETY: the map is open.
        unsafe { K::entries(self.map.as_ptr()) }
    }

    pub(crate) fn buckets(&self) -> usize {
        // SAFETY: the map is open.
        unsafe { K::buckets(self.map.as_ptr()) }
    }

    /// # Safety
    /// No other thread uses the map, but to walk.
    unsafe fn walk(&self, mut visit: impl FnMut(K::Asked<'_>, NonNull<u8>)) {
        let mut storage = Storage::new();
        // SAFETY: the map is open and there is room; nobody changes the map, by contract.
        unsafe { K::walk(self.map.as_ptr(), storage.start()) };
        // SAFETY: as above, and the iterator has not ended.
        while unsafe { K::next(self.map.as_ptr(), storage.start(), &mut visit) } {}
    }
}

impl<K: Calls> Drop for Table<K> {
    fn drop(&mut self) {
        let free = |_: K::Asked<'_>, start| {
            // SAFETY: it came from a row, and its address is not used again: the map is closed next.
            drop(unsafe { Row::from_block(start) });
        };
        // SAFETY: the table is borrowed by nobody.
        unsafe { self.walk(free) };
        // SAFETY: it was opened, and is closed once.
        unsafe { K::close(self.map.as_ptr()) };
    }
}

/// The shared lock of an entry.
struct Reading<'a, K: Calls>(&'a mut Storage, PhantomData<K>);

impl<K: Calls> Drop for Reading<'_, K> {
    fn drop(&mut self) {
        // SAFETY: the storage holds an accessor, which ends here.
        unsafe { K::end_read(self.0.start()) };
    }
}

/// The exclusive lock of an entry.
struct Writing<'a, K: Calls> {
    storage: &'a mut Storage,
    map: NonNull<c_void>,
    /// Where the entry keeps its row's address; null in an entry that is new.
    place: NonNull<*mut u8>,
    /// Whether the entry is to go when the lock ends.
    erases: bool,
    keys: PhantomData<K>,
}

impl<'a, K: Calls> Writing<'a, K> {
    fn new(storage: &'a mut Storage, map: NonNull<c_void>, place: NonNull<*mut u8>) -> Self {
        Self { storage, map, place, erases: false, keys: PhantomData }
    }

    /// The row that the entry has.
    fn row(&self) -> Option<NonNull<u8>> {
        // SAFETY: the lock keeps the entry, and others from its place.
        NonNull::new(unsafe { self.place.read() })
    }

    fn set_row(&mut self, row: Row) {
        // SAFETY: the lock keeps the entry, and others from its place.
        unsafe { self.place.write(row.into_block().as_ptr()) };
    }

    /// Removes the entry and ends the lock. Whoever had its row has it alone.
    fn erase(mut self) {
        self.erases = true;
    }
}

impl<K: Calls> Drop for Writing<'_, K> {
    fn drop(&mut self) {
        let storage = self.storage.start();
        if self.erases {
            // SAFETY: the map is open, the storage holds an accessor of it, which ends here.
            unsafe { K::erase(self.map.as_ptr(), storage) };
        } else {
            // SAFETY: the storage holds an accessor, which ends here.
            unsafe { K::end_write(storage) };
        }
    }
}

impl<K: Calls> Guard<'_, K> {
    #[inline]
    fn map(&self) -> NonNull<c_void> {
        assert!(!self.inside.walks(), "a walk must not use its map");
        self.table.map
    }

    /// Reads the value of `key` under its entry's shared lock.
    #[inline]
    pub(crate) fn get<R>(&self, key: K::Asked<'_>, read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        let mut storage = Storage::new();
        // SAFETY: the map is open, there is room for an accessor, nobody walks.
        let row = unsafe { <K as Calls>::read(self.map().as_ptr(), key, storage.start()) };
        let start = NonNull::new(row)?;
        let _reading = Reading::<K>(&mut storage, PhantomData);
        // The lock keeps the row: who takes it out holds the exclusive one.
        let row = RowRef { start, row: PhantomData };
        Some(read(row.value()))
    }

    #[inline]
    pub(crate) fn put(&self, key: K::Asked<'_>, offer: &mut impl Offering) -> Placed {
        let (mut storage, map) = (Storage::new(), self.map());
        // SAFETY: the map is open, there is room for an accessor, nobody walks.
        let place = unsafe { K::enter(map.as_ptr(), key, storage.start()) };
        let Some(place) = NonNull::new(place) else { return Placed::Refused };
        let mut writing = Writing::<K>::new(&mut storage, map, place);
        let Some(start) = writing.row() else {
            // Nobody sees an entry without a row: its lock is held until it has one, or is gone.
            let Some(row) = offer.row_for(None) else {
                writing.erase();
                return Placed::Refused;
            };
            writing.set_row(row);
            return Placed::Inserted;
        };
        // The lock keeps the row.
        let old = RowRef { start, row: PhantomData };
        let Some(row) = offer.row_for(Some(old)) else { return Placed::Refused };
        writing.set_row(row);
        // SAFETY: it came from a row, and is no longer in the entry.
        let old = unsafe { Row::from_block(start) };
        // The row is freed after the lock is released.
        drop(writing);
        Placed::Updated { old_value_bytes: old.value_bytes() }
    }

    #[inline]
    pub(crate) fn remove(&self, key: K::Asked<'_>) -> Option<usize> {
        let (mut storage, map) = (Storage::new(), self.map());
        // SAFETY: the map is open, there is room for an accessor, nobody walks.
        let place = unsafe { K::write(map.as_ptr(), key, storage.start()) };
        let place = NonNull::new(place)?;
        let writing = Writing::<K>::new(&mut storage, map, place);
        let start = writing.row().expect("an entry has a row when its lock is released");
        writing.erase();
        // SAFETY: it came from a row; the entry is gone, which only this thread has erased.
        let row = unsafe { Row::from_block(start) };
        Some(row.value_bytes())
    }

    /// Passes every key and row to `visit`, while no other thread uses the map.
    pub(crate) fn walk(&self, mut visit: impl FnMut(K::Asked<'_>, RowRef<'_>)) {
        self.inside.walk(|| {
            // SAFETY: no other thread is inside the gate, but to walk.
            unsafe {
                self.table.walk(|key, start| {
                    visit(key, RowRef { start, row: PhantomData });
                });
            }
        });
    }
}
