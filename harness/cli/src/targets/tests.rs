//! The built-in table, and what tests of this folder share.

use super::file::File;
use super::{BUILT_IN, cells};

/// A file without targets, to which tests add some.
pub(super) const HEAD: &str = r#"
    seed = 7
    [plan]
    calibration = { random-line-ns = 10.0, copy-gb-per-s = 10.0 }
    scale.quick = { object-memory = "64MiB", live-set = "16MiB", operations = 1000, blocks = 3, repetitions = 3,
                    overhead-repetitions = 1, object-counts = 5, calibration = "1MiB" }
    yardstick = [
        { name = "fast", mops = [{ value-bytes = 64, get-percent = 50, is = 4.0 }] },
        { name = "slow", mops = [{ value-bytes = 64, get-percent = 50, is = 1.0 }] },
    ]
"#;

/// An entry called `t` with further keys of its own, and a question of those lines.
pub(super) fn entry(keys: &str, question: &str) -> String {
    format!(
        "[[expectation]]\nid = \"t\"\nsource = \"tests\"\nsays = \"it is so\"\n{keys}\n\
         [[expectation.ask]]\non = \"any\"\nexpects = \"that it is so\"\ninterval = \"rounds\"\n{question}\n"
    )
}

pub(super) fn parse(entry: &str) -> Result<File, String> {
    File::parse("t.toml", &format!("{HEAD}{entry}")).map_err(|error| error.to_string())
}

pub(super) fn file(keys: &str, question: &str) -> File {
    parse(&entry(keys, question)).unwrap()
}

/// A question about throughput.
pub(super) fn throughput(place: &str, of: &str, to: &str) -> String {
    format!(
        "metric = \"throughput\"\nwhere = {{ {place} }}\n\
         ratio = {{ of = {{ {of} }}, to = {{ {to} }}, at-least = 1.5 }}"
    )
}

/// A question of a yardstick that has a value.
pub(super) fn against(yardsticks: &str) -> String {
    let place = "value-bytes = 64, workload = \"get-50\", fill-percent = 20, threads = 1";
    throughput(place, "system = \"nibble\"", &format!("system = {yardsticks}"))
}

fn built_in() -> File {
    File::parse(BUILT_IN.0, BUILT_IN.1).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_built_in_table_can_be_planned_at_every_scale() {
    let file = built_in();
    assert!(file.targets.len() >= 30, "{}", file.targets.len());
    let scales: Vec<&str> = file.plan.scales.keys().map(String::as_str).collect();
    assert_eq!(scales, ["quick", "smoke", "standard"]);
    for sizes in file.plan.scales.values() {
        for target in &file.targets {
            assert!(target.expectation.says.ends_with('.'), "{}", target.name());
            assert!(!cells(&file, target, sizes).unwrap().is_empty());
        }
    }
}
