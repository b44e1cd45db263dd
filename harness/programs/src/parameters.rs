//! Parameters: commands in which `{NAME}` stands for one value after another.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::{error, fmt};

use crate::Command;

/// Values of a parameter in one command may not be more.
const VALUES_MAX: f64 = 10_000.0;

/// A parameter and its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scan {
    name: String,
    values: Vec<String>,
}

/// A scan that cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadScan(String);

impl fmt::Display for BadScan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl error::Error for BadScan {}

impl Scan {
    /// The parameter `name` with values that commas separate.
    ///
    /// # Errors
    /// No values.
    pub fn listed(name: &str, values: &str) -> Result<Self, BadScan> {
        if name.is_empty() || values.is_empty() {
            return Err(BadScan(format!(
                "parameter `{name}` = `{values}`: write a name and values with commas, as threads 1,2,4"
            )));
        }
        let values = values.split(',').map(str::to_owned).collect();
        Ok(Self { name: name.to_owned(), values })
    }

    /// The parameter `name` from `low` to `high` in steps of `step`, in exact decimals.
    ///
    /// # Errors
    /// What is no number, a step that is not above 0 or leads nowhere.
    pub fn ranged(name: &str, low: &str, high: &str, step: &str) -> Result<Self, BadScan> {
        let wrong = || {
            BadScan(format!(
                "parameter `{name}` from {low} to {high} in steps of {step}: write numbers, the lower \
                 first, and a step above 0; at most {VALUES_MAX} values"
            ))
        };
        let decimals = [low, high, step]
            .map(|text| text.split_once('.').map_or(0, |(_, digits)| digits.len()))
            .into_iter()
            .max()
            .unwrap_or(0);
        let unit = 10_f64.powi(decimals.min(9) as i32);
        let whole = |text: &str| {
            let number: f64 = text.trim().parse().map_err(|_| wrong())?;
            let number = (number * unit).round();
            if number.abs() < 9e15 { Ok(number as i64) } else { Err(wrong()) }
        };
        let (low, high, step) = (whole(low)?, whole(high)?, whole(step)?);
        if step <= 0 || low > high || (high - low) as f64 / step as f64 >= VALUES_MAX {
            return Err(wrong());
        }
        let values = (low..=high).step_by(usize::try_from(step).map_err(|_| wrong())?);
        let told = |value: i64| format!("{:.decimals$}", value as f64 / unit);
        Ok(Self { name: name.to_owned(), values: values.map(told).collect() })
    }

    /// Every combination of values, the last scan's value changing first.
    #[must_use]
    pub fn combinations(scans: &[Self]) -> Vec<Vec<(String, String)>> {
        scans.iter().fold(vec![Vec::new()], |all, scan| {
            let with = |before: &Vec<(String, String)>| {
                let values = scan.values.iter();
                values
                    .map(|value| [&before[..], &[(scan.name.clone(), value.clone())]].concat())
                    .collect::<Vec<_>>()
            };
            all.iter().flat_map(with).collect()
        })
    }
}

impl Command {
    /// The command with these values of its parameters.
    #[must_use]
    pub fn with(&self, parameters: &[(String, String)]) -> Self {
        Self {
            name: with_text(&self.name, parameters),
            words: self.words.iter().map(|word| replaced(word, parameters)).collect(),
            parameters: parameters.to_vec(),
        }
    }
}

/// `text` with these values of parameters.
pub(crate) fn with_text(text: &str, parameters: &[(String, String)]) -> String {
    parameters
        .iter()
        .fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
}

/// The same of a word that need not be text.
fn replaced(word: &OsStr, parameters: &[(String, String)]) -> OsString {
    if let Some(text) = word.to_str() {
        return with_text(text, parameters).into();
    }
    let mut bytes = word.as_bytes().to_vec();
    for (name, value) in parameters {
        let pattern = format!("{{{name}}}").into_bytes();
        let mut from = 0;
        while let Some(at) = bytes[from..].windows(pattern.len()).position(|it| it == pattern) {
            bytes.splice(from + at..from + at + pattern.len(), value.bytes());
            from += at + value.len();
        }
    }
    OsString::from_vec(bytes)
}
