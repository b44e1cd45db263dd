//! A gate that found no baseline, created one and compared nothing.

use serde_json::json;

use super::escape;
use super::markdown::MARKER;

/// For a comment on a pull request; `said` names the file and what it was made from.
#[must_use]
pub fn markdown_created(said: &str) -> String {
    format!("{MARKER}\n### 📏 baseline created\n\n{}\n", escape::prose(said))
}

/// `{"overall": "baseline-created", "message": …}`: no comparison, and not to be taken for one.
#[must_use]
pub fn json_created(said: &str) -> String {
    let value = json!({ "overall": "baseline-created", "message": said });
    serde_json::to_string_pretty(&value).expect("plain data") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_created_is_no_comparison() {
        let said = "base.jsonl: created from 6 cells, 20 processes each";
        assert!(markdown_created(said).starts_with(MARKER));
        assert!(crate::render::from_json(&json_created(said)).is_err());
    }
}
