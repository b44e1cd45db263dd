//! Stores whose files are on a disk, as a user measures them: where the files are, what rows say of them,
//! and folders that are refused before anything runs.

use std::fs;
use std::path::Path;
use std::process::Output;

use kit::folder::is_in_memory;
use record::{Durability, Outcome};

use crate::common::{bench, errors, requests_to, run_suite_in, scratch};

const LINES: &str = "get-percent = [50]\nvalue-bytes = [500]\nfill-percent = [5]\nthreads = [1]\n\
                     operations-factor = 0.02";

/// Plans requests to a store on a disk.
fn planned(name: &str, options: &[&str], temporary: Option<&Path>) -> Output {
    let folder = scratch(name);
    let suite = folder.join("suite.toml");
    fs::write(&suite, requests_to("leveldb@files=disk", LINES)).unwrap();
    let mut command = bench();
    command.arg("plan").arg(suite).args(["--scale", "smoke"]).args(options);
    if let Some(temporary) = temporary {
        command.env("TMPDIR", temporary);
    }
    command.output().expect("it starts")
}

#[test]
fn rows_say_what_survives_and_files_are_where_they_were_asked_for() {
    for (store, durable) in [
        ("leveldb@files=disk", Durability::Process),
        ("rocksdb@files=disk@log=none@direct-io=true", Durability::None),
        ("lmdb@files=disk@log=acknowledged", Durability::Acknowledged),
        ("lsm", Durability::Queued),
    ] {
        let folder = scratch("disk-rows");
        if is_in_memory(&folder) {
            eprintln!("skipped: {} is no disk", folder.display());
            return;
        }
        let files = folder.join("files");
        fs::create_dir(&files).unwrap();
        let suite = requests_to(store, LINES);
        let (_, _, rows) = run_suite_in(&folder, &suite, &["--files", files.to_str().unwrap()]);
        if rows.iter().any(|row| row.outcome == Outcome::Unavailable) {
            eprintln!("skipped {store}: {:?}", rows[0].reason);
            continue;
        }
        let run = rows.iter().find(|row| row.step == "run").unwrap_or_else(|| panic!("{rows:?}"));
        let conditions = run.conditions.as_ref().expect("a store");
        assert_eq!((conditions.durable, conditions.storage.as_str()), (durable, "disk"), "{store}");
        let traffic = run.traffic.as_ref().expect("a store with files");
        assert!(traffic.files_bytes > 0, "{store}: {traffic:?}");
        assert_eq!(fs::read_dir(&files).unwrap().count(), 0, "{store} left something");
    }
}

#[test]
fn folders_that_cannot_be_used_are_refused_before_anything_runs() {
    let refused = |output: &Output, words: &[&str]| {
        let said = errors(output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(words.iter().all(|word| said.contains(word)), "{said}");
    };
    let missing = planned("disk-missing", &["--files", "/no/such/folder"], None);
    refused(&missing, &["/no/such/folder is no folder", "create it"]);
    let full = scratch("disk-full");
    fs::write(full.join("thing"), "").unwrap();
    let not_empty = planned("disk-not-empty", &["--files", full.to_str().unwrap()], None);
    refused(&not_empty, &["is not empty: `thing` is there", "name an empty folder"]);

    let memory = Path::new("/dev/shm");
    if !is_in_memory(memory) {
        return;
    }
    let own = memory.join(format!("nibble-bench-test-{}", std::process::id()));
    fs::create_dir(&own).unwrap();
    let in_memory = planned("disk-in-memory", &["--files", own.to_str().unwrap()], None);
    let by_default = planned("disk-by-default", &[], Some(&own));
    fs::remove_dir(&own).unwrap();
    refused(&in_memory, &["tmpfs", "name a folder on a disk"]);
    refused(&by_default, &["leveldb", "tmpfs", "name a folder on a disk"]);
}
