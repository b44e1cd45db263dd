//! The colours of a terminal. Texts hold them always; whoever prints to something else strips them.

use anstyle::AnsiColor;
pub use anstyle::Style;

use crate::Overall;

/// What is good news.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// What is bad news.
pub const BAD: Style = AnsiColor::Red.on_default();
/// What cannot be told, and what a reader is warned of.
pub const UNSURE: Style = AnsiColor::Yellow.on_default();
/// What needs no attention.
pub const PLAIN: Style = Style::new();

/// `text` in a style.
#[must_use]
pub fn painted(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// The style of a finding.
pub(super) fn style_of(overall: Overall) -> Style {
    match overall {
        Overall::Worse => BAD,
        Overall::Better => GOOD,
        Overall::Unknown => UNSURE,
        Overall::Unchanged => PLAIN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_style_begins_and_ends_and_none_leaves_the_text_alone() {
        assert_eq!(painted(BAD, "slow"), "\u{1b}[31mslow\u{1b}[0m");
        assert_eq!(painted(PLAIN, "as it was"), "as it was");
    }
}
