//! The tools whose results are read, by name.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// A tool that measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// hyperfine: elapsed time of commands.
    Hyperfine,
    /// criterion.rs: time of Rust functions.
    Criterion,
    /// YCSB: stores under key-value workloads.
    Ycsb,
    /// `memtier_benchmark`: servers of Redis' and memcached's protocols.
    Memtier,
}

impl Tool {
    /// All tools, in the order of the documentation.
    pub const ALL: [Self; 4] = [Self::Hyperfine, Self::Criterion, Self::Ycsb, Self::Memtier];

    /// The name on command lines and in [`Line::source`](crate::Line::source); [`str::parse`]
    /// reads it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hyperfine => "hyperfine",
            Self::Criterion => "criterion",
            Self::Ycsb => "ycsb",
            Self::Memtier => "memtier",
        }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// A text that names no tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTool {
    text: String,
}

impl fmt::Display for UnknownTool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Tool::ALL.map(Tool::name).join(", ");
        write!(formatter, "tool \"{}\": write one of {names}", self.text)
    }
}

impl Error for UnknownTool {}

impl FromStr for Tool {
    type Err = UnknownTool;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|tool| tool.name() == text);
        known.ok_or_else(|| UnknownTool { text: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for tool in Tool::ALL {
            assert_eq!(tool.name().parse(), Ok(tool));
            assert_eq!(tool.to_string(), tool.name());
        }
        assert_eq!(
            "wrk".parse::<Tool>().unwrap_err().to_string(),
            "tool \"wrk\": write one of hyperfine, criterion, ycsb, memtier"
        );
    }
}
