//! Conversion (§2.2.2): a frozen LogStore's records, reordered into a HashStore.
//!
//! The log is read in sequence, and as much of the new file as memory is given for is put together
//! at a time. So nothing is read or written out of sequence, and a long log is read several times.

use crate::counters::{Counter, Counters};
use crate::error::Error;
use crate::files::Files;
use crate::filter::Filter;
use crate::hash_store::HashStore;
use crate::image;
use crate::log_store::LogStore;
use crate::manifest::file_name;
use crate::pace::Pace;
use crate::params::Params;
use crate::record;
use crate::stream::Writer;

const NOWHERE: u32 = u32::MAX;
/// Bytes written at a time.
pub(crate) const WRITE_BYTES: usize = 1 << 20;

/// Writes the HashStore of `log`, whose file must have all of its records. On return it is on the
/// disk.
pub(crate) fn convert(
    files: &dyn Files,
    instance: usize,
    number: u64,
    log: &LogStore,
    params: &Params,
    counters: &Counters,
) -> Result<HashStore, Error> {
    let (layout, table) = (params.layout(), log.table());
    let mut slot_of = vec![NOWHERE; log.records() as usize];
    for slot in (0..table.tags().len()).filter(|&slot| table.tags()[slot].is_taken()) {
        slot_of[table.place(slot) as usize] = slot as u32;
    }
    let mut pace = Pace::new(params.convert_per_s);
    let file = files.create(&file_name(instance, "hash", number))?;
    let mut writer = Writer::new(file, layout, WRITE_BYTES)?;
    let slots = table.tags().len();
    let chunk_slots = (params.sort_bytes / layout.record_bytes).clamp(1, slots);
    let mut chunk = vec![0; chunk_slots * layout.record_bytes];
    for first in (0..slots).step_by(chunk_slots) {
        let count = chunk_slots.min(slots - first);
        let chunk = &mut chunk[..count * layout.record_bytes];
        chunk.fill(0);
        let mut scanner = log.scanner();
        while let Some((ordinal, found)) = scanner.next()? {
            let slot = slot_of[ordinal as usize] as usize;
            let Some(within) = slot.checked_sub(first).filter(|within| *within < count) else {
                continue;
            };
            let Some((key, entry)) = found else {
                let what = format!("record {ordinal} is not there");
                return Err(Error::Corrupt { file: scanner.file().name().to_owned(), what });
            };
            let into = &mut chunk[within * layout.record_bytes..][..layout.record_bytes];
            record::write(into, slot as u64, key, entry);
            pace.step();
        }
        counters.add(Counter::ScannedBytes, scanner.take_scanned());
        for bytes in chunk.chunks_exact(layout.record_bytes) {
            writer.push_written(bytes)?;
        }
    }
    writer.sync()?;
    counters.add(Counter::HashBytes, writer.take_written());
    let filter = Filter::of_tags(table.bits(), table.tags());
    let name = file_name(instance, "filter", number);
    let filter_bytes = image::write(files, &name, &filter.image())?;
    counters.add(Counter::OtherBytes, filter_bytes);
    counters.add(Counter::Conversions, 1);
    Ok(HashStore::new(number, writer.shared_file(), filter, layout))
}
