//! The JSON Schemas in `docs/` are those of the types, and every published line keeps to them.
//! `NIBBLE_RENEW_SCHEMAS=1 cargo test -p report schemas` writes them again.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use expect::Summary;
use flate2::read::GzDecoder;
use jsonschema::Validator;
use record::{Row, SCHEMA, made_up, schema};
use serde_json::{Value, json};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of the file at `path`, once it is what the types give.
fn checked(path: &str, given: &str) -> String {
    let file = root().join(path);
    if std::env::var_os("NIBBLE_RENEW_SCHEMAS").is_some() {
        fs::write(&file, given).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert!(text == given, "{path} is not what the types give: set NIBBLE_RENEW_SCHEMAS=1");
    text
}

fn validator(text: &str) -> Validator {
    let schema = serde_json::from_str(text).expect("a schema is JSON");
    jsonschema::draft202012::new(&schema).expect("a schema of draft 2020-12")
}

fn of_rows() -> Validator {
    validator(&checked("docs/row.schema.json", &schema::text_of::<Row>()))
}

fn of_summaries() -> Validator {
    validator(&checked("docs/summary.schema.json", &schema::text_of::<Summary>()))
}

/// The lines of a compressed file of the published run.
fn published(name: &str) -> Vec<Value> {
    let file = fs::File::open(root().join("results/reference").join(name)).expect("a file");
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).expect("a whole file");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// What is wrong with `value`, with its place.
fn wrong(validator: &Validator, value: &Value) -> Vec<String> {
    let errors = validator.iter_errors(value);
    errors.map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn assert_right(validator: &Validator, lines: &[Value]) {
    for (number, line) in lines.iter().enumerate() {
        let wrong = wrong(validator, line);
        assert!(wrong.is_empty(), "line {}: {wrong:#?}", number + 1);
    }
}

/// A row of the present format that has the fields which format 3 lacks.
fn present() -> Value {
    let cell = made_up::sample_cells().pop().expect("cells");
    let mut row = made_up::row(&cell, "run");
    row.suites = vec!["gate".to_owned()];
    serde_json::to_value(row).expect("plain data")
}

#[test]
fn every_published_row_keeps_to_the_schema() {
    let rows = published("rows.jsonl.gz");
    assert!(rows.len() > 1000, "{} rows", rows.len());
    assert_right(&of_rows(), &rows);
}

#[test]
fn every_published_summary_keeps_to_the_schema() {
    let summaries = published("summary.jsonl.gz");
    assert!(summaries.len() > 1000, "{} summaries", summaries.len());
    assert_right(&of_summaries(), &summaries);
}

#[test]
fn rows_of_the_present_format_of_every_kind_of_cell_keep_to_it() {
    let validator = of_rows();
    let present = present();
    assert_eq!(present["schema"], SCHEMA);
    assert!(["suites", "role", "node"].iter().all(|name| present.get(name).is_some()));
    assert_right(&validator, &[present]);
    let cells = made_up::sample_cells();
    let rows = cells.iter().map(|cell| serde_json::to_value(made_up::row(cell, "run")).unwrap());
    assert_right(&validator, &rows.collect::<Vec<_>>());
}

/// The row with `value` at `pointer`, whose last name may be new.
fn with(mut row: Value, pointer: &str, value: Value) -> Value {
    let (object, name) = pointer.rsplit_once('/').expect("a pointer");
    row.pointer_mut(object).expect("an object")[name] = value;
    row
}

#[test]
fn unknown_fields_wrong_types_and_missing_fields_are_refused() {
    let validator = of_rows();
    for (path, value) in [
        ("no-such-field", json!(1)),
        ("cell no-such-field", json!(1)),
        ("cell system no-such-field", json!(1)),
        ("cell work no-such-field", json!(1)),
        ("cell work workload no-such-field", json!(1)),
        ("cpu no-such-field", json!(1)),
        ("operations", json!("many")),
        ("operations", json!(-1)),
        ("outcome", json!("no-such-outcome")),
        ("schema", json!(2)),
        ("suites", json!("gate")),
        ("cell work kind", json!("no-such-kind")),
        ("cell work workload value-bytes", json!(1.5)),
        ("latency-ns p50", json!("fast")),
    ] {
        let pointer: String = path.split(' ').map(|name| format!("/{name}")).collect();
        let row = with(present(), &pointer, value.clone());
        assert!(!validator.is_valid(&row), "{pointer} = {value} is accepted");
    }
    for name in ["schema", "cell", "step", "outcome", "elapsed-ns", "throughput-ops-per-s"] {
        let mut row = present();
        row.as_object_mut().expect("an object").remove(name);
        assert!(!validator.is_valid(&row), "a row without {name} is accepted");
    }
}

#[test]
fn summaries_with_unknown_fields_or_wrong_types_are_refused() {
    let validator = of_summaries();
    let summary = || published("summary.jsonl.gz").remove(0);
    assert!(validator.is_valid(&summary()));
    for (pointer, value) in
        [("/no-such-field", json!(1)), ("/metrics", json!([])), ("/labels/step", json!(1))]
    {
        let summary = with(summary(), pointer, value.clone());
        assert!(!validator.is_valid(&summary), "{pointer} = {value} is accepted");
    }
}
