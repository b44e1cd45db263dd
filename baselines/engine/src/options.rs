//! Settings by name, as cells carry them; unknown or invalid ones are rejected.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use crate::OpenError;

/// The settings of one cell. [`finish`](Self::finish) rejects those that were never read.
///
/// ```
/// # use std::collections::BTreeMap;
/// # use engine::Options;
/// let given = BTreeMap::from([("shards".to_owned(), "8".to_owned())]);
/// let mut options = Options::new(&given);
/// let mut shards = 64_usize;
/// options.read("shards", &mut shards)?;
/// options.finish()?;
/// assert_eq!(shards, 8);
/// # Ok::<(), engine::OpenError>(())
/// ```
#[derive(Debug)]
pub struct Options {
    left: BTreeMap<String, String>,
    asked: Vec<&'static str>,
}

/// The type of a setting, which can say what values it accepts.
pub trait Choice: FromStr {
    /// The accepted values, to complete the sentence "accepted are …".
    fn accepted() -> String;
}

macro_rules! numbers {
    ($($number:ty),+) => {
        $(impl Choice for $number {
            fn accepted() -> String {
                format!("whole numbers from {} to {}", Self::MIN, Self::MAX)
            }
        })+
    };
}
numbers!(u32, u64, usize);

impl Choice for bool {
    fn accepted() -> String {
        "true and false".to_owned()
    }
}

impl Options {
    /// The given settings, none of them read yet.
    #[must_use]
    pub fn new(options: &BTreeMap<String, String>) -> Self {
        Self { left: options.clone(), asked: Vec::new() }
    }

    /// Sets `field` to the setting `name`, if given.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] if the field does not accept its value.
    pub fn read<T: Choice>(&mut self, name: &'static str, field: &mut T) -> Result<(), OpenError> {
        self.take(name, field, T::accepted)
    }

    /// Sets `field` to the setting `name`, if given. For types with a few values, which print as
    /// they are read.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] with the names of `all` if its value is not among them.
    pub fn read_one_of<T: FromStr>(
        &mut self,
        name: &'static str,
        field: &mut T,
        all: impl IntoIterator<Item = impl Display>,
    ) -> Result<(), OpenError> {
        self.take(name, field, || {
            let names: Vec<String> = all.into_iter().map(|value| value.to_string()).collect();
            names.join(", ")
        })
    }

    fn take<T: FromStr>(
        &mut self,
        name: &'static str,
        field: &mut T,
        accepted: impl FnOnce() -> String,
    ) -> Result<(), OpenError> {
        self.asked.push(name);
        if let Some(value) = self.left.remove(name) {
            *field = value.parse().map_err(|_| OpenError::BadSetting {
                setting: name.to_owned(),
                value,
                accepted: accepted(),
            })?;
        }
        Ok(())
    }

    /// Rejects settings that were not read.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] for the first setting that was not read.
    pub fn finish(self) -> Result<(), OpenError> {
        match self.left.into_iter().next() {
            None => Ok(()),
            Some((setting, value)) => Err(OpenError::BadSetting {
                setting,
                value,
                accepted: if self.asked.is_empty() {
                    "no settings at all".to_owned()
                } else {
                    format!("the settings {}", self.asked.join(", "))
                },
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_and_malformed_settings_are_refused() {
        let given = |name: &str, value: &str| {
            Options::new(&BTreeMap::from([(name.to_owned(), value.to_owned())]))
        };
        let mut shards = 64_usize;
        let mut options = given("shards", "8");
        options.read("shards", &mut shards).unwrap();
        options.finish().unwrap();
        assert_eq!(shards, 8);
        let message = given("shards", "x").read("shards", &mut shards).unwrap_err().to_string();
        assert!(message.contains("`shards` = `x`: accepted are whole numbers from 0"), "{message}");
        let message = given("resident", "yes").read("resident", &mut true).unwrap_err().to_string();
        assert!(message.contains("accepted are true and false"), "{message}");
        let message = given("resident", "yes")
            .read_one_of("resident", &mut true, ["true", "false"])
            .unwrap_err()
            .to_string();
        assert!(message.ends_with("accepted are true, false"), "{message}");
        let mut options = given("shard", "8");
        options.read("shards", &mut shards).unwrap();
        let message = options.finish().unwrap_err().to_string();
        assert!(message.contains("`shard` = `8`") && message.contains("shards"), "{message}");
    }
}
