//! Errors in properties.

use std::error::Error;
use std::fmt;

use crate::requests::WorkloadError;

/// Why properties do not describe a run.
#[derive(Clone, Debug, PartialEq)]
pub enum PropertiesError {
    /// A file contains an escape that Java does not have.
    Escape {
        /// The key or value that contains it.
        text: String,
    },
    /// A setting without a name or without `=`.
    Setting { text: String },
    Unknown {
        name: String,
        /// The most similar known name.
        near: Option<&'static str>,
    },
    /// A property without a default is not set.
    Missing { name: &'static str },
    /// The value of a property is invalid.
    Value {
        name: &'static str,
        value: String,
        /// What to write instead.
        remedy: String,
    },
    /// All proportions are zero.
    NoOperations,
    /// The values are valid one by one, but not together.
    Workload(WorkloadError),
}

impl fmt::Display for PropertiesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Escape { text } => write!(
                f,
                "property text \"{text}\": write \\uXXXX with four hexadecimal digits, or \\\\ for \
                 a backslash"
            ),
            Self::Setting { text } => {
                write!(f, "property setting \"{text}\": write name=value, as in recordcount=1000")
            }
            Self::Unknown { name, near: Some(near) } => {
                write!(f, "property \"{name}\" is unknown; did you mean \"{near}\"?")
            }
            Self::Unknown { name, near: None } => {
                write!(f, "property \"{name}\" is unknown; use those of YCSB's CoreWorkload")
            }
            Self::Missing { name } => {
                write!(f, "property {name} is not set and has no default; add {name}=1000")
            }
            Self::Value { name, value, remedy } => write!(f, "{name}={value}: {remedy}"),
            Self::NoOperations => write!(
                f,
                "all proportions are 0, so there would be no requests; set one, as in \
                 readproportion=0.95"
            ),
            Self::Workload(error) => error.fmt(f),
        }
    }
}

impl Error for PropertiesError {}
