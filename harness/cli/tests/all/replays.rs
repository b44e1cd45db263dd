//! Traces replayed on stores, as a user runs them: everything is executed and checked, a store that loses
//! values is found out, and memory is what the fill asks for.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{bench, errors, run_suite_in, scratch};
use record::{Outcome, Row, Verification, Work};
use workloads::requests::Miss;

/// A small Postmark trace at `results/traces/small.trace` of a fresh folder.
fn with_trace(name: &str) -> PathBuf {
    let folder = scratch(name);
    let output = folder.join("results/traces/small.trace");
    let made = bench()
        .args(["trace", "capture", "postmark", "--generated", "--files", "300", "--output"])
        .arg(&output)
        .output()
        .expect("the program starts");
    assert!(made.status.success(), "{}", errors(&made));
    assert!(errors(&made).contains("as a generator, not by the program"), "it says so");
    folder
}

/// A trace of a cache that asks for keys before it stores them, in the format of Twitter.
fn import_cache(folder: &Path) {
    let mut text = String::new();
    for number in 0_u32..20_000 {
        let key = number.wrapping_mul(2_654_435_761) % 3_000;
        let operation = ["get", "get", "get", "set", "delete"][(number / 7 % 5) as usize];
        let bytes = 100 + key % 400;
        text += &format!("{},k{key},8,{bytes},1,{operation},0\n", number / 1000);
    }
    let input = folder.join("cluster99.csv");
    fs::write(&input, text).expect("a file");
    let output = folder.join("results/traces/cache.trace");
    let made = bench()
        .args(["trace", "convert", "--format", "twitter", "--speed", "100"])
        .arg(&input)
        .arg("--output")
        .arg(&output)
        .output()
        .expect("the program starts");
    assert!(made.status.success(), "{}", errors(&made));
}

fn of<'a>(rows: &'a [Row], store: &'a str, step: &'a str) -> impl Iterator<Item = &'a Row> {
    rows.iter().filter(move |row| row.system == store && row.step == step)
}

fn found(rows: &[Row]) -> Verification {
    let mut all = Verification::default();
    for row in rows {
        all += row.verification.unwrap_or_default();
    }
    Verification { checked: 0, evicted: 0, ..all }
}

#[test]
fn every_kind_of_store_replays_a_trace_whole_and_nothing_is_lost() {
    let folder = with_trace("replay-stores");
    let suite = r#"
        question = "Does every kind of store replay a trace?"
        [[replay]]
        stores = ["nibble", "nibble@update=append", "mica", "mica-erew", "masstree:jemalloc",
                  "ramcloud", "heapstore:glibc", "hashmap", "faulty@fault=none"]
        traces = ["small"]
        copies = 4
        fill-percent = [40]
        threads = [1, 2]
        [[replay]]
        stores = ["nibble", "mica-erew", "hashmap"]
        traces = ["small"]
        working-sets = ["shared"]
        copies = 4
        fill-percent = [40]
        threads = [2]
        batch = [8]
    "#;
    let (code, _, rows) = run_suite_in(&folder, suite, &["--repetitions", "1"]);
    let wrong = rows.iter().find(|row| row.outcome != Outcome::Measured);
    assert_eq!(code, 0, "{:?}", wrong.map(|row| (&row.cell.id, &row.reason)));
    assert_eq!(found(&rows), Verification::default());
    for row in rows.iter().filter(|row| row.step == "run") {
        let Work::KeyValue(work) = &row.cell.work else { panic!("{row:?}") };
        let replay = work.replay.as_ref().expect("a replay");
        let requests = replay.totals.requests * replay.sets(work.threads);
        assert_eq!(row.operations, requests, "{}", row.cell.id);
        let point = row.memory.as_ref().and_then(|memory| memory.at_once).expect("observed");
        assert_eq!(point.live_bytes, 0, "PostMark removes what it made: {}", row.cell.id);
        assert!(row.statistics.is_empty() || row.verification.is_none_or(|it| it.lost == 0));
    }
    // 40 % of the object memory where most is live.
    let row = of(&rows, "nibble", "run")
        .find(|row| row.cell.id.contains("private") && row.cell.id.contains("threads-2"))
        .unwrap();
    let Work::KeyValue(work) = &row.cell.work else { panic!() };
    let live = work.replay.as_ref().unwrap().totals.object_bytes_max * 8;
    let percent = live * 100 / work.object_memory_bytes;
    assert_eq!(percent as u32, work.fill_percent, "{}", row.cell.id);
}

