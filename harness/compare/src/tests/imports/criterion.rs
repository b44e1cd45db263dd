//! criterion's folders.

use std::fs;
use std::path::PathBuf;

use stats::Better::Lower;

use super::{cells, fixture, metrics, values};
use crate::imports::{NEWEST, Tool, criterion, import, import_as};

/// A folder of one benchmark, with this sample.
fn benchmark(name: &str, sample: &str) -> PathBuf {
    let folder = crate::tests::scratch(name);
    let newest = folder.join("it").join(NEWEST);
    fs::create_dir_all(&newest).unwrap();
    fs::write(newest.join("benchmark.json"), r#"{"full_id":"it"}"#).unwrap();
    fs::write(newest.join("sample.json"), sample).unwrap();
    folder
}

#[test]
fn every_benchmark_has_a_value_a_sample() {
    let imported = import(&fixture("criterion")).unwrap();
    // The id, not the folder, which has no slashes of the id.
    assert_eq!(cells(&imported), ["slow/sort", "sum/of/range/100"]);
    assert!(imported.notices.is_empty());
    for line in &imported.lines {
        assert_eq!((line.source.as_str(), line.run.as_str()), ("criterion", "criterion/new"));
        assert_eq!(metrics(line), ["time-per-iteration"]);
        assert_eq!(values(line, "time-per-iteration", "ns", Lower).len(), 10);
    }
    // Flat: as many iterations in each sample; linear: more and more.
    let flat = values(&imported.lines[0], "time-per-iteration", "ns", Lower);
    assert_eq!((flat[0], flat[9]), (9_973_474.0 / 701.0, 10_048_295.0 / 701.0));
    let linear = values(&imported.lines[1], "time-per-iteration", "ns", Lower);
    assert_eq!((linear[0], linear[9]), (2_303_272.0 / 39_479.0, 19_646_886.0 / 394_790.0));
}

#[test]
fn a_baseline_is_asked_for_by_its_name() {
    let first = criterion(&fixture("criterion"), "first").unwrap();
    assert_eq!(cells(&first), ["sum/of/range/100"]);
    assert_eq!(first.lines[0].run, "criterion/first");
    let value = values(&first.lines[0], "time-per-iteration", "ns", Lower)[0];
    assert_eq!(value, 1_351_634.0 / 37_234.0);
    assert_eq!(cells(&criterion(&fixture("criterion"), "base").unwrap()).len(), 2);

    let error = criterion(&fixture("criterion"), "last").unwrap_err().to_string();
    assert!(error.ends_with("not criterion: it has no baseline \"last\", but base, first, new"));
}

#[test]
fn any_folder_below_will_do() {
    let newest = import_as(Tool::Criterion, &fixture("criterion")).unwrap();
    for below in ["criterion/slow", "criterion/slow/sort", "criterion/slow/sort/new"] {
        let imported = import_as(Tool::Criterion, &fixture(below)).unwrap();
        assert_eq!(imported.lines[0].metrics, newest.lines[0].metrics, "{below}");
    }
}

#[test]
fn errors_name_file_and_field() {
    let of = |name: &str, sample: &str| {
        let error = import(&benchmark(name, sample)).unwrap_err();
        assert!(error.path.ends_with("it/new/sample.json"), "{error}");
        error.fault.to_string()
    };
    assert_eq!(
        of("criterion-negative", r#"{"iters":[1],"times":[-3.5]}"#),
        "times[0] is -3.5: a measured value is a number from 0 on"
    );
    assert_eq!(
        of("criterion-zero", r#"{"iters":[0],"times":[1]}"#),
        "iters[0]: 0; it should be at least 1"
    );
    assert_eq!(
        of("criterion-unequal", r#"{"iters":[1,2],"times":[1]}"#),
        "times: an array of 1; it should be one time for each of iters, and at least one"
    );
    assert!(of("criterion-none", r#"{"iters":[],"times":[]}"#).starts_with("times: an array of 0"));
    assert_eq!(of("criterion-missing", r#"{"iters":[1]}"#), "times: missing; it should be there");
    assert_eq!(
        of("criterion-damaged", "{\"iters\":[1],\n\"times\":[1,]}"),
        "damaged JSON at line 2, column 12 (byte 25): trailing comma; export it again"
    );

    let without = benchmark("criterion-without", "");
    fs::remove_file(without.join("it/new/sample.json")).unwrap();
    let error = import(&without).unwrap_err();
    assert!(error.path.ends_with("it/new/sample.json"), "{error}");
}
