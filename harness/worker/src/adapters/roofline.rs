//! Opens the pseudo-stores that show the cost of memory, or of a disk, alone.

use baseline_roofline::disk::{DiskConfig, DiskRoofline, PAGE_BYTES};
use baseline_roofline::{Config, Roofline};
use engine::{OpenError, Options, Setup};
use kit::folder::fit_for_files;

use super::Opening;

/// Bytes of padding per object: its length is rounded up to words.
const PADDING_BYTES: u64 = 8;
const SLOTS_MAX: u64 = 1 << 40;

pub(crate) fn open(setup: &Setup, options: &mut Options) -> Result<Opening<Roofline>, OpenError> {
    // The ring is about as long as all live values together. A longer one would touch memory that a store
    // with the same live set need not touch.
    let live_bytes = setup.live_bytes + PADDING_BYTES * setup.records_max;
    let mut config = Config {
        slots: setup.records_max,
        value_bytes_max: setup.value_bytes_max,
        object_memory_bytes: live_bytes,
        resident: setup.resident,
        huge_pages: true,
    };
    options.whole("slots", &mut config.slots, 1..=SLOTS_MAX)?;
    options.switch("resident", &mut config.resident)?;
    options.switch("huge-pages", &mut config.huge_pages)?;
    Ok(Box::new(move || Roofline::open(config)))
}

/// The file that gets read is as large as all live values.
pub(crate) fn disk(
    setup: &Setup,
    options: &mut Options,
) -> Result<Opening<DiskRoofline>, OpenError> {
    const PAGES_MAX: u64 = 1 << 34;
    let pages = setup.live_bytes.div_ceil(PAGE_BYTES as u64).max(1);
    let mut config = DiskConfig { pages, synchronises: true, below: setup.files_below() };
    options.whole("pages", &mut config.pages, 1..=PAGES_MAX)?;
    options.switch("synchronises", &mut config.synchronises)?;
    fit_for_files(&config.below)?;
    // Nothing is sized by it: the page cache is passed by.
    let _ = options.cache_bytes();
    Ok(Box::new(move || DiskRoofline::open(config)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use engine::KvEngine;

    use super::*;
    use crate::registry::opened;

    fn setup(object_memory_bytes: Option<u64>, options: &[(&str, &str)]) -> Setup {
        let options = options.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        Setup {
            object_memory_bytes,
            live_bytes: 13_000,
            records_max: 1000,
            value_bytes_max: 13,
            sessions: 1,
            cache_bytes: None,
            resident: false,
            tells_updates: true,
            options: options.collect(),
            folder: None,
            heap: None,
        }
    }

    fn settings(setup: &Setup) -> BTreeMap<String, String> {
        let settings = opened(open, setup).unwrap().settings().into_iter();
        settings.map(|setting| (setting.name, setting.value)).collect()
    }

    #[test]
    fn its_layout_follows_from_the_cell_and_its_options() {
        let ample = settings(&setup(None, &[]));
        assert_eq!((&*ample["slots"], &*ample["object-memory-bytes"]), ("1000", "21000"));
        let options = [("slots", "77"), ("huge-pages", "false"), ("resident", "true")];
        let bounded = settings(&setup(Some(4096), &options));
        assert_eq!((&*bounded["slots"], &*bounded["object-memory-bytes"]), ("77", "21000"));
        assert_eq!((&*bounded["huge-pages"], &*bounded["resident"]), ("false", "true"));
        let message = opened(open, &setup(None, &[("shards", "8")])).unwrap_err().to_string();
        assert!(message.contains("slots, resident, huge-pages"), "{message}");
    }
}