#[test]
fn a_cache_stores_what_it_missed_and_a_store_is_asked_at_the_traces_times() {
    let folder = scratch("replay-cache");
    import_cache(&folder);
    let suite = r#"
        question = "Are misses stored, and times kept?"
        [[replay]]
        stores = ["mica-cache", "nibble", "hashmap"]
        traces = ["cache"]
        copies = 40
        miss = ["nothing", "set"]
        fill-percent = [60]
        threads = [2]
        batch = [1, 8]
        [[replay]]
        stores = ["nibble"]
        traces = ["cache"]
        miss = ["set"]
        fill-percent = [10]
        threads = [2]
        speed = [1.0]
    "#;
    let (code, _, rows) = run_suite_in(&folder, suite, &["--repetitions", "1"]);
    let wrong = rows.iter().find(|row| row.outcome != Outcome::Measured);
    assert_eq!(code, 0, "{:?}", wrong.map(|row| (&row.cell.id, &row.reason)));
    assert_eq!(found(&rows), Verification::default());
    let totals = |set: bool| {
        let row = of(&rows, "nibble", "run").find(|row| row.cell.id.contains("miss-set") == set);
        let Work::KeyValue(work) = &row.expect("a row").cell.work else { panic!() };
        work.replay.as_ref().expect("a replay").totals
    };
    assert_eq!(
        totals(false).gets_absent,
        totals(false).requests
            - totals(false).gets
            - totals(false).inserts
            - totals(false).updates
            - totals(false).deletes
            - totals(false).deletes_absent
    );
    assert!(totals(true).inserts > totals(false).inserts, "misses are stored");
    assert!(totals(true).gets > totals(false).gets, "and found again");
    let timed = of(&rows, "nibble", "run").find(|row| row.open_loop.is_some()).expect("timed");
    // 19 s of the trace, a hundred times as fast.
    assert!(timed.elapsed_ns >= 190_000_000, "{}", timed.elapsed_ns);
}

/// A trace of Twitter's format whose keys have 6 to 45 bytes, and what is live at its end: keys, their bytes,
/// and the bytes of values.
fn texts_of_many_lengths(folder: &Path) -> (u64, u64, u64) {
    let mut live: BTreeMap<String, u64> = BTreeMap::new();
    let mut text = String::new();
    for number in 0_u32..40_000 {
        let chosen = number.wrapping_mul(2_654_435_761) % 4_000;
        let key = format!("u:{chosen:04}{}", "x".repeat((chosen % 40) as usize));
        let operation = ["get", "set", "set", "delete"][(number / 11 % 4) as usize];
        let bytes = 300 + chosen % 400;
        text += &format!("{},{key},{},{bytes},1,{operation},0\n", number / 1000, key.len());
        match operation {
            "set" => drop(live.insert(key, bytes.into())),
            "delete" => drop(live.remove(&key)),
            _ => {}
        }
    }
    let input = folder.join("cluster98.csv");
    fs::write(&input, text).expect("a file");
    let output = folder.join("results/traces/texts.trace");
    let made = bench()
        .args(["trace", "convert", "--format", "twitter"])
        .arg(&input)
        .arg("--output")
        .arg(&output)
        .output()
        .expect("the program starts");
    assert!(made.status.success(), "{}", errors(&made));
    let told = String::from_utf8_lossy(&made.stdout).into_owned();
    assert!(told.contains("with the texts of 4000 keys"), "{told}");
    let keys = live.keys().map(|key| key.len() as u64).sum();
    (live.len() as u64, keys, live.values().sum())
}

