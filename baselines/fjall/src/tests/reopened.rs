//! Stores on a disk that are opened again, after they were closed or their process was killed.

use std::path::Path;

use baseline_fjall::{Fjall, FjallConfig};
use engine::conformance::keeps_what_it_acknowledged;
use engine::{Durability, KvEngine as _, Storage};
use kit::disk::{DiskFolder, OnDisk};
use kit::folder::{Folder, is_in_memory};
use kit::testing::Alone;
use kit::testing::killed::{Lost, acknowledged, killed_again_and_again, look_into, operate_on};

const NAME: &str = "processes_that_were_killed_have_lost_nothing_that_they_acknowledged";
/// Answers before it hands anything over.
const HASTY: &str = "hasty";

fn store(folder: &Path, durability: Durability) -> Fjall {
    let folder = DiskFolder::At(folder.join("store"));
    Fjall::open(FjallConfig {
        disk: Some(OnDisk { folder, durability }),
        write_buffer_bytes: 128 << 10,
        ..FjallConfig::default()
    })
    .expect("a store on a disk")
}

/// A folder on a disk; `None` where there is none.
fn folder() -> Option<Folder> {
    let parent = std::env::temp_dir();
    if is_in_memory(&parent) {
        eprintln!("skipped: {} is no disk", parent.display());
        return None;
    }
    Some(Folder::create(&parent, "fjall-reopened-").expect("a folder"))
}

#[test]
fn a_store_that_is_opened_again_keeps_what_it_acknowledged() {
    for durability in [Durability::Queued, Durability::Process, Durability::Acknowledged] {
        let Some(folder) = folder() else { return };
        let one = store(folder.path(), durability);
        assert_eq!((one.durability(), one.storage()), (durability, Storage::Disk));
        assert_eq!(one.folders(), [folder.path().join("store")]);
        drop(one);
        keeps_what_it_acknowledged(&|| store(folder.path(), durability));
    }
}

fn named(name: &str) -> Durability {
    Durability::ALL.into_iter().find(|one| one.name() == name).expect("a durability")
}

/// Kills processes that write to a store, one after the other; `Err` if something was lost. `None` where there
/// is no disk.
fn lives(durability: Durability, way: &str, kills: u64) -> Option<Result<u64, Lost>> {
    let folder = folder()?;
    let most = if durability == Durability::Acknowledged { 60 } else { 3000 };
    let again = || {
        let task = format!("{} {way} {}", durability.name(), folder.path().display());
        Alone::new(module_path!(), NAME).told(&task)
    };
    let told = killed_again_and_again(folder.path(), (kills, most), again, || {
        look_into(&store(folder.path(), durability), folder.path())
    });
    if let Ok(count) = told {
        assert_eq!(count, acknowledged(folder.path()));
        println!("fjall, {}: {kills} kills, {count} operations", durability.name());
    }
    Some(told)
}

#[test]
fn processes_that_were_killed_have_lost_nothing_that_they_acknowledged() {
    if let Some(task) = Alone::task() {
        let words: Vec<&str> = task.splitn(3, ' ').collect();
        let [durability, way, folder] = words[..] else { panic!("three words: {task}") };
        let folder = Path::new(folder);
        operate_on(&store(folder, named(durability)), way == HASTY, folder);
        return;
    }
    for durability in [Durability::Process, Durability::Acknowledged] {
        if let Some(told) = lives(durability, "soundly", 3) {
            assert!(told.is_ok(), "{}", told.unwrap_err());
        }
    }
}

#[test]
#[ignore = "200 kills: scripts/kill-stores"]
fn processes_that_were_killed_often_have_lost_nothing_that_they_acknowledged() {
    let kills = std::env::var("NIBBLE_KILLS").map_or(100, |count| count.parse().expect("a number"));
    for durability in [Durability::Acknowledged, Durability::Process] {
        if let Some(told) = lives(durability, "soundly", kills) {
            assert!(told.is_ok(), "{}", told.unwrap_err());
        }
    }
}

/// The looker finds what is lost: of sessions that answer too early, and of a store that keeps records back.
#[test]
fn a_store_that_answers_before_it_hands_over_is_found() {
    let found = [lives(Durability::Process, HASTY, 5), lives(Durability::Queued, "soundly", 5)];
    for told in found.into_iter().flatten() {
        let lost = told.expect_err("something is lost");
        let text = lost.to_string();
        assert!(text.contains("acknowledged, is lost: there is "), "{text}");
        assert!(lost.operation < lost.acknowledged, "{text}");
    }
}
