//! What is run: a program with its arguments, or a line that a shell reads.

use std::ffi::{OsStr, OsString};

/// The shell that reads a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shell(pub OsString);

impl Shell {
    /// The shell of `--shell`; `None` for `none`. `default` is `sh`.
    #[must_use]
    pub fn named(name: &OsStr) -> Option<Self> {
        match name.to_str() {
            Some("none") => None,
            Some("default") => Some(Self("sh".into())),
            _ => Some(Self(name.to_owned())),
        }
    }

    /// The words that run `line` in this shell.
    #[must_use]
    pub fn words(&self, line: &OsStr) -> Vec<OsString> {
        vec![self.0.clone(), "-c".into(), line.to_owned()]
    }
}

/// One command to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// How people call it.
    pub name: String,
    /// The program and its arguments, as they were given.
    pub words: Vec<OsString>,
    /// What `{NAME}` stood for in the words, by name.
    pub parameters: Vec<(String, String)>,
}

impl Command {
    /// A command named after its words.
    #[must_use]
    pub fn new(words: Vec<OsString>) -> Self {
        Self { name: line(&words), words, parameters: Vec::new() }
    }

    /// The words as one line, as a shell would take them.
    #[must_use]
    pub fn line(&self) -> String {
        line(&self.words)
    }

    /// The words to execute: the command itself, or a shell that reads its words with spaces between.
    #[must_use]
    pub fn executed(&self, shell: Option<&Shell>) -> Vec<OsString> {
        shell.map_or_else(
            || self.words.clone(),
            |shell| shell.words(&self.words.join(OsStr::new(" "))),
        )
    }

    /// The commands between the words `--`.
    ///
    /// # Errors
    /// A command without a word, by its place from 1.
    pub fn split(words: &[OsString]) -> Result<Vec<Self>, usize> {
        let commands: Vec<Self> =
            words.split(|word| word == "--").map(|words| Self::new(words.to_vec())).collect();
        match commands.iter().position(|command| command.words.is_empty()) {
            Some(at) => Err(at + 1),
            None => Ok(commands),
        }
    }
}

/// Words with spaces between; those that a shell would take apart are quoted.
fn line(words: &[OsString]) -> String {
    let quoted = |word: &OsString| {
        let word = word.to_string_lossy();
        let plain =
            |letter: char| letter.is_ascii_alphanumeric() || "-_./:=@,+%{}".contains(letter);
        match !word.is_empty() && word.chars().all(plain) {
            true => word.into_owned(),
            // A line for a shell is shown as it is.
            false if words.len() == 1 => word.into_owned(),
            false => format!("'{}'", word.replace('\'', r"'\''")),
        }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}
