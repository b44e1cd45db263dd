//! A disk whose power fails at any request: within logs, conversions and merges, and while a store recovers.

use std::path::Path;
use std::sync::Arc;

use baseline_silt::{Acknowledge, Config, Direct, Params, Silt};
use engine::{Durability, OpenError};
use kit::testing::{Survivor, kills_asked};

use super::common::small;

const STORE: Survivor<Silt> = Survivor {
    module: module_path!(),
    test: "a_store_whose_power_failed_has_lost_what_its_log_may_lose_and_nothing_else",
    open,
    is_made_at_once: true,
};

fn open(folder: &Path, durability: Durability, tells_updates: bool) -> Result<Silt, OpenError> {
    let acknowledge = match durability {
        Durability::Acknowledged => Acknowledge::Synced,
        Durability::Process => Acknowledge::Written,
        Durability::Queued | Durability::None => Acknowledge::Buffered,
    };
    let below = folder.join("store");
    std::fs::create_dir_all(&below).expect("a folder");
    // Logs of some 60 entries: most lives convert and merge.
    let params = Params {
        acknowledge,
        // Each has a buffer of its own, so only of one a prefix is left.
        instances: if acknowledge == Acknowledge::Buffered { 1 } else { 2 },
        tag_bits: 4,
        merge_entries: 150,
        value_bytes_max: 300,
        ..small()
    };
    let files = Arc::new(Direct::new(&below));
    Silt::open_in(files, Config { params, tells_updates, private_parent: folder.to_owned() })
}

fn in_each_mode(failures: u64) {
    STORE.loses_nothing_without_power(failures);
    for durability in [Durability::Process, Durability::Queued] {
        STORE.leaves_a_prefix_without_power(durability, failures);
    }
}

#[test]
fn a_store_whose_power_failed_has_lost_what_its_log_may_lose_and_nothing_else() {
    if !STORE.obeys() {
        in_each_mode(3);
    }
}

#[test]
#[ignore = "many failures of the power: scripts/power-failures"]
fn a_store_whose_power_failed_often_has_lost_nothing_else() {
    in_each_mode(kills_asked());
}
