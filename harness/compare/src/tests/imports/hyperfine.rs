//! hyperfine, in both of its formats.

use stats::Better::Lower;

use super::{cells, metrics, read, refusal, values, written};
use crate::imports::import;

#[test]
fn version_1_has_a_value_a_run_and_means_of_the_processor() {
    let imported = read("hyperfine-1.json");
    assert_eq!(cells(&imported), ["sleep 0.01 (seconds=0.01)", "sleep 0.02 (seconds=0.02)"]);
    assert!(imported.notices.iter().all(|notice| notice.contains("system are 0")));
    let line = &imported.lines[0];
    assert_eq!((line.source.as_str(), line.run.as_str()), ("hyperfine", "hyperfine-1"));
    assert_eq!(metrics(line), ["elapsed", "peak-memory", "system", "user"]);
    assert_eq!(
        values(line, "elapsed", "s", Lower),
        [0.011332027000000001, 0.011133721000000001, 0.011309142000000001, 0.011558601]
    );
    assert_eq!(values(line, "peak-memory", "bytes", Lower), [5_296_128.0; 4]);
    assert_eq!(values(line, "user", "s", Lower), [0.0011575000000000001]);
}

#[test]
fn version_2_has_a_value_a_run_of_everything() {
    let imported = read("hyperfine-2.json");
    assert_eq!(cells(&imported), ["nap (seconds=0.01)", "nap (seconds=0.02)"]);
    let line = &imported.lines[0];
    assert_eq!(line.measured, "2026-11-22T08:53:24Z");
    assert_eq!(metrics(line), ["elapsed", "peak-memory", "system", "user"]);
    for metric in ["elapsed", "system", "user"] {
        assert_eq!(values(line, metric, "s", Lower).len(), 4);
    }
    assert_eq!(values(line, "elapsed", "s", Lower)[0], 0.011_438_247);
    assert_eq!(values(line, "peak-memory", "bytes", Lower)[0], 5_472_256.0);
}

#[test]
fn failed_runs_are_left_out_and_told() {
    let imported = read("hyperfine-1-failures.json");
    assert_eq!(cells(&imported), ["sh flaky.sh", "true"]);
    let flaky = &imported.lines[0];
    // The third failed, and the means of the processor's times include it.
    assert_eq!(metrics(flaky), ["elapsed", "peak-memory"]);
    let elapsed = values(flaky, "elapsed", "s", Lower);
    assert_eq!((elapsed.len(), elapsed[2]), (4, 0.002_572_834));
    assert_eq!(
        imported.notices[..3],
        [
            "sh flaky.sh: 1 of 5 runs failed and are left out",
            "sh flaky.sh: user and system are means with failed runs: left out",
            "sh -c \"exit 3\": 5 of 5 runs failed and are left out",
        ]
    );

    let imported = read("hyperfine-2-failures.json");
    let elapsed = values(&imported.lines[0], "elapsed", "s", Lower);
    assert_eq!((elapsed.len(), elapsed[2]), (3, 0.003_900_258));
    // Here they are known of each run.
    assert_eq!(values(&imported.lines[0], "user", "s", Lower).len(), 3);
    assert_eq!(imported.notices[0], "sh flaky.sh: 1 of 4 runs failed and are left out");
}

#[test]
fn a_run_ended_by_a_signal_has_failed() {
    let json = r#"{"results":[{"command":"a","times":[1,2],"exit_codes":[0,null]}]}"#;
    let imported = import(&written("hyperfine-signal.json", json)).unwrap();
    assert_eq!(values(&imported.lines[0], "elapsed", "s", Lower), [1.0]);
    assert_eq!(imported.notices, ["a: 1 of 2 runs failed and are left out"]);
}

#[test]
fn a_mean_alone_is_one_value() {
    let json = r#"{"results":[{"command":"a","mean":1.5}]}"#;
    let imported = import(&written("hyperfine-mean.json", json)).unwrap();
    assert_eq!(values(&imported.lines[0], "elapsed", "s", Lower), [1.5]);
    assert_eq!(imported.notices, ["a: only the mean was exported, so it is one value"]);
}

#[test]
fn errors_name_the_field() {
    let of =
        |result: &str| refusal("hyperfine-refused.json", &format!("{{\"results\":[{result}]}}"));
    assert_eq!(of(""), "read as hyperfine: no results: there are none in it");
    assert_eq!(
        of(r#"{"command":"a","times":[1],"exit_codes":[1]}"#),
        "read as hyperfine: no results: a: 1 of 1 runs failed and are left out"
    );
    assert_eq!(
        of(r#"{"command":"a","times":[1,null]}"#),
        "read as hyperfine: results[0].times[1]: null; it should be a number"
    );
    assert_eq!(
        of(r#"{"command":"a","times":[1,-2]}"#),
        "read as hyperfine: results[0].times[1] is -2: a measured value is a number from 0 on"
    );
    assert_eq!(
        of(r#"{"command":"a","times":[1,2],"exit_codes":[0]}"#),
        "read as hyperfine: results[0].times: an array of 2; it should be one number for each exit \
         code, and at least one"
    );
    assert_eq!(
        of(r#"{"command":"a","times":[1]},{"command":"a","times":[1]}"#),
        "read as hyperfine: two results are called \"a\", so nobody knows which to compare: give \
         each its own name"
    );
    assert_eq!(
        of(r#"{"command":"a","measurements":[{"exit_code":0}]}"#),
        "read as hyperfine: results[0].measurements[0].time_wall_clock: missing; it should be there"
    );
    assert!(of(r#"{"command":"a","measurements":[]}"#).contains("an array of 0"));
    assert!(of(r#"{"command":"a","times":[]}"#).contains("an array of 0"));
    assert!(of(r#"{"command":"a","times":[1e999]}"#).starts_with("damaged JSON at line 1"));
}
