//! Findings as text for a terminal of 100 columns.

use super::finding::{Finding, Severity};

const COLUMNS: usize = 100;
/// Where names and explanations begin: below one another, right of the severity.
const INDENT: usize = 10;
/// Room for names.
const NAME_COLUMNS: usize = 24;

/// How much disturbs, in the first line. Then what disturbs, with reasons and remedies; what is fine last,
/// a line each.
#[must_use]
pub fn text(findings: &[Finding]) -> String {
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let mut text = format!(
        "{} disturb, {} unknown, {} fine\n\n",
        count(Severity::Disturbs),
        count(Severity::Unknown),
        count(Severity::Fine)
    );
    for severity in [Severity::Disturbs, Severity::Unknown, Severity::Fine] {
        for finding in findings.iter().filter(|finding| finding.severity == severity) {
            let head = format!("{:INDENT$}{:NAME_COLUMNS$}", severity.word(), finding.name);
            text += &wrapped(&head, &finding.value);
            if let Some(remedy) = finding.remedy {
                text += &wrapped(&" ".repeat(INDENT), finding.why);
                text += &wrapped(&format!("{:INDENT$}mend: ", ""), remedy);
            }
        }
    }
    text
}

/// `head`, then the words of `body` in lines that begin below one another. A word that is longer
/// than a line stays whole: it may be a path to be copied.
fn wrapped(head: &str, body: &str) -> String {
    let mut text = String::new();
    let mut line = head.to_owned();
    let begin = head.chars().count();
    for word in body.split_whitespace() {
        let used = line.chars().count();
        if used > begin && used + 1 + word.chars().count() > COLUMNS {
            text += line.trim_end();
            text.push('\n');
            line = " ".repeat(begin);
        } else if used > begin {
            line.push(' ');
        }
        line += word;
    }
    text + line.trim_end() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::{CHECKS, Readings, examine};

    #[test]
    fn what_disturbs_comes_first_and_lines_fit() {
        let findings = examine(&Readings::default());
        let text = text(&findings);
        for line in text.lines() {
            assert!(line.chars().count() <= COLUMNS, "{line}");
        }
        let places = ["disturbs", "unknown", "fine"].map(|word| text.find(&format!("\n{word} ")));
        assert!(places[0] < places[1] && places[1] < places[2], "{text}");
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        for check in CHECKS.iter().flat_map(|checks| checks.iter()) {
            let disturbed =
                findings.iter().any(|one| one.name == check.name && one.remedy.is_some());
            assert_eq!(words(&text).contains(&words(check.remedy)), disturbed, "{}", check.name);
        }
        assert!(text.lines().next().is_some_and(|line| line.ends_with(" fine")), "{text}");
    }

    #[test]
    fn long_bodies_continue_below_their_beginning() {
        let text = wrapped("head ", &"word ".repeat(30));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("head word") && lines[1].starts_with("     word"), "{text}");
        assert_eq!(wrapped("head ", ""), "head\n");
    }
}
