//! What programs see, what survives, and the moment at which the power fails.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::change::{Change, Place};
use crate::failure::{Failure, Order};
use crate::tree::{Inode, Tree};

/// A disk and its power. Clones are the same disk.
#[derive(Clone, Debug)]
pub struct Disk(Arc<Mutex<State>>);

/// The power has failed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Off;

#[derive(Debug)]
pub(crate) struct State {
    /// As programs see it.
    pub(crate) live: Tree,
    /// What is synchronised.
    durable: Tree,
    /// What is not, in its order.
    pending: Vec<Change>,
    order: Order,
    last_inode: Inode,
    /// Changes and synchronisations until the power fails.
    left: u64,
    /// A file whose length, when the power fails, is how much was acknowledged.
    account: PathBuf,
    /// Part of the names of files whose synchronisation is forgotten.
    forgets: Option<String>,
    failure: Option<Failure>,
}

impl Disk {
    /// A disk with these files that keeps this order, whose power fails at the `requests`th change or
    /// synchronisation. The length of `account`, a file elsewhere, is then how much was acknowledged.
    ///
    /// # Panics
    /// If `requests` is 0.
    #[must_use]
    pub fn new(files: Tree, order: Order, requests: u64, account: &Path) -> Self {
        assert!(requests > 0, "the power is on at first");
        Self(Arc::new(Mutex::new(State {
            last_inode: files.last_inode(),
            live: files.clone(),
            durable: files,
            pending: Vec::new(),
            order,
            left: requests,
            account: account.to_owned(),
            forgets: None,
            failure: None,
        })))
    }

    /// A planted fault: synchronising files does nothing whose name has this in it.
    #[must_use]
    pub fn forgetting(self, part_of_name: &str) -> Self {
        self.lock().forgets = Some(part_of_name.to_owned());
        self
    }

    /// What is left when the power has failed; `None` while it is on.
    #[must_use]
    pub fn failure(&self) -> Option<Failure> {
        self.lock().failure.clone()
    }

    /// Whether the power has failed.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.lock().failure.is_some()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        // A request that panicked was about a file that is not there; what is there is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Carries out a change. The one at which the power fails may survive.
    pub(crate) fn change(&mut self, change: Change) -> Result<(), Off> {
        self.is_on()?;
        self.live.apply(&change);
        self.pending.push(change);
        self.count()
    }

    /// Makes a file or folder.
    pub(crate) fn make(&mut self, at: Place, is_folder: bool) -> Result<Inode, Off> {
        self.last_inode += 1;
        let inode = self.last_inode;
        self.change(Change::Make { at, inode, is_folder })?;
        Ok(inode)
    }

    /// Makes durable what the file or folder has, and all names; on a disk that keeps the order everything. The
    /// one at which the power fails does not.
    pub(crate) fn synchronise(&mut self, inode: Inode) -> Result<(), Off> {
        self.is_on()?;
        self.count()?;
        if self.is_forgotten(inode) {
            return Ok(());
        }
        let (durable, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.pending).into_iter().partition(|change| {
                self.order == Order::AsIssued || change.contents().is_none_or(|file| file == inode)
            });
        durable.iter().for_each(|change| self.durable.apply(change));
        self.pending = rest;
        Ok(())
    }

    fn is_forgotten(&self, inode: Inode) -> bool {
        let Some(part) = &self.forgets else { return false };
        let named = self.live.paths().into_iter().filter(|(_, named)| *named == inode);
        named.map(|(path, _)| path).any(|path| {
            path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.contains(part))
        })
    }

    pub(crate) fn is_on(&self) -> Result<(), Off> {
        if self.failure.is_some() { Err(Off) } else { Ok(()) }
    }

    fn count(&mut self) -> Result<(), Off> {
        self.left -= 1;
        if self.left > 0 {
            return Ok(());
        }
        let acknowledged = fs::metadata(&self.account).map_or(0, |account| account.len());
        let pending = std::mem::take(&mut self.pending);
        self.failure = Some(Failure::new(self.durable.clone(), pending, self.order, acknowledged));
        Err(Off)
    }
}
