//! Stores on a disk that are opened again, after they were closed or their process was killed.

use std::path::Path;

use baseline_fjall::{Fjall, FjallConfig};
use engine::{Durability, OpenError};
use kit::disk::{DiskFolder, OnDisk};
use kit::testing::{Survivor, kills_asked};

const STORE: Survivor<Fjall> = Survivor {
    module: module_path!(),
    test: "processes_that_were_killed_have_lost_nothing_that_they_acknowledged",
    open,
};

fn open(folder: &Path, durability: Durability, ask_presence: bool) -> Result<Fjall, OpenError> {
    let folder = DiskFolder::At(folder.join("store"));
    Fjall::open(FjallConfig {
        disk: Some(OnDisk { folder, durability }),
        write_buffer_bytes: 128 << 10,
        ask_presence,
        ..FjallConfig::default()
    })
}

#[test]
fn a_store_that_is_opened_again_keeps_what_it_acknowledged() {
    STORE.reopens(&[Durability::Queued, Durability::Process, Durability::Acknowledged]);
}

#[test]
fn processes_that_were_killed_have_lost_nothing_that_they_acknowledged() {
    if !STORE.obeys() {
        STORE.loses_nothing(3);
    }
}

#[test]
#[ignore = "200 kills: scripts/kill-stores"]
fn processes_that_were_killed_often_have_lost_nothing_that_they_acknowledged() {
    STORE.loses_nothing(kills_asked());
}

/// Queued: records that wait in the buffer of the journal are lost.
#[test]
fn a_store_that_answers_before_it_hands_over_is_found() {
    STORE.is_caught(&[Durability::Queued]);
}
