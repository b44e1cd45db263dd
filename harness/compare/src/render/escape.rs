//! Escapes names and sentences from outside for the format around them.

/// On one line and without control characters, which would break tables and move cursors.
#[must_use]
pub fn line(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect()
}

/// At most `chars_max` characters of [`line()`], with `…` for what is missing.
fn shortened(text: &str, chars_max: usize) -> String {
    let text = line(text);
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Characters of a name that a comment shows.
const NAME_CHARS_MAX: usize = 160;
/// Characters of a sentence that a comment shows.
const PROSE_CHARS_MAX: usize = 600;

/// A name in Markdown, as code: GitHub looks for no mention, issue or commit in it, and it can be
/// copied as it is.
#[must_use]
pub fn code(name: &str) -> String {
    format!("<code>{}</code>", entities(&shortened(name, NAME_CHARS_MAX)))
}

/// A sentence in Markdown. GitHub looks for mentions and issues after it resolved entities, so a
/// zero-width space follows the character that would begin one.
#[must_use]
pub fn prose(text: &str) -> String {
    let text = shortened(text, PROSE_CHARS_MAX);
    entities(&text.replace('@', "@\u{200b}").replace('#', "#\u{200b}"))
}

/// Numeric entities are text wherever Markdown has a meaning for the character itself, in tables
/// too.
fn entities(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        if "&<>\"'|`*_~\\[]!#@$".contains(char) {
            escaped += &format!("&#{};", u32::from(char));
        } else {
            escaped.push(char);
        }
    }
    escaped
}

/// A block of code in Markdown, at most `chars_max` characters of `text`.
pub(super) fn fenced(text: &str, chars_max: usize) -> String {
    let text = shortened(text, chars_max);
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}sh\n{text}\n{fence}\n")
}

/// Drops characters that XML 1.0 cannot express; those that would break an attribute's line become
/// spaces.
pub(super) fn xml(text: &str) -> String {
    let legal = |char: char| match char {
        '\n' | '\r' | '\t' => ' ',
        '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}' => char,
        _ => char::REPLACEMENT_CHARACTER,
    };
    text.chars().map(legal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_code_without_a_meaning_of_their_own() {
        assert_eq!(code("a|b`c`\n<d>"), "<code>a&#124;b&#96;c&#96; &#60;d&#62;</code>");
        assert_eq!(code("nibble@x=1"), "<code>nibble&#64;x=1</code>");
        assert_eq!(code(&"x".repeat(161)), format!("<code>{}…</code>", "x".repeat(160)));
        assert_eq!(code(&"é".repeat(160)), format!("<code>{}</code>", "é".repeat(160)));
    }

    #[test]
    fn sentences_mention_nobody() {
        assert_eq!(prose("by @me, see #3"), "by &#64;\u{200b}me, see &#35;\u{200b}3");
        assert_eq!(prose("</details>\\"), "&#60;/details&#62;&#92;");
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fenced("a ``` b", 99), "````sh\na ``` b\n````\n");
        assert_eq!(fenced("a\nb", 99), "```sh\na b\n```\n");
    }

    #[test]
    fn xml_has_no_impossible_characters() {
        assert_eq!(xml("a\u{0}\u{1b}b\u{ffff}\n<c>"), "a\u{fffd}\u{fffd}b\u{fffd} <c>");
    }
}
