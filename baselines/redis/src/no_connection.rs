//! Replaces [`Connection`] if hiredis was not installed at build time: no connection can be opened.

use std::convert::Infallible;
use std::path::Path;
use std::time::Duration;

use crate::reply::Reply;

/// `None`: there is no hiredis.
pub(crate) fn version() -> Option<String> {
    None
}

/// A connection that does not exist.
#[derive(Debug)]
pub(crate) struct Connection(Infallible);

impl Connection {
    pub(crate) fn open(_: &Path, _: Duration) -> Result<Self, String> {
        Err("built without hiredis".to_owned())
    }

    pub(crate) fn append(&mut self, _: &[&[u8]]) -> Result<(), String> {
        match self.0 {}
    }

    pub(crate) fn flush(&mut self) -> Result<(), String> {
        match self.0 {}
    }

    pub(crate) fn reply(&mut self, _: &mut [u8]) -> Result<Reply, String> {
        match self.0 {}
    }
}
