//! The doctor's two forms say the same, fit a terminal, and only `--strict` makes them an error.

use crate::common::{errors, run};

fn severities(json: &[u8]) -> Vec<(String, String)> {
    let value: serde_json::Value = serde_json::from_slice(json).expect("JSON");
    let findings = value["findings"].as_array().expect("findings");
    let field = |finding: &serde_json::Value, name: &str| {
        let text = finding[name].as_str().unwrap_or_else(|| panic!("{name} in {finding}"));
        assert!(!text.is_empty());
        text.to_owned()
    };
    let each = findings.iter().map(|finding| {
        field(finding, "value");
        field(finding, "why");
        let severity = field(finding, "severity");
        assert_eq!(finding.get("remedy").is_some(), severity != "fine", "{finding}");
        (field(finding, "name"), severity)
    });
    each.collect()
}

#[test]
fn json_has_every_finding_and_strict_fails_where_something_disturbs() {
    let output = run(&["doctor", "--json", "--strict"]);
    let found = severities(&output.stdout);
    assert!(found.len() >= 20, "{found:?}");
    let disturbed = found.iter().any(|(_, severity)| severity == "disturbs");
    assert_eq!(output.status.code(), Some(i32::from(disturbed)), "{}", errors(&output));
    let profile = found.iter().find(|(name, _)| name == "build-profile").expect("a check");
    assert_eq!(profile.1 == "disturbs", cfg!(debug_assertions), "tests are rarely a release");
}

#[test]
fn text_is_advice_and_fits_into_100_columns() {
    let output = run(&["doctor"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("build-profile") && text.contains(" unknown, "), "{text}");
    let long = text.lines().find(|line| line.chars().count() > 100);
    assert_eq!(long, None);
}
