//! A value on cache lines of its own, so that writers of its neighbours do not slow it down.

use std::ops::Deref;

/// Takes two cache lines, because the processor fetches neighbours in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Padded<T>(pub T);

impl<T> Deref for Padded<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}
