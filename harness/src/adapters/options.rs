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

impl Options {
    pub(super) fn new(options: &BTreeMap<String, String>) -> Self {
        Self { left: options.clone(), asked: Vec::new() }
    }

    /// Replaces `field` by the setting `name`, where it is given.
    pub(super) fn read<T: FromStr>(
        &mut self,
        name: &'static str,
        field: &mut T,
    ) -> Result<(), OpenError> {
        self.asked.push(name);
        if let Some(value) = self.left.remove(name) {
            *field = value.parse().map_err(|_| OpenError::BadSetting {
                setting: name.to_owned(),
                value,
                accepted: format!("values of type {}", std::any::type_name::<T>()),
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
        assert!(given("shards", "x").read("shards", &mut shards).is_err());
        let mut options = given("shard", "8");
        options.read("shards", &mut shards).unwrap();
        let message = options.finish().unwrap_err().to_string();
        assert!(message.contains("`shard` = `8`") && message.contains("shards"), "{message}");
    }
}
