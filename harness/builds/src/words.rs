//! Extracts the relevant part of a compiler's output.

use std::collections::VecDeque;

/// Lines that are kept.
const LINES_MAX: usize = 200;

/// Keeps the first error and what follows it; until there is one, the last lines.
#[derive(Debug, Default)]
pub(crate) struct Words {
    lines: VecDeque<String>,
    is_error_seen: bool,
}

impl Words {
    /// Adds a line.
    pub(crate) fn push(&mut self, line: &str) {
        if !self.is_error_seen && (line.starts_with("error:") || line.starts_with("error[")) {
            self.is_error_seen = true;
            self.lines.clear();
        }
        if self.lines.len() == LINES_MAX {
            if self.is_error_seen {
                return;
            }
            self.lines.pop_front();
        }
        self.lines.push_back(line.to_owned());
    }

    /// All that was kept.
    pub(crate) fn text(&self) -> String {
        self.lines.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(lines: impl IntoIterator<Item = String>) -> String {
        let mut words = Words::default();
        lines.into_iter().for_each(|line| words.push(&line));
        words.text()
    }

    #[test]
    fn an_error_comes_first_and_is_not_pushed_out() {
        let noise = |of: &str| (0..500).map(move |line| format!("{of} {line}")).collect::<Vec<_>>();
        let error = vec!["error[E0308]: mismatched types".to_owned(), "error: later".to_owned()];
        let text = text_of([noise("warning"), error, noise("warning")].concat());
        assert!(text.starts_with("error[E0308]: mismatched types\nerror: later\nwarning 0\n"));
        assert_eq!(text.lines().count(), LINES_MAX);
    }

    #[test]
    fn without_an_error_the_last_lines_are_kept() {
        let text = text_of((0..1000).map(|line| format!("line {line}")));
        assert!(text.starts_with("line 800\n") && text.ends_with("line 999"), "{text}");
    }
}
