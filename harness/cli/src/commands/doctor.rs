//! `doctor`: what on this machine disturbs measurements, and how to mend it.

use compare::render::colour::{BAD, GOOD, painted};

use super::{Failure, output};
use crate::doctor::{Severity, examine, probe, text};
use worker::exit;

/// Checks the machine and prints the findings.
pub(super) fn run(json: bool, strict: bool) -> Result<(), Failure> {
    let findings = examine(&probe());
    let disturbed = findings.iter().any(|finding| finding.severity == Severity::Disturbs);
    if json {
        output::print_json(&serde_json::json!({ "findings": findings }));
    } else {
        let text = text(&findings);
        let (headline, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let style = if disturbed { BAD } else { GOOD };
        output::print(&format!("{}\n{rest}", painted(style, headline)));
    }
    if strict && disturbed { Err(Failure::silent(exit::DISTURBED)) } else { Ok(()) }
}
