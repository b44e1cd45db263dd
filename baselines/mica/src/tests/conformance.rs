//! The suite every store passes, in every mode and preset.

use baseline_mica::store::{Config, Preset};
use baseline_mica::{Crcw, Crew, Erew, Mica};

fn config(object_memory_bytes: u64) -> Config {
    Config::new(object_memory_bytes, object_memory_bytes / 256)
}

engine::conformance_tests!(erew, Mica<Erew>, |bytes| Mica::open(config(bytes)));
engine::conformance_tests!(crew, Mica<Crew>, |bytes| Mica::open(config(bytes)));
engine::conformance_tests!(crcw, Mica<Crcw>, |bytes| Mica::open(config(bytes)));
engine::conformance_tests!(crcw_in_one_partition, Mica<Crcw>, |bytes| {
    Mica::open(Config { partitions: 1, huge_pages: false, ..config(bytes) })
});
engine::conformance_tests!(nibble_paper, Mica<Crcw>, |bytes| {
    Mica::open(Config { preset: Preset::NibblePaper, resident: true, ..config(bytes) })
});
engine::bytes_conformance_tests!(byte_keys, Mica<Crcw, [u8]>, |bytes| {
    Mica::open_for_byte_keys(config(bytes))
});
