//! `doctor`: what on this machine disturbs measurements, and how to mend it.

use super::Failure;
use crate::doctor::{Severity, examine, probe, text};
use worker::exit;

/// Checks the machine and prints the findings.
pub(super) fn run(json: bool, strict: bool) -> Result<(), Failure> {
    let findings = examine(&probe());
    if json {
        let findings = serde_json::json!({ "findings": findings });
        println!("{}", serde_json::to_string_pretty(&findings).expect("plain data"));
    } else {
        print!("{}", text(&findings));
    }
    let disturbed = findings.iter().any(|finding| finding.severity == Severity::Disturbs);
    if strict && disturbed { Err(Failure::silent(exit::DISTURBED)) } else { Ok(()) }
}