#[test]
fn a_trace_of_texts_is_replayed_with_its_keys_where_stores_take_them() {
    let folder = scratch("replay-texts");
    let (live_objects, live_key_bytes, live_bytes) = texts_of_many_lengths(&folder);
    let suite = r#"
        question = "Is a store asked with the keys of the trace?"
        [[replay]]
        stores = ["nibble", "heapstore:glibc", "masstree:glibc", "hashmap", "mica-erew", "null"]
        traces = ["texts"]
        working-sets = ["shared"]
        fill-percent = [8]
        threads = [1, 2]
        batch = [1, 8]
        [[replay]]
        stores = ["nibble"]
        traces = ["texts"]
        copies = 3
        miss = ["set"]
        fill-percent = [20]
        threads = [2]
    "#;
    let (code, _, rows) = run_suite_in(&folder, suite, &["--repetitions", "1"]);
    let wrong = rows.iter().find(|row| row.outcome != Outcome::Measured);
    assert_eq!(code, 0, "{:?}", wrong.map(|row| (&row.cell.id, &row.reason)));
    assert_eq!(found(&rows), Verification::default());
    assert!(rows.iter().filter_map(|row| row.verification).any(|it| it.checked >= 4000));
    for row in rows.iter().filter(|row| row.step == "run") {
        let Work::KeyValue(work) = &row.cell.work else { panic!("{row:?}") };
        let replay = work.replay.as_ref().expect("a replay");
        let (by_words, id) = (row.system == "mica-erew", &row.cell.id);
        assert_eq!(row.conditions.as_ref().unwrap().keys, if by_words { "words" } else { "trace" });
        assert_eq!(id.contains("-own-keys/"), !by_words, "{id}");
        let sets = replay.sets(work.threads);
        let totals = &replay.totals;
        assert_eq!((totals.live_records, totals.records), (live_objects, 4000), "{id}");
        let expected = if by_words { live_bytes + live_key_bytes } else { live_bytes };
        if replay.miss == Miss::Nothing {
            assert_eq!(totals.live_bytes, expected, "{id}");
        }
        let keys = match by_words {
            true => 8 * live_objects,
            false => sets * (totals.live_key_bytes + if sets > 1 { 2 * live_objects } else { 0 }),
        };
        let told = row.cell.key_bytes_of(sets * totals.live_records);
        assert!(told.abs_diff(keys) <= 1, "{id}: {told} bytes of keys, {keys} expected");
        if !by_words && replay.miss == Miss::Nothing {
            assert_eq!(totals.live_key_bytes, live_key_bytes, "{id}");
        }
    }
    let shown = bench()
        .current_dir(&folder)
        .args(["plan", "suite.toml", "--scale", "smoke"])
        .output()
        .expect("the program starts");
    let said = format!("{}{}", String::from_utf8_lossy(&shown.stdout), errors(&shown));
    assert!(
        said.contains("trace `texts` has the texts of its keys: nibble, heapstore:glibc"),
        "{said}"
    );
    assert!(said.contains("mica-erew asked by 8-byte words"), "{said}");
}

#[test]
fn planted_bugs_are_found_in_replays() {
    let folder = with_trace("replay-planted");
    for (fault, is_itself) in [
        ("lose", (|it| it.lost > 0) as fn(&Verification) -> bool),
        ("tear", |it| it.torn > 0),
        ("resurrect", |it| it.resurrected > 0),
    ] {
        let suite = format!(
            r#"
            question = "Is a planted bug found?"
            [[replay]]
            stores = ["faulty@fault={fault}@after-puts=2000"]
            traces = ["small"]
            copies = 4
            fill-percent = [5]
            threads = [2]
            "#
        );
        let results = folder.join("results");
        for entry in fs::read_dir(&results).expect("a folder").flatten() {
            if entry.path().is_dir() && !entry.path().ends_with("traces") {
                fs::remove_dir_all(entry.path()).expect("the run before goes");
            }
        }
        let (code, _, rows) = run_suite_in(&folder, &suite, &["--repetitions", "1"]);
        let all = found(&rows);
        assert_eq!(code, 1, "{fault}: {all:?}");
        assert!(is_itself(&all), "{fault}: {all:?}");
        assert!(rows.iter().any(|row| row.outcome == Outcome::WrongValues), "{fault}");
    }
}

#[test]
fn a_trace_that_is_not_there_is_said_and_not_replayed() {
    let folder = with_trace("replay-missing");
    let suite = r#"
        question = "?"
        [[replay]]
        stores = ["nibble"]
        traces = ["small", "gone"]
        fill-percent = [10]
        threads = [1]
    "#;
    let file = folder.join("suite.toml");
    fs::write(&file, suite).expect("a file");
    let ran = bench()
        .args(["run", file.to_str().unwrap(), "--scale", "smoke", "--quiet", "--results"])
        .arg(folder.join("results"))
        .output()
        .expect("the program starts");
    assert!(ran.status.success(), "{}", errors(&ran));
    assert!(errors(&ran).contains("no trace `gone` is there"), "{}", errors(&ran));
}
