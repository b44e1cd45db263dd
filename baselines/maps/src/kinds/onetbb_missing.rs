//! Stands for oneTBB's map in a program that was built without its headers: there is none.

use engine::{OpenError, Rmw};

use crate::config::Config;
use crate::map::{Map, Offering, Placed};
use crate::raw::RowRef;

/// `oneapi::tbb::concurrent_hash_map`, of which this program has none.
#[derive(Debug)]
pub enum OneTbb {}

impl Map for OneTbb {
    type Key = u64;

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
        match *self {}
    }

    fn guard(&self, (): &()) {
        match *self {}
    }

    fn get<R>(&self, _: u64, (): &(), _: impl FnOnce(&[u8]) -> R) -> Option<R> {
        match *self {}
    }

    fn put(&self, _: u64, _: &mut impl Offering, (): &()) -> Placed {
        match *self {}
    }

    fn remove(&self, _: u64, (): &()) -> Option<usize> {
        match *self {}
    }

    fn for_each(&self, (): &(), _: impl FnMut(u64, RowRef<'_>)) {
        match *self {}
    }

    fn entries(&self) -> usize {
        match *self {}
    }
}
