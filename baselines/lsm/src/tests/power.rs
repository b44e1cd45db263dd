//! Both schemes on a disk whose power fails at any request, in each mode of the log.

use std::path::Path;

use baseline_lsm::{Clsm, Config, LogMode, Lsm, Scheme};
use engine::Durability;
use kit::testing::{Survivor, kills_asked};

use super::common::tiny;

const TEST: &str = "a_store_whose_power_failed_has_lost_what_its_log_may_lose_and_nothing_else";
const LSM: Survivor<Lsm> = Survivor {
    module: module_path!(),
    test: TEST,
    open: |folder, durability, _| Lsm::open(config(Scheme::GlobalLock, folder, durability)),
    is_made_at_once: true,
};
const CLSM: Survivor<Clsm> = Survivor {
    module: module_path!(),
    test: TEST,
    open: |folder, durability, _| Clsm::open(config(Scheme::Clsm, folder, durability)),
    is_made_at_once: true,
};

fn config(scheme: Scheme, folder: &Path, durability: Durability) -> Config {
    let log = match durability {
        Durability::Acknowledged => LogMode::Acknowledged,
        Durability::Process => LogMode::Written,
        Durability::Queued | Durability::None => LogMode::Queued,
    };
    Config { log, write_buffer_bytes: 32 << 10, folder: Some(folder.join("store")), ..tiny(scheme) }
}

fn in_each_mode(failures: u64) {
    LSM.loses_nothing_without_power(failures);
    CLSM.loses_nothing_without_power(failures);
    for durability in [Durability::Process, Durability::Queued] {
        LSM.leaves_a_prefix_without_power(durability, failures);
        CLSM.leaves_a_prefix_without_power(durability, failures);
    }
}

#[test]
fn a_store_whose_power_failed_has_lost_what_its_log_may_lose_and_nothing_else() {
    if !(LSM.obeys() || CLSM.obeys()) {
        in_each_mode(3);
    }
}

#[test]
#[ignore = "many failures of the power: scripts/power-failures"]
fn a_store_whose_power_failed_often_has_lost_nothing_else() {
    in_each_mode(kills_asked());
}

/// As a store that forgets to synchronise its log, its tables, or its manifest before others rely on them.
#[test]
fn a_disk_that_forgets_is_found_without_power() {
    for part in [".log", ".table", ".manifest"] {
        LSM.is_caught_without_power(part);
    }
}
