//! Loom's atomics, with a scheduling point before every access.
//!
//! Loom tries another order only if it considers two accesses dependent, and it remembers one load
//! per atomic. If a thread stores to an atomic that it has just loaded, as every holder of a lock
//! does, loom does not consider the store dependent on earlier loads by others, and never reverses
//! their order. With a point on which all accesses depend, every order within the bound of
//! preemptions is tried. The point orders no memory.

use loom::sync::Condvar;
use loom::sync::atomic;

use super::Ordering;

loom::lazy_static! {
    static ref POINT: Condvar = Condvar::new();
}

fn point() {
    // Nobody waits. Unlike atomics and locks, notifying nobody passes nothing on.
    POINT.notify_all();
}

macro_rules! atomics {
    ($($atomic:ident: $value:ty,)+) => {$(
        #[derive(Debug, Default)]
        pub(crate) struct $atomic(pub(crate) atomic::$atomic);

        #[allow(dead_code, reason = "all are alike")]
        impl $atomic {
            pub(crate) fn new(value: $value) -> Self {
                Self(atomic::$atomic::new(value))
            }

            pub(crate) fn load(&self, ordering: Ordering) -> $value {
                point();
                self.0.load(ordering)
            }

            pub(crate) fn store(&self, value: $value, ordering: Ordering) {
                point();
                self.0.store(value, ordering);
            }
        }
    )+};
}

macro_rules! read_modify_write {
    ($($atomic:ident: $value:ty, $($method:ident)+;)+) => {$(
        impl $atomic {
            $(pub(crate) fn $method(&self, value: $value, ordering: Ordering) -> $value {
                point();
                self.0.$method(value, ordering)
            })+
        }
    )+};
}

macro_rules! compare_exchange {
    ($($atomic:ident: $value:ty,)+) => {$(
        impl $atomic {
            pub(crate) fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                point();
                self.0.compare_exchange(current, new, success, failure)
            }
        }
    )+};
}

atomics! { AtomicBool: bool, AtomicU8: u8, AtomicU32: u32, AtomicU64: u64, AtomicUsize: usize, }
read_modify_write! {
    AtomicU32: u32, fetch_add fetch_sub;
    AtomicU64: u64, fetch_add fetch_sub swap;
    AtomicUsize: usize, fetch_add fetch_max fetch_sub;
}
compare_exchange! { AtomicBool: bool, AtomicU32: u32, }
