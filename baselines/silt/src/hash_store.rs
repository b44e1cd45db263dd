//! The HashStore (§2.2.2): a LogStore's records in the order of its table's slots. In memory is the
//! filter alone: the record of slot *i* is record *i* of the file.

use std::sync::Arc;

use crate::error::Error;
use crate::files::{Files, Pages, holds};
use crate::filter::Filter;
use crate::image;
use crate::key::{Buckets, Key};
use crate::manifest::file_name;
use crate::params::Params;
use crate::record::Layout;
use crate::scratch::{Found, Scratch};
use crate::stream::Scanner;

/// Records in slots, read-only.
#[derive(Debug)]
pub(crate) struct HashStore {
    pub(crate) number: u64,
    file: Arc<dyn Pages>,
    filter: Filter,
    layout: Layout,
}

impl HashStore {
    pub(crate) fn new(number: u64, file: Arc<dyn Pages>, filter: Filter, layout: Layout) -> Self {
        Self { number, file, filter, layout }
    }

    /// Opens one that was written.
    pub(crate) fn open(
        files: &dyn Files,
        instance: usize,
        number: u64,
        params: &Params,
    ) -> Result<Self, Error> {
        let name = file_name(instance, "filter", number);
        let filter = Filter::from_image(&image::read(files, &name)?)
            .map_err(|what| Error::Corrupt { file: name, what })?;
        let file = files.open(&file_name(instance, "hash", number))?;
        let store = Self::new(number, file, filter, params.layout());
        holds(store.file.as_ref(), store.layout.end(store.slots()))?;
        Ok(store)
    }

    pub(crate) fn filter(&self) -> &Filter {
        &self.filter
    }

    pub(crate) fn slots(&self) -> u64 {
        self.filter.slots() as u64
    }

    pub(crate) fn scanner(&self) -> Scanner {
        Scanner::new(Arc::clone(&self.file), self.layout, self.slots())
    }

    /// One read for each slot that has the key's tag.
    pub(crate) fn find(&self, key: &Key, scratch: &mut Scratch) -> Result<Option<Found>, Error> {
        for slot in self.filter.candidates(Buckets::of(key, self.filter.bits())) {
            if let Some(found) = scratch.read(&*self.file, self.layout, slot as u64, 1, key)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}
