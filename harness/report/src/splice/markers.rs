//! The markers, and what stands between them.

use std::fmt;

const BEGIN: &str = "<!-- begin ";
const END: &str = "<!-- end ";
const CLOSE: &str = " -->";

/// What is wrong with a file's markers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarkerError {
    /// A block begins within another.
    Nested {
        /// The line of the second beginning, from 1.
        line: usize,
        /// The block that is open.
        open: String,
    },
    /// A block ends that is not open.
    Unopened {
        /// The line, from 1.
        line: usize,
        /// The block that ends.
        name: String,
    },
    /// A block does not end.
    Unclosed {
        /// The block.
        name: String,
    },
    /// There is no block at all.
    None,
}

impl fmt::Display for MarkerError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nested { line, open } => write!(
                formatter,
                "line {line}: a block begins before `{END}{open}{CLOSE}`; blocks do not nest"
            ),
            Self::Unopened { line, name } => write!(
                formatter,
                "line {line}: block `{name}` ends and has not begun: write `{BEGIN}{name}{CLOSE}` \
                 before it"
            ),
            Self::Unclosed { name } => {
                write!(
                    formatter,
                    "block `{name}` does not end: write `{END}{name}{CLOSE}` after it"
                )
            }
            Self::None => write!(
                formatter,
                "it has no markers; `{BEGIN}NAME{CLOSE}` and `{END}NAME{CLOSE}`, each on a line of \
                 its own, say where a table goes"
            ),
        }
    }
}

impl std::error::Error for MarkerError {}

/// `text` with each block's content replaced by what `content` says of its name. All outside of blocks
/// stays as it is, to the byte.
///
/// # Errors
/// Markers that do not pair, none at all, or what `content` says.
pub fn splice<E: From<MarkerError>>(
    text: &str,
    mut content: impl FnMut(&str) -> Result<String, E>,
) -> Result<String, E> {
    let mut spliced = String::with_capacity(text.len());
    let mut open: Option<String> = None;
    let mut count = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let number = number + 1;
        if let Some(name) = marker(line, BEGIN) {
            if let Some(open) = open {
                return Err(MarkerError::Nested { line: number, open }.into());
            }
            spliced += line;
            let inner = content(name)?;
            spliced += inner.trim_end();
            spliced.push('\n');
            open = Some(name.to_owned());
            count += 1;
        } else if let Some(name) = marker(line, END) {
            if open.as_deref() != Some(name) {
                let name = name.to_owned();
                return Err(MarkerError::Unopened { line: number, name }.into());
            }
            open = None;
            spliced += line;
        } else if open.is_none() {
            spliced += line;
        }
    }
    match open {
        Some(name) => Err(MarkerError::Unclosed { name }.into()),
        None if count == 0 => Err(MarkerError::None.into()),
        None => Ok(spliced),
    }
}

/// The name that a line marks.
fn marker<'a>(line: &'a str, front: &str) -> Option<&'a str> {
    line.trim().strip_prefix(front)?.strip_suffix(CLOSE).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<String, MarkerError> {
        splice(text, |name| Ok(format!("the numbers of {name}\n\n")))
    }

    #[test]
    fn blocks_are_replaced_and_the_rest_stays() {
        let text =
            "a\n<!-- begin x -->\nold\nolder\n<!-- end x -->\nb\n<!-- begin y -->\n<!-- end y -->";
        let expected = "a\n<!-- begin x -->\nthe numbers of x\n<!-- end x -->\nb\n<!-- begin y -->\n\
                        the numbers of y\n<!-- end y -->";
        assert_eq!(of(text).unwrap(), expected);
        assert_eq!(of(expected).unwrap(), expected, "a second time changes nothing");
    }

    #[test]
    fn markers_that_do_not_pair_are_refused() {
        for (text, told) in [
            ("a\n", "no markers"),
            ("<!-- begin x -->\n", "block `x` does not end"),
            ("a\n<!-- end x -->\n", "line 2: block `x` ends and has not begun"),
            ("<!-- begin x -->\n<!-- begin y -->\n", "line 2: a block begins before"),
            ("<!-- begin x -->\n<!-- end y -->\n", "line 2: block `y` ends"),
        ] {
            let error = of(text).unwrap_err().to_string();
            assert!(error.contains(told), "{text:?}: {error}");
        }
    }
}
