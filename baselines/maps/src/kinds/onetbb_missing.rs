//! Stands for oneTBB's map in a program that was built without its headers: there is none.

use std::convert::Infallible;
use std::marker::PhantomData;

use engine::{Keys, OpenError, Rmw};
pub use kit::key::Key as OneTbbKey;
use kit::key::{self, Key};

use crate::config::Config;
use crate::map::{Map, Offering, Placed};
use crate::raw::RowRef;

/// `oneapi::tbb::concurrent_hash_map`, of which this program has none.
#[derive(Debug)]
pub struct OneTbb<K: Key = u64> {
    none: Infallible,
    keys: PhantomData<K>,
}

impl<K: Key> Map for OneTbb<K> {
    type Key = K;

    const KEYS: Keys = Keys::Bytes { max: key::BYTES_MAX };
    const RMW: Rmw = Rmw::Atomic;
    const NAME: &'static str = super::ONETBB_NAME;
    const DESCRIPTION: &'static str = super::ONETBB_DESCRIPTION;
    const MAY_BE_MISSING: bool = true;

    type Thread = ();
    type Guard<'a> = ();

    fn lacking() -> Option<OpenError> {
        Some(OpenError::Missing {
            what: "oneTBB's map (this program was built without its headers)".to_owned(),
            remedy: "scripts/setup installs Debian's libtbb-dev; then build again".to_owned(),
        })
    }

    fn open(_: &Config) -> Result<Self, OpenError> {
        Err(Self::lacking().expect("it is lacking"))
    }

    fn thread(&self) {
        match self.none {}
    }

    fn guard(&self, (): &()) {
        match self.none {}
    }

    fn get<R>(&self, _: K::Asked<'_>, (): &(), _: impl FnOnce(&[u8]) -> R) -> Option<R> {
        match self.none {}
    }

    fn put(&self, _: K::Asked<'_>, _: &mut impl Offering, (): &()) -> Placed {
        match self.none {}
    }

    fn remove(&self, _: K::Asked<'_>, (): &()) -> Option<usize> {
        match self.none {}
    }

    fn for_each(&self, (): &(), _: impl FnMut(K::Asked<'_>, RowRef<'_>)) {
        match self.none {}
    }

    fn entries(&self) -> usize {
        match self.none {}
    }
}
