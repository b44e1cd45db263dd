//! What happens to a store between the load and the timed run.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a store is aged before it is measured. As text: `none`, `rewrites:1`, `churn:2`, `litter:10`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub enum Ageing {
    /// Measured as loaded.
    #[default]
    None,
    /// Updates with the workload's own key distribution, until they have written the object memory this
    /// many times over. Compaction is then in its steady state.
    Rewrites(f64),
    /// Records are deleted at random and stored again, until that has written the object memory this many
    /// times over. The live records are the same afterwards.
    Churn(f64),
    /// A littered heap: before the load, the store is filled with objects of the same sizes, and all but
    /// this share of them, in percent, are deleted in random order. The rest stays and is part of the
    /// fill.
    Litter(u32),
}

impl Ageing {
    /// Whether the store is measured as loaded; ids and labels then leave out the ageing.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }
}

impl fmt::Display for Ageing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => formatter.write_str("none"),
            Self::Rewrites(times) => write!(formatter, "rewrites:{times}"),
            Self::Churn(times) => write!(formatter, "churn:{times}"),
            Self::Litter(percent) => write!(formatter, "litter:{percent}"),
        }
    }
}

impl FromStr for Ageing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let times = |times: &str| {
            times
                .parse()
                .ok()
                .filter(|times: &f64| *times > 0.0 && *times <= 1000.0)
                .ok_or_else(|| format!("ageing `{text}`: write a number above 0, as in `churn:2`"))
        };
        match text.split_once(':') {
            None if text == "none" => Ok(Self::None),
            Some(("rewrites", value)) => Ok(Self::Rewrites(times(value)?)),
            Some(("churn", value)) => Ok(Self::Churn(times(value)?)),
            Some(("litter", value)) => match value.parse() {
                Ok(percent) if (1..=50).contains(&percent) => Ok(Self::Litter(percent)),
                _ => Err(format!("ageing `{text}`: the share that stays is 1 to 50 percent")),
            },
            _ => Err(format!(
                "ageing `{text}`: write `none`, `rewrites:1`, `churn:2` or `litter:10`"
            )),
        }
    }
}

impl TryFrom<String> for Ageing {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Ageing> for String {
    fn from(ageing: Ageing) -> Self {
        ageing.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_value_agree() {
        for (text, ageing) in [
            ("none", Ageing::None),
            ("rewrites:1.5", Ageing::Rewrites(1.5)),
            ("churn:2", Ageing::Churn(2.0)),
            ("litter:10", Ageing::Litter(10)),
        ] {
            assert_eq!(text.parse(), Ok(ageing));
            assert_eq!(ageing.to_string(), text);
        }
    }

    #[test]
    fn refusals_say_what_to_write() {
        for (text, expected) in [
            ("churn", "write `none`, `rewrites:1`"),
            ("churn:-1", "a number above 0"),
            ("litter:90", "1 to 50 percent"),
        ] {
            let error = text.parse::<Ageing>().unwrap_err();
            assert!(error.contains(text) && error.contains(expected), "{error}");
        }
    }
}
