//! Settings by name, as cells carry them. Each is read by a rule; what the rule does not take, and what
//! was never read, is refused.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use crate::{OpenError, Rule, Whole};

/// The settings of one cell. [`finish`](Self::finish) rejects those that were never read. The rules by
/// which a store reads them are the table of its settings.
///
/// ```
/// # use std::collections::BTreeMap;
/// # use engine::{Options, Whole};
/// let given = BTreeMap::from([("shards".to_owned(), "8".to_owned())]);
/// let mut options = Options::new(&given);
/// let mut shards = 64_usize;
/// options.whole("shards", &mut shards, Whole::powers_of_two(1..=65_536))?;
/// options.finish()?;
/// assert_eq!(shards, 8);
/// # Ok::<(), engine::OpenError>(())
/// ```
#[derive(Debug)]
pub struct Options {
    left: BTreeMap<String, String>,
    rules: Vec<(&'static str, Rule)>,
    told: Vec<String>,
    cache: CacheLimit,
}

/// Memory that may hold data of a store on a disk, the page cache included.
#[derive(Clone, Copy, Debug)]
struct CacheLimit {
    bytes: Option<u64>,
    is_heeded: bool,
}

impl Options {
    /// The given settings, none of them read yet.
    #[must_use]
    pub fn new(options: &BTreeMap<String, String>) -> Self {
        let cache = CacheLimit { bytes: None, is_heeded: false };
        Self { left: options.clone(), rules: Vec::new(), told: Vec::new(), cache }
    }

    /// The same for a store whose data may take so much memory, the page cache included; `None` sets no
    /// limit. A store that does not ask for it ([`cache_bytes`](Self::cache_bytes)) cannot be had with one.
    #[must_use]
    pub fn within(self, cache_bytes: Option<u64>) -> Self {
        Self { cache: CacheLimit { bytes: cache_bytes, is_heeded: false }, ..self }
    }

    /// Memory that may hold data, the page cache included, if it is limited. Stores ask whose files are on a
    /// disk.
    pub fn cache_bytes(&mut self) -> Option<u64> {
        self.cache.is_heeded = true;
        self.cache.bytes
    }

    /// Sets `field` to the setting `name`, if given: a whole number.
    ///
    /// # Errors
    /// [`OpenError::Refused`] if it is not among `accepted`.
    pub fn whole<T: FromStr>(
        &mut self,
        name: &'static str,
        field: &mut T,
        accepted: impl Into<Whole>,
    ) -> Result<(), OpenError> {
        self.read(name, field, Rule::Whole(accepted.into()))
    }

    /// Sets `field` to the setting `name`, if given: `true` or `false`.
    ///
    /// # Errors
    /// [`OpenError::Refused`] if it is neither.
    pub fn switch(&mut self, name: &'static str, field: &mut bool) -> Result<(), OpenError> {
        self.read(name, field, Rule::Switch)
    }

    /// Sets `field` to the setting `name`, if given: a number from 0 to `most`, fractions allowed.
    ///
    /// # Errors
    /// [`OpenError::Refused`] if it is none.
    pub fn decimal<T: FromStr>(
        &mut self,
        name: &'static str,
        field: &mut T,
        most: u32,
    ) -> Result<(), OpenError> {
        self.read(name, field, Rule::Decimal { most })
    }

    /// Sets `field` to the setting `name`, if given. For types with a few values, which print as
    /// they are read.
    ///
    /// # Errors
    /// [`OpenError::Refused`] if its value is not among `all`.
    pub fn one_of<T: FromStr>(
        &mut self,
        name: &'static str,
        field: &mut T,
        all: impl IntoIterator<Item = impl Display>,
    ) -> Result<(), OpenError> {
        let words = all.into_iter().map(|value| value.to_string()).collect();
        self.read(name, field, Rule::OneOf(words))
    }

    fn read<T: FromStr>(
        &mut self,
        name: &'static str,
        field: &mut T,
        rule: Rule,
    ) -> Result<(), OpenError> {
        self.rules.push((name, rule.clone()));
        let Some(value) = self.left.remove(name) else { return Ok(()) };
        match value.parse() {
            Ok(parsed) if rule.accepts(&value) => {
                *field = parsed;
                Ok(())
            }
            _ => Err(OpenError::Refused { setting: name.to_owned(), value, rule }),
        }
    }

    /// The value of a setting that is not read yet, if given.
    #[must_use]
    pub fn given(&self, name: &str) -> Option<&str> {
        self.left.get(name).map(String::as_str)
    }

