//! Memory that may hold the data of a store on a disk is limited, by the kernel.

use std::fs;

use kit::folder::is_in_memory;
use worker::kernel::{KernelFiles, MemoryGroup};

use crate::common::{bench, errors, requests_to, run_suite, scratch};

/// 32 MiB of data, of which a GET of any is as likely as of any other.
fn asked(percent: u32) -> String {
    format!(
        "distributions = [\"uniform\"]\nget-percent = [100]\nvalue-bytes = [1000]\nfill-percent = [50]\n\
         object-memory = \"64MiB\"\ncache-percent = [{percent}]\nthreads = [1]"
    )
}

fn can_limit() -> bool {
    let folder = std::env::temp_dir();
    let can = MemoryGroup::check(&KernelFiles::here());
    if let Err(error) = &can {
        println!("skipped: {error}");
    }
    can.is_ok() && !is_in_memory(&folder)
}

/// The page cache would hold all files; limited, most GETs read from the device.
#[test]
fn a_store_with_little_memory_reads_from_its_files_again_and_again() {
    if !can_limit() {
        return;
    }
    let read_bytes = |percent| {
        let name = format!("disk-cache-{percent}");
        let (code, _, rows) = run_suite(&name, &requests_to("lsm", &asked(percent)), &[]);
        assert_eq!(code, 0, "{rows:?}");
        let run = rows.into_iter().find(|row| row.step == "run").expect("a run");
        let told = &run.settings["memory for data"];
        assert!(told.contains("the page cache included, by a control group of version "), "{told}");
        let read = run.traffic.as_ref().expect("files are on a disk").read;
        read.file_bytes as f64 / run.operations as f64
    };
    let (little, ample) = (read_bytes(55), read_bytes(400));
    assert!(little > 100.0 && ample < little / 10.0, "{little} and {ample} bytes for each GET");
}

#[test]
fn limits_that_cannot_be_had_are_refused_before_anything_runs() {
    let refused = |store: &str, percent: u32| {
        let folder = scratch(&format!("disk-cache-{}-{percent}", store.replace(['@', '='], "-")));
        fs::create_dir_all(&folder).unwrap();
        let suite = folder.join("asked.toml");
        fs::write(&suite, requests_to(store, &asked(percent))).unwrap();
        let output = bench().args(["plan", "--scale", "smoke"]).arg(&suite).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
        errors(&output)
    };
    let little = refused("lsm", 20);
    assert!(little.contains("at least 16777216 are needed"), "{little}");
    let none = refused("lsm", 0);
    assert!(none.contains("cache-percent = 0: must be 1 to 1000; the nearest is 1"), "{none}");
    if can_limit() {
        let in_memory = refused("nibble", 60);
        assert!(in_memory.contains("this one keeps its objects in memory"), "{in_memory}");
    }
}
