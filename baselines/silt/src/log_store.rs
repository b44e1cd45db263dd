//! The LogStore (§2.2.1): records in the order in which they came, and a cuckoo table that says
//! where. The only store that is written to.

use std::sync::Arc;

use crate::cuckoo::{Full, Table};
use crate::error::Error;
use crate::files::{Files, Pages};
use crate::key::{Buckets, Key};
use crate::manifest::file_name;
use crate::params::{Acknowledge, Params};
use crate::record::{self, Entry};
use crate::scratch::{Found, Scratch};
use crate::stream::{Scanner, Writer, corrupt};

/// A log and its table.
#[derive(Debug)]
pub(crate) struct LogStore {
    pub(crate) number: u64,
    writer: Writer,
    table: Table,
}

/// What opening a log has found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Replayed {
    pub(crate) records: u64,
    pub(crate) torn: u64,
}

impl LogStore {
    pub(crate) fn create(
        files: &dyn Files,
        instance: usize,
        number: u64,
        params: &Params,
    ) -> Result<Self, Error> {
        let file = files.create(&file_name(instance, "log", number))?;
        let writer = Writer::new(file, params.layout(), params.log_buffer_bytes)?;
        Ok(Self { number, writer, table: new_table(params, number) })
    }

    /// Reads a log again. `known` records must be whole; if nobody knows how many there are, they
    /// end where the file does, or with the first that is not whole. If others follow that one, it
    /// is not the end but damage.
    pub(crate) fn replay(
        files: &dyn Files,
        instance: usize,
        number: u64,
        known: Option<u64>,
        params: &Params,
    ) -> Result<(Self, Replayed), Error> {
        let file = files.open(&file_name(instance, "log", number))?;
        let mut table = new_table(params, number);
        let mut scratch = Scratch::default();
        let most = records_within(&*file, params)?;
        if let Some(known) = known.filter(|known| *known > most) {
            let what = format!("it has {most} records and should have {known}");
            return Err(Error::Corrupt { file: file.name().to_owned(), what });
        }
        let mut scanner = Scanner::new(Arc::clone(&file), params.layout(), known.unwrap_or(most));
        let mut replayed = Replayed::default();
        let mut broken_at = None;
        while let Some((ordinal, bytes)) = scanner.next_bytes()? {
            match (record::read(bytes, ordinal), &broken_at) {
                (Ok(Some((key, _))), None) => {
                    let key = *key;
                    let buckets = Buckets::of(&key, table.bits());
                    let place = ordinal as u32;
                    let known = find(&table, &*file, params, buckets, &key, &mut scratch)?;
                    match known {
                        Some((slot, _)) => table.set_place(slot, place),
                        None if table.insert(buckets, place).is_ok() => {}
                        None => {
                            let what = format!("record {ordinal} does not fit into its table");
                            return Err(Error::Corrupt { file: file.name().to_owned(), what });
                        }
                    }
                    replayed.records += 1;
                }
                (Ok(Some(_)), Some((at, broken))) => return Err(corrupt(&*file, *at, broken)),
                (Ok(None), _) if known.is_none() => {
                    let nothing = record::Broken { stored: 0, computed: 0 };
                    broken_at = broken_at.or(Some((ordinal, nothing)));
                }
                (Ok(None), _) => {
                    let nothing = record::Broken { stored: 0, computed: 0 };
                    return Err(corrupt(&*file, ordinal, &nothing));
                }
                (Err(broken), _) if known.is_some() => {
                    return Err(corrupt(&*file, ordinal, &broken));
                }
                (Err(broken), _) => {
                    replayed.torn += 1;
                    broken_at = broken_at.or(Some((ordinal, broken)));
                }
            }
        }
        let (layout, buffer_bytes) = (params.layout(), params.log_buffer_bytes);
        let writer = Writer::resume(file, layout, buffer_bytes, replayed.records)?;
        Ok((Self { number, writer, table }, replayed))
    }

    pub(crate) fn records(&self) -> u64 {
        self.writer.records()
    }

    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    pub(crate) fn file(&self) -> &dyn Pages {
        self.writer.file()
    }

    pub(crate) fn writer(&mut self) -> &mut Writer {
        &mut self.writer
    }

    pub(crate) fn scanner(&self) -> Scanner {
        Scanner::new(self.writer.shared_file(), self.writer.layout(), self.records())
    }

    /// Whether one more record may be appended, as far as the log's length goes.
    pub(crate) fn has_room(&self, params: &Params) -> bool {
        self.records() < params.log_records_max()
    }

    /// The key's slot and what its record says.
    pub(crate) fn find(
        &self,
        key: &Key,
        scratch: &mut Scratch,
    ) -> Result<Option<(usize, Found)>, Error> {
        let buckets = Buckets::of(key, self.table.bits());
        for slot in self.table.candidates(buckets) {
            let place = u64::from(self.table.place(slot));
            let found = match self.writer.buffered(place) {
                Some(bytes) => scratch.compare(self.file(), place, bytes, key)?,
                None => scratch.read(self.file(), self.writer.layout(), place, 1, key)?,
            };
            if let Some(found) = found {
                return Ok(Some((slot, found)));
            }
        }
        Ok(None)
    }

    /// Appends a record, in place of the one in `slot` if the key has one.
    ///
    /// # Errors
    /// [`Full`] if the table has no slot for it; nothing is appended then. An error of the file
    /// after which the record may or may not be there.
    pub(crate) fn put(
        &mut self,
        key: &Key,
        entry: Entry<'_>,
        slot: Option<usize>,
        acknowledge: Acknowledge,
    ) -> Result<Result<(), Full>, Error> {
        self.writer.make_room()?;
        let place = self.records() as u32;
        match slot {
            Some(slot) => self.table.set_place(slot, place),
            None => {
                let buckets = Buckets::of(key, self.table.bits());
                if let Err(full) = self.table.insert(buckets, place) {
                    return Ok(Err(full));
                }
            }
        }
        self.writer.append(key, entry);
        match acknowledge {
            Acknowledge::Buffered => {}
            Acknowledge::Written => self.writer.flush()?,
            Acknowledge::Synced => self.writer.sync()?,
        }
        Ok(Ok(()))
    }
}

fn new_table(params: &Params, number: u64) -> Table {
    Table::new(params.tag_bits, params.displacements, number.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// Records that a file's pages have room for.
fn records_within(file: &dyn Pages, params: &Params) -> Result<u64, Error> {
    let (length, layout) = (file.length()?, params.layout());
    let mut records = params.log_records_max();
    if layout.end(records) > length {
        let (mut low, mut high) = (0, records);
        while low < high {
            let middle = (low + high).div_ceil(2);
            if layout.end(middle) <= length { low = middle } else { high = middle - 1 }
        }
        records = low;
    }
    Ok(records)
}

/// As [`LogStore::find`], while a log is read again: what was read is in the file.
fn find(
    table: &Table,
    file: &dyn Pages,
    params: &Params,
    buckets: Buckets,
    key: &Key,
    scratch: &mut Scratch,
) -> Result<Option<(usize, Found)>, Error> {
    for slot in table.candidates(buckets) {
        let place = u64::from(table.place(slot));
        if let Some(found) = scratch.read(file, params.layout(), place, 1, key)? {
            return Ok(Some((slot, found)));
        }
    }
    Ok(None)
}