    /// Notes what the store will do other than one may expect, in a sentence.
    pub fn tell(&mut self, sentence: String) {
        self.told.push(sentence);
    }

    /// What was noted.
    #[must_use]
    pub fn told(&self) -> &[String] {
        &self.told
    }

    /// The settings read so far, each with the values that it takes.
    #[must_use]
    pub fn rules(&self) -> &[(&'static str, Rule)] {
        &self.rules
    }

    /// Rejects settings that were not read.
    ///
    /// # Errors
    /// [`OpenError::UnknownSetting`] for the first setting that was not read;
    /// [`OpenError::BadSetting`] for a limit of memory that the store does not heed.
    pub fn finish(&self) -> Result<(), OpenError> {
        match self.left.keys().next() {
            None => match self.cache {
                CacheLimit { bytes: Some(bytes), is_heeded: false } => Err(OpenError::BadSetting {
                    setting: "cache-percent".to_owned(),
                    value: format!("{bytes} bytes"),
                    accepted: "those of stores on a disk: this one keeps its objects in memory; drop it, or \
                               ask for files=disk where the store has that setting"
                        .to_owned(),
                }),
                _ => Ok(()),
            },
            Some(setting) => Err(OpenError::UnknownSetting {
                setting: setting.clone(),
                known: self.rules.iter().map(|(name, _)| *name).collect(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(name: &str, value: &str) -> Options {
        Options::new(&BTreeMap::from([(name.to_owned(), value.to_owned())]))
    }

    #[test]
    fn what_is_read_is_what_was_given() {
        let mut options = given("shards", "8");
        assert_eq!(options.given("shards"), Some("8"));
        let mut shards = 64_usize;
        options.whole("shards", &mut shards, Whole::powers_of_two(1..=64)).unwrap();
        options.finish().unwrap();
        assert_eq!(shards, 8);
        assert_eq!(options.rules().len(), 1);
    }

    #[test]
    fn unknown_and_malformed_settings_are_refused() {
        let powers = Whole::powers_of_two(1..=64);
        let mut shards = 64_usize;
        let message = |error: OpenError| error.to_string();
        let error = given("shards", "x").whole("shards", &mut shards, powers).unwrap_err();
        assert_eq!(
            message(error),
            "setting `shards` = `x`: accepted are powers of two from 1 to 64"
        );
        let error = given("shards", "0").whole("shards", &mut shards, powers).unwrap_err();
        assert_eq!(
            message(error),
            "setting `shards` = `0`: accepted are powers of two from 1 to 64; the nearest is 1"
        );
        assert_eq!(shards, 64);
        let error = given("resident", "yes").switch("resident", &mut true).unwrap_err();
        assert!(message(error).ends_with("accepted are true and false"));
        let error = given("mode", "c").one_of("mode", &mut 'a', ["a", "b"]).unwrap_err();
        assert!(message(error).ends_with("accepted are a, b"));
        let error = given("share", "-1").decimal("share", &mut 0.5, 90).unwrap_err();
        assert!(message(error).ends_with("such as 5 or 2.5; the nearest is 0"));
        let mut options = given("shard", "8");
        options.whole("shards", &mut shards, powers).unwrap();
        let error = options.finish().unwrap_err();
        assert_eq!(message(error), "unknown setting `shard`: there are shards");
        let error = given("shard", "8").finish().unwrap_err();
        assert_eq!(message(error), "unknown setting `shard`: this store has no settings");
    }

    #[test]
    fn a_limit_of_memory_is_for_stores_that_ask_for_it() {
        let none = BTreeMap::new();
        let error = Options::new(&none).within(Some(4096)).finish().unwrap_err().to_string();
        let expected =
            "setting `cache-percent` = `4096 bytes`: accepted are those of stores on a disk";
        assert!(error.starts_with(expected), "{error}");
        let mut asks = Options::new(&none).within(Some(4096));
        assert_eq!(asks.cache_bytes(), Some(4096));
        asks.finish().unwrap();
        Options::new(&none).within(None).finish().unwrap();
    }

    /// A type too small for its rule does not hold another number than was asked for.
    #[test]
    fn a_value_that_its_field_cannot_hold_is_refused() {
        let mut small = 0_u8;
        assert!(given("count", "300").whole("count", &mut small, 0..=1000).is_err());
        assert_eq!(small, 0);
    }
}
