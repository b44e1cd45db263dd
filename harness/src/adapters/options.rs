//! Settings by name, as cells carry them, read strictly.

use std::collections::BTreeMap;
use std::str::FromStr;

use engine::OpenError;

/// The settings of one cell. [`Options::finish`] refuses those that nobody asked for.
#[derive(Debug)]
pub(super) struct Options {
    left: BTreeMap<String, String>,
    asked: Vec<&'static str>,
}

/// A setting's type, which can say what it accepts.
pub(super) trait Choice: FromStr {
    /// What it accepts, as the end of "accepted are …".
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

/// The names of all values of a type.
pub(super) fn names(all: impl IntoIterator<Item = impl std::fmt::Display>) -> String {
    let names: Vec<String> = all.into_iter().map(|value| value.to_string()).collect();
    names.join(", ")
}

impl Options {
    pub(super) fn new(options: &BTreeMap<String, String>) -> Self {
        Self { left: options.clone(), asked: Vec::new() }
    }

    /// Replaces `field` by the setting `name`, where it is given.
    pub(super) fn read<T: Choice>(
        &mut self,
        name: &'static str,
        field: &mut T,
    ) -> Result<(), OpenError> {
        self.asked.push(name);
        if let Some(value) = self.left.remove(name) {
            *field = value.parse().map_err(|_| OpenError::BadSetting {
                setting: name.to_owned(),
                value,
                accepted: T::accepted(),
            })?;
        }
        Ok(())
    }

    /// Refuses what is left.
    pub(super) fn finish(self) -> Result<(), OpenError> {
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
        let mut options = given("shard", "8");
        options.read("shards", &mut shards).unwrap();
        let message = options.finish().unwrap_err().to_string();
        assert!(message.contains("`shard` = `8`") && message.contains("shards"), "{message}");
    }
}
