//! The smallest change of each measure that matters, as asked on the command line.

use crate::{MEASURES, Measure};

/// What is asked of measures; what is not named has its own tolerance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked(Vec<(&'static str, Option<f64>)>);

impl Asked {
    /// From `elapsed=5%` or `peak-memory=off`.
    ///
    /// # Errors
    /// The text and what is accepted.
    pub fn parse(texts: &[String]) -> Result<Self, String> {
        let mut asked = Self::default();
        for text in texts {
            let (name, value) = text.split_once('=').ok_or_else(|| {
                format!("tolerance `{text}`: must be METRIC=PERCENT, as elapsed=5%")
            })?;
            let measure = Measure::by_name(name).ok_or_else(|| {
                let known: Vec<&str> = MEASURES.iter().map(|measure| measure.name).collect();
                format!("no metric `{name}` of commands; there are {}", known.join(", "))
            })?;
            let share = if value == "off" {
                None
            } else {
                let percent = value.strip_suffix('%').unwrap_or(value).trim().parse::<f64>();
                let percent = percent.ok().filter(|percent| (0.1..=100.0).contains(percent));
                let percent = percent.ok_or_else(|| {
                    format!("tolerance {name} = {value}: must be 0.1% to 100%, or off")
                })?;
                Some(percent / 100.0)
            };
            asked.0.retain(|(one, _)| *one != name);
            asked.0.push((measure.name, share));
        }
        if MEASURES.iter().all(|one| asked.is_off(one) || one.tolerance.is_none())
            && asked.0.iter().all(|(_, share)| share.is_none())
        {
            return Err("every metric is off: there is nothing to judge".to_owned());
        }
        Ok(asked)
    }

    pub(crate) fn of(&self, measure: &Measure) -> Option<f64> {
        self.0.iter().find(|(name, _)| *name == measure.name).and_then(|(_, share)| *share)
    }

    pub(crate) fn is_off(&self, measure: &Measure) -> bool {
        self.0.iter().any(|(name, share)| *name == measure.name && share.is_none())
    }
}
