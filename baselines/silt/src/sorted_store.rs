//! The SortedStore (§2.2.4): records by key. In memory is an index of entropy-coded tries, which
//! names the one record, or of short records the one page, that a key could have. There is no
//! filter: every lookup that gets here reads once.

use std::sync::Arc;

use ect::Index;

use crate::error::Error;
use crate::files::{Files, Pages, holds};
use crate::image;
use crate::key::Key;
use crate::manifest::file_name;
use crate::params::Params;
use crate::record::Layout;
use crate::scratch::{Found, Scratch};
use crate::stream::Scanner;

/// Records by key, read-only.
#[derive(Debug)]
pub(crate) struct SortedStore {
    pub(crate) number: u64,
    file: Arc<dyn Pages>,
    index: Index,
    layout: Layout,
}

impl SortedStore {
    pub(crate) fn new(number: u64, file: Arc<dyn Pages>, index: Index, layout: Layout) -> Self {
        Self { number, file, index, layout }
    }

    /// Opens one that was written.
    pub(crate) fn open(
        files: &dyn Files,
        instance: usize,
        (number, items): (u64, u64),
        params: &Params,
    ) -> Result<Self, Error> {
        let name = file_name(instance, "index", number);
        let damaged = |what: String| Error::Corrupt { file: name.clone(), what };
        let index = Index::from_image(&image::read(files, &name)?)
            .map_err(|error| damaged(error.to_string()))?;
        if index.items() != items {
            return Err(damaged(format!(
                "it has {} items, and the manifest {items}",
                index.items()
            )));
        }
        let file = files.open(&file_name(instance, "sorted", number))?;
        let store = Self::new(number, file, index, params.layout());
        holds(store.file.as_ref(), store.layout.end(items))?;
        Ok(store)
    }

    pub(crate) fn index(&self) -> &Index {
        &self.index
    }

    pub(crate) fn items(&self) -> u64 {
        self.index.items()
    }

    pub(crate) fn scanner(&self) -> Scanner {
        Scanner::new(Arc::clone(&self.file), self.layout, self.items())
    }

    /// One read, unless no key begins like it.
    pub(crate) fn find(&self, key: &Key, scratch: &mut Scratch) -> Result<Option<Found>, Error> {
        let place = self.index.lookup(key).map_err(|malformed| Error::Corrupt {
            file: self.file.name().to_owned(),
            what: malformed.to_string(),
        })?;
        let Some(place) = place else { return Ok(None) };
        scratch.read(&*self.file, self.layout, place.first, u64::from(place.items), key)
    }
}
