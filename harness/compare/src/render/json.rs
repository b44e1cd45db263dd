//! A comparison for programs.

use serde::{Deserialize, Serialize};

use crate::{COMPARISON_SCHEMA, Comparison, Overall};

/// The written form: the overall result, then the fields.
#[derive(Serialize)]
struct Written<'a> {
    overall: Overall,
    #[serde(flatten)]
    comparison: &'a Comparison,
}

/// The form that is read: the same, or a comparison alone.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    overall: Option<Overall>,
    #[serde(flatten)]
    comparison: Comparison,
}

/// `comparison` as indented JSON that ends in a newline: the fields of [`Comparison`] after
/// `overall`, [what it comes to](Comparison::overall) in one word: `unchanged`, `better`,
/// `unknown` or `worse`. [`from_json`] reads it back as the equal value.
///
/// NaN is written as `null`, and such a file cannot be read back; judges leave out what was not
/// measured.
#[must_use]
pub fn json(comparison: &Comparison) -> String {
    let written = Written { overall: comparison.overall(), comparison };
    let mut json = serde_json::to_string_pretty(&written).expect("fields with names are JSON");
    json.push('\n');
    json
}

/// Reads what [`json()`] wrote. `overall` may be missing, as in a [`Comparison`] that was written
/// by serde itself.
///
/// # Errors
/// Where and why `text` is not a comparison, which other format it has, or that `overall`
/// contradicts the verdicts.
pub fn from_json(text: &str) -> Result<Comparison, String> {
    #[derive(Deserialize)]
    struct Version {
        schema: u32,
    }
    // A newer format may have fields that this program would only call unknown.
    let version: Version =
        serde_json::from_str(text).map_err(|error| format!("this is no comparison: {error}"))?;
    if version.schema != COMPARISON_SCHEMA {
        return Err(format!(
            "the comparison has format {}, this program reads format {COMPARISON_SCHEMA}: read it \
             with the program that wrote it",
            version.schema
        ));
    }
    let Read { overall, comparison } =
        serde_json::from_str(text).map_err(|error| format!("this is no comparison: {error}"))?;
    let found = comparison.overall();
    match overall {
        Some(said) if said != found => Err(format!(
            "the comparison says overall `{said}`, but its verdicts come to `{found}`: it was \
             changed by hand; compare again"
        )),
        _ => Ok(comparison),
    }
}

#[cfg(test)]
mod tests {
    use workloads::Seed;

    use super::super::fixture;
    use super::*;
    use crate::Values;

    #[test]
    fn what_it_comes_to_stands_first() {
        let text = r#"{"schema": 2, "command": "compare a b", "baseline": {"name": "a"},
            "candidate": {"name": "b"}, "how": {"kind": "apart"}, "error-rate": 0.02, "judged": [],
            "elapsed-s": 0.0}"#;
        let comparison = from_json(text).unwrap();
        let written = json(&comparison);
        assert!(written.starts_with("{\n  \"overall\": \"unknown\",\n  \"schema\": 2,\n"));
        assert_eq!(from_json(&written).unwrap(), comparison);
    }

    #[test]
    fn what_is_written_is_read_back_as_the_equal_value() {
        for comparison in
            [fixture::every_kind(), fixture::hostile(), fixture::of(vec![fixture::better()])]
        {
            let json = json(&comparison);
            assert!(json.ends_with("}\n"));
            assert_eq!(from_json(&json).unwrap(), comparison);
        }
    }

    /// A reader that rounds differently in the last place would make equal comparisons unequal.
    #[test]
    fn every_digit_of_a_number_comes_back() {
        let mut rng = Seed(3).rng();
        let mut comparison = fixture::of(vec![fixture::worse(0.9); 500]);
        for judged in &mut comparison.judged {
            judged.baseline = Values::of(&[rng.unit_f64() * 1e9]);
            judged.candidate = Values::of(&[(rng.unit_f64() * 40.0 - 20.0).exp()]);
        }
        assert_eq!(from_json(&json(&comparison)).unwrap(), comparison);
    }

    #[test]
    fn the_overall_word_is_there_and_may_be_missing_but_not_wrong() {
        let comparison = fixture::every_kind();
        let value: serde_json::Value = serde_json::from_str(&json(&comparison)).unwrap();
        assert_eq!(value["overall"], "worse");
        assert_eq!(value["judged"][1]["verdict"], "unknown");
        assert_eq!(value["judged"][1]["because"], "floor");
        let bare = serde_json::to_string(&comparison).unwrap();
        assert_eq!(from_json(&bare).unwrap(), comparison);
        let wrong = json(&comparison).replacen("\"worse\"", "\"better\"", 1);
        let error = from_json(&wrong).unwrap_err();
        assert!(error.contains("overall `better`") && error.contains("`worse`"), "{error}");
    }

    #[test]
    fn other_formats_and_unknown_fields_are_refused_by_name() {
        let json = json(&fixture::every_kind());
        let newer = json.replacen("\"schema\": 2", "\"schema\": 3", 1);
        assert!(from_json(&newer).unwrap_err().contains("format 3"));
        let more = json.replacen("{", "{\"surprise\": 1,", 1);
        assert!(from_json(&more).unwrap_err().contains("surprise"));
        assert!(from_json("[]").unwrap_err().contains("no comparison"));
    }
}
