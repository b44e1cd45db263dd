//! Reads everything and compares what belongs together: records with their checksums, slots with
//! their tags, tables with their logs, the SortedStore's order with its index.

use crate::error::Error;
use crate::hash_store::HashStore;
use crate::key::{Buckets, Key};
use crate::log_store::LogStore;
use crate::record::Entry;
use crate::sorted_store::SortedStore;
use crate::store::Store;
use crate::stream::Scanner;

fn damaged(scanner: &Scanner, what: String) -> Error {
    Error::Corrupt { file: scanner.file().name().to_owned(), what }
}

impl Store {
    /// Reads and checks every record of every store. PUTs of an instance wait meanwhile.
    ///
    /// # Errors
    /// [`Error::Corrupt`] names the first damage; [`Error::Io`].
    pub fn scrub(&self) -> Result<(), Error> {
        self.flush()?;
        for instance in &self.shared.instances {
            let state = instance.read();
            for log in std::iter::once(&state.log).chain(state.frozen.as_deref()) {
                check_log(log)?;
            }
            for hash in &state.hashes {
                check_hash(hash)?;
            }
            if let Some(sorted) = &state.sorted {
                check_sorted(sorted)?;
            }
        }
        Ok(())
    }
}

fn check_log(log: &LogStore) -> Result<(), Error> {
    let table = log.table();
    let mut pointed = vec![false; log.records() as usize];
    let mut entries = 0;
    for slot in (0..table.tags().len()).filter(|&slot| table.tags()[slot].is_taken()) {
        pointed[table.place(slot) as usize] = true;
        entries += 1;
    }
    let mut scanner = log.scanner();
    if entries != table.entries() {
        let what = format!("{entries} slots are taken, and {} counted", table.entries());
        return Err(damaged(&scanner, what));
    }
    while let Some((ordinal, record)) = scanner.next()? {
        let own = record.is_none_or(|(key, _)| {
            let buckets = Buckets::of(key, table.bits());
            !pointed[ordinal as usize]
                || table.candidates(buckets).any(|slot| u64::from(table.place(slot)) == ordinal)
        });
        if !own || record.is_none() {
            return Err(damaged(&scanner, format!("record {ordinal} is not its slot's")));
        }
    }
    Ok(())
}

fn check_hash(hash: &HashStore) -> Result<(), Error> {
    let filter = hash.filter();
    let mut scanner = hash.scanner();
    let mut entries = 0;
    while let Some((slot, record)) = scanner.next()? {
        let slot = slot as usize;
        let fits = match record {
            Some((key, _)) => {
                entries += 1;
                filter.candidates(Buckets::of(key, filter.bits())).any(|own| own == slot)
            }
            None => !filter.tag(slot).is_taken(),
        };
        if !fits {
            return Err(damaged(&scanner, format!("record {slot} has not its slot's tag")));
        }
    }
    if entries != filter.entries() {
        let what = format!("{entries} records, and {} in the filter", filter.entries());
        return Err(damaged(&scanner, what));
    }
    Ok(())
}

fn check_sorted(sorted: &SortedStore) -> Result<(), Error> {
    let mut scanner = sorted.scanner();
    let mut last: Option<Key> = None;
    while let Some((ordinal, record)) = scanner.next()? {
        let Some((&key, Entry::Value(_))) = record else {
            return Err(damaged(&scanner, format!("record {ordinal} has no value")));
        };
        let place = sorted.index().lookup(&key).ok().flatten();
        let in_place = place.is_some_and(|place| {
            (place.first..place.first + u64::from(place.items)).contains(&ordinal)
        });
        if !in_place || last.is_some_and(|last| last >= key) {
            return Err(damaged(&scanner, format!("record {ordinal} is not in its place")));
        }
        last = Some(key);
    }
    Ok(())
}
